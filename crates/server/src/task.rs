//! The task that owns one live game: it is asked over the bus, lets the table decide, has the events stored and only
//! then tells. Nothing else touches the game. It lives while someone is there or the engine thinks; the clocks of a
//! game that nobody looks at run in storage alone.

mod absent;
mod counsel;
mod engine;
mod keep;
pub mod messages;
mod sockets;
mod tell;
#[cfg(test)]
mod tests;
mod watched;

use crate::clock::Halt;
use crate::directory::{Directory, ReadGame};
use crate::engines::Thought;
use crate::node::Members;
use crate::services::{Services, SystemChance};
use crate::slow::watched;
use crate::telemetry::{self, span};
use ::engine::Thoughts;
use bus::{BusError, Request, Requests};
use husun::clock::Clock;
use messages::{Ask, Audience, asked_at};
use play::table::{Event, Stage, Table};
use play::{Both, Circumstances, Deed, Refused, Who};
use sockets::Travel;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;
use tracing::Instrument;
use watched::{Attendant, Watched};

/// Questions waiting for a game at most; who asks beyond that waits.
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
/// How often it is tried to take the place where a game is asked, and the pause between.
const SERVING: u32 = 20;
const PLACE: Duration = Duration::from_millis(50);
/// What is told while nothing can be stored.
pub const TROUBLE: &str =
    "the server cannot store moves at the moment; the clocks stand still until it can";

/// What is told while a game's owner is looked for.
pub const TROUBLE_OF_OWNER: &str =
    "the game moves within the server; its clocks stand still until it is there";

/// What a game is told by the server itself.
#[derive(Debug)]
pub enum Command {
    /// The engine has thought.
    Thought {
        /// Number of the question.
        number: u64,
        /// What it found; nothing if it was too busy to be asked, or ended in a fault.
        thought: Option<Thought>,
    },
    /// Storage says that the game wants to be looked at.
    Attend,
    /// Another node is to own the game from now on; told whether it does.
    HandOver {
        /// Its boot.
        to: i64,
        /// Told when that is stored.
        done: oneshot::Sender<bool>,
    },
    /// The server goes down.
    Shutdown,
}

/// A live game, which lives for as long as this is held.
#[derive(Clone, Debug)]
pub struct Handle {
    /// Where commands go.
    pub commands: mpsc::Sender<Box<Command>>,
    /// Which life in memory this is.
    pub life: u64,
    /// Boot of the node that owns it: this one's; 0 where a server runs alone.
    pub owner: i64,
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

/// How far the engine is. It ends when this is dropped.
struct Thinking {
    /// Number of the question.
    number: u64,
    /// Half-moves played when it was asked.
    ply: usize,
    /// Waits for the answer.
    waits: JoinHandle<()>,
}

impl Drop for Thinking {
    fn drop(&mut self) {
        self.waits.abort();
    }
}

/// A live game.
pub struct GameTask {
    id: String,
    /// Shared with what is being written of it elsewhere.
    table: Arc<Table>,
    services: Arc<Services>,
    directory: Directory,
    requests: Option<Requests>,
    commands: mpsc::WeakSender<Box<Command>>,
    /// Which life in memory this is.
    life: u64,
    /// Number of what was told last.
    told: u64,
    /// Boot of this node when it took the game, and epoch of the owner, which storage compares.
    owner: i64,
    epoch: i64,
    members: watch::Receiver<Arc<Members>>,
    /// Time of the game at `since`.
    base: Duration,
    /// In the server's time.
    since: Duration,
    /// When storage will have the game looked at, in milliseconds of the server's time.
    due: Option<i64>,
    /// Number of the last event that the stored card knows.
    carded: Option<u64>,
    halted: watch::Receiver<Option<Halt>>,
    /// Who is there, by the numbers of their sockets.
    sockets: HashMap<u64, Box<Attendant>>,
    /// Since when each player has been away, in the game's time. It counts from when the game was taken into memory at the
    /// earliest: what the server did is no leaving.
    away: Both<Option<Duration>>,
    /// Questions to the engine so far.
    asked: u64,
    thinking: Option<Thinking>,
    counselling: Option<Thinking>,
    /// What the engine thought of its position at its last turns.
    thoughts: Thoughts,
    /// When comings and goings are to be told.
    presence_due: Option<Instant>,
    /// Since when nobody has been there; the game leaves a while after.
    deserted: Option<Instant>,
    /// How long storing has taken since the game's last event, that one's included: it is nobody's time, and storage does not
    /// know it.
    storing: Duration,
    /// Something went wrong that must not: the game is read anew from storage.
    broken: bool,
    /// Whether storage knows when its time was that of its last event.
    anchored: bool,
    /// What those see who are not players.
    watched: Watched,
}

/// However the task ends, by a fault too, nobody goes on waiting for it.
impl Drop for GameTask {
    fn drop(&mut self) {
        // Who asks from now on is told that nobody is there.
        self.requests = None;
        self.stop_thinking();
        self.publish(Audience::Gone, "");
        self.directory.left(&self.id, self.life);
    }
}

impl GameTask {
    /// Starts the task of a game that was read from storage.
    pub async fn start(id: &str, read: ReadGame, directory: Directory) -> Result<Handle, BusError> {
        let (commands, inbox) = mpsc::channel(QUEUE);
        let life = rand::random();
        let services = directory.services().clone();
        let requests = serve(&services, id).await?;
        let thoughts = engine::thoughts_of(&read.table);
        let task = GameTask {
            id: id.into(),
            base: read.time_at(read.since),
            table: Arc::new(read.table),
            since: read.since,
            owner: read.owner,
            epoch: read.epoch,
            members: services.node.members(),
            due: read.due,
            carded: None,
            halted: services.clock.halted(),
            life,
            told: 0,
            services,
            directory,
            requests: Some(requests),
            commands: commands.downgrade(),
            sockets: HashMap::new(),
            away: Both::default(),
            asked: 0,
            thinking: None,
            counselling: None,
            thoughts,
            presence_due: None,
            // One that nobody comes to leaves at once when it has done what was due.
            deserted: Instant::now().checked_sub(LINGER),
            storing: Duration::ZERO,
            broken: false,
            anchored: read.anchored,
            watched: Watched::default(),
        };
        let owner = task.owner;
        tokio::spawn(watched("game", task.run(inbox)));
        Ok(Handle {
            commands,
            life,
            owner,
            holders: Arc::default(),
        })
    }

