//! `husun serve` as a process: killed without warning at random moments and restarted, no move that was told is lost
//! or doubled, and the clocks are right; and its messages when it cannot start.

use crate::common::{Fallible, Request, Socket, ask};
use crate::process::{Process, asked, folder};
use server::wire::{GameMade, Now, ServerMessage, Side};
use std::net::SocketAddr;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Games under way; `HUSUN_KILL_GAMES` and `HUSUN_KILLS` ask for the full size.
const GAMES: usize = 60;
const KILLS: usize = 6;
/// How far a clock may be off.
const EXACT: i64 = 100;

/// What a game's players know of it.
#[derive(Default)]
struct Known {
    /// Moves that one or both were told of: none of them may be lost.
    told: Vec<String>,
    /// A move that was sent but not answered yet: it may have been stored or not.
    sent: Option<String>,
    /// Clocks as last reported, and the moments between which that was.
    clocks: Option<(Now, Instant, Instant)>,
    /// The run in which they were reported.
    run: usize,
}

#[derive(Default)]
struct Findings {
    problems: Mutex<Vec<String>>,
    checked: AtomicU64,
    worst: AtomicU64,
}

impl Findings {
    fn report(&self, problem: String) {
        self.problems
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(problem);
    }
}

/// A run of the server as the players see it.
#[derive(Clone)]
struct Run {
    number: usize,
    address: Option<SocketAddr>,
    killed: Option<Instant>,
    listening: Instant,
    ready: Instant,
}

fn left(now: &Now, side: Side) -> Option<i64> {
    let clocks = now.clocks.as_ref()?;
    Some(match side {
        Side::White => clocks.times.white.main_ms as i64,
        Side::Black => clocks.times.black.main_ms as i64,
    })
}

/// Compares what is reported after a start with what was known before the kill.
fn check_clock(
    known: &Known,
    run: &Run,
    asked: Instant,
    now: &Now,
    findings: &Findings,
) -> Option<()> {
    let (before, told_from, told_to) = known.clocks.as_ref()?;
    if known.run + 1 != run.number {
        return None;
    }
    let killed = run.killed?;
    // A move in transit that was stored has pressed the clock.
    if before.ply != now.ply || *told_to > killed {
        return None;
    }
    let side = before.clocks.as_ref()?.running?;
    let ms = |time: Duration| time.as_millis() as i64;
    let seen = Instant::now();
    // The server looked at its clock between two moments known here; and time has run again since some moment between
    // listening and being ready.
    let least = ms(killed - *told_to) + ms(asked - run.ready);
    let most = ms(killed - *told_from) + ms(seen - run.listening);
    let (had, found) = (left(before, side)?, left(now, side)?);
    let (low, high) = (had - most, had - least);
    let off = (low - found).max(found - high).max(0);
    findings.checked.fetch_add(1, Relaxed);
    findings.worst.fetch_max(off as u64, Relaxed);
    if off > EXACT {
        findings.report(format!(
            "a clock is {off} ms off: {found}, expected {low} to {high}"
        ));
    }
    Some(())
}

fn check_moves(known: &mut Known, moves: &[String], findings: &Findings) {
    let expected = known.told.len();
    let fits = match (&known.sent, moves.len()) {
        (_, n) if n == expected => moves == known.told,
        (Some(sent), n) if n == expected + 1 => {
            moves[..expected] == known.told && moves[expected] == *sent
        }
        _ => false,
    };
    if !fits {
        findings.report(format!(
            "told {expected} moves ({:?} sent), found {}: {:?} against {:?}",
            known.sent,
            moves.len(),
            known.told.last(),
            moves.last()
        ));
    }
    known.told = moves.to_vec();
    known.sent = None;
}

