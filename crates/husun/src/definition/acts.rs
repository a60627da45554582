//! The sections that say how pieces move besides their ways of moving: initial steps, castling, promotion.

use super::build::act_name;
use super::check::{Checker, bounds};
use super::*;
use crate::doc::{CastleDoc, CastlingDoc, GameDoc, GameError, InitialDoc, Problem};

/// The most squares that one castling may offer.
const MAX_TARGETS: usize = 8;

pub(super) fn initial(doc: &GameDoc, c: &Checker) -> Result<Vec<Initial>, GameError> {
    let rules = doc.initial.iter().flat_map(|all| &all.get_ref().0);
    let mut all: Vec<Initial> = Vec::new();
    for doc in rules {
        let rule = one_initial(doc, c)?;
        for other in &all {
            if let Some(kind) = rule.pieces.iter().find(|k| other.pieces.contains(k))
                && rule.squares[0].iter().any(|s| other.squares[0].contains(s))
            {
                let letter = c.pieces[kind.index()].letter;
                let problem = format!("{letter} has initial steps from one of these ranks already");
                let at = doc.ranks.first().unwrap_or(&doc.steps);
                return Err(c.error(at, "initial.ranks", Problem::Conflict(problem)));
            }
        }
        all.push(rule);
    }
    Ok(all)
}

fn one_initial(doc: &InitialDoc, c: &Checker) -> Result<Initial, GameError> {
    let steps = *doc.steps.get_ref();
    if !(2..=3).contains(&steps) {
        return Err(c.error(&doc.steps, "initial.steps", bounds(steps, "2 or 3")));
    }
    let is_pawn = |kind: &Kind| c.pieces[kind.index()].pawn;
    let pieces = match &doc.pieces {
        None => {
            let all = (0..c.pieces.len() as u8).map(Kind);
            all.filter(is_pawn).collect()
        }
        Some(letters) => {
            let kinds = c.kinds("initial.pieces", letters)?;
            if let Some((letter, _)) = letters.iter().zip(&kinds).find(|(_, k)| !is_pawn(k)) {
                let problem = "must be of pawn type";
                return Err(c.error(letter, "initial.pieces", Problem::Conflict(problem.into())));
            }
            kinds
        }
    };
    Ok(Initial {
        pieces,
        steps: steps as u8,
        squares: c.rank_squares("initial.ranks", &doc.ranks)?,
    })
}

pub(super) fn castling(doc: &GameDoc, c: &Checker) -> Result<Option<Castling>, GameError> {
    let Some(castling) = &doc.castling else {
        return Ok(None);
    };
    let doc = castling.get_ref();
    let piece = c.kind("castling.piece", &doc.piece)?;
    if !c.pieces[piece.index()].royal {
        let problem = Problem::Conflict("must be a royal piece".into());
        return Err(c.error(&doc.piece, "castling.piece", problem));
    }
    let partner = c.kind("castling.partner", &doc.partner)?;
    let mut paths: [[Vec<CastlePath>; 2]; 2] = Default::default();
    for (wing, castle) in [(Wing::East, &doc.east), (Wing::West, &doc.west)] {
        let Some(castle) = castle else { continue };
        let white = wing_paths(doc, wing, castle, c)?;
        let at = &castle.to;
        let mirror = |s: Square| {
            c.frame.mirror(s).ok_or_else(|| {
                let problem = "its reflection for Black does not exist";
                let key = format!("castling.{}.to", wing_name(wing));
                c.error(at, key, Problem::Conflict(problem.into()))
            })
        };
        for path in &white {
            paths[1][wing.index()].push(CastlePath {
                from: mirror(path.from)?,
                to: mirror(path.to)?,
                partner_from: mirror(path.partner_from)?,
                partner_to: mirror(path.partner_to)?,
            });
        }
        paths[0][wing.index()] = white;
    }
    Ok(Some(Castling {
        name: act_name(doc.name.as_ref(), "Castling"),
        piece,
        partner,
        paths,
    }))
}

fn wing_name(wing: Wing) -> &'static str {
    match wing {
        Wing::East => "east",
        Wing::West => "west",
    }
}

