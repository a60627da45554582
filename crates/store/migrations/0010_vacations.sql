-- Vacations from games over days. `applied`: 0 begun, 1 its games know, 2 they know that it is over.
CREATE TABLE vacations (id TEXT PRIMARY KEY, person TEXT NOT NULL, begun_ms BIGINT NOT NULL, until_ms BIGINT NOT NULL,
    ended_ms BIGINT, applied BIGINT NOT NULL);
CREATE INDEX vacations_person ON vacations (person, begun_ms);
CREATE INDEX vacations_applied ON vacations (applied);
