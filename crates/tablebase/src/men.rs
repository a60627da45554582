//! Sets of men: which there are, their names, and the number of each arrangement of them.

use husun::pos::Pos;
use husun::set::Set;
use husun::{Kind, Side, Square, Variant};

/// The most men of a table.
pub const MOST_MEN: usize = 4;

/// Men of both sides, White's first, of each side in the order of the game's kinds.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Men(Vec<(Side, Kind)>);

impl Men {
    /// A set of men, in any order.
    pub fn new(mut men: Vec<(Side, Kind)>) -> Men {
        men.sort_unstable();
        Men(men)
    }

    /// All sets of up to so many men that a position of the game can have, those of fewer men first.
    pub fn all(variant: &Variant, most: usize) -> Vec<Men> {
        let each: Vec<(Side, Kind)> = Side::ALL
            .into_iter()
            .flat_map(|side| variant.kinds().map(move |kind| (side, kind)))
            .collect();
        let mut sets: Vec<Men> = vec![];
        let mut last: Vec<Vec<usize>> = vec![vec![]];
        for _ in 0..most {
            let longer = |set: &Vec<usize>| {
                let from = set.last().copied().unwrap_or(0);
                let set = set.clone();
                (from..each.len()).map(move |man| [&set[..], &[man]].concat())
            };
            last = last.iter().flat_map(longer).collect();
            let men = |set: &Vec<usize>| Men(set.iter().map(|&man| each[man]).collect());
            sets.extend(last.iter().map(men).filter(|men| men.has_royals(variant)));
        }
        sets
    }

    /// Whether each side has the royal pieces that a position needs. The rules have the last word on every
    /// arrangement; this only leaves out sets of which no arrangement is a position.
    fn has_royals(&self, variant: &Variant) -> bool {
        let royals: Vec<Kind> = variant
            .kinds()
            .filter(|&k| variant.piece(k).royal)
            .collect();
        Side::ALL.into_iter().all(|side| {
            let count = |kind: Kind| self.0.iter().filter(|&&man| man == (side, kind)).count();
            let all: usize = royals.iter().map(|&kind| count(kind)).sum();
            match (royals.is_empty(), variant.rules().several_royals) {
                (true, _) => true,
                (false, false) => all == 1,
                (false, true) => all >= 1 && royals.iter().all(|&kind| count(kind) <= 1),
            }
        })
    }

    /// The men, in their order.
    pub fn list(&self) -> &[(Side, Kind)] {
        &self.0
    }

    /// The name: letters of White's men, `v`, letters of Black's, as `KQvK`.
    pub fn name(&self, variant: &Variant) -> String {
        let of = |side: Side| {
            let own = self.0.iter().filter(move |man| man.0 == side);
            own.map(|&(_, kind)| variant.piece(kind).letter)
                .collect::<String>()
        };
        format!("{}v{}", of(Side::White), of(Side::Black))
    }

    /// The set with a [name](Men::name), if a position of the game can have it; letters in any order.
    pub fn named(variant: &Variant, name: &str) -> Option<Men> {
        let (white, black) = name.split_once('v')?;
        let of = |side, letters: &str| {
            let kind = |c: char| Some((side, variant.kind(c).filter(|_| c.is_uppercase())?));
            letters.chars().map(kind).collect::<Option<Vec<_>>>()
        };
        let men = [of(Side::White, white)?, of(Side::Black, black)?].concat();
        let fits = !men.is_empty() && men.len() <= MOST_MEN;
        Some(Men::new(men)).filter(|men| fits && men.has_royals(variant))
    }

    /// How many arrangements are numbered: both sides to move, every man on every square.
    pub fn arrangements(&self, squares: usize) -> usize {
        2 * squares.pow(self.0.len() as u32)
    }

    /// The number of an arrangement; `at` has the men's squares in their order. Equal men are put in order of
    /// their squares.
    pub(crate) fn number(&self, squares: usize, turn: Side, at: &mut [Square]) -> usize {
        for i in 1..at.len() {
            let mut j = i;
            while j > 0 && self.0[j - 1] == self.0[j] && at[j - 1] > at[j] {
                at.swap(j - 1, j);
                j -= 1;
            }
        }
        at.iter().fold(turn.index(), |n, s| n * squares + s.index())
    }

    /// The arrangement with a number. None if two men are on one square or equal men out of order.
    pub(crate) fn arrangement(
        &self,
        squares: &[Square],
        number: usize,
        at: &mut [Square],
    ) -> Option<Side> {
        let mut rest = number;
        for place in at.iter_mut().rev() {
            *place = squares[rest % squares.len()];
            rest /= squares.len();
        }
        for i in 0..at.len() {
            for j in 0..i {
                if at[i] == at[j] || (self.0[i] == self.0[j] && at[j] > at[i]) {
                    return None;
                }
            }
        }
        Some(Side::ALL[rest])
    }

    /// The men of a position and the squares on which they stand, in their order.
    pub(crate) fn of<S: Set>(pos: &Pos<S>) -> (Men, Vec<Square>) {
        let all = pos.occupied().iter().filter_map(|square| {
            let (side, kind) = pos.piece_on(square)?;
            Some((side, kind, square))
        });
        Men::standing(all.collect())
    }

    /// Men on squares, in any order: the set, and the squares in its order.
    pub(crate) fn standing(mut all: Vec<(Side, Kind, Square)>) -> (Men, Vec<Square>) {
        all.sort_unstable();
        let men = all.iter().map(|&(side, kind, _)| (side, kind)).collect();
        (Men(men), all.iter().map(|man| man.2).collect())
    }
}
