//! The data behind move generation: a variant's board and pieces resolved at load time into sets and lists for
//! one width. Everything here is derived; nothing changes while a game is played.

use crate::betza::Mode;
use crate::definition::{CastlePath, StateFlag};
use crate::frame::Square;
use crate::mechanisms::crowning::Crown;
use crate::moves::{Move, Special};
use crate::pos::Group;
use crate::set::{EXTRA_PLANES, Set};
use crate::setup::CastlingRights;
use crate::side::{Side, Wing};

mod aims;
mod atoms;
mod derive;
pub(crate) mod fill;
mod line;
mod needs;
mod rider;

use crate::cpu::{Cpu, Kernel, Level};
use aims::Aims;
use fill::Fill;
use line::{Shapes, SliderLine};

pub(crate) use needs::{Needs, if_needed};
pub(crate) use rider::Rider;

/// A step of every piece of a set at once.
#[derive(Clone, Debug)]
pub(crate) struct Shift<S> {
    /// Difference of square numbers that most steps have; 0 if none has a common one.
    delta: i8,
    /// Squares from which the step makes that difference.
    regular: S,
    /// Squares from which it makes another one: near missing squares.
    odd: S,
    /// The steps from there.
    irregular: Vec<(Square, Square)>,
    /// Where initial steps of more than one square pass first.
    pub initial: S,
    /// Where those of more than two pass next.
    pub further: S,
    /// By square: from where the step leads there.
    pub origin: Vec<Square>,
}

impl<S: Set> Shift<S> {
    /// Where the pieces of the set arrive.
    #[inline(always)]
    pub fn apply<C: Cpu>(&self, set: S) -> S {
        let mut moved = (set & self.regular).shifted(self.delta);
        if C::NEEDS.has(Needs::ODD) && (set & self.odd).any() {
            for &(from, to) in &self.irregular {
                if set.has(from) {
                    moved |= S::bit(to);
                }
            }
        }
        moved
    }
}

/// The two halves of a line through a square, for any processor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Halves<S> {
    up: S,
    down: S,
}

impl<S: Set> Halves<S> {
    /// Squares that a slider reaches on the line, up to and including the first blockers.
    #[inline(always)]
    fn attacks(&self, occupied: S) -> S {
        (self.up & (self.up & occupied).through_first())
            | (self.down & (self.down & occupied).since_last())
    }
}

/// Kinds whose capturing leaps are alike.
#[derive(Clone, Debug)]
pub(crate) struct LeapAttack<S> {
    /// By side of the attacker: table of the squares from which a square is attacked.
    pub from: [u16; 2],
    /// By side of the attacker: table of the squares that are attacked.
    pub to: [u16; 2],
    /// By side of the attacker and square of a royal piece: from where it is attacked, or a square that
    /// it may leap to or castles over.
    pub near: [Vec<S>; 2],
    pub kinds: Group,
}

/// Kinds with a leap in common.
#[derive(Clone, Debug)]
pub(crate) struct LeapAtom {
    pub mode: Mode,
    /// By side.
    pub tables: [u16; 2],
    pub kinds: Group,
}

/// Kinds with a rider in common.
#[derive(Clone, Debug)]
pub(crate) struct RiderAtom {
    pub rider: u8,
    pub kinds: Group,
}

/// Ways of moving with the kinds that have them, for counting: no royal kinds, none of pawn type.
#[derive(Clone, Debug, Default)]
pub(crate) struct Atoms {
    pub orthogonal: Group,
    pub diagonal: Group,
    pub leaps: Vec<LeapAtom>,
    pub riders: Vec<RiderAtom>,
    /// Kinds that two ways may lead to the same square, and kinds that promote.
    pub whole: Vec<u8>,
}

/// How a kind moves, but for the leaps of pawn-type kinds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mover {
    /// By side: table of leaps that move and capture alike.
    pub leaps: [Option<u16>; 2],
    /// By side: table of leaps that only move.
    pub quiet: [Option<u16>; 2],
    /// By side: table of leaps that only capture.
    pub take: [Option<u16>; 2],
    pub orthogonal: bool,
    pub diagonal: bool,
    /// Numbers of riders.
    pub riders: Vec<u8>,
}

impl Mover {
    pub fn moves(&self) -> bool {
        self.leaps[0].is_some()
            || self.quiet[0].is_some()
            || self.take[0].is_some()
            || self.orthogonal
            || self.diagonal
            || !self.riders.is_empty()
    }
}

