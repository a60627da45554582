//! Disks that fail during play: full, read-only, writes and syncs that end in errors. What players were told is
//! stored, whatever happens afterwards; players are told about the trouble; the server is not ready meanwhile.
#![cfg(target_os = "linux")]

use crate::common::{Fallible, Request, Socket, ask};
use crate::process::{Process, folder, free_port};
use server::wire::{GameMade, ServerMessage, Snapshot, Stage};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Games under way.
const GAMES: usize = 6;

/// The layer between the server and the C library that makes writes fail.
fn layer(folder: &Path) -> Fallible<PathBuf> {
    let made = folder.join("fault.so");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fault.c");
    let built = std::process::Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .arg(&made)
        .args([source, "-ldl"])
        .status()?;
    match built.success() {
        true => Ok(made),
        false => Err("the layer that lets writes fail was not built".into()),
    }
}

/// What a game's players know of it.
struct Told {
    game: GameMade,
    moves: Vec<String>,
    resigned: bool,
}

/// Plays a game until told to end: every move that a player is told about is noted.
async fn play(
    address: SocketAddr,
    end: Arc<AtomicBool>,
    troubles: Arc<AtomicU64>,
    resigns: bool,
) -> Fallible<Told> {
    let wishes = r#"{"variant":"strike80","side":"white","clock":"fischer:60m+1s"}"#;
    let game: GameMade = ask(address, Request::post("/api/games", wishes))
        .await?
        .json()?;
    let friend = game.friend_seat.clone().ok_or("no seat for the friend")?;
    let mut white = Socket::open(address, &[]).await?;
    white.join(&game.id, Some(&game.seat)).await?;
    let mut black = Socket::open(address, &[]).await?;
    let mut now = black.join(&game.id, Some(&friend)).await?.now;
    let mut moves = Vec::new();
    let mut troubled = false;
    while !end.load(Relaxed) && !now.legal.is_empty() {
        tokio::time::sleep(Duration::from_millis(40)).await;
        let (ply, text) = (
            now.ply,
            now.legal[moves.len() * 7 % now.legal.len()].clone(),
        );
        let mover = if ply % 2 == 0 { &mut white } else { &mut black };
        mover.play(ply, &text).await?;
        now = loop {
            match mover.hear().await? {
                ServerMessage::Update { now, .. } if now.ply > ply => break *now,
                ServerMessage::Trouble { trouble } if trouble.is_some() => troubled = true,
                ServerMessage::Update { now, .. } if now.trouble.is_some() => troubled = true,
                ServerMessage::Refused { message, .. } => return Err(message.into()),
                _ => {}
            }
        };
        moves.push(text);
    }
    troubles.fetch_add(u64::from(troubled), Relaxed);
    if resigns {
        white.send(r#"{"type":"resign"}"#).await?;
        white
            .until(|m| match m {
                ServerMessage::Update { now, .. } => (now.stage == Stage::Over).then_some(()),
                _ => None,
            })
            .await?;
    }
    Ok(Told {
        game,
        moves,
        resigned: resigns,
    })
}

/// Faults of one kind during play, then a sudden end: everything that was told is there.
async fn survives(kind: &str, layer: &Path, root: &Path) -> Fallible<()> {
    let data = root.join(kind);
    std::fs::create_dir_all(&data)?;
    let (config, fault) = (data.join("config.toml"), data.join("fault"));
    std::fs::write(&config, "start_grace_seconds = 0\nengine_pause = false\n")?;
    let with = [("LD_PRELOAD", layer), ("HUSUN_FAULT", fault.as_path())];
    let process = Process::start_with(&data, &config, &with).await?;
    let address = process.address;
    let (end, troubles) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicU64::new(0)),
    );
    let players: Vec<_> = (0..GAMES)
        .map(|n| tokio::spawn(play(address, end.clone(), troubles.clone(), n % 3 == 0)))
        .collect();
    tokio::time::sleep(Duration::from_millis(700)).await;
    std::fs::write(&fault, kind)?;
    tokio::time::sleep(Duration::from_millis(1200)).await;
    let ready = ask(address, Request::get("/readyz")).await?;
    assert_eq!(ready.status, 503, "{kind}: {}", ready.body);
    assert_eq!(ask(address, Request::get("/healthz")).await?.status, 200);
    std::fs::remove_file(&fault)?;
    process.wait_for("/readyz", Duration::from_secs(10)).await?;
    tokio::time::sleep(Duration::from_millis(1000)).await;
    end.store(true, Relaxed);
    let mut told = Vec::new();
    for player in players {
        told.push(player.await??);
    }
    process.kill()?;
    let process = Process::start(&data, &config).await?;
    for known in &told {
        let path = format!("/api/games/{}", known.game.id);
        let snapshot: Snapshot = ask(process.address, Request::get(&path)).await?.json()?;
        let stored: Vec<&String> = snapshot.moves.iter().map(|m| &m.uci).collect();
        assert!(
            stored.iter().copied().eq(&known.moves),
            "{kind}: {} moves were told, {} are stored",
            known.moves.len(),
            stored.len()
        );
        assert!(
            known.moves.len() > 10,
            "{kind}: only {} moves",
            known.moves.len()
        );
        assert_eq!(snapshot.now.stage == Stage::Over, known.resigned, "{kind}");
    }
    assert_eq!(
        troubles.load(Relaxed),
        GAMES as u64,
        "{kind}: who plays is told"
    );
    process.kill()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_disk_that_fails_for_a_second_loses_nothing() -> Fallible<()> {
    let _turn = crate::turn(module_path!());
    let root = folder("faults")?;
    let layer = layer(&root)?;
    for kind in ["full", "error", "sync", "readonly"] {
        survives(kind, &layer, &root)
            .await
            .map_err(|e| format!("{kind}: {e}"))?;
    }
    std::fs::remove_dir_all(&root)?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_on_a_full_disk_waits_until_there_is_room() -> Fallible<()> {
    let _turn = crate::turn(module_path!());
    let root = folder("fullstart")?;
    let layer = layer(&root)?;
    let (config, fault) = (root.join("config.toml"), root.join("fault"));
    std::fs::write(&config, "")?;
    std::fs::write(&fault, "full")?;
    let with = [
        ("LD_PRELOAD", layer.as_path()),
        ("HUSUN_FAULT", fault.as_path()),
    ];
    let process = Process::spawn_with(&root, &config, &with)?;
    process.wait_for("/healthz", Duration::from_secs(5)).await?;
    tokio::time::sleep(Duration::from_millis(500)).await;
    let told = ask(process.address, Request::get("/readyz")).await?;
    assert_eq!(told.status, 503);
    assert!(told.body.contains("full"), "{}", told.body);
    assert!(
        told.head.to_lowercase().contains("retry-after"),
        "{}",
        told.head
    );
    let refused = ask(process.address, Request::post("/api/games", "{}")).await?;
    assert_eq!(refused.status, 503);
    std::fs::remove_file(&fault)?;
    process.wait_for("/readyz", Duration::from_secs(5)).await?;
    process.kill()?;
    std::fs::remove_dir_all(&root)?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_server_that_is_not_there_yet_is_waited_for() -> Fallible<()> {
    let _turn = crate::turn(module_path!());
    let root = folder("nodatabase")?;
    let config = root.join("config.toml");
    // A port on which nobody listens.
    let port = free_port()?;
    let text = format!("database = \"postgres://husun@127.0.0.1:{port}/husun\"\n");
    std::fs::write(&config, text)?;
    let mut process = Process::spawn(&root, &config)?;
    process.wait_for("/healthz", Duration::from_secs(5)).await?;
    tokio::time::sleep(Duration::from_millis(1500)).await;
    let told = ask(process.address, Request::get("/readyz")).await?;
    assert_eq!(told.status, 503);
    assert!(told.body.contains("refused"), "{}", told.body);
    assert!(process.is_running()?, "it has given up");
    process.kill()?;
    std::fs::remove_dir_all(&root)?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_on_a_full_disk_leaves_nothing_half_done() -> Fallible<()> {
    let _turn = crate::turn(module_path!());
    let root = folder("fullbackup")?;
    let layer = layer(&root)?;
    let (data, to) = (root.join("data"), root.join("to"));
    std::fs::create_dir_all(&data)?;
    let (config, fault) = (root.join("config.toml"), root.join("fault"));
    std::fs::write(&config, "")?;
    let process = Process::start(&data, &config).await?;
    std::fs::write(&fault, "full")?;
    let backup = |faulty: bool| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_husun"));
        command.arg("backup").arg("--data").arg(&data).arg(&to);
        if faulty {
            command.env("LD_PRELOAD", &layer).env("HUSUN_FAULT", &fault);
        }
        command.output()
    };
    let output = backup(true)?;
    assert_eq!(output.status.code(), Some(2));
    assert!(!to.join("husun.sqlite").exists(), "half a backup is left");
    assert_eq!(backup(false)?.status.code(), Some(0));
    process.kill()?;
    std::fs::remove_dir_all(&root)?;
    Ok(())
}
