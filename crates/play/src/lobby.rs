//! What people waiting for an opponent want, and which of them match. No I/O, no time, no chance.

use crate::rating::Speed;
use crate::{Both, Games};
use husun::Side;
use husun::clock::TimeControl;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// The rating assumed for a player about whom nothing is known: the one with which everybody begins.
pub const UNRATED: i32 = 1500;

/// Something that can be played: a game, or a family from which the match customs choose one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Wanted {
    /// A game, by the name under which it is stored.
    Variant(String),
    /// A family.
    Family(String),
}

/// Who is welcome as an opponent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Opponents {
    /// People and programs.
    #[default]
    Anyone,
    /// People only.
    People,
}

impl Opponents {
    /// Whether an opponent is welcome who is a program or not.
    pub fn welcome(self, bot: bool) -> bool {
        match self {
            Opponents::Anyone => true,
            Opponents::People => !bot,
        }
    }

    /// Whether nobody is left out.
    pub fn is_anyone(&self) -> bool {
        *self == Opponents::Anyone
    }
}

/// What a waiting player wants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Wish {
    /// Any of these; any game at all if empty.
    pub games: Vec<Wanted>,
    /// Any of these clocks.
    pub clocks: Vec<TimeControl>,
    /// Whether it counts for ratings.
    pub rated: bool,
    /// The player's own side; either if missing.
    pub side: Option<Side>,
    /// Least and greatest rating of the opponent.
    pub range: Option<[i32; 2]>,
    /// Who is welcome. Wishes stored before there was a choice welcome anyone.
    #[serde(default, skip_serializing_if = "Opponents::is_anyone")]
    pub opponents: Opponents,
}

/// Ratings of a waiting player, by game and speed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Strength(HashMap<(String, Speed), i32>);

impl Strength {
    /// Adds a rating.
    pub fn insert(&mut self, variant: &str, speed: Speed, rating: i32) {
        self.0.insert((variant.into(), speed), rating);
    }

    /// The rating for what is played; for a family the best, since nobody knows yet which game it will be.
    pub fn of(&self, wanted: &Wanted, speed: Option<Speed>, games: &Games) -> i32 {
        self.knows(wanted, speed, games).unwrap_or(UNRATED)
    }

    /// The same rating, if there is one.
    pub fn knows(&self, wanted: &Wanted, speed: Option<Speed>, games: &Games) -> Option<i32> {
        let speed = speed?;
        let rating = |variant: &str| self.0.get(&(variant.to_owned(), speed)).copied();
        match wanted {
            Wanted::Variant(name) => rating(name),
            Wanted::Family(name) => games.family(name).and_then(|family| {
                let variants = family.variants.iter();
                variants.filter_map(|v| rating(&games.name(v))).max()
            }),
        }
    }
}

/// What two people can play with each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Terms {
    /// The game.
    pub wanted: Wanted,
    /// Its clock.
    pub control: TimeControl,
    /// Whether it counts for ratings.
    pub rated: bool,
    /// The side of the player who waited; drawn by lot if missing.
    pub side: Option<Side>,
    /// How far apart the ratings are.
    pub distance: i32,
}

/// One of two who might play with each other.
#[derive(Clone, Copy, Debug)]
pub struct Seeker<'a> {
    /// What is wanted.
    pub wish: &'a Wish,
    /// The own ratings.
    pub strength: &'a Strength,
    /// Whether it is a program.
    pub bot: bool,
}

