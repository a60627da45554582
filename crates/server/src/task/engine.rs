//! The engine as an opponent: asked when it is its turn, and answering draw offers.

use super::{Command, GameTask, Thinking};
use crate::engines::{Job, JobClock, Purpose, Thought, longest};
use ::engine::pace::{Choice, natural};
use ::engine::{Level, Thoughts};
use husun::{Position, Side, Square};
use play::table::{Event, Table};
use play::{Deed, Who};
use std::time::{Duration, Instant};

/// Wait before the engine is asked again when the pool was full, or its answer was a fault.
const AGAIN: Duration = Duration::from_millis(500);

/// How a level takes its time over a move.
pub(super) struct Manner {
    /// When it began.
    since: Instant,
    position: Position,
    /// Where the opponent has just taken something.
    taken_on: Option<Square>,
    ply: usize,
    left: Option<Duration>,
    seed: u64,
}

impl Manner {
    /// When it makes its move.
    fn until(&self, thought: &Thought) -> Instant {
        let best = thought.best.as_ref();
        let best = best.and_then(|best| self.position.parse_uci(best).ok());
        self.since
            + natural(Choice {
                sensible: thought.sensible,
                recapture: best.is_some_and(|m| Some(m.to()) == self.taken_on),
                ply: self.ply,
                left: self.left,
                seed: self.seed,
            })
    }
}

/// What the engine thought in a game, as it is stored with its moves.
pub(super) fn thoughts_of(table: &Table) -> Thoughts {
    let mut thoughts = Thoughts::default();
    for side in Side::ALL {
        for (ply, score) in table.thoughts(side) {
            thoughts.note(ply, score);
        }
        if let Some(ply) = table
            .offered_at(side)
            .filter(|_| table.level(side).is_some())
        {
            thoughts.note_offer(ply);
        }
    }
    thoughts
}

/// Has a move of the engine's stored with what it thought, for when the game is read again.
fn keep_thought(events: &mut [Event], score: i32) {
    for event in events {
        if let Event::Played { thought, .. } = event {
            *thought = Some(score);
        }
    }
}

impl GameTask {
    /// Asks the engine if it is its turn.
    pub(super) fn think(&mut self) {
        if self.broken {
            return;
        }
        let ply = self.table.ply();
        let asked = self.thinking.as_ref().is_some_and(|t| t.ply == ply);
        let turn = self.table.turn();
        let level = turn.and_then(|side| self.table.level(side));
        let Some(level) = level.and_then(Level::new) else {
            self.stop_thinking();
            return;
        };
        if asked {
            return;
        }
        self.stop_thinking();
        let manner = self.manner(level);
        self.thinking = self.ask(level, manner);
    }

    /// How a level that is to move takes its time; at full strength, and where the server is told so, it moves when it
    /// has thought.
    fn manner(&self, level: Level) -> Option<Manner> {
        let game = self.table.game()?;
        let (ply, now) = (self.table.ply(), self.now());
        let last = game.moves().last().zip(ply.checked_sub(1));
        let taken_on = last.and_then(|(&m, before)| {
            let taken = game.position_at(before)?.captured(m);
            taken.map(|_| m.to())
        });
        let clock = self.table.clock();
        let left = clock.and_then(|clock| clock.remaining(game.turn(), now).total(clock.control()));
        (level < Level::FULL && self.services.engine_pause).then(|| Manner {
            since: Instant::now(),
            position: game.position().clone(),
            taken_on,
            ply,
            left,
            seed: self.table.spec().seed.wrapping_add(ply as u64),
        })
    }

    pub(super) fn stop_thinking(&mut self) {
        (self.thinking, self.counselling) = (None, None);
    }

    fn job(&self, level: Level) -> Option<Job> {
        let game = self.table.game()?;
        let (ply, now) = (self.table.ply(), self.now());
        let clock = self.table.clock().map(|clock| JobClock {
            control: clock.control(),
            remaining: clock.remaining(game.turn(), now),
        });
        let history = (0..ply).filter_map(|ply| game.position_at(ply));
        let variant = self.table.games().name(game.variant());
        Some(Job {
            asker: self.id.clone(),
            purpose: Purpose::Play,
            definition: self.table.games().hash(&variant)?,
            variant,
            fen: game.position().fen(),
            key: game.position().key(),
            history: history.map(Position::key).collect(),
            level: level.number(),
            clock,
            most: longest(level, clock.as_ref()),
            nodes: None,
            lines: 1,
            seed: self.table.spec().seed,
        })
    }

