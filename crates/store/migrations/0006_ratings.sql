-- Games that are over and wait to be rated, written with their last event.
CREATE TABLE to_rate (game TEXT PRIMARY KEY, body TEXT NOT NULL);
-- How strong somebody is: one row for each person, game and speed.
CREATE TABLE ratings (person TEXT NOT NULL, variant TEXT NOT NULL, speed TEXT NOT NULL, rating DOUBLE PRECISION NOT NULL,
    deviation DOUBLE PRECISION NOT NULL, volatility DOUBLE PRECISION NOT NULL, at_ms BIGINT NOT NULL, games BIGINT NOT NULL,
    PRIMARY KEY (person, variant, speed));
CREATE INDEX ratings_best ON ratings (variant, speed, rating);
-- What each game has changed: two rows.
CREATE TABLE rated (game TEXT NOT NULL, person TEXT NOT NULL, variant TEXT NOT NULL, speed TEXT NOT NULL,
    at_ms BIGINT NOT NULL, before DOUBLE PRECISION NOT NULL, after DOUBLE PRECISION NOT NULL, deviation DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (game, person));
CREATE INDEX rated_person ON rated (person, variant, speed, at_ms);