/// White's castlings of a wing: the squares of `to` and of `partner_to` correspond in order.
fn wing_paths(
    doc: &CastlingDoc,
    wing: Wing,
    castle: &CastleDoc,
    c: &Checker,
) -> Result<Vec<CastlePath>, GameError> {
    let key = |part: &str| format!("castling.{}.{part}", wing_name(wing));
    let from = c.square("castling.from", &doc.from)?;
    let partner_from = c.square(&key("partner_from"), &castle.partner_from)?;
    let to = c.range(&key("to"), &castle.to)?;
    let partner_to = c.range(&key("partner_to"), &castle.partner_to)?;
    if to.len() > MAX_TARGETS {
        let problem = bounds(to.len(), format!("1 to {MAX_TARGETS} squares"));
        return Err(c.error(&castle.to, key("to"), problem));
    }
    if partner_to.len() != to.len() {
        let expected = format!("{}, one for each square of to", to.len());
        let problem = bounds(format!("{} squares", partner_to.len()), expected);
        return Err(c.error(&castle.partner_to, key("partner_to"), problem));
    }
    let mut paths = Vec::new();
    for (to, partner_to) in to.into_iter().zip(partner_to) {
        let path = CastlePath {
            from,
            to,
            partner_from,
            partner_to,
        };
        let squares = [from, to, partner_from, partner_to];
        let [a, b, partner_a, partner_b] = squares.map(|s| c.frame.file(s));
        let outward = |a: u8, b: u8| if wing == Wing::East { a < b } else { a > b };
        let one_rank = squares
            .iter()
            .all(|&s| c.frame.rank(s) == c.frame.rank(from));
        let fits = outward(a, b) && outward(partner_b, b) && !outward(partner_a, b);
        if !one_rank || !fits {
            let problem = "castling goes along one rank: the royal piece towards its partner and \
                           not past it, the partner to its other side";
            return Err(c.error(&castle.to, key("to"), Problem::Conflict(problem.into())));
        }
        paths.push(path);
    }
    Ok(paths)
}

pub(super) fn promotion(doc: &GameDoc, c: &Checker) -> Result<Option<Promotion>, GameError> {
    let Some(promotion) = &doc.promotion else {
        return Ok(None);
    };
    let doc = promotion.get_ref();
    let all = Promotion {
        pieces: c.kinds("promotion.pieces", &doc.pieces)?,
        to: c.kinds("promotion.to", &doc.to)?,
        captured: c.kinds("promotion.captured", &doc.captured)?,
        captured_optional: c.kinds("promotion.captured_optional", &doc.captured_optional)?,
        optional: c.rank_squares("promotion.optional_ranks", &doc.optional_ranks)?,
        mandatory: c.rank_squares("promotion.mandatory_ranks", &doc.mandatory_ranks)?,
    };
    if all.to.is_empty() && all.captured.is_empty() && all.captured_optional.is_empty() {
        let problem = Problem::Missing("letters in to or captured");
        return Err(c.error(promotion, "promotion.to", problem));
    }
    for letter in doc.to.iter().chain(&doc.captured) {
        let kind = c.kind("promotion", letter)?;
        if all.pieces.contains(&kind) || c.pieces[kind.index()].royal {
            let why = match c.pieces[kind.index()].royal {
                true => "is royal",
                false => "promotes itself",
            };
            let problem = format!("{} {why} and cannot be chosen", letter.get_ref());
            return Err(c.error(letter, "promotion", Problem::Conflict(problem)));
        }
    }
    for letter in &doc.captured {
        if all.to.contains(&c.kind("promotion.captured", letter)?) {
            let problem = Problem::Twice(letter.get_ref().clone());
            return Err(c.error(letter, "promotion.captured", problem));
        }
    }
    for letter in &doc.captured_optional {
        let (key, kind) = (
            "promotion.captured_optional",
            c.kind("promotion.captured_optional", letter)?,
        );
        if all.to.contains(&kind) || all.captured.contains(&kind) {
            return Err(c.error(letter, key, Problem::Twice(letter.get_ref().clone())));
        }
        let why = match c.pieces[kind.index()].royal {
            true => "is royal and cannot be chosen",
            false if all.pieces == [kind] => "would become what it is: expected another piece",
            false => continue,
        };
        let problem = format!("{} {why}", letter.get_ref());
        return Err(c.error(letter, key, Problem::Conflict(problem)));
    }
    if let Some(letter) = doc.captured_optional.first()
        && doc.optional_ranks.is_empty()
    {
        let problem = Problem::Missing("ranks on which those of captured_optional can be chosen");
        return Err(c.error(letter, "promotion.optional_ranks", problem));
    }
    Ok(Some(all))
}
