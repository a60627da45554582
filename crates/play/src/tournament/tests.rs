//! Tournaments played from one event to the next.

use super::*;
use crate::rating::engine_id;
use std::collections::HashSet;
use std::error::Error;

type Tested = Result<(), Box<dyn Error>>;

const CHESS: &str = "chess";

fn plan(kind: Kind) -> Result<Plan, Box<dyn Error>> {
    Ok(Plan {
        name: "Autumn Cup".into(),
        kind,
        games: vec![
            Wanted::Variant(CHESS.into()),
            Wanted::Variant("grand".into()),
        ],
        wins: vec![
            Both {
                white: 1.0,
                black: 1.0
            };
            2
        ],
        control: "fischer:5m+3s".parse()?,
        rated: true,
        scoring: Scoring::Standard,
        tie_breaks: TieBreak::usual(&kind),
        starts_ms: 1000,
        break_s: 10,
        level: None,
        most: 100,
        champion: None,
    })
}

/// A tournament with what is stored of it.
struct Kept {
    tournament: Tournament,
    stored: Vec<(i64, String)>,
    now: i64,
    ids: u32,
}

impl Kept {
    fn new(plan: Plan) -> Kept {
        Kept {
            tournament: Tournament::new(plan),
            stored: Vec::new(),
            now: 0,
            ids: 0,
        }
    }

    /// A tournament that begins with players of these ratings.
    fn of(plan: Plan, ratings: &[i32]) -> Result<Kept, Box<dyn Error>> {
        let mut kept = Kept::new(plan);
        for (n, rating) in ratings.iter().enumerate() {
            kept.take(vec![kept.tournament.join(&format!("p{n}"), *rating)?])?;
        }
        kept.now = 1000;
        assert_eq!(kept.tournament.next(1000, |_| true), Some(Step::Start));
        let events = kept.tournament.start(|level| 800 + i32::from(level));
        kept.take(events)?;
        Ok(kept)
    }

    fn take(&mut self, events: Vec<Event>) -> Tested {
        for event in events {
            self.tournament.apply(&event, self.now)?;
            self.stored.push((self.now, event.to_text()));
        }
        Ok(())
    }

    /// Lets time pass until something is to be done, and does it; returns the ids of the new games.
    fn pair(&mut self) -> Result<Vec<String>, Box<dyn Error>> {
        for _ in 0..100 {
            let Some(step) = self.tournament.next(self.now, |_| true) else {
                self.now += 1000;
                continue;
            };
            if step == Step::End {
                self.take(vec![Event::Over])?;
                return Ok(Vec::new());
            }
            assert_eq!(step, Step::Pair);
            let before = self.tournament.pairings().len();
            let first = self.ids;
            let mut given = 0;
            let events = self.tournament.pair(
                self.now,
                |_| true,
                || {
                    given += 1;
                    format!("g{}", first + given)
                },
            );
            self.ids += given;
            self.take(events)?;
            let new = self.tournament.pairings().iter().skip(before);
            return Ok(new.map(|p| p.new.game.clone()).collect());
        }
        Err("nothing is to be done".into())
    }

    fn end(&mut self, game: &str, winner: Option<Side>) -> Tested {
        let share = |side| match winner {
            None => 0.5,
            Some(winner) if winner == side => 1.0,
            Some(_) => 0.0,
        };
        let result = GameResult {
            winner,
            points: Both::of(share),
            reason: "checkmate".into(),
            plies: 40,
            counts: true,
        };
        let event = self.tournament.end_of(game, result.clone());
        self.take(vec![event.ok_or("not played")?])?;
        // It counts once.
        assert_eq!(self.tournament.end_of(game, result), None);
        Ok(())
    }

