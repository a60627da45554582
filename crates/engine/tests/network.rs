//! A network as a judge: driven through the search in every game, the same on every processor, the same for both sides
//! and both halves of the board; and its file, which is refused for every reason.

use husun::{CastlingRights, Position, Setup, Side, Square, Variant};
use husun_engine::network::{
    Identity, Layout, MOST_BYTES, Network, NetworkError, Origin, Scene, Weights,
};
use husun_engine::values::estimate;
use husun_engine::{Engine, Limits, Options, Random};
use positions::{all_games, random_positions, reflected};
use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

#[path = "../src/tests/positions.rs"]
mod positions;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Kings and rooks, and a piece that goes to one side only.
fn small(betza: &str) -> Result<Arc<Variant>> {
    let text = husun::doctest::MINI.replace("betza = \"R\"", &format!("betza = \"{betza}\""));
    Ok(Variant::parse("small.toml", &text)?)
}

fn random_network(game: &Variant, hidden: usize, seed: u64) -> Result<Network> {
    network_of(game, hidden, seed, false)
}

fn network_of(game: &Variant, hidden: usize, seed: u64, corrects: bool) -> Result<Network> {
    let mut random = Random::new(seed);
    let inputs = Layout::of(game).inputs();
    let mut some = |n: usize, reach: f64| -> Vec<f32> {
        let one = |_| ((2.0 * random.unit() - 1.0) * reach) as f32;
        (0..n).map(one).collect()
    };
    let weights = Weights {
        rows: some(inputs * hidden, 0.5),
        bias: some(hidden, 0.5),
        output: some(2 * hidden, 1.9),
        output_bias: 0.1,
        scale: 300.0,
        corrects,
    };
    let origin = Origin {
        game: game.id().into(),
        games: 3,
        positions: 200,
        settings: "numbers by chance".into(),
        date: "2026-11-24".into(),
    };
    Ok(Network::new(game, &weights, origin)?)
}

fn engine(game: &Arc<Variant>, network: &Network, options: Options) -> Engine {
    let network = Some(Arc::new(network.clone()));
    Engine::with_network(game.clone(), estimate(game), network, options)
}

/// What the network says of a position by the plain list of its inputs.
fn plainly(network: &Network, position: &Position) -> i32 {
    let setup = position.setup();
    let squares = position.variant().frame().squares();
    let piece = |s: Square| setup.piece_on(s).map(|(side, kind)| (side, kind, s));
    let scene = Scene {
        pieces: squares.filter_map(piece).collect(),
        rights: setup.rights,
        state: setup.state,
    };
    let [own, other] =
        [setup.turn, setup.turn.opponent()].map(|side| network.layout().active(side, &scene));
    network.evaluate([&own, &other])
}

fn evaluated(engine: &Engine, position: &Position) -> Result<i32> {
    Ok(engine.evaluate(position).ok_or("not judged")?.total)
}

/// With debug assertions every evaluation of the search is compared with one that is computed anew.
#[test]
fn a_network_is_driven_in_every_game() -> Result<()> {
    for game in all_games() {
        let network = random_network(&game, 16, 1)?;
        let mut fast = engine(&game, &network, Options::default());
        let mut plain = engine(&game, &network.clone().portable(), Options::default());
        for position in random_positions(&game, 4, 60) {
            let told = format!("{}: {}", game.id(), position.fen());
            let expected = plainly(&network, &position);
            let fades = position.halfmove() > 0;
            let found = evaluated(&fast, &position)?;
            assert!(fades || found == expected, "{told}: {found} {expected}");
            assert!(found.abs() <= expected.abs(), "{told}");
            let [one, other] = [&mut fast, &mut plain].map(|engine| {
                let stop = AtomicBool::new(false);
                engine.search(&position, &[], &Limits::nodes(1500), &stop, &mut |_| {})
            });
            assert_eq!(one, other, "{told}");
            assert!(one.best.is_some(), "{told}");
        }
    }
    Ok(())
}

