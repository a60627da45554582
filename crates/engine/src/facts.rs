//! The facts of a game that search and judges need: board, kinds of piece, what pawns may become and where, endings.
//! Nothing here is an opinion; what things are worth is in `values`, and how positions are judged in `eval`.

use crate::sight::Hardnesses;
use husun::set::Set;
use husun::tables::Tables;
use husun::variant::{SideSquares, StateFlag};
use husun::{Kind, Side, Square, Variant};
use std::sync::Arc;

/// The facts of a kind of piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KindFacts {
    pub kind: Kind,
    pub pawn: bool,
    pub royal: bool,
}

impl KindFacts {
    /// Neither a pawn nor royal.
    pub fn officer(self) -> bool {
        !self.pawn && !self.royal
    }
}

/// Squares where a pawn becomes a piece or releases it, without choice.
#[derive(Clone, Debug)]
pub(crate) struct Goal<S> {
    pub piece: Kind,
    /// By side.
    pub squares: [S; 2],
    /// By side: the state flag that must be set, 0 for none.
    pub flag: [u16; 2],
}

/// Promotion by choice.
#[derive(Clone, Debug)]
pub(crate) struct Promotion<S> {
    /// By side: where it may or must happen.
    pub squares: [S; 2],
    /// What can always be chosen.
    pub to: Vec<Kind>,
    /// What can be chosen while a side has fewer of it than in the set-up, with the set-up's number by side.
    pub captured: Vec<(Kind, [u32; 2])>,
}

/// Where squares lie.
#[derive(Clone, Debug)]
pub(crate) struct Geometry<S> {
    /// By square: file and rank, from 0.
    pub places: Vec<(i32, i32)>,
    /// By square: steps from the middle of the board.
    pub from_middle: Vec<i32>,
    /// By square: distance from the middle files.
    pub aside: Vec<i32>,
    /// Twice the mean distance from the middle.
    pub spread: i32,
    /// By square: the one reflected top to bottom.
    pub mirrored: Vec<usize>,
    /// By square: itself and the squares next to it.
    pub zones: Vec<S>,
    /// Number of ranks.
    pub ranks: i32,
    /// The rank on which White's royal piece starts.
    pub royal_rank: i32,
}

/// A game.
#[derive(Clone, Debug)]
pub(crate) struct Facts<S: Set> {
    pub tables: Arc<Tables<S>>,
    /// By number.
    pub kinds: Vec<KindFacts>,
    /// Those that are pawns.
    pub pawns: Vec<Kind>,
    pub geometry: Geometry<S>,
    /// How hard moves are to see.
    pub hardnesses: Hardnesses,
    /// Arrivals and releases, the former first.
    pub goals: Vec<Goal<S>>,
    pub promotion: Option<Promotion<S>>,
    /// Whether a side may have several royal pieces, in which case none of them is royal.
    pub several_royals: bool,
    /// The royal piece that may Traverse, and what it becomes.
    pub traverse: Option<(Kind, Kind)>,
    /// By side: where its royal piece draws the game.
    pub citadels: Option<[S; 2]>,
    /// Whether a side left with its royal piece alone loses.
    pub bare_loses: bool,
    /// Half-moves without progress after which the game is drawn.
    pub move_rule: Option<u32>,
    /// Occurrences of a position at which the game is drawn.
    pub repetition: Option<u32>,
}

impl<S: Set> Facts<S> {
    pub fn new(variant: &Arc<Variant>, tables: &Arc<Tables<S>>) -> Facts<S> {
        let rules = variant.rules();
        let endings = &rules.endings;
        let kinds = variant.kinds().map(|kind| KindFacts {
            kind,
            pawn: variant.piece(kind).pawn,
            royal: variant.piece(kind).royal,
        });
        let arrivals = rules.arrivals.iter().map(|a| Goal {
            piece: a.piece,
            squares: sets(&a.squares),
            flag: [0; 2],
        });
        let releases = rules.prison.iter().map(|a| Goal {
            piece: a.piece,
            squares: sets(&a.squares),
            flag: Side::ALL.map(|side| flag(variant, StateFlag::InPrison(side, a.piece))),
        });
        let counts = |k: &Kind| (*k, Side::ALL.map(|side| variant.setup_count(side, *k)));
        let promotion = rules.promotion.as_ref().map(|p| Promotion {
            squares: Side::ALL.map(|side| {
                let i = side.index();
                set(p.optional[i].iter().chain(&p.mandatory[i]))
            }),
            to: p.to.clone(),
            captured: p.captured.iter().map(counts).collect(),
        });
        Facts {
            tables: tables.clone(),
            kinds: kinds.collect(),
            pawns: variant
                .kinds()
                .filter(|&kind| variant.piece(kind).pawn)
                .collect(),
            geometry: Geometry::new(variant),
            hardnesses: Hardnesses::new(variant),
            goals: arrivals.chain(releases).collect(),
            promotion,
            several_royals: rules.several_royals,
            traverse: rules.traverse.as_ref().map(|t| (t.piece, t.becomes)),
            citadels: endings.citadels.as_ref().map(sets),
            bare_loses: endings.bare_king,
            move_rule: endings.move_rule,
            repetition: endings.repetition,
        }
    }

