//! Ratings by Glicko-2 (Mark Glickman, "Example of the Glicko-2 system", 2013), one for each game and [`Speed`]. Each
//! game is a rating period of its two players; a player who has not played for some time becomes less certain.

use crate::Both;
use husun::Side;
use husun::clock::TimeControl;
use serde::{Deserialize, Serialize};
use skillratings::Outcomes;
use skillratings::glicko2::{Glicko2Config, Glicko2Rating, glicko2};
use std::time::Duration;

/// A rating with at least this deviation is provisional.
pub const PROVISIONAL: f64 = 110.0;
/// Deviation of new players, and the greatest one.
const UNKNOWN: f64 = 350.0;
/// No rating becomes more certain than this: people change.
const CERTAIN: f64 = 45.0;
/// Glicko-2's scale (step 2 of the paper).
const SCALE: f64 = 173.7178;
/// Rating periods in a year without a game: 60 becomes 110 in that time at a volatility of 0.06.
const PERIODS_A_YEAR: f64 = 78.0;
const YEAR_MS: f64 = 365.25 * 24.0 * 3_600_000.0;
/// Deviation of a level of the engine to begin with.
const LEVEL_DEVIATION: f64 = 150.0;
/// Clocks with at least this much time are rapid, and slow.
const RAPID: Duration = Duration::from_secs(8 * 60);
const SLOW: Duration = Duration::from_secs(25 * 60);

/// Moves of a player in a usual game, by which clocks are compared.
const MOVES: u32 = 40;

/// A player's time for a usual game: the time for the game, and what each of forty moves adds. None if nobody has to
/// stay at the board: with days for each move, and without a clock.
pub fn usual_time(control: &TimeControl) -> Option<Duration> {
    match *control {
        TimeControl::Tiger {
            engagement: base,
            reserve_per_move: each,
        }
        | TimeControl::Fischer {
            base,
            increment: each,
        }
        | TimeControl::Delay { base, delay: each } => Some(base + each * MOVES),
        // A period comes back with every move that is made within it; most of the first moves take the main time.
        TimeControl::Byoyomi { base, period, .. } => Some(base + period * (MOVES / 2)),
        TimeControl::Correspondence { .. } | TimeControl::None => None,
    }
}

/// How fast a game is played: each has ratings of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Speed {
    /// Below 8 minutes for 40 moves.
    Blitz,
    /// Below 25.
    Rapid,
    /// Longer, on one day.
    Slow,
    /// Days for a move.
    Correspondence,
}

impl Speed {
    /// All, the fastest first.
    pub const ALL: [Speed; 4] = [
        Speed::Blitz,
        Speed::Rapid,
        Speed::Slow,
        Speed::Correspondence,
    ];

    /// The class of a clock, by a player's time for forty moves: the time for the game, and what each move adds. None
    /// without a clock: such a game is not rated.
    pub fn of(control: &TimeControl) -> Option<Speed> {
        if let TimeControl::Correspondence { .. } = control {
            return Some(Speed::Correspondence);
        }
        let time = usual_time(control)?;
        Some(match time {
            time if time < RAPID => Speed::Blitz,
            time if time < SLOW => Speed::Rapid,
            _ => Speed::Slow,
        })
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Speed::Blitz => "blitz",
            Speed::Rapid => "rapid",
            Speed::Slow => "slow",
            Speed::Correspondence => "correspondence",
        }
    }
}

/// How strong somebody is in one game at one speed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rating {
    /// The rating.
    pub rating: f64,
    /// How uncertain it is: in 19 of 20 cases the true rating is within twice this.
    pub deviation: f64,
    /// How much results vary.
    pub volatility: f64,
    /// When it was set, in milliseconds of Unix time.
    pub at_ms: i64,
}

impl Rating {
    /// The rating of a player who has not played.
    pub fn new(at_ms: i64) -> Rating {
        let Glicko2Rating {
            rating,
            deviation,
            volatility,
        } = Glicko2Rating::new();
        Rating {
            rating,
            deviation,
            volatility,
            at_ms,
        }
    }

    /// The rating that a level of the engine begins with, which its games correct.
    pub fn of_level(rating: u16, at_ms: i64) -> Rating {
        Rating {
            rating: f64::from(rating),
            deviation: LEVEL_DEVIATION,
            ..Rating::new(at_ms)
        }
    }

    /// The rating at a later time: the same, less certain.
    pub fn at(&self, now_ms: i64) -> Rating {
        if now_ms <= self.at_ms {
            return *self;
        }
        let years = (now_ms - self.at_ms) as f64 / YEAR_MS;
        let grown = self.volatility * (years * PERIODS_A_YEAR).sqrt();
        let deviation = (self.deviation / SCALE).hypot(grown) * SCALE;
        Rating {
            deviation: deviation.clamp(CERTAIN, UNKNOWN),
            at_ms: now_ms,
            ..*self
        }
    }

    /// Whether too little is known for it to be compared.
    pub fn is_provisional(&self) -> bool {
        self.deviation >= PROVISIONAL
    }

    fn known(&self) -> Glicko2Rating {
        Glicko2Rating {
            rating: self.rating,
            deviation: self.deviation,
            volatility: self.volatility,
        }
    }
}

