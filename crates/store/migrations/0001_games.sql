-- The tables of the first version: its databases have them without a note of migrations.
CREATE TABLE IF NOT EXISTS games (id TEXT PRIMARY KEY, spec TEXT NOT NULL, made_ms BIGINT NOT NULL,
    over BIGINT NOT NULL DEFAULT 0);
CREATE INDEX IF NOT EXISTS games_running ON games (over, made_ms);
CREATE TABLE IF NOT EXISTS events (game TEXT NOT NULL, seq BIGINT NOT NULL, at_ms BIGINT NOT NULL,
    run BIGINT NOT NULL, run_ms BIGINT NOT NULL, wall_ms BIGINT NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (game, seq));
CREATE TABLE IF NOT EXISTS seats (guest TEXT NOT NULL, game TEXT NOT NULL, made_ms BIGINT NOT NULL,
    PRIMARY KEY (guest, game));
CREATE TABLE IF NOT EXISTS runs (run BIGINT PRIMARY KEY, wall_ms BIGINT NOT NULL);
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
