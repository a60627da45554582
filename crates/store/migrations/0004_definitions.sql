-- Texts of games that were read from files, so that games under way go on whatever files there are.
CREATE TABLE definitions (name TEXT PRIMARY KEY, texts TEXT NOT NULL);
