//! One game of a bot over its own socket: messages are taken in, the engine is asked when it is its turn, and its
//! moves are played. A broken connection is renewed, and the game goes on from where it is.

use super::engine::{Engine, Question, Seat, Thinker, Thought};
use super::link::{GOOD, Link, Pauses, Socket, Trouble};
use super::say;
use games::Catalogue;
use husun::clock::TimeControl;
use server::wire::{Claim, ClientMessage, Now, ServerMessage, Side, Snapshot, Stage};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A game at the board is abandoned after this if the opponent has not begun.
const WAITING: Duration = Duration::from_secs(300);
/// Pause before something refused for the moment is sent again.
const AGAIN: Duration = Duration::from_secs(1);
/// Far away.
const NEVER: Duration = Duration::from_secs(24 * 3600);

/// What all games of a bot share.
pub struct Table {
    pub link: Link,
    pub engine: Arc<Engine>,
    pub games: Catalogue,
}

/// How a game was left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It is over with a result, described in words.
    Over(String),
    /// It was called off before it counted, or is not the bot's.
    Without(String),
}

/// A game as the server reported it.
struct Known {
    own: Side,
    moves: Vec<String>,
    now: Now,
    /// When `now` was reported.
    at: Instant,
    /// Since when the bot has been waiting for the opponent to begin.
    waits: Option<Instant>,
}

fn other(side: Side) -> Side {
    match side {
        Side::White => Side::Black,
        Side::Black => Side::White,
    }
}

/// A game being played.
struct Play<'a> {
    table: &'a Table,
    id: &'a str,
    known: Known,
    control: TimeControl,
    thinker: Option<Thinker>,
    /// Whether it was reported that the engine cannot play it.
    unfit: bool,
    /// Moves of the position that the engine was last asked about.
    asked: Option<Vec<String>>,
    /// What the engine has found.
    found: Option<(Vec<String>, Thought)>,
    /// Whether that was sent over this connection.
    sent: bool,
    /// What the engine last thought of its own side.
    score: Option<i32>,
    /// Questions of the customs and offers that were answered: each is answered once.
    answered: Vec<String>,
}

/// Plays a game to its end.
pub async fn play(table: Arc<Table>, id: String) -> Ended {
    let mut pauses = Pauses::default();
    let mut play: Option<Play<'_>> = None;
    loop {
        let since = Instant::now();
        let trouble = match come(&table, &id, &mut play).await {
            Ok(ended) => return ended,
            Err(trouble) => trouble,
        };
        if !trouble.is_passing() {
            return Ended::Without(trouble.to_string());
        }
        if since.elapsed() > GOOD {
            pauses.reset();
        }
        let pause = pauses.next();
        say(&format!(
            "game {id}: {trouble}; trying again in {:.0} s",
            pause.as_secs_f64()
        ));
        tokio::time::sleep(pause).await;
    }
}

/// Joins the game and plays it for as long as the connection holds.
async fn come<'a>(
    table: &'a Table,
    id: &'a str,
    kept: &mut Option<Play<'a>>,
) -> Result<Ended, Trouble> {
    let mut socket = table.link.socket().await?;
    let join = ClientMessage::Join {
        game: id.into(),
        seat: None,
        name: None,
    };
    socket.say(&join).await?;
    let snapshot = loop {
        match socket.hear().await? {
            ServerMessage::Snapshot(snapshot) => break snapshot,
            ServerMessage::Refused { code, message, .. } => return Err(refused(code, message)),
            _ => {}
        }
    };
    let Some(own) = snapshot.own else {
        return Ok(Ended::Without("it is not a game of this account".into()));
    };
    let play = match kept {
        Some(play) => play,
        none => none.insert(Play::new(table, id, own, &snapshot)),
    };
    play.sent = false;
    play.take_over(*snapshot);
    loop {
        if let Some(ended) = play.act(&mut socket).await? {
            return Ok(ended);
        }
        let claim = play.claim();
        let wait = claim.as_ref().map_or(NEVER, |(wait, _)| *wait);
        tokio::select! {
            heard = socket.hear() => match heard? {
                ServerMessage::Snapshot(snapshot) => play.take_over(*snapshot),
                ServerMessage::Update { played, now } => {
                    let keep = (now.ply as usize).saturating_sub(played.len());
                    play.known.moves.truncate(keep);
                    play.known.moves.extend(played.into_iter().map(|p| p.uci));
                    play.take(*now);
                }
                ServerMessage::Refused { of, code, message } => {
                    play.refused(&of, &code, &message)?;
                    tokio::time::sleep(AGAIN).await;
                }
                ServerMessage::Closing => {
                    return Err(Trouble::Network("the server goes down".into()));
                }
                _ => {}
            },
            thought = next_thought(&mut play.thinker) => match thought {
                Some((moves, thought)) => play.think(moves, thought),
                // It has reported why.
                None => {
                    play.thinker = None;
                    play.unfit = true;
                }
            },
            () = tokio::time::sleep(wait) => {
                if let Some((_, message)) = claim {
                    socket.say(&message).await?;
                    play.known.waits = None;
                }
            }
        }
    }
}

