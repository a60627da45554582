//! Crowning (`[crowning]`): after a Traverse, the other side may promote all pieces of a kind, of both sides,
//! instead of moving, once in the game (TigerSquares' Emperors; games/strike80/rules.md, Special rules).

use crate::definition::check::Checker;
use crate::definition::{Definition, StateFlag};
use crate::doc::{At, GameDoc, GameError, Problem};
use crate::moves::{Move, Special};
use crate::piece::Kind;
use crate::pos::Pos;
use crate::set::Set;
use crate::side::Side;
use crate::tables::Tables;
use crate::words::WholeAct;
use serde::Deserialize;

/// The section of the game file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CrowningDoc {
    pub piece: At<String>,
    pub becomes: At<String>,
}

/// Promotion of all pieces of a kind, of both sides, in lieu of a move, offered by a Traverse.
#[derive(Clone, Copy, Debug)]
pub struct Crowning {
    /// Who is promoted.
    pub piece: Kind,
    /// To what.
    pub becomes: Kind,
}

/// What its moves are made from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crown {
    pub piece: u8,
    pub becomes: u8,
    pub crowned: u16,
    pub offer: u16,
}

impl Crowning {
    /// Reads the section.
    pub(crate) fn read(doc: &GameDoc, c: &Checker) -> Result<Option<Crowning>, GameError> {
        let Some(crowning) = &doc.crowning else {
            return Ok(None);
        };
        if doc.traverse.is_none() {
            let problem = "needs a [traverse] section, which offers it";
            return Err(c.error(crowning, "crowning", Problem::Conflict(problem.into())));
        }
        let doc = crowning.get_ref();
        let common = |key: &str, letter| {
            let kind = c.kind(key, letter)?;
            let piece = &c.pieces[kind.index()];
            if !piece.royal && !piece.pawn {
                return Ok(kind);
            }
            let problem = "cannot be royal or of pawn type";
            Err(c.error(letter, key, Problem::Conflict(problem.into())))
        };
        let (piece, becomes) = (
            common("crowning.piece", &doc.piece)?,
            common("crowning.becomes", &doc.becomes)?,
        );
        if piece == becomes {
            return Err(c.becomes_itself(&doc.becomes, "crowning.becomes", piece));
        }
        Ok(Some(Crowning { piece, becomes }))
    }

    /// The letters of the state field.
    pub(crate) const LETTERS: [(char, StateFlag); 2] =
        [('X', StateFlag::Crowned), ('!', StateFlag::Offer)];

    /// The section's piece that others become, for checks that look at all such pieces.
    pub(crate) fn becomes(doc: &GameDoc) -> Option<(&'static str, &At<String>)> {
        let doc = doc.crowning.as_ref()?;
        Some(("crowning.becomes", &doc.get_ref().becomes))
    }
}

impl Crown {
    pub(crate) fn of(definition: &Definition) -> Option<Crown> {
        definition.rules().crowning.map(|c| Crown {
            piece: c.piece.0,
            becomes: c.becomes.0,
            crowned: definition.flag_bit(StateFlag::Crowned),
            offer: definition.flag_bit(StateFlag::Offer),
        })
    }
}

impl<S: Set> Tables<S> {
    /// The move, if it is offered.
    #[inline(always)]
    pub(crate) fn crowning(&self, pos: &Pos<S>, us: Side) -> Option<Move> {
        let crown = self.crown.as_ref()?;
        if pos.state & crown.offer == 0 {
            return None;
        }
        let royal = self.royal_square(pos, us)?;
        let kind = pos.kind_at(royal);
        Some(Move::new(royal, royal, kind, kind, Special::Crowning))
    }

    /// The kind that a promotion to `kind` gives by now.
    #[inline(always)]
    pub(crate) fn crowned_kind(&self, pos: &Pos<S>, kind: u8) -> u8 {
        match &self.crown {
            Some(crown) if kind == crown.piece && pos.state & crown.crowned != 0 => crown.becomes,
            _ => kind,
        }
    }

    /// An offer holds for one move.
    #[inline(always)]
    pub(crate) fn forget_offer(&self, pos: &Pos<S>, next: &mut Pos<S>) {
        if let Some(crown) = &self.crown
            && pos.state & crown.offer != 0
        {
            self.change_state(next, crown.offer);
        }
    }