/// Leaps of a pawn-type kind, for all its pieces at once.
#[derive(Clone, Debug)]
pub(crate) struct Pawn<S> {
    pub kind: u8,
    /// By side.
    pub quiet: [Vec<Shift<S>>; 2],
    pub take: [Vec<Shift<S>>; 2],
    /// By side: table of the squares from which it captures on a square.
    pub take_from: [u16; 2],
    /// By side: squares from which it may become something else by a leap.
    pub changers: [S; 2],
    /// Whether it also moves other than by leaps.
    pub rides: bool,
}

/// Squares where a piece becomes another one without choice.
#[derive(Clone, Debug)]
pub(crate) struct Place<S> {
    pub kind: u8,
    pub squares: [S; 2],
    /// By side: state flag of a prisoner that must be set for it to happen; 0 for none.
    pub flag: [u16; 2],
}

/// See [`crate::variant::Promotion`].
#[derive(Clone, Debug)]
pub(crate) struct Zones<S> {
    pub kinds: u32,
    pub to: Vec<u8>,
    pub captured: Vec<u8>,
    pub captured_optional: Vec<u8>,
    pub optional: [S; 2],
    pub mandatory: [S; 2],
}

/// See [`crate::variant::Traverse`].
#[derive(Clone, Debug)]
pub(crate) struct Castle<S> {
    pub piece: u8,
    pub becomes: u8,
    pub squares: [S; 2],
    /// By side: flag of having castled.
    pub castled: [u16; 2],
}

/// See [`crate::variant::Castling`].
#[derive(Clone, Debug)]
pub(crate) struct CastlingSquares<S> {
    pub piece: u8,
    pub partner: u8,
    pub wing: Wing,
    /// Bit of the right to it.
    pub right: u8,
    pub path: CastlePath,
    /// Squares that must be empty: all between the two.
    pub empty: S,
    /// Squares that the royal piece passes, without its home and its target.
    pub through: S,
    /// With its target.
    pub over: S,
    /// Squares that gain or lose a piece; those that do both cancel out.
    pub moved: S,
}

impl<S> CastlingSquares<S> {
    /// The move.
    #[inline(always)]
    pub fn castle(&self) -> Move {
        let special = match self.wing {
            Wing::East => Special::CastleEast,
            Wing::West => Special::CastleWest,
        };
        Move::new(
            self.path.from,
            self.path.to,
            self.piece,
            self.piece,
            special,
        )
    }
}

/// Zobrist keys.
#[derive(Clone, Debug)]
pub(crate) struct Keys {
    /// By kind, side and square.
    pieces: Vec<u64>,
    pub rights: [u64; 16],
    pub state: [u64; 16],
    pub passed: Vec<u64>,
    pub black: u64,
    squares: usize,
}

impl Keys {
    #[inline(always)]
    fn place(&self, side: Side, kind: u8, square: Square) -> usize {
        (2 * usize::from(kind) + side.index()) * self.squares + usize::from(square)
    }

    #[inline(always)]
    pub fn piece(&self, side: Side, kind: u8, square: Square) -> u64 {
        self.pieces[self.place(side, kind, square)]
    }

    /// The same for numbers that may be out of range.
    #[inline(always)]
    pub fn any_piece(&self, side: Side, kind: u8, square: Square) -> Option<u64> {
        self.pieces.get(self.place(side, kind, square)).copied()
    }

    /// The key of a whole state field.
    pub fn of_state(&self, state: u16) -> u64 {
        let mut key = 0;
        let mut rest = state;
        while rest != 0 {
            key ^= self.state[rest.trailing_zeros() as usize];
            rest &= rest - 1;
        }
        key
    }
}

