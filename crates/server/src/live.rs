//! The task that owns one live game: it takes commands from a channel, lets the table decide, has the events
//! stored and only then tells the sockets. Nothing else touches the game.

mod counsel;
mod engine;
mod tell;
#[cfg(test)]
mod tests;

use crate::hall::{Hall, Made};
use crate::store::EventRow;
use crate::table::show::Presence;
use crate::table::{Action, Event, Person, Table, Who};
use crate::wire::{GameCard, Refusal, ServerMessage, Snapshot, Stage};
use crate::world::World;
use ::engine::Outcome;
use axum::extract::ws::Utf8Bytes;
use metrics::{counter, histogram};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot};

/// Commands waiting for a game at most; a socket that finds it full is told so.
const QUEUE: usize = 256;
/// How much of a move's time may be its way to the server.
pub const LAG: Duration = Duration::from_millis(100);
/// A game without sockets and without a running clock leaves memory after this.
const IDLE: Duration = Duration::from_secs(120);
/// Comings and goings are told at most so often.
const PRESENCE: Duration = Duration::from_millis(400);
/// Longest wait between attempts to store.
const RETRY: Duration = Duration::from_secs(2);

/// The way to a socket: what is sent there in order. One that does not keep up misses a message and is closed by its
/// own task; its client comes anew and is told everything.
#[derive(Clone, Debug)]
pub struct Outbox {
    queue: mpsc::Sender<Utf8Bytes>,
    lost: Arc<AtomicBool>,
}

/// A socket as it comes to a game.
#[derive(Debug)]
pub struct Visitor {
    /// Number of the socket.
    pub socket: u64,
    /// Where to send.
    pub outbox: Outbox,
    /// Who it is.
    pub person: Person,
    /// Secret of a seat.
    pub seat: Option<String>,
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
        /// The name of the action, for answers.
        of: &'static str,
        /// What.
        action: Action,
        /// When it came.
        came: Instant,
        /// Time on the way, as measured by the server.
        lag: Duration,
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
    /// The game as text is wanted.
    Pgn {
        /// To be answered here.
        answer: oneshot::Sender<Result<String, String>>,
    },
    /// Nothing has happened for so long that it is to be closed.
    CloseIdle,
    /// The server goes down.
    Shutdown,
}

/// What is known of a live game without asking it.
#[derive(Debug, Default)]
pub struct Pulse {
    /// Milliseconds of the run when it was last moved.
    pub moved_ms: AtomicU64,
    /// Whether it is being played.
    pub playing: AtomicBool,
}

/// The way to a live game.
#[derive(Clone, Debug)]
pub struct Handle {
    /// Where commands go.
    pub commands: mpsc::Sender<Command>,
    /// What is known without asking.
    pub pulse: Arc<Pulse>,
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
pub struct Live {
    id: String,
    table: Table,
    world: Arc<World>,
    hall: Hall,
    commands: mpsc::WeakSender<Command>,
    pulse: Arc<Pulse>,
    /// Time of the game at `epoch`.
    base: Duration,
    epoch: Instant,
    sockets: HashMap<u64, Socket>,
    trouble: Option<String>,
    /// Questions asked so far.
    asked: u64,
    thinking: Option<Thinking>,
    counselling: Option<Thinking>,
    /// What the engine last thought of its position, in centipawns for its side.
    score: Option<i32>,
    /// When comings and goings are to be told.
    presence_due: Option<Instant>,
    idle_since: Instant,
}

impl Live {
    /// Starts the task of a game whose time now is `base`.
    pub fn start(
        id: String,
        table: Table,
        base: Duration,
        world: Arc<World>,
        hall: Hall,
    ) -> Handle {
        let (commands, inbox) = mpsc::channel(QUEUE);
        let pulse = Arc::new(Pulse::default());
        let live = Live {
            id,
            base: base.max(table.at()),
            table,
            world,
            hall,
            commands: commands.downgrade(),
            pulse: pulse.clone(),
            epoch: Instant::now(),
            sockets: HashMap::new(),
            trouble: None,
            asked: 0,
            thinking: None,
            counselling: None,
            score: None,
            presence_due: None,
            idle_since: Instant::now(),
        };
        tokio::spawn(live.run(inbox));
        Handle { commands, pulse }
    }

    fn now(&self) -> Duration {
        self.time_at(Instant::now())
    }

