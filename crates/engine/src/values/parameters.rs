//! Tables of values, each declared once: reading, writing, checking bounds and tuning all use the same list, so
//! that none of them can leave out a value.

use crate::pair::{Pair, pair};
use serde::{Deserialize, Serialize};

/// Called with each number of a table of values and its name in the text.
pub(crate) type Visit<'a> = &'a mut dyn FnMut(&str, &mut i32);

/// Something with one or more numbers.
pub(crate) trait Parameter {
    /// Calls `f` with every number, always in the same order.
    fn each(&mut self, name: &str, f: Visit);
}

impl Parameter for i32 {
    fn each(&mut self, name: &str, f: Visit) {
        f(name, self);
    }
}

impl Parameter for Pair {
    fn each(&mut self, name: &str, f: Visit) {
        f(name, &mut self.mg);
        f(name, &mut self.eg);
    }
}

impl Parameter for Vec<Pair> {
    fn each(&mut self, name: &str, f: Visit) {
        for pair in self {
            pair.each(name, f);
        }
    }
}

/// Declares a table of values: its fields with their defaults.
macro_rules! parameters {
    ($(#[$about:meta])* $table:ident { $($(#[$doc:meta])* $field:ident: $kind:ty = $usual:expr,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub struct $table {
            $($(#[$doc])* pub $field: $kind,)*
        }

        impl Default for $table {
            fn default() -> $table {
                $table { $($field: $usual,)* }
            }
        }

        impl Parameter for $table {
            fn each(&mut self, name: &str, f: Visit) {
                $(self.$field.each(&format!("{name}.{}", stringify!($field)), f);)*
            }
        }
    };
}

parameters! {
    /// What features are worth, in centipawns unless said otherwise. The defaults are medians of the tuned values of
    /// the built-in games.
    Terms {
        /// The right to move.
        tempo: Pair = pair(34, 11),
        /// Weight of mobility, in hundredths of the built-in curve.
        mobility: Pair = pair(130, 116),
        /// Weight of piece-square terms of pieces, in hundredths.
        squares: Pair = pair(94, 79),
        /// Weight of the pawns' way to promotion or release, in hundredths.
        advance: Pair = pair(79, 67),
        /// A pawn without opposing pawns before it, besides its share of what it may gain.
        passed: Pair = pair(1, 38),
        /// A pawn without other own pawns on the files beside it.
        isolated: Pair = pair(-2, -6),
        /// A pawn behind another of its file.
        doubled: Pair = pair(-9, -17),
        /// A pawn protected by another.
        protected: Pair = pair(8, 6),
        /// An opposing piece that a pawn attacks.
        pawn_threat: Pair = pair(70, 33),
        /// An opposing piece that a lesser one attacks.
        lesser_threat: Pair = pair(63, 37),
        /// An opposing piece that is attacked and not protected.
        hanging: Pair = pair(22, 45),
        /// An opposing piece that a pawn could attack by a safe step.
        push_threat: Pair = pair(23, 14),
        /// A square that the opponent attacks once and without pawns, and that the side attacks too.
        contested: Pair = pair(6, -6),
        /// A piece less than a rook, protected by a pawn, that no opposing pawn can drive away.
        outpost: Pair = pair(28, 19),
        /// How many steps nearer the royal piece is than the opponent's to a pawn that no opposing pawn can stop, in
        /// hundredths of what the pawn may gain.
        escort: Pair = pair(-6, 16),
        /// Weight of attacks near the royal piece, in hundredths.
        danger: Pair = pair(88, 24),
        /// Units of danger for a square from which a piece could give check unpunished.
        check: i32 = 17,
        /// Hundredths of a unit of danger for an attacked square next to the royal piece that only the royal piece
        /// protects.
        weak: i32 = 302,
        /// Hundredths of a unit of danger for a piece that attacks near the royal piece, whatever its kind.
        attacker: i32 = 399,
        /// A pawn in front of its royal piece, next to it.
        shield: Pair = pair(8, 7),
        /// A pawn in front of its royal piece, a step further.
        far_shield: Pair = pair(-9, -1),
        /// A file at or beside the royal piece's without a pawn of its own.
        open_file: Pair = pair(-27, -7),
        /// A second royal piece, in which case none is royal.
        second_royal: Pair = pair(150, 100),
        /// Two pieces of a kind that is tied to squares of one colour.
        both_colours: Pair = pair(25, 39),
        /// If a side left with its royal piece alone loses: the opponent having one other piece left, in part
        /// also two or three.
        nearly_bare: Pair = pair(120, 160),
    }
}

parameters! {
    /// The weight of a piece's moves relative to the built-in one, in hundredths.
    Weights {
        /// The number of squares that it reaches.
        mobility: Pair = pair(100, 100),
        /// Its attacks near the opposing royal piece.
        attack: i32 = 100,
    }
}
