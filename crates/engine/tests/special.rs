//! Positions that only a special rule decides: a short search finds the move, and in the same game without the
//! rule it does not. Ordinary mates are in `mates.rs`.

use husun::{Game, Reason, Variant};
use husun_engine::{Engine, Limits, Options, Score, SearchResult};
use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn search(
    game: Arc<Variant>,
    fen: &str,
    depth: u32,
    options: Options,
) -> Result<(String, SearchResult)> {
    let position = game.position(fen)?;
    let mut engine = Engine::new(game, options);
    let stop = AtomicBool::new(false);
    let found = engine.search(&position, &[], &Limits::depth(depth), &stop, &mut |_| {});
    let best = found.best.map(|m| position.uci(m).to_string());
    Ok((best.unwrap_or_default(), found))
}

fn solve(id: &str, fen: &str, depth: u32, options: Options) -> Result<(String, SearchResult)> {
    search(
        games::variant(id).ok_or("no such game")?,
        fen,
        depth,
        options,
    )
}

/// What a search says about a position.
#[derive(Clone, Copy, Debug)]
enum Says {
    /// This score.
    Exactly(Score),
    /// A forced loss.
    Lost,
    /// No forced win.
    NotWon,
    /// No forced loss.
    NotLost,
}

impl Says {
    fn holds(self, score: Score) -> bool {
        match self {
            Says::Exactly(expected) => score == expected,
            Says::Lost => matches!(score, Score::Mate(n) if n <= 0),
            Says::NotWon => !matches!(score, Score::Mate(n) if n > 0),
            Says::NotLost => !matches!(score, Score::Mate(n) if n <= 0),
        }
    }
}

