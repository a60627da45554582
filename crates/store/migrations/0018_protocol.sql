-- What a node speaks, and the highest of what those have spoken that have owned a game: one that speaks less may not read it.
ALTER TABLE nodes ADD COLUMN protocol BIGINT NOT NULL DEFAULT 1;
ALTER TABLE games ADD COLUMN protocol BIGINT NOT NULL DEFAULT 1;
