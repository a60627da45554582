//! Rules that are valid by themselves but not together, or that can never apply: games that would not be played as
//! their author means, or that position text could not express.

use super::check::{Checker, bounds};
use super::*;
use crate::doc::{ArrivalDoc, At, GameDoc, GameError, Problem};
use crate::mechanisms::crowning::Crowning;

/// The most ways of moving along paths; no game known has more than a dozen.
const MAX_PATHS: usize = 64;
/// As many flags as a position keeps.
const MAX_FLAGS: usize = u16::BITS as usize;

pub(super) fn check(
    doc: &GameDoc,
    c: &Checker,
    rules: &Rules,
    state: &[(char, StateFlag)],
) -> Result<(), GameError> {
    promotion(doc, c, rules)?;
    arrivals(doc, c, rules)?;
    state_letters(doc, c, state)?;
    paths(doc, c)?;
    prisoners(doc, c, rules)?;
    changes(doc, c, rules)
}

fn conflict<T>(c: &Checker, at: &At<T>, key: &str, problem: String) -> GameError {
    c.error(at, key, Problem::Conflict(problem))
}

fn promotion(doc: &GameDoc, c: &Checker, rules: &Rules) -> Result<(), GameError> {
    let (Some(doc), Some(promotion)) = (&doc.promotion, &rules.promotion) else {
        return Ok(());
    };
    let section = doc.get_ref();
    if promotion.pieces.is_empty() {
        let problem = Problem::Missing("the letters of those who promote");
        return Err(c.error(doc, "promotion.pieces", problem));
    }
    let [optional, mandatory] = [&section.optional_ranks, &section.mandatory_ranks];
    if optional.is_empty() && mandatory.is_empty() {
        let problem = Problem::Missing("ranks in optional_ranks or mandatory_ranks");
        return Err(c.error(doc, "promotion", problem));
    }
    for (key, ranks) in [
        ("promotion.optional_ranks", optional),
        ("promotion.mandatory_ranks", mandatory),
    ] {
        for (i, rank) in ranks.iter().enumerate() {
            if ranks[..i].iter().any(|r| r.get_ref() == rank.get_ref()) {
                return Err(c.error(rank, key, Problem::Twice(rank.get_ref().to_string())));
            }
        }
    }
    for rank in mandatory {
        if optional.iter().any(|r| r.get_ref() == rank.get_ref()) {
            let problem = format!("rank {} is among the optional ranks too", rank.get_ref());
            return Err(conflict(c, rank, "promotion.mandatory_ranks", problem));
        }
    }
    Ok(())
}

fn sections<'a>(
    doc: &'a GameDoc,
) -> impl Iterator<Item = (&'static str, &'a ArrivalDoc)> + use<'a> {
    let of = |key, list: &'a Option<At<Vec<ArrivalDoc>>>| {
        let all = list.as_ref().map_or(&[][..], |d| d.get_ref());
        all.iter().map(move |a| (key, a))
    };
    of("arrivals", &doc.arrivals).chain(of("prison", &doc.prison))
}

/// Arrivals become what a pawn-type piece may become, one kind per square.
fn arrivals(doc: &GameDoc, c: &Checker, rules: &Rules) -> Result<(), GameError> {
    if !c.pieces.iter().any(|p| p.pawn)
        && let Some((key, first)) = sections(doc).next()
    {
        let problem = "no piece of the game is of pawn type".to_string();
        return Err(conflict(c, &first.piece, &format!("{key}.piece"), problem));
    }
    let pawns = c.pieces.iter().filter(|p| p.pawn).count();
    let mut taken: Vec<(Square, String)> = Vec::new();
    for (key, arrival) in sections(doc).filter(|(key, _)| *key == "arrivals") {
        let letter = arrival.piece.get_ref();
        let piece = &c.pieces[c.kind("arrivals.piece", &arrival.piece)?.index()];
        let why = match (piece.royal, piece.pawn) {
            (true, _) => Some("is royal: its side would have one more"),
            (_, true) if pawns == 1 => Some("would become what it is: expected another piece"),
            _ => None,
        };
        if let Some(why) = why {
            let problem = format!("{letter} {why}");
            return Err(conflict(c, &arrival.piece, "arrivals.piece", problem));
        }
        for text in &arrival.squares {
            for square in c.range("arrivals.squares", text)? {
                if let Some((_, other)) = taken.iter().find(|(s, _)| *s == square) {
                    let name = c.frame.name(square);
                    let problem = format!("{name} is an arrival of {other} already");
                    return Err(conflict(c, text, &format!("{key}.squares"), problem));
                }
                taken.push((square, letter.clone()));
            }
        }
    }
    for (_, prisoner) in sections(doc).filter(|(key, _)| *key == "prison") {
        for text in &prisoner.squares {
            for square in c.range("prison.squares", text)? {
                if let Some((_, other)) = taken.iter().find(|(s, _)| *s == square) {
                    let name = c.frame.name(square);
                    let problem =
                        format!("{name} is an arrival of {other}: nobody is released there");
                    return Err(conflict(c, text, "prison.squares", problem));
                }
            }
        }
    }
    let Some((section, promotion)) = doc.promotion.as_ref().zip(rules.promotion.as_ref()) else {
        return Ok(());
    };
    let pawn = promotion.pieces.iter().any(|k| c.pieces[k.index()].pawn);
    let ranks = promotion.optional[0].iter().chain(&promotion.mandatory[0]);
    for square in ranks.filter(|_| pawn) {
        if let Some((_, letter)) = taken.iter().find(|(s, _)| s == square) {
            let name = c.frame.name(*square);
            let problem = format!("a pawn-type piece on {name} becomes {letter} by [[arrivals]]");
            return Err(conflict(c, section, "promotion", problem));
        }
    }
    Ok(())
}

