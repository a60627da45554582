-- Wishes that wait in storage: seeks of games over days (without a target), and challenges of one person to another.
-- The game that comes of one is noted in the commit that makes the game.
CREATE TABLE offers (id TEXT PRIMARY KEY, person TEXT NOT NULL, target TEXT, body TEXT NOT NULL, made_ms BIGINT NOT NULL,
    until_ms BIGINT NOT NULL, game TEXT, answer TEXT);
CREATE INDEX offers_person ON offers (person, made_ms);
CREATE INDEX offers_target ON offers (target, made_ms);
-- Who wants nothing to do with whom.
CREATE TABLE blocks (person TEXT NOT NULL, other TEXT NOT NULL, made_ms BIGINT NOT NULL, PRIMARY KEY (person, other));
CREATE INDEX blocks_other ON blocks (other);
-- Who was here last.
CREATE INDEX accounts_seen ON accounts (seen_ms);
