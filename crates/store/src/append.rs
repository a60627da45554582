//! What games write, in one transaction: rows of many games in few statements, each fenced by the epoch of its
//! game's owner. Begins and ends transactions in plain SQL, so that nothing but the database knows of them.

use super::sql::Dialect;
use super::{
    DefinitionRow, Due, EventRow, GameWrite, StoreError, archive, offers, ratings, running,
    tournaments,
};
use futures_util::TryStreamExt;
use sqlx::{AnyConnection, Row};
use std::collections::HashSet;
use std::fmt::Write as _;

/// Most rows in one statement, of eight values each. The place of each value is looked for among all of them, so that rows
/// of long statements cost more: 3,000 games of 80 half-moves took 26 s with 500 rows, 10 s with 50.
pub(super) const ROWS: usize = 32;

/// How many rows a statement for so many has: few numbers, so that the database knows all these statements already. What
/// is too many belongs to no game.
pub(super) fn rounded(rows: usize) -> usize {
    rows.next_power_of_two().min(ROWS)
}

/// What keeps the writes of one node apart from those of others.
#[derive(Clone, Debug)]
pub(super) struct Fence {
    pub dialect: Dialect,
    /// Where nodes share PostgreSQL, a write locks the rows of its games in the statement that looks at their epochs, until
    /// its commit: one that takes a game over waits for it, and then sees what it has written. Without that, PostgreSQL would
    /// let both go on. The lock is the one that a change of the row takes anyway.
    pub lock: &'static str,
    /// The database's time.
    pub time: String,
}

impl Fence {
    /// The condition that the lease of the owner of `games` runs.
    fn lease(&self) -> String {
        let time = &self.time;
        format!(
            "EXISTS (SELECT 1 FROM nodes WHERE nodes.boot = games.owner AND nodes.expires_ms > {time})"
        )
    }
}

/// Begins a transaction that notes the time of its last event with the event's run: after a sudden end the server's time goes
/// on from there.
async fn begin_at(
    connection: &mut AnyConnection,
    dialect: Dialect,
    writes: &[GameWrite],
) -> Result<(), StoreError> {
    let events = writes.iter().flat_map(|write| &write.events);
    let Some((run, ms)) = events.map(|event| (event.run, event.run_ms)).max() else {
        return begin(connection, dialect).await;
    };
    match dialect {
        Dialect::Sqlite => {
            let sql = "BEGIN IMMEDIATE; UPDATE runs SET ms = $1 WHERE run = $2 AND ms < $1";
            let both = sqlx::query(sql).bind(ms).bind(run);
            both.execute(connection).await?;
        }
        Dialect::Postgres => {
            // Only text may have several statements there; it holds two numbers.
            let sql = format!("BEGIN; UPDATE runs SET ms = {ms} WHERE run = {run} AND ms < {ms}");
            let both = sqlx::raw_sql(sqlx::AssertSqlSafe(sql));
            both.execute(connection).await?;
        }
    }
    Ok(())
}

/// Begins a transaction.
pub(super) async fn begin(
    connection: &mut AnyConnection,
    dialect: Dialect,
) -> Result<(), StoreError> {
    let sql = match dialect {
        Dialect::Sqlite => "BEGIN IMMEDIATE",
        Dialect::Postgres => "BEGIN",
    };
    sqlx::raw_sql(sql).execute(connection).await?;
    Ok(())
}

/// Ends a transaction, and makes sure that none is open after it: what is told as stored must not hang in one.
pub(super) async fn commit(
    connection: &mut AnyConnection,
    dialect: Dialect,
) -> Result<(), StoreError> {
    let open = match dialect {
        Dialect::Sqlite => {
            let mut done = sqlx::raw_sql("COMMIT; ROLLBACK").fetch_many(connection);
            let committed = done.try_next().await?;
            // It is refused where no transaction is open.
            committed.is_none() || done.try_next().await.is_ok()
        }
        Dialect::Postgres => {
            let rows = sqlx::raw_sql("COMMIT; SELECT txid_current_if_assigned() IS NOT NULL")
                .fetch_all(connection)
                .await?;
            match rows.first() {
                Some(row) => row.try_get(0)?,
                None => true,
            }
        }
    };
    match open {
        true => Err(StoreError::Unavailable(
            "a transaction was open after its commit".into(),
        )),
        false => Ok(()),
    }
}

