//! Random play of every game: the fast generator against its slow twin.

use husun::Position;
use husun::moves::Special;

/// Plies of random play of each game.
const PLIES: u32 = 400;

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }
}

/// Compares moves, checks and the positions after all moves.
fn compare(position: &Position) {
    let mut fast = position.legal_moves();
    let mut slow = husun::twin::legal_moves(position);
    fast.sort();
    slow.sort();
    assert_eq!(fast, slow, "{position:?}");
    assert_eq!(position.count_moves(), fast.len() as u64, "{position:?}");
    assert_eq!(
        position.in_check(),
        husun::twin::in_check(position),
        "{position:?}"
    );
}

#[test]
fn random_play() {
    for id in husun_games::ids() {
        let Some(game) = husun_games::variant(id) else {
            unreachable!("{id} is a game")
        };
        let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ id.len() as u64);
        let mut position = game.start();
        for _ in 0..PLIES {
            compare(&position);
            let moves = position.legal_moves();
            if moves.is_empty() || position.fullmove() > 120 {
                position = game.start();
                continue;
            }
            // Rare moves are taken where there are some.
            let rare = moves.iter().find(|m| {
                m.changes_kind() || !matches!(m.special(), Special::None | Special::InitialStep)
            });
            let m = match rare {
                Some(&m) if random.below(3) == 0 => m,
                _ => moves[random.below(moves.len())],
            };
            let next = position.play_unchecked(m);
            assert_eq!(
                next.setup(),
                husun::twin::play(&position, m),
                "{position:?} after {}",
                position.uci(m)
            );
            position = next;
        }
    }
}

/// Code compiled for the processor found at run time agrees with code that runs on any.
#[test]
fn portable_agrees() {
    for id in husun_games::ids() {
        let Some(game) = husun_games::variant(id) else {
            unreachable!("{id} is a game")
        };
        let portable = game.portable();
        let mut random = Random(0x2545_f491_4f6c_dd1d ^ id.len() as u64);
        let (mut fast, mut slow) = (game.start(), portable.start());
        assert_eq!(fast.perft(3), slow.perft(3), "{id}");
        for _ in 0..PLIES {
            let moves = fast.legal_moves();
            assert_eq!(moves, slow.legal_moves(), "{fast:?}");
            assert_eq!(fast.count_moves(), slow.count_moves(), "{fast:?}");
            assert_eq!(fast.in_check(), slow.in_check(), "{fast:?}");
            if moves.is_empty() || fast.fullmove() > 120 {
                (fast, slow) = (game.start(), portable.start());
                continue;
            }
            let m = moves[random.below(moves.len())];
            (fast, slow) = (fast.play_unchecked(m), slow.play_unchecked(m));
            assert_eq!(fast.setup(), slow.setup(), "{fast:?}");
        }
    }
}
