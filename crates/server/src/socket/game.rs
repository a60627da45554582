//! A socket's game: what the browser asks of it goes over the bus, one question after another, and what the game tells
//! comes back, numbered. At a gap in the numbers the whole game is asked for anew.

use super::Session;
use super::outbox::Outbox;
use crate::directory::{Directory, Payer};
use crate::refusal::{Reason, Refused, refused};
use crate::task::Handle;
use crate::task::messages::{Answered, Ask, Audience, Joined, Told, asked_at, read, told_at};
use axum::extract::ws::Utf8Bytes;
use bus::{Bus, BusError, Subscription};
use bytes::Bytes;
use futures_util::future::BoxFuture;
use metrics::counter;
use play::Deed;
use play::table::Person;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

/// Longest wait for a game's answer: it may have to wait for the storage.
const PATIENCE: Duration = Duration::from_secs(300);
/// Questions of one socket waiting at most.
const WAITING: usize = 32;
/// Messages kept at most while a game is being come to.
const EARLY: usize = 64;

/// The game that a socket is in, or comes to.
#[derive(Debug)]
struct Attendance {
    id: String,
    handle: Handle,
    /// To come again by.
    person: Person,
    seat: Option<String>,
    /// Once the game has let it in.
    joined: Option<Joined>,
    /// What was told while it was not in yet.
    early: Vec<(Told, Utf8Bytes)>,
    _listens: Subscription,
}

/// A question to a game, which stays in memory for it.
#[derive(Debug)]
struct Question {
    /// Name of the message that asks, for answers.
    of: &'static str,
    game: String,
    ask: Ask,
    _handle: Handle,
}

type Waiting = BoxFuture<'static, Result<Bytes, BusError>>;

/// A socket's dealings with games.
pub struct GameSide {
    socket: u64,
    bus: Arc<dyn Bus>,
    outbox: Outbox,
    presence: Option<Attendance>,
    asking: Option<(Question, Waiting)>,
    questions: VecDeque<Question>,
    /// Ids of those whose words in chat are not to be told.
    muted: Vec<String>,
}

/// A question that was answered, or not.
pub struct Reply {
    question: Question,
    answer: Result<Bytes, BusError>,
}

/// The game is not there any more: its client comes anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameGone;