fn refused(code: String, message: String) -> Trouble {
    let passing = ["busy", "starting", "storage", "rate", "full", "limit"];
    let status = if passing.contains(&code.as_str()) {
        503
    } else {
        409
    };
    Trouble::Refused {
        status,
        code,
        message,
    }
}

async fn next_thought(thinker: &mut Option<Thinker>) -> Option<(Vec<String>, Thought)> {
    match thinker {
        Some(thinker) => thinker.thoughts.recv().await,
        None => std::future::pending().await,
    }
}

impl<'a> Play<'a> {
    fn new(table: &'a Table, id: &'a str, own: Side, snapshot: &Snapshot) -> Play<'a> {
        Play {
            table,
            id,
            known: Known {
                own,
                moves: Vec::new(),
                now: snapshot.now.clone(),
                at: Instant::now(),
                waits: None,
            },
            control: snapshot.clock.parse().unwrap_or(TimeControl::None),
            thinker: None,
            unfit: false,
            asked: None,
            found: None,
            sent: false,
            score: None,
            answered: Vec::new(),
        }
    }

    fn take_over(&mut self, snapshot: Snapshot) {
        self.known.moves = snapshot.moves.iter().map(|p| p.uci.clone()).collect();
        if self.thinker.is_none() && !self.unfit {
            self.sit_down(&snapshot);
        }
        self.take(snapshot.now);
    }

    fn take(&mut self, now: Now) {
        let waits = now.can_abort && now.turn == Some(other(self.known.own));
        self.known.waits = match self.known.waits {
            since @ Some(_) if waits => since,
            _ => waits.then(Instant::now),
        };
        self.known.now = now;
        self.known.at = Instant::now();
    }

    /// Starts an engine as soon as it is known which game is played.
    fn sit_down(&mut self, snapshot: &Snapshot) {
        let (Some(id), Some(start)) = (&snapshot.variant, &snapshot.start) else {
            return;
        };
        let table = self.table;
        let known = table.games.variant(id).filter(|_| table.engine.plays(id));
        let start = known.and_then(|variant| variant.position(start).ok());
        let Some(start) = start else {
            say(&format!(
                "game {}: the engine does not play {}; the game is left to people",
                self.id, snapshot.name
            ));
            self.unfit = true;
            return;
        };
        let players = &snapshot.now.players;
        let opponent = match self.known.own {
            Side::White => &players.black,
            Side::Black => &players.white,
        };
        say(&format!(
            "game {}: {} against {}, {}{}, with {}",
            self.id,
            snapshot.name,
            opponent.name,
            snapshot.clock,
            if snapshot.rated { ", rated" } else { "" },
            match self.known.own {
                Side::White => "the first move",
                Side::Black => "the second move",
            }
        ));
        let seat = Seat {
            game: self.id.into(),
            start,
            own: self.known.own.into(),
            control: self.control,
        };
        self.thinker = Some(Thinker::begin(table.engine.clone(), seat));
    }

    fn think(&mut self, moves: Vec<String>, thought: Thought) {
        if let Thought::Move(_, score) = &thought {
            self.score = *score;
        }
        self.found = Some((moves, thought));
        self.sent = false;
    }

    /// Handles a refusal of what was sent.
    fn refused(&mut self, of: &str, code: &str, message: &str) -> Result<(), Trouble> {
        match (of, code) {
            // The answer no longer applies: the next message brings the new state, if it has not come already.
            (_, "stale" | "not_your_turn" | "not_now" | "over" | "not_begun") => {}
            ("move" | "accept", "illegal_move") => {
                say(&format!(
                    "game {}: {message}; the engine is asked again",
                    self.id
                ));
                self.found = None;
                self.asked = None;
            }
            ("move" | "accept" | "resign", _) => self.sent = false,
            _ => {}
        }
        match code {
            "no_game" | "not_your_seat" => Err(Trouble::Network(message.into())),
            _ => Ok(()),
        }
    }

    /// What can be claimed from an opponent who does not come, and when.
    fn claim(&self) -> Option<(Duration, ClientMessage)> {
        let known = &self.known;
        let slow = matches!(self.control, TimeControl::Correspondence { .. });
        if known.now.stage != Stage::Playing || slow {
            return None;
        }
        let opponent = match known.own {
            Side::White => &known.now.players.black,
            Side::Black => &known.now.players.white,
        };
        let left = opponent.claim_in_ms.map(|ms| {
            let until = Duration::from_millis(ms) + AGAIN;
            let claim = Claim::Win;
            (
                until.saturating_sub(known.at.elapsed()),
                ClientMessage::Claim { claim },
            )
        });
        let waits = known.waits.map(|since| {
            (
                WAITING.saturating_sub(since.elapsed()),
                ClientMessage::Abort,
            )
        });
        left.or(waits)
    }

    /// Does what is to be done now; returns how the game has ended if it has.
    async fn act(&mut self, socket: &mut Socket) -> Result<Option<Ended>, Trouble> {
        match self.known.now.stage {
            Stage::Over => return Ok(Some(self.over())),
            Stage::Aborted => {
                return Ok(Some(Ended::Without("called off before it counted".into())));
            }
            Stage::Waiting => {}
            Stage::Customs => self.choose(socket).await?,
            Stage::Playing => {
                self.answer_offers(socket).await?;
                self.play_on(socket).await?;
            }
        }
        Ok(None)
    }

    fn over(&self) -> Ended {
        let result = self.known.now.result.as_ref();
        let how = match result.and_then(|r| r.winner) {
            Some(side) if side == self.known.own => "won",
            Some(_) => "lost",
            None => "drawn",
        };
        let reason = result.map_or("", |r| r.reason.as_str());
        Ended::Over(format!("{how} ({reason})"))
    }

    /// Answers each question of the customs with the usual value.
    async fn choose(&mut self, socket: &mut Socket) -> Result<(), Trouble> {
        let questions = self.known.now.customs.iter().flat_map(|c| &c.questions);
        let own = self.known.own;
        let asked = questions.filter(|q| q.asked.contains(&own));
        let asked: Vec<(String, String)> = asked
            .filter_map(|q| Some((q.name.clone(), q.values.first()?.clone())))
            .collect();
        for (name, value) in asked {
            if self.once(format!("customs {name}")) {
                socket.say(&ClientMessage::Choose { name, value }).await?;
            }
        }
        Ok(())
    }

    fn once(&mut self, what: String) -> bool {
        let new = !self.answered.contains(&what);
        if new {
            self.answered.push(what);
        }
        new
    }

    /// Accepts a draw offer if the engine does not see itself ahead; declines take-backs.
    async fn answer_offers(&mut self, socket: &mut Socket) -> Result<(), Trouble> {
        let (now, opponent) = (&self.known.now, other(self.known.own));
        let (ply, seq) = (now.ply, Some(now.seq));
        let (draw, takeback) = (now.draw_offer, now.takeback_offer);
        if draw == Some(opponent) && self.once(format!("draw {ply}")) {
            let message = match self.score {
                Some(score) if score <= 0 => ClientMessage::Draw { ply, seq },
                _ => ClientMessage::DeclineDraw { ply },
            };
            socket.say(&message).await?;
        }
        if takeback == Some(opponent) && self.once(format!("takeback {ply}")) {
            socket.say(&ClientMessage::DeclineTakeback { ply }).await?;
        }
        Ok(())
    }

    async fn play_on(&mut self, socket: &mut Socket) -> Result<(), Trouble> {
        let known = &self.known;
        if known.now.turn != Some(known.own) {
            return Ok(());
        }
        let found = self
            .found
            .as_ref()
            .filter(|(moves, _)| *moves == known.moves);
        let Some((_, thought)) = found else {
            let ask = self.thinker.as_ref();
            if let Some(thinker) = ask.filter(|_| self.asked.as_ref() != Some(&known.moves)) {
                thinker.ask(Question {
                    moves: known.moves.clone(),
                    clocks: known.now.clocks.clone().map(|clocks| (clocks, known.at)),
                });
                self.asked = Some(known.moves.clone());
            }
            return Ok(());
        };
        if self.sent {
            return Ok(());
        }
        let (ply, seq) = (known.now.ply, Some(known.now.seq));
        let message = match thought {
            Thought::Move(text, _) => ClientMessage::Move {
                ply,
                seq,
                text: text.clone(),
            },
            Thought::Accept => ClientMessage::Accept { ply, seq },
            Thought::Resign => ClientMessage::Resign,
        };
        self.sent = true;
        socket.say(&message).await
    }
}
