//! What a game's text takes from the one that it inherits from, and what it leaves out.

use super::{At, GameDoc, GameError, Problem, Sources};
use std::collections::BTreeMap;

/// Drops what the heir does not want from its base.
pub(super) fn leave_out(
    base: &mut GameDoc,
    without: Option<Vec<At<String>>>,
    sources: &Sources,
) -> Result<(), GameError> {
    for entry in without.unwrap_or_default() {
        let at = entry.span().start;
        let entry = entry.into_inner();
        let found = match entry.split_once('.') {
            Some(("pieces", letter)) => {
                let before = base.pieces.len();
                base.pieces
                    .retain(|p| p.get_ref().letter.get_ref() != letter);
                base.pieces.len() < before
            }
            Some(("setups", name)) => base
                .setups
                .as_mut()
                .is_some_and(|setups| setups.remove(name).is_some()),
            Some(("regions", name)) => base
                .regions
                .as_mut()
                .is_some_and(|regions| regions.remove(name).is_some()),
            _ => base.leave_out(&entry),
        };
        if !found {
            let expected = format!(
                "a section of the inherited game ({}) or one of its pieces.LETTER, setups.NAME, regions.NAME",
                GameDoc::SECTIONS.join(", ")
            );
            let problem = Problem::Unknown {
                found: entry,
                expected,
            };
            return Err(sources.error(at, "without", problem));
        }
    }
    Ok(())
}

/// The heir's values, with those of the base where the heir has none: sections as a whole, set-ups
/// and regions by name, pieces by letter and key.
pub(super) fn complete(mut heir: GameDoc, mut base: GameDoc) -> GameDoc {
    let mut pieces = std::mem::take(&mut base.pieces);
    for piece in std::mem::take(&mut heir.pieces) {
        let letter = piece.get_ref().letter.get_ref().clone();
        match pieces
            .iter_mut()
            .find(|p| p.get_ref().letter.get_ref() == &letter)
        {
            Some(old) => {
                let mut new = piece;
                let (given, inherited) = (new.get_mut(), old.get_ref().clone());
                let same_moves = given.betza.is_none();
                given.name = given.name.take().or(inherited.name);
                given.betza = given.betza.take().or(inherited.betza);
                given.royal = given.royal.or(inherited.royal);
                given.pawn = given.pawn.or(inherited.pawn);
                if given.image.is_none() {
                    given.picture = given.picture.take().or(inherited.picture);
                }
                given.image = given.image.take().or(inherited.image);
                // A sentence about other moves would be wrong.
                if same_moves {
                    given.text = given.text.take().or(inherited.text);
                }
                *old = new;
            }
            None => pieces.push(piece),
        }
    }
    heir.setups = merge(heir.setups.take(), base.setups.take());
    heir.regions = merge(heir.regions.take(), base.regions.take());
    heir.take_over(&mut base);
    GameDoc {
        inherits: None,
        without: base.without,
        name: heir.name.or(base.name),
        summary: heir.summary.or(base.summary),
        origin: heir.origin.or(base.origin),
        clock: heir.clock.or(base.clock),
        board: heir.board.or(base.board),
        pieces,
        ..heir
    }
}

fn merge<T>(
    heir: Option<BTreeMap<String, T>>,
    base: Option<BTreeMap<String, T>>,
) -> Option<BTreeMap<String, T>> {
    let mut all = base.unwrap_or_default();
    all.extend(heir.unwrap_or_default());
    Some(all)
}