    /// In whole milliseconds, as it is stored, so that what is read again is the same.
    fn time_at(&self, instant: Instant) -> Duration {
        whole(self.base + instant.saturating_duration_since(self.epoch))
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

    /// When the task has to wake without a command.
    fn wake(&self) -> Instant {
        let mut wake = self.idle_since + IDLE;
        if let Some(deadline) = self.table.deadline() {
            let allowance = match self.table.stage() {
                Stage::Playing => LAG,
                _ => Duration::ZERO,
            };
            let after = (deadline + allowance).saturating_sub(self.base);
            // A correspondence clock may run for longer than an Instant can hold.
            let due = self.epoch.checked_add(after).unwrap_or(wake);
            wake = wake.min(due);
        }
        self.presence_due.map_or(wake, |due| wake.min(due))
    }

    async fn run(mut self, mut inbox: mpsc::Receiver<Command>) {
        self.note_pulse();
        self.follow_up().await;
        self.think();
        loop {
            let wake = self.wake();
            tokio::select! {
                biased;
                command = inbox.recv() => match command {
                    Some(Command::Shutdown) => {
                        self.tell_all(&ServerMessage::Closing);
                        break;
                    }
                    Some(command) => self.obey(command).await,
                    None => break,
                },
                () = tokio::time::sleep_until(wake.into()) => self.woken().await,
            }
            if self.may_leave() {
                inbox.close();
                // What came in between is still done; after that the game is read anew from storage.
                while let Some(command) = inbox.recv().await {
                    self.obey(command).await;
                }
                break;
            }
        }
        self.stop_thinking();
        self.hall.left(&self.id, &self.pulse);
    }

    fn may_leave(&self) -> bool {
        self.sockets.is_empty()
            && self.thinking.is_none()
            && self.idle_since.elapsed() >= IDLE
            && self.table.deadline().is_none()
    }

    async fn woken(&mut self) {
        let now = self.now();
        let die = &mut || self.world.die();
        if let Some(event) = self.table.overdue(now, LAG, die) {
            self.carry_out(vec![event], now).await;
        }
        if self.presence_due.is_some_and(|due| due <= Instant::now()) {
            self.presence_due = None;
            self.tell_now(0);
        }
        if self.idle_since.elapsed() >= IDLE && !self.may_leave() {
            self.idle_since = Instant::now();
        }
    }

    async fn obey(&mut self, command: Command) {
        self.idle_since = Instant::now();
        match command {
            Command::Join(visitor) => self.join(visitor).await,
            Command::Leave { socket } => {
                self.sockets.remove(&socket);
                self.presence_changed();
            }
            Command::Act {
                socket,
                of,
                action,
                came,
                lag,
            } => self.act(socket, of, action, came, lag).await,
            Command::Thought { number, outcome } => self.thought(number, outcome).await,
            Command::Look { guest, answer } => {
                let who = self.table.seat_of(None, &guest).unwrap_or(Who::Watcher);
                let _ = answer.send(Box::new(self.snapshot(who)));
            }
            Command::Card { guest, answer } => {
                let card = self
                    .table
                    .card(&self.id, &self.presence(), guest.as_deref());
                let _ = answer.send(Box::new(card));
            }
            Command::Pgn { answer } => {
                let _ = answer.send(crate::pgn::of_table(&self.id, &self.table));
            }
            Command::CloseIdle => {
                if !self.table.is_over() && self.sockets.is_empty() {
                    let now = self.now();
                    self.carry_out(vec![Event::Abandoned], now).await;
                }
            }
            Command::Shutdown => {}
        }
    }

    async fn join(&mut self, visitor: Visitor) {
        let seat = visitor.seat.as_deref();
        let Some(who) = self
            .table
            .seat_of(seat, &visitor.person.guest)
            .or(seat.is_none().then_some(Who::Watcher))
        else {
            let refusal = ServerMessage::Refused {
                of: "join".into(),
                code: "seat".into(),
                message: "this link opens no seat of this game; it may have been cut short".into(),
            };
            visitor.outbox.tell(&refusal);
            return;
        };
        let outbox = visitor.outbox.clone();
        let socket = Socket {
            outbox: visitor.outbox,
            who,
        };
        self.sockets.insert(visitor.socket, socket);
        let events = self.table.joined(who, visitor.person);
        if !events.is_empty() {
            let now = self.now();
            self.carry_out(events, now).await;
        }
        outbox.tell(&ServerMessage::Snapshot(Box::new(self.snapshot(who))));
        self.presence_changed();
    }

    fn snapshot(&self, who: Who) -> Snapshot {
        let trouble = self.trouble.as_deref();
        self.table
            .snapshot(&self.id, who, self.now(), &self.presence(), trouble)
    }

    async fn act(
        &mut self,
        socket: u64,
        of: &'static str,
        action: Action,
        came: Instant,
        lag: Duration,
    ) {
        let Some((who, outbox)) = self.sockets.get(&socket).map(|s| (s.who, s.outbox.clone()))
        else {
            return;
        };
        let at = self.time_at(came).max(self.table.at());
        let appoints = matches!(action, Action::Appoint { .. });
        let rematch = match (&action, who) {
            (Action::Rematch, Who::Player(side)) => self.table.wants_rematch(side).then_some(()),
            _ => None,
        };
        let world = self.world.clone();
        let decided = self
            .table
            .decide(who, &action, at, whole(lag.min(LAG)), &mut || world.die());
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
                if appoints {
                    self.tell_link(&outbox, &events);
                }
                self.carry_out(events, at).await;
                histogram!("husun_action_seconds").record(came.elapsed().as_secs_f64());
                if rematch.is_some() {
                    self.make_rematch().await;
                }
            }
        }
    }

