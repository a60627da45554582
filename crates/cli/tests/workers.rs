//! `husun work` as a process: it plays for a server, is killed, stopped and ended while a game's clock runs, and says what
//! is wrong.
#![cfg(unix)]

use crate::common::{Fallible, Request, Socket, ask};
use crate::house::{House, PATIENCE};
use server::wire::{AnalyseQuestion, ClientMessage, GameMade, ServerMessage};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// The NATS server of the tests.
fn nats() -> Fallible<String> {
    Ok(std::env::var("HUSUN_TEST_NATS")
        .map_err(|_| "HUSUN_TEST_NATS is not set: scripts/nats sets it")?)
}

/// The same for a user who may do what workers may.
fn nats_of_workers() -> Fallible<String> {
    Ok(std::env::var("HUSUN_TEST_NATS_WORKER")
        .map_err(|_| "HUSUN_TEST_NATS_WORKER is not set: scripts/nats sets it")?)
}

fn prefix(name: &str) -> String {
    format!("test-{name}-{}", std::process::id())
}

/// A server that workers may work for.
async fn open(name: &str) -> Fallible<House> {
    let workers = format!(
        "[workers]\nnats = \"{}\"\nprefix = \"{}\"",
        nats()?,
        prefix(name)
    );
    House::open_with(name, &workers).await
}

/// `husun work` as a process. It ends when this is dropped.
struct Worker(Child);

impl Worker {
    fn start(name: &str) -> Fallible<Worker> {
        let child = Command::new(env!("CARGO_BIN_EXE_husun"))
            .args(["work", "--threads", "1", "--hash", "1"])
            .args(["--prefix", &prefix(name), "--name", name])
            .env("HUSUN_NATS", nats_of_workers()?)
            .stderr(Stdio::piped())
            .spawn()?;
        Ok(Worker(child))
    }

