//! How long rounds of large Swiss tournaments take: figures with `--nocapture`, and a bound that only a gross error
//! breaks.

use pairing::{Colour, Entrant, PairingError, Past, Rules, Spent, dutch};
use std::time::{Duration, Instant};

/// Plays a tournament in which the stronger player mostly wins; says how long each round took to pair.
fn tournament(size: u32, rounds: usize) -> Result<Vec<Duration>, PairingError> {
    let rules = Rules {
        rounds,
        ..Rules::default()
    };
    let entrant = |number| Entrant {
        number,
        score: 0,
        here: true,
        rounds: Vec::new(),
    };
    let mut entrants: Vec<Entrant> = (1..=size).map(entrant).collect();
    let mut dice = 88172645463325252u64;
    let mut took = Vec::new();
    for _ in 0..rounds {
        let began = Instant::now();
        let round = dutch(&entrants, &rules)?;
        took.push(began.elapsed());
        for (white, black) in round.games {
            dice ^= dice << 13;
            dice ^= dice >> 7;
            dice ^= dice << 17;
            let points = match dice % 10 {
                0..=2 => [1, 1],
                3 => [0, 2],
                _ if white < black => [2, 0],
                _ => [0, 2],
            };
            let colours = [Colour::White, Colour::Black];
            for ((own, opponent), (points, colour)) in [(white, black), (black, white)]
                .into_iter()
                .zip(points.into_iter().zip(colours))
            {
                let entrant = &mut entrants[own as usize - 1];
                entrant.score += points;
                let spent = Spent::Game { opponent, colour };
                entrant.rounds.push(Past { spent, points });
            }
        }
        if let Some(number) = round.bye {
            let entrant = &mut entrants[number as usize - 1];
            entrant.score += 2;
            entrant.rounds.push(Past {
                spent: Spent::Bye,
                points: 2,
            });
        }
    }
    Ok(took)
}

#[test]
fn large_tournaments_are_paired_in_good_time() -> Result<(), PairingError> {
    for (size, rounds, bound) in [(50, 9, 5), (201, 9, 20), (1000, 5, 120)] {
        let took = tournament(size, rounds)?;
        println!("{size} players: {took:?}");
        assert!(took.iter().sum::<Duration>() < Duration::from_secs(bound));
    }
    Ok(())
}
