//! What players write to themselves about their games.

use super::Answer;
use super::sql::SqlStore;
use sqlx::Row;

/// Keeps notes.
pub trait NoteStore: std::fmt::Debug + Send + Sync + 'static {
    /// The note of a person about a game.
    fn note<'a>(&'a self, person: &'a str, game: &'a str) -> Answer<'a, Option<String>>;
    /// Puts a note in the place of the one before, an empty one nowhere; false if the game is not that person's.
    fn keep_note<'a>(
        &'a self,
        person: &'a str,
        game: &'a str,
        text: &'a str,
        now_ms: i64,
    ) -> Answer<'a, bool>;
}

impl NoteStore for SqlStore {
    fn note<'a>(&'a self, person: &'a str, game: &'a str) -> Answer<'a, Option<String>> {
        let sql = "SELECT text FROM notes WHERE person = $1 AND game = $2";
        reading_one!(self, sql, [person, game], |row| row.try_get(0))
    }

    fn keep_note<'a>(
        &'a self,
        person: &'a str,
        game: &'a str,
        text: &'a str,
        now_ms: i64,
    ) -> Answer<'a, bool> {
        writing!(self, |connection| {
            let own = sqlx::query("SELECT 1 FROM seats WHERE guest = $1 AND game = $2")
                .bind(person)
                .bind(game)
                .fetch_optional(&mut *connection)
                .await?;
            if own.is_none() {
                return Ok(false);
            }
            if text.is_empty() {
                sqlx::query("DELETE FROM notes WHERE person = $1 AND game = $2")
                    .bind(person)
                    .bind(game)
                    .execute(connection)
                    .await?;
                return Ok(true);
            }
            sqlx::query(
                "INSERT INTO notes (person, game, text, at_ms) VALUES ($1, $2, $3, $4) \
                 ON CONFLICT (person, game) DO UPDATE SET text = excluded.text, at_ms = excluded.at_ms",
            )
            .bind(person)
            .bind(game)
            .bind(text)
            .bind(now_ms)
            .execute(connection)
            .await?;
            Ok(true)
        })
    }
}
