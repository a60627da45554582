-- What is forbidden to a person (an account, or a guest by the cookie's number) or to a range of addresses. `kind`: play, chat or
-- closed. `resign`: 0 games under way go on, 1 they are to be resigned, 2 they were. Without `until_ms` for ever.
CREATE TABLE bans (id TEXT PRIMARY KEY, person TEXT, addresses TEXT, kind TEXT NOT NULL, only_new BIGINT NOT NULL, reason TEXT NOT NULL,
    by_person TEXT NOT NULL, made_ms BIGINT NOT NULL, until_ms BIGINT, lifted_ms BIGINT, resign BIGINT NOT NULL);
CREATE INDEX bans_person ON bans (person, made_ms);
CREATE INDEX bans_made ON bans (made_ms, id);
CREATE INDEX bans_addresses ON bans (addresses) WHERE addresses IS NOT NULL;
-- What people report. `about_name` and `by_name` are guests', whose names stand nowhere else; `quoted` is the line of chat.
CREATE TABLE reports (id TEXT PRIMARY KEY, by_person TEXT NOT NULL, by_name TEXT NOT NULL, about TEXT, about_name TEXT, game TEXT, line BIGINT,
    quoted TEXT, reason TEXT NOT NULL, text TEXT NOT NULL, made_ms BIGINT NOT NULL, settled_ms BIGINT, settled_by TEXT, answer TEXT);
CREATE INDEX reports_made ON reports (made_ms, id);
CREATE INDEX reports_by ON reports (by_person, made_ms);
CREATE INDEX reports_about ON reports (about, made_ms);
-- Accounts that moderate.
CREATE TABLE moderators (account TEXT PRIMARY KEY, made_ms BIGINT NOT NULL);
CREATE TABLE announcements (id TEXT PRIMARY KEY, text TEXT NOT NULL, from_ms BIGINT NOT NULL, until_ms BIGINT NOT NULL);
-- What moderators and operators (who are an empty `by_person`) have done. Rows are added, never changed.
CREATE TABLE acts (no BIGINT PRIMARY KEY, at_ms BIGINT NOT NULL, by_person TEXT NOT NULL, act TEXT NOT NULL, about TEXT, detail TEXT NOT NULL,
    reason TEXT NOT NULL);
CREATE INDEX acts_about ON acts (about, no);
-- Names that an account had before are nobody's until then.
ALTER TABLE account_names ADD COLUMN until_ms BIGINT;
CREATE INDEX account_names_until ON account_names (until_ms) WHERE until_ms IS NOT NULL;
-- Accounts that bear another name, whose games are still to be written anew.
CREATE TABLE renamed (account TEXT PRIMARY KEY);