/// The same beside the values: what both say is added up, on every line of the search.
#[test]
fn a_network_corrects_the_values() -> Result<()> {
    for game in all_games() {
        let network = network_of(&game, 16, 10, true)?;
        let read = Network::read(&game, &network.to_bytes(&game)?)?;
        assert!(read.corrects());
        let mut both = engine(&game, &read, Options::default());
        let values = Engine::new(game.clone(), Options::default());
        for position in random_positions(&game, 4, 60) {
            let told = format!("{}: {}", game.id(), position.fen());
            if position.halfmove() == 0 {
                let expected = plainly(&network, &position) + evaluated(&values, &position)?;
                assert_eq!(evaluated(&both, &position)?, expected, "{told}");
            }
            let stop = AtomicBool::new(false);
            let found = both.search(&position, &[], &Limits::nodes(1500), &stop, &mut |_| {});
            assert!(found.best.is_some(), "{told}");
        }
    }
    Ok(())
}

#[test]
fn every_size_gives_the_same_bits_on_every_processor() -> Result<()> {
    let game = games::variant("citadel9").ok_or("no such game")?;
    let positions = random_positions(&game, 40, 120);
    for hidden in [16, 48, 64, 128, 256] {
        let network = random_network(&game, hidden, 7)?;
        let portable = network.clone().portable();
        let all = positions.iter();
        let found: Vec<i32> = all.clone().map(|p| plainly(&network, p)).collect();
        let expected: Vec<i32> = all.map(|p| plainly(&portable, p)).collect();
        assert_eq!(found, expected, "{hidden}");
        assert!(found.iter().any(|&score| score != found[0]), "{hidden}");
    }
    Ok(())
}

#[test]
fn colours_are_judged_alike() -> Result<()> {
    for game in all_games() {
        let network = random_network(&game, 16, 2)?;
        for position in random_positions(&game, 30, 100) {
            // What was captured may be promoted to by one side alone, so that a reflected position may be impossible.
            let Ok(mirror) = reflected(&position) else {
                continue;
            };
            let told = format!("{}: {}", game.id(), position.fen());
            assert_eq!(
                plainly(&network, &position),
                plainly(&network, &mirror),
                "{told}"
            );
        }
    }
    Ok(())
}

/// The position reflected left to right, without castling rights, which only one half of the board has.
fn turned(position: &Position) -> Option<[Position; 2]> {
    let variant = position.variant();
    let frame = variant.frame();
    let old = Setup {
        rights: CastlingRights::default(),
        en_passant: Vec::new(),
        ..position.setup()
    };
    let mut board = vec![None; old.board.len()];
    for square in frame.squares() {
        let file = i32::from(frame.files() - 1 - frame.file(square));
        board[frame.at(file, i32::from(frame.rank(square)))?.index()] = old.piece_on(square);
    }
    let new = Setup {
        board,
        ..old.clone()
    };
    let both = [old, new].map(|setup| Position::from_setup(variant, &setup).ok());
    let [Some(old), Some(new)] = both else {
        return None;
    };
    Some([old, new])
}

#[test]
fn left_and_right_are_judged_alike_where_the_rules_are() -> Result<()> {
    let mut mirrored = Vec::new();
    for game in all_games() {
        let network = random_network(&game, 16, 3)?;
        if !network.layout().is_mirrored() {
            continue;
        }
        mirrored.push(game.id().to_owned());
        let mut compared = 0;
        for position in random_positions(&game, 60, 100) {
            let Some([old, new]) = turned(&position) else {
                continue;
            };
            // With as many royal pieces on the left as on the right, or none, the board is seen as it is from both.
            let frame = game.frame();
            let even = Side::ALL.iter().any(|&side| {
                let royals = frame.squares().filter(|&s| {
                    let piece = old.piece_on(s);
                    piece.is_some_and(|(own, kind)| own == side && game.piece(kind).royal)
                });
                let sides = royals.map(|s| {
                    (2 * i32::from(frame.file(s)) + 1 - i32::from(frame.files())).signum()
                });
                sides.sum::<i32>() == 0
            });
            if !even {
                compared += 1;
                let told = format!("{}: {}", game.id(), old.fen());
                assert_eq!(plainly(&network, &old), plainly(&network, &new), "{told}");
            }
        }
        assert!(compared > 0, "{}", game.id());
    }
    for id in ["chess", "capablanca", "grand", "shatranj"] {
        assert!(mirrored.iter().any(|own| own == id), "{id}: {mirrored:?}");
    }
    Ok(())
}

