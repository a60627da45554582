//! Random play of every game: the fast generator against its slow twin.

use husun::moves::Special;
use husun::{Position, Variant};
use std::sync::Arc;

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

/// Random play of a game beside its slow twin.
fn play_beside_twin(game: &Arc<Variant>) {
    let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ game.id().len() as u64);
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

#[test]
fn random_play() {
    for id in husun_games::ids() {
        let Some(game) = husun_games::variant(id) else {
            unreachable!("{id} is a game")
        };
        play_beside_twin(&game);
    }
}

/// Random play of a game by code compiled for the processor found at run time and by code that runs on any.
fn play_both(game: &Arc<Variant>) {
    let portable = game.portable();
    let id = game.id();
    let mut random = Random(0x2545_f491_4f6c_dd1d ^ id.len() as u64);
    let (mut fast, mut slow) = (game.start(), portable.start());
    assert_eq!(fast.perft(3), slow.perft(3), "{id}");
    for ply in 0..PLIES {
        let moves = fast.legal_moves();
        assert_eq!(moves, slow.legal_moves(), "{fast:?}");
        assert_eq!(fast.count_moves(), slow.count_moves(), "{fast:?}");
        assert_eq!(fast.in_check(), slow.in_check(), "{fast:?}");
        if ply % 16 == 0 {
            assert_eq!(fast.perft(2), slow.perft(2), "{fast:?}");
        }
        if moves.is_empty() || fast.fullmove() > 120 {
            (fast, slow) = (game.start(), portable.start());
            continue;
        }
        let m = moves[random.below(moves.len())];
        (fast, slow) = (fast.play_unchecked(m), slow.play_unchecked(m));
        assert_eq!(fast.setup(), slow.setup(), "{fast:?}");
    }
}

#[test]
fn portable_agrees() {
    for id in husun_games::ids() {
        let Some(game) = husun_games::variant(id) else {
            unreachable!("{id} is a game")
        };
        play_both(&game);
    }
}

/// Games that differ from a built-in one by a single thing that takes time to look for, so that a copy of the generator
/// compiled without it would be seen to miss it.
#[test]
fn what_a_game_has_is_looked_for() {
    let two_kings = r#"
setups.standard = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKENR w - - 0 1"
without = ["castling"]
pieces = [{ letter = "E", name = "Elder", betza = "K", royal = true }]
"#;
    let changes = [
        (
            "a rider",
            "chess",
            r#"pieces = [{ letter = "N", betza = "NN" }]"#.into(),
        ),
        (
            "a hopper",
            "chess",
            r#"pieces = [{ letter = "B", betza = "mBcpB" }]"#.into(),
        ),
        (
            "a bent rider",
            "chess",
            r#"pieces = [{ letter = "N", betza = "FyafsF" }]"#.into(),
        ),
        (
            "several royal pieces",
            "chess",
            format!("{two_kings}\nroyals = {{ several = true }}"),
        ),
        (
            "royal pieces apart",
            "chess",
            r#"
royals = { apart = true }
pieces = [{ letter = "K", betza = "N" }]"#
                .into(),
        ),
        (
            "a royal piece that slides",
            "chess",
            r#"pieces = [{ letter = "K", betza = "KR3" }]"#.into(),
        ),
        (
            "a royal piece that takes otherwise",
            "chess",
            r#"pieces = [{ letter = "K", betza = "KmDcA" }]"#.into(),
        ),
        (
            "citadels",
            "chess",
            r#"citadels = { squares = ["h8"] }"#.into(),
        ),
        (
            "citadels that others may not enter",
            "chess",
            r#"citadels = { squares = ["e8"], entry = "royal" }"#.into(),
        ),
        (
            "steps with other differences of number",
            "chess",
            r#"
board = { files = 8, ranks = 10, missing = ["a1-a2", "d5"] }
setups.standard = "rnbqkbnr/pppppppp/8/8/8/3*4/8/PPPPPPPP/*NBQKBNR/*7 w - - 0 1"
without = ["castling", "promotion", "initial"]"#
                .into(),
        ),
        (
            "leaps that only move or only take",
            "chess",
            r#"pieces = [{ letter = "N", betza = "mNcD" }]"#.into(),
        ),
        (
            "slides that only move",
            "chess",
            r#"pieces = [{ letter = "B", betza = "mBcR" }]"#.into(),
        ),
        (
            "ways that overlap",
            "chess",
            r#"pieces = [{ letter = "B", betza = "BFB3" }]"#.into(),
        ),
        (
            "a piece that promotes",
            "chess",
            r#"promotion = { pieces = ["P", "N"], to = ["Q", "R", "B"], mandatory_ranks = [8] }"#
                .into(),
        ),
        (
            "a pawn that rides",
            "chess",
            r#"
pieces = [{ letter = "P", betza = "mfW3cfF" }]
without = ["initial"]"#
                .into(),
        ),
        (
            "a castle",
            "chess",
            r#"
setups.standard = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - - 0 1"
traverse = { piece = "K", becomes = "E", squares = ["c1-g1", "d2-f2"] }
pieces = [{ letter = "E", name = "Elder", betza = "KN", royal = true }]"#
                .into(),
        ),
        ("a castle and a crowning", "strike80", "".into()),
    ];
    for (what, base, change) in changes {
        let id = what.replace(' ', "-");
        let text = format!("id = \"{id}\"\ninherits = \"{base}\"\n{change}\n");
        let game = match husun_games::parse("own.toml", &text) {
            Ok(game) => game,
            Err(e) => panic!("{what}: {e}"),
        };
        play_both(&game);
        play_beside_twin(&game);
    }
}

