//! For the tests of sessions: an engine that does what a test wants, and a session to talk to.

use crate::host::{Host, HostError, SearchRequest, Thinker};
use crate::standard_host::StandardHost;
use engine::{Info, Limits, Options, Score, SearchResult, Wdl};
use husun::{Position, Variant};
use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Long enough for anything, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Plays the first legal move; in an infinite search, once it is stopped. It can be made to fail.
pub struct Fake {
    seen: Arc<Mutex<Vec<Limits>>>,
    fails: bool,
    ponders: bool,
}

impl Thinker for Fake {
    fn configure(&mut self, _: &Options) {}

    fn forget(&mut self) {}

    fn think(
        &mut self,
        request: &SearchRequest,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Info),
    ) -> SearchResult {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.push(request.limits.clone());
        drop(seen);
        assert!(!self.fails, "this engine fails");
        let waits = || {
            let pondering = request
                .limits
                .ponder
                .as_ref()
                .is_some_and(|p| p.load(Relaxed));
            (request.limits.infinite || pondering) && !stop.load(Relaxed)
        };
        while waits() {
            std::thread::sleep(Duration::from_millis(1));
        }
        let mut moves = request.position.legal_moves();
        moves.sort_by_key(|&m| request.position.uci(m).to_string());
        let best = moves.first().copied();
        let score = Score::Cp(request.history.len() as i32);
        report(&Info {
            depth: 1,
            seldepth: 2,
            line: 1,
            score,
            wdl: Wdl::of(Score::Cp(0)),
            nodes: 1000,
            time: Duration::from_secs(1),
            hashfull: 3,
            table_hits: 5,
            pv: best.into_iter().collect(),
        });
        let reply = |best| request.position.play_unchecked(best).legal_moves();
        SearchResult {
            best,
            ponder: best
                .filter(|_| self.ponders)
                .and_then(|best| reply(best).first().copied()),
            score,
            pv: Vec::new(),
            accept: false,
            depth: 1,
            nodes: 1,
        }
    }

    fn assess(&self, _: &Position) -> String {
        "fine".into()
    }
}

#[derive(Default)]
pub struct FakeHost {
    pub inner: StandardHost,
    pub seen: Arc<Mutex<Vec<Limits>>>,
    pub fails: bool,
    /// Whether an answer is expected, to ponder on.
    pub ponders: bool,
}

impl Host for FakeHost {
    fn ids(&self) -> Vec<String> {
        self.inner.ids()
    }

    fn variant(&self, id: &str) -> Option<Arc<Variant>> {
        self.inner.variant(id)
    }

    fn load(&mut self, paths: &str) -> Result<Vec<String>, HostError> {
        self.inner.load(paths)
    }

    fn thinker(&self, _: &Arc<Variant>, _: &Options) -> Box<dyn Thinker> {
        Box::new(Fake {
            seen: self.seen.clone(),
            fails: self.fails,
            ponders: self.ponders,
        })
    }
}

/// A session in a thread of its own.
pub struct TestSession {
    input: Option<Sender<Vec<u8>>>,
    output: Receiver<String>,
    thread: Option<std::thread::JoinHandle<()>>,
}

pub struct Pipe {
    from: Receiver<Vec<u8>>,
    rest: Vec<u8>,
}

impl Read for Pipe {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.rest.is_empty() {
            self.rest = self.from.recv().unwrap_or_default();
        }
        let n = self.rest.len().min(into.len());
        into[..n].copy_from_slice(&self.rest[..n]);
        self.rest.drain(..n);
        Ok(n)
    }
}

pub struct Tap {
    to: Sender<String>,
    line: Vec<u8>,
}

impl Write for Tap {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for &byte in bytes {
            if byte == b'\n' {
                let line = String::from_utf8_lossy(&self.line).into_owned();
                self.line.clear();
                let _ = self.to.send(line);
            } else {
                self.line.push(byte);
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl TestSession {
    /// Starts a session in a thread of its own.
    pub fn new<S>(session: S) -> TestSession
    where
        S: FnOnce(Pipe, Tap) -> io::Result<()> + Send + 'static,
    {
        let (input, from) = channel();
        let (to, output) = channel();
        let thread = std::thread::spawn(move || {
            let pipe = Pipe {
                from,
                rest: Vec::new(),
            };
            let tap = Tap {
                to,
                line: Vec::new(),
            };
            session(pipe, tap).unwrap();
        });
        TestSession {
            input: Some(input),
            output,
            thread: Some(thread),
        }
    }

    pub fn say(&self, line: &str) {
        let bytes = format!("{line}\n").into_bytes();
        self.input.as_ref().unwrap().send(bytes).unwrap();
    }

    pub fn hear(&self) -> String {
        self.output.recv_timeout(PATIENCE).expect("a line")
    }

    /// Lines up to and including one that starts with `start`.
    pub fn until(&self, start: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            lines.push(self.hear());
            if lines.last().unwrap().starts_with(start) {
                return lines;
            }
        }
    }

    /// Ends the input and returns all lines still to come.
    pub fn end(mut self) -> Vec<String> {
        drop(self.input.take());
        self.thread.take().unwrap().join().unwrap();
        self.output.try_iter().collect()
    }
}
