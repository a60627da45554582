//! A tournament on three nodes, of which always the one is killed that leads: its standings equal a slow recount, nobody
//! is paired twice, no game is rated twice. `HUSUN_ARENA_PEOPLE`, `HUSUN_ARENA_GAMES` and `HUSUN_ARENA_KILLS` ask for
//! more. It needs PostgreSQL and NATS: scripts/postgres scripts/nats.

use crate::arena::{
    Arena, GAME, LIMITS, all_rated, as_counted, nobody_twice, people, player, rated_once, until,
};
use crate::common::Fallible;
use crate::common::cluster::make_database;
use crate::house::House;
use crate::process::{asked, folder};
use serde_json::json;
use server::wire::TournamentMade;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use store::{Mode, SqlStore};
use tokio::task::JoinSet;

const NODES: usize = 3;

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL and NATS: scripts/postgres scripts/nats"]
async fn postgres_and_nats_an_arena_goes_on_when_the_node_is_killed_that_leads() -> Fallible<()> {
    let _turn = crate::turn(module_path!());
    let count = asked("HUSUN_ARENA_PEOPLE", 12);
    let enough = asked("HUSUN_ARENA_GAMES", 60);
    let kills = asked("HUSUN_ARENA_KILLS", 3);
    let name = format!("arena_{}", std::process::id());
    let database = make_database(&std::env::var("HUSUN_TEST_POSTGRES")?, &name)?;
    let nats = std::env::var("HUSUN_TEST_NATS")?;
    let keys = folder(&format!("{name}-keys"))?;
    let mut houses = Vec::new();
    for n in 0..NODES {
        let settings = format!(
            "database = \"{database}\"\n[limits]\n{LIMITS}[node]\nname = \"n{n}\"\nnats = \"{nats}\"\nprefix = \"{name}\"\nkeys = \"{}\"\n",
            keys.display()
        );
        houses.push(House::open_as(&format!("{name}-{n}"), &settings).await?);
    }
    let addresses = houses.iter().map(|house| house.address).collect();
    let mut maker = houses[1].account("Maker").await?;
    let wish = json!({
        "name": "Arena", "kind": { "arena": { "minutes": 1440 } }, "games": [GAME], "clock": "fischer:3m+2s",
        "rated": true, "starts_ms": server::services::wall_ms() + 5000,
    });
    let made = maker.ask("POST", "/api/tournaments", wish).await?;
    let arena = Arc::new(Arena {
        id: made.json::<TournamentMade>()?.id,
        enough,
        seen: Mutex::default(),
        addresses,
    });
    let begun = Instant::now();
    let mut playing = JoinSet::new();
    for (n, mut browser) in people(&houses[2], &arena.id, count)
        .await?
        .into_iter()
        .enumerate()
    {
        browser.address = arena.addresses[n % NODES];
        playing.spawn(player(browser, arena.clone()));
    }
    for kill in 1..=kills {
        let at = enough * kill / (kills + 1);
        while arena.seen().len() < at && begun.elapsed() < Duration::from_secs(900) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        // The one that has been there longest leads; come again it is the newest.
        let leads = (kill - 1) % NODES;
        houses[leads].kill()?;
        tokio::time::sleep(Duration::from_millis(700)).await;
        houses[leads].open_again().await?;
    }
    let mut browser = maker;
    while let Some(done) = playing.join_next().await {
        browser = done??;
    }
    let id = &arena.id;
    until(&mut browser, id, "all games are over", |now| {
        now.running == 0
    })
    .await?;
    let (played, names) = as_counted(&mut browser, id).await?;
    assert!(played >= enough, "{played} games");
    assert_eq!(names.len(), count);
    all_rated(&mut browser, played, &names).await?;
    for house in &mut houses {
        house.kill()?;
    }
    let store = SqlStore::open_as(&database, Mode::Cluster).await?;
    assert_eq!(nobody_twice(&store, id).await?, played);
    rated_once(&store, &names, played).await?;
    store.close().await;
    for house in houses {
        house.close()?;
    }
    Ok(std::fs::remove_dir_all(keys)?)
}