    /// Asks about the present position. The answer comes as a command.
    pub(super) fn ask(&mut self, level: Level, manner: Option<Manner>) -> Option<Thinking> {
        self.asked += 1;
        let number = self.asked;
        let asked = self.services.engines.ask(self.job(level)?);
        if let Err(busy) = &asked {
            tracing::warn!(game = %self.id, %busy, "the engine is asked again later");
        }
        let commands = self.commands.clone();
        let waits = tokio::spawn(async move {
            let thought = match asked {
                Ok(mut asked) => asked.end().await,
                Err(_) => None,
            };
            if thought.is_none() {
                // What ended in a fault may do so again, and is not to keep a thread busy with that.
                tokio::time::sleep(AGAIN).await;
            }
            if let (Some(thought), Some(manner)) = (&thought, manner) {
                tokio::time::sleep_until(manner.until(thought).into()).await;
            }
            if let Some(commands) = commands.upgrade() {
                // The game waits for the answer, so its queue is the place to wait.
                let thought = Command::Thought { number, thought };
                let _ = commands.send(Box::new(thought)).await;
            }
        });
        Some(Thinking {
            number,
            ply: self.table.ply(),
            waits,
        })
    }

    pub(super) async fn thought(&mut self, number: u64, thought: Option<Thought>) {
        // An answer to a question that does not stand any more is passed over.
        let asked = |thinking: &mut Thinking| thinking.number == number;
        if self.counselling.take_if(asked).is_some() {
            return self.advise(thought).await;
        }
        if self.thinking.take_if(asked).is_none() {
            return;
        }
        let Some(thought) = thought else {
            return self.think();
        };
        let (Some(side), Some(best)) = (self.table.turn(), thought.best) else {
            return;
        };
        self.thoughts.note(self.table.ply(), thought.score);
        let (ply, seq) = (self.table.ply() as u32, None);
        let deed = match thought.accept {
            true => Deed::Accept { ply, seq },
            _ if self.table.spec().engine_resigns && self.thoughts.resigns() => Deed::Resign,
            false => Deed::Move {
                ply,
                seq,
                text: best,
            },
        };
        let now = self.now();
        match self.decide(Who::Player(side), &deed, now, Duration::ZERO) {
            Ok(mut events) => {
                keep_thought(&mut events, thought.score);
                Box::pin(self.carry_out(events, now)).await;
            }
            Err(error) => {
                tracing::info!(game = %self.id, %error, "the engine's move came too late");
                return;
            }
        }
        self.offer_draw(side).await;
    }

    /// Has the engine offer a draw with its move, if it has reason to.
    async fn offer_draw(&mut self, side: Side) {
        let (ply, idle) = (self.table.ply(), self.idle());
        let moved = self.table.turn() == Some(side.opponent());
        if self.broken || !moved || !self.thoughts.offers_draw(ply, idle) {
            return;
        }
        let (deed, now) = (
            Deed::Draw {
                ply: ply as u32,
                seq: None,
            },
            self.now(),
        );
        if let Ok(events) = self.decide(Who::Player(side), &deed, now, Duration::ZERO) {
            self.thoughts.note_offer(ply);
            Box::pin(self.carry_out(events, now)).await;
        }
    }

    /// Half-moves without progress.
    fn idle(&self) -> u32 {
        self.table
            .game()
            .map_or(0, |game| game.position().halfmove())
    }

    /// The engine's answer to a draw offer.
    pub(super) async fn answer_draw_offer(&mut self) {
        let Some(engine) = self.table.draw_offer().map(Side::opponent) else {
            return;
        };
        if self.table.level(engine).is_none() {
            return;
        }
        let event = match self.thoughts.takes_draw(self.table.ply(), self.idle()) {
            true => Event::DrawAgreed { side: engine },
            false => Event::DrawDeclined { side: engine },
        };
        let now = self.now();
        self.enact(vec![event], now).await;
    }
}
