//! Which challenges a bot accepts, and with which reason it declines the others. No I/O.

use anyhow::{Context, Result, anyhow, ensure};
use clap::{Args, ValueEnum};
use husun::clock::{TimeControl, parse_duration};
use server::wire::{Challenge, DeclineReason, Opponents};
use std::fmt::Display;
use std::time::Duration;

/// From one value to another, both inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span<T>(T, T);

impl<T: PartialOrd + Copy> Span<T> {
    /// The reason against a value that is too small or too great, if it is.
    fn check(&self, value: T, less: DeclineReason, more: DeclineReason) -> Option<DeclineReason> {
        match value {
            v if v < self.0 => Some(less),
            v if v > self.1 => Some(more),
            _ => None,
        }
    }
}

fn span<T: PartialOrd + Copy, E: Display>(
    text: &str,
    example: &str,
    read: impl Fn(&str) -> Result<T, E>,
) -> Result<Span<T>> {
    let wrong = || anyhow!("`{text}`: expected FROM-TO, as {example}");
    let (from, to) = text.split_once('-').with_context(wrong)?;
    let read = |part: &str| read(part.trim()).map_err(|e| anyhow!("`{text}`: {e}"));
    let (from, to) = (read(from)?, read(to)?);
    ensure!(
        from <= to,
        "`{text}`: the first value must not be the greater one"
    );
    Ok(Span(from, to))
}

fn times(text: &str) -> Result<Span<Duration>> {
    // A bare 0 needs no unit.
    let read = |part: &str| match part {
        "0" => Ok(Duration::ZERO),
        part => parse_duration(part),
    };
    span(text, "1m-30m", read)
}

fn ratings(text: &str) -> Result<Span<i32>> {
    span(text, "1200-2000", str::parse)
}

/// Days for a move in a game over days, or no such games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Days {
    None,
    Of(Span<u16>),
}

fn days(text: &str) -> Result<Days> {
    match text {
        "none" => Ok(Days::None),
        text => span(text, "1-14, or none", str::parse).map(Days::Of),
    }
}

/// Whether to play rated or casual games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// Those that count for ratings
    Rated,
    /// Those that do not
    Casual,
}

/// What is accepted.
#[derive(Args, Clone, Debug, Default)]
pub struct Rules {
    /// Play only this game; may be repeated. If not given, every game that the engine plays
    #[arg(long, value_name = "ID")]
    pub game: Vec<String>,
    /// Accepted time for the game, such as 1m-30m
    #[arg(long, value_name = "FROM-TO", value_parser = times)]
    base: Option<Span<Duration>>,
    /// Accepted addition per move (increment, delay, reserve, period), such as 0-30s
    #[arg(long, value_name = "FROM-TO", value_parser = times)]
    increment: Option<Span<Duration>>,
    /// Accepted days for a move, such as 1-14, or none
    #[arg(long, value_name = "FROM-TO", value_parser = days)]
    days: Option<Days>,
    /// Also accept games without a clock
    #[arg(long)]
    untimed: bool,
    /// Play only games of this kind
    #[arg(long, value_name = "KIND")]
    pub only: Option<Kind>,
    /// Accepted ratings of opponents, such as 1200-2000; no rating counts as 1500
    #[arg(long, value_name = "FROM-TO", value_parser = ratings)]
    rating: Option<Span<i32>>,
    /// Also play other bots: accept their challenges, and offer games to them
    #[arg(long)]
    bots: bool,
}

/// Why a challenge is declined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Declined(pub DeclineReason, pub &'static str);

impl Rules {
    /// The range of ratings, for the bot's own offers.
    pub fn ratings(&self) -> Option<(i32, i32)> {
        self.rating.map(|Span(from, to)| (from, to))
    }

    /// Who is welcome to the bot's own offers.
    pub fn opponents(&self) -> Opponents {
        match self.bots {
            true => Opponents::Anyone,
            false => Opponents::People,
        }
    }

    /// Whether the opponent's rating matters.
    pub fn asks_for_ratings(&self) -> bool {
        self.rating.is_some()
    }

    /// Whether games with this id are wanted.
    pub fn wants(&self, id: &str) -> bool {
        self.game.is_empty() || self.game.iter().any(|game| game == id)
    }

    /// Why a challenge to one of `games` is declined; none if it is accepted. `plays` knows what the engine plays.
    pub fn against(
        &self,
        challenge: &Challenge,
        games: &[String],
        plays: impl Fn(&str) -> bool,
        strength: i32,
    ) -> Option<Declined> {
        let declined = |reason, why| Some(Declined(reason, why));
        if challenge.from_bot && !self.bots {
            return declined(DeclineReason::People, "it comes from another bot");
        }
        if !games.iter().all(|id| plays(id)) || games.is_empty() {
            return declined(
                DeclineReason::AnotherGame,
                "the engine does not play this game",
            );
        }
        if !games.iter().all(|id| self.wants(id)) {
            return declined(DeclineReason::AnotherGame, "this game is not wanted");
        }
        let Ok(control) = challenge.clock.parse() else {
            return declined(DeclineReason::No, "the clock is not known");
        };
        if let Some(reason) = self.against_clock(control) {
            return declined(reason, "the clock is not wanted");
        }
        match (self.only, challenge.rated) {
            (Some(Kind::Casual), true) => return declined(DeclineReason::Casual, "it is rated"),
            (Some(Kind::Rated), false) => return declined(DeclineReason::Rated, "it is not rated"),
            _ => {}
        }
        let strong = DeclineReason::Strength;
        let out = self.rating.and_then(|s| s.check(strength, strong, strong));
        out.and_then(|reason| declined(reason, "the rating is out of the range"))
    }