/// Plays one game from both seats until told to end, over all runs of the server.
async fn player(
    game: GameMade,
    mut runs: watch::Receiver<Run>,
    end: Arc<AtomicBool>,
    findings: Arc<Findings>,
) -> Fallible<usize> {
    let friend = game.friend_seat.clone().ok_or("no seat for the friend")?;
    // As in a browser: a seated player is recognised by the cookie, if the seat's key was lost with the server.
    let mut cookies = Vec::new();
    for _ in 0..2 {
        let address = runs.borrow().address.ok_or("no server")?;
        let me = ask(address, Request::get("/api/me")).await?;
        cookies.push(me.cookie().ok_or("no cookie")?.to_owned());
    }
    let seats = [
        (game.seat.clone(), cookies[0].clone()),
        (friend, cookies[1].clone()),
    ];
    let mut known = Known::default();
    let mut chance = game.id.bytes().fold(7_u64, |n, b| n * 31 + u64::from(b));
    while !end.load(Relaxed) {
        let run = runs.borrow_and_update().clone();
        let Some(address) = run.address else {
            runs.changed().await?;
            continue;
        };
        // Whatever ends a run for this player, the next one goes on.
        let _ = play_run(
            address,
            &run,
            &game.id,
            &seats,
            &mut known,
            &mut chance,
            &end,
            &findings,
        )
        .await;
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok(known.told.len())
}

#[allow(clippy::too_many_arguments)] // one caller
async fn play_run(
    address: SocketAddr,
    run: &Run,
    id: &str,
    seats: &[(String, String); 2],
    known: &mut Known,
    chance: &mut u64,
    end: &AtomicBool,
    findings: &Findings,
) -> Fallible<()> {
    let mut white = Socket::open(address, &[("cookie", &seats[0].1)]).await?;
    let asked = Instant::now();
    let snapshot = white.join(id, Some(&seats[0].0)).await?;
    let moves: Vec<String> = snapshot.moves.iter().map(|m| m.uci.clone()).collect();
    check_clock(known, run, asked, &snapshot.now, findings);
    check_moves(known, &moves, findings);
    known.run = run.number;
    known.clocks = Some((snapshot.now, asked, Instant::now()));
    let mut black = Socket::open(address, &[("cookie", &seats[1].1)]).await?;
    let asked = Instant::now();
    let mut now = black.join(id, Some(&seats[1].0)).await?.now;
    known.clocks = Some((now.clone(), asked, Instant::now()));
    while !end.load(Relaxed) && !now.legal.is_empty() {
        *chance = chance
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let random = *chance >> 33;
        tokio::time::sleep(Duration::from_millis(100 + random % 400)).await;
        let text = now.legal[random as usize % now.legal.len()].clone();
        let ply = now.ply;
        known.sent = Some(text.clone());
        let sent = Instant::now();
        let mover = if ply % 2 == 0 { &mut white } else { &mut black };
        mover.play(ply, &text).await?;
        now = mover
            .until(|m| match m {
                ServerMessage::Update { now, .. } if now.ply == ply + 1 => Some(Ok(*now)),
                ServerMessage::Refused { message, .. } => Some(Err(message)),
                _ => None,
            })
            .await??;
        known.told.push(text);
        known.sent = None;
        known.clocks = Some((now.clone(), sent, Instant::now()));
        let other = if ply % 2 == 0 { &mut black } else { &mut white };
        other.ply(ply + 1).await?;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_server_loses_nothing_and_charges_nobody() -> Fallible<()> {
    let _turn = crate::turn(module_path!());
    let (games, kills) = (
        asked("HUSUN_KILL_GAMES", GAMES),
        asked("HUSUN_KILLS", KILLS),
    );
    let data = folder("kill")?;
    let config = data.join("config.toml");
    std::fs::write(
        &config,
        "start_grace_seconds = 0\nengine_pause = false\n[limits]\nrequests_per_second = 0\ngames_per_minute = 0\nmessages_per_second = 0\nsockets_per_address = 0\nsockets_per_guest = 0\npositions_per_second = 0\nconnections_per_address = 0\n",
    )?;
    let mut process = Process::start(&data, &config).await?;
    let (tell, runs) = watch::channel(Run {
        number: 0,
        address: Some(process.address),
        killed: None,
        listening: process.listening,
        ready: process.ready,
    });
    let (end, findings) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(Findings::default()),
    );
    let ids: Vec<&str> = games::ids().collect();
    let mut players = Vec::new();
    for n in 0..games {
        let wishes = format!(
            r#"{{"variant":"{}","side":"white","clock":"fischer:60m+1s"}}"#,
            ids[n % ids.len()]
        );
        let made: GameMade = ask(process.address, Request::post("/api/games", &wishes))
            .await?
            .json()?;
        players.push(tokio::spawn(player(
            made,
            runs.clone(),
            end.clone(),
            findings.clone(),
        )));
    }
    for n in 0..kills {
        let wait = 500 + (n as u64 * 7919) % 1500;
        tokio::time::sleep(Duration::from_millis(wait)).await;
        let killed = Instant::now();
        process.kill()?;
        tell.send_modify(|run| (run.address, run.killed) = (None, Some(killed)));
        // Nobody is charged for time while it is down.
        tokio::time::sleep(Duration::from_millis(200)).await;
        process = Process::start(&data, &config).await?;
        tell.send_modify(|run| {
            run.number += 1;
            run.address = Some(process.address);
            (run.listening, run.ready) = (process.listening, process.ready);
        });
    }
    tokio::time::sleep(Duration::from_secs(2)).await;
    end.store(true, Relaxed);
    let mut moves = 0;
    for player in players {
        moves += player.await??;
    }
    process.kill()?;
    let problems = std::mem::take(
        &mut *findings
            .problems
            .lock()
            .unwrap_or_else(PoisonError::into_inner),
    );
    println!(
        "{games} games, {kills} kills, {moves} moves, {} clocks compared, worst {} ms off beyond the start's own time",
        findings.checked.load(Relaxed),
        findings.worst.load(Relaxed)
    );
    assert!(
        problems.is_empty(),
        "{} problems: {:#?}",
        problems.len(),
        &problems[..problems.len().min(5)]
    );
    assert!(moves > games, "only {moves} moves were played");
    assert!(findings.checked.load(Relaxed) > 0, "no clock was compared");
    std::fs::remove_dir_all(&data)?;
    Ok(())
}

fn refused(arguments: &[&str]) -> Fallible<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_husun"))
        .arg("serve")
        .args(arguments)
        .output()?;
    assert_eq!(output.status.code(), Some(2));
    Ok(String::from_utf8(output.stderr)?)
}

#[tokio::test]
async fn what_cannot_start_says_why() -> Fallible<()> {
    let _turn = crate::turn(module_path!());
    let data = folder("refused")?;
    let config = data.join("config.toml");
    std::fs::write(&config, "listen = \"127.0.0.1:0\"\nport = 80\n")?;
    let (data_text, config_text) = (data.display().to_string(), config.display().to_string());
    let error = refused(&["--config", &config_text])?;
    assert!(
        error.contains("config.toml") && error.contains("unknown field `port`"),
        "{error}"
    );
    std::fs::write(&config, "")?;
    let error = refused(&["--game-file", &config_text])?;
    assert!(error.contains("config.toml:1: id: is missing"), "{error}");
    let error = refused(&["--data", &data_text, "--database", "mysql://x"])?;
    assert!(error.contains("database"), "{error}");
    let process = Process::start(&data, &config).await?;
    let error = refused(&["--data", &data_text, "--listen", "127.0.0.1:0"])?;
    assert!(error.contains("another server is using it"), "{error}");
    let address = process.address.to_string();
    let second = data.join("second").display().to_string();
    let error = refused(&["--data", &second, "--listen", &address])?;
    assert!(error.contains("cannot listen at"), "{error}");
    process.kill()?;
    std::fs::remove_dir_all(&data)?;
    Ok(())
}
