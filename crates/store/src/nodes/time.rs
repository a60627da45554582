//! The time of games that change hands. Each node has a time of its own; when a game goes from one to another, what had gone of
//! its time since its last event goes with it, and the time between its owners is nobody's.

use crate::sql::Dialect;
use crate::{StoreError, append};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};

/// Marks a game whose time stands still.
const NOBODY: i64 = -1;
/// Marks a game whose time is that of a server that runs alone.
const ALONE: i64 = 0;
/// Rows of one statement.
const ROWS: usize = 50;

/// How far a game's time has come since its last event; all in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Since {
    /// It runs: the owner's time at which it was that of the last event.
    At(i64),
    /// It stands still, so long after the last event.
    Still(i64),
}

/// The time of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    pub boot: i64,
    pub now_ms: i64,
}

/// A change of hands: the epoch has been raised by one for it, in the same transaction.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    /// Who tells its own time. A game that ran by another's runs until that one's last sign.
    pub ended: Option<Clock>,
    /// By whose time it runs from now on; by nobody's if missing.
    pub begins: Option<Clock>,
}

/// A game's time as it is kept, with what it takes to go on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// Whose time it is.
    pub time_of: i64,
    /// That time when it began to run for the game, or ceased to.
    pub held_ms: Option<i64>,
    /// How much of the game's time had gone by then since its last event.
    pub carried_ms: Option<i64>,
    /// When the game wants to be looked at, and its mover to be told.
    pub due: Option<i64>,
    /// The same for a warning.
    pub warn: Option<i64>,
    /// Time of the last event, if it was stored under the owner whose turn is over.
    pub event_ms: Option<i64>,
    /// The last sign of the one whose time it is.
    pub sign_ms: Option<i64>,
}

impl Kept {
    /// The game's time after a change of hands.
    pub fn turned(self, turn: Turn) -> Kept {
        let begins = turn.begins.map(|clock| clock.now_ms);
        // When the time ended that ran until now.
        let ended = match self.time_of {
            NOBODY => self.held_ms,
            // A node's time goes on from where that of a server alone has ended.
            ALONE => begins.or(turn.ended.map(|clock| clock.now_ms)),
            boot => match turn.ended {
                Some(clock) if clock.boot == boot => Some(clock.now_ms),
                _ => self.sign_ms.or(self.held_ms),
            },
        };
        let carried_ms = match (self.time_of, self.event_ms, ended) {
            (NOBODY, ..) | (_, None, None) => self.carried_ms,
            (_, Some(event), Some(ended)) => Some((ended - event).max(0)),
            (_, Some(_), None) => Some(0),
            (_, None, Some(ended)) => self
                .carried_ms
                .map(|carried| carried + (ended - self.held_ms.unwrap_or(ended)).max(0)),
        };
        // What is wanted at a time is wanted as much later as nobody had the game.
        let gap = begins.zip(ended).map_or(0, |(now, ended)| now - ended);
        Kept {
            time_of: turn.begins.map_or(NOBODY, |clock| clock.boot),
            held_ms: begins.or(ended),
            carried_ms,
            due: self.due.map(|ms| ms + gap),
            warn: self.warn.map(|ms| ms + gap),
            ..Kept::default()
        }
    }
}

/// Reads how far a game's time has come, from its columns `time_of`, `held_ms` and `carried_ms`. `event_ms` is the time of its
/// last event if the present owner has stored it.
pub fn since(row: &AnyRow, at: usize, event_ms: Option<i64>) -> Result<Option<Since>, sqlx::Error> {
    let time_of: i64 = row.try_get(at)?;
    let held: Option<i64> = row.try_get(at + 1)?;
    let carried: Option<i64> = row.try_get(at + 2)?;
    Ok(match (time_of, held, carried) {
        (ALONE, None, _) => None,
        (NOBODY, _, carried) => carried.map(Since::Still),
        (_, held, carried) => event_ms
            .or(held.zip(carried).map(|(held, carried)| held - carried))
            .map(Since::At),
    })
}

