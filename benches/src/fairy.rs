//! Fairy-Stockfish as a process that speaks UCI; timed from the command to the answer.

use anyhow::{Context, Result, bail};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// The running program.
pub struct Fairy {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Fairy {
    /// Starts it; none if there is no such file.
    pub fn start(path: &Path) -> Result<Option<Fairy>> {
        if !path.exists() {
            return Ok(None);
        }
        let mut child = Command::new(path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("Fairy-Stockfish does not start")?;
        let input = child.stdin.take().context("no input")?;
        let output = child.stdout.take().context("no output")?;
        let output = BufReader::new(output);
        Ok(Some(Fairy {
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

    fn send(&mut self, line: &str) -> Result<()> {
        writeln!(self.input, "{line}")?;
        Ok(self.input.flush()?)
    }

    fn wait_for(&mut self, start: &str) -> Result<String> {
        let mut line = String::new();
        loop {
            line.clear();
            if self.output.read_line(&mut line)? == 0 {
                bail!("Fairy-Stockfish ended before `{start}`");
            }
            if line.starts_with(start) {
                return Ok(line);
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

impl Drop for Fairy {
    fn drop(&mut self) {
        // It ends with its input anyway.
        let _ = self.send("quit");
        let _ = self.child.wait();
    }
}
