//! The task that owns one live game: it takes commands from a channel, lets the table decide, has the events
//! stored and only then tells the sockets. Nothing else touches the game. It lives while someone is there or the
//! engine thinks; the clocks of a game that nobody looks at run in storage alone.

mod counsel;
mod engine;
mod outbox;
mod tell;
#[cfg(test)]
mod tests;

pub use outbox::{Ending, Outbox, Outgoing};

use crate::clock::Halt;
use crate::directory::{AHEAD, Directory, Made, ReadGame};
use crate::refusal::refusal;
use crate::services::{Services, secret};
use crate::store::{CardRow, Due, EventRow, GameWrite, StoreError, millis};
use crate::table::card::StoredCard;
use crate::table::show::Presence;
use crate::table::{Action, Event, Person, Table, Who};
use crate::wire::{GameCard, Refusal, ServerMessage, Snapshot, Stage};
use ::engine::Outcome;
use metrics::{counter, histogram};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot, watch};

/// Commands waiting for a game at most; a socket that finds it full is told so.
const QUEUE: usize = 256;
/// How much of a move's time may be its way to the server at most.
pub const LAG: Duration = Duration::from_millis(100);
/// A game stays in memory so long after its last socket has gone.
const LINGER: Duration = Duration::from_secs(10);
/// Comings and goings are told at most so often.
const PRESENCE: Duration = Duration::from_millis(400);
/// That the engine has not taken up its question is told so often.
const WAIT: Duration = Duration::from_secs(1);
/// That the server's time stands still or goes on is told within this time, spread over all games.
const SPREAD: Duration = Duration::from_millis(500);
/// Time in storing from which on a game's time is noted anew, so that a sudden end does not charge it.
const DRIFT: Duration = Duration::from_millis(100);
/// A game in which nothing can happen while someone is there is looked at again after this.
const OCCUPIED: Duration = Duration::from_secs(3600);
/// What is told while nothing can be stored.
pub const TROUBLE: &str =
    "the server cannot store moves at the moment; the clocks stand still until it can";

/// A socket as it comes to a game.
#[derive(Debug)]
pub struct Visitor {
    /// Number of the socket.
    pub socket: u64,
    /// Where to send.
    pub outbox: Outbox,
    /// Who it is.
    pub person: Person,
    /// The word that opens a seat.
    pub seat: Option<String>,
}

/// When an action came.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// In the server's time.
    pub at: Duration,
    /// To measure how long it takes.
    pub instant: Instant,
    /// Time on the way, as measured by the server.
    pub lag: Duration,
}

/// What a game is asked to do.
#[derive(Debug)]
pub enum Command {
    /// A socket comes.
    Join(Visitor),
    /// A socket goes.
    Leave {
        /// Its number.
        socket: u64,
    },
    /// A socket acts.
    Act {
        /// Its number.
        socket: u64,
        /// Where it is answered.
        outbox: Outbox,
        /// The name of the action, for answers.
        of: &'static str,
        /// What.
        action: Action,
        /// When.
        came: Arrival,
    },
    /// The engine has thought.
    Thought {
        /// Number of the question.
        number: u64,
        /// What it found; nothing if it was too busy to be asked.
        outcome: Option<Outcome>,
    },
    /// The whole game is wanted.
    Look {
        /// By whom.
        guest: String,
        /// To be answered here.
        answer: oneshot::Sender<Box<Snapshot>>,
    },
    /// The game's card is wanted.
    Card {
        /// For whose list of own games.
        guest: Option<String>,
        /// To be answered here.
        answer: oneshot::Sender<Box<GameCard>>,
    },
    /// Storage says that the game wants to be looked at.
    Attend,
    /// The server goes down.
    Shutdown,
}

/// What is known of a live game without asking it.
#[derive(Debug, Default)]
pub struct Pulse {
    /// Milliseconds of the server's time when it was last moved.
    pub moved_ms: AtomicU64,
    /// Whether it is being played and shown to all.
    pub shown: AtomicBool,
}

/// The way to a live game, which lives for as long as one is held.
#[derive(Clone, Debug)]
pub struct Handle {
    /// Where commands go.
    pub commands: mpsc::Sender<Command>,
    /// What is known without asking.
    pub pulse: Arc<Pulse>,
    holders: Arc<()>,
}

