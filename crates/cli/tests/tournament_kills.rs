//! Tournaments of many simulated players on a server that is killed in the middle: standings equal a slow recount of
//! the games, nobody is paired twice, no game is rated twice. `HUSUN_ARENA_PEOPLE=500 HUSUN_ARENA_GAMES=3000` asks for
//! the full size, `HUSUN_ARENA_KILLS` sets how often the server is killed, `HUSUN_SERVER` asks for another build of
//! the program than the tests'.

use crate::arena::{
    Arena, GAME, LIMITS, all_rated, as_counted, games, get, nobody_twice, people, play, player,
    rated_once, standings, storage, until,
};
use crate::common::Fallible;
use crate::common::browser::Browser;
use crate::house::House;
use crate::process::asked;
use futures_util::future::try_join_all;
use serde_json::json;
use server::wire::{TournamentGames, TournamentMade, TournamentNow, TournamentPhase};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

#[tokio::test(flavor = "multi_thread")]
async fn an_arena_survives_kills_and_its_standings_are_right() -> Fallible<()> {
    let _turn = crate::turn(module_path!());
    let count = asked("HUSUN_ARENA_PEOPLE", 12);
    let enough = asked("HUSUN_ARENA_GAMES", 60);
    let kills = asked("HUSUN_ARENA_KILLS", 3);
    let mut house = House::open_with("arena", LIMITS).await?;
    let mut maker = house.account("Maker").await?;
    let starts_ms = server::services::wall_ms() + 5000;
    let wish = json!({
        "name": "Arena", "kind": { "arena": { "minutes": 1440 } }, "games": [GAME], "clock": "fischer:3m+2s",
        "rated": true, "starts_ms": starts_ms,
    });
    let made = maker.ask("POST", "/api/tournaments", wish).await?;
    let arena = Arc::new(Arena {
        id: made.json::<TournamentMade>()?.id,
        enough,
        seen: Mutex::default(),
        addresses: vec![house.address],
    });
    let all = people(&house, &arena.id, count).await?;
    let begun = Instant::now();
    let mut playing = JoinSet::new();
    for browser in all {
        playing.spawn(player(browser, arena.clone()));
    }
    for kill in 1..=kills {
        let at = enough * kill / (kills + 1);
        while arena.seen().len() < at && begun.elapsed() < Duration::from_secs(900) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        house.kill()?;
        house.open_again().await?;
    }
    let mut browser = maker;
    while let Some(done) = playing.join_next().await {
        browser = done??;
    }
    let took = begun.elapsed();
    let id = &arena.id;
    until(&mut browser, id, "all games are over", |now| {
        now.running == 0
    })
    .await?;
    let (played, names) = as_counted(&mut browser, id).await?;
    assert!(played >= enough, "{played} games");
    assert_eq!(names.len(), count);
    all_rated(&mut browser, played, &names).await?;
    house.kill()?;
    let store = storage(&house).await?;
    assert_eq!(nobody_twice(&store, id).await?, played);
    rated_once(&store, &names, played).await?;
    store.close().await;
    println!(
        "{count} people, {played} games in {:.1} s ({:.1} a second), {kills} kills: standings as counted",
        took.as_secs_f64(),
        played as f64 / took.as_secs_f64()
    );
    house.close()
}

/// The server is killed at a different moment of each pairing: before it, while it is stored, while its games are
/// made.
#[tokio::test(flavor = "multi_thread")]
async fn a_swiss_round_is_paired_once_whenever_the_server_is_killed() -> Fallible<()> {
    let _turn = crate::turn(module_path!());
    let (count, rounds) = (
        asked("HUSUN_SWISS_PEOPLE", 9),
        asked("HUSUN_SWISS_ROUNDS", 5),
    );
    let mut house = House::open_with("swiss-kills", LIMITS).await?;
    let mut maker = house.account("Maker").await?;
    let wish = json!({
        "name": "Swiss", "kind": { "swiss": { "rounds": rounds } }, "games": [GAME], "clock": "fischer:3m+2s",
        "rated": true, "starts_ms": server::services::wall_ms() + 20_000, "break_s": 0,
    });
    let made = maker.ask("POST", "/api/tournaments", wish).await?;
    let id = made.json::<TournamentMade>()?.id;
    let all = people(&house, &id, count).await?;
    let mut met = HashSet::new();
    let mut byes = HashSet::new();
    for round in 1..=rounds {
        let paired = |now: &TournamentNow| now.round as usize == round;
        until(&mut maker, &id, "the round is paired", paired).await?;
        // All its games are there, though not at the same moment.
        let list = games(&mut maker, &id, &format!("round={round}")).await?;
        assert_eq!(list.len(), count / 2);
        for game in &list {
            let path = format!("/api/games/{}", game.game);
            let start = Instant::now();
            while maker.get(&path).await?.status != 200 {
                assert!(
                    start.elapsed() < Duration::from_secs(30),
                    "{} is not made",
                    game.game
                );
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
        for game in &list {
            let mut pair = [game.white.clone(), game.black.clone()];
            pair.sort();
            assert!(met.insert(pair), "{game:?}: they have met");
        }
        let path = format!("/api/tournaments/{id}/games?round={round}");
        let page: TournamentGames = get(&mut maker, &path).await?;
        for name in page.byes {
            assert!(byes.insert(name.clone()), "{name} has a second bye");
        }
        let names: HashMap<String, &Browser> = all
            .iter()
            .enumerate()
            .map(|(n, browser)| (format!("Player{n}"), browser))
            .collect();
        let ends = list.iter().map(|game| {
            let white = names.get(&game.white).copied();
            let black = names.get(&game.black).copied();
            async move {
                let (white, black) = (white.ok_or("nobody")?, black.ok_or("nobody")?);
                let both = [play(white, &game.game), play(black, &game.game)];
                try_join_all(both).await.map(drop)
            }
        });
        try_join_all(ends).await?;
        // The last game has ended at this moment: what follows is cut off somewhere else each time.
        let pause = [0, 40, 75, 110, 160, 230, 320][round % 7];
        tokio::time::sleep(Duration::from_millis(pause)).await;
        house.kill()?;
        house.open_again().await?;
    }
    let over = |now: &TournamentNow| now.card.phase == TournamentPhase::Over;
    until(&mut maker, &id, "it is over", over).await?;
    let rows = standings(&mut maker, &id).await?;
    let sum: f64 = rows.iter().map(|row| row.score).sum();
    assert_eq!(sum, ((count / 2 + count % 2) * rounds) as f64);
    let names: Vec<String> = rows.iter().map(|row| row.name.clone()).collect();
    all_rated(&mut maker, rounds * (count / 2), &names).await?;
    house.kill()?;
    let store = storage(&house).await?;
    assert_eq!(nobody_twice(&store, &id).await?, rounds * (count / 2));
    rated_once(&store, &names, rounds * (count / 2)).await?;
    store.close().await;
    house.close()
}
