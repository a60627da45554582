//! Waiting: when something happens without anybody acting, clocks that wait for the first moves, and the game of an
//! opponent who has left.

use super::{Event, FIRST_MOVES, Misfit, SILENCE, SILENT, Stage, Table, WAITING};
use crate::deed::{Circumstances, Claim, Refused};
use crate::rating::usual_time;
use husun::Side;
use husun::clock::TimeControl;
use std::time::Duration;

/// The mover of a game over days is warned when this fraction of a move's days is left, and at most this long before.
const RUNNING_OUT: (u32, Duration) = (5, Duration::from_secs(12 * 3600));
/// The shortest and the longest wait before the game of an opponent who has left can be claimed.
const PATIENCE: [Duration; 2] = [Duration::from_secs(60), Duration::from_secs(300)];

impl Table {
    /// When something happens without anybody acting: a flag falls, or silence has lasted too long.
    pub fn deadline(&self) -> Option<Duration> {
        match (self.stage(), &self.clock) {
            (Stage::Playing, Some(clock)) if self.clock_runs() => clock.deadline(),
            (Stage::Playing, Some(clock)) if clock.is_paused() => None,
            // It does not count yet.
            (Stage::Playing, Some(_)) => self.missing_from().or(Some(self.at + WAITING)),
            (Stage::Playing, None) => Some(self.at + SILENT),
            (Stage::Customs, _) => Some(self.customs.as_ref()?.since() + SILENCE),
            (Stage::Waiting, _) => Some(self.at + WAITING),
            (Stage::Over | Stage::Aborted, _) => None,
        }
    }

    /// A time before which nothing happens by itself, whatever the players do until then: what each has left only
    /// grows with moves.
    pub fn earliest(&self, at: Duration) -> Option<Duration> {
        let deadline = self.deadline()?;
        let running = self.clock.as_ref().filter(|_| self.playing().is_some());
        let Some(clock) = running else {
            return Some(deadline);
        };
        let left = |side| clock.remaining(side, at).total(clock.control());
        let least = Side::ALL.into_iter().filter_map(left).min();
        Some(least.map_or(deadline, |least| deadline.min(at + least)))
    }

    /// Whether the clock does not run before the half-move with this index: each side's first move takes none of its
    /// time, however long it takes, so nobody is charged for a friend who has opened the link and is not ready yet.
    /// With days for each move there is time enough.
    pub(super) fn clocks_wait_at(&self, ply: usize) -> bool {
        self.spec.clocks_wait && !self.is_slow() && ply < FIRST_MOVES
    }

    /// When the mover of a tournament game loses it by not showing up: each side has some time for its first move.
    pub fn missing_from(&self) -> Option<Duration> {
        let (of, board) = (self.spec.tournament.as_ref()?, self.playing()?);
        let person = self.level(board.game.turn()).is_none();
        let waits = person && self.clocks_wait_at(board.played.len());
        waits.then(|| board.turned + Duration::from_millis(of.first_move_ms))
    }

    /// Whether somebody's time runs.
    pub fn clock_runs(&self) -> bool {
        let clock = self.clock.as_ref().filter(|_| self.playing().is_some());
        clock.is_some_and(|clock| clock.turn().is_some() && !clock.is_paused())
    }

    /// Whether a player is on vacation from games over days.
    pub fn on_vacation(&self, side: Side) -> bool {
        *self.vacation.get(side)
    }

    /// What follows when somebody goes on vacation or comes back; nothing if the game knows already, or is not over
    /// days.
    pub fn vacation(&self, guest: &str, on: bool, at: Duration) -> Vec<Event> {
        let fallen = self.clock.as_ref().and_then(|clock| clock.flagged(at));
        if !self.is_slow() || self.is_over() || fallen.is_some() {
            return Vec::new();
        }
        let own = Side::ALL.into_iter().filter(|side| {
            let person = self.person(*side);
            person.is_some_and(|p| p.guest == guest) && self.on_vacation(*side) != on
        });
        own.map(|side| Event::Vacation { side, on }).collect()
    }

    /// Stops the clock of a player on vacation, and lets it run on when the vacation or the turn is over.
    pub(super) fn hold(&mut self, at: Duration) -> Result<(), Misfit> {
        let Some(turn) = self.playing().map(|board| board.game.turn()) else {
            return Ok(());
        };
        let held = self.on_vacation(turn);
        if let Some(clock) = self.clock.as_mut().filter(|c| c.turn().is_some()) {
            match (held, clock.is_paused()) {
                (true, false) => clock.pause(at)?,
                (false, true) => clock.resume(at)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Whether the clock waits until both have moved.
    pub fn clock_waits(&self) -> bool {
        self.clock.is_some() && self.playing().is_some() && self.clocks_wait_at(self.ply())
    }

    /// Whether there are days for each move.
    pub fn is_slow(&self) -> bool {
        matches!(self.spec.control, TimeControl::Correspondence { .. })
    }

    /// When the mover is warned that time is running out, in a game over days: a fifth of a move's days before the
    /// flag falls, and at most half a day. None while the clock stands still, or for the engine.
    pub fn warned_from(&self) -> Option<Duration> {
        let TimeControl::Correspondence { days } = self.spec.control else {
            return None;
        };
        let person = self.level(self.turn()?).is_none();
        let deadline = self.deadline().filter(|_| person && self.clock_runs())?;
        let part = Duration::from_secs(u64::from(days) * 24 * 3600) / RUNNING_OUT.0;
        Some(deadline.saturating_sub(part.min(RUNNING_OUT.1)))
    }

    /// How long a player waits for an opponent who has left before the game can be claimed: a tenth of the time for
    /// forty moves, at least one minute and at most five. None if nobody has to stay at the board: with days for each
    /// move, and without a clock.
    pub fn patience(&self) -> Option<Duration> {
        let time = usual_time(&self.spec.control)?;
        Some((time / 10).clamp(PATIENCE[0], PATIENCE[1]))
    }

    /// When the opponent of a player who has been away since `away` can claim the game; none if there is nobody who
    /// could, or the game does not count yet.
    pub fn claimed_from(&self, away: Option<Duration>) -> Option<Duration> {
        let counts = self.playing().is_some() && self.ply() >= FIRST_MOVES;
        let people = !self.has_engine();
        (counts && people).then_some(away? + self.patience()?)
    }

    fn has_only_royals(&self, side: Side) -> bool {
        self.game().is_some_and(|game| {
            let position = game.position();
            let setup = position.setup();
            let pieces = setup.board.iter().flatten();
            let all = pieces.filter(|(s, _)| *s == side).count();
            all <= position.royal_count(side) as usize
        })
    }

    /// What follows when a player claims the game of an opponent who has left.
    pub(super) fn claim(
        &self,
        side: Side,
        claim: Claim,
        &Circumstances { at, away, .. }: &Circumstances,
    ) -> Result<Vec<Event>, Refused> {
        self.going_on()?;
        if self.ply() < FIRST_MOVES {
            return Err(Refused::NotCounting);
        }
        if self.patience().is_none() {
            return Err(Refused::NobodyWaits);
        }
        let other = side.opponent();
        let from = self.claimed_from(*away.get(other));
        match from.ok_or(Refused::NobodyLeft)?.checked_sub(at) {
            None | Some(Duration::ZERO) => {
                // As when time has run out: a player who cannot win gets a draw.
                let claim = match self.has_only_royals(side) {
                    true => Claim::Draw,
                    false => claim,
                };
                Ok(vec![Event::Claimed { side, claim }])
            }
            Some(rest) => Err(Refused::LeftJustNow(rest.as_millis().div_ceil(1000) as u64)),
        }
    }
}