impl Seeker<'_> {
    /// Whether both are welcome to each other, as people or programs.
    pub fn welcomes(&self, other: &Seeker<'_>) -> bool {
        self.wish.opponents.welcome(other.bot) && other.wish.opponents.welcome(self.bot)
    }

    /// Everything that suits both: opponents who are welcome, games and clocks in common, sides that do not exclude
    /// each other, ratings within each other's range. `self` is the player who waited, to whom [`Terms::side`] belongs.
    pub fn fitting(&self, other: &Seeker<'_>, games: &Games) -> Vec<Terms> {
        let (ours, theirs) = (self.wish, other.wish);
        let suits = ours.rated == theirs.rated && self.welcomes(other);
        let Some(side) = sides(ours.side, theirs.side).filter(|_| suits) else {
            return Vec::new();
        };
        let clocks: Vec<TimeControl> = ours
            .clocks
            .iter()
            .filter(|clock| theirs.clocks.contains(clock))
            .copied()
            .collect();
        if clocks.is_empty() {
            return Vec::new();
        }
        let any: Vec<Wanted>;
        let (wanted, of) = match (&ours.games[..], &theirs.games[..]) {
            ([], []) => {
                any = all(games);
                (&any[..], &[][..])
            }
            ([], theirs) => (theirs, &[][..]),
            (ours, theirs) => (ours, theirs),
        };
        let common = |w: &&Wanted| of.is_empty() || of.contains(w);
        let mut terms = Vec::new();
        for wanted in wanted.iter().filter(common) {
            for control in &clocks {
                let speed = Speed::of(control);
                let [mine, yours] = [self, other].map(|s| s.strength.of(wanted, speed, games));
                if within(ours.range, yours) && within(theirs.range, mine) {
                    terms.push(Terms {
                        wanted: wanted.clone(),
                        control: *control,
                        rated: ours.rated,
                        side,
                        distance: (mine - yours).abs(),
                    });
                }
            }
        }
        terms
    }
}

impl Wish {
    /// Whether everything it asks for is played over days, so that nobody has to stay for it.
    pub fn is_slow(&self) -> bool {
        let days = |clock: &TimeControl| matches!(clock, TimeControl::Correspondence { .. });
        self.clocks.iter().all(days)
    }
}

/// All games that can be played, for a player who accepts any.
fn all(games: &Games) -> Vec<Wanted> {
    let variants = games.catalogue().games();
    variants
        .map(|variant| Wanted::Variant(games.name(&variant)))
        .collect()
}

fn within(range: Option<[i32; 2]>, rating: i32) -> bool {
    range.is_none_or(|[least, most]| (least..=most).contains(&rating))
}

/// The first player's side, if both can have what they want.
fn sides(one: Option<Side>, other: Option<Side>) -> Option<Option<Side>> {
    match (one, other) {
        (Some(one), Some(other)) => (one != other).then_some(Some(one)),
        (Some(one), None) => Some(Some(one)),
        (None, other) => Some(other.map(Side::opponent)),
    }
}