    /// The stronger player wins each game of a round.
    fn play_round(&mut self) -> Tested {
        let games = self.pair()?;
        for game in games {
            let pairing = self
                .tournament
                .pairings()
                .iter()
                .find(|p| p.new.game == game);
            let pairing = pairing.ok_or("no such game")?.clone();
            let rating = |side| self.tournament.entrants()[pairing.of(side) as usize].rating;
            let stronger = match rating(Side::White) >= rating(Side::Black) {
                true => Side::White,
                false => Side::Black,
            };
            self.end(&game, Some(stronger))?;
        }
        Ok(())
    }

    /// Checks that what is stored makes the same tournament.
    fn replayed(&self) -> Tested {
        let events = self.stored.iter().map(|(ms, text)| (*ms, text.as_str()));
        let again = Tournament::replay(self.tournament.plan().clone(), events)?;
        assert_eq!(again.standings(), self.tournament.standings());
        assert_eq!(
            format!("{again:?}").len(),
            format!("{:?}", self.tournament).len()
        );
        Ok(())
    }
}

#[test]
fn everybody_meets_everybody() -> Tested {
    for (players, twice) in [(6, false), (7, false), (4, true)] {
        let ratings: Vec<i32> = (0..players).map(|n| 2000 - 50 * n).collect();
        let mut kept = Kept::of(plan(Kind::RoundRobin { twice })?, &ratings)?;
        let rounds = kept.tournament.rounds_in_all().ok_or("no rounds")?;
        for _ in 0..rounds {
            kept.play_round()?;
        }
        assert!(kept.pair()?.is_empty());
        assert_eq!(kept.tournament.phase(), Phase::Over);
        let times = if twice { 2 } else { 1 };
        let games = players * (players - 1) / 2 * times;
        assert_eq!(kept.tournament.pairings().len(), games as usize);
        let met: HashSet<_> = kept
            .tournament
            .pairings()
            .iter()
            .map(|p| (p.new.white, p.new.black))
            .collect();
        assert_eq!(
            met.len(),
            games as usize,
            "nobody meets anybody twice with the same side"
        );
        let standings = kept.tournament.standings();
        let places: Vec<_> = standings
            .iter()
            .map(|s| (s.rank, s.entrant, s.half_points))
            .collect();
        let expected = (0..players as u32).map(|n| {
            let beaten = players as u32 - 1 - n;
            (n + 1, n, i64::from(beaten * 2 * times as u32))
        });
        assert_eq!(places, expected.collect::<Vec<_>>());
        // The games are played in turn.
        let wanted: HashSet<_> = kept
            .tournament
            .pairings()
            .iter()
            .map(|p| (p.round % 2, p.new.wanted))
            .collect();
        assert_eq!(wanted, HashSet::from([(1, 0), (0, 1)]));
        kept.replayed()?;
    }
    Ok(())
}

#[test]
fn who_leaves_before_a_round_robin_begins_has_no_part_in_it() -> Tested {
    let mut kept = Kept::new(plan(Kind::RoundRobin { twice: false })?);
    for (n, rating) in [1800, 1700, 1600, 1500, 1400].into_iter().enumerate() {
        kept.take(vec![kept.tournament.join(&format!("p{n}"), rating)?])?;
    }
    for (leaver, returns) in [("p1", false), ("p2", true)] {
        kept.take(vec![kept.tournament.leave(leaver)?])?;
        if returns {
            kept.take(vec![kept.tournament.join(leaver, 0)?])?;
        }
    }
    assert_eq!(kept.tournament.rounds_in_all(), Some(3));
    kept.now = 1000;
    let events = kept.tournament.start(|_| 0);
    assert_eq!(events, [Event::Started { without: vec![1] }]);
    kept.take(events)?;
    assert_eq!(kept.tournament.rounds_in_all(), Some(3));
    for _ in 0..3 {
        kept.play_round()?;
        assert_eq!(kept.tournament.join("p1", 1700), Err(Refused::Begun));
    }
    assert!(kept.pair()?.is_empty());
    assert_eq!(kept.tournament.phase(), Phase::Over);
    let pairs = kept.tournament.pairings().iter();
    let met: HashSet<_> = pairs.map(|p| (p.new.white, p.new.black)).collect();
    assert_eq!(met.len(), 6, "each meets each, and nobody waits for p1");
    let places: Vec<_> = kept.tournament.standings();
    let places = places.iter().map(|s| (s.entrant, s.half_points, s.won));
    let expected = [(0, 6, 3), (2, 4, 2), (3, 2, 1), (4, 0, 0)];
    assert_eq!(places.collect::<Vec<_>>(), expected);
    kept.replayed()?;
    // Those that began before this was so are played as they were paired.
    let mut before = kept.stored.clone();
    for (_, text) in &mut before {
        *text = text.replace(",\"without\":[1]", "");
    }
    before.truncate(9);
    let texts = before.iter().map(|(ms, text)| (*ms, text.as_str()));
    let before = Tournament::replay(kept.tournament.plan().clone(), texts)?;
    assert_eq!(before.phase(), Phase::Running);
    assert_eq!(before.rounds_in_all(), Some(5));
    let mut ids = ["x", "y"].into_iter().map(String::from);
    let paired = before.pair(1000, |_| true, || ids.next().unwrap_or_default());
    let [
        Event::Paired {
            games, walkovers, ..
        },
    ] = &paired[..]
    else {
        return Err(format!("{paired:?}").into());
    };
    // The second of five meets the last of them, who wins as he is away.
    assert_eq!((games.len(), &walkovers[..]), (1, &[[4, 1]][..]));
    Ok(())
}

