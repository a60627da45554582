//! Tables of four men: whole ones of tiny games against the slow twin, entries of others against search.

use super::twin::{Twin, positions};
use super::{Folder, Result, game, men};
use engine::Endings;
use husun::{CastlingRights, Position, Setup, Side, Square, Status, Variant};
use husun_tablebase::{BuildError, Builder, Counts, Men, Outcome, Tablebase, Told};
use std::sync::Arc;

/// Kings, rooks and pawns on four by four.
const TINY: &str = r#"
id = "tiny"
name = "Tiny"
[board]
files = 4
ranks = 4
[setups]
standard = "k2r/p2p/P2P/K2R w - - 0 1"
[promotion]
pieces = ["P"]
to = ["R"]
mandatory_ranks = [4]
[[pieces]]
letter = "K"
betza = "K"
royal = true
[[pieces]]
letter = "R"
betza = "R"
[[pieces]]
letter = "P"
betza = "mfWcfF"
pawn = true
"#;

/// The endings of old games: a bared king has lost, stalemate wins, a citadel saves. Its cannon hops.
const OLD: &str = r#"
id = "old"
name = "Old"
[board]
files = 4
ranks = 4
[setups]
standard = "k2c/4/4/K2C w - - 0 1"
[citadels]
squares = ["d4"]
[endings]
stalemate = "win"
bare_king = true
[[pieces]]
letter = "K"
betza = "K"
royal = true
[[pieces]]
letter = "C"
betza = "pR"
[[pieces]]
letter = "W"
betza = "WF"
"#;

/// Pawns with an initial step, which may be captured in passing.
const PASSING: &str = r#"
id = "passing"
name = "Passing"
[board]
files = 3
ranks = 6
[setups]
standard = "k2/2p/3/3/P2/2K w - - 0 1"
[initial]
steps = 2
ranks = [2]
[endings]
stalemate = "win"
[[pieces]]
letter = "K"
betza = "K"
royal = true
[[pieces]]
letter = "P"
betza = "mfWcfF"
pawn = true
"#;

/// Queens who may Traverse their first rank, Kings who may become Emperors, pawns who may become a captured King.
const ROYAL: &str = r#"
id = "royal"
name = "Royal"
[board]
files = 4
ranks = 4
[setups]
standard = "qk2/f3/3F/2KQ w - - - 0 1"
[traverse]
piece = "Q"
becomes = "E"
squares = ["a1-d1"]
[crowning]
piece = "K"
becomes = "X"
[promotion]
pieces = ["F"]
to = ["N"]
captured = ["K"]
mandatory_ranks = [4]
[endings]
bare_royals = true
[[pieces]]
letter = "Q"
betza = "K"
royal = true
[[pieces]]
letter = "E"
betza = "K"
royal = true
[[pieces]]
letter = "K"
betza = "Q"
[[pieces]]
letter = "X"
betza = "QN"
[[pieces]]
letter = "N"
betza = "N"
[[pieces]]
letter = "F"
betza = "mfWcfF"
pawn = true
"#;

/// All of the men named, and of those that they come to, have in the tables what the twin has.
fn equals(variant: &Arc<Variant>, sets: &[&str], all: &[&str]) -> Result<()> {
    let named = |set: &&str| Men::named(variant, set).ok_or("no such men");
    let sets: Vec<Men> = sets
        .iter()
        .map(named)
        .collect::<std::result::Result<_, _>>()?;
    let folder = Folder::new(&format!("four-{}", variant.id()))?;
    let fresh = Builder::new(variant, 2).these(&sets, &mut |_| ())?;
    let builder = Builder::new(variant, 1).kept_in(&folder.0);
    let read = builder.these(&sets, &mut |_| ())?;
    let from = all.iter().flat_map(|letters| positions(variant, letters));
    let twin = Twin::new(variant, from.collect())?;
    for tables in [&fresh, &read] {
        assert_eq!(twin.equals(tables)?, all.len());
    }
    Ok(())
}