/// A game that counts, in the form needed for rating: who played what, with which result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RatedGame {
    /// Name of the variant.
    pub variant: String,
    /// Class of its clock.
    pub speed: Speed,
    /// Ids of the accounts, or the id of a level of the engine.
    pub players: Both<String>,
    /// Who has won; nobody after a draw.
    pub winner: Option<Side>,
}

impl RatedGame {
    /// Its stored form, in JSON.
    pub fn to_text(&self) -> String {
        // Only names: everything in it can be written as JSON.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// How it has ended for White.
    pub fn score(&self) -> Score {
        match self.winner {
            Some(Side::White) => Score::Win,
            Some(Side::Black) => Score::Loss,
            None => Score::Draw,
        }
    }
}

/// The id of a level of the engine, used in place of an account's id. No account has such an id.
pub fn engine_id(level: u8) -> String {
    format!("level-{level}")
}

/// The level that an id belongs to, if it is a level's.
pub fn level_of(id: &str) -> Option<u8> {
    id.strip_prefix("level-")?.parse().ok()
}

/// How a game has ended for its first player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Score {
    /// Won.
    Win,
    /// Drawn.
    Draw,
    /// Lost.
    Loss,
}

/// The ratings of both players after a game.
pub fn rated(first: &Rating, second: &Rating, score: Score, now_ms: i64) -> [Rating; 2] {
    let [first, second] = [first.at(now_ms), second.at(now_ms)];
    let outcome = match score {
        Score::Win => Outcomes::WIN,
        Score::Draw => Outcomes::DRAW,
        Score::Loss => Outcomes::LOSS,
    };
    let config = Glicko2Config::new();
    let (one, other) = glicko2(&first.known(), &second.known(), &outcome, &config);
    [one, other].map(|new| Rating {
        rating: new.rating,
        deviation: new.deviation.clamp(CERTAIN, UNKNOWN),
        volatility: new.volatility,
        at_ms: now_ms,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    type Tested = Result<(), Box<dyn std::error::Error>>;

    const DAY: i64 = 24 * 3_600_000;

    #[test]
    fn clocks_have_their_class() -> Tested {
        for (clock, speed) in [
            ("fischer:3m+2s", Some(Speed::Blitz)),
            ("fischer:5m+3s", Some(Speed::Blitz)),
            ("fischer:10m+5s", Some(Speed::Rapid)),
            ("fischer:30m+20s", Some(Speed::Slow)),
            ("delay:5m+2s", Some(Speed::Blitz)),
            ("byoyomi:10m+5x30s", Some(Speed::Rapid)),
            ("tiger:5m+5s", Some(Speed::Rapid)),
            ("tiger:15m+10s", Some(Speed::Rapid)),
            ("tiger:120m+60s", Some(Speed::Slow)),
            ("days:3", Some(Speed::Correspondence)),
            ("none", None),
        ] {
            assert_eq!(Speed::of(&clock.parse()?), speed, "{clock}");
        }
        Ok(())
    }

    /// The first game of the paper's example (section "Example calculation"): 1500 wins against 1400 with deviation 30.
    #[test]
    fn a_game_changes_ratings_as_the_crate_says() {
        let of = |rating, deviation| Rating {
            rating,
            deviation,
            volatility: 0.06,
            at_ms: 0,
        };
        let [one, other] = rated(&of(1500.0, 200.0), &of(1400.0, 80.0), Score::Win, 0);
        let config = Glicko2Config::new();
        let (expected, beaten) = glicko2(
            &(1500.0, 200.0, 0.06).into(),
            &(1400.0, 80.0, 0.06).into(),
            &Outcomes::WIN,
            &config,
        );
        assert_eq!(
            (one.rating, one.deviation),
            (expected.rating, expected.deviation)
        );
        assert_eq!(
            (other.rating, other.deviation),
            (beaten.rating, beaten.deviation)
        );
        assert!(
            one.rating > 1550.0 && other.rating < 1400.0,
            "{one:?} {other:?}"
        );
    }

    #[test]
    fn what_is_long_ago_is_uncertain() {
        let known = Rating {
            rating: 1700.0,
            deviation: 60.0,
            volatility: 0.06,
            at_ms: 0,
        };
        assert!(!known.is_provisional());
        let later = known.at(365 * DAY);
        assert!((later.deviation - 110.0).abs() < 1.0, "{later:?}");
        assert_eq!(known.at(1000 * 365 * DAY).deviation, 350.0);
        // A clock that was set back does not make it more certain.
        assert_eq!(known.at(-DAY), known);
    }

    #[test]
    fn a_beginner_is_provisional_for_some_games() {
        let mut ratings = [Rating::new(0), Rating::new(0)];
        let mut games = 0;
        while ratings[0].is_provisional() {
            let score = [Score::Win, Score::Loss][games % 2];
            ratings = rated(&ratings[0], &ratings[1], score, games as i64);
            games += 1;
        }
        assert!((5..=20).contains(&games), "{games} games");
        assert!((ratings[0].rating - 1500.0).abs() < 100.0, "{ratings:?}");
        // However much is played, nobody becomes a rock.
        for n in 0..500 {
            let score = [Score::Win, Score::Loss][n % 2];
            ratings = rated(&ratings[0], &ratings[1], score, n as i64);
        }
        assert!(ratings[0].deviation >= CERTAIN);
    }
}
