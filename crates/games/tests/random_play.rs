//! Random play across all games: what is updated move by move equals what is computed anew, the legal moves equal the
//! slow twin's, texts round-trip, reflected positions have reflected moves, and taking back restores everything.

use husun::pos::Pos;
use husun::record::Record;
use husun::set::Set;
use husun::tables::Tables;
use husun::variant::StateFlag;
use husun::{
    CastlingRights, Game, Move, PackedMove, Position, Setup, Side, Special, Square, Variant,
    VisitPosition, Wing,
};
use std::collections::HashMap;
use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const GAMES: u64 = 20_000;
const LONGEST: usize = 120;

type Outcome = Result<(), Box<dyn Error + Send + Sync>>;

/// splitmix64.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }

    /// A legal move; often one of the rare kinds, if there are some.
    fn pick(&mut self, position: &Position) -> Option<Move> {
        let moves = position.legal_moves();
        let rare: Vec<Move> = moves
            .iter()
            .copied()
            .filter(|m| m.changes_kind() || m.special() != Special::None)
            .collect();
        let from = if !rare.is_empty() && self.below(4) == 0 {
            &rare
        } else {
            &moves
        };
        (!from.is_empty()).then(|| from[self.below(from.len())])
    }
}

/// A game whose set-up is that of another with top and bottom and the colours exchanged.
fn reflected_variant(variant: &Variant) -> Result<Arc<Variant>, Box<dyn Error + Send + Sync>> {
    let standard = husun_games::variant(variant.id())
        .ok_or("no such game")?
        .start();
    let mut setup = reflected_setup(variant, &standard.setup());
    setup.turn = Side::White;
    let text = format!(
        "id = \"reflected\"\ninherits = \"{}\"\n[setups]\nstandard = \"{}\"\n",
        variant.id(),
        reflected_text(&standard, &setup)?,
    );
    Ok(husun_games::parse("reflected.toml", &text)?)
}

/// Position text of an arrangement that the game itself may not allow as a position.
fn reflected_text(like: &Position, setup: &Setup) -> Result<String, Box<dyn Error + Send + Sync>> {
    Ok(Position::from_setup(like.variant(), setup)?.fen())
}

fn mirror(variant: &Variant, square: Square) -> Square {
    variant.frame().mirror(square).unwrap_or(square)
}

fn reflected_setup(variant: &Variant, setup: &Setup) -> Setup {
    let mut board = vec![None; setup.board.len()];
    for square in variant.frame().squares() {
        let piece = setup.piece_on(square);
        board[mirror(variant, square).index()] = piece.map(|(side, kind)| (side.opponent(), kind));
    }
    let mut rights = CastlingRights::default();
    for side in Side::ALL {
        for wing in Wing::ALL {
            if setup.rights.has(side, wing) {
                rights.add(side.opponent(), wing);
            }
        }
    }
    let flags = variant.state_flags();
    let mut state = 0;
    for (i, &(_, flag)) in flags.iter().enumerate() {
        let other = match flag {
            StateFlag::InPrison(side, kind) => StateFlag::InPrison(side.opponent(), kind),
            StateFlag::Castled(side) => StateFlag::Castled(side.opponent()),
            same => same,
        };
        if setup.state >> i & 1 != 0 {
            let place = flags.iter().position(|&(_, f)| f == other);
            state |= place.map_or(0, |p| 1 << p);
        }
    }
    let mut en_passant: Vec<Square> = setup
        .en_passant
        .iter()
        .map(|&s| mirror(variant, s))
        .collect();
    en_passant.sort();
    Setup {
        board,
        turn: setup.turn.opponent(),
        rights,
        en_passant,
        state,
        ..*setup
    }
}

fn check_reflection(position: &Position, reflected: &Arc<Variant>) -> Outcome {
    let variant = position.variant();
    let setup = reflected_setup(variant, &position.setup());
    let other = Position::from_setup(reflected, &setup)?;
    let name = |p: &Position, m: Move| p.uci(m).to_string();
    let mut wanted: Vec<(Square, Square, bool, String)> = position
        .legal_moves()
        .into_iter()
        .map(|m| {
            (
                mirror(variant, m.from()),
                mirror(variant, m.to()),
                m.changes_kind(),
                m,
            )
        })
        .map(|(f, t, c, m)| (f, t, c, format!("{:?} {:?}", m.placed(), m.special())))
        .collect();
    let mut found: Vec<(Square, Square, bool, String)> = other
        .legal_moves()
        .into_iter()
        .map(|m| {
            (
                m.from(),
                m.to(),
                m.changes_kind(),
                format!("{:?} {:?}", m.placed(), m.special()),
            )
        })
        .collect();
    wanted.sort();
    found.sort();
    if wanted != found {
        let list: Vec<String> = other
            .legal_moves()
            .into_iter()
            .map(|m| name(&other, m))
            .collect();
        return Err(format!("{position:?}\nreflected {other:?}: {list:?}").into());
    }
    assert_eq!(position.in_check(), other.in_check(), "{position:?}");
    Ok(())
}

