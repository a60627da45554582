//! Rounds whose pairing one article of the handbook decides, worked out by hand, and random rounds, whose pairing must
//! at least keep to the rules.

use super::*;
use crate::{Colour, Past, Spent};
use std::collections::HashSet;

/// Entrants from rows of text, number 1 first: the score before the given rounds, then each round as opponent and
/// colour (`3w`), `bye`, or `-`, each with the points earned: `3w=1`. `away` says that the entrant is not here.
fn field(rows: &[&str]) -> Vec<Entrant> {
    let entrant = |(i, row): (usize, &&str)| {
        let mut words = row.split_whitespace();
        let mut score: i64 = words.next().map_or(0, |w| w.parse().expect("a score"));
        let mut here = true;
        let mut rounds = Vec::new();
        for word in words {
            if word == "away" {
                here = false;
                continue;
            }
            let (spent, points) = word.split_once('=').expect("what it brought");
            let points: i64 = points.parse().expect("points");
            let spent = match spent.split_at(spent.len() - 1) {
                ("by", _) => Spent::Bye,
                ("", _) => Spent::Unplayed,
                (opponent, colour) => Spent::Game {
                    opponent: opponent.parse().expect("a number"),
                    colour: if colour == "w" {
                        Colour::White
                    } else {
                        Colour::Black
                    },
                },
            };
            score += points;
            rounds.push(Past { spent, points });
        }
        Entrant {
            number: i as u32 + 1,
            score,
            here,
            rounds,
        }
    };
    rows.iter().enumerate().map(entrant).collect()
}

fn paired(rows: &[&str], rules: &Rules) -> String {
    match dutch(&field(rows), rules) {
        Ok(round) => {
            let games = round.games.iter().map(|(w, b)| format!("{w}-{b}"));
            let bye = round.bye.map(|number| format!("{number} free"));
            games.chain(bye).collect::<Vec<_>>().join(" ")
        }
        Err(error) => error.to_string(),
    }
}

/// What decides, the field, and the round.
const ROUNDS: [(&str, &[&str], &str); 16] = [
    ("nobody", &[], ""),
    ("one alone has the bye", &["0"], "1 free"),
    (
        "5.2.5: odd numbers have the first colour",
        &["0"; 6],
        "1-4 5-2 3-6",
    ),
    (
        "1.5: the last of an odd number",
        &["0"; 7],
        "1-4 5-2 3-6 7 free",
    ),
    (
        "absent players are not paired",
        &["0", "0 away", "0", "0", "0"],
        "1-4 3-5",
    ),
    (
        "1.2, 1.9: score groups from the top, colours alternate",
        &["0 3w=2", "0 4b=2", "0 1b=0", "0 2w=0"],
        "2-1 3-4",
    ),
    (
        "C1: no second meeting",
        &["0 2w=1", "0 1b=1", "0 4w=1", "0 3b=1"],
        "4-1 2-3",
    ),
    (
        "C2: no second bye, nor after a win by forfeit",
        &["4 2w=2", "4 1b=0", "0 bye=2", "0 -=2", "0 -=0"],
        "3-1 2-4 5 free",
    ),
    (
        "C.04.2, 3.5: a forfeit is no meeting",
        &["0 -=2", "0 -=0"],
        "1-2",
    ),
    (
        "C4: the top two float, or those below could not be paired",
        &["4 -=0", "4 -=0", "0 4w=1", "0 3b=1"],
        "1-3 4-2",
    ),
    (
        "C12: an exchange for the colours",
        &[
            "0 5w=0", "0 6w=0", "0 7b=0", "0 8b=0", "1 1b=0", "1 2b=0", "1 3w=0", "1 4w=0",
        ],
        "5-7 6-8 3-1 4-2",
    ),
    (
        "C14: who floated down floats no more",
        &["0 4w=2", "0 5b=2", "0 -=2", "0 1b=0", "0 2w=0", "0 -=0"],
        "3-1 2-6 4-5",
    ),
    (
        "C15: who floated up floats up no more",
        &["4 -=0", "1 5w=1", "2 4w=0", "2 3b=0", "2 2b=0", "0 -=0"],
        "4-1 5-3 6-2",
    ),
    (
        "1.4.3: half a point without a game is a float",
        &["0 3w=1", "0 4b=1", "0 1b=1", "0 2w=1", "0 -=1", "0 -=0"],
        "2-1 3-5 6-4",
    ),
    (
        "1.4.4: absence is none",
        &["0 3w=1", "0 4b=1", "0 1b=1", "0 2w=1", "1 -=0", "0 -=0"],
        "2-1 3-4 5-6",
    ),
    (
        "1.9.3: who has met all cannot be paired",
        &["0 2w=1", "0 1b=1"],
        "the rules allow no pairing of all; left without an opponent: [1, 2]",
    ),
];

#[test]
fn each_article_decides() {
    for (what, rows, expected) in ROUNDS {
        assert_eq!(paired(rows, &Rules::default()), expected, "{what}");
    }
}

