-- What the engine thought of games that are over, and of games that were brought in as text: those are kept for a time.
CREATE TABLE reviews (id TEXT PRIMARY KEY, body TEXT NOT NULL, until_ms BIGINT);
CREATE INDEX reviews_until ON reviews (until_ms) WHERE until_ms IS NOT NULL;
INSERT INTO meta (name, value) VALUES ('version', '3') ON CONFLICT (name) DO UPDATE SET value = '3';
