//! What a search of the archive asks for, as it stands in the address: each value is read, or refused with what was
//! expected in its place.

use crate::archive::seat;
use crate::http::Failure;
use crate::refusal::Reason;
use crate::state::App;
use crate::visitor::Visitor;
use crate::work::Weight;
use husun::Side;
use play::Games;
use play::archive::{UNTIMED, position_key};
use play::rating::{Speed, engine_id};
use serde::Deserialize;
use std::ops::RangeInclusive;
use std::sync::Arc;
use store::archive::{Search, Wanted};
use utoipa::IntoParams;

/// Games of a page, and at most.
const LIMIT: i64 = 30;
const LIMITS: RangeInclusive<i64> = 1..=100;
/// Rows that an index leads to and that a page goes through at most: some tens of milliseconds.
const SCAN: u32 = 2_500;
/// Bytes of a value at most: the longest is a position text.
const LONGEST: usize = 1000;
/// Moves and ratings that make sense.
const MOVES: RangeInclusive<i64> = 0..=1_000_000;
const RATINGS: RangeInclusive<i64> = 0..=10_000;
/// Levels of the engine.
const LEVELS: RangeInclusive<i64> = 1..=8;
/// What stands before what is no name of an account.
const SPECIAL: char = '@';

/// How a game may be wanted to have ended.
const RESULTS: [(&str, Wanted); 5] = [
    ("white", Wanted::WonBy(store::archive::Seat::White)),
    ("black", Wanted::WonBy(store::archive::Seat::Black)),
    ("draw", Wanted::Draw),
    ("won", Wanted::PlayerWon),
    ("lost", Wanted::PlayerLost),
];

/// What finished games are searched by. All that is given must hold; an empty value is none.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default, deny_unknown_fields)]
pub struct Asked {
    /// Who has played: the name of an account, `@me`, or `@level-1` to `@level-8` for the engine.
    player: Option<String>,
    /// Against whom, in the same words; with `player` alone.
    opponent: Option<String>,
    /// Id of the game that was played.
    variant: Option<String>,
    /// The player's side, `white` or `black`; with `player` alone.
    side: Option<String>,
    /// `white` or `black` for the side that has won, `draw`; with a player also `won` and `lost`.
    result: Option<String>,
    /// Why it ended, as `checkmate` or `green gem`.
    ending: Option<String>,
    /// The first day on which it may have ended, as `2026-11-23`, in universal time.
    from: Option<String>,
    /// The last day.
    to: Option<String>,
    /// Moves at least; a move of each side is one.
    #[param(value_type = Option<u32>)]
    min_moves: Option<String>,
    /// Moves at most.
    #[param(value_type = Option<u32>)]
    max_moves: Option<String>,
    /// What the rating of both players was at least.
    #[param(value_type = Option<u32>)]
    min_rating: Option<String>,
    /// `true` for games that count for ratings, `false` for the others.
    #[param(value_type = Option<bool>)]
    rated: Option<String>,
    /// `blitz`, `rapid`, `slow`, `correspondence`, or `none` for games without a clock.
    speed: Option<String>,
    /// Position text of a position that it has reached, whatever its counters say; with `variant` alone.
    position: Option<String>,
    /// `next` of the page before.
    #[param(value_type = Option<i64>)]
    after: Option<String>,
    /// Games of a page at most, 1 to 100; 30 if missing.
    #[param(value_type = Option<u32>)]
    limit: Option<String>,
}

/// A value with its name, if it is there.
type Named<'a> = Option<(&'static str, &'a str)>;

fn wrong(name: &str, found: &str, expected: &str) -> Failure {
    Failure::of(
        Reason::Query,
        format!("{name}: {found:?}, expected {expected}"),
    )
}

fn named<'a>(name: &'static str, value: &'a Option<String>) -> Result<Named<'a>, Failure> {
    let value = value.as_deref().map(str::trim).filter(|v| !v.is_empty());
    match value {
        Some(value) if value.len() > LONGEST => {
            let message = format!("{name}: {} bytes, expected at most {LONGEST}", value.len());
            Err(Failure::of(Reason::Query, message))
        }
        value => Ok(value.map(|value| (name, value))),
    }
}

