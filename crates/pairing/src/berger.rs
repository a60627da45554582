//! Round robins by the Berger tables (FIDE Handbook C.05, Annex 1): everybody meets everybody, with alternating
//! colours.

/// All rounds for `n` players, numbered from 0 where the tables number them from 1. A pair is White and Black, from
/// the first board. With an odd number, the opponent of the table's highest number is free: the player who is in no
/// pair of the round.
///
/// ```
/// let rounds = pairing::round_robin(4);
/// assert_eq!(rounds[0], [(0, 3), (1, 2)]);
/// assert_eq!(rounds[1], [(3, 2), (0, 1)]);
/// assert_eq!(rounds[2], [(1, 3), (2, 0)]);
/// ```
pub fn round_robin(n: usize) -> Vec<Vec<(usize, usize)>> {
    let even = n.next_multiple_of(2);
    let Some(last) = even.checked_sub(1).filter(|_| n > 1) else {
        return Vec::new();
    };
    // All but the last sit in a circle, which turns by half its length from round to round.
    let seat = |round: usize, i: usize| (round * (even / 2) + i) % last;
    let pair = |round: usize, i: usize| match i {
        0 if round.is_multiple_of(2) => (seat(round, 0), last),
        0 => (last, seat(round, 0)),
        i => (seat(round, i), seat(round, last - i)),
    };
    (0..last)
        .map(|round| {
            let pairs = (0..even / 2).map(|i| pair(round, i));
            pairs.filter(|&(a, b)| a.max(b) < n).collect()
        })
        .collect()
}

/// [`round_robin()`] twice, with colours reversed in the second half. The last two rounds of the first half are
/// swapped, as the handbook advises, so that nobody has one colour three times in a row where the halves meet.
pub fn double_round_robin(n: usize) -> Vec<Vec<(usize, usize)>> {
    let mut rounds = round_robin(n);
    let turned: Vec<Vec<(usize, usize)>> = rounds
        .iter()
        .map(|round| round.iter().map(|&(white, black)| (black, white)).collect())
        .collect();
    let len = rounds.len();
    if len > 2 {
        rounds.swap(len - 2, len - 1);
    }
    rounds.extend(turned);
    rounds
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// The handbook's table for seven or eight players.
    const EIGHT: [&str; 7] = [
        "1-8 2-7 3-6 4-5",
        "8-5 6-4 7-3 1-2",
        "2-8 3-1 4-7 5-6",
        "8-6 7-5 1-4 2-3",
        "3-8 4-2 5-1 6-7",
        "8-7 1-6 2-5 3-4",
        "4-8 5-3 6-2 7-1",
    ];

    fn text(round: &[(usize, usize)]) -> String {
        let pair = |&(white, black): &(usize, usize)| format!("{}-{}", white + 1, black + 1);
        round.iter().map(pair).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_table_is_that_of_the_handbook() {
        let rounds: Vec<String> = round_robin(8).iter().map(|r| text(r)).collect();
        assert_eq!(rounds, EIGHT);
        let six = [
            "1-6 2-5 3-4",
            "6-4 5-3 1-2",
            "2-6 3-1 4-5",
            "6-5 1-4 2-3",
            "3-6 4-2 5-1",
        ];
        let rounds: Vec<String> = round_robin(6).iter().map(|r| text(r)).collect();
        assert_eq!(rounds, six);
        let seven: Vec<String> = round_robin(7).iter().map(|r| text(r)).collect();
        assert_eq!(seven[0], "2-7 3-6 4-5");
        assert_eq!(seven[6], "5-3 6-2 7-1");
    }

    #[test]
    fn everybody_meets_everybody_once_and_colours_are_even() {
        assert!(round_robin(0).is_empty() && round_robin(1).is_empty());
        assert_eq!(round_robin(2), [[(0, 1)]]);
        for n in 2..60 {
            let rounds = round_robin(n);
            assert_eq!(rounds.len(), n - 1 + n % 2);
            let mut met = HashSet::new();
            let mut balance = vec![0i32; n];
            for round in &rounds {
                let mut busy = HashSet::new();
                for &(white, black) in round {
                    assert!(busy.insert(white) && busy.insert(black));
                    assert!(met.insert((white.min(black), white.max(black))));
                    balance[white] += 1;
                    balance[black] -= 1;
                }
                assert_eq!(busy.len(), n - n % 2);
            }
            assert_eq!(met.len(), n * (n - 1) / 2);
            assert!(balance.iter().all(|b| b.abs() <= 1), "{n}: {balance:?}");
        }
    }

    #[test]
    fn the_second_half_turns_the_colours() {
        for n in [2, 3, 6, 7, 10] {
            let rounds = double_round_robin(n);
            let mut met = HashSet::new();
            assert!(rounds.iter().flatten().all(|&pair| met.insert(pair)));
            assert_eq!(met.len(), n * (n - 1));
            for player in 0..n {
                let of = |round: &Vec<(usize, usize)>| {
                    let colour = |&(w, b): &(usize, usize)| {
                        (w == player || b == player).then_some(w == player)
                    };
                    round.iter().find_map(colour)
                };
                let colours: Vec<bool> = rounds.iter().filter_map(of).collect();
                let three = colours.windows(3).any(|w| w[0] == w[1] && w[1] == w[2]);
                assert!(!three, "{n}: {player} has {colours:?}");
            }
        }
    }
}