    fn against_clock(&self, control: TimeControl) -> Option<DeclineReason> {
        let (slower, faster) = (DeclineReason::Slower, DeclineReason::Faster);
        let (base, increment) = match control {
            TimeControl::Tiger {
                engagement,
                reserve_per_move,
            } => (engagement, reserve_per_move),
            TimeControl::Fischer { base, increment } => (base, increment),
            TimeControl::Delay { base, delay } => (base, delay),
            TimeControl::Byoyomi { base, period, .. } => (base, period),
            TimeControl::Correspondence { days } => {
                return match self.days? {
                    Days::None => Some(faster),
                    Days::Of(span) => span.check(days, slower, faster),
                };
            }
            TimeControl::None => return (!self.untimed).then_some(faster),
        };
        let base = self.base.and_then(|s| s.check(base, slower, faster));
        let more = self.increment;
        base.or_else(|| more.and_then(|s| s.check(increment, slower, faster)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use server::wire::WantedGame;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        rules: Rules,
    }

    fn rules(line: &str) -> Rules {
        let words = std::iter::once("bot").chain(line.split_whitespace());
        Line::parse_from(words).rules
    }

    #[test]
    fn challenges_are_accepted_by_the_rules() {
        use DeclineReason::*;
        for (line, clock, rated, from_bot, strength, reason) in [
            ("", "fischer:5m+3s", true, false, 1500, None),
            ("", "none", false, false, 1500, Some(Faster)),
            ("--untimed", "none", false, false, 1500, None),
            (
                "--base 1m-10m",
                "fischer:30s+3s",
                true,
                false,
                1500,
                Some(Slower),
            ),
            (
                "--base 1m-10m",
                "tiger:15m+10s",
                true,
                false,
                1500,
                Some(Faster),
            ),
            ("--base 1m-10m", "delay:1m+2s", true, false, 1500, None),
            (
                "--increment 1s-5s",
                "fischer:5m+0s",
                true,
                false,
                1500,
                Some(Slower),
            ),
            (
                "--increment 0-5s",
                "byoyomi:5m+3x10s",
                true,
                false,
                1500,
                Some(Faster),
            ),
            ("--base 1m-10m", "days:3", true, false, 1500, None),
            ("--days none", "days:3", true, false, 1500, Some(Faster)),
            ("--days 2-7", "days:1", true, false, 1500, Some(Slower)),
            ("--days 2-7", "days:7", true, false, 1500, None),
            (
                "--only rated",
                "fischer:5m+3s",
                false,
                false,
                1500,
                Some(Rated),
            ),
            (
                "--only casual",
                "fischer:5m+3s",
                true,
                false,
                1500,
                Some(Casual),
            ),
            (
                "--rating 1400-1600",
                "fischer:5m+3s",
                true,
                false,
                1601,
                Some(Strength),
            ),
            (
                "--rating 1400-1600",
                "fischer:5m+3s",
                true,
                false,
                1400,
                None,
            ),
            ("", "fischer:5m+3s", true, true, 1500, Some(People)),
            ("--bots", "fischer:5m+3s", true, true, 1500, None),
            (
                "--game grand",
                "fischer:5m+3s",
                true,
                false,
                1500,
                Some(AnotherGame),
            ),
            (
                "--game grand --game chess",
                "fischer:5m+3s",
                true,
                false,
                1500,
                None,
            ),
        ] {
            let challenge = Challenge {
                id: "x".into(),
                from: "Ann".into(),
                from_bot,
                to: "Robot".into(),
                to_bot: true,
                game: WantedGame {
                    variant: Some("chess".into()),
                    family: None,
                    name: "Chess".into(),
                },
                clock: clock.into(),
                rated,
                side: None,
                made_ms: 0,
                until_ms: 0,
                declined: None,
            };
            let games = ["chess".to_owned()];
            let found = rules(line).against(&challenge, &games, |_| true, strength);
            assert_eq!(found.map(|d| d.0), reason, "{line} {clock}");
            let found = rules(line).against(&challenge, &games, |_| false, strength);
            let expected = if from_bot && reason == Some(People) {
                People
            } else {
                AnotherGame
            };
            assert_eq!(found.map(|d| d.0), Some(expected), "{line} {clock}");
        }
    }

    #[test]
    fn ranges_are_read_strictly() {
        for line in [
            "--base 5",
            "--base 10m-1m",
            "--base 1m-x",
            "--days 1-x",
            "--days all",
            "--rating -5",
            "--rating 1600-1400",
            "--only some",
        ] {
            let words = std::iter::once("bot").chain(line.split_whitespace());
            assert!(Line::try_parse_from(words).is_err(), "{line}");
        }
    }
}
