//! What all games share: storage, engine, the server's time, chance.

use crate::archive::Archive;
use crate::clock::ServerClock;
use crate::engines::Engines;
use crate::moderation::Bans;
use crate::node::Node;
use crate::notices::Happenings;
use crate::positions::LineCache;
use crate::ratings::Ratings;
use crate::refusal::{Reason, Refused, refused};
use crate::seats::SeatKeys;
use crate::work::{Weight, Work};
use bus::Bus;
use husun::Variant;
use lessons::Courses;
use play::lobby::Wanted;
use play::table::{Chance, Event};
use play::{Definition, Games};
use rand::RngExt;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use store::notes::NoteStore;
use store::vacations::VacationStore;
use store::{DefinitionRow, EventRow, Store, Writer, millis};
use tablebase::{Tablebase, Tablebases};
use tokio::sync::Notify;

/// What all games share.
#[derive(Debug)]
pub struct Services {
    /// The games that are played.
    pub games: Arc<Games>,
    /// Where games are kept.
    pub store: Arc<dyn Store>,
    /// What players write to themselves.
    pub notes: Arc<dyn NoteStore>,
    /// Games of a person that are not over.
    pub vacations: Arc<dyn VacationStore>,
    /// What is forbidden to whom.
    pub bans: Arc<Bans>,
    /// What people may be told of while they do not look.
    pub happenings: Happenings,
    /// The way to store.
    pub writer: Writer,
    /// This server among the nodes, or alone.
    pub node: Arc<Node>,
    /// How the parts of the server speak with each other.
    pub bus: Arc<dyn Bus>,
    /// Who does engine jobs.
    pub engines: Arc<dyn Engines>,
    /// Tables of perfect play, if there are some.
    pub tables: Option<Arc<Tablebases>>,
    /// Whether the engine takes a natural time to move.
    pub engine_pause: bool,
    /// Work that takes longer than a moment.
    pub work: Work,
    /// Ratings of those who play.
    pub ratings: Ratings,
    /// Games that are over.
    pub archive: Archive,
    /// A game of a tournament has ended.
    pub ended: Notify,
    /// Lessons of the games.
    pub courses: Courses,
    /// Lines that were looked at last.
    pub lines: LineCache,
    /// The server's time.
    pub clock: ServerClock,
    /// What opens seats.
    pub keys: SeatKeys,
    /// Number of the run.
    pub run: i64,
    /// The first run whose times count on from the run before.
    pub counted_from: i64,
}

impl Services {
    /// The tables of perfect play of a game, if there are some that can be used.
    pub fn tables_of(&self, variant: &Arc<Variant>) -> Option<Arc<Tablebase>> {
        tables_of(self.tables.as_deref(), variant)
    }

    /// Does something that asks the storage. A node whose lease ends meanwhile does not wait for it any longer: others have its games
    /// then, and whoever has come here is to find them.
    pub async fn while_leased<T, E: From<Refused>>(
        &self,
        doing: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        let done = self.node.while_leased(doing).await;
        done.unwrap_or_else(|| {
            let message = "this part of the server is out of touch; try again in a moment";
            Err(refused(Reason::Busy, message).into())
        })
    }

    /// Brings the texts of a variant from storage, if it is one of a file that is not there now.
    pub async fn know(&self, name: &str) -> Result<(), Refused> {
        if !self.games.is_missing(name) {
            return Ok(());
        }
        let damaged = |problem: String| refused(Reason::Damaged, problem);
        let kept = self.store.definition(name).await?;
        let kept =
            kept.ok_or_else(|| damaged(format!("its rules, {name}, are not in the storage")))?;
        let definition = Definition {
            name: kept.name,
            texts: kept.texts,
        };
        let games = self.games.clone();
        let keep = move || games.keep(&definition).map(drop);
        let done = self.work.run(Weight::Light, keep).await?;
        done.map_err(|e| damaged(e.to_string()))
    }

    /// Keeps the texts of games from files of which something is stored before there is a game: the file may be another one
    /// by then.
    pub async fn keep_rules(&self, games: &[Wanted]) -> Result<(), Refused> {
        for wanted in games {
            let Wanted::Variant(name) = wanted else {
                continue;
            };
            let variant = self.games.stored(name);
            let definition = variant.and_then(|v| self.games.definition(&v).cloned());
            if let Some(Definition { name, texts }) = definition {
                let row = DefinitionRow { name, texts };
                self.store.keep_definition(&row).await?;
            }
        }
        Ok(())
    }

    /// An event as it is stored: `at` in the game's time, `server` in the server's.
    pub fn row(&self, seq: u64, at: Duration, server: Duration, event: &Event) -> EventRow {
        let guest = match event {
            Event::Joined { person, .. } | Event::CounsellorJoined { person, .. } => {
                Some(person.guest.clone())
            }
            _ => None,
        };
        EventRow {
            seq: seq as i64,
            at_ms: millis(at),
            run: self.run,
            run_ms: millis(server),
            wall_ms: wall_ms(),
            body: event.to_text(),
            guest,
        }
    }
}

/// The tables of perfect play of a game, if there are some that can be used; what is wrong with others was said at the
/// start.
pub(crate) fn tables_of(
    tables: Option<&Tablebases>,
    variant: &Arc<Variant>,
) -> Option<Arc<Tablebase>> {
    tables?.of(variant).ok()?
}

/// Chance as the operating system gives it.
#[derive(Clone, Copy, Debug)]
pub struct SystemChance;

impl Chance for SystemChance {
    fn die(&mut self) -> u8 {
        rand::rng().random_range(1..=6)
    }

    fn number(&mut self) -> String {
        secret(16)
    }
}

/// Milliseconds of Unix time.
pub fn wall_ms() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    millis(now.unwrap_or_default())
}

/// A word that nobody can guess: `bytes` of chance in letters and digits of base 32.
pub fn secret(bytes: usize) -> String {
    let mut rng = rand::rng();
    let random: Vec<u8> = (0..bytes).map(|_| rng.random()).collect();
    word(&random)
}

/// Bytes in letters and digits that are not mistaken for each other.
pub fn word(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let mut text = String::new();
    let (mut bits, mut held) = (0_u32, 0);
    for byte in bytes {
        bits = bits << 8 | u32::from(*byte);
        held += 8;
        while held >= 5 {
            held -= 5;
            text.push(char::from(ALPHABET[(bits >> held & 31) as usize]));
        }
    }
    if held > 0 {
        text.push(char::from(ALPHABET[(bits << (5 - held) & 31) as usize]));
    }
    text
}