pub(super) async fn rollback(connection: &mut AnyConnection) -> Result<(), StoreError> {
    sqlx::raw_sql("ROLLBACK").execute(connection).await?;
    Ok(())
}

/// Writes for all games in one commit. If a game's part is refused, each game is written by itself, so that one
/// game's fault is not another's.
pub(super) async fn all(
    connection: &mut AnyConnection,
    fence: &Fence,
    writes: &[GameWrite],
) -> Result<Vec<Result<(), StoreError>>, StoreError> {
    match together(connection, fence, writes).await {
        Ok(()) => return Ok(writes.iter().map(|_| Ok(())).collect()),
        Err(error) if error.is_passing() => return Err(error),
        Err(error) if writes.len() == 1 => {
            rollback(connection).await?;
            return Ok(vec![Err(error)]);
        }
        Err(_) => rollback(connection).await?,
    }
    let mut results = Vec::with_capacity(writes.len());
    for write in writes {
        let result = together(connection, fence, std::slice::from_ref(write)).await;
        if let Err(error) = &result {
            if error.is_passing() {
                return Err(error.clone());
            }
            rollback(connection).await?;
        }
        results.push(result);
    }
    Ok(results)
}

async fn together(
    connection: &mut AnyConnection,
    fence: &Fence,
    writes: &[GameWrite],
) -> Result<(), StoreError> {
    enter(connection, fence, writes).await?;
    commit(connection, fence.dialect).await
}

/// Begins a transaction and writes everything in it.
pub(super) async fn enter(
    connection: &mut AnyConnection,
    fence: &Fence,
    writes: &[GameWrite],
) -> Result<(), StoreError> {
    begin_at(connection, fence.dialect, writes).await?;
    make(connection, fence, writes).await?;
    let settled = append(connection, fence, writes).await?;
    let writes: Vec<&GameWrite> = (0..)
        .zip(writes)
        .filter(|(n, _)| !settled.contains(n))
        .map(|(_, write)| write)
        .collect();
    let writes = writes.as_slice();
    hold(connection, fence, writes).await?;
    // From here on each game's row is locked, or nobody else can write.
    take_seats(connection, writes).await?;
    let dialect = fence.dialect;
    set_times(connection, dialect, writes, "due", |write| write.due).await?;
    set_times(connection, dialect, writes, "warn", |write| write.warn).await?;
    keep_cards(connection, dialect, writes).await?;
    end(connection, dialect, writes).await?;
    note_ends(connection, writes).await?;
    running::note(connection, writes).await?;
    for write in writes {
        offers::take(connection, &write.game, &write.takes).await?;
    }
    Ok(())
}

/// Keeps the texts of a game.
pub async fn define(
    connection: &mut AnyConnection,
    definition: &DefinitionRow,
) -> Result<(), sqlx::Error> {
    sqlx::query("INSERT INTO definitions (name, texts) VALUES ($1, $2) ON CONFLICT DO NOTHING")
        .bind(&definition.name)
        .bind(&definition.texts)
        .execute(connection)
        .await?;
    Ok(())
}

async fn make(
    connection: &mut AnyConnection,
    fence: &Fence,
    writes: &[GameWrite],
) -> Result<(), StoreError> {
    for write in writes {
        if let Some(definition) = &write.definition {
            define(connection, definition).await?;
        }
        let Some(made) = &write.made else { continue };
        let query = match write.owner {
            0 => sqlx::query(
                "INSERT INTO games (id, spec, made_ms, epoch) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
            ),
            // Its time is its owner's from the first.
            _ => sqlx::query(sqlx::AssertSqlSafe(format!(
                "INSERT INTO games (id, spec, made_ms, epoch, owner, time_of, held_ms, carried_ms, protocol) \
                 SELECT CAST($1 AS TEXT), CAST($2 AS TEXT), $3, $4, n.boot, n.boot, n.run_ms, 0, n.protocol FROM nodes n \
                 WHERE n.boot = $5 AND n.expires_ms > {} ON CONFLICT DO NOTHING",
                fence.time
            ))),
        };
        let query = query
            .bind(&write.game)
            .bind(&made.spec)
            .bind(made.made_ms)
            .bind(write.epoch);
        let query = match write.owner {
            0 => query,
            owner => query.bind(owner),
        };
        if query.execute(&mut *connection).await?.rows_affected() == 0 {
            let row = sqlx::query("SELECT spec FROM games WHERE id = $1")
                .bind(&write.game)
                .fetch_optional(&mut *connection)
                .await?;
            let Some(row) = row else {
                return Err(fenced(write));
            };
            if row.try_get::<String, _>(0)? != made.spec {
                return Err(StoreError::Conflict {
                    game: write.game.clone(),
                    seq: 0,
                });
            }
        }
    }
    Ok(())
}

