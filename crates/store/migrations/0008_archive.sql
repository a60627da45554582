-- Games that are over, as they are searched for. `no` is their order and their name in what follows: 1024 times the
-- millisecond of the end, and a number for those that ended in the same. `winner` is 1 for White, 2 for Black, 0 for a draw.
-- The rest of a line that begins as below is a comment to PostgreSQL, whose comments nest, and not to SQLite, whose do not:
-- there the rows lie in the tree of their key, without a second one.
CREATE TABLE archive (no BIGINT PRIMARY KEY, game TEXT NOT NULL, variant TEXT NOT NULL, white TEXT NOT NULL, black TEXT NOT NULL,
    winner BIGINT NOT NULL, ending TEXT NOT NULL, plies BIGINT NOT NULL, white_rating BIGINT, black_rating BIGINT,
    rated BIGINT NOT NULL, speed TEXT NOT NULL, open BIGINT NOT NULL)
/* /* */ WITHOUT ROWID -- */
;
CREATE UNIQUE INDEX archive_game ON archive (game);
CREATE INDEX archive_white ON archive (white, no);
CREATE INDEX archive_black ON archive (black, no);
CREATE INDEX archive_white_variant ON archive (white, variant, no);
CREATE INDEX archive_black_variant ON archive (black, variant, no);
CREATE INDEX archive_pair ON archive (white, black, no);
CREATE INDEX archive_variant ON archive (variant, no);
CREATE INDEX archive_ending ON archive (ending, no);
CREATE INDEX archive_variant_ending ON archive (variant, ending, no);
-- The positions that they have reached: what stands for the position's text, the game, and after how many half-moves first.
CREATE TABLE archive_positions (hash BIGINT NOT NULL, no BIGINT NOT NULL, ply BIGINT NOT NULL, PRIMARY KEY (hash, no))
/* /* */ WITHOUT ROWID -- */
;
-- Games whose positions, or whose rows, are still to be written.
CREATE TABLE to_archive (game TEXT PRIMARY KEY);
INSERT INTO to_archive (game) SELECT id FROM games WHERE over = 1;
