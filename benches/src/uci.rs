//! An engine as a process that speaks UCI; timed from the command to the answer.

use anyhow::{Context, Result, bail};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// What to search.
pub struct Question<'a> {
    /// The game, by a name that the engine knows.
    pub variant: &'a str,
    /// The position.
    pub fen: &'a str,
    /// Half-moves.
    pub depth: u32,
    /// Threads.
    pub threads: u32,
}

/// What a search took.
pub struct Found {
    /// Positions visited.
    pub nodes: u64,
    /// Time from the command to the answer.
    pub waited: Duration,
}

/// The running program.
pub struct Program {
    name: String,
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Program {
    /// Starts it; none if there is no such file.
    pub fn start(path: &Path, args: &[&str]) -> Result<Option<Program>> {
        if !path.exists() {
            return Ok(None);
        }
        let name = path.display().to_string();
        let mut child = Command::new(path)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("{name} does not start"))?;
        let input = child.stdin.take().context("no input")?;
        let output = child.stdout.take().context("no output")?;
        let output = BufReader::new(output);
        Ok(Some(Program {
            name,
            child,
            input,
            output,
        }))
    }

    /// Its perft with the processor time that it took.
    pub fn perft(&mut self, variant: &str, fen: &str, depth: u32) -> Result<(u64, Duration)> {
        // An unknown variant is ignored in silence and not every known one is confirmed; the caller
        // compares the count, which no other variant gives.
        self.send(&format!("setoption name UCI_Variant value {variant}"))?;
        self.send(&format!("position fen {fen}"))?;
        self.send("isready")?;
        self.wait_for("readyok")?;
        let (start, before) = (Instant::now(), self.processor_time());
        self.send(&format!("go perft {depth}"))?;
        let line = self.wait_for("Nodes searched: ")?;
        let time = match (before, self.processor_time()) {
            (Some(before), Some(after)) => after.saturating_sub(before),
            _ => start.elapsed(),
        };
        let nodes = line.trim_start_matches("Nodes searched: ").trim();
        Ok((nodes.parse().context(line.clone())?, time))
    }

    /// Searches a position to a depth, with a table of its own of 64 MiB, emptied before.
    pub fn search(&mut self, question: &Question) -> Result<Found> {
        let Question {
            variant,
            fen,
            depth,
            threads,
        } = question;
        self.send(&format!("setoption name UCI_Variant value {variant}"))?;
        self.send("setoption name Hash value 64")?;
        self.send(&format!("setoption name Threads value {threads}"))?;
        self.send("ucinewgame")?;
        self.send(&format!("position fen {fen}"))?;
        self.send("isready")?;
        self.wait_for("readyok")?;
        let start = Instant::now();
        self.send(&format!("go depth {depth}"))?;
        let mut nodes = None;
        self.each_line(|line| {
            let mut words = line.split_whitespace();
            if words.any(|w| w == "nodes") {
                nodes = words.next().and_then(|n| n.parse().ok()).or(nodes);
            }
            line.starts_with("bestmove")
        })?;
        let waited = start.elapsed();
        Ok(Found {
            nodes: nodes.with_context(|| format!("{} tells no nodes", self.name))?,
            waited,
        })
    }

    fn send(&mut self, line: &str) -> Result<()> {
        writeln!(self.input, "{line}")?;
        Ok(self.input.flush()?)
    }

    fn wait_for(&mut self, start: &str) -> Result<String> {
        let mut found = String::new();
        self.each_line(|line| {
            let is = line.starts_with(start);
            if is {
                found = line.into();
            }
            is
        })
        .with_context(|| format!("waiting for `{start}`"))?;
        Ok(found)
    }

    /// Reads lines until one is the last that is wanted.
    fn each_line(&mut self, mut is_last: impl FnMut(&str) -> bool) -> Result<()> {
        let mut line = String::new();
        loop {
            line.clear();
            if self.output.read_line(&mut line)? == 0 {
                bail!("{} ended", self.name);
            }
            if is_last(&line) {
                return Ok(());
            }
        }
    }

    /// Processor time of all its threads so far, where the system tells.
    fn processor_time(&self) -> Option<Duration> {
        let tasks = fs::read_dir(format!("/proc/{}/task", self.child.id())).ok()?;
        let mut nanos = 0;
        for task in tasks {
            let text = fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
            nanos += text.split_whitespace().next()?.parse::<u64>().ok()?;
        }
        Some(Duration::from_nanos(nanos))
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It ends with its input anyway.
        let _ = self.send("quit");
        let _ = self.child.wait();
    }
}