#[test]
fn who_leaves_a_round_robin_loses_what_is_left() -> Tested {
    let mut kept = Kept::of(
        plan(Kind::RoundRobin { twice: false })?,
        &[1800, 1700, 1600, 1500],
    )?;
    kept.play_round()?;
    kept.take(vec![kept.tournament.leave("p0")?])?;
    assert!(kept.tournament.leave("p0").is_err());
    for _ in 0..2 {
        kept.play_round()?;
    }
    kept.pair()?;
    assert_eq!(kept.tournament.phase(), Phase::Over);
    let standings = kept.tournament.standings();
    let places: Vec<_> = standings
        .iter()
        .map(|s| (s.entrant, s.half_points, s.won))
        .collect();
    // p0 beat p3 in the first round; the other two win the later rounds without a game.
    assert_eq!(places, [(1, 6, 2), (2, 4, 1), (0, 2, 1), (3, 0, 0)]);
    assert_eq!(kept.tournament.given(0), [Some(2), Some(0), Some(0)]);
    kept.replayed()
}

#[test]
fn a_swiss_of_seven_is_played_to_its_end() -> Tested {
    let ratings = [2000, 1900, 1800, 1700, 1600, 1500, 1400];
    let mut kept = Kept::of(plan(Kind::Swiss { rounds: 5 })?, &ratings)?;
    for _ in 0..5 {
        kept.play_round()?;
    }
    kept.pair()?;
    assert_eq!(kept.tournament.phase(), Phase::Over);
    let met = kept.tournament.pairings().iter();
    let met: HashSet<_> = met
        .map(|p| (p.new.white.min(p.new.black), p.new.white.max(p.new.black)))
        .collect();
    assert_eq!(
        met.len(),
        15,
        "three games in each of five rounds, nobody meets anybody twice"
    );
    let byes = (0..7).filter(|n| kept.tournament.turns(*n).contains(&Turn::Bye));
    assert_eq!(byes.count(), 5, "another one has no opponent in each round");
    let standings = kept.tournament.standings();
    assert_eq!((standings[0].entrant, standings[0].half_points), (0, 10));
    let sum: i64 = standings.iter().map(|s| s.half_points).sum();
    assert_eq!(sum, 5 * 8, "four points a round");
    kept.replayed()
}

