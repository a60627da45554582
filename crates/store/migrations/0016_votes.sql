-- Votes: what is voted on, until when, and what was declared then. Ballots are kept until that is stored, and no longer.
CREATE TABLE votes (id TEXT PRIMARY KEY, body TEXT NOT NULL, caller TEXT NOT NULL, made_ms BIGINT NOT NULL, closes_ms BIGINT NOT NULL,
    declared TEXT, off_ms BIGINT);
CREATE INDEX votes_closes ON votes (closes_ms, id);
CREATE INDEX votes_open ON votes (closes_ms) WHERE declared IS NULL AND off_ms IS NULL;
CREATE INDEX votes_caller ON votes (caller, closes_ms);
-- A person's marks: numbers of candidates.
CREATE TABLE ballots (vote TEXT NOT NULL, person TEXT NOT NULL, ticked BIGINT, crossed BIGINT, at_ms BIGINT NOT NULL,
    PRIMARY KEY (vote, person));
CREATE INDEX ballots_person ON ballots (person);
