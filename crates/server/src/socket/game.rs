//! A socket's game: what the browser asks of it goes over the bus, one question after another, and what the game tells
//! comes back, numbered. At a gap in the numbers the whole game is asked for anew. Where several nodes own games, one whose
//! owner has gone is looked for at the next, and the browser notices nothing but that it takes a moment.

pub(crate) mod seek;

use super::Session;
use super::outbox::Outbox;
use crate::directory::{Directory, Payer, Place};
use crate::node::Members;
use crate::refusal::{Reason, Refused, refused};
use crate::task::Handle;
use crate::task::messages::{Answered, Ask, Audience, Joined, Told, asked_at, read, told_at};
use crate::telemetry::{self, span};
use crate::wire::ServerMessage;
use axum::extract::ws::Utf8Bytes;
use bus::{BusError, Subscription};
use bytes::Bytes;
use futures_util::future::BoxFuture;
use metrics::counter;
use play::Deed;
use play::table::Person;
use seek::{AGAIN, Seeking};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tracing::{Instrument, Span};

/// Longest wait for a game's answer: it may have to wait for the storage.
const PATIENCE: Duration = Duration::from_secs(300);
/// When the browser is told that its game is looked for.
const TOLD: Duration = Duration::from_secs(1);
/// How often a game that is left is told so again, where the way to it is cut; and where nobody has it, which may be so for the
/// moment only, since its owner has not found its way back either.
const LEAVES: [u32; 2] = [600, 10];
/// Questions of one socket waiting at most.
const WAITING: usize = 32;
/// Why a game cannot be come to from this node.
const TOO_LONG: &str =
    "this game has grown too long to be shown here; tell whoever runs this server";
/// Messages kept at most while a game is being come to.
const EARLY: usize = 64;

/// The game that a socket is in, or comes to.
#[derive(Debug)]
struct Attendance {
    id: String,
    /// Holds the game in memory where it lives here.
    handle: Option<Handle>,
    /// Boot of the node that owns it.
    owner: i64,
    /// Boot of this node when it came: what the game knows it by.
    node: i64,
    /// To come again by.
    person: Person,
    seat: Option<String>,
    /// Once the game has let it in.
    joined: Option<Joined>,
    /// What the browser was told last of whose turn it is.
    turn: Option<Turn>,
    /// What was told while it was not in yet.
    early: Vec<(Told, Utf8Bytes, Instant)>,
    _listens: Subscription,
}

/// A turn as the browser knows it.
#[derive(Clone, Copy, Debug)]
struct Turn {
    /// Half-moves played.
    ply: u32,
    /// When it was told; not known of the turn that it found when it came, and may have left and come again.
    heard: Option<Instant>,
}

impl Attendance {
    /// The browser is told something of a turn, which came here at a time: whoever does not read it is not waited for.
    fn hears_of(&mut self, ply: u32, came: Instant) {
        let heard = match self.turn {
            Some(turn) if turn.ply == ply => return,
            Some(_) => Some(came),
            None => None,
        };
        self.turn = Some(Turn { ply, heard });
    }

    /// How long ago the browser could be handed the turn in which it does this.
    fn thought(&self, deed: &Deed) -> Option<Duration> {
        let (Deed::Move { ply, .. } | Deed::Accept { ply, .. }) = deed else {
            return None;
        };
        let turn = self.turn.filter(|turn| turn.ply == *ply)?;
        Some(turn.heard?.elapsed())
    }
}

/// A question to a game, which stays in memory for it.
#[derive(Debug)]
pub struct Question {
    /// Name of the message that asks, for answers.
    of: &'static str,
    game: String,
    ask: Ask,
    /// When it came from the browser.
    came: Instant,
    _handle: Option<Handle>,
}

type Waiting = BoxFuture<'static, Result<Bytes, BusError>>;

/// A socket's dealings with games.
pub struct GameSide {
    socket: u64,
    directory: Directory,
    members: watch::Receiver<Arc<Members>>,
    outbox: Outbox,
    presence: Option<Attendance>,
    seeking: Option<Seeking>,
    asking: Option<(Question, Waiting)>,
    questions: VecDeque<Question>,
    /// The browser is to come again, at another node.
    away: bool,
    /// Ids of those whose words in chat are not to be told.
    muted: Vec<String>,
}

