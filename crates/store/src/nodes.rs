//! Nodes that share a database, and which of them owns which game. A node has a lease that its heartbeat extends; a game has
//! an owner and an epoch, which every change of hands raises and every write must name. Whose lease is over is decided by the
//! database's time alone, and a lease that is over never runs again: its node arrives anew.

mod agree;
mod hands;
mod orphans;
mod time;

pub use time::Since;
pub(super) use time::{run_alone, since};

use super::sql::SqlStore;
use super::{Answer, StoreError, append};
use orphans::dead;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};
use std::time::Duration;
use time::{Clock, Turn};

/// A lease, if nothing else is wanted: two heartbeats may be lost.
pub const LEASE: Duration = Duration::from_secs(3);
/// Games in one transaction at most.
const PAGE: usize = 200;
/// A node whose lease has been over for so long is forgotten when no game under way needs its time.
const FORGOTTEN_MS: i64 = 60_000;

/// What a node says with each heartbeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sign {
    /// Its server's time, in milliseconds.
    pub run_ms: i64,
    /// How many games live on it.
    pub load: i64,
    /// Whether it is about to end: it wants no more games.
    pub leaving: bool,
    /// How long the lease runs from now on, in milliseconds.
    pub lease_ms: i64,
}

/// A node that arrives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewNode {
    /// Its name, which no other has at the same time.
    pub id: String,
    /// Where it is found.
    pub address: String,
    /// Version of the program.
    pub version: String,
    /// What it speaks with other nodes and stores of games: a higher number may be beyond those that speak a lower one.
    pub protocol: i64,
    /// Number of its server's run.
    pub run: i64,
    /// Its first heartbeat.
    pub sign: Sign,
}

/// A node as the others see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeRow {
    /// Number of its life: no other ever has it.
    pub boot: i64,
    /// Its name.
    pub id: String,
    /// Where it is found.
    pub address: String,
    /// Version of the program.
    pub version: String,
    /// What it speaks.
    pub protocol: i64,
    /// When it arrived, in milliseconds of the database's time.
    pub started_ms: i64,
    /// Its server's time at the last heartbeat, in milliseconds.
    pub run_ms: i64,
    /// How many games lived on it then.
    pub load: i64,
    /// Whether it is about to end.
    pub leaving: bool,
    /// For how long its lease still runs, in milliseconds; it is over from zero on.
    pub left_ms: i64,
}

/// What a heartbeat is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Beat {
    /// The lease runs on; all nodes whose leases run, by their boots.
    Alive(Vec<NodeRow>),
    /// The lease was over: whatever the node had may be another's. It arrives anew.
    Lost,
    /// Another node has arrived under the same name.
    Replaced,
}

/// What a node is answered that wants a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claimed {
    /// It owns the game from now on, with this epoch.
    Yours {
        /// The epoch.
        epoch: i64,
    },
    /// Another node owns it.
    Of {
        /// Boot of the owner.
        boot: i64,
        /// Its name.
        id: String,
        /// Where it is found.
        address: String,
        /// The epoch.
        epoch: i64,
    },
    /// Nobody owns the game, but a node has owned it that speaks more than this one.
    Beyond {
        /// What that one spoke.
        protocol: i64,
    },
    /// There is no such game.
    NoSuchGame,
    /// The node's own lease is over.
    Lost,
}

/// A game with the epoch with which a node owns it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owned {
    /// The game's id.
    pub game: String,
    /// The epoch.
    pub epoch: i64,
}

/// Who has how many games that are under way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shares {
    /// Nodes that are not forgotten, with the games that they own.
    pub nodes: Vec<(NodeRow, i64)>,
    /// How many games nobody owns that want to be looked at.
    pub nobody: i64,
}

