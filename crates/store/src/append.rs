//! What games write, in one transaction: rows of many games in few statements, each fenced by the epoch of its
//! game's owner. Begins and ends transactions in plain SQL, so that nothing but the database knows of them.

use super::sql::Dialect;
use super::{Due, EventRow, GameWrite, StoreError, archive, offers, ratings, running, tournaments};
use sqlx::{AnyConnection, Row};
use std::fmt::Write as _;

/// Most rows in one statement, of eight values each. The place of each value is looked for among all of them, so that rows
/// of long statements cost more: 3,000 games of 80 half-moves took 26 s with 500 rows, 10 s with 50.
const ROWS: usize = 50;

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
    sqlx::raw_sql("COMMIT").execute(&mut *connection).await?;
    let open = match dialect {
        // It is refused where no transaction is open.
        Dialect::Sqlite => sqlx::raw_sql("ROLLBACK").execute(connection).await.is_ok(),
        Dialect::Postgres => {
            let row = sqlx::query("SELECT txid_current_if_assigned() IS NOT NULL")
                .fetch_one(connection)
                .await?;
            row.try_get(0)?
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
    dialect: Dialect,
    writes: &[GameWrite],
) -> Result<Vec<Result<(), StoreError>>, StoreError> {
    match together(connection, dialect, writes).await {
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
        let result = together(connection, dialect, std::slice::from_ref(write)).await;
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
    dialect: Dialect,
    writes: &[GameWrite],
) -> Result<(), StoreError> {
    begin(connection, dialect).await?;
    make(connection, writes).await?;
    append(connection, writes).await?;
    take_seats(connection, writes).await?;
    set_times(connection, writes, "due", |write| write.due).await?;
    set_times(connection, writes, "warn", |write| write.warn).await?;
    note_time(connection, writes).await?;
    keep_cards(connection, writes).await?;
    end(connection, writes).await?;
    note_ends(connection, writes).await?;
    running::note(connection, writes).await?;
    for write in writes {
        offers::take(connection, &write.game, &write.takes).await?;
    }
    commit(connection, dialect).await
}

async fn make(connection: &mut AnyConnection, writes: &[GameWrite]) -> Result<(), StoreError> {
    for write in writes {
        if let Some(definition) = &write.definition {
            sqlx::query(
                "INSERT INTO definitions (name, texts) VALUES ($1, $2) ON CONFLICT DO NOTHING",
            )
            .bind(&definition.name)
            .bind(&definition.texts)
            .execute(&mut *connection)
            .await?;
        }
        let Some(made) = &write.made else { continue };
        let done = sqlx::query(
            "INSERT INTO games (id, spec, made_ms, epoch) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
        )
        .bind(&write.game)
        .bind(&made.spec)
        .bind(made.made_ms)
        .bind(write.epoch)
        .execute(&mut *connection)
        .await?;
        if done.rows_affected() == 0 {
            let row = sqlx::query("SELECT spec FROM games WHERE id = $1")
                .bind(&write.game)
                .fetch_one(&mut *connection)
                .await?;
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

async fn append(connection: &mut AnyConnection, writes: &[GameWrite]) -> Result<(), StoreError> {
    let rows: Vec<(&GameWrite, &EventRow)> = writes
        .iter()
        .flat_map(|write| write.events.iter().map(move |event| (write, event)))
        .collect();
    for part in rows.chunks(ROWS) {
        // Only the owner's rows find their game.
        let sql = format!(
            "INSERT INTO events (game, seq, at_ms, run, run_ms, wall_ms, body, epoch) \
             SELECT v.column1, v.column2, v.column3, v.column4, v.column5, v.column6, v.column7, v.column8 \
             FROM (VALUES {}) AS v JOIN games ON games.id = v.column1 AND games.epoch = v.column8 \
             WHERE true ON CONFLICT DO NOTHING",
            places(part.len(), 8)
        );
        // The text holds placeholders alone.
        let mut query = sqlx::query(sqlx::AssertSqlSafe(sql));
        for (write, event) in part {
            query = query
                .bind(&write.game)
                .bind(event.seq)
                .bind(event.at_ms)
                .bind(event.run)
                .bind(event.run_ms)
                .bind(event.wall_ms)
                .bind(&event.body)
                .bind(write.epoch);
        }
        let done = query.execute(&mut *connection).await?;
        if done.rows_affected() < part.len() as u64 {
            for (write, event) in part {
                compare(connection, write, event).await?;
            }
        }
    }
    Ok(())
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
        return Err(StoreError::Fenced {
            game: write.game.clone(),
            epoch: write.epoch,
        });
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
    writes: &[GameWrite],
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
    writes: &[GameWrite],
) -> Result<(), StoreError> {
    let cards: Vec<_> = writes
        .iter()
        .filter_map(|write| Some((write, write.card.as_ref()?)))
        .collect();
    for part in cards.chunks(ROWS) {
        let sql = format!(
            "UPDATE games SET card = v.column3, card_seq = v.column4 FROM (VALUES {}) AS v \
             WHERE games.id = v.column1 AND games.epoch = v.column2",
            places(part.len(), 4)
        );
        let mut query = sqlx::query(sqlx::AssertSqlSafe(sql));
        for (write, card) in part {
            query = query
                .bind(&write.game)
                .bind(write.epoch)
                .bind(&card.text)
                .bind(card.seq);
        }
        query.execute(&mut *connection).await?;
    }
    Ok(())
}

async fn end(connection: &mut AnyConnection, writes: &[GameWrite]) -> Result<(), StoreError> {
    let over: Vec<&GameWrite> = writes.iter().filter(|write| write.over).collect();
    for part in over.chunks(ROWS) {
        let sql = format!(
            "UPDATE games SET over = 1, due = NULL, warn = NULL FROM (VALUES {}) AS v \
             WHERE games.id = v.column1 AND games.epoch = v.column2",
            places(part.len(), 2)
        );
        let mut query = sqlx::query(sqlx::AssertSqlSafe(sql));
        for write in part {
            query = query.bind(&write.game).bind(write.epoch);
        }
        query.execute(&mut *connection).await?;
    }
    Ok(())
}

async fn note_ends(connection: &mut AnyConnection, writes: &[GameWrite]) -> Result<(), StoreError> {
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

/// Notes the time of the last event with its run: after a sudden end the server's time goes on from there.
async fn note_time(connection: &mut AnyConnection, writes: &[GameWrite]) -> Result<(), StoreError> {
    let events = writes.iter().flat_map(|write| &write.events);
    let Some((run, ms)) = events.map(|event| (event.run, event.run_ms)).max() else {
        return Ok(());
    };
    sqlx::query("UPDATE runs SET ms = $1 WHERE run = $2 AND ms < $1")
        .bind(ms)
        .bind(run)
        .execute(connection)
        .await?;
    Ok(())
}

/// Sets when games want to be looked at, or their movers to be told: what stands in a column of times.
async fn set_times(
    connection: &mut AnyConnection,
    writes: &[GameWrite],
    column: &'static str,
    wanted: impl Fn(&GameWrite) -> Option<Due>,
) -> Result<(), StoreError> {
    let changed: Vec<(&GameWrite, Option<i64>)> = writes
        .iter()
        .filter_map(|write| match wanted(write)? {
            Due::At(ms) => Some((write, Some(ms))),
            Due::Never => Some((write, None)),
        })
        .collect();
    for part in changed.chunks(ROWS) {
        let sql = format!(
            "UPDATE games SET {column} = v.column2 FROM (VALUES {}) AS v WHERE games.id = v.column1 \
             AND games.epoch = v.column3",
            places(part.len(), 3)
        );
        let mut query = sqlx::query(sqlx::AssertSqlSafe(sql));
        for (write, due) in part {
            query = query.bind(&write.game).bind(*due).bind(write.epoch);
        }
        query.execute(&mut *connection).await?;
    }
    Ok(())
}
