//! Games over days from outside: prepared answers, notes, vacation.

use crate::common::browser::code;
use crate::common::people::{account, guest, seek};
use crate::common::{Fallible, Socket, TestServer};
use serde_json::{Value, json};
use server::wire::{ClientMessage, ServerMessage, Side, Snapshot, Stage};
use std::time::Duration;

/// Moves that are prepared are answered at once, whoever is there, and only their maker is told of them; so it is with
/// notes.
#[tokio::test(flavor = "multi_thread")]
async fn conditional_moves_and_notes_are_private() -> Fallible<()> {
    let server = TestServer::start("plans", |_| ()).await?;
    let (mut ann, mut bob) = (guest(&server).await?, guest(&server).await?);
    let wish = json!({ "games": ["chess"], "clocks": ["days:3"], "side": "white" });
    seek(&mut ann, wish).await?;
    let any = json!({ "clocks": ["days:3"] });
    let game = seek(&mut bob, any).await?.paired.ok_or("not paired")?.game;
    let mut white = Socket::open(server.address, &[("cookie", &ann.cookie())]).await?;
    white.join(&game, None).await?;
    white.play(0, "e2e4").await?;
    white.ply(1).await?;
    let lines = |all: &[&[&str]]| -> Vec<Vec<String>> {
        let line = |line: &&[&str]| line.iter().map(|text| (*text).to_owned()).collect();
        all.iter().map(line).collect()
    };
    let plan = |ply, all: &[&[&str]]| ClientMessage::Plan {
        ply,
        seq: None,
        lines: lines(all),
    };
    white.say(&plan(1, &[&["e5"]])).await?;
    assert_eq!(white.refusal().await?, "plan");
    let prepared: [&[&str]; 2] = [&["e5", "Nf3", "Nc6", "Bb5"], &["c5", "Nf3"]];
    white.say(&plan(1, &prepared)).await?;
    let told = white.until(|message| match message {
        ServerMessage::Plan(plan) => Some(plan),
        _ => None,
    });
    let told = told.await?;
    assert_eq!((told.ply, told.lines[1][1].as_str()), (1, "g1f3"));
    let written = json!({ "text": "Watch the <b>bishop</b>." });
    let path = format!("/api/games/{game}/note");
    assert_eq!(ann.ask("PUT", &path, written.clone()).await?.status, 204);
    drop(white);
    // The server is ended, and goes on.
    let folder = server.stop().await?;
    let server = TestServer::start("plans", |c| c.data = folder).await?;
    (ann.address, bob.address) = (server.address, server.address);
    let mut black = Socket::open(server.address, &[("cookie", &bob.cookie())]).await?;
    let snapshot = black.join(&game, None).await?;
    assert_eq!((snapshot.own, snapshot.plan), (Some(Side::Black), None));
    let looked = bob.get(&format!("/api/games/{game}")).await?.body;
    assert!(
        !looked.contains("b1c3") && !looked.contains("\"plan\""),
        "{looked}"
    );
    black.play(1, "e7e5").await?;
    let now = black.ply(3).await?;
    assert_eq!(now.turn, Some(Side::Black));
    black.play(3, "b8c6").await?;
    black.ply(5).await?;
    let mut white = Socket::open(server.address, &[("cookie", &ann.cookie())]).await?;
    let snapshot = white.join(&game, None).await?;
    let moves: Vec<&str> = snapshot.moves.iter().map(|m| m.san.as_str()).collect();
    assert_eq!(moves, ["e4", "e5", "Nf3", "Nc6", "Bb5"]);
    assert_eq!(snapshot.plan, None);
    // Notes are their writer's.
    assert_eq!(ann.get(&path).await?.json::<Value>()?, written);
    assert_eq!(
        bob.get(&path).await?.json::<Value>()?,
        json!({ "text": "" })
    );
    let mut nobody = guest(&server).await?;
    let refused = nobody.ask("PUT", &path, written).await?;
    assert_eq!(
        (refused.status, code(&refused)?.as_str()),
        (404, "no_such_game")
    );
    let long = json!({ "text": "x".repeat(4001) });
    assert_eq!(ann.ask("PUT", &path, long).await?.status, 400);
    assert_eq!(
        ann.ask("PUT", &path, json!({ "text": " " })).await?.status,
        204
    );
    assert_eq!(
        ann.get(&path).await?.json::<Value>()?,
        json!({ "text": "" })
    );
    server.end().await
}

