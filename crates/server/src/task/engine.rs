//! The engine as an opponent: asked when it is its turn, and answering draw offers.

use super::{Command, GameTask, Thinking};
use crate::brains::{self, Purpose, Question};
use crate::table::{Action, Event, Who};
use ::engine::{ClockSituation, Level, Outcome};
use husun::{Position, Side};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

/// Wait before the engine is asked again when the pool was full.
const AGAIN: Duration = Duration::from_millis(500);

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
        self.thinking = self.ask(level);
    }

    pub(super) fn stop_thinking(&mut self) {
        for thinking in [self.thinking.take(), self.counselling.take()]
            .into_iter()
            .flatten()
        {
            thinking.stop.store(true, Relaxed);
        }
    }

    /// Asks about the present position.
    pub(super) fn ask(&mut self, level: Level) -> Option<Thinking> {
        self.asked += 1;
        let number = self.asked;
        let game = self.table.game()?;
        let ply = self.table.ply();
        let now = self.now();
        let clock = self.table.clock().map(|clock| ClockSituation {
            control: clock.control(),
            remaining: clock.remaining(game.turn(), now),
            moves_to_go: None,
        });
        let stop: Arc<AtomicBool> = Arc::default();
        let history = (0..ply).filter_map(|ply| game.position_at(ply));
        let commands = self.commands.upgrade()?;
        let runtime = tokio::runtime::Handle::current();
        let question = Question {
            owner: self.id.clone(),
            purpose: Purpose::Play,
            position: game.position().clone(),
            history: history.map(Position::key).collect(),
            level,
            limits: brains::limits(level, clock),
            lines: 1,
            seed: self.table.spec().seed.wrapping_add(ply as u64),
            stop: stop.clone(),
            report: Box::new(|_| {}),
            done: Box::new(move |outcome| {
                let outcome = outcome.ok();
                // The game waits for the answer, so its queue is the place to wait.
                runtime.spawn(async move {
                    if outcome.is_none() {
                        // What ended in a fault may do so again, and is not to keep a thread busy with that.
                        tokio::time::sleep(AGAIN).await;
                    }
                    let thought = Command::Thought { number, outcome };
                    let _ = commands.send(thought).await;
                });
            }),
        };
        if let Err(busy) = self.services.brains.ask(question) {
            tracing::warn!(game = %self.id, %busy, "the engine is asked again later");
            let commands = self.commands.clone();
            tokio::spawn(async move {
                tokio::time::sleep(AGAIN).await;
                if let Some(commands) = commands.upgrade() {
                    let outcome = None;
                    let thought = Command::Thought { number, outcome };
                    let _ = commands.send(thought).await;
                }
            });
        }
        Some(Thinking { number, ply, stop })
    }

    pub(super) async fn thought(&mut self, number: u64, outcome: Option<Outcome>) {
        // An answer to a question that does not stand any more is passed over.
        let asked = |thinking: &mut Thinking| thinking.number == number;
        if self.counselling.take_if(asked).is_some() {
            return self.advise(outcome).await;
        }
        if self.thinking.take_if(asked).is_none() {
            return;
        }
        let Some(outcome) = outcome else {
            return self.think();
        };
        let (Some(side), Some(best)) = (self.table.turn(), outcome.best) else {
            return;
        };
        self.score = Some(outcome.score.value());
        let Some(game) = self.table.game() else {
            return;
        };
        let (ply, seq) = (self.table.ply() as u32, None);
        let action = match outcome.accept {
            true => Action::Accept { ply, seq },
            false => Action::Move {
                ply,
                seq,
                text: game.position().uci(best).to_string(),
            },
        };
        let now = self.now();
        let services = self.services.clone();
        let die = &mut || services.die();
        match self
            .table
            .decide(Who::Player(side), &action, now, Duration::ZERO, die)
        {
            Ok(events) => Box::pin(self.carry_out(events, now)).await,
            Err(error) => {
                tracing::info!(game = %self.id, %error, "the engine's move came too late")
            }
        }
    }

    /// The engine's answer to a draw offer.
    pub(super) async fn answer_draw_offer(&mut self) {
        let offer = self.table.game().and_then(|g| g.draw_offer());
        let Some(engine) = offer.map(Side::opponent) else {
            return;
        };
        if self.table.level(engine).is_none() || self.table.is_over() {
            return;
        }
        let event = match ::engine::agrees_to_draw(self.score, self.table.ply()) {
            true => Event::DrawAgreed { side: engine },
            false => Event::DrawDeclined { side: engine },
        };
        let now = self.now();
        self.enact(vec![event], now).await;
    }
}
