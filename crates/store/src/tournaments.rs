//! Tournaments: what has happened in each, in order, and the games of theirs that have ended and of which they do not
//! know yet. A game's end is noted in the commit of its last event, and taken off in the commit that notes it in the
//! tournament, so that each counts once, whatever happens in between. What the events mean is not known here.

use super::sql::SqlStore;
use super::{Answer, StoreError, append};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};

/// A tournament.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TournamentRow {
    /// Its id.
    pub id: String,
    /// What was settled, as JSON.
    pub plan: String,
    /// Id of the account that has made it.
    pub maker: String,
    /// When, in milliseconds of Unix time.
    pub made_ms: i64,
    /// When it begins or began.
    pub starts_ms: i64,
    /// How far it is: `open`, `running`, `over`, `cancelled`.
    pub phase: String,
    /// How many take part.
    pub people: i64,
    /// When it was over.
    pub ended_ms: Option<i64>,
}

/// What has happened in a tournament.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TournamentEvent {
    /// Number in the tournament, from 1.
    pub seq: i64,
    /// When, in milliseconds of Unix time.
    pub wall_ms: i64,
    /// What, as JSON.
    pub body: String,
}

/// What is written of a tournament, all of it or nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TournamentWrite {
    /// Its id.
    pub id: String,
    /// What has happened, with numbers that follow on what is stored.
    pub events: Vec<TournamentEvent>,
    /// Games whose ends are among that.
    pub known: Vec<String>,
    /// How far it is now.
    pub phase: String,
    /// How many take part now.
    pub people: i64,
    /// When it was over.
    pub ended_ms: Option<i64>,
    /// Who has won it, with the title.
    pub titles: Vec<TitleRow>,
}

/// A title that somebody has won.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TitleRow {
    /// Id of the account.
    pub person: String,
    /// In which tournament.
    pub tournament: String,
    /// The title.
    pub title: String,
    /// When, in milliseconds of Unix time.
    pub at_ms: i64,
}

/// A game of a tournament that is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndedGame {
    /// Its id.
    pub game: String,
    /// Its tournament.
    pub tournament: String,
    /// How it ended, as JSON.
    pub body: String,
}

/// Keeps tournaments.
pub trait TournamentStore: std::fmt::Debug + Send + Sync + 'static {
    /// Makes a tournament, unless its maker has so many already that are not over; false then.
    fn make_tournament<'a>(&'a self, row: &'a TournamentRow, most: u32) -> Answer<'a, bool>;
    /// Notes what has happened. An event at a number that another one has is an error, and nothing is noted.
    fn write_tournament<'a>(&'a self, write: &'a TournamentWrite) -> Answer<'a, ()>;
    /// A tournament.
    fn tournament<'a>(&'a self, id: &'a str) -> Answer<'a, Option<TournamentRow>>;
    /// What has happened in one after an event, in order: after 0 all.
    fn tournament_events<'a>(&'a self, id: &'a str, after: i64)
    -> Answer<'a, Vec<TournamentEvent>>;
    /// Those that are not over, the one that begins first first.
    fn open_tournaments(&self) -> Answer<'_, Vec<TournamentRow>>;
    /// Those that are not over, with the number of what has happened last in each.
    fn tournaments_now(&self) -> Answer<'_, Vec<(String, i64)>>;
    /// Those that are over, the one that began last first, from those on that began before a time and id.
    fn past_tournaments<'a>(
        &'a self,
        before: (i64, &'a str),
        limit: u32,
    ) -> Answer<'a, Vec<TournamentRow>>;
    /// Games that are over of which their tournaments do not know.
    fn ended_games(&self, limit: u32) -> Answer<'_, Vec<EndedGame>>;
    /// Takes a game off that no tournament waits for.
    fn drop_ended<'a>(&'a self, game: &'a str) -> Answer<'a, ()>;
    /// Which of these games are there.
    fn games_made<'a>(&'a self, ids: &'a [String]) -> Answer<'a, Vec<String>>;
    /// Notes that those who have joined are told that it starts; false if they were told before.
    fn announce_tournament<'a>(&'a self, id: &'a str) -> Answer<'a, bool>;
    /// Titles of a person, the last first.
    fn titles<'a>(&'a self, person: &'a str) -> Answer<'a, Vec<TitleRow>>;
    /// Who has won a title last.
    fn holder<'a>(&'a self, title: &'a str) -> Answer<'a, Option<TitleRow>>;
}

