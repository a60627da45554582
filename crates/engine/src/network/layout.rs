//! The inputs of a network for a game: which number stands for what. Each side sees the position as if it were White:
//! its own pieces and the other's by kind and square, then castling rights and state flags.

use super::symmetry;
use husun::variant::StateFlag;
use husun::{CastlingRights, Kind, Side, Square, Variant, Wing};

/// A position as a network sees it, whatever it is taken from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scene {
    /// What stands where, in the order of the squares.
    pub pieces: Vec<(Side, Kind, Square)>,
    /// Castling rights.
    pub rights: CastlingRights,
    /// State flags, by their numbers.
    pub state: u16,
}

/// The numbers of a game's inputs.
#[derive(Clone, Debug)]
pub struct Layout {
    kinds: usize,
    squares: usize,
    /// Whether a side whose royal piece stands on the left half sees the board reflected left to right.
    mirrored: bool,
    royal: Vec<bool>,
    /// The squares of each rank, by number.
    ranks: Vec<Vec<usize>>,
    /// The squares of the left half and of the right; a middle file is neither.
    halves: [Vec<Square>; 2],
    /// By side, by whether the board is seen reflected left to right, by square: the square that is seen.
    seen: [[Vec<u16>; 2]; 2],
    /// Where the inputs of castling rights begin, if the game has castling.
    rights: Option<usize>,
    /// By side: the input of each state flag.
    flags: [Vec<usize>; 2],
    inputs: usize,
}

impl Layout {
    /// The layout of a game; mirrored if left and right are alike in its rules, which is found out by trying all moves
    /// of all pieces.
    pub fn of(variant: &Variant) -> Layout {
        Layout::new(variant, symmetry::left_right(variant))
    }

    /// The layout of a game whose symmetry is known.
    pub(super) fn new(variant: &Variant, mirrored: bool) -> Layout {
        let frame = variant.frame();
        let (kinds, squares) = (variant.pieces().len(), frame.len());
        let seen = Side::ALL.map(|side| {
            [false, true].map(|reflected| {
                let of = |square: Square| {
                    let turned = match side {
                        Side::White => Some(square),
                        Side::Black => frame.mirror(square),
                    };
                    let turned = turned.unwrap_or(square);
                    let both = match reflected {
                        true => symmetry::reflected(frame, turned),
                        false => Some(turned),
                    };
                    both.unwrap_or(turned).index() as u16
                };
                frame.squares().map(of).collect()
            })
        });
        let pieces = 2 * kinds * squares;
        let castling = variant.rules().castling.is_some();
        let first_flag = pieces + if castling { 4 } else { 0 };
        let flags = variant.state_flags();
        let number = |wanted: StateFlag| flags.iter().position(|&(_, flag)| flag == wanted);
        let input_of = |side: Side, i: usize, flag: StateFlag| {
            let turned = match side {
                Side::White => Some(i),
                Side::Black => number(turned(flag)),
            };
            first_flag + turned.unwrap_or(i)
        };
        Layout {
            kinds,
            squares,
            mirrored,
            royal: variant.pieces().iter().map(|p| p.royal).collect(),
            ranks: (0..frame.ranks())
                .map(|rank| {
                    let on_it = frame.squares().filter(|&square| frame.rank(square) == rank);
                    on_it.map(Square::index).collect()
                })
                .collect(),
            halves: [false, true].map(|right| {
                let files = frame.files();
                let on = |s: &Square| match right {
                    false => 2 * frame.file(*s) + 1 < files,
                    true => 2 * frame.file(*s) + 1 > files,
                };
                frame.squares().filter(on).collect()
            }),
            seen,
            rights: castling.then_some(pieces),
            flags: Side::ALL.map(|side| {
                let each = flags.iter().enumerate();
                each.map(|(i, &(_, flag))| input_of(side, i, flag))
                    .collect()
            }),
            inputs: first_flag + flags.len(),
        }
    }

    /// How many inputs there are.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Inputs that are likely to mean about the same: those of each kind of piece of a side, and those of each kind on each
    /// rank.
    pub fn alike(&self) -> Vec<Vec<usize>> {
        let mut groups = Vec::with_capacity(2 * self.kinds * (1 + self.ranks.len()));
        for kind in 0..2 * self.kinds {
            let first = kind * self.squares;
            groups.push((first..first + self.squares).collect());
            let ranks = self.ranks.iter();
            groups.extend(ranks.map(|rank| rank.iter().map(|square| first + square).collect()));
        }
        groups
    }

    /// Whether a side whose royal piece stands on the left half sees the board reflected left to right.
    pub fn is_mirrored(&self) -> bool {
        self.mirrored
    }

    /// The squares of the left half and of the right.
    pub(super) fn halves(&self) -> &[Vec<Square>; 2] {
        &self.halves
    }

    /// The input of a piece as a side sees it.
    #[inline(always)]
    pub(super) fn piece(
        &self,
        viewer: Side,
        reflected: bool,
        side: Side,
        kind: Kind,
        square: Square,
    ) -> usize {
        let other = usize::from(side != viewer);
        let seen = self.seen[viewer.index()][usize::from(reflected)][square.index()];
        (other * self.kinds + kind.index()) * self.squares + usize::from(seen)
    }

    /// Calls `f` for the inputs of everything beyond the board as a side sees it.
    #[inline]
    pub(super) fn beyond(
        &self,
        viewer: Side,
        rights: CastlingRights,
        state: u16,
        mut f: impl FnMut(usize),
    ) {
        if let Some(first) = self.rights {
            for (side, wing) in ALL_RIGHTS {
                if rights.has(side, wing) {
                    f(first + 2 * usize::from(side != viewer) + wing.index());
                }
            }
        }
        for (i, &input) in self.flags[viewer.index()].iter().enumerate() {
            if state >> i & 1 != 0 {
                f(input);
            }
        }
    }

    /// The inputs that are on in a scene, as a side sees it.
    pub fn active(&self, viewer: Side, scene: &Scene) -> Vec<u16> {
        let royals = |half: &Vec<Square>| {
            let there = |p: &&(Side, Kind, Square)| {
                p.0 == viewer && self.royal[p.1.index()] && half.contains(&p.2)
            };
            scene.pieces.iter().filter(there).count()
        };
        let [left, right] = &self.halves;
        let reflected = self.mirrored && royals(left) > royals(right);
        let pieces = scene.pieces.iter();
        let mut active: Vec<u16> = pieces
            .map(|&(side, kind, square)| self.piece(viewer, reflected, side, kind, square) as u16)
            .collect();
        self.beyond(viewer, scene.rights, scene.state, |input| {
            active.push(input as u16);
        });
        active
    }
}

const ALL_RIGHTS: [(Side, Wing); 4] = [
    (Side::White, Wing::East),
    (Side::White, Wing::West),
    (Side::Black, Wing::East),
    (Side::Black, Wing::West),
];

/// The flag that says of the other side what this one says of one.
fn turned(flag: StateFlag) -> StateFlag {
    match flag {
        StateFlag::InPrison(side, kind) => StateFlag::InPrison(side.opponent(), kind),
        StateFlag::Castled(side) => StateFlag::Castled(side.opponent()),
        other => other,
    }
}