fn number(value: Named<'_>, range: RangeInclusive<i64>) -> Result<Option<i64>, Failure> {
    let Some((name, text)) = value else {
        return Ok(None);
    };
    let number = text.parse().ok().filter(|number| range.contains(number));
    let expected = || format!("a number from {} to {}", range.start(), range.end());
    number
        .map(Some)
        .ok_or_else(|| wrong(name, text, &expected()))
}

/// One of a list of words.
fn word<T: Copy>(value: Named<'_>, words: &[(&str, T)]) -> Result<Option<T>, Failure> {
    let Some((name, text)) = value else {
        return Ok(None);
    };
    let found = words.iter().find(|(word, _)| *word == text);
    found.map(|(_, value)| Some(*value)).ok_or_else(|| {
        let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        wrong(name, text, &format!("one of {}", words.join(", ")))
    })
}

/// The day's beginning, `later` days after it, in milliseconds of Unix time.
fn day(value: Named<'_>, later: i64) -> Result<Option<i64>, Failure> {
    const DAY: i64 = 24 * 3_600_000;
    let Some((name, text)) = value else {
        return Ok(None);
    };
    let read = || {
        let mut parts = text.split('-');
        let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
        let shaped = [year.len(), month.len(), day.len()] == [4, 2, 2] && parts.next().is_none();
        let month = time::Month::try_from(month.parse::<u8>().ok()?).ok()?;
        let year = year.parse().ok().filter(|year| *year >= 1970)?;
        let date = time::Date::from_calendar_date(year, month, day.parse().ok()?).ok()?;
        shaped.then(|| date.midnight().assume_utc().unix_timestamp() * 1000)
    };
    let ms = read().ok_or_else(|| wrong(name, text, "a day such as 2026-11-23, from 1970 on"))?;
    Ok(Some(ms + later * DAY))
}

/// The id of a person.
async fn person(app: &App, visitor: &Visitor, value: Named<'_>) -> Result<Option<String>, Failure> {
    let Some((name, text)) = value else {
        return Ok(None);
    };
    if let Some(special) = text.strip_prefix(SPECIAL) {
        if special == "me" {
            return Ok(Some(visitor.person.guest.clone()));
        }
        let level = special.strip_prefix("level-").and_then(|l| l.parse().ok());
        let level = level.filter(|&level: &u8| LEVELS.contains(&level.into()));
        let expected = "the name of an account, @me, or @level-1 to @level-8";
        let level = level.ok_or_else(|| wrong(name, text, expected))?;
        return Ok(Some(engine_id(level)));
    }
    let found = app.accounts.named(text).await?;
    let nobody = || {
        let message = format!("{name}: there is nobody with the name {text:?}");
        Failure::of(Reason::NoSuchPerson, message)
    };
    Ok(Some(found.ok_or_else(nobody)?.id))
}

/// The name under which a game is stored.
async fn variant(app: &App, value: Named<'_>) -> Result<Option<String>, Failure> {
    let Some((_, text)) = value else {
        return Ok(None);
    };
    let games = app.directory.variants();
    if games.is_missing(text) {
        // One of a file that is not there now. If storage has not got it either, it is refused below.
        let known = app.directory.services().know(text).await;
        if let Err(refused) = known
            && refused.reason != Reason::Damaged
        {
            return Err(refused.into());
        }
    }
    let found = games.find(text);
    let found = found.map_err(|e| Failure::of(Reason::Variant, format!("variant: {e}")))?;
    Ok(Some(games.name(&found)))
}

/// What stands for a position.
fn position(games: &Games, variant: &str, text: &str) -> Result<i64, Failure> {
    let wrong = |e: String| Failure::of(Reason::Fen, format!("position: {e}"));
    let found = games.find(variant).map_err(|e| wrong(e.to_string()))?;
    let position = found.position(text).map_err(|e| wrong(e.to_string()))?;
    Ok(position_key(variant, &position.fen()))
}

