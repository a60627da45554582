-- Nodes that share the database: one row for each life of a node, which is its boot. It stays when that is over until no game
-- under way needs its time. Leases are over by the time of the database alone.
CREATE TABLE nodes (boot BIGINT PRIMARY KEY, id TEXT NOT NULL, address TEXT NOT NULL, version TEXT NOT NULL, started_ms BIGINT NOT NULL,
    expires_ms BIGINT NOT NULL, run BIGINT, run_ms BIGINT NOT NULL, load BIGINT NOT NULL, leaving BIGINT NOT NULL);
CREATE INDEX nodes_id ON nodes (id);
INSERT INTO meta (name, value) VALUES ('boots', '0'), ('shared', '0');
-- Who owns a game: a boot, or nobody (0), as where a server runs alone.
ALTER TABLE games ADD COLUMN owner BIGINT NOT NULL DEFAULT 0;
-- Whose time runs for it: a boot's, that of a server that runs alone (0), or nobody's (-1). `held_ms` is that time when it began
-- to run for the game, or when it ceased to; `carried_ms` is how much of the game's time had gone by then since its last event.
ALTER TABLE games ADD COLUMN time_of BIGINT NOT NULL DEFAULT 0;
ALTER TABLE games ADD COLUMN held_ms BIGINT;
ALTER TABLE games ADD COLUMN carried_ms BIGINT;
-- What is to be looked at of the games that nobody owns, and what each owner has: a game is in one of the two, so that a server
-- that runs alone pays for one.
DROP INDEX games_due;
CREATE INDEX games_due ON games (due) WHERE due IS NOT NULL AND owner = 0 AND over = 0;
CREATE INDEX games_owned ON games (owner, due) WHERE owner <> 0 AND over = 0;