/// Carries the time of games over a change of hands. Their rows are locked by the statement that has raised their epochs,
/// so that this one, which comes later, sees every event that they have.
pub async fn turn(
    connection: &mut AnyConnection,
    games: &[String],
    turn: Turn,
) -> Result<(), StoreError> {
    for part in games.chunks(ROWS) {
        // The events of a time that does not count on say nothing of it: then the clock stood still.
        let sql = format!(
            "SELECT g.id, g.time_of, g.held_ms, g.carried_ms, g.due, g.warn, CASE WHEN g.time_of = {ALONE} AND e.run < \
             (SELECT CAST(value AS BIGINT) FROM meta WHERE name = 'counted_from') THEN NULL ELSE e.run_ms END, \
             CASE WHEN r.ms > n.run_ms THEN r.ms ELSE n.run_ms END \
             FROM games g LEFT JOIN events e ON e.game = g.id AND e.epoch = g.epoch - 1 \
             AND e.seq = (SELECT MAX(x.seq) FROM events x WHERE x.game = g.id) \
             LEFT JOIN nodes n ON n.boot = g.time_of LEFT JOIN runs r ON r.run = n.run WHERE g.id IN {}",
            append::places(1, part.len())
        );
        let mut query = sqlx::query(sqlx::AssertSqlSafe(sql));
        for game in part {
            query = query.bind(game);
        }
        let rows = query.fetch_all(&mut *connection).await?;
        if rows.is_empty() {
            continue;
        }
        let sql = format!(
            "UPDATE games SET time_of = v.column2, held_ms = v.column3, carried_ms = v.column4, due = v.column5, \
             warn = v.column6 FROM (VALUES {}) AS v WHERE games.id = v.column1",
            append::places(rows.len(), 6)
        );
        let mut query = sqlx::query(sqlx::AssertSqlSafe(sql));
        for row in &rows {
            let kept = Kept {
                time_of: row.try_get(1)?,
                held_ms: row.try_get(2)?,
                carried_ms: row.try_get(3)?,
                due: row.try_get(4)?,
                warn: row.try_get(5)?,
                event_ms: row.try_get(6)?,
                sign_ms: row.try_get(7)?,
            };
            let kept = kept.turned(turn);
            query = query
                .bind(row.try_get::<String, _>(0)?)
                .bind(kept.time_of)
                .bind(kept.held_ms)
                .bind(kept.carried_ms)
                .bind(kept.due)
                .bind(kept.warn);
        }
        query.execute(&mut *connection).await?;
    }
    Ok(())
}

/// Takes all games from nodes that are gone, for a server that holds the database alone: they go on by its time, which
/// begins where the last of theirs has ended.
pub async fn run_alone(connection: &mut AnyConnection, dialect: Dialect) -> Result<(), StoreError> {
    let row = sqlx::query(
        "SELECT value, (SELECT CAST(COALESCE(MAX(ms), 0) AS BIGINT) FROM runs) FROM meta WHERE name = 'shared'",
    )
    .fetch_one(&mut *connection)
    .await?;
    if row.try_get::<String, _>(0)? == "0" {
        return Ok(());
    }
    let begins = Clock {
        boot: ALONE,
        now_ms: row.try_get(1)?,
    };
    let mut last = String::new();
    loop {
        append::begin(connection, dialect).await?;
        let rows = sqlx::query(
            "SELECT id FROM games WHERE over = 0 AND (owner <> 0 OR time_of <> 0) AND id > $1 ORDER BY id LIMIT $2",
        )
        .bind(&last)
        .bind(ROWS as i64)
        .fetch_all(&mut *connection)
        .await?;
        let games: Result<Vec<String>, sqlx::Error> =
            rows.iter().map(|row| row.try_get(0)).collect();
        let games = games?;
        let Some(end) = games.last() else {
            break;
        };
        last.clone_from(end);
        let sql = format!(
            "UPDATE games SET owner = 0, epoch = epoch + 1 WHERE id IN {}",
            append::places(1, games.len())
        );
        let mut query = sqlx::query(sqlx::AssertSqlSafe(sql));
        for game in &games {
            query = query.bind(game);
        }
        query.execute(&mut *connection).await?;
        let handed = Turn {
            ended: None,
            begins: Some(begins),
        };
        turn(connection, &games, handed).await?;
        append::commit(connection, dialect).await?;
    }
    for sql in [
        "UPDATE games SET owner = 0 WHERE owner <> 0",
        "DELETE FROM nodes",
        super::agree::FORGET,
        // A run in which nothing happened: what a data folder has noted of a time after the last one's is of the nodes' time.
        "INSERT INTO runs (run, wall_ms, ms) SELECT MAX(run) + 1, MAX(wall_ms), MAX(ms) FROM runs HAVING MAX(run) IS NOT NULL",
        "UPDATE meta SET value = '0' WHERE name = 'shared'",
    ] {
        sqlx::query(sql).execute(&mut *connection).await?;
    }
    append::commit(connection, dialect).await
}