fn alone(name: &str, with: &str) -> Failure {
    let message = format!("{name}: needs {with}, which is missing");
    Failure::of(Reason::Query, message)
}

impl Asked {
    /// The search that is asked for.
    pub async fn search(&self, app: &App, visitor: &Visitor) -> Result<Search, Failure> {
        let player = person(app, visitor, named("player", &self.player)?).await?;
        let opponent = person(app, visitor, named("opponent", &self.opponent)?).await?;
        let sides = [("white", Side::White), ("black", Side::Black)];
        let side = word(named("side", &self.side)?, &sides)?;
        let result = word(named("result", &self.result)?, &RESULTS)?;
        if player.is_none() {
            let of_player = matches!(result, Some(Wanted::PlayerWon | Wanted::PlayerLost));
            for (name, is_there) in [
                ("opponent", opponent.is_some()),
                ("side", side.is_some()),
                ("result won or lost", of_player),
            ] {
                if is_there {
                    return Err(alone(name, "player"));
                }
            }
        }
        let variant = variant(app, named("variant", &self.variant)?).await?;
        let position = match (named("position", &self.position)?, &variant) {
            (None, _) => None,
            (Some((name, _)), None) => return Err(alone(name, "variant")),
            (Some((_, text)), Some(variant)) => {
                let games: Arc<Games> = app.directory.variants().clone();
                let (text, variant) = (text.to_owned(), variant.clone());
                let read = move || position(&games, &variant, &text);
                Some(app.directory.work().run(Weight::Light, read).await??)
            }
        };
        let ending = named("ending", &self.ending)?;
        let endings = husun::Reason::NAMES.map(|(reason, name)| (name, reason));
        let speed = named("speed", &self.speed)?;
        let speeds: Vec<(&str, &str)> = Speed::ALL
            .map(Speed::name)
            .into_iter()
            .chain([UNTIMED])
            .map(|name| (name, name))
            .collect();
        let moves = |name, value| number(named(name, value)?, MOVES);
        let rated = named("rated", &self.rated)?;
        Ok(Search {
            player,
            opponent,
            seat: side.map(seat),
            variant,
            result,
            ending: word(ending, &endings)?.map(|reason| reason.name().into()),
            from_ms: day(named("from", &self.from)?, 0)?,
            before_ms: day(named("to", &self.to)?, 1)?,
            // The last move may be one of the first side alone.
            min_plies: moves("min_moves", &self.min_moves)?.map(|moves| 2 * moves - 1),
            max_plies: moves("max_moves", &self.max_moves)?.map(|moves| 2 * moves),
            min_rating: number(named("min_rating", &self.min_rating)?, RATINGS)?,
            rated: word(rated, &[("true", true), ("false", false)])?,
            speed: word(speed, &speeds)?.map(Into::into),
            position,
            viewer: visitor.person.guest.clone(),
            after: number(named("after", &self.after)?, 0..=i64::MAX)?,
            limit: number(named("limit", &self.limit)?, LIMITS)?.unwrap_or(LIMIT) as u32,
            scan: SCAN,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_read() -> Result<(), Failure> {
        let of = |text, later| day(Some(("from", text)), later);
        assert_eq!(of("1970-01-01", 0)?, Some(0));
        assert_eq!(of("2000-02-29", 0)?, Some(951_782_400_000));
        assert_eq!(of("2000-02-29", 1)?, Some(951_868_800_000));
        assert_eq!(of("9999-12-31", 1)?, Some(253_402_300_800_000));
        for text in [
            "yesterday",
            "2026-13-01",
            "2026-02-29",
            "1969-12-31",
            "26-01-01",
            "2026-1-1",
            "2026-01-01-01",
            "+026-01-01",
        ] {
            assert!(of(text, 0).is_err(), "{text}");
        }
        Ok(())
    }
}