    /// Number of squares.
    pub fn squares(&self) -> usize {
        self.tables.square_count()
    }

    /// The kinds for which `wanted` holds.
    pub fn kinds_that(&self, wanted: impl Fn(KindFacts) -> bool) -> Vec<Kind> {
        let kinds = self.kinds.iter().filter(|k| wanted(**k));
        kinds.map(|k| k.kind).collect()
    }

    /// Whether that many half-moves without progress draw.
    #[inline(always)]
    pub fn is_idle(&self, halfmove: u32) -> bool {
        self.move_rule.is_some_and(|rule| halfmove >= rule)
    }
}

impl<S: Set> Geometry<S> {
    fn new(variant: &Arc<Variant>) -> Geometry<S> {
        let frame = variant.frame();
        let places: Vec<(i32, i32)> = frame
            .squares()
            .map(|s| (i32::from(frame.file(s)), i32::from(frame.rank(s))))
            .collect();
        let off = |x: i32, of: u8| (2 * x - (i32::from(of) - 1)).abs() / 2;
        let aside: Vec<i32> = places.iter().map(|p| off(p.0, frame.files())).collect();
        let from_middle: Vec<i32> = places
            .iter()
            .zip(&aside)
            .map(|(p, &aside)| aside.max(off(p.1, frame.ranks())))
            .collect();
        let spread = 2 * from_middle.iter().sum::<i32>() / places.len().max(1) as i32;
        let start = variant.start();
        let is_royal = |s: &Square| {
            start
                .piece_on(*s)
                .is_some_and(|(side, kind)| side == Side::White && variant.piece(kind).royal)
        };
        let royal = frame.squares().find(is_royal);
        Geometry {
            royal_rank: royal.map_or(0, |s| i32::from(frame.rank(s))),
            mirrored: frame
                .squares()
                .map(|s| frame.mirror(s).unwrap_or(s).index())
                .collect(),
            zones: zones(&places),
            ranks: i32::from(frame.ranks()),
            places,
            from_middle,
            aside,
            spread,
        }
    }

    /// The squares for whose file and rank `wanted` holds.
    pub fn squares_that(&self, wanted: impl Fn(i32, i32) -> bool) -> S {
        let is_wanted = |&s: &Square| {
            let (x, y) = self.places[usize::from(s)];
            wanted(x, y)
        };
        S::from_squares(S::lowest(self.places.len()).iter().filter(is_wanted))
    }

    /// Steps of a king from a square to another.
    #[inline(always)]
    pub fn apart(&self, a: Square, b: Square) -> i32 {
        let ((x, y), (u, v)) = (self.places[usize::from(a)], self.places[usize::from(b)]);
        (x - u).abs().max((y - v).abs())
    }

    /// By square: steps of a king over existing squares to the nearest of the goals.
    pub fn steps_to(&self, goals: S) -> Vec<u8> {
        let mut steps = vec![u8::MAX; self.places.len()];
        let (mut wave, mut seen, mut n) = (goals, S::EMPTY, 0);
        while wave.any() {
            let mut next = S::EMPTY;
            for square in wave.iter() {
                steps[usize::from(square)] = n;
                next |= self.zones[usize::from(square)];
            }
            seen |= wave;
            wave = next.without(seen);
            n += 1;
        }
        steps
    }

    /// By side and square: White's value of a square, and Black's of the mirrored one.
    pub fn by_side<T: Clone>(&self, of: impl Fn(usize) -> T) -> [Vec<T>; 2] {
        let white: Vec<T> = (0..self.places.len()).map(of).collect();
        let black = self.mirrored.iter().map(|&s| white[s].clone()).collect();
        [white, black]
    }
}

fn zones<S: Set>(places: &[(i32, i32)]) -> Vec<S> {
    let near = |&(x, y): &(i32, i32)| {
        let close = |&(a, b): &(i32, i32)| (a - x).abs().max((b - y).abs()) <= 1;
        let squares = S::lowest(places.len())
            .iter()
            .filter(|&s| close(&places[usize::from(s)]));
        S::from_squares(squares)
    };
    places.iter().map(near).collect()
}

fn set<'a, S: Set>(squares: impl IntoIterator<Item = &'a Square>) -> S {
    S::from_squares(squares.into_iter().copied())
}

fn sets<S: Set>(squares: &SideSquares) -> [S; 2] {
    Side::ALL.map(|side| set(&squares[side.index()]))
}

/// Bit of a state flag, 0 if the game does not have it.
fn flag(variant: &Variant, wanted: StateFlag) -> u16 {
    let flags = variant.state_flags().iter();
    let at = flags.enumerate().find(|(_, (_, flag))| *flag == wanted);
    at.map_or(0, |(i, _)| 1 << i)
}