#[test]
fn every_entry_of_a_tiny_game_equals_the_twin() -> Result<()> {
    let tiny = Variant::parse("tiny.toml", TINY)?;
    // Each needs tables of four men that promotions lead to.
    equals(
        &tiny,
        &["KPvKP", "KPPvK"],
        &[
            "Kk", "KkR", "Kkr", "KkP", "Kkp", "KkRr", "KkRp", "KkPr", "KkPp", "KkRR", "KkRP",
            "KkPP",
        ],
    )
}

#[test]
fn every_entry_with_bare_kings_stalemates_and_citadels_equals_the_twin() -> Result<()> {
    let old = Variant::parse("old.toml", OLD)?;
    equals(
        &old,
        &["KCvKW", "KWvKW", "KCCvK"],
        &["Kk", "KkC", "KkW", "Kkw", "KkCw", "KkWw", "KkCC"],
    )
}

#[test]
fn every_entry_with_captures_in_passing_equals_the_twin() -> Result<()> {
    let passing = Variant::parse("passing.toml", PASSING)?;
    equals(&passing, &["KPvKP"], &["Kk", "KkP", "Kkp", "KkPp"])
}

#[test]
fn every_entry_with_letters_of_state_equals_the_twin() -> Result<()> {
    let royal = Variant::parse("royal.toml", ROYAL)?;
    let folder = Folder::new("royal")?;
    let tables = Builder::new(&royal, 2)
        .kept_in(&folder.0)
        .all(3, &mut |_| ())?;
    let royals = ["Qq", "Qe", "Eq", "Ee"];
    let others = ["", "K", "X", "N", "F", "k", "x", "n", "f"];
    let from = royals.iter().flat_map(|royals| {
        let men = others.iter().map(move |other| format!("{royals}{other}"));
        men.flat_map(|men| positions(&royal, &men))
    });
    let twin = Twin::new(&royal, from.collect())?;
    let seen = twin.equals(&tables)?;
    // Sets of which no arrangement is a position have an empty table.
    let sets = Men::all(&royal, 3);
    let empty = |men: &&Men| {
        let table = tables.table(men).ok();
        table.is_some_and(|t| Side::ALL.into_iter().all(|side| t.counts(side).all() == 0))
    };
    assert_eq!(seen + sets.iter().filter(empty).count(), sets.len());
    assert!(twin.accepted() > 0, "nobody is ever saved by accepting");
    // The engine's way leads to the same, and to nothing with other letters.
    let crowned = royal.position("q3/4/1X2/3Q b - - X 0 1")?;
    let (standing, state) = (super::standing(&crowned), crowned.setup().state);
    let verdict = tables.probe(&crowned).ok();
    assert!(verdict.is_some());
    assert_eq!(tables.verdict(Side::Black, &standing, state), verdict);
    assert_eq!(tables.verdict(Side::Black, &standing, 0), None);
    // Where a stalemate loses there is nothing to accept.
    let lost = ROYAL.replace(
        "bare_royals = true",
        "bare_royals = true\nstalemate = \"win\"",
    );
    let lost = Variant::parse("lost.toml", &lost)?;
    let set = men(&lost, "EX", "Q")?.in_state(state);
    let of_lost = Builder::new(&lost, 2).these(&[set], &mut |_| ())?;
    let from = ["Eqx", "EqX", "Eex", "EeX", "Eq", "Ee"].into_iter();
    let from = from.flat_map(|men| positions(&lost, men));
    let from = from.filter(|p| p.setup().state == state && of_lost.probe(p).is_ok());
    let of_lost_twin = Twin::new(&lost, from.collect())?;
    assert!(of_lost_twin.equals(&of_lost)? > 1);
    assert_eq!(of_lost_twin.accepted(), 0);
    for men in &sets {
        let name = men.name(&royal);
        assert_eq!(Men::named(&royal, &name).as_ref(), Some(men), "{name}");
    }
    for name in [
        "Q+XvQ", "E+SvQ", "QKvQ+X", "QXvQ", "QvQ+!", "EvQ+X!", "Q+AvQ", "Q+vQ+Z",
    ] {
        assert_eq!(Men::named(&royal, name), None, "{name}");
    }
    Ok(())
}

