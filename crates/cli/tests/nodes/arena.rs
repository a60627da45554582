//! The node that pairs is killed while an arena goes on at all nodes: the next one pairs on, nobody is paired twice, no game is
//! lost, and each is rated once.

use super::NODES;
use super::house::House;
use crate::common::Fallible;
use crate::house::account;
use crate::process::asked;
use crate::tournament_kills::{Arena, judge, people, player};
use std::time::{Duration, Instant};
use store::{SqlStore, StoreError};
use tokio::task::JoinSet;

/// Longest wait for something that comes by itself.
const WAIT: Duration = Duration::from_secs(120);

/// The node that leads, as another one tells: the leader may be gone.
async fn leader(house: &House, but: Option<usize>) -> Fallible<usize> {
    let start = Instant::now();
    loop {
        for asked in (0..NODES).filter(|n| Some(*n) != but) {
            let Ok(now) = house.nodes(asked) else {
                continue;
            };
            let leads = now.nodes.iter().find(|node| node.leads);
            let leads = leads.and_then(|node| node.name.strip_prefix('n')?.parse().ok());
            if let Some(leads) = leads
                && Some(leads) != but
            {
                return Ok(leads);
            }
        }
        if start.elapsed() > WAIT {
            return Err("no node leads".into());
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

async fn seen(arena: &Arena, least: usize) -> Fallible<()> {
    let start = Instant::now();
    while arena.seen().len() < least {
        if start.elapsed() > WAIT {
            return Err(format!("{} games of {least} are over", arena.seen().len()).into());
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok(())
}

/// The database once the leases of the killed nodes are over.
async fn storage(url: &str) -> Fallible<SqlStore> {
    let start = Instant::now();
    loop {
        match SqlStore::open(url).await {
            Err(StoreError::InUse(_)) if start.elapsed() < WAIT => {
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            opened => return Ok(opened?),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs PostgreSQL and NATS"]
async fn an_arena_goes_on_at_another_node_when_the_one_is_killed_that_pairs() -> Fallible<()> {
    let _turn = crate::turn(module_path!());
    let count = asked("HUSUN_ARENA_PEOPLE", 12);
    let enough = asked("HUSUN_ARENA_GAMES", 60);
    let kills = asked("HUSUN_ARENA_KILLS", 3);
    let mut house = House::open("arena", NODES).await?;
    let addresses = house.addresses();
    let mut maker = account(addresses[0], "Maker").await?;
    let wait = Duration::from_secs(5);
    let arena = Arena::make(&mut maker, addresses.clone(), wait, enough).await?;
    let mut playing = JoinSet::new();
    for browser in people(&addresses, &arena.id, count).await? {
        playing.spawn(player(browser, arena.clone()));
    }
    for kill in 1..=kills {
        seen(&arena, enough * kill / (kills + 1)).await?;
        let leads = leader(&house, None).await?;
        house.kill(leads)?;
        // Others pair on before it is back: each of the games of that moment may end, and more are played than those.
        let before = arena.seen().len();
        let next = leader(&house, Some(leads)).await?;
        assert_ne!(next, leads);
        if kill < kills {
            seen(&arena, before + count).await?;
        }
        house.start(leads).await?;
    }
    while let Some(done) = playing.join_next().await {
        maker = done??;
    }
    let judged = judge(&mut maker, &arena, count).await?;
    for n in 0..NODES {
        house.kill(n)?;
    }
    let store = storage(house.url()).await?;
    judged.stored(&store, &arena.id).await?;
    store.close().await;
    println!(
        "{count} people at {NODES} nodes, {} games, the node that pairs was killed {kills} times: standings as counted",
        judged.games
    );
    house.close()
}
