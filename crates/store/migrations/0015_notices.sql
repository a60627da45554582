-- Of what people want to be told, and by which ways, as JSON; by default where there is no row.
CREATE TABLE notice_wishes (person TEXT PRIMARY KEY, body TEXT NOT NULL);
-- Browsers that take notices by push, for as long as their session lasts. `failed`: how often in a row it did not work.
CREATE TABLE push_subscriptions (id TEXT PRIMARY KEY, person TEXT NOT NULL, session TEXT NOT NULL, endpoint TEXT NOT NULL UNIQUE,
    p256dh TEXT NOT NULL, auth TEXT NOT NULL, agent TEXT NOT NULL, made_ms BIGINT NOT NULL, failed BIGINT NOT NULL DEFAULT 0);
CREATE INDEX push_subscriptions_person ON push_subscriptions (person, made_ms);
-- Addresses for e-mail. `digest` is that of the word by which the address is confirmed until `until_ms`, missing once it is;
-- `sent` counts what went there in the day `day` of Unix time.
CREATE TABLE mail_addresses (person TEXT PRIMARY KEY, address TEXT NOT NULL, digest TEXT, until_ms BIGINT NOT NULL,
    day BIGINT NOT NULL DEFAULT 0, sent BIGINT NOT NULL DEFAULT 0);
CREATE INDEX mail_addresses_digest ON mail_addresses (digest) WHERE digest IS NOT NULL;
-- When the mover of a game over days is to be told that time runs out, in the server's time, and for which half-move that was
-- told last.
ALTER TABLE games ADD COLUMN warn BIGINT;
ALTER TABLE games ADD COLUMN warned BIGINT NOT NULL DEFAULT -1;
CREATE INDEX games_warn ON games (warn) WHERE warn IS NOT NULL;
-- Whether those who have joined were told that it starts.
ALTER TABLE tournaments ADD COLUMN announced BIGINT NOT NULL DEFAULT 0;