const TOURNAMENT: &str =
    "SELECT id, plan, maker, made_ms, starts_ms, phase, people, ended_ms FROM tournaments";
const TITLE: &str = "SELECT person, tournament, title, at_ms FROM titles";

fn tournament(row: &AnyRow) -> Result<TournamentRow, sqlx::Error> {
    Ok(TournamentRow {
        id: row.try_get(0)?,
        plan: row.try_get(1)?,
        maker: row.try_get(2)?,
        made_ms: row.try_get(3)?,
        starts_ms: row.try_get(4)?,
        phase: row.try_get(5)?,
        people: row.try_get(6)?,
        ended_ms: row.try_get(7)?,
    })
}

fn title(row: &AnyRow) -> Result<TitleRow, sqlx::Error> {
    Ok(TitleRow {
        person: row.try_get(0)?,
        tournament: row.try_get(1)?,
        title: row.try_get(2)?,
        at_ms: row.try_get(3)?,
    })
}

/// Notes that a game of a tournament is over: part of the commit of its last event.
pub(super) async fn note(
    connection: &mut AnyConnection,
    game: &str,
    [tournament, body]: [&str; 2],
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO tournament_results (game, tournament, body) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
    )
    .bind(game)
    .bind(tournament)
    .bind(body)
    .execute(connection)
    .await?;
    Ok(())
}

