//! Sets of men: which there are, their names, and the number of each arrangement of them.

use husun::pos::Pos;
use husun::set::Set;
use husun::variant::StateFlag;
use husun::{Kind, Side, Square, Variant};

/// The most men of a table.
pub const MOST_MEN: usize = 4;

/// Men of both sides, White's first, of each side in the order of the game's kinds, and what the state field says of
/// them.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Men {
    men: Vec<(Side, Kind)>,
    /// As in [`husun::Setup`].
    state: u16,
}

/// The letters of state that men of a table may have: all but those of prisoners.
pub(crate) fn known_state(variant: &Variant) -> u16 {
    let flags = variant.state_flags().iter().enumerate();
    let known = flags.filter(|(_, (_, flag))| !matches!(flag, StateFlag::InPrison(..)));
    known.fold(0, |all, (i, _)| all | 1 << i)
}

impl Men {
    /// A set of men, in any order, without letters of state.
    pub fn new(mut men: Vec<(Side, Kind)>) -> Men {
        men.sort_unstable();
        Men { men, state: 0 }
    }

    /// The same men with these letters of state, bits as in [`husun::Setup`].
    #[must_use]
    pub fn in_state(mut self, state: u16) -> Men {
        self.state = state;
        self
    }

    /// The letters of state.
    pub fn state(&self) -> u16 {
        self.state
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
            let men = |set: &Vec<usize>| Men::new(set.iter().map(|&man| each[man]).collect());
            let men = last.iter().map(men).filter(|men| men.has_royals(variant));
            sets.extend(men.flat_map(|men| {
                let states = states(variant).into_iter();
                let men = states.map(move |state| men.clone().in_state(state));
                men.filter(|men| men.fits_state(variant))
            }));
        }
        sets
    }

    /// Whether the letters of state do not contradict the men. The rules have the last word on every arrangement, too.
    fn fits_state(&self, variant: &Variant) -> bool {
        let rules = variant.rules();
        let has = |side, kind| self.men.contains(&(side, kind));
        let any = |kind| Side::ALL.into_iter().any(|side| has(side, kind));
        let traversed = |side| {
            rules
                .traverse
                .as_ref()
                .is_some_and(|t| has(side, t.becomes))
        };
        let is_set = |i: usize| self.state >> i & 1 != 0;
        let mut flags = variant.state_flags().iter().enumerate();
        let mut set = flags.clone().filter(|&(i, _)| is_set(i));
        let crowned = set.any(|(_, f)| f.1 == StateFlag::Crowned);
        flags.all(|(i, &(_, flag))| match flag {
            StateFlag::InPrison(..) => !is_set(i),
            StateFlag::Castled(side) => !is_set(i) || !traversed(side),
            StateFlag::Crowned => rules.crowning.is_none_or(|c| match crowned {
                true => !any(c.piece),
                false => !any(c.becomes),
            }),
            StateFlag::Offer => !is_set(i) || (!crowned && Side::ALL.into_iter().any(traversed)),
            _ => true,
        })
    }

    /// Whether each side has the royal pieces that a position needs. The rules have the last word on every
    /// arrangement; this only leaves out sets of which no arrangement is a position.
    fn has_royals(&self, variant: &Variant) -> bool {
        let royals: Vec<Kind> = variant
            .kinds()
            .filter(|&k| variant.piece(k).royal)
            .collect();
        Side::ALL.into_iter().all(|side| {
            let count = |kind: Kind| self.men.iter().filter(|&&man| man == (side, kind)).count();
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
        &self.men
    }

    /// The name: letters of White's men, `v`, letters of Black's, as `KQvK`; after a side's men `+` and its letters of
    /// state, in uppercase, after Black's those of both: `Q+SvQB`.
    pub fn name(&self, variant: &Variant) -> String {
        let of = |side: Side| {
            let own = self.men.iter().filter(move |man| man.0 == side);
            let men = own.map(|&(_, kind)| variant.piece(kind).letter);
            let state: String = letters(variant, side)
                .filter(|&(bit, _)| self.state & bit != 0)
                .map(|(_, letter)| letter)
                .collect();
            let plus = (!state.is_empty()).then_some('+');
            men.chain(plus).collect::<String>() + &state
        };
        format!("{}v{}", of(Side::White), of(Side::Black))
    }

    /// The set with a [name](Men::name), if a position of the game can have it; letters in any order.
    pub fn named(variant: &Variant, name: &str) -> Option<Men> {
        let (white, black) = name.split_once('v')?;
        let mut state = 0;
        let mut of = |side, text: &str| {
            let (men, plus) = text.split_once('+').unwrap_or((text, ""));
            for c in plus.chars() {
                state |= letters(variant, side).find(|l| l.1 == c)?.0;
            }
            let kind = |c: char| Some((side, variant.kind(c).filter(|_| c.is_uppercase())?));
            men.chars().map(kind).collect::<Option<Vec<_>>>()
        };
        let men = [of(Side::White, white)?, of(Side::Black, black)?].concat();
        let fits = !men.is_empty() && men.len() <= MOST_MEN;
        let men = Some(Men::new(men).in_state(state)).filter(|_| fits);
        men.filter(|men| men.has_royals(variant) && men.fits_state(variant))
    }

    /// How many arrangements are numbered: both sides to move, every man on every square.
    pub fn arrangements(&self, squares: usize) -> usize {
        2 * squares.pow(self.men.len() as u32)
    }

    /// The number of an arrangement; `at` has the men's squares in their order. Equal men are put in order of
    /// their squares.
    pub(crate) fn number(&self, squares: usize, turn: Side, at: &mut [Square]) -> usize {
        for i in 1..at.len() {
            let mut j = i;
            while j > 0 && self.men[j - 1] == self.men[j] && at[j - 1] > at[j] {
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
                if at[i] == at[j] || (self.men[i] == self.men[j] && at[j] > at[i]) {
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
        Men::standing(all.collect(), pos.state())
    }

    /// Men on squares, in any order, with letters of state: the set, and the squares in its order.
    pub(crate) fn standing(mut all: Vec<(Side, Kind, Square)>, state: u16) -> (Men, Vec<Square>) {
        all.sort_unstable();
        let men = all.iter().map(|&(side, kind, _)| (side, kind)).collect();
        (Men { men, state }, all.iter().map(|man| man.2).collect())
    }
}

/// All choices of the letters of state that tables know, none first.
fn states(variant: &Variant) -> Vec<u16> {
    let known = known_state(variant);
    (0..=known).filter(|state| state & !known == 0).collect()
}

/// The letters of state that stand after a side's men, in uppercase, with their bits: its own, after Black's those of
/// both, too.
fn letters(variant: &Variant, side: Side) -> impl Iterator<Item = (u16, char)> {
    let known = known_state(variant);
    let flags = variant.state_flags().iter().enumerate();
    flags.filter_map(move |(i, &(letter, flag))| {
        let of = match flag {
            StateFlag::Castled(side) => side,
            _ => Side::Black,
        };
        (known >> i & 1 != 0 && of == side).then(|| (1 << i, letter.to_ascii_uppercase()))
    })
}
