//! How events change a game.

use super::{
    Board, ChatLine, Counsellor, Event, LAG_BUDGET, LAG_REFILL, Opener, Phase, Plan, Played,
    Rematch, Settling, Table, board,
};
use crate::deed::Claim;
use crate::{Both, check};
use husun::clock::{Clock, ClockError, TimeControlError};
use husun::{ActionError, Game, IllegalMove, PositionError, Side, UciError};
use std::time::Duration;

/// Why an event, or what was settled when a game was made, does not fit it. It came from damaged storage.
#[derive(Debug, thiserror::Error)]
pub enum Misfit {
    /// The numbers of events have a gap.
    #[error("expected event {expected}")]
    Number {
        /// The number after the previous event's.
        expected: u64,
    },
    /// A game that this program does not have.
    #[error("no game {0:?}")]
    Variant(String),
    /// A family that this program does not have.
    #[error("no family {0:?}")]
    Family(String),
    /// Both a game and a family, or neither.
    #[error("exactly one of variant and family is wanted")]
    Choice,
    /// There are no customs to settle.
    #[error("there are no customs")]
    NoCustoms,
    /// A question that the customs do not ask.
    #[error("there is no question {0:?}")]
    Question(String),
    /// Something that happens in play only.
    #[error("the game is not being played")]
    NotPlaying,
    /// A beginning or a closing when the game had begun or was over.
    #[error("the game has begun already, or is over")]
    Begun,
    /// The position to start from.
    #[error(transparent)]
    Position(#[from] PositionError),
    /// The clock's settings.
    #[error(transparent)]
    Control(#[from] TimeControlError),
    /// The clock.
    #[error(transparent)]
    Clock(#[from] ClockError),
    /// A move.
    #[error(transparent)]
    Move(#[from] UciError),
    /// A move that is not legal.
    #[error(transparent)]
    Illegal(#[from] IllegalMove),
    /// An ending or an offer.
    #[error(transparent)]
    Action(#[from] ActionError),
}

impl Table {
    /// Applies an event. One that does not fit leaves the game unusable.
    pub fn apply(&mut self, event: &Event, at: Duration) -> Result<(), Misfit> {
        let at = at.max(self.at);
        match event {
            Event::Joined {
                side,
                person,
                number,
            } => {
                let seat = self.seats.get_mut(*side);
                seat.present = Some(person.clone());
                if let Some(number) = number {
                    let fresh = Opener::Number(number.clone());
                    seat.invitation = Some(std::mem::replace(&mut seat.opener, fresh));
                }
                if let Some(customs) = &mut self.customs {
                    customs.begin_anew(at);
                }
            }
            Event::Chose { side, name, value } => {
                self.settling()?.choose(*side, name, value, at)?;
            }
            Event::Die { name, value } => self.settling()?.throw(name, *value, at)?,
            Event::Silent { name, value } => self.settling()?.settle(name, value, at)?,
            Event::Begun { variant } => self.begin(variant, at)?,
            Event::Played { uci, lag, thought } => {
                self.play(uci, Duration::from_millis(*lag), *thought, at)?;
            }
            Event::Accepted => self.end(at, |g| g.accept().map(drop))?,
            Event::Resigned { side } => self.end(at, |g| g.resign(*side).map(drop))?,
            Event::Flagged { side } => self.end(at, |g| g.lose_on_time(*side).map(drop))?,
            Event::Claimed { side, claim } => {
                let winner = match claim {
                    Claim::Win => Some(*side),
                    Claim::Draw => None,
                };
                self.end(at, |g| g.abandon(winner).map(drop))?;
            }
            Event::DrawOffered { side } => {
                let board = self.playing_mut()?;
                board.game.offer_draw(*side)?;
                *board.offered_at.get_mut(*side) = Some(board.played.len());
            }
            Event::DrawAgreed { side } => self.end(at, |g| g.agree_to_draw(*side).map(drop))?,
            Event::DrawDeclined { side } => self.playing_mut()?.game.decline_draw(*side)?,
            Event::TakebackAsked { side } => self.playing_mut()?.takeback = Some(*side),
            Event::TakenBack { plies } => self.take_back(*plies, at)?,
            Event::TakebackDeclined => self.playing_mut()?.takeback = None,
            Event::Aborted => self.abort(at)?,
            Event::Abandoned => match self.phase {
                Phase::Playing(_) => self.end(at, |g| g.abandon(None).map(drop))?,
                _ => self.abort(at)?,
            },
            Event::Chat {
                side,
                text,
                removed,
            } => self.chat.push(ChatLine {
                side: *side,
                text: text.clone(),
                removed: *removed,
            }),
            Event::RematchOffered { side } => self.rematch = Rematch::Offered(*side),
            Event::RematchFailed => self.rematch = Rematch::None,
            Event::Rematched { game } => self.rematch = Rematch::Made(game.clone()),
            Event::Appointed {
                side,
                secret,
                number,
            } => {
                let number = number.clone().map(Opener::Number);
                *self.counsel_mut(*side) = Counsellor {
                    appointed: true,
                    opener: number.or(secret.clone().map(Opener::Word)),
                    ..Counsellor::default()
                };
            }
            Event::CounsellorJoined {
                side,
                person,
                number,
            } => {
                let counsellor = self.counsel_mut(*side);
                counsellor.person = Some(person.clone());
                if let Some(number) = number {
                    let fresh = Some(Opener::Number(number.clone()));
                    counsellor.invitation = std::mem::replace(&mut counsellor.opener, fresh);
                }
            }
            Event::CounselAsked { side } => {
                self.counsel_mut(*side).asked = Some(self.ply());
            }
            Event::Advised { side, text } => {
                self.counsel_mut(*side).advice = Some(text.clone());
            }
            Event::Vacation { side, on } => {
                *self.vacation.get_mut(*side) = *on;
            }
            Event::Planned { side, lines } => {
                let ply = self.ply();
                let plan = Plan {
                    ply,
                    lines: lines.clone(),
                };
                *self.plans.get_mut(*side) = (!lines.is_empty()).then_some(plan);
            }
            Event::Resumed => {}
        }
        self.hold(at)?;
        if event.is_offer() {
            self.offers += 1;
        }
        self.at = at;
        self.seq += 1;
        if self.ended.is_none() && matches!(self.phase, Phase::Over(_)) {
            self.ended = Some(self.seq);
        }
        Ok(())
    }

    fn settling(&mut self) -> Result<&mut Settling, Misfit> {
        self.customs.as_mut().ok_or(Misfit::NoCustoms)
    }

    fn playing_mut(&mut self) -> Result<&mut Board, Misfit> {
        match &mut self.phase {
            Phase::Playing(board) => Ok(board),
            _ => Err(Misfit::NotPlaying),
        }
    }

    fn counsel_mut(&mut self, side: Side) -> &mut Counsellor {
        &mut self.seats.get_mut(side).counsel
    }

    fn begin(&mut self, name: &str, at: Duration) -> Result<(), Misfit> {
        let Phase::Gathering(known) = &mut self.phase else {
            return Err(Misfit::Begun);
        };
        let board = match known.take() {
            Some(known) if known.game.variant().id() != name => {
                return Err(Misfit::Variant(name.into()));
            }
            Some(known) => known,
            None => {
                let variant = self.games.stored(name);
                let variant = variant.ok_or_else(|| Misfit::Variant(name.into()))?;
                board(&self.spec, &variant)?
            }
        };
        if !self.clocks_wait_at(board.played.len())
            && let Some(clock) = &mut self.clock
        {
            clock.start(board.game.turn(), at)?;
        }
        let turned = at;
        self.phase = Phase::Playing(Board { turned, ..board });
        Ok(())
    }

    /// Takes the board out of play when its game has ended.
    fn close_if_over(&mut self, at: Duration) {
        let placeholder = Phase::Aborted(None);
        self.phase = match std::mem::replace(&mut self.phase, placeholder) {
            Phase::Playing(mut board) if board.game.outcome().is_some() => {
                board.takeback = None;
                if let Some(clock) = &mut self.clock {
                    clock.stop(at);
                }
                Phase::Over(board)
            }
            as_before => as_before,
        };
    }

    fn end(
        &mut self,
        at: Duration,
        f: impl FnOnce(&mut Game) -> Result<(), ActionError>,
    ) -> Result<(), Misfit> {
        f(&mut self.playing_mut()?.game)?;
        self.close_if_over(at);
        Ok(())
    }

    fn abort(&mut self, at: Duration) -> Result<(), Misfit> {
        let placeholder = Phase::Aborted(None);
        let board = match std::mem::replace(&mut self.phase, placeholder) {
            Phase::Gathering(board) => board,
            Phase::Playing(board) => Some(board),
            Phase::Over(_) | Phase::Aborted(_) => return Err(Misfit::Begun),
        };
        self.phase = Phase::Aborted(board);
        if let Some(clock) = &mut self.clock {
            clock.stop(at);
        }
        Ok(())
    }

    fn play(
        &mut self,
        uci: &str,
        lag: Duration,
        thought: Option<i32>,
        at: Duration,
    ) -> Result<(), Misfit> {
        let (waits, waits_on) = (
            self.clocks_wait_at(self.ply()),
            self.clocks_wait_at(self.ply() + 1),
        );
        let Phase::Playing(board) = &mut self.phase else {
            return Err(Misfit::NotPlaying);
        };
        let before = board.game.position();
        let m = before.parse_uci(uci)?;
        let uci = before.uci(m).to_string();
        let san = before.san(m).map_err(ActionError::from)?;
        let side = before.turn();
        let kept = self.clock.clone();
        let spent_ms = match &mut self.clock {
            Some(clock) => {
                if waits {
                    clock.start(side, at)?;
                }
                if clock.is_paused() {
                    clock.resume(at)?;
                }
                let spent = press(clock, lag, at)?;
                if waits_on {
                    clock.stop(at);
                }
                Some(spent)
            }
            None => None,
        };
        if let Err(error) = board.game.play(m) {
            self.clock = kept;
            return Err(error.into());
        }
        let after = board.game.position();
        board.turned = at;
        board.played.push(Played {
            uci,
            san,
            fen: after.fen(),
            check: check(after),
            spent_ms,
            thought,
        });
        board.clocks_before.push(kept);
        let left = board.lag_left.get_mut(side);
        *left = (left.saturating_sub(lag) + LAG_REFILL).min(LAG_BUDGET);
        board.takeback = None;
        self.close_if_over(at);
        Ok(())
    }

    fn take_back(&mut self, plies: u32, at: Duration) -> Result<(), Misfit> {
        let Phase::Playing(board) = &mut self.phase else {
            return Err(Misfit::NotPlaying);
        };
        for _ in 0..plies {
            board.game.take_back()?;
            board.played.pop();
            self.clock = board.clocks_before.pop().flatten();
        }
        if let Some(clock) = &mut self.clock {
            clock.restart_turn(at);
        }
        board.takeback = None;
        board.offered_at = Both::default();
        self.plans = Both::default();
        self.cut = self.seq + 1;
        Ok(())
    }
}

/// Ends the turn of the side whose clock runs; returns the milliseconds it took.
fn press(clock: &mut Clock, lag: Duration, at: Duration) -> Result<u64, ClockError> {
    let pressed = clock.press(at.saturating_sub(lag))?;
    clock.restart_turn(at);
    Ok(pressed.spent.as_millis() as u64)
}