#[test]
fn entries_of_tigersquares_equal_search() -> Result<()> {
    let strike = game("strike80")?;
    let set = Men::named(&strike, "EBvE+X").ok_or("no such men")?;
    let tables = Builder::new(&strike, 2).these(std::slice::from_ref(&set), &mut |_| ())?;
    let [far, near] = entries_equal_search(&tables, &set, 3000, 2, 3)?;
    assert!(far > 1000 && near > 5, "{far} {near}");
    Ok(())
}

#[test]
fn what_does_not_fit_is_refused_before_anything_is_made() -> Result<()> {
    let chess = game("chess")?;
    let sets = [men(&chess, "K", "K")?, men(&chess, "KQ", "KR")?];
    let builder = || Builder::new(&chess, 1).within(100 << 20);
    let needed = builder().needs(&sets[1]).div_ceil(1 << 20);
    assert_eq!(needed, 64 + 3 * 2 * 64 * 64 * 64 * 64 / (1 << 20));
    let mut told = 0;
    let refused = builder().these(&sets, &mut |_| told += 1);
    let error = refused.err().ok_or("built")?;
    assert!(matches!(error, BuildError::Memory { .. }));
    let text = error.to_string();
    assert!(
        text.contains("KQvKR") && text.contains("160 MiB") && text.contains("100 are allowed"),
        "{text}"
    );
    assert_eq!(told, 0);
    builder().these(&sets[..1], &mut |_| told += 1)?;
    assert!(told > 0);
    for name in ["KQvKR", "QKvRK"] {
        assert_eq!(Men::named(&chess, name).as_ref(), Some(&sets[1]), "{name}");
    }
    for name in ["KQKR", "KXvK", "QvK", "KKvK", "kvK", "KQQvKR", "v", ""] {
        assert_eq!(Men::named(&chess, name), None, "{name}");
    }
    Ok(())
}

#[test]
fn it_is_told_how_far_a_table_has_come() -> Result<()> {
    let tiny = Variant::parse("tiny.toml", TINY)?;
    let rook = men(&tiny, "KR", "K")?;
    let sets = [men(&tiny, "K", "K")?, rook.clone()];
    let (mut looked, mut decided, mut made) = (0, vec![], vec![]);
    Builder::new(&tiny, 1).these(&sets, &mut |told| match told {
        Told::Looked { men, done, all } if *men == rook => {
            assert!(done > looked && done <= all);
            assert_eq!(all, men.arrangements(16));
            looked = done;
        }
        Told::Decided { men, distance } if *men == rook => decided.push(distance),
        Told::Made { men, .. } => made.push(men.name(&tiny)),
        _ => (),
    })?;
    assert_eq!(looked, rook.arrangements(16));
    assert_eq!(made, ["KvK", "KRvK"]);
    assert!(decided.len() > 3 && decided.iter().copied().eq(0..decided.len() as u16));
    Ok(())
}

/// A number below `n` by chance.
fn below(state: &mut u64, n: usize) -> usize {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1);
    ((*state >> 33) as usize) % n
}

/// A position of some men by chance.
fn random(variant: &Arc<Variant>, men: &Men, state: &mut u64) -> Position {
    let squares: Vec<Square> = variant.frame().squares().collect();
    loop {
        let mut board = vec![None; squares.len()];
        for &man in men.list() {
            board[below(state, squares.len())] = Some(man);
        }
        let setup = Setup {
            board,
            turn: Side::ALL[below(state, 2)],
            rights: CastlingRights::default(),
            en_passant: vec![],
            state: men.state(),
            halfmove: 0,
            fullmove: 1,
        };
        let men = setup.board.iter().flatten().count() == men.list().len();
        if let Some(position) = men
            .then(|| Position::from_setup(variant, &setup).ok())
            .flatten()
        {
            return position;
        }
    }
}