impl GameSide {
    /// In no game yet.
    pub fn new(socket: u64, bus: Arc<dyn Bus>, outbox: Outbox) -> GameSide {
        GameSide {
            socket,
            bus,
            outbox,
            presence: None,
            asking: None,
            questions: VecDeque::new(),
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
        if self.asking.is_some() {
            return;
        }
        if let Some(question) = self.questions.pop_front() {
            let bus = self.bus.clone();
            let (subject, ask) = (asked_at(&question.game), serde_json::to_vec(&question.ask));
            let waiting = async move {
                let message = ask.map_err(|_| BusError::Nobody)?;
                bus.request(&subject, message.into(), PATIENCE).await
            };
            self.asking = Some((question, Box::pin(waiting)));
        }
    }

    /// Waits for the answer to the question that is being asked, if one is.
    pub async fn answered(&mut self) -> Reply {
        let Some((_, waiting)) = &mut self.asking else {
            return std::future::pending().await;
        };
        let answer = waiting.await;
        match self.asking.take() {
            Some((question, _)) => Reply { question, answer },
            None => std::future::pending().await,
        }
    }

    /// Whether another question is not taken now.
    fn is_full(&self) -> bool {
        self.questions.len() >= WAITING
    }

    /// Comes to a game.
    pub async fn join(
        &mut self,
        directory: &Directory,
        payer: Payer<'_>,
        game: String,
        seat: Option<String>,
        person: Person,
    ) -> Result<(), Refused> {
        self.leave();
        if self.is_full() {
            return Err(busy());
        }
        let handle = directory
            .get(&game, payer)
            .await?
            .ok_or_else(no_such_game)?;
        // It listens before it comes, so that nothing falls between.
        let listener = Arc::new(self.outbox.clone());
        let subject = told_at(&game);
        let listens = self.bus.subscribe(&subject, listener).await;
        self.presence = Some(Attendance {
            id: game,
            handle,
            person,
            seat,
            joined: None,
            early: Vec::new(),
            _listens: listens.map_err(|_| busy())?,
        });
        self.come();
        Ok(())
    }

    fn come(&mut self) {
        let Some(presence) = &mut self.presence else {
            return;
        };
        presence.joined = None;
        let question = Question {
            of: "join",
            game: presence.id.clone(),
            ask: Ask::Join {
                socket: self.socket,
                person: presence.person.clone(),
                seat: presence.seat.clone(),
                muted: self.muted.clone(),
            },
            _handle: presence.handle.clone(),
        };
        self.put(question);
    }

    /// Acts in the game. `at` is when it came, in the server's time, `lag` how long it was on its way.
    pub fn act(&mut self, deed: Deed, at: Duration, lag: Duration) -> Result<(), Refused> {
        let Some(presence) = &self.presence else {
            let message = "first join a game, with a join message";
            return Err(Refused {
                reason: Reason::NoGame,
                message: message.into(),
            });
        };
        if self.is_full() {
            return Err(busy());
        }
        let question = Question {
            of: deed.name(),
            game: presence.id.clone(),
            ask: Ask::Act {
                socket: self.socket,
                deed,
                at,
                lag,
            },
            _handle: presence.handle.clone(),
        };
        self.put(question);
        Ok(())
    }

    /// Goes, after what was asked before.
    pub fn leave(&mut self) {
        if let Some(presence) = self.presence.take() {
            let socket = self.socket;
            self.put(Question {
                of: "leave",
                game: presence.id,
                ask: Ask::Leave { socket },
                _handle: presence.handle,
            });
        }
    }

    /// Takes an answer; the next question goes its way. What is given back goes to the browser before all that waits: one
    /// who comes is told the game, and only then what has come of it.
    pub fn take(&mut self, reply: Reply) -> Result<Vec<Utf8Bytes>, GameGone> {
        self.ask_next();
        let Reply { question, answer } = reply;
        let left = matches!(question.ask, Ask::Leave { .. });
        let here = self
            .presence
            .as_ref()
            .is_some_and(|p| p.id == question.game);
        if left || !here {
            return Ok(Vec::new());
        }
        let message = answer.map_err(|_| GameGone)?;
        let (head, text) = read::<Answered>(&message).ok_or(GameGone)?;
        if let Some(joined) = head.joined {
            return self.come_in(joined, text);
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

    fn come_in(&mut self, joined: Joined, text: Utf8Bytes) -> Result<Vec<Utf8Bytes>, GameGone> {
        let mut texts = vec![text];
        if let Some(presence) = &mut self.presence {
            presence.joined = Some(joined);
            for (told, text) in std::mem::take(&mut presence.early) {
                texts.extend(self.hear(told, text)?);
            }
        }
        Ok(texts)
    }

    /// What the game has told, as it goes to the browser, if it is for this one.
    pub fn told(&mut self, message: &Bytes) -> Result<Option<Utf8Bytes>, GameGone> {
        match read::<Told>(message) {
            Some((told, text)) => self.hear(told, text),
            None => Ok(None),
        }
    }

    fn hear(&mut self, told: Told, text: Utf8Bytes) -> Result<Option<Utf8Bytes>, GameGone> {
        let Some(presence) = &mut self.presence else {
            return Ok(None);
        };
        let Some(joined) = &mut presence.joined else {
            if presence.early.len() < EARLY {
                presence.early.push((told, text));
            }
            return Ok(None);
        };
        // What another life of the game has told, or another game, is over.
        if told.life != joined.life || told.n <= joined.told {
            return Ok(None);
        }
        if told.to == Audience::Gone {
            return Err(GameGone);
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
        Ok(Some(text))
    }

    /// Ends: what was asked is asked to its end, and the game left, without anyone waiting for it.
    pub fn end(mut self) {
        self.leave();
        if self.asking.is_none() {
            return;
        }
        tokio::spawn(async move {
            while self.asking.is_some() {
                self.answered().await;
                self.ask_next();
            }
        });
    }
}

fn busy() -> Refused {
    Refused {
        reason: Reason::Busy,
        message: "the game cannot take this now; try again".into(),
    }
}

fn no_such_game() -> Refused {
    Refused {
        reason: Reason::NoSuchGame,
        message: "there is no such game".into(),
    }
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
        let at = self.app.directory.services().clock.now();
        if let Err(refused) = self.game.act(deed, at, self.lag) {
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
        let joined = self
            .game
            .join(&self.app.directory, payer, game, seat, person);
        if let Err(refused) = joined.await {
            self.refuse_with("join", &refused);
        }
    }
}
