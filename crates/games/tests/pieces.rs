//! What is said about pieces: their targets are those of the move generator, and their sentences say what they do.

use husun::{Act, Position, Side, Square, Variant};
use std::collections::BTreeSet;
use std::error::Error;
use std::sync::Arc;

type Outcome = Result<(), Box<dyn Error>>;

fn all() -> impl Iterator<Item = Arc<Variant>> {
    husun_games::ids().filter_map(husun_games::variant)
}

/// Positions of a random game, the same in every run.
fn walk(variant: &Arc<Variant>, seed: u64) -> Vec<Position> {
    let mut position = variant.start();
    let mut state = seed;
    let mut seen = vec![position.clone()];
    for _ in 0..60 {
        let moves = position.legal_moves();
        let Some(last) = moves.len().checked_sub(1) else {
            break;
        };
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        position = position.play_unchecked(moves[(state >> 33) as usize % (last + 1)]);
        seen.push(position.clone());
    }
    seen
}

#[test]
fn targets_of_a_way_of_moving_are_its_reach() {
    for variant in all() {
        for position in walk(&variant, 7).iter().step_by(12) {
            let standing = |s| position.piece_on(s).map(|(side, _)| side);
            for from in variant.frame().squares() {
                let Some((side, kind)) = position.piece_on(from) else {
                    continue;
                };
                let reach = variant.reach(side, kind, from, standing);
                let targets = variant.targets(side, kind, from, standing);
                let of = |capture| -> BTreeSet<Square> {
                    let own = targets.iter().filter(|t| t.act != Some(Act::Traverse));
                    own.filter(|t| t.capture == capture).map(|t| t.to).collect()
                };
                let told = format!("{} {from:?}", position.fen());
                assert_eq!(of(false), reach.moves.into_iter().collect(), "{told}");
                assert_eq!(of(true), reach.captures.into_iter().collect(), "{told}");
                for target in &targets {
                    // What it passes is empty, except for what it jumps.
                    let blocked = |s: &&Square| standing(**s).is_some() && Some(**s) != target.over;
                    assert_eq!(target.path.iter().find(blocked), None, "{told}");
                    assert!(
                        target.over.is_none_or(|s| target.path.contains(&s)),
                        "{told}"
                    );
                }
            }
        }
    }
}

#[test]
fn legal_targets_are_the_legal_moves() {
    for variant in all() {
        for position in walk(&variant, 11) {
            let moves = position.legal_moves();
            for from in variant.frame().squares() {
                let mine = position
                    .piece_on(from)
                    .is_some_and(|(side, _)| side == position.turn());
                if !mine {
                    continue;
                }
                let legal = position.targets(from).into_iter().filter(|t| t.legal);
                let legal: BTreeSet<Square> = legal.map(|t| t.to).collect();
                let goes = moves.iter().filter(|m| m.from() == from && m.to() != from);
                let goes: BTreeSet<Square> = goes.map(|m| m.to()).collect();
                assert_eq!(legal, goes, "{} {from:?}", position.fen());
            }
        }
    }
}

#[test]
fn ways_are_told_with_the_squares_they_pass() -> Outcome {
    let game = husun_games::variant("citadelir2024").ok_or("no game")?;
    let square = |name: &str| game.frame().parse(name);
    let (giraffe, cannon) = (game.kind('G').ok_or("G")?, game.kind('C').ok_or("C")?);
    let (from, to) = (square("d4")?, square("e7")?);
    let targets = game.targets(Side::White, giraffe, from, |_| None);
    let there = targets.iter().find(|t| t.to == to).ok_or("no e7")?;
    assert_eq!(there.path, [square("e5")?, square("e6")?]);
    let screen = square("d7")?;
    let standing = |s| (s == screen).then_some(Side::Black);
    let targets = game.targets(Side::White, cannon, from, standing);
    let names: BTreeSet<Square> = targets.iter().map(|t| t.to).collect();
    let beyond = [8, 9, 10, 11, 12].map(|rank| square(&format!("d{rank}")));
    assert_eq!(names, beyond.into_iter().collect::<Result<_, _>>()?);
    assert!(targets.iter().all(|t| t.over == Some(screen)));
    Ok(())
}

