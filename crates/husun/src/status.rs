//! The status of a position, ignoring its history.

use crate::pos::Pos;
use crate::set::Set;
use crate::tables::Tables;

/// The status of a position, ignoring its history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// The game goes on.
    Ongoing,
    /// The side to move is mated.
    Checkmate,
    /// The side to move has no legal move and is not in check.
    Stalemate,
    /// A royal piece stands on an opposite citadel.
    Citadel,
    /// The side to move has bared the opponent's king.
    BareKing,
    /// Only royal pieces are left.
    BareRoyals,
    /// The move rule's limit is reached.
    MoveRule,
}

impl Status {
    /// Every status with its name.
    pub const NAMES: [(Status, &'static str); 7] = [
        (Status::Ongoing, "ongoing"),
        (Status::Checkmate, "checkmate"),
        (Status::Stalemate, "stalemate"),
        (Status::Citadel, "citadel"),
        (Status::BareKing, "bare king"),
        (Status::BareRoyals, "bare royals"),
        (Status::MoveRule, "move rule"),
    ];

    /// Its name, such as `bare king`.
    pub fn name(self) -> &'static str {
        Self::NAMES
            .iter()
            .find(|(s, _)| *s == self)
            .map_or("", |(_, name)| name)
    }
}

impl<S: Set> Tables<S> {
    /// The status of a position, ignoring its history.
    pub fn status(&self, pos: &Pos<S>) -> Status {
        if self.on_citadel(pos) {
            return Status::Citadel;
        }
        if self.has_bared(pos) {
            return Status::BareKing;
        }
        if !self.has_moves(pos) {
            return if self.in_check(pos, pos.turn) {
                Status::Checkmate
            } else {
                Status::Stalemate
            };
        }
        if self.only_royals(pos) {
            return Status::BareRoyals;
        }
        if pos.halfmove >= self.move_rule {
            return Status::MoveRule;
        }
        Status::Ongoing
    }

    /// Whether the game is drawn because only royal pieces are left.
    #[inline(always)]
    pub fn only_royals(&self, pos: &Pos<S>) -> bool {
        self.bare_royals && pos.occupied() == pos.of_kinds(&self.royals)
    }

    /// Half-moves after which the move rule ends the game; the highest number if there is none.
    pub fn move_rule(&self) -> u32 {
        self.move_rule
    }
}