impl Handle {
    /// Whether anyone besides the directory has one.
    pub fn is_held(&self) -> bool {
        Arc::strong_count(&self.holders) > 1
    }

    /// Whether the game has ended its task.
    pub fn is_closed(&self) -> bool {
        self.commands.is_closed()
    }
}

struct Socket {
    outbox: Outbox,
    who: Who,
}

/// How far the engine is.
struct Thinking {
    /// Number of the question.
    number: u64,
    /// Half-moves played when it was asked.
    ply: usize,
    stop: Arc<AtomicBool>,
}

/// A live game.
pub struct GameTask {
    id: String,
    table: Table,
    services: Arc<Services>,
    directory: Directory,
    commands: mpsc::WeakSender<Command>,
    pulse: Arc<Pulse>,
    /// Epoch of the owner, which storage compares.
    epoch: i64,
    /// Time of the game at `since`.
    base: Duration,
    /// In the server's time.
    since: Duration,
    /// When storage will have the game looked at, in milliseconds of the server's time.
    due: Option<i64>,
    /// Number of the last event that the stored card knows.
    carded: Option<u64>,
    halted: watch::Receiver<Option<Halt>>,
    sockets: HashMap<u64, Socket>,
    /// Questions asked so far.
    asked: u64,
    thinking: Option<Thinking>,
    counselling: Option<Thinking>,
    /// What the engine last thought of its position, in centipawns for its side.
    score: Option<i32>,
    /// When comings and goings are to be told.
    presence_due: Option<Instant>,
    /// Since when nobody has been there; the game leaves a while after.
    deserted: Option<Instant>,
    /// How much of the game's time went by in storing since its time was last noted.
    drift: Duration,
    /// Something went wrong that must not: the game is read anew from storage.
    broken: bool,
    /// Whether storage knows when its time was that of its last event.
    anchored: bool,
}

/// However the task ends, by a fault too, nobody goes on waiting for it.
impl Drop for GameTask {
    fn drop(&mut self) {
        self.stop_thinking();
        for socket in self.sockets.values() {
            socket.outbox.end(Ending::GameGone);
        }
        self.directory.left(&self.id, &self.pulse);
    }
}

impl GameTask {
    /// Starts the task of a game that was read from storage.
    pub fn start(id: String, read: ReadGame, directory: Directory) -> Handle {
        let (commands, inbox) = mpsc::channel(QUEUE);
        let pulse = Arc::new(Pulse::default());
        let services = directory.services().clone();
        let task = GameTask {
            id,
            base: read.table.at(),
            table: read.table,
            since: read.since,
            epoch: read.epoch,
            due: read.due,
            carded: None,
            halted: services.clock.halted(),
            services,
            directory,
            commands: commands.downgrade(),
            pulse: pulse.clone(),
            sockets: HashMap::new(),
            asked: 0,
            thinking: None,
            counselling: None,
            score: None,
            presence_due: None,
            // One that nobody comes to leaves at once when it has done what was due.
            deserted: Instant::now().checked_sub(LINGER),
            drift: Duration::ZERO,
            broken: false,
            anchored: read.anchored,
        };
        tokio::spawn(task.run(inbox));
        Handle {
            commands,
            pulse,
            holders: Arc::default(),
        }
    }

    fn now(&self) -> Duration {
        self.time_at(self.services.clock.now())
    }

    /// In whole milliseconds, as it is stored, so that what is read again is the same.
    fn time_at(&self, server: Duration) -> Duration {
        whole(self.base + server.saturating_sub(self.since))
    }

    /// The server's time at a time of the game.
    fn server_at(&self, at: Duration) -> Duration {
        self.since + at.saturating_sub(self.base)
    }

    fn presence(&self) -> Presence {
        let mut presence = Presence::default();
        for socket in self.sockets.values() {
            match socket.who {
                Who::Player(side) => *presence.online.get_mut(side) = true,
                Who::Counsellor(_) | Who::Watcher => presence.watchers += 1,
            }
        }
        presence
    }

