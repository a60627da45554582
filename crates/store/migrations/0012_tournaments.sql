-- Tournaments: what was settled, how far each is, and what has happened in it.
CREATE TABLE tournaments (id TEXT PRIMARY KEY, plan TEXT NOT NULL, maker TEXT NOT NULL, made_ms BIGINT NOT NULL,
    starts_ms BIGINT NOT NULL, phase TEXT NOT NULL, people BIGINT NOT NULL DEFAULT 0, ended_ms BIGINT);
CREATE INDEX tournaments_starts ON tournaments (starts_ms, id);
CREATE INDEX tournaments_running ON tournaments (phase) WHERE phase = 'open' OR phase = 'running';
CREATE TABLE tournament_events (tournament TEXT NOT NULL, seq BIGINT NOT NULL, wall_ms BIGINT NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (tournament, seq));
-- Games of tournaments that are over, written with their last event, and taken off by the tournament's own.
CREATE TABLE tournament_results (game TEXT PRIMARY KEY, tournament TEXT NOT NULL, body TEXT NOT NULL);
-- What the rules of a game call the winner of a tournament.
CREATE TABLE titles (person TEXT NOT NULL, tournament TEXT NOT NULL, title TEXT NOT NULL, at_ms BIGINT NOT NULL,
    PRIMARY KEY (person, tournament));
CREATE INDEX titles_title ON titles (title, at_ms);