/// Keeps leases.
pub trait Nodes: std::fmt::Debug + Send + Sync + 'static {
    /// Gives a node its lease, and with it its boot. An earlier life under the same name is over at once.
    fn arrive<'a>(&'a self, node: &'a NewNode) -> Answer<'a, i64>;
    /// Extends a lease that still runs.
    fn beat(&self, boot: i64, sign: Sign) -> Answer<'_, Beat>;
    /// Gives a node a game that nobody owns whose lease runs, or that the node owns itself, unless one has owned it that
    /// speaks more: the epoch is raised, and what is read of the game from then on has all that was ever acknowledged. `now_ms` is the node's server's time.
    fn claim<'a>(&'a self, game: &'a str, boot: i64, now_ms: i64) -> Answer<'a, Claimed>;
    /// Gives a node those of some games that nobody owns whose lease runs, as [`Nodes::claim`] does, all in one transaction; tells
    /// which. It waits for no write that is under way: such a game is left out.
    fn adopt<'a>(&'a self, games: &'a [String], boot: i64, now_ms: i64) -> Answer<'a, Vec<String>>;
    /// Takes games from a node that gives them back, as far as it still owns them with these epochs; tells which. Their
    /// time stands still from then on.
    fn release<'a>(&'a self, games: &'a [Owned], boot: i64, now_ms: i64)
    -> Answer<'a, Vec<String>>;
    /// Gives a game of one node to another, if the one still owns it with this epoch, and the other's lease runs and it speaks
    /// no less than anyone who has owned it. Its time
    /// stands still until the other claims it. `now_ms` is the time of the first.
    fn hand_over<'a>(
        &'a self,
        game: &'a Owned,
        from: i64,
        to: i64,
        now_ms: i64,
    ) -> Answer<'a, bool>;
    /// The boot that owns a game, whether or not its lease runs; 0 for one that was given back, nothing if there is no such game.
    fn owner<'a>(&'a self, game: &'a str) -> Answer<'a, Option<i64>>;
    /// The same of many games, of those that there are.
    fn owners<'a>(&'a self, games: &'a [String]) -> Answer<'a, Vec<(String, i64)>>;
    /// Games under way that want to be looked at and that nobody owns whose lease runs, for a node that speaks this.
    fn orphans(&self, protocol: i64, limit: u32) -> Answer<'_, Vec<String>>;
    /// Games of a node that want to be looked at, those that have waited longest first. `now_ms` is its server's time.
    fn due_of(&self, boot: i64, now_ms: i64, limit: u32) -> Answer<'_, Vec<String>>;
    /// Games of a node whose movers are to be told that time runs out, with the time for which that was asked.
    fn warnings_of(&self, boot: i64, now_ms: i64, limit: u32) -> Answer<'_, Vec<(String, i64)>>;
    /// Ends a node's lease with all that it owns: others may have it at once.
    fn leave(&self, boot: i64, now_ms: i64) -> Answer<'_, ()>;
    /// Ends the lease of a node from which nothing is heard, if no more than so much of it is left; whether it is over. What the
    /// node owned is taken as from one that has died.
    fn expire(&self, boot: i64, left_ms: i64) -> Answer<'_, bool>;
    /// Who has how many games.
    fn owned(&self) -> Answer<'_, Shares>;
}

/// A node's columns, to which its remaining time must be added.
const NODE: &str = "n.boot, n.id, n.address, n.version, n.started_ms, n.run_ms, n.load, n.leaving, \
                    n.protocol";

fn node(row: &AnyRow) -> Result<NodeRow, sqlx::Error> {
    Ok(NodeRow {
        boot: row.try_get(0)?,
        id: row.try_get(1)?,
        address: row.try_get(2)?,
        version: row.try_get(3)?,
        started_ms: row.try_get(4)?,
        run_ms: row.try_get(5)?,
        load: row.try_get(6)?,
        leaving: row.try_get::<i64, _>(7)? != 0,
        protocol: row.try_get(8)?,
        left_ms: row.try_get(9)?,
    })
}

/// The condition that a boot's lease runs.
fn runs(boot: &str, time: &str) -> String {
    format!("EXISTS (SELECT 1 FROM nodes WHERE nodes.boot = {boot} AND nodes.expires_ms > {time})")
}

async fn arrive(
    connection: &mut AnyConnection,
    time: &str,
    new: &NewNode,
) -> Result<i64, StoreError> {
    // The counter's row lets nodes arrive one after another.
    let row = sqlx::query(
        "UPDATE meta SET value = CAST(CAST(value AS BIGINT) + 1 AS TEXT) WHERE name = 'boots' \
         RETURNING CAST(value AS BIGINT)",
    )
    .fetch_one(&mut *connection)
    .await?;
    let boot: i64 = row.try_get(0)?;
    sqlx::query("UPDATE meta SET value = '1' WHERE name = 'shared' AND value <> '1'")
        .execute(&mut *connection)
        .await?;
    // What the life before has stored last is its last sign: its run may go on with this one.
    let sql = format!(
        "UPDATE nodes SET expires_ms = CASE WHEN expires_ms < {time} THEN expires_ms ELSE {time} END, run = NULL, \
         run_ms = COALESCE((SELECT r.ms FROM runs r WHERE r.run = nodes.run AND r.ms > nodes.run_ms), nodes.run_ms) \
         WHERE id = $1 AND run IS NOT NULL"
    );
    sqlx::query(sqlx::AssertSqlSafe(sql))
        .bind(&new.id)
        .execute(&mut *connection)
        .await?;
    for dead in dead(&mut *connection, time, FORGOTTEN_MS).await? {
        sqlx::query(
            "DELETE FROM nodes WHERE boot = $1 AND NOT EXISTS \
             (SELECT 1 FROM games WHERE over = 0 AND owner <> 0 AND owner = $1)",
        )
        .bind(dead)
        .execute(&mut *connection)
        .await?;
    }
    let sql = format!(
        "INSERT INTO nodes (boot, id, address, version, started_ms, expires_ms, run, run_ms, load, leaving, protocol) \
         VALUES ($1, $2, $3, $4, {time}, {time} + $5, $6, $7, $8, $9, $10)"
    );
    sqlx::query(sqlx::AssertSqlSafe(sql))
        .bind(boot)
        .bind(&new.id)
        .bind(&new.address)
        .bind(&new.version)
        .bind(new.sign.lease_ms)
        .bind(new.run)
        .bind(new.sign.run_ms)
        .bind(new.sign.load)
        .bind(i64::from(new.sign.leaving))
        .bind(new.protocol)
        .execute(connection)
        .await?;
    Ok(boot)
}