#[test]
fn who_comes_late_or_leaves_is_not_paired_in_between() -> Tested {
    let mut kept = Kept::of(plan(Kind::Swiss { rounds: 4 })?, &[1900, 1800, 1700, 1600])?;
    kept.play_round()?;
    kept.take(vec![
        kept.tournament.join("late", 2200)?,
        kept.tournament.leave("p3")?,
    ])?;
    kept.play_round()?;
    let late = kept.tournament.number("late").ok_or("has not come")?;
    assert_eq!(kept.tournament.given(late)[0], None);
    assert_eq!(kept.tournament.turns(3)[1], Turn::Away);
    kept.take(vec![kept.tournament.join("p3", 1600)?])?;
    kept.play_round()?;
    assert_ne!(kept.tournament.turns(3)[2], Turn::Away);
    assert_eq!(kept.tournament.join("later", 1), Err(Refused::Late));
    kept.replayed()
}

#[test]
fn the_engine_makes_up_an_odd_number() -> Tested {
    for kind in [Kind::Swiss { rounds: 3 }, Kind::RoundRobin { twice: false }] {
        let filled = Plan {
            level: Some(3),
            ..plan(kind)?
        };
        let mut kept = Kept::of(filled.clone(), &[1900, 1800, 1700])?;
        assert_eq!(kept.tournament.number(&engine_id(3)), Some(3));
        kept.play_round()?;
        assert_eq!(kept.tournament.pairings().len(), 2);
        // One leaves: in a Swiss tournament the two others meet, and it sits out.
        if let Kind::Swiss { .. } = kind {
            kept.take(vec![kept.tournament.leave("p2")?])?;
            assert_eq!(kept.pair()?.len(), 1);
            assert_eq!(kept.tournament.turns(3)[1], Turn::Away);
        }
        // If their number is even it stays away.
        let even = Kept::of(filled, &[1900, 1800])?;
        assert_eq!(even.tournament.entrants().len(), 2);
    }
    Ok(())
}

#[test]
fn nobody_comes() -> Tested {
    let mut kept = Kept::new(plan(Kind::Swiss { rounds: 3 })?);
    kept.take(vec![kept.tournament.join("alone", 1500)?])?;
    assert_eq!(kept.tournament.next(999, |_| true), None);
    assert_eq!(kept.tournament.next(1000, |_| true), Some(Step::Start));
    assert_eq!(kept.tournament.start(|_| 0), [Event::Cancelled]);
    let cancelled = kept.tournament.cancel()?;
    kept.take(vec![cancelled])?;
    assert_eq!(kept.tournament.join("one", 1500), Err(Refused::Over));
    assert_eq!(kept.tournament.next(i64::MAX, |_| true), None);
    Ok(())
}

#[test]
fn in_an_arena_those_meet_who_are_there_and_free() -> Tested {
    let mut kept = Kept::of(
        plan(Kind::Arena { minutes: 10 })?,
        &[1900, 1800, 1700, 1600, 1500],
    )?;
    kept.now += 3000;
    let here = |id: &str| id != "p4";
    assert_eq!(kept.tournament.next(kept.now, |_| false), None);
    assert_eq!(kept.tournament.next(kept.now, here), Some(Step::Pair));
    let mut ids = ["a", "b"].into_iter().map(String::from);
    let events = kept
        .tournament
        .pair(kept.now, here, || ids.next().unwrap_or_default());
    kept.take(events)?;
    assert_eq!(
        (kept.tournament.running(), kept.tournament.turns(4).len()),
        (2, 0)
    );
    // Those who play are not free.
    kept.now += 10_000;
    assert_eq!(kept.tournament.next(kept.now, |_| true), None);
    let first = kept.tournament.pairings()[0].clone();
    kept.end("a", Some(Side::White))?;
    // The loser, the winner and the player who has just come: two who have just met do not meet again at once.
    kept.now += 3000;
    let games = kept.pair()?;
    let second = kept.tournament.pairings().last().ok_or("no game")?.clone();
    assert_eq!(games.len(), 1);
    let pair = |p: &Pairing| (p.new.white.min(p.new.black), p.new.white.max(p.new.black));
    assert_ne!(pair(&first), pair(&second));
    // When its time is over nobody is paired; games in progress still count.
    kept.now = 1000 + 10 * 60_000;
    assert_eq!(kept.tournament.next(kept.now, |_| true), None);
    kept.end("b", None)?;
    kept.end(&games[0], None)?;
    kept.pair()?;
    assert_eq!(kept.tournament.phase(), Phase::Over);
    let sum: i64 = kept
        .tournament
        .standings()
        .iter()
        .map(|s| s.half_points)
        .sum();
    assert_eq!(sum, 3 * 4, "two points a game");
    kept.replayed()
}