/// What has come of a question, or of a search.
pub enum Reply {
    /// A question was answered, or not.
    Answer(Box<Question>, Result<Bytes, BusError>),
    /// The game's owner was found, or not.
    Found(Result<Option<Place>, Refused>),
    /// The game cannot be reached from here.
    Away,
}

/// The game is not there any more: its client comes anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameGone;

impl GameSide {
    /// In no game yet.
    pub fn new(socket: u64, directory: &Directory, outbox: Outbox) -> GameSide {
        let mut members = directory.services().node.members();
        members.mark_unchanged();
        GameSide {
            socket,
            directory: directory.clone(),
            members,
            outbox,
            presence: None,
            seeking: None,
            asking: None,
            questions: VecDeque::new(),
            away: false,
            muted: Vec::new(),
        }
    }

    /// Has nothing told that these people say: the game is told anew without it.
    pub fn mute(&mut self, people: Vec<String>) {
        if self.muted != people {
            self.muted = people;
            self.come();
        }
    }

    fn put(&mut self, question: Question) {
        self.questions.push_back(question);
        self.ask_next();
    }

    fn ask_next(&mut self) {
        // While the owner is looked for, nobody can be asked.
        if self.asking.is_some() || self.seeking.is_some() {
            return;
        }
        if let Some(mut question) = self.questions.pop_front() {
            let bus = self.directory.services().bus.clone();
            let mut span = Span::none();
            if let Ask::Act { waited, trace, .. } = &mut question.ask {
                *waited = question.came.elapsed();
                span = span!("act", game = %question.game);
                *trace = telemetry::parent_of(&span);
            }
            let (subject, ask) = (asked_at(&question.game), serde_json::to_vec(&question.ask));
            let waiting = async move {
                let message = ask.map_err(|_| BusError::Nobody)?;
                bus.request(&subject, message.into(), PATIENCE).await
            };
            self.asking = Some((question, Box::pin(waiting.instrument(span))));
        }
    }

    /// Tells when nodes have come or gone, from now on ([`GameSide::members_changed`]).
    pub fn members(&self) -> watch::Receiver<Arc<Members>> {
        self.members.clone()
    }

