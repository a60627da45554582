//! Kinds of piece: their number within a game and what a game says of each.

use crate::betza::Part;
use crate::drawing::Drawing;

/// Number of a kind of piece within a variant: its place in [`Definition::pieces`](crate::variant::Definition::pieces).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Kind(pub(crate) u8);

impl Kind {
    /// The number, from 0.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A kind of piece.
#[derive(Clone, Debug)]
pub struct Piece {
    /// Capital letter in position and move text.
    pub letter: char,
    /// Name, such as `White Tiger-Rider`.
    pub name: String,
    /// Its way of moving in Betza notation, as written in the game file.
    pub betza: String,
    /// Its ways of moving, read from the notation.
    pub parts: Vec<Part>,
    /// Whether it is royal (if several royals are switched on: while its side has just one).
    pub royal: bool,
    /// Whether it is of pawn type: its moves reset the move rule's clock.
    pub pawn: bool,
    /// Name of its picture.
    pub image: String,
    /// The picture in the game file, which takes precedence over one by name.
    pub drawing: Option<Drawing>,
    /// Its moves in a sentence, if the game's author wrote one; otherwise
    /// [`Definition::sentence`](crate::variant::Definition::sentence) makes one.
    pub text: String,
}