/// The tables of a variant at one width.
#[derive(Clone, Debug)]
pub struct Tables<S: Set> {
    pub(crate) level: Level,
    pub(crate) squares: usize,
    pub(crate) board: S,
    pub(crate) movers: Vec<Mover>,
    /// Kinds that move and are neither royal nor of pawn type.
    pub(crate) common: Vec<u8>,
    pub(crate) atoms: Atoms,
    pub(crate) royals: Group,
    /// Whether all royal kinds only leap.
    pub(crate) royals_leap: bool,
    /// By side: table of the leaps of all royal kinds, if they have the same and move in no other way.
    pub(crate) royal_leaps: [u16; 2],
    /// Whether they do.
    royals_alike: bool,
    /// By kind: all squares for each of the extra planes that it is on, none for the others.
    pub(crate) extra: Vec<[S; EXTRA_PLANES]>,
    /// Bit of every kind that is on one of them.
    pub(crate) grouped: u32,
    pub(crate) pawns: Vec<Pawn<S>>,
    /// Bit of every pawn-type kind.
    pub(crate) pawn_mask: u32,
    /// Tables of leaps one after the other, by square; a table's number is that of its first entry.
    pub(crate) leaps: Vec<S>,
    pub(crate) leap_attacks: Vec<LeapAttack<S>>,
    aims: Aims<S>,
    pub(crate) orthogonal: Group,
    pub(crate) diagonal: Group,
    /// By square.
    pub(crate) spots: Vec<Spot<S>>,
    shapes: Shapes,
    /// How all sliders are counted at once, on boards that allow it.
    pub(crate) fill: Option<Fill>,
    /// Whether both diagonals of a square are looked up at once, where the table is small enough.
    whole_diagonals: bool,
    /// What a bishop reaches, for all squares, by the pieces on its diagonals.
    diagonals: Vec<S>,
    between: Vec<S>,
    pub(crate) riders: Vec<Rider<S>>,
    /// Rays by direction and square.
    rays: Vec<rider::Ray<S>>,
    /// The most squares of an initial step.
    pub(crate) initial_steps: u8,
    pub(crate) zones: Option<Zones<S>>,
    pub(crate) places: Vec<Place<S>>,
    /// By side: squares on which a pawn-type piece may become another one.
    pub(crate) changes: [S; 2],
    pub(crate) setup_counts: [Vec<u32>; 2],
    pub(crate) several_royals: bool,
    pub(crate) apart: bool,
    pub(crate) castlings: [Vec<CastlingSquares<S>>; 2],
    /// By side: squares next to the royal piece's home, one of which is empty if it may castle; for plain castlings.
    pub(crate) doors: [S; 2],
    /// By side and square: from where what has arrived there by initial steps may be captured on a square that it passed.
    pub(crate) passing: [Vec<S>; 2],
    /// Whether sliders that give no check attack squares of castlings as if only the royal piece left its own.
    pub(crate) castlings_plain: bool,
    /// By square: castling rights that end when a piece leaves or arrives.
    pub(crate) rights_lost: Vec<u8>,
    pub(crate) castle: Option<Castle<S>>,
    pub(crate) crown: Option<Crown>,
    /// By side: where its royal piece draws the game.
    pub(crate) citadels: Option<[S; 2]>,
    pub(crate) bare_king: bool,
    pub(crate) stalemate_wins: bool,
    pub(crate) bare_royals: bool,
    pub(crate) move_rule: u32,
    pub(crate) keys: Keys,
}

/// What belongs to a square.
#[derive(Clone, Debug)]
pub(crate) struct Spot<S> {
    /// File, rank and both diagonals.
    lines: [SliderLine<S>; 4],
    /// Both diagonals at once; the table of shapes is [`Tables::diagonals`].
    cross: SliderLine<S>,
    /// What sliders reach on an empty board.
    pub orthogonal: S,
    pub diagonal: S,
    /// By side of the attacker: from where leapers attack the square or, if a royal piece stands there,
    /// one that it may go to.
    pub near: [S; 2],
    /// The squares next to it.
    pub ring: S,
    /// By side of the attacker: its first list of lines on which riders may attack it, and the first of the next.
    aims: [[u32; 2]; 2],
    /// File, rank and both diagonals for any processor.
    halves: [Halves<S>; 4],
}

/// What a rook (`first` is 0) or a bishop (2) reaches.
struct Lines<'a, S: Set> {
    tables: &'a Tables<S>,
    square: Square,
    occupied: S,
    first: usize,
}

impl<S: Set> Kernel for Lines<'_, S> {
    type Out = S;
    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C) -> S {
        self.tables
            .two_lines(cpu, self.square, self.occupied, self.first)
    }
}

impl<S: Set> Tables<S> {
    /// Squares that a rook reaches, up to and including the first blockers.
    ///
    /// # Panics
    ///
    /// If the board has no such square.
    #[inline(always)]
    pub fn orthogonal_attacks(&self, square: Square, occupied: S) -> S {
        let tables = self;
        self.level.run(Lines {
            tables,
            square,
            occupied,
            first: 0,
        })
    }

    /// Squares that a bishop reaches, up to and including the first blockers.
    ///
    /// # Panics
    ///
    /// If the board has no such square.
    #[inline(always)]
    pub fn diagonal_attacks(&self, square: Square, occupied: S) -> S {
        let tables = self;
        self.level.run(Lines {
            tables,
            square,
            occupied,
            first: 2,
        })
    }

    #[inline(always)]
    pub(crate) fn orthogonal<C: Cpu>(&self, cpu: C, square: Square, occupied: S) -> S {
        self.two_lines(cpu, square, occupied, 0)
    }

    #[inline(always)]
    pub(crate) fn diagonal<C: Cpu>(&self, cpu: C, square: Square, occupied: S) -> S {
        self.two_lines(cpu, square, occupied, 2)
    }

