-- People with an account. The id stands in seats and events where a guest's number stands otherwise.
CREATE TABLE accounts (id TEXT PRIMARY KEY, name TEXT NOT NULL, password TEXT, recovery TEXT NOT NULL,
    made_ms BIGINT NOT NULL, seen_ms BIGINT NOT NULL, deleted BIGINT NOT NULL DEFAULT 0);
-- Every reading under which a name is taken. Of a deleted account only digests are left.
CREATE TABLE account_names (reading TEXT PRIMARY KEY, account TEXT NOT NULL);
CREATE INDEX account_names_account ON account_names (account);
-- Where people are signed in: digests of the words that their browsers keep.
CREATE TABLE sessions (digest TEXT PRIMARY KEY, account TEXT NOT NULL, agent TEXT NOT NULL,
    made_ms BIGINT NOT NULL, seen_ms BIGINT NOT NULL);
CREATE INDEX sessions_account ON sessions (account);
CREATE TABLE passkeys (id TEXT PRIMARY KEY, account TEXT NOT NULL, name TEXT NOT NULL, body TEXT NOT NULL,
    made_ms BIGINT NOT NULL, used_ms BIGINT);
CREATE INDEX passkeys_account ON passkeys (account);
