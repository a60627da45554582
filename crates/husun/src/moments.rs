//! What a move brings about beyond going from one square to another: a prisoner's release, a Traverse, Emperors, a
//! promotion. For people looking back at a game; no search uses it.

use crate::definition::StateFlag;
use crate::moves::{Move, Special};
use crate::piece::Kind;
use crate::position::Position;
use crate::side::Side;

/// Something that a move brings about and that makes the game memorable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// A prisoner is free.
    Released {
        /// Whose.
        side: Side,
        /// The prisoner.
        piece: Kind,
    },
    /// A royal piece has traversed its castle and is another from now on.
    Traversed {
        /// Whose.
        side: Side,
        /// What it was.
        piece: Kind,
        /// What it is.
        becomes: Kind,
    },
    /// All pieces of a kind, of both sides, have become another.
    Crowned {
        /// Who has done it.
        side: Side,
        /// What they were.
        piece: Kind,
        /// What they are.
        becomes: Kind,
    },
    /// A piece has become another, by choice or by where it arrived.
    Promoted {
        /// Whose.
        side: Side,
        /// What it was.
        piece: Kind,
        /// What it is.
        becomes: Kind,
    },
    /// A royal piece has castled.
    Castled {
        /// Whose.
        side: Side,
        /// The royal piece.
        piece: Kind,
    },
    /// One of several royal pieces has been captured.
    RoyalTaken {
        /// Whose it was.
        side: Side,
        /// The piece.
        piece: Kind,
    },
}

impl Position {
    /// What a move that is legal here brings about beyond going to its square; nothing for most moves, and for a
    /// move that is not legal here.
    ///
    /// ```
    /// # let mini = husun::Variant::parse("t.toml", husun::doctest::MINI).unwrap();
    /// let start = mini.start();
    /// assert!(start.moments(start.parse_uci("a1a4").unwrap()).is_empty());
    /// ```
    pub fn moments(&self, m: Move) -> Vec<Moment> {
        let Ok(after) = self.play(m) else {
            return Vec::new();
        };
        let side = self.turn();
        let mut all: Vec<Moment> = self.freed(&after).collect();
        let (piece, becomes) = (m.piece(), m.placed());
        let rules = self.variant().rules();
        let traverses = |t: &crate::definition::Traverse| (t.piece, t.becomes) == (piece, becomes);
        match m.special() {
            Special::Crowning => {
                if let Some(crowning) = &rules.crowning {
                    all.push(Moment::Crowned {
                        side,
                        piece: crowning.piece,
                        becomes: crowning.becomes,
                    });
                }
            }
            Special::CastleEast | Special::CastleWest => all.push(Moment::Castled { side, piece }),
            _ if !m.changes_kind() => {}
            _ if rules.traverse.as_ref().is_some_and(traverses) => {
                all.push(Moment::Traversed {
                    side,
                    piece,
                    becomes,
                });
            }
            // A pawn-type piece that stays where a prisoner is released is the prisoner from then on.
            _ if all.is_empty() => all.push(Moment::Promoted {
                side,
                piece,
                becomes,
            }),
            _ => {}
        }
        if let Some((_, of, taken)) = self.captured(m)
            && self.variant().piece(taken).royal
        {
            all.push(Moment::RoyalTaken {
                side: of,
                piece: taken,
            });
        }
        all
    }

    /// Prisoners here who are free in `after`.
    fn freed<'a>(&'a self, after: &'a Position) -> impl Iterator<Item = Moment> + 'a {
        let prison = self.variant().rules().prison.iter();
        let all = prison.flat_map(|cell| Side::ALL.map(|side| (side, cell.piece)));
        all.filter(|&(side, piece)| {
            let flag = StateFlag::InPrison(side, piece);
            self.has_flag(flag) && !after.has_flag(flag)
        })
        .map(|(side, piece)| Moment::Released { side, piece })
    }
}