/// In the last round topscorers may meet even if both must have the same colour; then C10 to C13 and 5.2.2 decide.
#[test]
fn colours_matter_less_to_topscorers_in_the_last_round() {
    let rows = [
        "0 3w=2 5w=2",
        "0 4w=2 6w=2",
        "0 1b=0 4w=1",
        "0 2b=0 3b=1",
        "0 6b=1 1b=0",
        "0 5w=1 2b=0",
    ];
    let rules = |rounds| Rules {
        rounds,
        ..Rules::default()
    };
    // Both in front have had White twice: one of them would have it a third time.
    assert_eq!(paired(&rows, &rules(4)), "4-1 5-2 6-3");
    assert_eq!(paired(&rows, &rules(3)), "2-1 5-3 4-6");
}

#[test]
fn what_cannot_be_is_refused() {
    let told = |rows: &[&str]| paired(rows, &Rules::default());
    let cases: [(&[&str], &str); 6] = [
        (
            &["0 2w=2", "0"],
            "entrant 2 has 0 earlier rounds, expected 1 as all have",
        ),
        (
            &["0 2w=2", "0 1w=0"],
            "round 1: entrant 1 played 2, expected 2 to have played 1 with the other colour",
        ),
        (
            &["0 3w=2", "0 -=0"],
            "round 1: entrant 1 played 3, expected 3 to have played 1 with the other colour",
        ),
        (
            &["0 1w=2", "0 -=0"],
            "round 1: entrant 1 played 1, expected 1 to have played 1 with the other colour",
        ),
        (
            &["9223372036854775807", "0"],
            "entrant 1 has 9223372036854775807 points, expected at most 1099511627776 either way",
        ),
        (
            &["0 -=0 -=0 -=0 -=0 -=0 -=0 -=0 -=0 -=0"],
            "9 rounds are played, expected fewer than the tournament's 9",
        ),
    ];
    for (rows, expected) in cases {
        assert_eq!(told(rows), expected);
    }
    let mut two = field(&["0", "0"]);
    two[1].number = 1;
    assert_eq!(
        dutch(&two, &Rules::default()),
        Err(PairingError::Number { number: 1 })
    );
    let many = vec!["0"; 1025];
    assert_eq!(told(&many), "1025 entrants, expected at most 1024");
}

/// Any history that does not contradict itself, however little it looks like a tournament: no panic, nobody twice, no
/// rematch, no clash of forced colours, and the same result for the entrants in another order.
#[test]
fn whatever_was_the_round_keeps_to_the_rules() {
    let mut seed = 5u64;
    let mut dice = move |below: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed % below
    };
    let mut impossible = 0;
    for case in 0..600 {
        let size = 1 + dice(24) as usize;
        let rounds = dice(9) as usize;
        let points = [1, 3, 1000][dice(3) as usize];
        let rules = Rules {
            rounds: rounds + 1 + dice(2) as usize,
            first: Colour::Black,
            win: points,
            loss: dice(2) as i64,
        };
        let mut entrants: Vec<Entrant> = (1..=size as u32)
            .map(|number| Entrant {
                number,
                score: dice(3) as i64 - 1,
                here: dice(8) > 0,
                rounds: Vec::new(),
            })
            .collect();
        for _ in 0..rounds {
            let mut free: Vec<usize> = (0..size).collect();
            while let Some(one) =
                (!free.is_empty()).then(|| free.swap_remove(dice(free.len() as u64) as usize))
            {
                let mut add = |who: usize, spent: Spent| {
                    let points = dice(points as u64 + 1) as i64;
                    entrants[who].score += points;
                    entrants[who].rounds.push(Past { spent, points });
                };
                let other = free.last().copied().filter(|_| one % 5 > 0);
                let Some(other) = other else {
                    let spent = [Spent::Bye, Spent::Unplayed][one % 2];
                    add(one, spent);
                    continue;
                };
                free.pop();
                let game = |opponent: usize, colour| Spent::Game {
                    opponent: opponent as u32 + 1,
                    colour,
                };
                add(one, game(other, Colour::White));
                add(other, game(one, Colour::Black));
            }
        }
        let round = dutch(&entrants, &rules);
        let mut turned = entrants.clone();
        turned.reverse();
        assert_eq!(round, dutch(&turned, &rules), "{case}");
        let round = match round {
            Ok(round) => round,
            Err(PairingError::Impossible { left }) => {
                assert!(!left.is_empty(), "{case}");
                impossible += 1;
                continue;
            }
            Err(error) => panic!("{case}: {error}"),
        };
        let here: HashSet<u32> = entrants
            .iter()
            .filter(|e| e.here)
            .map(|e| e.number)
            .collect();
        let games = round
            .games
            .iter()
            .flat_map(|&(white, black)| [white, black]);
        let busy: Vec<u32> = games.chain(round.bye).collect();
        assert_eq!(busy.len(), here.len(), "{case}");
        assert_eq!(busy.iter().copied().collect::<HashSet<_>>(), here, "{case}");
        for &(white, black) in &round.games {
            let met = entrants[white as usize - 1].rounds.iter().any(
                |past| matches!(past.spent, Spent::Game { opponent, .. } if opponent == black),
            );
            assert!(!met, "{case}");
        }
    }
    assert!(impossible < 300, "{impossible}");
}