/// Lets the server's own time, which stands still while it is down, go on by so many days.
fn days_later(folder: &std::path::Path, days: i64) -> Fallible<()> {
    let alive = folder.join("alive");
    let text = std::fs::read_to_string(&alive)?;
    let (run, ms) = text.trim().split_once(' ').ok_or("no time")?;
    let ms: i64 = ms.parse::<i64>()? + days * 24 * 3_600_000;
    std::fs::write(alive, format!("{run} {ms:020}\n"))?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn on_vacation_nobody_loses_on_time() -> Fallible<()> {
    let server = TestServer::start("vacation", |_| ()).await?;
    let (mut ann, mut bob) = (
        account(&server, "Ann").await?,
        account(&server, "Bob").await?,
    );
    let wish = json!({ "games": ["chess"], "clocks": ["days:1"], "side": "white", "rated": true });
    seek(&mut ann, wish).await?;
    let wish = json!({ "games": ["chess"], "clocks": ["days:1"], "rated": true });
    let game = seek(&mut bob, wish.clone())
        .await?
        .paired
        .ok_or("no game")?
        .game;
    let mut white = Socket::open(server.address, &[("cookie", &ann.cookie())]).await?;
    white.join(&game, None).await?;
    white.play(0, "e2e4").await?;
    white.ply(1).await?;
    for (days, status) in [(0, 409), (31, 409), (20, 200), (3, 409)] {
        let answer = bob
            .ask("PUT", "/api/account/vacation", json!({ "days": days }))
            .await?;
        assert_eq!(answer.status, status, "{days} {}", answer.body);
    }
    let held = white.until(|message| match message {
        ServerMessage::Update { now, .. } if now.players.black.vacation => Some(now),
        _ => None,
    });
    let clocks = held.await?.clocks.ok_or("no clocks")?;
    assert_eq!(clocks.running, None);
    // A game that begins meanwhile knows as well.
    assert!(seek(&mut bob, wish.clone()).await?.paired.is_none());
    let second = seek(&mut ann, wish).await?.paired.ok_or("no game")?.game;
    drop(white);
    let folder = server.stop().await?;
    days_later(&folder, 9)?;
    let server = TestServer::start("vacation", |c| c.data = folder).await?;
    (ann.address, bob.address) = (server.address, server.address);
    tokio::time::sleep(Duration::from_millis(800)).await;
    let look = |game: &str| format!("/api/games/{game}");
    let now: Snapshot = ann.get(&look(&game)).await?.json()?;
    assert_eq!(now.now.stage, Stage::Playing);
    let other: Snapshot = ann.get(&look(&second)).await?.json()?;
    let held = match other.own {
        Some(Side::White) => &other.now.players.black,
        _ => &other.now.players.white,
    };
    assert!(held.vacation, "{other:?}");
    let vacation: Value = bob.get("/api/account/vacation").await?.json()?;
    assert!(
        vacation["until_ms"].is_i64() && vacation["days_left"] == 29,
        "{vacation}"
    );
    // Back again, the time runs, and over night it is over.
    let back = bob
        .ask("DELETE", "/api/account/vacation", Value::Null)
        .await?;
    assert_eq!(back.status, 204);
    let again = bob
        .ask("DELETE", "/api/account/vacation", Value::Null)
        .await?;
    assert_eq!((again.status, code(&again)?.as_str()), (409, "vacation"));
    let mut looks = 0;
    loop {
        let now: Snapshot = ann.get(&look(&game)).await?.json()?;
        if now.now.clocks.and_then(|c| c.running) == Some(Side::Black) {
            break;
        }
        looks += 1;
        assert!(looks < 200, "his clock stands still");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let folder = server.stop().await?;
    days_later(&folder, 2)?;
    let server = TestServer::start("vacation", |c| c.data = folder).await?;
    ann.address = server.address;
    let mut looks = 0;
    loop {
        let now: Snapshot = ann.get(&look(&game)).await?.json()?;
        if now.now.stage == Stage::Over {
            break;
        }
        looks += 1;
        assert!(looks < 200, "his time does not run out");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let mut nobody = guest(&server).await?;
    assert_eq!(nobody.get("/api/account/vacation").await?.status, 401);
    server.end().await
}

/// The moves of a long game are chosen by number, so that it is the same each time.
fn chosen(ply: u32, legal: &[String]) -> Fallible<&str> {
    let at = (ply as usize * 7919 + 31) % legal.len().max(1);
    let text = legal.get(at).ok_or("the game is over too soon")?;
    Ok(text)
}

#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_moves_over_weeks_survive_any_restart() -> Fallible<()> {
    let mut server = TestServer::start("weeks", |_| ()).await?;
    let (mut ann, mut bob) = (guest(&server).await?, guest(&server).await?);
    let wish = json!({ "games": ["citadelir2024"], "clocks": ["days:3"], "side": "white" });
    seek(&mut ann, wish).await?;
    let any = json!({ "clocks": ["days:3"] });
    let game = seek(&mut bob, any).await?.paired.ok_or("not paired")?.game;
    let path = format!("/api/games/{game}");
    let mut played: Vec<String> = Vec::new();
    // Between any two parts two days go by, of the three that one has.
    for part in 1..=10 {
        let mut sockets = Vec::new();
        let mut legal = Vec::new();
        for browser in [&ann, &bob] {
            let cookie = browser.cookie();
            let mut socket = Socket::open(server.address, &[("cookie", &cookie)]).await?;
            let snapshot = socket.join(&game, None).await?;
            let kept: Vec<&str> = snapshot.moves.iter().map(|m| &*m.uci).collect();
            assert_eq!(kept, played);
            legal = snapshot.now.legal;
            sockets.push(socket);
        }
        while played.len() < 40 * part {
            let ply = u32::try_from(played.len())?;
            let text = chosen(ply, &legal)?.to_owned();
            let socket = &mut sockets[ply as usize % 2];
            socket.play(ply, &text).await?;
            legal = socket.ply(ply + 1).await?.legal;
            played.push(text);
        }
        let before: Snapshot = ann.get(&path).await?.json()?;
        drop(sockets);
        let folder = server.stop().await?;
        days_later(&folder, 2)?;
        server = TestServer::start("weeks", |c| c.data = folder).await?;
        (ann.address, bob.address) = (server.address, server.address);
        let after: Snapshot = ann.get(&path).await?.json()?;
        assert_eq!(after.now.stage, Stage::Playing, "after part {part}");
        assert_eq!(after.moves, before.moves);
        assert_eq!(
            (after.now.legal, after.now.turn),
            (before.now.legal, before.now.turn)
        );
    }
    assert_eq!(played.len(), 400);
    server.end().await
}