#[test]
fn one_piece_that_knows_left_from_right_forbids_mirroring() -> Result<()> {
    let mirrored = |betza: &str| -> Result<bool> { Ok(Layout::of(&*small(betza)?).is_mirrored()) };
    assert!(mirrored("R")? && mirrored("fbR")? && mirrored("lrRfF")?);
    assert!(!mirrored("fblR")? && !mirrored("frF")?);
    Ok(())
}

/// A man is on in two groups, whoever looks: that of its kind, and that of its kind on its rank.
#[test]
fn inputs_that_are_alike_are_a_kind_of_a_side_and_its_ranks() -> Result<()> {
    for game in all_games() {
        let (layout, frame) = (Layout::of(&game), game.frame());
        let groups = layout.alike();
        for (kind, side) in game.kinds().flat_map(|k| Side::ALL.map(|side| (k, side))) {
            for viewer in Side::ALL {
                let input = |square| {
                    let scene = Scene {
                        pieces: vec![(side, kind, square)],
                        rights: CastlingRights::default(),
                        state: 0,
                    };
                    usize::from(layout.active(viewer, &scene)[0])
                };
                for square in frame.squares() {
                    let of_it: Vec<_> = groups
                        .iter()
                        .filter(|group| group.contains(&input(square)))
                        .collect();
                    let [whole, on_rank] = of_it[..] else {
                        return Err(format!("{}: {} groups", game.id(), of_it.len()).into());
                    };
                    assert_eq!(whole.len(), frame.len());
                    let beside = |s: &Square| frame.rank(*s) == frame.rank(square);
                    let others: Vec<_> = frame.squares().filter(beside).map(input).collect();
                    assert_eq!(others.len(), on_rank.len());
                    assert!(others.iter().all(|other| on_rank.contains(other)));
                }
            }
        }
    }
    Ok(())
}

#[test]
fn a_file_holds_the_whole_network() -> Result<()> {
    let game = games::variant("strike80").ok_or("no such game")?;
    let network = random_network(&game, 32, 4)?;
    let bytes = network.to_bytes(&game)?;
    let read = Network::read(&game, &bytes)?;
    assert_eq!(read.to_bytes(&game)?, bytes);
    assert_eq!((read.origin(), read.hidden()), (network.origin(), 32));
    for position in random_positions(&game, 10, 60) {
        assert_eq!(plainly(&read, &position), plainly(&network, &position));
    }
    Ok(())
}