    /// Whether the clocks stand still, and what is told of it.
    fn trouble(&self) -> Option<&'static str> {
        let halt = self.halted.borrow();
        matches!(*halt, Some(Halt::Storage)).then_some(TROUBLE)
    }

    /// Whether time alone can do something now: a game that nobody comes to is closed when nobody is there.
    fn is_timed(&self) -> bool {
        match self.table.stage() {
            Stage::Playing if self.table.clock().is_some() => true,
            Stage::Playing | Stage::Waiting => self.sockets.is_empty(),
            Stage::Customs => true,
            Stage::Over | Stage::Aborted => false,
        }
    }

    /// When the task has to wake without a command. It has something to do then, or it would wake for ever.
    fn wake(&self) -> Option<Instant> {
        let idle = self.thinking.is_none() && self.counselling.is_none();
        let leave = self.deserted.filter(|_| idle).map(|since| since + LINGER);
        let deadline = self.table.deadline().filter(|_| self.is_timed());
        let due = deadline.and_then(|deadline| {
            let allowance = match self.table.stage() {
                Stage::Playing => LAG,
                _ => Duration::ZERO,
            };
            let due = self.server_at(deadline + allowance);
            self.services.clock.instant_of(due)
        });
        [leave, due, self.presence_due].into_iter().flatten().min()
    }

    async fn run(mut self, mut inbox: mpsc::Receiver<Command>) {
        self.note_pulse();
        if !self.anchored && !self.table.is_over() {
            // Its time was noted by a version whose times do not count on: from here on they do.
            let now = self.now();
            self.enact(vec![Event::Resumed], now).await;
        }
        self.follow_up().await;
        self.overdue().await;
        self.think();
        self.counsel_by_engine();
        let mut leaves = false;
        while !leaves && !self.broken {
            if self.wants_to_leave() {
                self.note_leaving().await;
                if self.broken || self.directory.may_leave(&self.id, &self.pulse) {
                    break;
                }
                // Someone is coming.
                self.deserted = Some(Instant::now());
            }
            let wake = self.wake();
            let sleep = async {
                match wake {
                    Some(wake) => tokio::time::sleep_until(wake.into()).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                command = inbox.recv() => match command {
                    Some(Command::Shutdown) => {
                        self.tell_all(&ServerMessage::Closing);
                        leaves = true;
                    }
                    Some(command) => self.obey(command).await,
                    None => leaves = true,
                },
                _ = self.halted.changed() => self.halt_changed(),
                () = sleep => self.woken().await,
            }
        }
        // Who came meanwhile comes anew.
        inbox.close();
        while let Ok(command) = inbox.try_recv() {
            if let Command::Join(visitor) = command {
                visitor.outbox.end(Ending::GameGone);
            }
        }
    }

    fn wants_to_leave(&self) -> bool {
        self.sockets.is_empty()
            && self.thinking.is_none()
            && self.counselling.is_none()
            && self.deserted.is_some_and(|since| since.elapsed() >= LINGER)
    }

    /// Writes what lists show, and when the game wants to be looked at.
    async fn note_leaving(&mut self) {
        let due = self.due_now();
        let due = (self.due != due).then_some(match due {
            Some(ms) => Due::At(ms),
            None => Due::Never,
        });
        let seq = self.table.seq();
        let card = (self.carded != Some(seq)).then(|| CardRow {
            seq: seq as i64,
            text: StoredCard::of(&self.table).to_text(),
        });
        if due.is_none() && card.is_none() {
            return;
        }
        let write = GameWrite {
            game: self.id.clone(),
            epoch: self.epoch,
            due,
            card,
            ..GameWrite::default()
        };
        if self.store(write).await {
            (self.due, self.carded) = (self.due_now(), Some(seq));
        }
    }

    /// A time of the server before which nothing happens to the game of itself, in milliseconds.
    fn due_now(&self) -> Option<i64> {
        if self.table.engine_is_asked() {
            // If the server is ended before the engine has answered, it is asked again then.
            return Some(millis(self.services.clock.now() + AHEAD));
        }
        let earliest = self.table.earliest(self.now())?;
        let due = millis(self.server_at(earliest));
        match self.is_timed() {
            true => Some(due),
            // Nothing will happen while someone is there.
            false => Some(due.max(millis(self.services.clock.now() + OCCUPIED))),
        }
    }

    /// The change of what is stored about that. What is stored may be too early: then the game is looked at in vain.
    fn due_change(&self) -> Option<Due> {
        let Some(wanted) = self.due_now() else {
            return self.due.is_some().then_some(Due::Never);
        };
        let now = millis(self.services.clock.now());
        let holds = self.due.is_some_and(|due| due <= wanted && due > now);
        (!holds).then_some(Due::At(wanted))
    }

    async fn overdue(&mut self) {
        // While the server's time stands still nothing happens of itself.
        if self.halted.borrow().is_some() {
            return;
        }
        let now = self.now();
        let deserted = self.sockets.is_empty();
        let services = self.services.clone();
        let die = &mut || services.die();
        if let Some(event) = self.table.overdue(now, LAG, deserted, die) {
            self.carry_out(vec![event], now).await;
        }
    }

    async fn woken(&mut self) {
        self.overdue().await;
        if self.broken {
            return;
        }
        if self.presence_due.is_some_and(|due| due <= Instant::now()) {
            self.presence_due = None;
            self.tell_now(0);
            self.watch_the_wait();
        }
    }

    /// While the engine has not taken up its question, that is told once a second.
    fn watch_the_wait(&mut self) {
        if self.presence_due.is_none() && self.engine_waits().is_some() {
            self.presence_due = Some(Instant::now() + WAIT);
        }
    }

    fn halt_changed(&mut self) {
        if !self.sockets.is_empty() {
            // All games are told at the same time: the work is spread.
            let share = self
                .id
                .bytes()
                .fold(0_u32, |n, b| (n * 31 + u32::from(b)) % 1000);
            let wait = SPREAD * share / 1000;
            let due = Instant::now() + wait;
            self.presence_due = Some(self.presence_due.map_or(due, |d| d.min(due)));
        }
    }

    async fn obey(&mut self, command: Command) {
        match command {
            Command::Join(visitor) => self.join(visitor).await,
            Command::Leave { socket } => {
                self.sockets.remove(&socket);
                self.note_deserted();
                self.presence_changed();
            }
            Command::Act {
                socket,
                outbox,
                of,
                action,
                came,
            } => self.act(socket, outbox, of, action, came).await,
            Command::Thought { number, outcome } => self.thought(number, outcome).await,
            Command::Look { guest, answer } => {
                let who = self.table.seat_of_guest(&guest).unwrap_or(Who::Watcher);
                let _ = answer.send(Box::new(self.snapshot(who)));
            }
            Command::Card { guest, answer } => {
                let card = StoredCard::of(&self.table);
                let card = card.to_wire(&self.id, guest.as_deref(), &self.presence());
                let _ = answer.send(Box::new(card));
            }
            Command::Attend => {
                self.overdue().await;
                if let Some(due) = self.due_change().filter(|_| !self.broken) {
                    let write = GameWrite {
                        due: Some(due),
                        ..self.write()
                    };
                    if self.store(write).await {
                        self.due_is(Some(due));
                    }
                }
            }
            Command::Shutdown => {}
        }
    }

    fn note_deserted(&mut self) {
        match self.sockets.is_empty() {
            true => {
                self.deserted.get_or_insert_with(Instant::now);
            }
            false => self.deserted = None,
        }
    }

    async fn join(&mut self, visitor: Visitor) {
        let seat = visitor.seat.as_deref();
        let guest = visitor.person.guest.as_str();
        let found = self.services.keys.seat_of(&self.table, seat, guest);
        let Some(who) = found.or(seat.is_none().then_some(Who::Watcher)) else {
            visitor.outbox.tell(&ServerMessage::Refused {
                of: "join".into(),
                code: "seat".into(),
                message: "this link opens no seat of this game: it was cut short, or somebody has taken the seat by it already"
                    .into(),
            });
            return;
        };
        let outbox = visitor.outbox.clone();
        let socket = Socket {
            outbox: visitor.outbox,
            who,
        };
        self.sockets.insert(visitor.socket, socket);
        self.note_deserted();
        let events = self.table.joined(who, visitor.person, secret(16));
        if !events.is_empty() {
            let now = self.now();
            self.carry_out(events, now).await;
            if self.broken {
                return;
            }
        }
        outbox.tell(&ServerMessage::Snapshot(Box::new(self.snapshot(who))));
        self.presence_changed();
    }

    fn snapshot(&self, who: Who) -> Snapshot {
        let word = |opener: &_| self.services.keys.word(opener);
        let presence = self.presence();
        let (at, trouble) = (self.now(), self.trouble());
        let mut snapshot = self
            .table
            .snapshot(&self.id, who, at, &presence, trouble, word);
        self.still(&mut snapshot.now);
        snapshot
    }

    async fn act(
        &mut self,
        socket: u64,
        outbox: Outbox,
        of: &'static str,
        action: Action,
        came: Arrival,
    ) {
        let Some(who) = self.sockets.get(&socket).map(|s| s.who) else {
            // Its coming was refused.
            return outbox.tell(&ServerMessage::Refused {
                of: of.into(),
                code: "no_game".into(),
                message: "you are not in this game: your link opened no seat".into(),
            });
        };
        let at = self.time_at(came.at).max(self.table.at());
        let appoints = matches!(action, Action::Appoint { .. });
        let rematch = match (&action, who) {
            (Action::Rematch, Who::Player(side)) => self.table.wants_rematch(side),
            _ => false,
        };
        let services = self.services.clone();
        let lag = whole(came.lag.min(LAG));
        let decided = self
            .table
            .decide(who, &action, at, lag, &mut || services.die());
        match decided {
            Err(refused) => {
                counter!("husun_refused_total", "code" => refused.code()).increment(1);
                outbox.tell(&ServerMessage::Refused {
                    of: of.into(),
                    code: refused.code().into(),
                    message: refused.to_string(),
                });
            }
            // Carried out before: the sender may have missed the news.
            Ok(events) if events.is_empty() => {
                let now = Box::new(self.now_message());
                outbox.tell(&ServerMessage::Update {
                    played: Vec::new(),
                    now,
                });
            }
            Ok(events) => {
                self.carry_out(events, at).await;
                histogram!("husun_action_seconds").record(came.instant.elapsed().as_secs_f64());
                if self.broken {
                    return;
                }
                if appoints && let Who::Player(side) = who {
                    self.counsellor_changed(side, &outbox);
                }
                if rematch {
                    self.make_rematch().await;
                }
            }
        }
    }

    /// One who was Counsellor before watches from now on; the one who appoints is told the invitation.
    fn counsellor_changed(&mut self, side: husun::Side, outbox: &Outbox) {
        let former: Vec<u64> = self
            .sockets
            .iter()
            .filter(|(_, socket)| socket.who == Who::Counsellor(side))
            .map(|(number, _)| *number)
            .collect();
        for number in former {
            if let Some(socket) = self.sockets.get_mut(&number) {
                socket.who = Who::Watcher;
                let outbox = socket.outbox.clone();
                let snapshot = Box::new(self.snapshot(Who::Watcher));
                outbox.tell(&ServerMessage::Snapshot(snapshot));
            }
        }
        if let Some(opener) = self.table.counsel_invitation(side) {
            let seat = self.services.keys.word(&opener);
            outbox.tell(&ServerMessage::CounselLink { seat });
        }
    }

    /// Stores events, makes them so, tells everyone, and does what follows from them.
    async fn carry_out(&mut self, events: Vec<Event>, at: Duration) {
        if self.enact(events, at).await {
            self.follow_up().await;
            if self.broken {
                return;
            }
            self.think();
            self.counsel_by_engine();
            self.watch_the_wait();
            self.answer_draw_offer().await;
            self.note_time().await;
        }
    }

    async fn follow_up(&mut self) {
        if let Some(event) = self.table.follow_up() {
            let now = self.now();
            let with_customs = self.table.spec().family.is_some();
            if self.enact(vec![event], now).await && with_customs {
                self.tell_snapshots();
            }
        }
    }

    fn write(&self) -> GameWrite {
        GameWrite {
            game: self.id.clone(),
            epoch: self.epoch,
            ..GameWrite::default()
        }
    }

    fn due_is(&mut self, due: Option<Due>) {
        match due {
            Some(Due::At(ms)) => self.due = Some(ms),
            Some(Due::Never) => self.due = None,
            None => {}
        }
    }

    /// Makes events so, stores them, and tells. An event that does not apply is not stored, and what is not stored is
    /// not seen: nobody asks the game in between, and if storing is refused the game is read anew.
    async fn enact(&mut self, events: Vec<Event>, at: Duration) -> bool {
        if self.broken {
            // What stands here is not what is stored.
            return false;
        }
        let (first, server) = (self.table.seq() + 1, self.server_at(at));
        let numbered = (first..).zip(&events);
        let rows = numbered.map(|(seq, event)| self.services.row(seq, at, server, event));
        let rows: Vec<EventRow> = rows.collect();
        let (before, was_over) = (self.table.ply(), self.table.is_over());
        for event in &events {
            if let Err(error) = self.table.apply(event, at) {
                // It was decided on this very table: a fault of ours, not of the players.
                tracing::error!(game = %self.id, %error, ?event, "what was decided does not apply");
                counter!("husun_faults_total").increment(1);
                self.broken = true;
                return false;
            }
        }
        let ends = self.table.is_over() && !was_over;
        let due = self.due_change();
        let write = GameWrite {
            events: rows,
            due,
            over: ends,
            ..self.write()
        };
        if !self.store(write).await {
            return false;
        }
        self.due_is(due);
        self.note_pulse();
        self.tell_private(&events);
        let played = self.table.ply().saturating_sub(before);
        if played > 0 {
            counter!("husun_moves_total").increment(played as u64);
        }
        self.tell_now(played);
        if ends {
            self.stop_thinking();
        }
        true
    }

    /// Stores, for as long as it takes; the game's time stands still meanwhile, and who is there is told of trouble.
    async fn store(&mut self, write: GameWrite) -> bool {
        if self.trouble().is_some() {
            // It was told to this task before, and may not have been told on yet.
            self.tell_trouble();
        }
        let start = self.services.clock.now();
        let writer = self.services.writer.clone();
        let mut stored = std::pin::pin!(writer.write(write));
        let result = loop {
            tokio::select! {
                biased;
                result = &mut stored => break result,
                Ok(()) = self.halted.changed() => self.tell_trouble(),
            }
        };
        let took = self.services.clock.now().saturating_sub(start);
        self.since += took;
        self.drift += took;
        match result {
            Ok(()) => true,
            Err(error) => {
                let refused = !matches!(error, StoreError::Unavailable(_));
                if refused {
                    tracing::error!(game = %self.id, %error, "the game is read anew");
                    counter!("husun_faults_total").increment(1);
                }
                self.broken = true;
                false
            }
        }
    }

    /// Notes the game's time if much of it went by in storing, which must not be charged after a sudden end.
    async fn note_time(&mut self) {
        let drift = std::mem::take(&mut self.drift);
        let runs = self
            .table
            .clock()
            .is_some_and(|clock| clock.turn().is_some());
        if drift >= DRIFT && runs && !self.broken && !self.table.is_over() {
            let now = self.now();
            self.enact(vec![Event::Resumed], now).await;
        }
    }

    fn note_pulse(&self) {
        let ms = millis(self.services.clock.now());
        self.pulse.moved_ms.store(ms.max(0) as u64, Relaxed);
        let shown = self.table.stage() == Stage::Playing && self.table.is_public();
        self.pulse.shown.store(shown, Relaxed);
    }

    fn presence_changed(&mut self) {
        self.presence_due.get_or_insert(Instant::now() + PRESENCE);
    }

    async fn make_rematch(&mut self) {
        let spec = self.directory.rematch_of(&self.table);
        let now = self.now();
        match self.directory.create(spec).await {
            Ok(Made { id, .. }) => {
                self.enact(vec![Event::Rematched { game: id }], now).await;
            }
            Err(Refusal { code, message }) => {
                tracing::warn!(game = %self.id, %message, "no rematch was made");
                let told = refusal(&code, format!("no rematch could be made: {message}"));
                self.tell_players(&ServerMessage::Refused {
                    of: "rematch".into(),
                    code: told.code,
                    message: told.message,
                });
                self.enact(vec![Event::RematchFailed], now).await;
            }
        }
    }
}

/// A time in whole milliseconds.
fn whole(time: Duration) -> Duration {
    Duration::from_millis(time.as_millis() as u64)
}
