//! The engine as an opponent: asked when it is its turn, and answering draw offers.

use super::{Command, Live, Thinking};
use crate::brains::{self, Purpose, Question};
use crate::table::{Action, Event, Who};
use ::engine::{ClockSituation, Level, Outcome, Score};
use husun::{Position, Side};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

/// Wait before the engine is asked again when the pool was full.
const AGAIN: Duration = Duration::from_millis(500);

impl Live {
    /// Asks the engine if it is its turn.
    pub(super) fn think(&mut self) {
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
        self.thinking = self.ask(level, Purpose::Play, None);
    }

    pub(super) fn stop_thinking(&mut self) {
        for thinking in [self.thinking.take(), self.counselling.take()]
            .into_iter()
            .flatten()
        {
            thinking.stop.store(true, Relaxed);
        }
    }

    pub(super) fn ask(
        &self,
        level: Level,
        purpose: Purpose,
        counsels: Option<Side>,
    ) -> Option<Thinking> {
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
            purpose,
            position: game.position().clone(),
            history: history.map(Position::key).collect(),
            level,
            limits: brains::limits(level, clock),
            lines: 1,
            seed: self.table.spec().seed.wrapping_add(ply as u64),
            stop: stop.clone(),
            report: Box::new(|_| {}),
            done: Box::new(move |outcome| {
                let thought = Command::Thought {
                    ply,
                    counsels,
                    outcome,
                };
                // The game waits for the answer, so its queue is the place to wait.
                runtime.spawn(async move {
                    let _ = commands.send(thought).await;
                });
            }),
        };
        if let Err(busy) = self.world.brains.ask(question) {
            tracing::warn!(game = %self.id, %busy, "the engine is asked again later");
            let commands = self.commands.clone();
            tokio::spawn(async move {
                tokio::time::sleep(AGAIN).await;
                if let Some(commands) = commands.upgrade() {
                    let outcome = Outcome {
                        best: None,
                        ponder: None,
                        score: Score::Cp(0),
                        pv: Vec::new(),
                        accept: false,
                        depth: 0,
                        nodes: 0,
                    };
                    let thought = Command::Thought {
                        ply,
                        counsels,
                        outcome,
                    };
                    let _ = commands.send(thought).await;
                }
            });
        }
        Some(Thinking { ply, stop })
    }

    pub(super) async fn thought(&mut self, ply: usize, counsels: Option<Side>, outcome: Outcome) {
        if ply != self.table.ply() {
            return;
        }
        if let Some(side) = counsels {
            self.counselling = None;
            return self.advise(side, &outcome).await;
        }
        if self.thinking.take().is_none() {
            return;
        }
        let Some(side) = self.table.turn() else {
            return;
        };
        let Some(best) = outcome.best else {
            // The pool was full.
            return self.think();
        };
        self.score = Some(outcome.score.value());
        let Some(game) = self.table.game() else {
            return;
        };
        let ply = ply as u32;
        let action = match outcome.accept {
            true => Action::Accept { ply },
            false => Action::Move {
                ply,
                text: game.position().uci(best).to_string(),
            },
        };
        let now = self.now();
        let world = self.world.clone();
        let die = &mut || world.die();
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
