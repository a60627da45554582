-- Whether the account is a program's. Once set it stays.
ALTER TABLE accounts ADD COLUMN bot BIGINT NOT NULL DEFAULT 0;
-- What programs show in the place of a session: of the word itself a digest alone.
CREATE TABLE tokens (id TEXT PRIMARY KEY, digest TEXT NOT NULL UNIQUE, account TEXT NOT NULL, name TEXT NOT NULL,
    made_ms BIGINT NOT NULL, used_ms BIGINT);
CREATE INDEX tokens_account ON tokens (account);