/// A player waiting alone in an arena meets the engine, even if the number was even at the start.
#[test]
fn who_waits_alone_meets_the_engine() -> Tested {
    let filled = Plan {
        level: Some(3),
        ..plan(Kind::Arena { minutes: 10 })?
    };
    let mut kept = Kept::of(filled, &[1900, 1800])?;
    assert_eq!(kept.tournament.number(&engine_id(3)), Some(2));
    let here = |id: &str| id == "p0";
    kept.now += 9000;
    assert_eq!(kept.tournament.next(kept.now, here), None);
    kept.now += 1000;
    assert_eq!(kept.tournament.next(kept.now, here), Some(Step::Pair));
    let events = kept.tournament.pair(kept.now, here, || "g".into());
    kept.take(events)?;
    let pairing = kept.tournament.pairings().first().ok_or("no game")?;
    assert_eq!(pairing.new.white + pairing.new.black, 2);
    // While it plays it is not asked for.
    let later = kept.now + 60_000;
    assert_eq!(kept.tournament.next(later, |id| id == "p1"), None);
    Ok(())
}

#[test]
fn wins_in_a_row_count_twice() -> Tested {
    let mut kept = Kept::of(plan(Kind::Arena { minutes: 10 })?, &[1900, 1800])?;
    for (n, winner) in [Some(0), Some(0), Some(0), None, Some(0)]
        .into_iter()
        .enumerate()
    {
        let game = kept.pair()?.pop().ok_or(format!("game {n}"))?;
        let white = kept.tournament.pairings()[n].new.white;
        let side = winner.map(|w| if w == white { Side::White } else { Side::Black });
        kept.end(&game, side)?;
    }
    // 2 + 2, then twice 2, a draw that counts twice and ends the row, then 2.
    let score = |n: u32| {
        let standings = kept.tournament.standings();
        let found = standings.iter().find(|s| s.entrant == n);
        found.map(|s| s.half_points as f64 / 2.0)
    };
    assert_eq!(
        (score(0), score(1)),
        (Some(2.0 + 2.0 + 4.0 + 2.0 + 2.0), Some(1.0))
    );
    kept.replayed()
}

#[test]
fn the_inventors_points_are_the_score() -> Tested {
    let by_points = Plan {
        scoring: Scoring::GamePoints,
        wins: vec![Both {
            white: 3.0,
            black: 3.0,
        }],
        games: vec![Wanted::Variant("citadel8".into())],
        ..plan(Kind::Swiss { rounds: 3 })?
    };
    let mut kept = Kept::of(by_points, &[1900, 1800, 1700])?;
    let game = kept.pair()?.pop().ok_or("no game")?;
    let gem = GameResult {
        winner: Some(Side::Black),
        points: Both {
            white: 0.0,
            black: 5.0,
        },
        reason: "green gem".into(),
        plies: 50,
        counts: true,
    };
    let event = kept.tournament.end_of(&game, gem);
    kept.take(event.into_iter().collect())?;
    let mut scores: Vec<i64> = kept
        .tournament
        .standings()
        .iter()
        .map(|s| s.half_points)
        .collect();
    scores.sort_unstable();
    // A player without an opponent gets a plain win.
    assert_eq!(scores, [0, 6, 10]);
    Ok(())
}