    fn now(&self) -> Duration {
        self.time_at(self.services.clock.now())
    }

    /// In whole milliseconds, as it is stored, so that what is read again is the same.
    fn time_at(&self, server: Duration) -> Duration {
        whole(self.base + server.saturating_sub(self.since))
    }

    /// Until when a turn is charged of which something was received then. Who was handed the turn late, or whose move was long
    /// on its way from another node, is charged for what he thought.
    fn charged_until(&self, received: Duration, thought: Option<Duration>) -> Duration {
        let began = self.table.clock().and_then(Clock::since);
        match (began, thought) {
            (Some(began), Some(thought)) => {
                let charged = whole(began + thought).max(self.table.at());
                received.min(charged)
            }
            _ => received,
        }
    }

    /// The server's time at a time of the game.
    fn server_at(&self, at: Duration) -> Duration {
        self.since + at.saturating_sub(self.base)
    }

    /// Whether the clocks stand still, and what is told of it.
    fn trouble(&self) -> Option<&'static str> {
        let halt = self.halted.borrow();
        matches!(*halt, Some(Halt::Storage)).then_some(TROUBLE)
    }

    /// Whether time alone can do something now: a game that nobody comes to is closed when nobody is there.
    fn is_timed(&self) -> bool {
        match self.table.stage() {
            Stage::Playing if self.table.clock_runs() || self.table.missing_from().is_some() => {
                true
            }
            Stage::Playing | Stage::Waiting => self.sockets.is_empty(),
            Stage::Customs => true,
            Stage::Over | Stage::Aborted => false,
        }
    }

    /// When the task has to wake without being asked. It has something to do then, or it would wake for ever.
    fn wake(&self) -> Option<Instant> {
        let idle =
            self.thinking.is_none() && self.counselling.is_none() && self.watched.due.is_none();
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
        let told = [self.presence_due, self.watched.due];
        [leave, due].into_iter().chain(told).flatten().min()
    }