fn fenced(write: &GameWrite) -> StoreError {
    StoreError::Fenced {
        game: write.game.clone(),
        epoch: write.epoch,
    }
}

/// `($1, $2), ($3, $4)` for so many rows of so many values.
pub(super) fn places(rows: usize, values: usize) -> String {
    let mut sql = String::new();
    for row in 0..rows {
        sql.push_str(if row == 0 { "(" } else { ", (" });
        for value in 0..values {
            let comma = if value == 0 { "" } else { ", " };
            let _ = write!(sql, "{comma}${}", row * values + value + 1);
        }
        sql.push(')');
    }
    sql
}

impl Dialect {
    /// [`places`] as the database takes them fastest, for statements with no others: SQLite looks for numbered ones by their
    /// names, each anew through all of them.
    fn places(self, rows: usize, values: usize) -> String {
        match self {
            Dialect::Postgres => places(rows, values),
            Dialect::Sqlite => {
                let row = format!("({})", vec!["?"; values].join(", "));
                vec![row; rows].join(", ")
            }
        }
    }
}

/// Stores events. Tells which writes were stored as a whole before, by an owner whose game is another's now: there is nothing
/// more to be done for them.
async fn append(
    connection: &mut AnyConnection,
    fence: &Fence,
    writes: &[GameWrite],
) -> Result<HashSet<usize>, StoreError> {
    let mut settled = HashSet::new();
    // Whether a row was there before is looked at afterwards. SQLite keeps no copy of the pages for a statement that cannot fail.
    let [or_ignore, do_nothing] = match fence.dialect {
        Dialect::Sqlite => ["OR IGNORE", ""],
        Dialect::Postgres => ["", "ON CONFLICT DO NOTHING"],
    };
    let rows = |owned: bool| {
        let writes = (0..).zip(writes);
        let writes = writes.filter(move |(_, write)| (write.owner != 0) == owned);
        writes.flat_map(|(n, write)| write.events.iter().map(move |event| (n, write, event)))
    };
    // A server that runs alone writes to games that nobody owns, without leases.
    let (alone, owned): (Vec<_>, Vec<_>) = (rows(false).collect(), rows(true).collect());
    let lease = format!("games.owner = v.column9 AND {}", fence.lease());
    for (rows, values, owner) in [(alone, 8, "games.owner = 0"), (owned, 9, lease.as_str())] {
        for part in rows.chunks(ROWS) {
            // Only the owner's rows find their game.
            let sql = format!(
                "INSERT {or_ignore} INTO events (game, seq, at_ms, run, run_ms, wall_ms, body, epoch) \
                 SELECT v.column1, v.column2, v.column3, v.column4, v.column5, v.column6, v.column7, v.column8 \
                 FROM (VALUES {}) AS v JOIN games ON games.id = v.column1 AND games.epoch = v.column8 \
                 WHERE {owner} {} {do_nothing}",
                fence.dialect.places(rounded(part.len()), values),
                fence.lock
            );
            // The text holds placeholders alone.
            let mut query = sqlx::query(sqlx::AssertSqlSafe(sql));
            for (_, write, event) in part {
                query = query
                    .bind(&write.game)
                    .bind(event.seq)
                    .bind(event.at_ms)
                    .bind(event.run)
                    .bind(event.run_ms)
                    .bind(event.wall_ms)
                    .bind(&event.body)
                    .bind(write.epoch);
                if write.owner != 0 {
                    query = query.bind(write.owner);
                }
            }
            for _ in part.len()..rounded(part.len()) {
                query = query.bind("").bind(0_i64).bind(0_i64).bind(0_i64);
                query = query.bind(0_i64).bind(0_i64).bind("").bind(0_i64);
                if values == 9 {
                    query = query.bind(0_i64);
                }
            }
            let done = query.execute(&mut *connection).await?;
            if done.rows_affected() == part.len() as u64 {
                continue;
            }
            for (_, write, event) in part {
                compare(connection, write, event).await?;
            }
            let some: Vec<&GameWrite> = part.iter().map(|(_, write, _)| *write).collect();
            let held = held(connection, fence, &some).await?;
            let gone = part
                .iter()
                .filter(|(_, write, _)| !held.contains(&key(write)));
            settled.extend(gone.map(|(n, ..)| *n));
        }
    }
    Ok(settled)
}

