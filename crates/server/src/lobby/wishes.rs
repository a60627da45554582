//! What people wish for as it comes over the wire, read or refused.

use crate::refusal::{Reason, Refused, refused};
use crate::wire::NewSeek;
use husun::clock::TimeControl;
use play::Games;
use play::lobby::{Wanted, Wish};
use play::rating::Speed;
use play::table::Person;

/// Ratings there are.
pub const RATINGS: [i32; 2] = [0, 5000];
/// Games of a seek at most.
const GAMES: usize = 64;
/// Clocks of a seek at most.
const CLOCKS: usize = 12;

/// The refusal of a guest who wishes for a game that counts.
pub fn sign_in() -> Refused {
    let message = "rated games need an account: sign in first";
    refused(Reason::SignIn, message)
}

/// A seek as it is wished for.
pub fn wish_of(games: &Games, seek: &NewSeek, person: &Person) -> Result<Wish, Refused> {
    let wanted = games_of(games, &seek.games, &seek.families)?;
    if !(1..=CLOCKS).contains(&seek.clocks.len()) {
        let message = format!("{} clocks, expected 1 to {CLOCKS}", seek.clocks.len());
        return Err(refused(Reason::Clock, message));
    }
    let mut clocks = Vec::new();
    for text in &seek.clocks {
        let clock = clock_of(text)?;
        if !clocks.contains(&clock) {
            clocks.push(clock);
        }
    }
    let days = |clock: &TimeControl| matches!(clock, TimeControl::Correspondence { .. });
    if clocks.iter().any(days) && !clocks.iter().all(days) {
        let message = "clocks: days for a move and a clock for the board cannot be combined; make an offer for each";
        return Err(refused(Reason::Clock, message));
    }
    let range = match (seek.min_rating, seek.max_rating) {
        (None, None) => None,
        (least, most) => {
            let range = [least.unwrap_or(RATINGS[0]), most.unwrap_or(RATINGS[1])];
            let known = RATINGS[0]..=RATINGS[1];
            if range[0] > range[1] || range.iter().any(|r| !known.contains(r)) {
                let [least, most] = range;
                let message = format!(
                    "ratings from {least} to {most}, expected a range within {} and {}",
                    RATINGS[0], RATINGS[1]
                );
                return Err(refused(Reason::Range, message));
            }
            Some(range)
        }
    };
    may_count(seek.rated, &clocks, person)?;
    Ok(Wish {
        games: wanted,
        clocks,
        rated: seek.rated,
        side: seek.side.map(Into::into),
        range,
        opponents: seek.opponents.into(),
    })
}

/// A clock as it is written.
pub fn clock_of(text: &str) -> Result<TimeControl, Refused> {
    text.parse()
        .map_err(|e| refused(Reason::Clock, format!("clock: {e}")))
}

/// Whether games with these clocks may count for a person.
pub fn may_count(rated: bool, clocks: &[TimeControl], person: &Person) -> Result<(), Refused> {
    if !rated {
        return Ok(());
    }
    if !person.account {
        return Err(sign_in());
    }
    match clocks.iter().all(|clock| Speed::of(clock).is_some()) {
        true => Ok(()),
        false => Err(refused(Reason::Clock, "a rated game must have a clock")),
    }
}

/// Games and families by their ids and names.
pub fn games_of(
    games: &Games,
    ids: &[String],
    families: &[String],
) -> Result<Vec<Wanted>, Refused> {
    if ids.len() + families.len() > GAMES {
        let message = format!("games: more than {GAMES}; leave them out for any game");
        return Err(refused(Reason::Variant, message));
    }
    let mut wanted = Vec::new();
    for id in ids {
        let variant = games
            .catalogue()
            .game(id)
            .map_err(|e| refused(Reason::Variant, e.to_string()))?;
        wanted.push(Wanted::Variant(games.name(&variant)));
    }
    for name in families {
        let family = games.family(name).ok_or_else(|| {
            let known: Vec<&str> = games.families().iter().map(|f| f.name.as_str()).collect();
            let message = format!("no family {name:?}, expected {}", known.join(" or "));
            refused(Reason::Family, message)
        })?;
        wanted.push(Wanted::Family(family.name.clone()));
    }
    let mut different = Vec::new();
    for wanted in wanted {
        if !different.contains(&wanted) {
            different.push(wanted);
        }
    }
    Ok(different)
}