    async fn run(mut self, mut inbox: mpsc::Receiver<Box<Command>>) {
        self.note_away();
        if !self.anchored && !self.table.is_over() {
            // Its time was noted by a version whose times do not count on: from here on they do.
            let now = self.now();
            self.enact(vec![Event::Resumed], now).await;
        }
        self.follow_up().await;
        self.overdue().await;
        self.think();
        self.counsel_by_engine();
        // What has happened to the nodes since it was read.
        self.members_changed();
        let mut leaves = false;
        while !leaves && !self.broken {
            if self.wants_to_leave() {
                self.note_leaving().await;
                if self.broken || self.directory.may_leave(&self.id, self.life) {
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
            let asked = async {
                match &mut self.requests {
                    Some(requests) => requests.next().await,
                    None => None,
                }
            };
            tokio::select! {
                biased;
                command = inbox.recv() => match command.map(|command| *command) {
                    Some(Command::Shutdown) => {
                        self.tell(Audience::All, &crate::wire::ServerMessage::Closing);
                        leaves = true;
                    }
                    Some(command) => self.obey(command).await,
                    None => leaves = true,
                },
                request = asked => match request {
                    Some(request) => self.asked(request).await,
                    None => leaves = true,
                },
                _ = self.halted.changed() => self.halt_changed(),
                Ok(()) = self.members.changed() => self.members_changed(),
                () = sleep => self.woken().await,
            }
        }
    }

    fn wants_to_leave(&self) -> bool {
        self.sockets.is_empty()
            && self.thinking.is_none()
            && self.counselling.is_none()
            && self.watched.due.is_none()
            && self.deserted.is_some_and(|since| since.elapsed() >= LINGER)
    }

    async fn obey(&mut self, command: Command) {
        match command {
            Command::Thought { number, thought } => self.thought(number, thought).await,
            Command::HandOver { to, done } => {
                let _ = done.send(self.hand_over(to).await);
            }
            Command::Attend => self.attend().await,
            Command::Shutdown => {}
        }
    }

    async fn asked(&mut self, request: Request) {
        match serde_json::from_slice(&request.message) {
            Ok(Ask::Join {
                socket,
                node,
                person,
                seat,
                muted,
            }) => {
                let from = (socket, node);
                self.join(request, from, (person, muted), seat).await;
            }
            Ok(Ask::Leave { socket }) => {
                self.leave(socket);
                request.answer(bytes::Bytes::new());
            }
            Ok(Ask::Act {
                socket,
                deed,
                waited,
                lag,
                thought,
                trace,
            }) => {
                let span = span!("play", game = %self.id);
                telemetry::go_on(&span, trace.as_deref());
                let travel = Travel {
                    waited,
                    lag,
                    thought,
                };
                let act = self.act(request, socket, deed, travel);
                act.instrument(span).await
            }
            Ok(Ask::Look { guest, muted }) => self.look(request, &guest, &muted),
            Ok(Ask::Watchers) => self.watchers_heard(request),
            Ok(Ask::RemoveWatchersLine { n }) => {
                self.remove_watchers_line(n);
                self.watchers_heard(request);
            }
            Ok(Ask::Vacation { person, on }) => {
                let now = self.now();
                let events = self.table.vacation(&person, on, now);
                if events.is_empty() || self.enact(events, now).await {
                    request.answer(bytes::Bytes::new());
                }
            }
            Ok(Ask::Expel { person }) => {
                let (now, events) = (self.now(), self.table.expelled(&person));
                if !events.is_empty() {
                    self.carry_out(events, now).await;
                }
                if !self.broken {
                    request.answer(bytes::Bytes::new());
                }
            }
            Ok(Ask::ChatRemoved { line }) => {
                if Arc::make_mut(&mut self.table).remove_chat(line) {
                    self.tell_snapshots();
                }
                request.answer(bytes::Bytes::new());
            }
            // It leaves as after a fault, and comes from storage again.
            Ok(Ask::ReadAnew) => self.broken = true,
            Ok(Ask::Card { guest }) => self.card(request, guest.as_deref()),
            // Without an answer who asked is told that nobody is there.
            Err(error) => tracing::warn!(game = %self.id, %error, "no question to a game"),
        }
    }

    async fn overdue(&mut self) {
        // While the server's time stands still nothing happens of itself.
        if self.halted.borrow().is_some() {
            return;
        }
        let now = self.now();
        let deserted = self.sockets.is_empty();
        let chance = &mut SystemChance;
        if let Some(event) = self.table.overdue(now, LAG, deserted, chance) {
            self.carry_out(vec![event], now).await;
        }
    }

    async fn woken(&mut self) {
        self.overdue().await;
        if self.broken {
            return;
        }
        if self.watched.due.is_some_and(|due| due <= Instant::now()) {
            self.tell_board();
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

    fn presence_changed(&mut self) {
        self.presence_due.get_or_insert(Instant::now() + PRESENCE);
    }

    fn decide(
        &self,
        who: Who,
        deed: &Deed,
        at: Duration,
        lag: Duration,
    ) -> Result<Vec<Event>, Refused> {
        let circumstances = Circumstances {
            at,
            lag,
            away: self.away,
        };
        self.table
            .decide(who, deed, &circumstances, &mut SystemChance)
    }

    /// Stores events, makes them so, tells everyone, and does what follows from them.
    async fn carry_out(&mut self, events: Vec<Event>, at: Duration) {
        let events = self.table.with_replies(events, at);
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
            let with_customs = self.table.spec().family.is_some() && self.table.ply() == 0;
            if self.enact(vec![event], now).await && with_customs {
                self.tell_snapshots();
            }
        }
    }
}

/// Takes the place where a game is asked. Where nodes share it, its last owner may be about to leave it.
async fn serve(services: &Services, id: &str) -> Result<Requests, BusError> {
    let subject = asked_at(id);
    let mut tries = match services.node.is_alone() {
        true => 1,
        false => SERVING,
    };
    loop {
        tries -= 1;
        match services.bus.serve(&subject, QUEUE).await {
            Err(BusError::Taken) if tries > 0 => tokio::time::sleep(PLACE).await,
            served => return served,
        }
    }
}

/// A time in whole milliseconds.
fn whole(time: Duration) -> Duration {
    Duration::from_millis(time.as_millis() as u64)
}