/// Who sits where: the player who waited on `side`, the other one opposite.
pub fn seated<T>(side: Side, waited: T, came: T) -> Both<T> {
    match side {
        Side::White => Both {
            white: waited,
            black: came,
        },
        Side::Black => Both {
            white: came,
            black: waited,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::error::Error;

    fn wish(games: &[&str], clocks: &[&str]) -> Result<Wish, Box<dyn Error>> {
        let clocks: Result<_, _> = clocks.iter().map(|clock| clock.parse()).collect();
        Ok(Wish {
            games: games.iter().map(|g| Wanted::Variant((*g).into())).collect(),
            clocks: clocks?,
            rated: false,
            side: None,
            range: None,
            opponents: Opponents::Anyone,
        })
    }

    fn person<'a>(wish: &'a Wish, strength: &'a Strength) -> Seeker<'a> {
        Seeker {
            wish,
            strength,
            bot: false,
        }
    }

    fn met(one: &Wish, other: &Wish) -> Vec<(Wanted, String)> {
        let none = Strength::default();
        let [one, other] = [one, other].map(|wish| person(wish, &none));
        let terms = one.fitting(&other, &Games::default());
        let shown = |t: Terms| (t.wanted, t.control.to_string());
        terms.into_iter().map(shown).collect()
    }

    #[test]
    fn what_both_wish_is_found() -> Result<(), Box<dyn Error>> {
        let one = wish(&["chess", "grand"], &["fischer:5m+3s", "fischer:10m+5s"])?;
        let other = wish(&["shatranj", "grand"], &["fischer:10m+5s", "days:3"])?;
        let grand = Wanted::Variant("grand".into());
        let both = vec![(grand, "fischer:10m+5s".to_owned())];
        assert_eq!(met(&one, &other), both);
        assert_eq!(met(&other, &one), both);
        let any = wish(&[], &["fischer:10m+5s"])?;
        assert_eq!(met(&one, &any).len(), 2);
        assert_eq!(met(&any, &one).len(), 2);
        assert_eq!(met(&any, &any).len(), games::ids().count());
        assert!(met(&one, &wish(&["chess"], &["days:3"])?).is_empty());
        assert!(met(&one, &wish(&["citadel9"], &["fischer:5m+3s"])?).is_empty());
        Ok(())
    }

    #[test]
    fn sides_and_kinds_exclude_each_other() -> Result<(), Box<dyn Error>> {
        let one = wish(&["chess"], &["fischer:5m+3s"])?;
        let white = Wish {
            side: Some(Side::White),
            ..one.clone()
        };
        let rated = Wish {
            rated: true,
            ..one.clone()
        };
        let none = Strength::default();
        let games = Games::default();
        let side = |one: &Wish, other: &Wish| {
            let [one, other] = [one, other].map(|wish| person(wish, &none));
            let terms = one.fitting(&other, &games);
            terms.first().map(|t| t.side)
        };
        assert_eq!(side(&one, &one), Some(None));
        assert_eq!(side(&white, &one), Some(Some(Side::White)));
        assert_eq!(side(&one, &white), Some(Some(Side::Black)));
        assert_eq!(side(&white, &white), None);
        assert_eq!(side(&one, &rated), None);
        Ok(())
    }

    #[test]
    fn programs_meet_only_those_who_welcome_them() -> Result<(), Box<dyn Error>> {
        let (none, games) = (Strength::default(), Games::default());
        let anyone = wish(&["chess"], &["fischer:5m+3s"])?;
        let people = Wish {
            opponents: Opponents::People,
            ..anyone.clone()
        };
        let meet = |one: (&Wish, bool), other: (&Wish, bool)| {
            let [one, other] = [one, other].map(|(wish, bot)| Seeker {
                bot,
                ..person(wish, &none)
            });
            let both = [one.fitting(&other, &games), other.fitting(&one, &games)];
            assert_eq!(both[0].is_empty(), both[1].is_empty());
            !both[0].is_empty()
        };
        assert!(meet((&people, false), (&people, false)));
        assert!(meet((&people, false), (&anyone, false)));
        assert!(!meet((&people, false), (&anyone, true)));
        assert!(meet((&anyone, false), (&people, true)));
        assert!(!meet((&people, true), (&anyone, true)));
        assert!(meet((&anyone, true), (&anyone, true)));
        Ok(())
    }

    /// What was stored before there was a choice is read, and what makes no use of it is stored as before.
    #[test]
    fn wishes_without_a_choice_of_opponents_are_read() -> Result<(), Box<dyn Error>> {
        let stored = r#"{"games":[{"variant":"chess"}],"clocks":["days:3"],"rated":true,"side":null,"range":[1000,1600]}"#;
        let read: Wish = serde_json::from_str(stored)?;
        assert_eq!(read.opponents, Opponents::Anyone);
        assert_eq!(serde_json::to_string(&read)?, stored);
        let people = Wish {
            opponents: Opponents::People,
            ..read
        };
        let again: Wish = serde_json::from_str(&serde_json::to_string(&people)?)?;
        assert_eq!(again, people);
        Ok(())
    }

    #[test]
    fn ratings_are_those_of_the_game_that_is_played() -> Result<(), Box<dyn Error>> {
        let games = Games::default();
        let both = wish(&["chess", "grand"], &["fischer:5m+3s"])?;
        let weak = Wish {
            range: Some([1000, 1600]),
            ..both.clone()
        };
        let mut strong = Strength::default();
        strong.insert("chess", Speed::Blitz, 2000);
        let none = Strength::default();
        let [weak, strong] = [person(&weak, &none), person(&both, &strong)];
        let terms = weak.fitting(&strong, &games);
        let names: Vec<_> = terms.iter().map(|t| (&t.wanted, t.distance)).collect();
        assert_eq!(names, [(&Wanted::Variant("grand".into()), 0)]);
        assert_eq!(strong.fitting(&weak, &games).len(), 1);
        let family = games.families()[0].clone();
        let wanted = Wanted::Family(family.name.clone());
        let mut known = Strength::default();
        let of = games.name(&family.variants[0]);
        assert_eq!(known.of(&wanted, Some(Speed::Slow), &games), UNRATED);
        known.insert(&of, Speed::Slow, 1234);
        assert_eq!(known.of(&wanted, Some(Speed::Slow), &games), 1234);
        Ok(())
    }
}