    /// Stores events, makes them so, tells everyone, and does what follows from them.
    async fn carry_out(&mut self, events: Vec<Event>, at: Duration) {
        if self.enact(events, at).await {
            self.follow_up().await;
            self.think();
            self.counsel_by_engine();
            self.answer_draw_offer().await;
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

    async fn enact(&mut self, events: Vec<Event>, at: Duration) -> bool {
        let (first, world) = (self.table.seq() + 1, &self.world);
        let numbered = (first..).zip(&events);
        let rows = numbered.map(|(seq, event)| world.row(&self.id, seq, at, event));
        let rows: Vec<EventRow> = rows.collect();
        self.store(rows).await;
        let (before, was_over) = (self.table.ply(), self.table.is_over());
        for event in &events {
            if let Err(error) = self.table.apply(event, at) {
                // It was decided on this very table: a fault of ours, not of the players.
                // The event itself may hold the secret of a seat; it stands in the storage.
                let seq = self.table.seq() + 1;
                tracing::error!(game = %self.id, seq, %error, "a stored event does not apply");
                counter!("husun_faults_total").increment(1);
                return false;
            }
        }
        self.note_pulse();
        self.tell_private(&events);
        let played = self.table.ply().saturating_sub(before);
        if played > 0 {
            counter!("husun_moves_total").increment(played as u64);
        }
        self.tell_now(played);
        if self.table.is_over() && !was_over {
            self.stop_thinking();
            self.note_end();
        }
        true
    }

    /// Stores, for as long as it takes. While the storage is out of order the game's time stands still.
    async fn store(&mut self, rows: Vec<EventRow>) {
        let start = Instant::now();
        let mut wait = Duration::from_millis(20);
        while let Err(error) = self.world.writer.append(rows.clone()).await {
            if self.trouble.is_none() {
                self.trouble = Some(
                    "the server cannot store moves at the moment; the clocks stand still until it can"
                        .into(),
                );
                tracing::error!(game = %self.id, %error, "waiting for the storage");
                self.tell_now(0);
            }
            tokio::time::sleep(wait).await;
            wait = (wait * 2).min(RETRY);
        }
        if self.trouble.take().is_some() {
            self.epoch += start.elapsed();
            tracing::info!(game = %self.id, "the storage is back");
        }
    }

    /// Takes the game off the list of those that are read at a start. If that fails, the next start does it.
    fn note_end(&self) {
        let (store, id) = (self.world.store.clone(), self.id.clone());
        tokio::spawn(async move {
            if let Err(error) = store.finish(&id).await {
                tracing::warn!(game = %id, %error, "the end of a game could not be noted");
            }
        });
    }

    fn note_pulse(&self) {
        self.pulse
            .moved_ms
            .store(self.world.run_time().1 as u64, Relaxed);
        let playing = self.table.stage() == Stage::Playing;
        self.pulse.playing.store(playing, Relaxed);
    }

    fn presence_changed(&mut self) {
        self.presence_due.get_or_insert(Instant::now() + PRESENCE);
    }

    async fn make_rematch(&mut self) {
        let spec = self.hall.rematch_of(&self.table);
        match self.hall.create(spec).await {
            Ok(Made { id, .. }) => {
                let now = self.now();
                self.enact(vec![Event::Rematched { game: id }], now).await;
            }
            Err(Refusal { message, .. }) => {
                tracing::warn!(game = %self.id, %message, "no rematch was made");
            }
        }
    }
}

/// A time in whole milliseconds.
fn whole(time: Duration) -> Duration {
    Duration::from_millis(time.as_millis() as u64)
}
