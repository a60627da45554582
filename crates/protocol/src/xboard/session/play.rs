//! An XBoard session's engine: when it thinks, about what, and what becomes of the result.

use super::super::notation::move_text;
use super::super::think::{Purpose, Work, post_text};
use super::{Mode, Session};
use crate::events::Event;
use crate::host::{Host, SearchRequest};
use engine::{Info, SearchResult};
use husun::{Move, Position};
use std::io::{self, Write};
use std::time::Instant;

impl<H: Host, W: Write> Session<H, W> {
    /// Has the engine do what its mode requires.
    pub(super) fn restart(&mut self) -> io::Result<()> {
        if self.work.is_some() {
            return Ok(());
        }
        match self.mode {
            Mode::Analyze if !self.impossible => self.think(Purpose::Analyze),
            Mode::Play(side) if side == self.game.turn() && self.game.outcome().is_none() => {
                self.think(Purpose::Move)
            }
            _ => Ok(()),
        }
    }

    pub(super) fn think(&mut self, purpose: Purpose) -> io::Result<()> {
        if self.impossible {
            return Ok(());
        }
        if let Some(told) = self.core.lacking_tables(&self.variant) {
            self.print(&format!("# {told}"))?;
        }
        let mut history = Vec::with_capacity(self.game.moves().len() + 1);
        let keys = (0..self.game.moves().len()).filter_map(|i| self.game.position_at(i));
        history.extend(keys.map(Position::key));
        let mut position = self.position().clone();
        if let Purpose::Ponder(m) = purpose {
            history.push(position.key());
            position = position.play_unchecked(m);
        }
        // The move that is pondered on counts as made: the engine's next move comes after it.
        let pondered = usize::from(matches!(purpose, Purpose::Ponder(_)));
        let made = (self.game.moves().len() + pondered) as u32 / 2;
        let mut limits = self.clock.limits(purpose, made);
        limits.searchmoves = sayable(&position);
        let request = SearchRequest {
            limits,
            position,
            history,
        };
        let mut options = self.core.settings.options();
        if purpose != Purpose::Analyze {
            options.lines = 1;
        }
        self.work = Some(Work {
            job: self.core.search(&self.variant, request, &options),
            purpose,
            dropped: false,
            since: Instant::now(),
            last: None,
        });
        Ok(())
    }

    /// Ends the search under way without a move, and waits for its end.
    pub(super) fn settle(&mut self) -> io::Result<()> {
        if let Some(work) = &mut self.work {
            work.dropped = true;
            work.job.stop();
        }
        while self.work.is_some() {
            match self.core.next_new() {
                event @ (Event::Line(_) | Event::Eof) => self.core.put_off(event),
                event => self.heard(event)?,
            }
        }
        Ok(())
    }

    /// Handles an event of the engine's thread.
    pub(super) fn heard(&mut self, event: Event) -> io::Result<()> {
        match event {
            Event::Info(info) => self.report(&info),
            Event::Done(thinker, found) => {
                self.core.take_in(thinker);
                self.finish(found.as_deref())
            }
            Event::Broken => {
                self.print("# the engine has failed and starts anew")?;
                self.finish(None)
            }
            Event::Say(_) | Event::Line(_) | Event::Eof => Ok(()),
        }
    }

    pub(super) fn report(&mut self, info: &Info) -> io::Result<()> {
        let (posts, turn_position) = (self.posts, self.position().clone());
        let Some(work) = self.work.as_mut().filter(|w| !w.dropped) else {
            return Ok(());
        };
        work.last = Some(info.clone());
        let shown = posts && !matches!(work.purpose, Purpose::Hint);
        if !shown {
            return Ok(());
        }
        let mut line = Self::line(&turn_position, &info.pv);
        if let Some(Purpose::Ponder(m)) = self.work.as_ref().map(|w| w.purpose) {
            line = format!("({}) {line}", move_text(&turn_position, m));
        }
        self.print(&post_text(info, &line))
    }

    pub(super) fn finish(&mut self, found: Option<&SearchResult>) -> io::Result<()> {
        let Some(work) = self.work.take() else {
            return Ok(());
        };
        if !work.dropped {
            match work.purpose {
                Purpose::Move => self.make_move(found, &work)?,
                Purpose::Hint => {
                    if let Some(best) = found.and_then(|f| f.best) {
                        let text = move_text(self.position(), best);
                        self.print(&format!("Hint: {text}"))?;
                    }
                }
                Purpose::Ponder(_) | Purpose::Analyze => {}
            }
        }
        for number in std::mem::take(&mut self.pongs) {
            self.print(&format!("pong {number}"))?;
        }
        Ok(())
    }

    pub(super) fn make_move(
        &mut self,
        found: Option<&SearchResult>,
        work: &Work,
    ) -> io::Result<()> {
        let made = self.game.moves().len() as u32 / 2 + 1;
        self.clock.used(work.since.elapsed(), made);
        let position = self.position().clone();
        let any = || position.legal_moves().first().copied();
        let Some(best) = found.map_or_else(any, |f| f.best) else {
            return Ok(());
        };
        self.score = found.map(|f| f.score);
        if found.is_some_and(|f| f.accept) && self.game.accept().is_ok() {
            self.tell_result()?;
            return Ok(());
        }
        let text = move_text(&position, best);
        self.print(&format!("move {text}"))?;
        let _ = self.game.play_on(best);
        if self.tell_result()? {
            return Ok(());
        }
        let legal = |m: &Move| self.position().legal_moves().contains(m);
        self.expected = found.and_then(|f| f.ponder).filter(legal);
        match self.expected.filter(|_| self.ponders) {
            Some(m) => self.think(Purpose::Ponder(m)),
            None => Ok(()),
        }
    }
}

/// The moves to choose from, if one of them cannot be sent: XBoard hands a null move to the other side as a position
/// in which nothing has changed. It is played only if there is no other move.
fn sayable(position: &Position) -> Vec<Move> {
    let mut moves = position.legal_moves();
    let all = moves.len();
    moves.retain(|m| !m.is_whole_act());
    match moves.len() == all {
        true => Vec::new(),
        false => moves,
    }
}