/// Who has forced the end so many half-moves later, by the rules alone; none if nobody has.
fn forced(position: &Position, plies: u16) -> Option<Outcome> {
    let status = position.status();
    if status != Status::Ongoing {
        return Some(match position.winner(status) {
            None => Outcome::Drawn,
            Some(side) if side == position.turn() => Outcome::Won,
            Some(_) => Outcome::Lost,
        });
    }
    let rest = plies.checked_sub(1)?;
    let mut lost = true;
    for m in position.legal_moves() {
        match forced(&position.play_unchecked(m), rest) {
            Some(Outcome::Lost) => return Some(Outcome::Won),
            Some(Outcome::Won) => (),
            _ => lost = false,
        }
    }
    let accepts = position.can_accept() && !position.in_check();
    (lost && !accepts).then_some(Outcome::Lost)
}

/// Entries by chance against search: where the end is at most `deep` half-moves away it is found at its distance and no sooner,
/// where it is further it is not found in `plies`. In addition each entry agrees with those that its moves lead to.
fn entries_equal_search(
    tables: &Tablebase,
    set: &Men,
    entries: usize,
    plies: u16,
    deep: u16,
) -> Result<[usize; 2]> {
    let variant = tables.variant();
    let mut state = 7;
    let mut seen = [0; 2];
    for _ in 0..entries {
        let position = random(variant, set, &mut state);
        let fen = position.fen();
        let kept = tables.probe(&position)?;
        let near = kept.outcome != Outcome::Drawn && kept.distance <= deep;
        let until = if near { kept.distance } else { plies };
        let found = (0..=until).find_map(|n| Some((n, forced(&position, n)?)));
        let expected = near.then_some((kept.distance, kept.outcome));
        match found {
            Some((0, Outcome::Drawn)) => assert_eq!(kept.outcome, Outcome::Drawn, "{fen}"),
            _ => assert_eq!(found, expected, "{fen}"),
        }
        seen[usize::from(near)] += 1;
        if position.status() == Status::Ongoing {
            let known = tables.moves(&position)?;
            assert_eq!(known.len(), position.legal_moves().len(), "{fen}");
            assert_eq!(known.first().map(|best| best.1), Some(kept), "{fen}");
        }
    }
    Ok(seen)
}

#[test]
fn entries_of_a_small_game_equal_search() -> Result<()> {
    let small = Variant::parse("small.toml", super::SMALL)?;
    let set = men(&small, "KR", "KR")?;
    let tables = Builder::new(&small, 2).these(std::slice::from_ref(&set), &mut |_| ())?;
    let [far, near] = entries_equal_search(&tables, &set, 3000, 2, 3)?;
    assert!(far > 1000 && near > 50, "{far} {near}");
    Ok(())
}

/// Minutes: `cargo test -p husun-tablebase --test tables -- --ignored --nocapture hundred_thousand_entries_of_chess`, or `_shatranj`.
fn hundred_thousand(id: &str, white: &str, black: &str) -> Result<[Counts; 2]> {
    let variant = game(id)?;
    let set = men(&variant, white, black)?;
    let folder = Folder::new(&format!("hundred-{id}"))?;
    let builder = Builder::new(&variant, 2).kept_in(&folder.0);
    let tables = builder.these(std::slice::from_ref(&set), &mut |_| ())?;
    let [far, near] = entries_equal_search(&tables, &set, 100_000, 2, 4)?;
    println!("{near} ends at most four half-moves away, {far} others");
    let table = tables.table(&set)?;
    Ok(Side::ALL.map(|side| table.counts(side)))
}

#[test]
#[ignore = "takes minutes"]
fn a_hundred_thousand_entries_of_chess_equal_search() -> Result<()> {
    let [white, _] = hundred_thousand("chess", "KQ", "KR")?;
    // Thirty-five moves, as is published.
    assert_eq!(white.longest, 2 * 35 - 1);
    Ok(())
}

#[test]
#[ignore = "takes minutes"]
fn a_hundred_thousand_entries_of_shatranj_equal_search() -> Result<()> {
    println!("{:?}", hundred_thousand("shatranj", "KR", "KN")?);
    Ok(())
}