async fn beat(
    connection: &mut AnyConnection,
    time: &str,
    boot: i64,
    sign: Sign,
) -> Result<Beat, StoreError> {
    // One that comes late takes nothing back.
    let sql = format!(
        "UPDATE nodes SET run_ms = CASE WHEN run_ms > $2 THEN run_ms ELSE $2 END, load = $3, leaving = $4, \
         expires_ms = CASE WHEN expires_ms > {time} + $5 THEN expires_ms ELSE {time} + $5 END \
         WHERE boot = $1 AND expires_ms > {time}"
    );
    let done = sqlx::query(sqlx::AssertSqlSafe(sql))
        .bind(boot)
        .bind(sign.run_ms)
        .bind(sign.load)
        .bind(i64::from(sign.leaving))
        .bind(sign.lease_ms)
        .execute(&mut *connection)
        .await?;
    if done.rows_affected() == 0 {
        let newer = sqlx::query(
            "SELECT 1 FROM nodes n JOIN nodes m ON m.id = n.id AND m.boot > n.boot WHERE n.boot = $1",
        )
        .bind(boot)
        .fetch_all(connection)
        .await?;
        return Ok(match newer.is_empty() {
            true => Beat::Lost,
            false => Beat::Replaced,
        });
    }
    let sql = format!(
        "SELECT {NODE}, n.expires_ms - {time} FROM nodes n WHERE n.expires_ms > {time} ORDER BY n.boot"
    );
    let rows = sqlx::query(sqlx::AssertSqlSafe(sql))
        .fetch_all(connection)
        .await?;
    Ok(Beat::Alive(
        rows.iter().map(node).collect::<Result<_, _>>()?,
    ))
}

async fn expire(
    connection: &mut AnyConnection,
    time: &str,
    boot: i64,
    left_ms: i64,
) -> Result<bool, StoreError> {
    let sql = format!(
        "UPDATE nodes SET expires_ms = {time} \
         WHERE boot = $1 AND expires_ms > {time} AND expires_ms - {time} <= $2"
    );
    sqlx::query(sqlx::AssertSqlSafe(sql))
        .bind(boot)
        .bind(left_ms)
        .execute(&mut *connection)
        .await?;
    let sql = format!("SELECT 1 FROM nodes WHERE boot = $1 AND expires_ms > {time}");
    let runs = sqlx::query(sqlx::AssertSqlSafe(sql))
        .bind(boot)
        .fetch_all(connection)
        .await?;
    Ok(runs.is_empty())
}

impl Nodes for SqlStore {
    fn arrive<'a>(&'a self, node: &'a NewNode) -> Answer<'a, i64> {
        leasing!(self, |connection| {
            append::begin(connection, self.dialect()).await?;
            let boot = arrive(connection, &self.time(), node).await?;
            append::commit(connection, self.dialect()).await?;
            Ok(boot)
        })
    }