/// The part of a write that is one transaction.
async fn write(connection: &mut AnyConnection, write: &TournamentWrite) -> Result<(), StoreError> {
    for event in &write.events {
        let done = sqlx::query(
            "INSERT INTO tournament_events (tournament, seq, wall_ms, body) VALUES ($1, $2, $3, $4) \
             ON CONFLICT DO NOTHING",
        )
        .bind(&write.id)
        .bind(event.seq)
        .bind(event.wall_ms)
        .bind(&event.body)
        .execute(&mut *connection)
        .await?;
        if done.rows_affected() == 0 {
            let row = sqlx::query(
                "SELECT body, wall_ms FROM tournament_events WHERE tournament = $1 AND seq = $2",
            )
            .bind(&write.id)
            .bind(event.seq)
            .fetch_one(&mut *connection)
            .await?;
            // One whose answer was lost is there in the same words.
            let same = row.try_get::<String, _>(0)? == event.body
                && row.try_get::<i64, _>(1)? == event.wall_ms;
            if !same {
                return Err(StoreError::Conflict {
                    game: write.id.clone(),
                    seq: event.seq,
                });
            }
        }
    }
    // Where nothing has happened another may know better how far it is.
    if !write.events.is_empty() {
        sqlx::query("UPDATE tournaments SET phase = $1, people = $2, ended_ms = $3 WHERE id = $4")
            .bind(&write.phase)
            .bind(write.people)
            .bind(write.ended_ms)
            .bind(&write.id)
            .execute(&mut *connection)
            .await?;
    }
    for game in &write.known {
        sqlx::query("DELETE FROM tournament_results WHERE game = $1")
            .bind(game)
            .execute(&mut *connection)
            .await?;
    }
    for row in &write.titles {
        sqlx::query(
            "INSERT INTO titles (person, tournament, title, at_ms) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
        )
        .bind(&row.person)
        .bind(&row.tournament)
        .bind(&row.title)
        .bind(row.at_ms)
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

impl TournamentStore for SqlStore {
    fn make_tournament<'a>(&'a self, row: &'a TournamentRow, most: u32) -> Answer<'a, bool> {
        writing!(self, |connection| {
            let done = sqlx::query(
                "INSERT INTO tournaments (id, plan, maker, made_ms, starts_ms, phase, people) \
                 SELECT CAST($1 AS TEXT), CAST($2 AS TEXT), CAST($3 AS TEXT), $4, $5, CAST($6 AS TEXT), 0 \
                 WHERE (SELECT COUNT(*) FROM tournaments WHERE maker = $3 AND ended_ms IS NULL) < $7",
            )
            .bind(&row.id)
            .bind(&row.plan)
            .bind(&row.maker)
            .bind(row.made_ms)
            .bind(row.starts_ms)
            .bind(&row.phase)
            .bind(i64::from(most))
            .execute(connection)
            .await?;
            Ok(done.rows_affected() == 1)
        })
    }

    fn write_tournament<'a>(&'a self, all: &'a TournamentWrite) -> Answer<'a, ()> {
        writing!(self, |connection| {
            append::begin(connection, self.dialect()).await?;
            write(connection, all).await?;
            append::commit(connection, self.dialect()).await
        })
    }

    fn tournament<'a>(&'a self, id: &'a str) -> Answer<'a, Option<TournamentRow>> {
        reading_one!(
            self,
            format!("{TOURNAMENT} WHERE id = $1"),
            [id],
            tournament
        )
    }

    fn tournament_events<'a>(
        &'a self,
        id: &'a str,
        after: i64,
    ) -> Answer<'a, Vec<TournamentEvent>> {
        let sql = "SELECT seq, wall_ms, body FROM tournament_events WHERE tournament = $1 AND seq > $2 ORDER BY seq";
        reading!(self, sql, [id, after], |row| Ok(TournamentEvent {
            seq: row.try_get(0)?,
            wall_ms: row.try_get(1)?,
            body: row.try_get(2)?,
        }))
    }

    fn open_tournaments(&self) -> Answer<'_, Vec<TournamentRow>> {
        let sql = format!(
            "{TOURNAMENT} WHERE phase = 'open' OR phase = 'running' ORDER BY starts_ms, id"
        );
        reading!(self, sql, [], tournament)
    }

    fn tournaments_now(&self) -> Answer<'_, Vec<(String, i64)>> {
        let sql = "SELECT t.id, COALESCE((SELECT MAX(e.seq) FROM tournament_events e WHERE e.tournament = t.id), 0) \
                   FROM tournaments t WHERE t.phase = 'open' OR t.phase = 'running'";
        reading!(self, sql, [], |row| Ok((row.try_get(0)?, row.try_get(1)?)))
    }

    fn past_tournaments<'a>(
        &'a self,
        (before_ms, before): (i64, &'a str),
        limit: u32,
    ) -> Answer<'a, Vec<TournamentRow>> {
        let sql = format!(
            "{TOURNAMENT} WHERE ended_ms IS NOT NULL AND (starts_ms < $1 OR (starts_ms = $1 AND id < $2)) \
             ORDER BY starts_ms DESC, id DESC LIMIT $3"
        );
        reading!(self, sql, [before_ms, before, i64::from(limit)], tournament)
    }

    fn ended_games(&self, limit: u32) -> Answer<'_, Vec<EndedGame>> {
        let sql = "SELECT game, tournament, body FROM tournament_results LIMIT $1";
        reading!(self, sql, [i64::from(limit)], |row| Ok(EndedGame {
            game: row.try_get(0)?,
            tournament: row.try_get(1)?,
            body: row.try_get(2)?,
        }))
    }

    fn drop_ended<'a>(&'a self, game: &'a str) -> Answer<'a, ()> {
        writing!(self, |connection| {
            sqlx::query("DELETE FROM tournament_results WHERE game = $1")
                .bind(game)
                .execute(connection)
                .await?;
            Ok(())
        })
    }

    fn games_made<'a>(&'a self, ids: &'a [String]) -> Answer<'a, Vec<String>> {
        Box::pin(self.among("SELECT id FROM games WHERE id IN", ids, |row| {
            row.try_get(0)
        }))
    }

    fn announce_tournament<'a>(&'a self, id: &'a str) -> Answer<'a, bool> {
        writing!(self, |connection| {
            let sql = "UPDATE tournaments SET announced = 1 WHERE id = $1 AND announced = 0";
            let done = sqlx::query(sql).bind(id).execute(connection).await?;
            Ok(done.rows_affected() == 1)
        })
    }

    fn titles<'a>(&'a self, person: &'a str) -> Answer<'a, Vec<TitleRow>> {
        let sql = format!("{TITLE} WHERE person = $1 ORDER BY at_ms DESC LIMIT 100");
        reading!(self, sql, [person], title)
    }

    fn holder<'a>(&'a self, name: &'a str) -> Answer<'a, Option<TitleRow>> {
        let sql = format!("{TITLE} WHERE title = $1 ORDER BY at_ms DESC, tournament LIMIT 1");
        reading_one!(self, sql, [name], title)
    }
}