/// A position that a special rule decides.
struct Row {
    /// Why the engine could not find the move without the rule.
    why: &'static str,
    game: &'static str,
    fen: &'static str,
    depth: u32,
    /// The move; any if empty.
    best: &'static str,
    says: Says,
    /// The same game without the rule, as what a game file adds to the inherited game, and what the search says
    /// there. A field for the state of the omitted rule goes with it.
    without: (&'static str, Says),
}

const NO_TRAVERSE: &str = "without = [\"traverse\", \"crowning\"]\n[setups]\n\
    standard = \"bsinqknpsb/ffffffffff/10/10/10/10/FFFFFFFFFF/BSINQKNPSB w KQkq - 0 1\"";
const NO_CROWNING: &str = "without = [\"crowning\"]";
const NO_PRISON: &str = "without = [\"prison\", \"setups.swapped\"]\n[setups]\n\
    standard = \"whsbkgshw/ppppppppp/9/9/9/9/PPPPPPPPP/WHSTKMSHW w KQkq - 0 1\"";
const STALEMATE_DRAWS: &str = "[endings]\nstalemate = \"draw\"\nmove_rule = 140";
const NO_CITADELS: &str = "without = [\"citadels\"]";
const BARE_KINGS_PLAY_ON: &str = "[endings]\nstalemate = \"win\"\nmove_rule = 140";

const ROWS: &[Row] = &[
    Row {
        why: "the last black man goes and the King is bared; a King and a Rook more would have to mate first",
        game: "shatranj",
        fen: "7k/8/8/8/8/2n5/8/K1R5 w - - 0 1",
        depth: 4,
        best: "c1c3",
        says: Says::Exactly(Score::Mate(1)),
        without: (BARE_KINGS_PLAY_ON, Says::NotWon),
    },
    Row {
        why: "the King is left without a move and without check; a mate takes two moves",
        game: "alhusun",
        fen: "1**********1/*3k6*/*10*/*3K6*/*7N2*/*10*/*10*/*2R7*/*10*/*10*/*10*/1**********1 w - - 0 1",
        depth: 4,
        best: "",
        says: Says::Exactly(Score::Mate(1)),
        without: (STALEMATE_DRAWS, Says::Exactly(Score::Mate(2))),
    },
    Row {
        why: "three Rooks leave the King no move that holds but the step into the opposite citadel",
        game: "alhusun",
        fen: "1**********1/*K9*/*10*/*10*/*10*/*4k5*/*10*/*10*/*10*/*3r6*/*rr8*/1**********1 w - - 0 1",
        depth: 4,
        best: "b11a12",
        says: Says::Exactly(Score::Cp(0)),
        without: (NO_CITADELS, Says::Lost),
    },
    Row {
        why: "every step is mated at once; across her Castle she takes a Serviceman, out of reach of the others",
        game: "strike80",
        fen: "10/10/4k5/9q/10/b9/n3Q5/6b3 w - - - 0 1",
        depth: 5,
        best: "e2g1e",
        says: Says::NotLost,
        without: (NO_TRAVERSE, Says::Lost),
    },
    Row {
        why: "no step of the Queen holds longer than two moves; the Traverse out of check does",
        game: "strike80",
        fen: "2b7/10/k9/3q6/2n7/10/4b5/6Q3 w - - - 0 1",
        depth: 5,
        best: "g1e2e",
        says: Says::NotLost,
        without: (NO_TRAVERSE, Says::Lost),
    },
    Row {
        why: "no move mates, but the King made an Emperor attacks like a Knight as well, and that is mate",
        game: "strike80",
        fen: "6e3/10/5K4/10/10/4b5/10/3B1Q4 w - - ! 0 1",
        depth: 4,
        best: "f1f1",
        says: Says::Exactly(Score::Mate(1)),
        without: (NO_CROWNING, Says::NotWon),
    },
    Row {
        why: "a King alone cannot mate the Empress; as an Emperor, made in lieu of a move, he does",
        game: "strike80",
        fen: "5e4/10/4K5/10/10/10/10/5Q4 w - - ! 0 1",
        depth: 4,
        best: "f1f1",
        says: Says::Exactly(Score::Mate(1)),
        without: (NO_CROWNING, Says::NotWon),
    },
    Row {
        why: "the Prince-Royal is mated in two, but for the Chief Commander who can be released",
        game: "citadel8",
        fen: "9/5P3/9/1k1hw4/9/p1w6/7K1/9 w - - CY 0 1",
        depth: 5,
        best: "",
        says: Says::NotLost,
        without: (NO_PRISON, Says::Lost),
    },
];

/// The game without the rule, and the position without the state that only the rule has.
fn without(row: &Row) -> Result<(Arc<Variant>, String)> {
    let text = format!(
        "id = \"changed\"\ninherits = \"{}\"\n{}",
        row.game, row.without.0
    );
    let game = games::parse("changed.toml", &text)?;
    if game.position(row.fen).is_ok() {
        return Ok((game, row.fen.into()));
    }
    let mut fields: Vec<&str> = row.fen.split(' ').collect();
    let standard = game.start().fen();
    match standard.split(' ').count() == fields.len() {
        true => fields[4] = "-",
        false => drop(fields.remove(4)),
    }
    Ok((game, fields.join(" ")))
}

#[test]
fn special_rules() -> Result<()> {
    for row in ROWS {
        let (best, found) = solve(row.game, row.fen, row.depth, Options::default())?;
        let told = format!("{} {}: {best} {}", row.game, row.fen, found.score);
        println!("{told}: {}", row.why);
        assert!(row.best.is_empty() || best == row.best, "{told}");
        assert!(row.says.holds(found.score), "{told}: {:?}", row.says);
        let (game, fen) = without(row)?;
        let (best, found) = search(game, &fen, row.depth, Options::default())?;
        let says = row.without.1;
        assert!(
            says.holds(found.score),
            "{told}; without the rule {best} {}: {says:?}",
            found.score
        );
    }
    Ok(())
}

/// Both ways win in two moves: taking the younger Prince at once and mating the elder (3 points), or a quiet move first,
/// after which the taking itself is mate, a Green Gem (5 points).
#[test]
fn a_green_gem_is_worth_more_than_a_mate() -> Result<()> {
    let game = games::variant("citadel8").ok_or("no such game")?;
    let start = game.position("9/k8/2K6/W7W/7h1/y4p3/9/3W5 w - - CYc 0 1")?;
    let mut engine = Engine::new(game, Options::default());
    let stop = AtomicBool::new(false);
    for (points, first, reason, won) in [
        (false, "a5a3", Reason::Checkmate, 3.0),
        (true, "d1b1", Reason::GreenGem, 5.0),
    ] {
        let options = Options {
            points,
            ..Options::default()
        };
        engine.set_options(options);
        engine.clear();
        let mut played = Game::new(start.clone());
        while played.outcome().is_none() {
            let position = played.position();
            let found = engine.search(position, &[], &Limits::depth(7), &stop, &mut |_| {});
            let m = found.best.ok_or("no move")?;
            if played.moves().is_empty() {
                assert_eq!(position.uci(m).to_string(), first);
                assert_eq!(found.score, Score::Mate(2), "{first}");
            }
            played.play(m)?;
        }
        let end = played.outcome().ok_or("no end")?;
        assert_eq!((end.reason, end.points), (reason, [won, 0.0]));
        assert_eq!(played.moves().len(), 3);
    }
    Ok(())
}

#[test]
fn a_queen_mates() -> Result<()> {
    let (best, found) = solve(
        "chess",
        "7k/8/5K2/6Q1/8/8/8/8 w - - 0 1",
        5,
        Options::default(),
    )?;
    assert_eq!((best.as_str(), found.score), ("g5g7", Score::Mate(1)));
    Ok(())
}

/// Positions in which every legal move is optional: whether declining to move saves the game.
const OPTIONAL: &[(&str, bool)] = &[
    // Not in check: to accept is a draw, and the Traverse loses.
    ("10/10/1b8/10/10/7k1q/1nf4b2/6Q3 w - - - 0 1", true),
    ("4k5/10/6f3/10/10/2f2n1b2/1b7q/5Q4 w - - - 0 1", true),
    ("10/4b5/8qk/10/10/3n6/6b3/3Q6 w - - - 0 1", true),
    // In check: to accept is to be mated, and the Traverse holds, or holds longer.
    ("3n6/4b3b1/6F3/10/10/10/4k5/4Q2N1q w - - - 0 1", false),
    ("10/2N1n5/6q3/10/10/4F5/9b/4b1Q3 w - - - 0 1", false),
    ("10/b2b6/10/10/5n3q/2k1f5/8F1/3Q6 w - - - 0 1", false),
];

#[test]
fn accepting_saves_or_loses() -> Result<()> {
    let game = games::variant("strike80").ok_or("no such game")?;
    for &(fen, saves) in OPTIONAL {
        let position = game.position(fen)?;
        assert!(position.can_accept(), "{fen}");
        assert_eq!(position.in_check(), !saves, "{fen}");
        let (best, found) = search(game.clone(), fen, 7, Options::default())?;
        assert_eq!(found.accept, saves, "{fen}: {best} {}", found.score);
        // The moves themselves lose where accepting saves; where it does not, one is played.
        assert!(
            !saves || Says::Lost.holds(found.score),
            "{fen}: {best} {}",
            found.score
        );
        assert!(position.parse_uci(&best).is_ok(), "{fen}: {best}");
    }
    Ok(())
}

#[test]
fn accepting_a_stalemate_that_loses_is_no_way_out() -> Result<()> {
    let text = "id = \"changed\"\ninherits = \"strike80\"\n[endings]\nstalemate = \"win\"\nbare_royals = true";
    let game = games::parse("changed.toml", text)?;
    for &(fen, _) in OPTIONAL {
        let position = game.position(fen)?;
        assert!(position.can_accept(), "{fen}");
        let (best, found) = search(game.clone(), fen, 7, Options::default())?;
        assert!(!found.accept, "{fen}: {best} {}", found.score);
        assert!(position.parse_uci(&best).is_ok(), "{fen}: {best}");
    }
    Ok(())
}
