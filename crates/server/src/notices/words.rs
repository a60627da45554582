//! What notices say, in one place.

use super::Happening;
use crate::wire::{Challenge, Paired};
use husun::Side;
use husun::clock::TimeControl;
use play::notice::Kind;
use play::table::{Person, Table};
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);
/// For how long a push service keeps what is about a game at the board.
const QUICK: Duration = Duration::from_secs(5 * 60);

/// Whether a clock gives days for each move.
fn is_slow(clock: &str) -> bool {
    matches!(clock.parse(), Ok(TimeControl::Correspondence { .. }))
}

/// Something of a game, to the player at a side.
fn of_game(kind: Kind, game: &str, table: &Table, side: Side, at_board: bool) -> Option<Happening> {
    let person = table.person(side).filter(|person| !person.bot)?;
    if table.level(side).is_some() {
        return None;
    }
    let slow = table.is_slow();
    Some(Happening {
        kind,
        person: person.guest.clone(),
        subject: format!("game.{game}"),
        text: String::new(),
        address: format!("/game/{game}"),
        slow,
        at_board,
        shown: false,
        by: None,
        lasts: if slow { DAY } else { QUICK },
    })
}

/// The opponent of a side has moved.
pub fn turn(game: &str, table: &Table, side: Side, at_board: bool) -> Option<Happening> {
    let happening = of_game(Kind::YourTurn, game, table, side, at_board)?;
    let (other, name) = (table.player_name(side.opponent()), table.name());
    let move_shown = table.played().last().map_or("", |played| &played.san);
    let text = format!("{other} has moved in {name}: {move_shown}.");
    Some(Happening { text, ..happening })
}

/// A game has begun for which a side has waited elsewhere.
pub fn started(game: &str, table: &Table, side: Side, at_board: bool) -> Option<Happening> {
    let happening = of_game(Kind::GameStarted, game, table, side, at_board)?;
    let (other, name) = (table.player_name(side.opponent()), table.name());
    let text = match table.turn() == Some(side) {
        true => format!("{other} is playing {name} with you. You move first."),
        false => format!("{other} is playing {name} with you."),
    };
    Some(Happening { text, ..happening })
}

/// A game has come of an offer, a challenge or a tournament's pairing; open pages are told of it besides.
pub fn paired(person: &str, paired: &Paired) -> Happening {
    let slow = is_slow(&paired.clock);
    let Paired { opponent, name, .. } = paired;
    let first = match husun::Side::from(paired.side) {
        Side::White => " You move first.",
        Side::Black => "",
    };
    Happening {
        kind: Kind::GameStarted,
        person: person.into(),
        subject: format!("game.{}", paired.game),
        text: format!("{opponent} is playing {name} with you.{first}"),
        address: format!("/game/{}", paired.game),
        slow,
        at_board: false,
        shown: true,
        by: None,
        lasts: if slow { DAY } else { QUICK },
    }
}

/// Somebody challenges; open pages are told of it besides.
pub fn challenged(from: &Person, to: &str, challenge: &Challenge) -> Happening {
    let rated = if challenge.rated { ", rated" } else { "" };
    Happening {
        kind: Kind::Challenge,
        person: to.into(),
        subject: format!("challenge.{}", challenge.id),
        text: format!(
            "{} challenges you: {}{rated}.",
            from.name, challenge.game.name
        ),
        address: "/".into(),
        slow: is_slow(&challenge.clock),
        at_board: false,
        shown: true,
        by: Some(from.guest.clone()),
        lasts: DAY,
    }
}

/// Little time is left for a side's move.
pub fn running_out(game: &str, table: &Table, side: Side, left: Duration) -> Option<Happening> {
    let happening = of_game(Kind::TimeRunningOut, game, table, side, false)?;
    let (other, name) = (table.player_name(side.opponent()), table.name());
    let left = time(left);
    Some(Happening {
        text: format!("{left} left for your move against {other} in {name}."),
        lasts: HOUR.max(happening.lasts / 2),
        ..happening
    })
}

/// A time that is left, rounded up.
fn time(left: Duration) -> String {
    let (number, unit) = match left {
        left if left > HOUR => (left.as_secs().div_ceil(HOUR.as_secs()), "hours are"),
        left => (left.as_secs().div_ceil(MINUTE.as_secs()), "minutes are"),
    };
    match (number, unit) {
        (1, _) => "One minute is".into(),
        (number, unit) => format!("{number} {unit}"),
    }
}

/// A tournament is about to start.
pub fn starting(id: &str, name: &str, person: &str, slow: bool, left: Duration) -> Happening {
    let minutes = left.as_secs().div_ceil(MINUTE.as_secs());
    let when = match minutes {
        0 => "now".to_owned(),
        1 => "in a minute".to_owned(),
        minutes => format!("in {minutes} minutes"),
    };
    Happening {
        kind: Kind::TournamentStarting,
        person: person.into(),
        subject: format!("tournament.{id}"),
        text: format!("{name} starts {when}."),
        address: format!("/tournament/{id}"),
        slow,
        at_board: false,
        shown: false,
        by: None,
        lasts: if slow { DAY } else { left.max(QUICK) },
    }
}

/// The line above it.
pub fn title(kind: Kind) -> &'static str {
    match kind {
        Kind::YourTurn => "Your turn",
        Kind::Challenge => "A challenge",
        Kind::GameStarted => "A game has begun",
        Kind::TimeRunningOut => "Time is running out",
        Kind::TournamentStarting => "Your tournament starts",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_rounded_up() {
        for (seconds, text) in [
            (12 * 3600, "12 hours are"),
            (3601, "2 hours are"),
            (3600, "60 minutes are"),
            (61, "2 minutes are"),
            (59, "One minute is"),
        ] {
            assert_eq!(time(Duration::from_secs(seconds)), text);
        }
        for (seconds, text) in [(300, "in 5 minutes"), (30, "in a minute"), (0, "now")] {
            let told = starting("t", "Cup", "p", false, Duration::from_secs(seconds));
            assert_eq!(told.text, format!("Cup starts {text}."));
        }
    }
}
