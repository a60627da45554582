-- Games carry the epoch of their owner, when they want to be looked at, and their card for lists.
ALTER TABLE games ADD COLUMN epoch BIGINT NOT NULL DEFAULT 0;
ALTER TABLE games ADD COLUMN due BIGINT;
ALTER TABLE games ADD COLUMN card TEXT;
ALTER TABLE games ADD COLUMN card_seq BIGINT NOT NULL DEFAULT -1;
ALTER TABLE events ADD COLUMN epoch BIGINT NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN ms BIGINT NOT NULL DEFAULT 0;
-- Every game under way is looked at once.
UPDATE games SET due = 0 WHERE over = 0;
DROP INDEX IF EXISTS games_running;
CREATE INDEX games_due ON games (due) WHERE due IS NOT NULL;
-- From the last run on, milliseconds of runs go on from one to the next.
INSERT INTO meta (name, value) SELECT 'counted_from', CAST(COALESCE(MAX(run), 0) AS TEXT) FROM runs;
INSERT INTO meta (name, value) VALUES ('version', '2') ON CONFLICT (name) DO UPDATE SET value = '2';
