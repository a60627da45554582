//! What levels see and what they overlook, and what they score against beginners of known habits. Strength is
//! measured by `examples/levels.rs` (docs/levels.md); here are bounds that only a bug exceeds.

#[allow(dead_code)]
mod sparring;

use husun_engine::{Engine, Level, Limits, Options};
use sparring::contest::{Contest, Player, Tally, Terms};
use std::error::Error;
use std::sync::atomic::AtomicBool;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn level(number: u8) -> Result<Level> {
    Ok(Level::new(number).ok_or("1 to 8")?)
}

/// How many times in a hundred a level makes a move.
fn makes(number: u8, game: &str, fen: &str, wanted: &str) -> Result<u32> {
    let variant = games::variant(game).ok_or("no such game")?;
    let position = variant.position(fen)?;
    let wanted = position.parse_uci(wanted)?;
    let mut engine = Engine::new(variant, Options::default());
    let mut made = 0;
    for seed in 0..100 {
        engine.set_options(Options {
            level: level(number)?,
            seed,
            ..Options::default()
        });
        let stop = AtomicBool::new(false);
        let found = engine.search(&position, &[], &Limits::nodes(2000), &stop, &mut |_| {});
        made += u32::from(found.best == Some(wanted));
    }
    Ok(made)
}

/// A queen to be taken: from nearby, and by the same piece from afar.
struct Row {
    game: &'static str,
    near: (&'static str, &'static str),
    far: (&'static str, &'static str),
}

const ROWS: [Row; 3] = [
    // A bishop along its diagonal.
    Row {
        game: "chess",
        near: ("k7/8/8/8/8/2q5/1B6/6K1 w - - 0 1", "b2c3"),
        far: ("k6q/8/8/8/8/8/8/B5K1 w - - 0 1", "a1h8"),
    },
    // A Giraffe, which bends on the next square.
    Row {
        game: "citadelir2024",
        near: ("11k/12/12/12/12/12/12/3q8/12/2G9/12/K11 w - - 0 1", "c3d5"),
        far: ("11k/12/3q8/12/12/12/12/12/12/2G9/12/K11 w - - 0 1", "c3d10"),
    },
    // A Cannon, which hops over a knight.
    Row {
        game: "citadelir2024",
        near: (
            "11k/12/12/12/12/12/12/12/1q10/1N10/1C10/K11 w - - 0 1",
            "b2b4",
        ),
        far: (
            "11k/12/1q10/12/12/12/12/12/12/1N10/1C10/K11 w - - 0 1",
            "b2b10",
        ),
    },
];

#[test]
fn what_is_far_is_overlooked_by_the_lower_levels() -> Result<()> {
    for Row { game, near, far } in ROWS {
        let taken = |number: u8, (fen, wanted): (&str, &str)| makes(number, game, fen, wanted);
        for row in [near, far] {
            assert_eq!(taken(8, row)?, 100, "{game} {row:?} at full strength");
        }
        for number in [1, 2] {
            let (close, distant) = (taken(number, near)?, taken(number, far)?);
            assert!(
                distant < 60 && distant < close,
                "level {number} of {game}: {close} near {near:?}, {distant} far {far:?}"
            );
        }
        assert!(taken(6, far)? > taken(1, far)?, "{game} {far:?}");
    }
    Ok(())
}

/// Nobody leaves a queen to an enemy's long move on purpose, and a player who does not see the move leaves it there.
#[test]
fn what_the_opponent_has_from_afar_is_overlooked_too() -> Result<()> {
    // The bishop on h8 aims at the queen on b2.
    let attacked = "k6b/8/8/8/p7/8/1Q6/6K1 w - - 0 1";
    let stays = |number: u8| -> Result<u32> {
        let variant = games::variant("chess").ok_or("chess")?;
        let position = variant.position(attacked)?;
        let mut engine = Engine::new(variant, Options::default());
        let mut hangs = 0;
        for seed in 0..100 {
            engine.set_options(Options {
                level: level(number)?,
                seed,
                ..Options::default()
            });
            let stop = AtomicBool::new(false);
            let found = engine.search(&position, &[], &Limits::nodes(2000), &stop, &mut |_| {});
            let m = found.best.ok_or("a move")?;
            let after = position.play_unchecked(m);
            hangs += u32::from(
                after
                    .find_move(|r| {
                        after
                            .captured(r)
                            .is_some_and(|(_, _, kind)| after.variant().piece(kind).letter == 'Q')
                    })
                    .is_some(),
            );
        }
        Ok(hangs)
    };
    assert_eq!(stays(8)?, 0);
    assert!(stays(1)? > 20, "{}", stays(1)?);
    Ok(())
}

#[test]
fn mates_are_seen_by_those_who_see_the_move() -> Result<()> {
    let mates = |number| makes(number, "chess", "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "a1a8");
    assert_eq!(mates(8)?, 100);
    assert!(mates(7)? >= 90);
    assert!(mates(1)? < 60);
    // One step away only the lowest level misses it.
    let near = |number| makes(number, "chess", "7k/5Q2/6K1/8/8/8/8/8 w - - 0 1", "f7g7");
    assert!(near(3)? > near(1)?);
    Ok(())
}

#[test]
fn a_level_plays_the_same_from_the_same_seed() -> Result<()> {
    let variant = games::variant("strike80").ok_or("strike80")?;
    let played = || -> Result<[f64; 2]> {
        let players = [
            Player::Level(level(1)?, 1000),
            Player::Level(level(2)?, 1000),
        ];
        Ok(Contest::new(&variant, players, Terms::default()).pair(3))
    };
    assert_eq!(played()?, played()?);
    Ok(())
}

/// Forty games each of chess, in seconds.
#[test]
fn level_1_loses_to_a_beginner_who_counts() -> Result<()> {
    let variant = games::variant("chess").ok_or("chess")?;
    let share = |first: Player, second: u8| -> Result<f64> {
        let players = [first, Player::Level(level(second)?, 1000)];
        let mut contest = Contest::new(&variant, players, Terms::default());
        let mut tally = Tally::default();
        for pair in 0..20 {
            tally.add(contest.pair(pair));
        }
        Ok(tally.share())
    };
    let counter = share(Player::Counter, 1)?;
    assert!((0.6..0.97).contains(&counter), "Counter {counter}");
    let grabber = share(Player::Grabber, 1)?;
    assert!((0.25..0.75).contains(&grabber), "Grabber {grabber}");
    let third = share(Player::Level(level(3)?, 1000), 1)?;
    assert!(third > 0.75, "level 3 {third}");
    Ok(())
}