#[test]
fn a_damaged_file_is_refused() -> Result<()> {
    let game = small("R")?;
    let bytes = random_network(&game, 16, 5)?.to_bytes(&game)?;
    let read = |bytes: &[u8]| Network::read(&game, bytes).map(|_| ());
    assert_eq!(read(&bytes), Ok(()));
    for n in 0..bytes.len() {
        assert!(read(&bytes[..n]).is_err(), "{n} bytes of {}", bytes.len());
    }
    let changed = |at: usize, to: &[u8]| {
        let mut bytes = bytes.clone();
        bytes[at..at + to.len()].copy_from_slice(to);
        read(&bytes)
    };
    assert_eq!(changed(0, b"X"), Err(NetworkError::Magic));
    assert_eq!(changed(8, &[1, 0]), Err(NetworkError::Version { found: 1 }));
    let game_id = "mini".into();
    assert_eq!(
        changed(20, b"X"),
        Err(NetworkError::OtherGame { game: game_id })
    );
    // Where a game begins does not matter, what its pieces do does.
    let text = husun::doctest::MINI.replace("1k1r/4/4/R1K1", "1k1r/4/4/RK2");
    let elsewhere = Variant::parse("small.toml", &text)?;
    assert!(Network::read(&elsewhere, &bytes).is_ok());
    let other = Network::read(&*small("B")?, &bytes).map(|_| ());
    assert!(
        matches!(other, Err(NetworkError::OtherGame { .. })),
        "{other:?}"
    );
    assert_eq!(changed(42, &[0xff, 0xff]), Err(NetworkError::Origin));
    let origin = usize::from(u16::from_le_bytes([bytes[42], bytes[43]]));
    assert_eq!(changed(44, b"!"), Err(NetworkError::Origin));
    let hidden = 44 + origin + 2;
    for found in [0_u16, 8, 24, 272, u16::MAX] {
        let error = NetworkError::Hidden {
            found: found.into(),
        };
        assert_eq!(changed(hidden, &found.to_le_bytes()), Err(error));
    }
    let scale = changed(hidden + 2, &[0; 4]);
    assert_eq!(scale, Err(NetworkError::Scale { found: 0 }));
    let longer = [&bytes[..], &[0]].concat();
    let error = NetworkError::Length {
        found: bytes.len() + 1,
        expected: bytes.len(),
    };
    assert_eq!(read(&longer), Err(error));
    let mut long = bytes.clone();
    long.resize(MOST_BYTES + 1, 0);
    let found = MOST_BYTES + 1;
    assert_eq!(read(&long), Err(NetworkError::Long { found }));
    // Whatever stands in it, it is refused or judges.
    let mut random = Random::new(6);
    for _ in 0..2000 {
        let mut bytes = bytes.clone();
        let at = random.below(bytes.len() as u64) as usize;
        bytes[at] = random.below(256) as u8;
        if let Ok(network) = Network::read(&game, &bytes) {
            plainly(&network, &game.start());
        }
    }
    Ok(())
}

#[test]
fn the_largest_numbers_do_no_harm() -> Result<()> {
    let game = small("R")?;
    for reach in [i16::MIN, i16::MAX] {
        let mut bytes = random_network(&game, 256, 8)?.to_bytes(&game)?;
        let origin = usize::from(u16::from_le_bytes([bytes[42], bytes[43]]));
        let first = 44 + origin + 8;
        let outputs = bytes.len() - 4 - 512;
        for number in bytes[first..outputs].chunks_exact_mut(2) {
            number.copy_from_slice(&reach.to_le_bytes());
        }
        for output in [0x7f, 0x80] {
            bytes[outputs..outputs + 512].fill(output);
            let end = bytes.len();
            bytes[end - 4..].copy_from_slice(&i32::MAX.to_le_bytes());
            let network = Network::read(&game, &bytes)?;
            let portable = network.clone().portable();
            let start = game.start();
            assert_eq!(plainly(&network, &start), plainly(&portable, &start));
            assert!(plainly(&network, &start).abs() < 30_000);
        }
    }
    Ok(())
}

#[test]
fn impossible_weights_are_refused() -> Result<()> {
    let game = small("R")?;
    let hidden = 16;
    let inputs = Layout::of(&game).inputs();
    let weights = |rows: usize, hidden: usize| Weights {
        rows: vec![0.0; rows],
        bias: vec![0.0; hidden],
        output: vec![0.0; 2 * hidden],
        output_bias: 0.0,
        scale: 250.0,
        corrects: false,
    };
    let new = |weights: &Weights, origin| Network::new(&game, weights, origin).map(|_| ());
    let origin = Origin::default();
    assert_eq!(
        new(&weights(inputs * hidden, hidden), origin.clone()),
        Ok(())
    );
    let found = new(&weights(inputs * hidden + 1, hidden), origin.clone());
    assert!(matches!(found, Err(NetworkError::Length { .. })));
    let found = new(&weights(inputs * 20, 20), origin.clone());
    assert_eq!(found, Err(NetworkError::Hidden { found: 20 }));
    let chatty = Origin {
        settings: "x".repeat(5000),
        ..origin
    };
    let found = new(&weights(inputs * hidden, hidden), chatty);
    assert_eq!(found, Err(NetworkError::Origin));
    Ok(())
}