/// Castlings beside what may attack their squares: those of chess, which are judged along with the King's steps, likewise of a
/// King that may also leap to where it castles, and some whose partner leaves a line open behind it.
#[test]
fn castlings_under_attack() {
    let leaping = r#"
id = "leaping"
inherits = "chess"
pieces = [{ letter = "K", betza = "KD" }]
"#;
    let inner = r#"
id = "inner"
inherits = "chess"
[castling]
piece = "K"
partner = "R"
from = "d1"
east = { to = "f1", partner_from = "g1", partner_to = "e1" }
west = { to = "b1", partner_from = "b1", partner_to = "c1" }
[setups]
standard = "1r1k2r1/8/8/8/8/8/8/1R1K2R1 w KQkq - 0 1"
"#;
    let [leaping, inner] = [leaping, inner]
        .map(|text| husun_games::parse("own.toml", text).unwrap_or_else(|e| panic!("{e}")));
    let Some(chess) = husun_games::variant("chess") else {
        unreachable!("chess is a game")
    };
    let games = [
        (chess, "R...K..R"),
        (leaping, "R...K..R"),
        (inner, ".R.K..R."),
    ];
    for (game, home) in games {
        let mut castlings = 0;
        for attacker in ["q", "r", "b", "n", "p"] {
            for at in 0..24 {
                // The three lower ranks, the highest first.
                let mut ranks = format!("{}{home}", ".".repeat(16));
                if !ranks[at..].starts_with('.') || (attacker == "p" && at >= 16) {
                    continue;
                }
                ranks.replace_range(at..=at, attacker);
                let (third, rest) = ranks.split_at(8);
                let (second, first) = rest.split_at(8);
                let board = format!("7k/7p/8/8/8/{third}/{second}/{first}");
                let board = (1..=8)
                    .rev()
                    .fold(board, |b, n| b.replace(&".".repeat(n), &n.to_string()));
                let position = match game.position(&format!("{board} w KQ - 0 1")) {
                    Ok(position) => position,
                    Err(e) => panic!("{board}: {e}"),
                };
                compare(&position);
                let moves = position.legal_moves().into_iter();
                let castles = moves
                    .filter(|m| matches!(m.special(), Special::CastleEast | Special::CastleWest));
                castlings += castles.count();
            }
        }
        assert!(castlings > 60, "{}: {castlings} castlings", game.id());
    }
}
