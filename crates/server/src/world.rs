//! What all games share: storage, engine, time of the run, chance.

use crate::brains::Brains;
use crate::store::{EventRow, Store, Writer, millis};
use crate::table::Event;
use crate::work::Work;
use rand::RngExt;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How often the run's time is noted, for a start after a sudden end.
pub const BEAT: Duration = Duration::from_millis(20);

/// What all games share.
#[derive(Debug)]
pub struct World {
    /// Where games are kept.
    pub store: Arc<dyn Store>,
    /// The way to store events.
    pub writer: Writer,
    /// The engine's threads.
    pub brains: Brains,
    /// Threads for other work that takes more than a moment.
    pub work: Work,
    /// Number of the run.
    pub run: i64,
    /// When the run began.
    pub start: Instant,
}

impl World {
    /// Number of the run and its time in milliseconds.
    pub fn run_time(&self) -> (i64, i64) {
        (self.run, millis(self.start.elapsed()))
    }

    /// An event as it is stored.
    pub fn row(&self, game: &str, seq: u64, at: Duration, event: &Event) -> EventRow {
        let (run, run_ms) = self.run_time();
        let guest = match event {
            Event::Joined { person, .. } | Event::CounsellorJoined { person, .. } => {
                Some(person.guest.clone())
            }
            _ => None,
        };
        EventRow {
            game: game.into(),
            seq: seq as i64,
            at_ms: millis(at),
            run,
            run_ms,
            wall_ms: wall_ms(),
            body: event.to_text(),
            guest,
        }
    }

    /// Throws a die.
    pub fn die(&self) -> u8 {
        rand::rng().random_range(1..=6)
    }
}

/// Milliseconds of Unix time.
pub fn wall_ms() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    millis(now.unwrap_or_default())
}

/// A word that nobody can guess: `bytes` of chance in letters and digits of base 32.
pub fn secret(bytes: usize) -> String {
    const ALPHABET: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let mut rng = rand::rng();
    (0..(bytes * 8).div_ceil(5))
        .map(|_| char::from(ALPHABET[rng.random_range(0..32_usize)]))
        .collect()
}

/// The file in which the run's time is noted: what a running clock had used when the process was ended without
/// warning. It is written without waiting for the disk, since it is only of use when the machine goes on.
#[derive(Debug)]
pub struct Heart {
    path: PathBuf,
    /// Kept open: it must not depend on a file being free when many connections are open.
    file: OnceLock<File>,
}

impl Heart {
    /// The heart of a data folder.
    pub fn of(folder: &Path) -> Heart {
        Heart {
            path: folder.join("alive"),
            file: OnceLock::new(),
        }
    }

    /// The last run's number and its last noted time in milliseconds.
    pub fn last(&self) -> Option<(i64, i64)> {
        let text = std::fs::read_to_string(&self.path).ok()?;
        let (run, ms) = text.trim().split_once(' ')?;
        Some((run.parse().ok()?, ms.trim().parse().ok()?))
    }

    /// Notes a time, in place: the text has always the same length.
    pub fn beat(&self, run: i64, ms: i64) -> io::Result<()> {
        use std::io::{Seek, SeekFrom, Write};
        let mut file = match self.file.get() {
            Some(file) => file,
            None => {
                let mut options = File::options();
                options.create(true).write(true).truncate(false);
                let file = options.open(&self.path)?;
                self.file.get_or_init(|| file)
            }
        };
        file.seek(SeekFrom::Start(0))?;
        file.write_all(format!("{run:020} {ms:020}\n").as_bytes())
    }
}
