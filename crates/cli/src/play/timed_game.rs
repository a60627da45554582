//! A game being played: the game itself, its clock and who moves the pieces. Knows no terminal; the caller provides
//! the time.

use super::Terms;
use anyhow::Result;
use engine::Level;
use husun::clock::{Clock, Remaining, TimeControl};
use husun::pgn::{Comment, date_tags};
use husun::record::Record;
use husun::{ActionError, Game, Kind, Move, Outcome, Position, Side};
use std::time::{Duration, SystemTime};

/// Who moves the pieces of a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Player {
    /// A person.
    Human,
    /// The computer, at a level.
    Computer(Level),
}

impl Player {
    /// Its name, for people and PGN.
    pub fn name(self) -> String {
        match self {
            Player::Human => "Player".into(),
            Player::Computer(level) => format!("Husun level {}", level.number()),
        }
    }
}

/// A game with its clock and players.
#[derive(Clone, Debug)]
pub struct TimedGame {
    game: Game,
    clock: Clock,
    /// The clock before each move.
    before: Vec<Clock>,
    /// What the mover had left after each move, if known.
    left: Vec<Option<Duration>>,
    players: [Player; 2],
    /// When it began, as PGN tags.
    dates: Vec<(&'static str, String)>,
}

/// Today's date, as PGN tags.
pub fn today() -> [(&'static str, String); 3] {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    date_tags(since.map_or(0, |d| d.as_secs()))
}

impl TimedGame {
    /// A new game; the clock of the side to move runs.
    pub fn new(position: Position, terms: Terms, now: Duration) -> Result<TimedGame> {
        Self::with_game(Game::new(position), terms, now, today().into())
    }

    /// A game to be continued. The clocks start afresh.
    pub fn go_on(record: &Record, terms: Terms, now: Duration) -> Result<TimedGame> {
        // It began when its record says; if that says nothing, it is not known.
        let known = today().map(|(name, _)| name).into_iter();
        let dates = known.filter_map(|name| Some((name, record.tag(name)?.to_owned())));
        Self::with_game(record.game(), terms, now, dates.collect())
    }

    fn with_game(
        game: Game,
        terms: Terms,
        now: Duration,
        dates: Vec<(&'static str, String)>,
    ) -> Result<TimedGame> {
        let fresh = Clock::new(terms.control)?;
        let at_turn = |side: Side| -> Result<Clock> {
            let mut clock = fresh.clone();
            clock.start(side, now)?;
            Ok(clock)
        };
        let turns = (0..game.moves().len()).filter_map(|ply| game.position_at(ply));
        let before = turns
            .map(|p| at_turn(p.turn()))
            .collect::<Result<Vec<_>>>()?;
        let clock = match game.outcome() {
            None => at_turn(game.turn())?,
            Some(_) => fresh.clone(),
        };
        Ok(TimedGame {
            left: vec![None; before.len()],
            game,
            clock,
            before,
            players: terms.players,
            dates,
        })
    }

    /// The game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The position now.
    pub fn position(&self) -> &Position {
        self.game.position()
    }

    /// How many moves have been made.
    pub fn ply(&self) -> usize {
        self.game.moves().len()
    }

    /// Who plays the side.
    pub fn player(&self, side: Side) -> Player {
        self.players[side.index()]
    }

    /// Who plays, and with which clock.
    pub fn terms(&self) -> Terms {
        Terms {
            players: self.players,
            control: self.clock.control(),
        }
    }

    /// The level of the computer, if it is to move now.
    pub fn computer_to_move(&self) -> Option<Level> {
        match self.player(self.game.turn()) {
            Player::Computer(level) if self.game.outcome().is_none() => Some(level),
            _ => None,
        }
    }

    /// Whether a person is to move.
    pub fn human_to_move(&self) -> bool {
        self.game.outcome().is_none() && self.computer_to_move().is_none()
    }

    /// The side for which the person at the keyboard acts.
    pub fn actor(&self) -> Side {
        let turn = self.game.turn();
        match self.player(turn) {
            Player::Human => turn,
            Player::Computer(_) => turn.opponent(),
        }
    }

    /// What a side has left.
    pub fn remaining(&self, side: Side, now: Duration) -> Remaining {
        self.clock.remaining(side, now)
    }

    /// The clock's rules.
    pub fn control(&self) -> TimeControl {
        self.clock.control()
    }

    /// Makes a move of the side to move. If its flag had fallen, it has lost instead.
    pub fn play(&mut self, m: Move, now: Duration) -> Result<Option<Outcome>, ActionError> {
        if let Some(outcome) = self.look_at_clock(now) {
            return Ok(Some(outcome));
        }
        let before = self.clock.clone();
        let outcome = self.game.play(m)?;
        let pressed = self.clock.press(now).ok();
        let left = pressed.and_then(|p| p.left.total(self.clock.control()));
        self.before.push(before);
        self.left.push(left);
        Ok(self.ended(outcome, now))
    }

    /// Ends the game if a flag has fallen; returns the outcome if it just has.
    pub fn look_at_clock(&mut self, now: Duration) -> Option<Outcome> {
        let side = self.clock.flagged(now)?;
        let outcome = self.game.lose_on_time(side).ok();
        self.ended(outcome, now)
    }

    fn ended(&mut self, outcome: Option<Outcome>, now: Duration) -> Option<Outcome> {
        if outcome.is_some() {
            self.clock.stop(now);
        }
        outcome
    }

    /// Goes back to the last move of a person.
    pub fn undo(&mut self, now: Duration) -> Result<(), ActionError> {
        let humans = |ply: &usize| {
            let turn = self.game.position_at(*ply).map(Position::turn);
            turn.is_some_and(|side| self.player(side) == Player::Human)
        };
        let back_to = (0..self.ply()).rev().find(humans);
        let back_to = back_to.ok_or(ActionError::NoMove)?;
        while self.ply() > back_to {
            self.game.take_back()?;
            self.left.pop();
            if let Some(clock) = self.before.pop() {
                self.clock = clock;
            }
        }
        self.clock.restart_turn(now);
        Ok(())
    }

    /// The person at the keyboard resigns.
    pub fn resign(&mut self, now: Duration) -> Result<Outcome, ActionError> {
        let outcome = self.game.resign(self.actor())?;
        self.clock.stop(now);
        Ok(outcome)
    }

    /// The person at the keyboard offers a draw or agrees to one. The computer answers at once, by what it thinks of
    /// its position. `None`: the offer stands or has been declined.
    pub fn draw(&mut self, agrees: bool, now: Duration) -> Result<Option<Outcome>, ActionError> {
        let side = self.actor();
        let mut outcome = self.game.offer_draw(side)?;
        if outcome.is_none() && matches!(self.player(side.opponent()), Player::Computer(_)) {
            match agrees {
                true => outcome = Some(self.game.agree_to_draw(side.opponent())?),
                false => self.game.decline_draw(side.opponent())?,
            }
        }
        Ok(self.ended(outcome, now))
    }

    /// The side to move accepts its mate or stalemate.
    pub fn accept(&mut self, now: Duration) -> Result<Outcome, ActionError> {
        let outcome = self.game.accept()?;
        self.clock.stop(now);
        Ok(outcome)
    }

    /// The game as a record with names and clock times.
    pub fn record(&self) -> Record {
        let mut record = Record::of_game(&self.game);
        record.set_tag("Event", "Casual game");
        for (name, value) in &self.dates {
            record.set_tag(name, value);
        }
        record.set_tag("White", &self.player(Side::White).name());
        record.set_tag("Black", &self.player(Side::Black).name());
        if self.control() != TimeControl::None {
            record.set_tag("TimeControl", &self.control().to_string());
        }
        for (ply, left) in record.main.plies.iter_mut().zip(&self.left) {
            ply.after.extend(left.map(tenths).map(Comment::with_clk));
        }
        record
    }
}

/// A time as clocks show it, in whole tenths of a second.
fn tenths(time: Duration) -> Duration {
    let tenths = time.as_millis() / 100;
    Duration::from_millis(u64::try_from(tenths).unwrap_or(u64::MAX / 100) * 100)
}

/// Kinds of a side's pieces that are in prison.
pub fn prisoners(position: &Position, side: Side) -> Vec<Kind> {
    let letters = position.variant().state_letters().into_iter();
    let stands = letters.filter(|said| position.has_flag(said.flag));
    let held = stands.filter_map(|said| said.held);
    held.filter(|(owner, _)| *owner == side)
        .map(|(_, kind)| kind)
        .collect()
}

/// The result of a game in words, such as `Black wins by checkmate, 0-1`.
pub fn result_line(outcome: &Outcome) -> String {
    let reason = outcome.reason.name();
    let [white, black] = outcome.points;
    let who = match outcome.winner {
        Some(side) => format!("{} wins by {reason}", side.name()),
        None => format!("Draw by {reason}"),
    };
    format!("{who}. Points: White {white}, Black {black}.")
}
