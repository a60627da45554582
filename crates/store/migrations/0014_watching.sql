-- Games that are played and that everybody may watch, one row each: written in the commit that begins the game, kept by its
-- moves, gone with the commit of its end. `rank` is their order, the best first; a game at the board that both players have left
-- rests. A level of the engine has its number in `white_level`, and ratings are those of the beginning.
CREATE TABLE running (game TEXT PRIMARY KEY, variant TEXT NOT NULL, clock TEXT NOT NULL, speed TEXT NOT NULL, rated BIGINT NOT NULL,
    white TEXT NOT NULL, white_name TEXT NOT NULL, white_account BIGINT NOT NULL, white_level BIGINT, white_rating BIGINT,
    black TEXT NOT NULL, black_name TEXT NOT NULL, black_account BIGINT NOT NULL, black_level BIGINT, black_rating BIGINT,
    rank BIGINT NOT NULL, began_ms BIGINT NOT NULL, moved_ms BIGINT NOT NULL, rests BIGINT NOT NULL,
    seq BIGINT NOT NULL, ply BIGINT NOT NULL, fen TEXT NOT NULL, last TEXT NOT NULL);
CREATE INDEX running_rank ON running (rests, rank, game);
CREATE INDEX running_variant ON running (rests, variant);
CREATE INDEX running_white ON running (white);
CREATE INDEX running_black ON running (black);
-- Games of the version before whose rows are still to be written.
CREATE TABLE to_watch (game TEXT PRIMARY KEY);
INSERT INTO to_watch (game) SELECT id FROM games WHERE over = 0;
-- Whom a person follows, and whose words in chat that one does not want to read.
CREATE TABLE follows (person TEXT NOT NULL, other TEXT NOT NULL, made_ms BIGINT NOT NULL, PRIMARY KEY (person, other));
CREATE INDEX follows_other ON follows (other);
CREATE TABLE mutes (person TEXT NOT NULL, other TEXT NOT NULL, made_ms BIGINT NOT NULL, PRIMARY KEY (person, other));
CREATE INDEX mutes_other ON mutes (other);
-- A person's results are counted along these indexes alone.
DROP INDEX archive_white_variant;
DROP INDEX archive_black_variant;
CREATE INDEX archive_white_variant ON archive (white, variant, no, winner, open);
CREATE INDEX archive_black_variant ON archive (black, variant, no, winner, open);