#[test]
fn a_traverse_is_told_apart_for_both_sides_until_the_side_has_castled() -> Outcome {
    let game = husun_games::variant("strike80").ok_or("no game")?;
    let square = |name: &str| game.frame().parse(name);
    let fen = |state: &str| format!("b3q4b/10/10/10/10/10/10/B3Q4B w - - {state} 0 1");
    let becomes = |position: &Position, from: &str, to: &str| -> Result<_, Box<dyn Error>> {
        let (from, to) = (square(from)?, square(to)?);
        let targets = position.targets(from);
        let found = targets.into_iter().find(|t| t.to == to);
        Ok(found.map(|t| (t.act, t.becomes, t.legal)))
    };
    let empress = game.kind('E').ok_or("E")?;
    let free = game.position(&fen("-"))?;
    let traverse = Some((Some(Act::Traverse), vec![empress], true));
    assert_eq!(becomes(&free, "e1", "g1")?, traverse);
    assert_eq!(becomes(&free, "e8", "g8")?, traverse);
    assert_eq!(becomes(&free, "e1", "f1")?, Some((None, vec![], true)));
    let castled = game.position(&fen("S"))?;
    assert_eq!(becomes(&castled, "e1", "g1")?, None);
    Ok(())
}

#[test]
fn sentences_say_what_the_notation_means() -> Outcome {
    let said = |id: &str, letter: char| -> Result<String, Box<dyn Error>> {
        let game = husun_games::variant(id).ok_or("no game")?;
        let kind = game.kind(letter).ok_or("no piece")?;
        Ok(game.sentence(kind))
    };
    for (id, letter, sentence) in [
        ("chess", 'K', "Goes one square in any direction."),
        (
            "chess",
            'Q',
            "Goes any number of squares in a straight line in any direction.",
        ),
        ("chess", 'B', "Goes any number of squares diagonally."),
        (
            "chess",
            'N',
            "Jumps two squares one way and one to the side.",
        ),
        (
            "chess",
            'P',
            "Goes one square straight forward, or two squares from its second rank, but to capture it goes one square diagonally forward.",
        ),
        (
            "capablanca",
            'C',
            "Goes any number of squares along a rank or file, or jumps two squares one way and one to the side.",
        ),
        (
            "citadelir2024",
            'C',
            "Goes any number of squares along a rank or file, jumping over exactly one piece on the way and landing beyond it.",
        ),
        (
            "citadelir2024",
            'G',
            "Takes one step diagonally to an empty square and goes on any number of squares along a rank or file, away from where it came.",
        ),
        (
            "citadelir2024",
            'L',
            "Jumps exactly three squares along a rank or file, or jumps three squares one way and one to the side.",
        ),
        (
            "strike80",
            'G',
            "Jumps two squares one way and one to the side, and from an empty square there may go on any number of squares along a \
             rank, file or diagonal, away from where it came.",
        ),
    ] {
        assert_eq!(said(id, letter)?, sentence, "{id} {letter}");
    }
    for variant in all() {
        for kind in variant.kinds() {
            let told = std::iter::once(variant.sentence(kind));
            for side in Side::ALL {
                for text in told.clone().chain(variant.acts(side, kind)) {
                    let ends = text.ends_with('.') && !text.contains("  ") && !text.contains(" .");
                    assert!(
                        ends && text.starts_with(char::is_uppercase),
                        "{}: {text}",
                        variant.id()
                    );
                }
            }
        }
    }
    Ok(())
}

#[test]
fn an_authors_sentence_stands_until_an_heir_changes_the_moves() -> Outcome {
    let text = |more: &str| {
        format!("id = \"own\"\ninherits = \"chess\"\n[[pieces]]\nletter = \"N\"\n{more}")
    };
    let game = husun_games::parse("own.toml", &text("text = \"Jumps as a horse.\""))?;
    let knight = game.kind('N').ok_or("N")?;
    assert_eq!(game.sentence(knight), "Jumps as a horse.");
    let plain = husun_games::parse("own.toml", &text("betza = \"A\""))?;
    assert_eq!(
        plain.sentence(knight),
        "Jumps exactly two squares diagonally."
    );
    Ok(())
}