    /// Promotes all.
    pub(crate) fn crown_all(&self, next: &mut Pos<S>) {
        let Some(crown) = &self.crown else { return };
        next.halfmove = 0;
        self.change_state(next, crown.crowned);
        for side in Side::ALL {
            for square in (next.kinds.as_ref()[usize::from(crown.piece)] & next.side(side)).iter() {
                self.toggle(next, side, crown.piece, square);
                self.toggle(next, side, crown.becomes, square);
            }
        }
    }

    /// A Traverse offers it to the side that is now to move, where it can be taken.
    #[inline(always)]
    pub(crate) fn offer_crowning(&self, next: &mut Pos<S>, m: Move) {
        if let (Some(castle), Some(crown)) = (&self.castle, &self.crown)
            && m.piece_index() == castle.piece
            && next.state & crown.crowned == 0
            && self.crowning_is_safe(next)
        {
            self.change_state(next, crown.offer);
        }
    }

    /// Whether the side to move is not in check, and would not be after a crowning.
    fn crowning_is_safe(&self, pos: &Pos<S>) -> bool {
        let mut crowned = *pos;
        self.crown_all(&mut crowned);
        !self.in_check(pos, pos.turn) && !self.in_check(&crowned, pos.turn)
    }
}

/// Impossible positions.
impl Definition {
    /// Why the letter of the crowning does not fit the board.
    pub(crate) fn crowned_contradicts<S: Set>(&self, pos: &Pos<S>, set: bool) -> Option<String> {
        let crown = self.rules().crowning.as_ref()?;
        let stray = if set { crown.piece } else { crown.becomes };
        pos.kind(stray).any().then(|| {
            let piece = self.piece(stray);
            let word = if set { "has" } else { "has not" };
            format!(
                "the crowning {word} taken place, yet a {} ({}) stands on the board",
                piece.name, piece.letter
            )
        })
    }

    /// Why nobody can have been offered a crowning.
    pub(crate) fn offer_contradicts<S: Set>(&self, t: &Tables<S>, pos: &Pos<S>) -> Option<String> {
        let (crown, castle) = (t.crown.as_ref()?, t.castle.as_ref()?);
        if pos.state & crown.crowned != 0 {
            return Some("the crowning has taken place already".into());
        }
        let them = pos.turn.opponent();
        let becomes = Kind(castle.becomes);
        let traversed = pos.pieces(them, becomes) & castle.squares[them.index()];
        if traversed.is_empty() {
            let name = &self.piece(becomes).name;
            return Some(format!("no {name} of {} stands in her castle", them.name()));
        }
        if !t.crowning_is_safe(pos) {
            return Some(format!(
                "the royal piece of {} is attacked, or would be by the promoted",
                pos.turn.name()
            ));
        }
        None
    }
}

/// Words.
impl Definition {
    /// The move that no piece makes.
    pub(crate) fn crowning_act(&self) -> Option<WholeAct> {
        let (from, to) = self.crowned_names()?;
        let letter = |kind: Kind| self.piece(kind).letter;
        let crowning = self.rules().crowning.as_ref()?;
        Some(WholeAct {
            san: format!("{}={}", letter(crowning.piece), letter(crowning.becomes)),
            offer: format!("Make the {from} {to}"),
            question: format!(
                "All {from} on the board become {to}, yours and your opponent's. This cannot be undone."
            ),
            agree: format!("Yes, make them {to}"),
            advice: format!("I would make the {from} {to}."),
            instead: format!("I would leave the {from} as they are and play"),
        })
    }

    /// Who is promoted all at once, and what they become, in the plural.
    pub(crate) fn crowned_names(&self) -> Option<(String, String)> {
        let crowning = self.rules().crowning.as_ref()?;
        let name = |kind: Kind| plural(&self.piece(kind).name);
        Some((name(crowning.piece), name(crowning.becomes)))
    }
}

/// The plural of a name.
fn plural(name: &str) -> String {
    match name.strip_suffix("man") {
        Some(stem) => format!("{stem}men"),
        None if name.ends_with(['s', 'x']) || name.ends_with("sh") || name.ends_with("ch") => {
            format!("{name}es")
        }
        None => format!("{name}s"),
    }
}
