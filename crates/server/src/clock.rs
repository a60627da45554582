//! The server's own time: it goes on from run to run, and stands still while the server is down, while its players
//! cannot reach it yet, and while nothing can be stored. All games' clocks are read from it.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// How often the time is noted in the data folder, for a start after a sudden end.
pub const BEAT: Duration = Duration::from_millis(20);

/// Why the server's time stands still.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Halt {
    /// The server has just started: its players come back.
    Starting,
    /// Nothing can be stored.
    Storage,
}

#[derive(Debug)]
struct State {
    /// The time at `since`.
    base: Duration,
    /// When it went on last; not at all while it stands still.
    since: Option<Instant>,
    halts: Vec<Halt>,
}

/// The server's time.
#[derive(Clone, Debug)]
pub struct ServerClock {
    state: Arc<Mutex<State>>,
    tell: watch::Sender<Option<Halt>>,
}

impl ServerClock {
    /// A clock that stands still at a time, until the start is over.
    pub fn starting_at(base: Duration) -> ServerClock {
        ServerClock {
            state: Arc::new(Mutex::new(State {
                base,
                since: None,
                halts: vec![Halt::Starting],
            })),
            tell: watch::Sender::new(Some(Halt::Starting)),
        }
    }

    fn with<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        act(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The time now.
    pub fn now(&self) -> Duration {
        self.with(|state| state.now())
    }

    /// The time at a moment of the machine's clock that has passed; while it stood still, the time at which it did.
    pub fn time_of(&self, instant: Instant) -> Duration {
        self.with(|state| match state.since {
            Some(since) => state.base + instant.saturating_duration_since(since),
            None => state.base,
        })
    }

    /// Lets time go by at once.
    #[cfg(test)]
    pub fn advance(&self, by: Duration) {
        self.with(|state| state.base += by);
    }

    /// When a time of the server comes, if the clock goes on; nothing while it stands still.
    pub fn instant_of(&self, time: Duration) -> Option<Instant> {
        self.with(|state| state.since?.checked_add(time.saturating_sub(state.base)))
    }

    /// Stops the clock. It goes on when every reason is gone.
    pub fn halt(&self, why: Halt) {
        self.with(|state| {
            state.base = state.now();
            state.since = None;
            if !state.halts.contains(&why) {
                state.halts.push(why);
            }
            self.tell.send_replace(state.halts.last().cloned());
        });
    }

    /// Takes a reason away.
    pub fn resume(&self, why: &Halt) {
        self.with(|state| {
            state.halts.retain(|halt| halt != why);
            if state.halts.is_empty() && state.since.is_none() {
                state.since = Some(Instant::now());
            }
            self.tell.send_replace(state.halts.last().cloned());
        });
    }

    /// Why it stands still, told anew when that changes.
    pub fn halted(&self) -> watch::Receiver<Option<Halt>> {
        self.tell.subscribe()
    }
}

impl State {
    fn now(&self) -> Duration {
        self.base + self.since.map_or(Duration::ZERO, |since| since.elapsed())
    }
}

/// The file in which the server's time is noted: what a running clock had used when the process was ended without
/// warning. It is written without waiting for the disk, since it is only of use when the machine goes on.
#[derive(Debug)]
pub struct TimeNote {
    path: PathBuf,
    file: Option<File>,
}

impl TimeNote {
    /// The note of a data folder.
    pub fn of(folder: &Path) -> TimeNote {
        TimeNote {
            path: folder.join("alive"),
            file: None,
        }
    }

    /// The last run's number and its last noted time in milliseconds.
    pub fn last(&self) -> Option<(i64, i64)> {
        let mut text = String::new();
        let file = File::open(&self.path).ok()?;
        file.take(100).read_to_string(&mut text).ok()?;
        let (run, ms) = text.trim().split_once(' ')?;
        Some((run.parse().ok()?, ms.trim().parse().ok()?))
    }

    /// Notes a time, in place: the text has always the same length. The file stays open, so that it is noted when
    /// no file can be opened any more.
    pub fn note(&mut self, run: i64, ms: i64) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            None => {
                let file = store::files::own(&self.path)?;
                self.file.insert(file)
            }
        };
        file.seek(SeekFrom::Start(0))?;
        file.write_all(format!("{run:020} {ms:020}\n").as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_goes_on_when_every_reason_is_gone() {
        let clock = ServerClock::starting_at(Duration::from_secs(7));
        assert_eq!(clock.now(), Duration::from_secs(7));
        assert_eq!(clock.instant_of(Duration::from_secs(9)), None);
        clock.halt(Halt::Storage);
        clock.resume(&Halt::Starting);
        assert_eq!(clock.now(), Duration::from_secs(7));
        clock.resume(&Halt::Storage);
        std::thread::sleep(Duration::from_millis(5));
        assert!(clock.now() > Duration::from_secs(7));
        assert!(clock.instant_of(Duration::from_secs(9)).is_some());
        // A moment at which it stood still is that at which it went on, and no later moment is earlier.
        let began = Instant::now();
        let then = clock.time_of(began);
        assert!(then > Duration::from_secs(7) && then <= clock.now());
        let before = began.checked_sub(Duration::from_secs(60));
        assert_eq!(
            before.map(|b| clock.time_of(b)),
            Some(Duration::from_secs(7))
        );
        clock.halt(Halt::Storage);
        let stopped = clock.now();
        std::thread::sleep(Duration::from_millis(5));
        assert_eq!(clock.now(), stopped);
    }
}
