//! Starting with many games under way, and with what the first version left behind.

use crate::common::{Fallible, Request, Socket, ask};
use crate::process::{Process, asked, folder, pair};
use serde::Deserialize;
use server::wire::{Snapshot, Stage};
use std::path::Path;
use std::time::{Duration, Instant};
use store::archive::{ArchiveStore, Search};
use store::running::RunningStore;
use store::{Due, EventRow, GameWrite, NewGameRow, SqlStore, Store};

/// Games under way; `HUSUN_START_GAMES` asks for another number.
const GAMES: usize = 20_000;

/// Games whose time has run out; `HUSUN_CLOSE_GAMES` asks for another number.
const CLOSED: usize = 4_000;
/// What no move may take meanwhile, in milliseconds. Closing 20,000 in one pass once took 5,200.
const MOST_MS: u128 = 1_500;

/// Games of two with clocks of twenty seconds, each with a move played, as a server leaves them that was killed when
/// its time was `alive_ms`.
async fn fill(data: &Path, games: usize, alive_ms: u64) -> Fallible<()> {
    let store = SqlStore::file(&data.join("husun.sqlite")).await?;
    let run = store.begin_run(0, None).await?.run;
    let event = |seq: i64, body: &str| EventRow {
        seq,
        at_ms: 0,
        run,
        run_ms: 1000,
        wall_ms: 0,
        body: body.into(),
        guest: None,
    };
    let spec = r#"{"variant":"citadel9","family":null,"fen":null,"control":"fischer:20s+0s","takebacks":false,
        "seats":{"white":{"number":"w","level":null,"kept":null},"black":{"number":"b","level":null,"kept":null}},"seed":1}"#;
    let game = |n: usize| GameWrite {
        game: format!("game{n:06}"),
        made: Some(NewGameRow {
            spec: spec.into(),
            made_ms: 0,
            guests: Vec::new(),
        }),
        events: vec![
            event(
                1,
                r#"{"e":"joined","side":"white","person":{"guest":"a","name":"Ann"}}"#,
            ),
            event(
                2,
                r#"{"e":"joined","side":"black","person":{"guest":"b","name":"Bob"}}"#,
            ),
            event(3, r#"{"e":"begun","variant":"citadel9"}"#),
            event(4, r#"{"e":"played","uci":"e2e4"}"#),
        ],
        due: Some(Due::At(1000)),
        ..GameWrite::default()
    };
    let writes: Vec<GameWrite> = (0..games).map(game).collect();
    for part in writes.chunks(1000) {
        for result in store.write(part).await? {
            result?;
        }
    }
    store.close().await;
    std::fs::write(data.join("alive"), format!("{run:020} {alive_ms:020}\n"))?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_with_many_games_is_there_at_once_and_loses_none() -> Fallible<()> {
    let _turn = crate::turn(module_path!());
    let games = asked("HUSUN_START_GAMES", GAMES);
    let data = folder("manygames")?;
    let config = data.join("config.toml");
    std::fs::write(&config, "[limits]\nrequests_per_second = 0\n")?;
    fill(&data, games, 1000).await?;
    let process = Process::spawn(&data, &config)?;
    let begin = Instant::now();
    process.wait_for("/healthz", Duration::from_secs(5)).await?;
    let alive = begin.elapsed();
    process.wait_for("/readyz", Duration::from_secs(20)).await?;
    let ready = begin.elapsed();
    println!("{games} games: alive after {alive:?}, ready after {ready:?}");
    assert!(ready < Duration::from_secs(5), "ready after {ready:?}");
    // While all of them are being checked, and players have time to come back, no clock runs.
    for n in (0..games).step_by((games / 40).max(1)) {
        let path = format!("/api/games/game{n:06}");
        let game: Snapshot = ask(process.address, Request::get(&path)).await?.json()?;
        assert_eq!((game.now.stage, game.moves.len()), (Stage::Playing, 1));
        let left = game.now.clocks.ok_or("no clocks")?.times.black.main_ms;
        assert!(left > 19_000, "game {n}: {left} ms left");
    }
    process.kill()?;
    std::fs::remove_dir_all(&data)?;
    Ok(())
}

/// Games that end by themselves do so in batches: players are not kept waiting meanwhile.
#[tokio::test(flavor = "multi_thread")]
async fn closing_thousands_of_games_keeps_nobody_waiting() -> Fallible<()> {
    let _turn = crate::turn(module_path!());
    let games = asked("HUSUN_CLOSE_GAMES", CLOSED);
    let data = folder("closing")?;
    let config = data.join("config.toml");
    std::fs::write(
        &config,
        "start_grace_seconds = 0\nengine_pause = false\n[limits]\nrequests_per_second = 0\nmessages_per_second = 0\n",
    )?;
    fill(&data, games, 60_000).await?;
    let process = Process::start(&data, &config).await?;
    let begin = Instant::now();
    let ([mut white, mut black], mut now) = pair(process.address).await?;
    let last = format!("/api/games/game{:06}", games - 1);
    let (mut moves, mut worst) = (0, 0);
    loop {
        let (ply, text) = (
            now.ply,
            now.legal[now.seq as usize % now.legal.len()].clone(),
        );
        let sent = Instant::now();
        let [mover, other] = match ply % 2 {
            0 => [&mut white, &mut black],
            _ => [&mut black, &mut white],
        };
        mover.play(ply, &text).await?;
        let (told, _) = tokio::try_join!(mover.ply(ply + 1), other.ply(ply + 1))?;
        worst = worst.max(sent.elapsed().as_millis());
        moves += 1;
        now = told;
        if moves % 10 == 0 {
            let snapshot: Snapshot = ask(process.address, Request::get(&last)).await?.json()?;
            if snapshot.now.stage == Stage::Over {
                break;
            }
        }
        if now.legal.is_empty() {
            ([white, black], now) = pair(process.address).await?;
        }
        assert!(
            begin.elapsed() < Duration::from_secs(120),
            "they are still open"
        );
        tokio::time::sleep(Duration::from_millis(30)).await;
    }
    let took = begin.elapsed();
    println!(
        "{games} games closed in {took:.1?}: {moves} moves meanwhile, the worst took {worst} ms"
    );
    assert!(worst < MOST_MS, "a move took {worst} ms");
    process.kill()?;
    std::fs::remove_dir_all(&data)?;
    Ok(())
}

/// A game as its players knew it.
#[derive(Deserialize)]
struct Known {
    id: String,
    white: Option<String>,
    black: Option<String>,
    moves: Vec<String>,
    #[serde(default)]
    over: bool,
}

#[tokio::test(flavor = "multi_thread")]
async fn games_of_the_first_version_go_on() -> Fallible<()> {
    let _turn = crate::turn(module_path!());
    let kept = Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/data/first-version"
    ));
    let data = folder("firstversion")?;
    for name in ["husun.sqlite", "alive", "cookie.key"] {
        std::fs::copy(kept.join(name), data.join(name))?;
    }
    let known: Vec<Known> = serde_json::from_slice(&std::fs::read(kept.join("games.json"))?)?;
    let config = data.join("config.toml");
    std::fs::write(&config, "start_grace_seconds = 0\nengine_pause = false\n")?;
    let process = Process::start(&data, &config).await?;
    let mut watched = Vec::new();
    for game in &known {
        let path = format!("/api/games/{}", game.id);
        let seen: Snapshot = ask(process.address, Request::get(&path)).await?.json()?;
        let moves: Vec<&String> = seen.moves.iter().map(|m| &m.uci).collect();
        assert!(moves.into_iter().eq(&game.moves), "{}", game.id);
        assert_eq!(seen.now.stage == Stage::Over, game.over, "{}", game.id);
        if seen.public && seen.now.stage == Stage::Playing {
            watched.push(game.id.as_str());
        }
        // The keys of seats still work.
        for (word, side) in [(&game.white, "white"), (&game.black, "black")] {
            let Some(word) = word else { continue };
            let mut socket = Socket::open(process.address, &[]).await?;
            let told = socket.join(&game.id, Some(word)).await?;
            let own = told.own.map(|own| format!("{own:?}").to_lowercase());
            assert_eq!(own.as_deref(), Some(side), "{}", game.id);
        }
    }
    // And one is played on, with its clock where it stood.
    let game = &known[0];
    let mut white = Socket::open(process.address, &[]).await?;
    let told = white.join(&game.id, game.white.as_deref()).await?;
    let clocks = told.now.clocks.ok_or("no clocks")?;
    let left = clocks.times.white.extra_ms.ok_or("no reserve")? + clocks.times.white.main_ms;
    assert!(left > 30 * 60 * 1000, "{left} ms left");
    assert_eq!(told.chat.len(), 1);
    let text = told.now.legal.first().ok_or("no legal move")?.clone();
    white.play(told.now.ply, &text).await?;
    white.ply(told.now.ply + 1).await?;
    // Games that had ended are in the archive, for their players.
    for _ in 0..100 {
        let metrics = ask(process.address, Request::get("/metrics")).await?;
        if metrics.body.contains("husun_archived_total") {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    process.kill()?;
    let over: Vec<&str> = known
        .iter()
        .filter(|game| game.over)
        .map(|game| game.id.as_str())
        .collect();
    assert!(!over.is_empty());
    let store = SqlStore::file(&data.join("husun.sqlite")).await?;
    // Public games are among the games to watch, and nothing else.
    let ids: Vec<String> = known.iter().map(|game| game.id.clone()).collect();
    let boards = store.running_boards(&ids).await?;
    let boards: Vec<&str> = boards.iter().map(|board| board.game.as_str()).collect();
    assert!(!watched.is_empty());
    assert_eq!(boards, watched);
    assert!(store.to_watch(1).await?.is_empty());
    let stored = store.load(over[0]).await?.ok_or("gone")?;
    let joined: serde_json::Value = serde_json::from_str(&stored.events[0].body)?;
    let guest = joined["person"]["guest"].as_str();
    let search = Search {
        player: guest.map(Into::into),
        viewer: guest.ok_or("no guest")?.into(),
        limit: 10,
        scan: 10,
        ..Search::default()
    };
    let found = store.search(&search).await?.games;
    let found: Vec<&str> = found.iter().map(|game| game.game.as_str()).collect();
    assert_eq!(found, over);
    assert_eq!(store.waiting().await?, 0);
    store.close().await;
    std::fs::remove_dir_all(&data)?;
    Ok(())
}
