//! An engine as a process: lines to it, lines from it with their times of arrival.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// The longest line that is read from an engine, in bytes.
const MAX_LINE: u64 = 1 << 16;
/// How often to check whether the engine's answer is still wanted.
const LOOK: Duration = Duration::from_millis(50);

/// What can go wrong with an engine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It cannot be started.
    #[error("cannot be started: {0}")]
    Start(String),
    /// It has ended, or takes no more input.
    #[error("has ended on its own")]
    Crash,
    /// It does not answer.
    #[error("does not answer to `{0}`")]
    Silent(&'static str),
    /// Nobody is waiting for its answer any more.
    #[error("is no longer waited for")]
    Over,
    /// It cannot play the game as required.
    #[error("{0}")]
    Unfit(String),
}

/// A running engine. It is killed when it is dropped.
pub struct Process {
    child: Child,
    input: ChildStdin,
    lines: Receiver<(Instant, String)>,
    over: Option<Arc<AtomicBool>>,
}

impl Process {
    pub fn start(command: &[String]) -> Result<Process, Fault> {
        let error = |e: std::io::Error| Fault::Start(e.to_string());
        let (program, args) = command
            .split_first()
            .ok_or_else(|| Fault::Start("no command".into()))?;
        let mut child = Command::new(program)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(error)?;
        let pipes = (child.stdin.take(), child.stdout.take());
        let (Some(input), Some(output)) = pipes else {
            return Err(Fault::Start("no pipes".into()));
        };
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            let mut bytes = Vec::new();
            loop {
                bytes.clear();
                let read = (&mut output).take(MAX_LINE).read_until(b'\n', &mut bytes);
                let now = Instant::now();
                let text = String::from_utf8_lossy(&bytes).trim().to_owned();
                if !matches!(read, Ok(1..)) || sender.send((now, text)).is_err() {
                    return;
                }
            }
        });
        Ok(Process {
            child,
            input,
            lines,
            over: None,
        })
    }

    /// Makes a wait for a line give up when this flag is set.
    pub fn give_up_by(&mut self, over: Arc<AtomicBool>) {
        self.over = Some(over);
    }

    /// Sends lines.
    pub fn say(&mut self, lines: &str) -> Result<(), Fault> {
        let sent = writeln!(self.input, "{lines}").and_then(|()| self.input.flush());
        sent.map_err(|_| Fault::Crash)
    }

    /// The next line, if one comes in time.
    pub fn hear(&mut self, until: Instant) -> Result<Option<(Instant, String)>, Fault> {
        loop {
            let over = self.over.as_ref();
            if over.is_some_and(|over| over.load(Relaxed)) {
                return Err(Fault::Over);
            }
            let left = until.saturating_duration_since(Instant::now());
            let wait = over.map_or(left, |_| left.min(LOOK));
            match self.lines.recv_timeout(wait) {
                Ok(line) => return Ok(Some(line)),
                Err(RecvTimeoutError::Timeout) if wait < left => {}
                Err(RecvTimeoutError::Timeout) => return Ok(None),
                Err(RecvTimeoutError::Disconnected) => return Err(Fault::Crash),
            }
        }
    }

    /// Reads lines until one is the expected answer; `what` names the question in the fault.
    pub fn wait(
        &mut self,
        what: &'static str,
        patience: Duration,
        mut is_it: impl FnMut(&str) -> bool,
    ) -> Result<(), Fault> {
        let until = Instant::now() + patience;
        while let Some((_, line)) = self.hear(until)? {
            if is_it(&line) {
                return Ok(());
            }
        }
        Err(Fault::Silent(what))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended before.
        let _ = writeln!(self.input, "quit");
        let _ = self.input.flush();
        for _ in 0..20 {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
