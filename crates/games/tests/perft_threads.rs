//! Counting with threads and a table of known counts gives the plain count.

use husun::perft::Perft;

#[test]
fn same_counts() {
    for id in husun_games::ids() {
        let Some(game) = husun_games::variant(id) else {
            unreachable!("{id} is a game")
        };
        let start = game.start();
        for depth in 0..=3 {
            let plain = start.perft(depth);
            for (threads, hash_mb) in [(1, 0), (2, 0), (1, 1), (3, 2)] {
                let perft = Perft { threads, hash_mb };
                assert_eq!(
                    perft.count(&start, depth),
                    plain,
                    "{id} {perft:?} depth {depth}"
                );
            }
        }
        let counts = Perft::default().divide(&start, 2);
        for (m, nodes) in counts {
            assert_eq!(start.play_unchecked(m).count_moves(), nodes, "{id}");
        }
    }
}