#[test]
fn only_what_changes_play_changes_the_hash() -> Result<()> {
    let base = Identity::of(&*small("R")?);
    let of = |from: &str, to: &str| -> Result<Identity> {
        assert!(husun::doctest::MINI.contains(from), "{from}");
        let text = husun::doctest::MINI.replace(from, to);
        Ok(Identity::of(&*Variant::parse("small.toml", &text)?))
    };
    assert_eq!(
        of(
            "name = \"Mini\"",
            "name = \"Tiny\"\nclock = \"tiger:120m+60s\""
        )?,
        base
    );
    assert_ne!(Identity::of(&*small("B")?), base);
    assert_ne!(of("1k1r/4/4/R1K1", "1k1r/4/4/RK2")?, base);
    assert_ne!(of("R1K1 w", "R1K1 b")?, base);
    assert_ne!(
        of("[setups]", "[endings]\nstalemate = \"win\"\n[setups]")?,
        base
    );
    let all: Vec<_> = all_games().map(|game| Identity::of(&game)).collect();
    for (i, one) in all.iter().enumerate() {
        assert!(!all[..i].contains(one));
    }
    // Some have the same rules from another start: two forms of Citadelir, Strike and Crossfire.
    let kin = |id: &str| -> Result<usize> {
        let game = games::variant(id).ok_or("no such game")?;
        let own = Identity::apart_from_start(&game);
        Ok(all_games()
            .filter(|game| Identity::apart_from_start(game) == own)
            .count())
    };
    assert_eq!([kin("citadelir2020")?, kin("citadelir2020-drawn")?], [2, 2]);
    assert_eq!([kin("citadelir2020-played")?, kin("chess")?], [1, 1]);
    Ok(())
}

#[test]
fn a_network_is_used_unless_it_is_switched_off() -> Result<()> {
    let game = games::variant("chess").ok_or("no such game")?;
    let network = random_network(&game, 16, 9)?;
    let off = Options {
        network: false,
        ..Options::default()
    };
    let position = &random_positions(&game, 1, 30)[0];
    let handmade = Engine::new(game.clone(), Options::default());
    let expected = evaluated(&handmade, position)?;
    let mut engine = engine(&game, &network, Options::default());
    assert_ne!(evaluated(&engine, position)?, expected);
    assert_eq!(engine.evaluate(position).ok_or("not judged")?.parts, None);
    engine.set_options(off);
    assert_eq!(evaluated(&engine, position)?, expected);
    engine.set_options(Options::default());
    assert_ne!(evaluated(&engine, position)?, expected);
    // One that does not fit is as good as none.
    let bytes = network.to_bytes(&game)?;
    let other = games::variant("shatranj").ok_or("no such game")?;
    assert!(
        Engine::tuned(other, None, Some(&bytes), Options::default())
            .network()
            .is_none()
    );
    assert!(
        Engine::tuned(game, None, Some(&bytes), Options::default())
            .network()
            .is_some()
    );
    Ok(())
}

/// Every network that is built in fits its game as it is now, and all together are small.
#[test]
fn built_in_networks_fit_their_games() -> Result<()> {
    let mut bytes = 0;
    for game in all_games() {
        let Some(network) = games::network(game.id()) else {
            continue;
        };
        bytes += network.len();
        let network = Network::read(&game, network).map_err(|e| format!("{}: {e}", game.id()))?;
        assert_eq!(network.origin().game, game.id());
    }
    assert!(bytes < 8 << 20, "{bytes} bytes");
    Ok(())
}