/// A game with the epoch that is claimed for it.
type Key = (String, i64);

fn key(write: &GameWrite) -> Key {
    (write.game.clone(), write.epoch)
}

/// Which of these writes are their games' owners', or come from one who has only read the game as it is; locks the games.
async fn held(
    connection: &mut AnyConnection,
    fence: &Fence,
    writes: &[&GameWrite],
) -> Result<HashSet<Key>, StoreError> {
    let mut held = HashSet::new();
    for part in writes.chunks(ROWS) {
        let sql = format!(
            "SELECT v.column1, v.column2 FROM (VALUES {}) AS v JOIN games ON games.id = v.column1 AND games.epoch = v.column2 \
             WHERE (v.column3 = 0 AND (v.column4 = 0 OR games.owner = 0)) OR (games.owner = v.column3 AND {}) {}",
            fence.dialect.places(rounded(part.len()), 4),
            fence.lease(),
            fence.lock
        );
        let mut query = sqlx::query(sqlx::AssertSqlSafe(sql));
        for write in part {
            query = query
                .bind(&write.game)
                .bind(write.epoch)
                .bind(write.owner)
                .bind(write.events.len() as i64);
        }
        for _ in part.len()..rounded(part.len()) {
            query = query.bind("").bind(0_i64).bind(0_i64).bind(0_i64);
        }
        for row in query.fetch_all(&mut *connection).await? {
            held.insert((row.try_get(0)?, row.try_get(1)?));
        }
    }
    Ok(held)
}

/// Fences what comes without events, whose own statement has not done so.
async fn hold(
    connection: &mut AnyConnection,
    fence: &Fence,
    writes: &[&GameWrite],
) -> Result<(), StoreError> {
    let bare: Vec<&GameWrite> = writes
        .iter()
        .filter(|write| write.events.is_empty())
        .copied()
        .collect();
    if bare.is_empty() {
        return Ok(());
    }
    let held = held(connection, fence, &bare).await?;
    match bare.into_iter().find(|write| !held.contains(&key(write))) {
        Some(write) => Err(fenced(write)),
        None => Ok(()),
    }
}

/// Whether an event is stored as it was asked for. One that was stored before, whose answer was lost, is.
async fn compare(
    connection: &mut AnyConnection,
    write: &GameWrite,
    event: &EventRow,
) -> Result<(), StoreError> {
    let row =
        sqlx::query("SELECT body, at_ms, run, epoch FROM events WHERE game = $1 AND seq = $2")
            .bind(&write.game)
            .bind(event.seq)
            .fetch_optional(&mut *connection)
            .await?;
    let Some(row) = row else {
        return Err(fenced(write));
    };
    let same = row.try_get::<String, _>(0)? == event.body
        && row.try_get::<i64, _>(1)? == event.at_ms
        && row.try_get::<i64, _>(2)? == event.run
        && row.try_get::<i64, _>(3)? == write.epoch;
    match same {
        true => Ok(()),
        false => Err(StoreError::Conflict {
            game: write.game.clone(),
            seq: event.seq,
        }),
    }
}