    fn signal(&self, signal: &str) -> Fallible<()> {
        let pid = self.0.id().to_string();
        let sent = Command::new("kill").args([signal, &pid]).status()?;
        assert!(sent.success());
        Ok(())
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // Gone already, if it has ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The sum of a figure over its labels that contain some text.
async fn figure(house: &House, name: &str, label: &str) -> Fallible<f64> {
    let metrics = ask(house.address, Request::get("/metrics")).await?;
    let lines = metrics.body.lines();
    let lines = lines.filter(|l| l.split(['{', ' ']).next() == Some(name) && l.contains(label));
    let numbers = lines.filter_map(|l| l.rsplit(' ').next()?.parse::<f64>().ok());
    Ok(numbers.sum())
}

async fn until(house: &House, name: &str, label: &str, least: f64) -> Fallible<()> {
    let start = Instant::now();
    while figure(house, name, label).await? < least {
        if start.elapsed() > PATIENCE {
            return Err(format!("{name} {label} does not come to {least}").into());
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok(())
}

/// A game against full strength, which thinks for seconds about every move.
async fn game(house: &House) -> Fallible<Socket> {
    let wishes = r#"{"variant":"chess","side":"white","level":8,"clock":"fischer:3m+0s"}"#;
    let made = ask(house.address, Request::post("/api/games", wishes)).await?;
    let made: GameMade = made.json()?;
    let mut white = Socket::open(house.address, &[]).await?;
    white.join(&made.id, Some(&made.seat)).await?;
    Ok(white)
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a NATS server: scripts/nats cargo test -p husun-cli --test apart -- --ignored workers::"]
async fn nats_a_worker_plays_and_is_killed_and_stopped() -> Fallible<()> {
    let _turn = crate::turn(module_path!());
    let mut quicker = String::new();
    for attempt in 1..=3 {
        match worker_killed_and_stopped(&format!("worker-killed-{attempt}")).await {
            Ok(()) => return Ok(()),
            // On a busy machine the server's own threads may be quicker than the worker: then it has nothing to lose.
            // Whatever goes wrong with a job that it has is no such thing, and panics.
            Err(error) => quicker = error.to_string(),
        }
    }
    Err(quicker.into())
}

async fn worker_killed_and_stopped(name: &str) -> Fallible<()> {
    let house = open(name).await?;
    let mut white = game(&house).await?;
    let first = Worker::start(name)?;
    until(&house, "husun_workers", "", 1.0).await?;
    let data = house.data.to_string_lossy();
    let shown = told(&["nodes", "--data", &data])?.0.stdout;
    let shown = String::from_utf8(shown)?;
    assert!(shown.starts_with(&format!("worker {name}: ")), "{shown}");
    white.play(0, "d2d4").await?;
    let now = white.ply(2).await?;
    assert!(now.result.is_none());
    until(&house, "husun_engine_jobs_total", "by=\"worker\"", 1.0).await?;

    // Killed while it thinks and the clock runs: own threads move in time.
    white.play(2, "g1f3").await?;
    until(&house, "husun_worker_jobs", "", 1.0).await?;
    first.signal("-9")?;
    let now = white.ply(4).await?;
    assert!(now.result.is_none(), "{:?}", now.result);
    until(&house, "husun_worker_redone_total", "gone", 1.0).await?;
    until_none(&house, "husun_workers").await?;

    // Stopped while it thinks; it goes on later and is of use again.
    let second = Worker::start(name)?;
    until(&house, "husun_workers", "", 1.0).await?;
    white.play(4, "c1f4").await?;
    until(&house, "husun_worker_jobs", "", 1.0).await?;
    second.signal("-STOP")?;
    let now = white.ply(6).await?;
    assert!(now.result.is_none(), "{:?}", now.result);
    until(&house, "husun_worker_redone_total", "gone", 2.0).await?;
    second.signal("-CONT")?;
    until(&house, "husun_workers", "", 1.0).await?;
    drop(lent_analysis(&house).await?);
    until_none(&house, "husun_worker_jobs").await?;
    assert_eq!(figure(&house, "husun_worker_refused_total", "").await?, 0.0);
    drop(second);
    house.close()
}

async fn until_none(house: &House, name: &str) -> Fallible<()> {
    let start = Instant::now();
    while figure(house, name, "").await? > 0.0 {
        if start.elapsed() > PATIENCE {
            return Err(format!("{name} does not come to 0").into());
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok(())
}

/// Asks for an analysis, with the number 1, and waits for its first lines.
async fn analyse(socket: &mut Socket) -> Fallible<()> {
    let question = AnalyseQuestion {
        n: 1,
        variant: "shatranj".into(),
        fen: None,
        moves: Vec::new(),
        lines: Some(2),
    };
    socket.say(&ClientMessage::Analyse(question)).await?;
    let lines = |m| match m {
        ServerMessage::Analysis {
            n: 1, lines, done, ..
        } if lines.len() == 2 => (!done).then_some(()),
        _ => None,
    };
    socket.until(lines).await
}

/// An analysis that a worker is at, however often own threads are quicker: they are where the worker has not said yet that
/// its thread is free.
async fn lent_analysis(house: &House) -> Fallible<Socket> {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        let mut socket = Socket::open(house.address, &[]).await?;
        analyse(&mut socket).await?;
        // The figure is told a moment later.
        for _ in 0..50 {
            if figure(house, "husun_worker_jobs", "").await? > 0.0 {
                return Ok(socket);
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
    Err("no worker takes an analysis".into())
}

/// An analysis streams from a worker, ends there when nobody wants it, and is given back when the worker ends.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a NATS server: scripts/nats cargo test -p husun-cli --test apart -- --ignored workers::"]
async fn nats_an_analysis_streams_and_is_given_back() -> Fallible<()> {
    let _turn = crate::turn(module_path!());
    let house = open("worker-ends").await?;
    let mut worker = Worker::start("worker-ends")?;
    until(&house, "husun_workers", "", 1.0).await?;
    let socket = lent_analysis(&house).await?;
    // Who asked goes.
    drop(socket);
    until_none(&house, "husun_worker_jobs").await?;
    let mut socket = lent_analysis(&house).await?;
    worker.signal("-INT")?;
    let mut said = String::new();
    let mut pipe = worker.0.stderr.take().ok_or("no pipe")?;
    let status = worker.0.wait()?;
    std::io::Read::read_to_string(&mut pipe, &mut said)?;
    assert!(status.success(), "{status}: {said}");
    assert!(said.contains("Connected, with 1 thread;"), "{said}");
    assert!(said.contains("Done: 0 moves"), "{said}");
    assert_eq!(
        figure(&house, "husun_worker_redone_total", "given back").await?,
        1.0
    );
    // It goes on here.
    let done = |m| match m {
        ServerMessage::Analysis {
            n: 1, done: true, ..
        } => Some(()),
        _ => None,
    };
    tokio::time::timeout(PATIENCE, socket.until(done)).await??;
    house.close()
}

fn told(args: &[&str]) -> Fallible<(Output, String)> {
    let output = Command::new(env!("CARGO_BIN_EXE_husun"))
        .args(args)
        .env_remove("HUSUN_NATS")
        .output()?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    Ok((output, said))
}

#[test]
fn what_is_wrong_is_said() -> Fallible<()> {
    let _turn = crate::turn(module_path!());
    for (args, words) in [
        (
            &["work"][..],
            "expected --nats nats://host:port, or husun_nats",
        ),
        (
            &["work", "--nats", "nats://127.0.0.1:1"],
            "the nats server 127.0.0.1:1: no connection",
        ),
        (
            &["work", "--nats", "http://x"],
            "begins neither with nats://",
        ),
        (
            &["work", "--nats", "nats://127.0.0.1:1", "--prefix", "a b"],
            "the prefix of subjects is \"a b\"",
        ),
        (
            &[
                "work",
                "--nats",
                "nats://127.0.0.1:1",
                "--games",
                "chess,citadl9",
            ],
            "did you mean `citadel9`?",
        ),
        (
            &["work", "--nats", "nats://127.0.0.1:1", "--threads", "0"],
            "1..=1024",
        ),
    ] {
        let (output, said) = told(args)?;
        assert_eq!(output.status.code(), Some(2), "{args:?}: {said}");
        assert!(said.to_lowercase().contains(words), "{args:?}: {said}");
    }
    Ok(())
}