    fn beat(&self, boot: i64, sign: Sign) -> Answer<'_, Beat> {
        leasing!(self, |connection| beat(
            connection,
            &self.time(),
            boot,
            sign
        )
        .await)
    }

    fn claim<'a>(&'a self, game: &'a str, boot: i64, now_ms: i64) -> Answer<'a, Claimed> {
        leasing!(self, |connection| self
            .claim_on(connection, game, boot, now_ms)
            .await)
    }

    fn adopt<'a>(&'a self, games: &'a [String], boot: i64, now_ms: i64) -> Answer<'a, Vec<String>> {
        leasing!(self, |connection| {
            let mut taken = Vec::new();
            for page in games.chunks(PAGE) {
                taken.extend(self.adopt_on(connection, page, boot, now_ms).await?);
            }
            Ok(taken)
        })
    }

    fn release<'a>(
        &'a self,
        games: &'a [Owned],
        boot: i64,
        now_ms: i64,
    ) -> Answer<'a, Vec<String>> {
        leasing!(self, |connection| {
            let mut gone = Vec::new();
            for page in games.chunks(PAGE) {
                gone.extend(self.let_go(connection, page, boot, now_ms).await?);
            }
            Ok(gone)
        })
    }

    fn hand_over<'a>(
        &'a self,
        game: &'a Owned,
        from: i64,
        to: i64,
        now_ms: i64,
    ) -> Answer<'a, bool> {
        leasing!(self, |connection| {
            let time = self.time();
            append::begin(connection, self.dialect()).await?;
            let sql = format!(
                "UPDATE games SET owner = $4, epoch = epoch + 1 WHERE id = $1 AND epoch = $2 AND owner = $3 AND {} \
                 AND EXISTS (SELECT 1 FROM nodes n WHERE n.boot = $4 AND n.leaving = 0 AND n.expires_ms > {time} \
                 AND n.protocol >= games.protocol)",
                runs("$3", &time),
            );
            let done = sqlx::query(sqlx::AssertSqlSafe(sql))
                .bind(&game.game)
                .bind(game.epoch)
                .bind(from)
                .bind(to)
                .execute(&mut *connection)
                .await?;
            if done.rows_affected() == 0 {
                append::rollback(connection).await?;
                return Ok(false);
            }
            let turn = Turn {
                ended: Some(Clock { boot: from, now_ms }),
                begins: None,
            };
            time::turn(connection, std::slice::from_ref(&game.game), turn).await?;
            append::commit(connection, self.dialect()).await?;
            Ok(true)
        })
    }

    fn owner<'a>(&'a self, game: &'a str) -> Answer<'a, Option<i64>> {
        let sql = "SELECT owner FROM games WHERE id = $1";
        reading_one!(self, sql, [game], |row| row.try_get(0))
    }

    fn owners<'a>(&'a self, games: &'a [String]) -> Answer<'a, Vec<(String, i64)>> {
        Box::pin(super::sql::within(self.owners_now(games)))
    }

    fn orphans(&self, protocol: i64, limit: u32) -> Answer<'_, Vec<String>> {
        Box::pin(super::sql::within(self.orphans_now(protocol, limit)))
    }

    fn due_of(&self, boot: i64, now_ms: i64, limit: u32) -> Answer<'_, Vec<String>> {
        let sql = "SELECT id FROM games WHERE over = 0 AND owner <> 0 AND owner = $1 AND due <= $2 ORDER BY due LIMIT $3";
        reading!(self, sql, [boot, now_ms, i64::from(limit)], |row| row
            .try_get(0))
    }

    fn warnings_of(&self, boot: i64, now_ms: i64, limit: u32) -> Answer<'_, Vec<(String, i64)>> {
        let sql = "SELECT id, warn FROM games WHERE over = 0 AND owner <> 0 AND owner = $1 AND warn <= $2 ORDER BY warn LIMIT $3";
        reading!(self, sql, [boot, now_ms, i64::from(limit)], |row| Ok((
            row.try_get(0)?,
            row.try_get(1)?
        )))
    }

    fn leave(&self, boot: i64, now_ms: i64) -> Answer<'_, ()> {
        leasing!(self, |connection| self
            .leave_on(connection, boot, now_ms)
            .await)
    }

    fn expire(&self, boot: i64, left_ms: i64) -> Answer<'_, bool> {
        leasing!(self, |connection| expire(
            connection,
            &self.time(),
            boot,
            left_ms
        )
        .await)
    }

    fn owned(&self) -> Answer<'_, Shares> {
        let sql = format!(
            "SELECT {NODE}, n.expires_ms - {}, (SELECT COUNT(*) FROM games g WHERE g.over = 0 AND g.owner <> 0 AND g.owner = n.boot) \
             FROM nodes n ORDER BY n.id, n.boot",
            self.time()
        );
        let nodes: Answer<'_, Vec<(NodeRow, i64)>> =
            reading!(self, sql, [], |row| Ok((node(row)?, row.try_get(10)?)));
        let sql = "SELECT COUNT(*) FROM games WHERE over = 0 AND owner = 0 AND due IS NOT NULL";
        let nobody: Answer<'_, Option<i64>> = reading_one!(self, sql, [], |row| row.try_get(0));
        Box::pin(async move {
            Ok(Shares {
                nodes: nodes.await?,
                nobody: nobody.await?.unwrap_or_default(),
            })
        })
    }
}