async fn take_seats(
    connection: &mut AnyConnection,
    writes: &[&GameWrite],
) -> Result<(), StoreError> {
    let mut seats: Vec<(&String, &String, i64)> = Vec::new();
    for write in writes {
        if let Some(made) = &write.made {
            let guests = made.guests.iter();
            seats.extend(guests.map(|guest| (guest, &write.game, made.made_ms)));
        }
        for event in &write.events {
            let guest = event.guest.iter();
            seats.extend(guest.map(|guest| (guest, &write.game, event.wall_ms)));
        }
    }
    for (guest, game, ms) in seats {
        sqlx::query(
            "INSERT INTO seats (guest, game, made_ms) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
        )
        .bind(guest)
        .bind(game)
        .bind(ms)
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

async fn keep_cards(
    connection: &mut AnyConnection,
    dialect: Dialect,
    writes: &[&GameWrite],
) -> Result<(), StoreError> {
    let cards: Vec<_> = writes
        .iter()
        .filter_map(|write| Some((write, write.card.as_ref()?)))
        .collect();
    for part in cards.chunks(ROWS) {
        let sql = format!(
            "UPDATE games SET card = v.column3, card_seq = v.column4 FROM (VALUES {}) AS v \
             WHERE games.id = v.column1 AND games.epoch = v.column2",
            dialect.places(rounded(part.len()), 4)
        );
        let mut query = sqlx::query(sqlx::AssertSqlSafe(sql));
        for (write, card) in part {
            query = query
                .bind(&write.game)
                .bind(write.epoch)
                .bind(&card.text)
                .bind(card.seq);
        }
        for _ in part.len()..rounded(part.len()) {
            query = query.bind("").bind(0_i64).bind("").bind(0_i64);
        }
        query.execute(&mut *connection).await?;
    }
    Ok(())
}

async fn end(
    connection: &mut AnyConnection,
    dialect: Dialect,
    writes: &[&GameWrite],
) -> Result<(), StoreError> {
    let over = writes.iter().copied().filter(|write| write.over);
    let over: Vec<&GameWrite> = over.collect();
    for part in over.chunks(ROWS) {
        let sql = format!(
            "UPDATE games SET over = 1, due = NULL, warn = NULL FROM (VALUES {}) AS v \
             WHERE games.id = v.column1 AND games.epoch = v.column2",
            dialect.places(rounded(part.len()), 2)
        );
        let mut query = sqlx::query(sqlx::AssertSqlSafe(sql));
        for write in part {
            query = query.bind(&write.game).bind(write.epoch);
        }
        for _ in part.len()..rounded(part.len()) {
            query = query.bind("").bind(0_i64);
        }
        query.execute(&mut *connection).await?;
    }
    Ok(())
}

async fn note_ends(
    connection: &mut AnyConnection,
    writes: &[&GameWrite],
) -> Result<(), StoreError> {
    for write in writes {
        if let Some(body) = &write.to_rate {
            ratings::note(connection, &write.game, body).await?;
        }
        if let Some([tournament, body]) = &write.tournament {
            tournaments::note(connection, &write.game, [tournament, body]).await?;
        }
        if let Some(row) = &write.archive {
            archive::note(connection, &write.game, row).await?;
        }
    }
    Ok(())
}

/// Sets when games want to be looked at, or their movers to be told: what stands in a column of times.
async fn set_times(
    connection: &mut AnyConnection,
    dialect: Dialect,
    writes: &[&GameWrite],
    column: &'static str,
    wanted: impl Fn(&GameWrite) -> Option<Due>,
) -> Result<(), StoreError> {
    let changed: Vec<(&GameWrite, Option<i64>)> = writes
        .iter()
        .copied()
        .filter_map(|write| match wanted(write)? {
            Due::At(ms) => Some((write, Some(ms))),
            Due::Never => Some((write, None)),
        })
        .collect();
    for part in changed.chunks(ROWS) {
        let sql = format!(
            "UPDATE games SET {column} = v.column2 FROM (VALUES {}) AS v WHERE games.id = v.column1 \
             AND games.epoch = v.column3",
            dialect.places(rounded(part.len()), 3)
        );
        let mut query = sqlx::query(sqlx::AssertSqlSafe(sql));
        for (write, due) in part {
            query = query.bind(&write.game).bind(*due).bind(write.epoch);
        }
        for _ in part.len()..rounded(part.len()) {
            query = query.bind("").bind(None::<i64>).bind(0_i64);
        }
        query.execute(&mut *connection).await?;
    }
    Ok(())
}
