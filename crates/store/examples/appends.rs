//! How many events a second a database takes, one connection writing them as the server does.
//!
//!     scripts/postgres bash -c 'cargo run -p husun-store --example appends -- $HUSUN_TEST_POSTGRES cluster'
//!
//! What a write holds is that of a move: an event and when the game wants to be looked at. First each commit has one game, then
//! a hundred. `single` holds the database alone, `cluster` as one node of several; a third argument is the seconds for each, a
//! fourth the games of a commit.

use std::time::{Duration, Instant};
use store::nodes::{NewNode, Nodes, Sign};
use store::{Due, EventRow, GameWrite, Mode, NewGameRow, SqlStore, Store};

type Failed = Box<dyn std::error::Error>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failed> {
    let mut args = std::env::args().skip(1);
    let usage = "expected: DATABASE single|cluster [SECONDS [GAMES]]";
    let (url, mode) = (args.next().ok_or(usage)?, args.next().ok_or(usage)?);
    let seconds: u64 = args.next().map_or(Ok(3), |text| text.parse())?;
    let (store, owner) = match mode.as_str() {
        "single" => (SqlStore::open(&url).await?, 0),
        "cluster" => {
            let store = SqlStore::open_as(&url, Mode::Cluster).await?;
            let sign = Sign {
                run_ms: 0,
                load: 0,
                leaving: false,
                lease_ms: 3_600_000,
            };
            let node = NewNode {
                id: "appends".into(),
                address: String::new(),
                version: String::new(),
                protocol: 1,
                run: 1,
                sign,
            };
            let boot = store.arrive(&node).await?;
            (store, boot)
        }
        _ => return Err(usage.into()),
    };
    let mut line = mode;
    let games: Option<usize> = args.next().map(|text| text.parse()).transpose()?;
    for games in games.map_or(vec![1, 100], |games| vec![games]) {
        let (events, took) = measure(&store, owner, games, Duration::from_secs(seconds)).await?;
        let rate = events as f64 / took.as_secs_f64();
        line.push_str(&format!(
            "\t{games} a commit: {events} events, {rate:.0} a second"
        ));
    }
    println!("{line}");
    store.close().await;
    Ok(())
}

async fn measure(
    store: &SqlStore,
    owner: i64,
    games: usize,
    time: Duration,
) -> Result<(usize, Duration), Failed> {
    let tag = std::time::UNIX_EPOCH.elapsed()?.as_micros();
    let mut writes: Vec<GameWrite> = (0..games)
        .map(|n| GameWrite {
            game: format!("game-{tag}-{n}"),
            epoch: 1,
            owner,
            made: Some(NewGameRow {
                spec: "{}".into(),
                made_ms: 0,
                guests: Vec::new(),
            }),
            ..GameWrite::default()
        })
        .collect();
    taken(store, &writes).await?;
    let (start, mut seq) = (Instant::now(), 0);
    while start.elapsed() < time {
        seq += 1;
        for write in &mut writes {
            write.made = None;
            write.due = Some(Due::At(seq));
            write.events = vec![EventRow {
                seq,
                at_ms: seq,
                run: 1,
                run_ms: seq,
                wall_ms: seq,
                body: r#"{"Moved":{"uci":"e2e4","lag_ms":12}}"#.into(),
                guest: None,
            }];
        }
        taken(store, &writes).await?;
    }
    Ok((seq as usize * games, start.elapsed()))
}

async fn taken(store: &SqlStore, writes: &[GameWrite]) -> Result<(), Failed> {
    for result in store.write(writes).await? {
        result?;
    }
    Ok(())
}