/// A round robin of four, computed by hand.
#[test]
fn tie_breaks_by_hand() -> Tested {
    let all = Plan {
        tie_breaks: TieBreak::ALL.to_vec(),
        ..plan(Kind::RoundRobin { twice: false })?
    };
    let mut kept = Kept::of(all, &[1900, 1800, 1700, 1600])?;
    // 0 beats 1, 1 beats 2, 2 beats 0; 3 draws with 0 and 1, and loses to 2.
    let winner = |one: u32, other: u32| match (one.min(other), one.max(other)) {
        (0, 1) => Some(0),
        (1, 2) => Some(1),
        (0, 2) => Some(2),
        (2, 3) => Some(2),
        _ => None,
    };
    for _ in 0..3 {
        for game in kept.pair()? {
            let pairing = kept
                .tournament
                .pairings()
                .iter()
                .find(|p| p.new.game == game);
            let pairing = pairing.ok_or("no such game")?.clone();
            let won = winner(pairing.new.white, pairing.new.black);
            kept.end(&game, won.map(|w| pairing.side_of(w)))?;
        }
    }
    let standings = kept.tournament.standings();
    let row = |n: u32| {
        standings
            .iter()
            .find(|s| s.entrant == n)
            .map(|s| (s.half_points, s.ties[..5].to_vec()))
    };
    // Scores: 0 has 1.5, 1 has 1.5, 2 has 2, 3 has 1.
    assert_eq!(row(2), Some((4, vec![4.0, 3.0, 2.5, 0.0, 2.0])));
    assert_eq!(row(0), Some((3, vec![4.5, 3.5, 2.0, 1.0, 1.0])));
    assert_eq!(row(1), Some((3, vec![4.5, 3.5, 2.5, 0.0, 1.0])));
    assert_eq!(row(3), Some((2, vec![5.0, 3.5, 1.5, 0.0, 0.0])));
    let order: Vec<_> = standings.iter().map(|s| (s.entrant, s.rank)).collect();
    // Buchholz and its cut do not separate 0 and 1, Sonneborn-Berger does.
    assert_eq!(order, [(2, 1), (1, 2), (0, 3), (3, 4)]);
    Ok(())
}

#[test]
fn what_cannot_be_is_refused() -> Tested {
    let mut kept = Kept::of(plan(Kind::RoundRobin { twice: false })?, &[1900, 1800])?;
    assert_eq!(kept.tournament.join("p0", 1), Err(Refused::Joined));
    assert_eq!(kept.tournament.join("new", 1), Err(Refused::Begun));
    assert_eq!(kept.tournament.leave("new"), Err(Refused::NotJoined));
    assert_eq!(kept.tournament.cancel(), Err(Refused::Running));
    for text in [
        "{}",
        "{\"event\":\"left\",\"entrant\":9}",
        "{\"event\":\"over\"",
        "{\"event\":\"started\"}",
    ] {
        let events = kept.stored.iter().map(|(ms, text)| (*ms, text.as_str()));
        let events = events.chain([(0, text)]);
        let damaged = Tournament::replay(kept.tournament.plan().clone(), events);
        assert!(damaged.is_err(), "{text}");
    }
    kept.pair()?;
    let running = kept.tournament.apply(&Event::Over, 0);
    assert!(running.is_err(), "a game is played still");
    let full = Plan {
        most: 2,
        ..plan(Kind::Arena { minutes: 5 })?
    };
    let mut kept = Kept::of(full, &[1900, 1800])?;
    assert_eq!(kept.tournament.join("new", 1), Err(Refused::Full(2)));
    // Who leaves makes room for another, but not for any number of others.
    for n in 0..6 {
        let last = match n {
            0 => "p1".into(),
            n => format!("new{}", n - 1),
        };
        kept.take(vec![kept.tournament.leave(&last)?])?;
        kept.take(vec![kept.tournament.join(&format!("new{n}"), 1)?])?;
    }
    kept.take(vec![kept.tournament.leave("new5")?])?;
    assert_eq!(kept.tournament.join("new6", 1), Err(Refused::Full(2)));
    let back = kept.tournament.join("new5", 1);
    assert!(matches!(back, Ok(Event::Returned { .. })), "{back:?}");
    Ok(())
}