/// Position text tells flags apart by their letters.
fn state_letters(doc: &GameDoc, c: &Checker, state: &[(char, StateFlag)]) -> Result<(), GameError> {
    let Some(prison) = &doc.prison else {
        return Ok(());
    };
    for (i, (letter, _)) in state.iter().enumerate() {
        if state[..i].iter().any(|(other, _)| other == letter) {
            let wanted = letter.to_ascii_uppercase().to_string();
            let mut all = prison.get_ref().iter();
            let piece = all.find(|a| *a.piece.get_ref() == wanted);
            let problem = format!(
                "the prisoner {wanted} needs another letter: {letter} in the state field is that of [traverse] or [crowning]"
            );
            return Err(match piece {
                Some(a) => conflict(c, &a.piece, "prison.piece", problem),
                None => conflict(c, prison, "prison", problem),
            });
        }
    }
    if state.len() > MAX_FLAGS {
        let found = format!("{} prisoners, castled sides and offers", state.len());
        let problem = bounds(found, format!("at most {MAX_FLAGS} of both sides together"));
        return Err(c.error(prison, "prison", problem));
    }
    Ok(())
}

/// Ways along paths are numbered in a byte, and each has tables of its own.
fn paths(doc: &GameDoc, c: &Checker) -> Result<(), GameError> {
    let mut all = Vec::new();
    for (piece, doc) in c.pieces.iter().zip(&doc.pieces) {
        crate::ways::add_paths(&piece.parts, &mut all);
        if all.len() > MAX_PATHS {
            let found = format!("more than {MAX_PATHS} different ways along paths");
            let expected = format!(
                "at most {MAX_PATHS} of all pieces together (hoppers, bent and limited riders)"
            );
            let key = format!("pieces.{}.betza", piece.letter);
            return Err(c.error(doc, key, bounds(found, expected)));
        }
    }
    Ok(())
}

/// A prisoner comes into play only by its release, and only once.
fn prisoners(doc: &GameDoc, c: &Checker, rules: &Rules) -> Result<(), GameError> {
    let mut ways: Vec<(&str, &At<String>)> = Vec::new();
    if let Some(promotion) = &doc.promotion {
        let promotion = promotion.get_ref();
        ways.extend(promotion.to.iter().map(|l| ("promotion.to", l)));
        ways.extend(promotion.captured.iter().map(|l| ("promotion.captured", l)));
        let also = promotion.captured_optional.iter();
        ways.extend(also.map(|l| ("promotion.captured_optional", l)));
    }
    let arrivals = sections(doc).filter(|(key, _)| *key == "arrivals");
    ways.extend(arrivals.map(|(_, a)| ("arrivals.piece", &a.piece)));
    ways.extend(
        doc.traverse
            .iter()
            .map(|t| ("traverse.becomes", &t.get_ref().becomes)),
    );
    ways.extend(Crowning::becomes(doc));
    for (key, letter) in ways {
        let kind = c.kind(key, letter)?;
        if rules.prison.iter().any(|p| p.piece == kind) {
            let letter_text = letter.get_ref();
            let problem = format!(
                "{letter_text} is a prisoner, who is released on the squares of [[prison]] and comes no other way"
            );
            return Err(conflict(c, letter, key, problem));
        }
    }
    Ok(())
}

/// A piece that becomes another must really change its kind.
fn changes(doc: &GameDoc, c: &Checker, rules: &Rules) -> Result<(), GameError> {
    if let (Some(doc), Some(traverse)) = (&doc.traverse, &rules.traverse)
        && traverse.piece == traverse.becomes
    {
        let at = &doc.get_ref().becomes;
        return Err(c.becomes_itself(at, "traverse.becomes", traverse.piece));
    }
    Ok(())
}