    /// Waits for the answer to the question that is being asked, if one is, and for the game's owner where it is looked for.
    pub async fn answered(&mut self) -> Reply {
        if self.away {
            return Reply::Away;
        }
        let answer = async {
            match &mut self.asking {
                Some((_, waiting)) => waiting.await,
                None => std::future::pending().await,
            }
        };
        let found = async {
            match &mut self.seeking {
                Some(seeking) => seeking.search.as_mut().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            answer = answer => match self.asking.take() {
                Some((question, _)) => Reply::Answer(Box::new(question), answer),
                None => std::future::pending().await,
            },
            found = found => Reply::Found(found),
        }
    }

    /// Whether another question is not taken now.
    fn is_full(&self) -> bool {
        self.questions.len() >= WAITING
    }

    /// Comes to a game.
    pub async fn join(
        &mut self,
        payer: Payer<'_>,
        game: String,
        seat: Option<String>,
        person: Person,
    ) -> Result<(), Refused> {
        self.leave();
        if self.is_full() {
            return Err(busy());
        }
        let place = match self.directory.find(&game, payer).await {
            Err(refused) if refused.reason == Reason::Busy && self.is_among_others() => {
                self.away = true;
                return Ok(());
            }
            place => place?.ok_or_else(no_such_game)?,
        };
        // It listens before it comes, so that nothing falls between.
        let listener = Arc::new(self.outbox.clone());
        let subject = told_at(&game);
        let bus = &self.directory.services().bus;
        let listens = bus.subscribe(&subject, listener).await;
        self.presence = Some(Attendance {
            id: game,
            owner: place.owner(),
            handle: place.here(),
            node: 0,
            person,
            seat,
            joined: None,
            turn: None,
            early: Vec::new(),
            _listens: listens.map_err(|_| busy())?,
        });
        self.come();
        Ok(())
    }

    /// Whether a game that cannot be found may be at a node that speaks otherwise.
    fn is_among_others(&self) -> bool {
        self.directory.services().node.is_among_others()
    }

    fn come(&mut self) {
        let coming = self.coming();
        self.questions.extend(coming);
        self.ask_next();
    }

    /// The question by which one comes.
    fn coming(&mut self) -> Option<Question> {
        let node = self.directory.services().node.boot();
        let presence = self.presence.as_mut()?;
        presence.joined = None;
        presence.node = node;
        Some(Question {
            of: "join",
            game: presence.id.clone(),
            ask: Ask::Join {
                socket: self.socket,
                node,
                person: presence.person.clone(),
                seat: presence.seat.clone(),
                muted: self.muted.clone(),
            },
            came: Instant::now(),
            _handle: presence.handle.clone(),
        })
    }

    /// Acts in the game. `lag` is how long it was on its way.
    pub fn act(&mut self, deed: Deed, lag: Duration) -> Result<(), Refused> {
        let Some(presence) = &self.presence else {
            let message = "first join a game, with a join message";
            return Err(refused(Reason::NoGame, message));
        };
        if self.is_full() {
            return Err(busy());
        }
        let question = Question {
            of: deed.name(),
            game: presence.id.clone(),
            ask: Ask::Act {
                socket: self.socket,
                thought: presence.thought(&deed),
                deed,
                waited: Duration::ZERO,
                lag,
                trace: None,
            },
            came: Instant::now(),
            _handle: presence.handle.clone(),
        };
        self.put(question);
        Ok(())
    }

    /// Goes, after what was asked before.
    pub fn leave(&mut self) {
        self.seeking = None;
        if let Some(presence) = self.presence.take() {
            let socket = self.socket;
            self.put(Question {
                of: "leave",
                game: presence.id,
                ask: Ask::Leave { socket },
                came: Instant::now(),
                _handle: presence.handle,
            });
        }
    }

    /// Takes what has come of a question or a search; the next question goes its way. What is given back goes to the browser
    /// before all that waits: one who comes is told the game, and only then what has come of it.
    pub fn take(&mut self, reply: Reply) -> Result<Vec<Utf8Bytes>, GameGone> {
        let (question, answer) = match reply {
            Reply::Answer(question, answer) => (*question, answer),
            Reply::Found(found) => return self.found(found).map(|()| Vec::new()),
            Reply::Away => return Err(GameGone),
        };
        let left = matches!(question.ask, Ask::Leave { .. });
        let here = self
            .presence
            .as_ref()
            .is_some_and(|p| p.id == question.game);
        if left || !here {
            self.ask_next();
            return Ok(Vec::new());
        }
        if let Err(error @ BusError::TooLong { .. }) = &answer
            && question.of == "join"
        {
            let game = question.game;
            tracing::error!(%game, %error, "a game is too long to be told at another node: let NATS carry more (max_payload)");
            self.outbox.tell(&ServerMessage::Refused {
                of: question.of.into(),
                code: Reason::Limit.code().into(),
                message: TOO_LONG.into(),
            });
            self.presence = None;
            self.ask_next();
            return Ok(Vec::new());
        }
        let read = answer.ok().and_then(|message| read::<Answered>(&message));
        let Some((head, text)) = read else {
            return self.unanswered(question).map(|()| Vec::new());
        };
        if head.unknown {
            // Nothing was done: it is asked again once one has come anew.
            self.questions.push_front(question);
            return self.seek(Duration::ZERO).map(|()| Vec::new());
        }
        self.ask_next();
        if let Some(joined) = head.joined {
            return self.come_in(joined, text, question.came);
        }
        if question.of == "join" {
            // The link opens no seat.
            self.presence = None;
        }
        if !text.is_empty() {
            self.outbox.send(text);
        }
        Ok(Vec::new())
    }

    /// A question was not answered. A move is asked again of whoever owns the game next: one that was stored is not played
    /// twice. Whether anything else was done the game shows.
    fn unanswered(&mut self, question: Question) -> Result<(), GameGone> {
        if !self.directory.is_alone() {
            self.set_aside(question);
        }
        self.seek(AGAIN[0])
    }

    fn set_aside(&mut self, question: Question) {
        match &question.ask {
            Ask::Act {
                deed: Deed::Move { .. } | Deed::Accept { .. },
                ..
            } => self.questions.push_front(question),
            Ask::Act { .. } => self.outbox.tell(&ServerMessage::Refused {
                of: question.of.into(),
                code: Reason::Busy.code().into(),
                message: "the game has just moved within the server; look whether that was done"
                    .into(),
            }),
            _ => {}
        }
    }

    /// One has come, who has asked for it at a time.
    fn come_in(
        &mut self,
        joined: Joined,
        text: Utf8Bytes,
        asked: Instant,
    ) -> Result<Vec<Utf8Bytes>, GameGone> {
        let mut texts = vec![text];
        if let Some(presence) = &mut self.presence {
            presence.joined = Some(joined);
            presence.hears_of(joined.ply, asked);
            for (told, text, came) in std::mem::take(&mut presence.early) {
                texts.extend(self.hear(told, text, came)?);
            }
        }
        Ok(texts)
    }

    /// What the game has told, as it goes to the browser, if it is for this one, and when it came here.
    pub fn told(&mut self, message: &Bytes, came: Instant) -> Result<Option<Utf8Bytes>, GameGone> {
        match read::<Told>(message) {
            Some((told, text)) => self.hear(told, text, came),
            None => Ok(None),
        }
    }

    fn hear(
        &mut self,
        told: Told,
        text: Utf8Bytes,
        came: Instant,
    ) -> Result<Option<Utf8Bytes>, GameGone> {
        let Some(presence) = &mut self.presence else {
            return Ok(None);
        };
        let Some(joined) = &mut presence.joined else {
            if presence.early.len() < EARLY {
                presence.early.push((told, text, came));
            }
            return Ok(None);
        };
        // What another life of the game has told, or another game, is over.
        if told.life != joined.life || told.n <= joined.told {
            return Ok(None);
        }
        if told.to == Audience::Gone {
            return self.seek(Duration::ZERO).map(|()| None);
        }
        if told.n > joined.told + 1 {
            // Something was lost on its way.
            counter!("husun_bus_gaps_total").increment(1);
            self.come();
            return Ok(None);
        }
        joined.told = told.n;
        if !told.to.has(self.socket, joined.who) || told.but.contains(&self.socket) {
            return Ok(None);
        }
        if let Audience::Socket(_, who) = told.to {
            joined.who = who;
        }
        presence.hears_of(told.ply, came);
        Ok(Some(text))
    }

    /// Ends: what was asked is asked to its end, and the game left, without anyone waiting for it.
    pub fn end(mut self) {
        self.leave();
        self.away = false;
        if self.asking.is_none() {
            return;
        }
        tokio::spawn(async move {
            let [mut cut, mut none] = LEAVES;
            if self.directory.services().is_alone() {
                // Whom nobody has here nobody has.
                none = 0;
            }
            while self.asking.is_some() {
                if let Reply::Answer(question, Err(error)) = self.answered().await
                    && matches!(question.ask, Ask::Leave { .. })
                {
                    let left = match error {
                        // The way to its owner is cut for the moment.
                        BusError::Late => &mut cut,
                        _ => &mut none,
                    };
                    if *left > 0 {
                        *left -= 1;
                        tokio::time::sleep(TOLD).await;
                        self.questions.push_back(*question);
                    }
                }
                self.ask_next();
            }
        });
    }
}

fn busy() -> Refused {
    refused(Reason::Busy, "the game cannot take this now; try again")
}

fn no_such_game() -> Refused {
    refused(Reason::NoSuchGame, "there is no such game")
}

impl Session {
    /// Takes a deed.
    pub(super) fn act(&mut self, deed: Deed) {
        let of = deed.name();
        if deed.speaks()
            && let Err(muted) = self.may_speak(&deed)
        {
            return self.refuse_with(of, &muted);
        }
        // A rematch is a game made, like any other.
        if deed == Deed::Rematch && !self.app.guard.game(self.address) {
            let message = "too many games from your address; wait a minute";
            return self.refuse(of, Reason::Rate, message);
        }
        if let Err(refused) = self.game.act(deed, self.lag) {
            self.refuse_with(of, &refused);
        }
    }

    /// Whether this person may write what others read.
    fn may_speak(&self, deed: &Deed) -> Result<(), Refused> {
        let talks = matches!(deed, Deed::WatchersChat { .. });
        if talks && !self.person.account && !self.app.guests_may_chat {
            let message = "only people with an account can talk here: sign in first";
            return Err(refused(Reason::SignIn, message));
        }
        self.app.moderation.bans().may_chat(&self.person.guest)
    }

    pub(super) async fn join(&mut self, game: String, seat: Option<String>, name: Option<String>) {
        let payer = Payer::Address(&self.app.guard, self.address);
        let person = self.person.named(name.as_deref());
        let joined = self.game.join(payer, game, seat, person);
        if let Err(refused) = joined.await {
            self.refuse_with("join", &refused);
        }
    }
}
