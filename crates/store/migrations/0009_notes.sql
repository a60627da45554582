-- What players write to themselves about their games.
CREATE TABLE notes (person TEXT NOT NULL, game TEXT NOT NULL, text TEXT NOT NULL, at_ms BIGINT NOT NULL, PRIMARY KEY (person, game));
