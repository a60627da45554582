//! The server as a separate process.

#![allow(dead_code)] // each test uses its part

#[path = "../../../bus/src/tests/port.rs"]
mod port;

pub use port::free_port;

use super::common::{Fallible, Request, Socket, ask};
use server::wire::{GameMade, Now};
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A number given in the environment.
pub fn asked(name: &str, otherwise: usize) -> usize {
    let value = std::env::var(name).ok();
    value.and_then(|v| v.parse().ok()).unwrap_or(otherwise)
}

pub fn folder(name: &str) -> Fallible<PathBuf> {
    let folder = std::env::temp_dir().join(format!("husun-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// Passes on what a program says, and keeps it.
fn overhear(mut errors: ChildStderr) -> JoinHandle<String> {
    std::thread::spawn(move || {
        let (mut said, mut part) = (Vec::new(), [0; 4096]);
        while let Ok(some @ 1..) = errors.read(&mut part) {
            // The program goes on if nobody reads what the tests say.
            let _ = std::io::stderr().write_all(&part[..some]);
            said.extend_from_slice(&part[..some]);
        }
        String::from_utf8_lossy(&said).into_owned()
    })
}

/// A game of two players who are present.
pub async fn pair(address: SocketAddr) -> Fallible<([Socket; 2], Now)> {
    let wishes = r#"{"variant":"citadel9","side":"white","clock":"fischer:60m+1s"}"#;
    let made = ask(address, Request::post("/api/games", wishes)).await?;
    let made: GameMade = made.json()?;
    let mut white = Socket::open(address, &[]).await?;
    white.join(&made.id, Some(&made.seat)).await?;
    let mut black = Socket::open(address, &[]).await?;
    let friend = made.friend_seat.ok_or("no seat for the friend")?;
    let now = black.join(&made.id, Some(&friend)).await?.now;
    Ok(([white, black], now))
}

/// A server process with the moments between which it began to charge time. It ends when this is dropped.
pub struct Process {
    child: Child,
    pub address: SocketAddr,
    pub listening: Instant,
    pub ready: Instant,
}

impl Process {
    /// Starts it on a free port, and waits until it takes players.
    pub async fn start(data: &Path, config: &Path) -> Fallible<Process> {
        Process::start_with(data, config, &[]).await
    }

    /// Starts it with additional environment variables.
    pub async fn start_with(
        data: &Path,
        config: &Path,
        with: &[(&str, &Path)],
    ) -> Fallible<Process> {
        let listen = format!("127.0.0.1:{}", free_port()?);
        Process::start_on(&listen, data, config, with).await
    }

    /// Starts it at an address, such as that of an earlier one.
    pub async fn start_at(address: SocketAddr, data: &Path, config: &Path) -> Fallible<Process> {
        Process::start_on(&address.to_string(), data, config, &[]).await
    }

    async fn start_on(
        listen: &str,
        data: &Path,
        config: &Path,
        with: &[(&str, &Path)],
    ) -> Fallible<Process> {
        let command = Process::command(data, config, listen);
        Process::await_ready(command, with).await
    }

    /// Starts another program than that of the tests at an address.
    pub async fn start_program(
        program: &Path,
        address: SocketAddr,
        data: &Path,
        config: &Path,
    ) -> Fallible<Process> {
        let command = Process::command_of(program.as_ref(), data, config, &address.to_string());
        Process::await_ready(command, &[]).await
    }

    async fn await_ready(mut command: Command, with: &[(&str, &Path)]) -> Fallible<Process> {
        let listening = Instant::now();
        command.stderr(Stdio::piped());
        let mut child = command.envs(with.iter().copied()).spawn()?;
        let stdout = child.stdout.take().ok_or("no output")?;
        let said = overhear(child.stderr.take().ok_or("no errors")?);
        let line = tokio::task::spawn_blocking(move || {
            let mut line = String::new();
            BufReader::new(stdout).read_line(&mut line).map(|_| line)
        });
        let line = line.await??;
        let address = line
            .split("http://")
            .nth(1)
            .and_then(|l| l.split('/').next());
        let Some(address) = address else {
            // It may go on without having said where, and would then be waited for.
            child.kill()?;
            let ended = child.wait()?;
            let said = said.join().map_err(|_| "its errors are not read")?;
            return Err(format!("no address in {line:?}; {ended}: {said}").into());
        };
        let address: SocketAddr = address.parse()?;
        let mut process = Process {
            child,
            address,
            listening,
            ready: listening,
        };
        process.wait_for("/readyz", Duration::from_secs(60)).await?;
        process.ready = Instant::now();
        Ok(process)
    }

    /// Starts it at a port that is free now, without waiting.
    pub fn spawn(data: &Path, config: &Path) -> Fallible<Process> {
        Process::spawn_with(data, config, &[])
    }

    /// Starts it with additional environment variables.
    pub fn spawn_with(data: &Path, config: &Path, with: &[(&str, &Path)]) -> Fallible<Process> {
        let address = SocketAddr::from(([127, 0, 0, 1], free_port()?));
        let listening = Instant::now();
        let mut command = Process::command(data, config, &address.to_string());
        let child = command.envs(with.iter().copied()).spawn()?;
        Ok(Process {
            child,
            address,
            listening,
            ready: listening,
        })
    }

    fn command(data: &Path, config: &Path, listen: &str) -> Command {
        // Figures are measured with another build than the tests'.
        let program = std::env::var_os("HUSUN_SERVER");
        let program = program.unwrap_or_else(|| env!("CARGO_BIN_EXE_husun").into());
        Process::command_of(&program, data, config, listen)
    }

    fn command_of(program: &OsStr, data: &Path, config: &Path, listen: &str) -> Command {
        let log = std::env::var("HUSUN_LOG").unwrap_or_else(|_| "warn".into());
        let mut command = Command::new(program);
        command
            .args(["serve", "--listen", listen, "--data"])
            .arg(data)
            .arg("--config")
            .arg(config)
            .env("HUSUN_LOG", log)
            .stdout(Stdio::piped());
        command
    }

    /// Waits until a path is answered with 200; returns how long it took.
    pub async fn wait_for(&self, path: &str, most: Duration) -> Fallible<Duration> {
        let start = Instant::now();
        loop {
            if let Ok(answer) = ask(self.address, Request::get(path)).await
                && answer.status == 200
            {
                return Ok(start.elapsed());
            }
            if start.elapsed() > most {
                return Err(format!("{path} is not answered").into());
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Memory in use, in megabytes.
    pub fn megabytes(&self) -> Fallible<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find(|l| l.starts_with("VmRSS:"));
        let kilobytes: u64 = line
            .and_then(|l| l.split_whitespace().nth(1)?.parse().ok())
            .ok_or("no VmRSS")?;
        Ok(kilobytes / 1024)
    }

    /// Sends it a signal, such as `STOP`.
    pub fn signal(&self, name: &str) -> Fallible<()> {
        let pid = self.child.id().to_string();
        let name = format!("-{name}");
        let sent = Command::new("kill").args([&name, &pid]).status()?;
        match sent.success() {
            true => Ok(()),
            false => Err(format!("it cannot be sent {name}").into()),
        }
    }

    /// Whether it is still running.
    pub fn is_running(&mut self) -> Fallible<bool> {
        Ok(self.child.try_wait()?.is_none())
    }

    /// Waits until it ends by itself; tells its status.
    pub fn wait(mut self) -> Fallible<Option<i32>> {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status.code());
            }
            if start.elapsed() > Duration::from_secs(30) {
                return Err("it does not end".into());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Asks it to end, and waits until it has.
    pub fn end(mut self) -> Fallible<()> {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args(["-TERM", &pid]).status()?;
        assert!(sent.success());
        self.child.wait()?;
        Ok(())
    }

    /// Kills it without warning.
    pub fn kill(mut self) -> Fallible<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Already gone, if it was killed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