    #[inline(always)]
    fn two_lines<C: Cpu>(&self, cpu: C, square: Square, occupied: S, first: usize) -> S {
        let i = usize::from(square);
        if C::GATHERS {
            let lines = &self.spots[i].lines;
            if first == 2 && self.whole_diagonals {
                return self.spots[i].cross.whole(cpu, occupied, &self.diagonals);
            }
            lines[first].attacks(cpu, occupied, &self.shapes)
                | lines[first + 1].attacks(cpu, occupied, &self.shapes)
        } else {
            let halves = &self.spots[i].halves;
            halves[first].attacks(occupied) | halves[first + 1].attacks(occupied)
        }
    }

    /// The squares between two squares of a rank, file or diagonal.
    #[inline(always)]
    pub(crate) fn between(&self, a: Square, b: Square) -> S {
        self.between[usize::from(a) * self.squares + usize::from(b)]
    }

    /// The squares next to a square.
    #[inline(always)]
    pub(crate) fn ring(&self, square: Square) -> S {
        self.spots[usize::from(square)].ring
    }

    #[inline(always)]
    pub(crate) fn leap(&self, table: u16, square: Square) -> S {
        self.leaps[usize::from(table) + usize::from(square)]
    }

    #[inline(always)]
    pub(crate) fn is_royal(&self, kind: u8) -> bool {
        self.royals.kinds.contains(&kind)
    }

    #[inline(always)]
    pub(crate) fn is_pawn(&self, kind: u8) -> bool {
        self.pawn_mask >> kind & 1 != 0
    }

    /// Number of squares of the board.
    pub fn square_count(&self) -> usize {
        self.squares
    }

    /// All squares of the board.
    pub fn board(&self) -> S {
        self.board
    }

    /// Bytes that the tables take, without the few of their own fields.
    pub fn bytes(&self) -> usize {
        let set = size_of::<S>();
        let near: usize = self
            .leap_attacks
            .iter()
            .flat_map(|a| &a.near)
            .map(Vec::len)
            .sum();
        let leaps = (self.leaps.len() + near) * set;
        let rays: usize = self.rays.iter().map(|r| r.sets.len() * set).sum();
        let riders: usize = self.riders.iter().map(Rider::bytes).sum();
        leaps
            + self.aims.bytes()
            + rays
            + riders
            + self.spots.len() * size_of::<Spot<S>>()
            + self.diagonals.len() * set
            + self.shapes.bytes()
            + self.between.len() * set
            + (self.keys.pieces.len() + self.keys.passed.len()) * 8
    }

    /// Position keys' part for castling rights.
    #[inline(always)]
    pub(crate) fn rights_key(&self, rights: CastlingRights) -> u64 {
        self.keys.rights[usize::from(rights.0 & 15)]
    }

    pub(crate) fn portable(&self) -> Self {
        Tables {
            level: Level::Portable,
            ..self.clone()
        }
    }

    /// Empty tables, for building to start from.
    pub(crate) fn empty() -> Self {
        Tables {
            level: Level::detect(),
            squares: 0,
            board: S::EMPTY,
            movers: Vec::new(),
            common: Vec::new(),
            atoms: Atoms::default(),
            royals: Group::default(),
            royals_leap: false,
            royal_leaps: [0; 2],
            royals_alike: false,
            extra: Vec::new(),
            grouped: 0,
            pawns: Vec::new(),
            pawn_mask: 0,
            leaps: Vec::new(),
            leap_attacks: Vec::new(),
            aims: Aims::default(),
            orthogonal: Group::default(),
            diagonal: Group::default(),
            spots: Vec::new(),
            shapes: Shapes::default(),
            whole_diagonals: false,
            fill: None,
            diagonals: Vec::new(),
            between: Vec::new(),
            riders: Vec::new(),
            rays: Vec::new(),
            initial_steps: 1,
            zones: None,
            places: Vec::new(),
            changes: [S::EMPTY; 2],
            setup_counts: Default::default(),
            several_royals: false,
            apart: false,
            castlings: Default::default(),
            doors: [S::EMPTY; 2],
            passing: Default::default(),
            castlings_plain: true,
            rights_lost: Vec::new(),
            castle: None,
            crown: None,
            citadels: None,
            bare_king: false,
            stalemate_wins: false,
            bare_royals: false,
            move_rule: u32::MAX,
            keys: Keys {
                pieces: Vec::new(),
                rights: [0; 16],
                state: [0; 16],
                passed: Vec::new(),
                black: 0,
                squares: 0,
            },
        }
    }
}