/// The key that a move most likely leads to is the right one for every move that changes nothing but what stands where.
struct LikelyKeys(u64);

impl VisitPosition for LikelyKeys {
    type Output = ();

    fn visit<S: Set>(self, tables: &Arc<Tables<S>>, pos: &Pos<S>) {
        let mut moves = Vec::new();
        tables.legal_moves(pos, &mut moves);
        for m in moves {
            let next = tables.play_unchecked(pos, m);
            let plain = m.special() == Special::None
                && (next.rights(), next.state()) == (pos.rights(), pos.state());
            if plain {
                assert_eq!(
                    tables.likely_key(pos, m.packed()),
                    Some(next.key()),
                    "{m:?}"
                );
            }
        }
        // A number that is no move is no harm.
        let mut random = Random(self.0);
        for _ in 0..100 {
            let any = PackedMove::from_bits(random.below(1 << PackedMove::BITS) as u32);
            let _ = tables.likely_key(pos, any);
        }
        let _ = tables.likely_key(pos, PackedMove::from_bits(u32::MAX));
    }
}

fn check_position(position: &Position, all: bool, reflected: &Arc<Variant>) -> Outcome {
    let fen = position.fen();
    let again = position.variant().position(&fen)?;
    // The position read anew has its key and its en-passant squares computed from nothing.
    if again != *position || again.fen() != fen {
        return Err(format!("{position:?} read again is {again:?}").into());
    }
    if !all {
        return Ok(());
    }
    position.visit(LikelyKeys(position.key()));
    let mut fast = position.legal_moves();
    let mut slow = husun::twin::legal_moves(position);
    fast.sort();
    slow.sort();
    if fast != slow {
        return Err(format!("{position:?}\nfast {fast:?}\nslow {slow:?}").into());
    }
    assert_eq!(position.count_moves(), fast.len() as u64, "{position:?}");
    assert_eq!(
        position.in_check(),
        husun::twin::in_check(position),
        "{position:?}"
    );
    for &m in &fast {
        assert_eq!(
            position.play_unchecked(m).setup(),
            husun::twin::play(position, m),
            "{position:?} {m:?}"
        );
        assert_eq!(
            position.parse_uci(&position.uci(m).to_string()),
            Ok(m),
            "{position:?}"
        );
        assert_eq!(
            position.parse_san(&position.san_among(m, &fast)?),
            Ok(m),
            "{position:?}"
        );
    }
    check_reflection(position, reflected)
}

fn check_game(seed: u64, variant: &Arc<Variant>, reflected: &Arc<Variant>) -> Outcome {
    let mut random = Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d));
    let setup = random.below(variant.setups().len());
    let start = variant
        .start_of(&variant.setups()[setup].name)
        .ok_or("no set-up")?;
    let mut game = Game::new(start);
    let mut trail = vec![game.position().clone()];
    while game.outcome().is_none() && trail.len() <= LONGEST {
        check_position(game.position(), random.below(24) == 0, reflected)?;
        let Some(m) = random.pick(game.position()) else {
            break;
        };
        game.play(m)?;
        trail.push(game.position().clone());
    }
    let record = Record::of_game(&game);
    let text = record.to_raw()?.to_pgn()?;
    let find = |id: &str| (id == variant.id()).then(|| variant.clone());
    let again = Record::from_raw(&text.parse()?, find, String::new)?;
    assert_eq!(again.game().moves(), game.moves(), "{text}");
    assert_eq!(again.game().outcome(), game.outcome(), "{text}");
    while let Some(position) = trail.pop() {
        assert_eq!(*game.position(), position);
        if !trail.is_empty() {
            game.take_back()?;
        }
    }
    Ok(())
}

#[test]
fn random_games() -> Result<(), Box<dyn Error + Send + Sync>> {
    let count = match std::env::var("HUSUN_RANDOM_GAMES") {
        Ok(text) => text.parse()?,
        Err(_) => GAMES,
    };
    let mut variants = Vec::new();
    for id in husun_games::ids() {
        let variant = husun_games::variant(id).ok_or("no such game")?;
        let reflected = reflected_variant(&variant)?;
        variants.push((variant, reflected));
    }
    let next = AtomicU64::new(0);
    let work = || -> Outcome {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= count {
                return Ok(());
            }
            let (variant, reflected) = &variants[seed as usize % variants.len()];
            check_game(seed, variant, reflected)
                .map_err(|e| format!("{} game {seed}: {e}", variant.id()))?;
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        let handles: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let mut results = Vec::new();
        for handle in handles {
            results.push(handle.join().map_err(|_| "a thread panicked")?);
        }
        results.into_iter().collect()
    })
}

/// Every game has the named set-ups that its rules promise.
#[test]
fn named_setups() {
    let wanted = HashMap::from([("citadel8", "swapped"), ("citadel9", "swapped")]);
    for (id, setup) in wanted {
        let variant = husun_games::variant(id);
        assert!(
            variant.is_some_and(|v| v.start_of(setup).is_some()),
            "{id} {setup}"
        );
    }
}
