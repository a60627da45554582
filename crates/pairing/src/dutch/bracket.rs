//! A bracket: the best of all its pairings by the criteria, and among the best the one that the handbook's procedure
//! would reach first. Articles 2 to 4 of C.04.3.
//!
//! The procedure tries candidates in an order of its own until one is perfect. Here criteria and order are one list of
//! wishes, settled by matchings (see [`super::ladder`]), with the same result.
//!
//! What happens below the bracket (C4, C8) is examined only as far as needed. At first it is assumed that the floaters
//! can be paired below as well as possible; if that turns out true, nothing else could have been better. If not, the
//! next bracket is added to the graph, and finally all the remaining ones.

use super::completion::{Bye, Layer, Seat, completes, next_is_ideal, perfect};
use super::field::{Field, Float};
use super::ladder::{Crowded, HINT, Ladder, Wish};
use super::order;
use std::rc::Rc;

/// The players that a bracket is about. All are positions in the order of the field.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bracket<'a> {
    pub(super) field: &'a Field,
    /// Those moved down, then the residents, in order.
    pub(super) here: &'a [usize],
    /// How many are moved down.
    pub(super) moved: usize,
    /// The next score group.
    pub(super) next: &'a [usize],
    /// All further down.
    pub(super) below: &'a [usize],
    /// The bye, if somebody not yet paired is going to have it.
    pub(super) bye: Option<Bye>,
}

/// How far the graph reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Reach {
    Bracket,
    Next,
    All,
}

/// Pairs of a bracket, and who floats.
#[derive(Clone, Debug, Default)]
pub(super) struct Paired {
    pub(super) pairs: Vec<(usize, usize)>,
    pub(super) floaters: Vec<usize>,
}

/// The graph of a bracket: its vertices, the bracket's own ones first.
pub(super) struct Graph<'a> {
    bracket: Bracket<'a>,
    seats: Vec<(Seat, Layer)>,
    /// Whether there is a partner at all: in the bracket, and in it or the next. A player without one floats in any
    /// case, and need not be weighed.
    partner: Vec<[bool; 2]>,
}

impl Bracket<'_> {
    /// Pairs it.
    pub(super) fn pair(&self) -> Result<Paired, Crowded> {
        let here = self.here;
        let meets = |j: usize| {
            let partners = &here[..j];
            j >= self.moved && partners.iter().any(|&i| self.field.may_meet(i, here[j]))
        };
        if !(0..here.len()).any(meets) {
            // All float: there is nothing to decide.
            return Ok(Paired {
                pairs: Vec::new(),
                floaters: here.to_vec(),
            });
        }
        let last = self.next.is_empty();
        if !last {
            for reach in [Reach::Bracket, Reach::Next] {
                let (paired, open) = self.within(reach)?;
                let granted = match reach {
                    Reach::Bracket => next_is_ideal(
                        self.field,
                        &paired.floaters,
                        self.next,
                        self.below,
                        self.bye,
                    ),
                    _ => completes(self.field, &[&open, self.below].concat(), self.bye),
                };
                if granted {
                    return Ok(paired);
                }
            }
        }
        self.within(Reach::All).map(|(paired, _)| paired)
    }

    /// The best pairing as far as the graph knows, and the players of the graph who are in no pair of it.
    fn within(&self, reach: Reach) -> Result<(Paired, Vec<usize>), Crowded> {
        let graph = Graph::new(*self, reach);
        let mut ladder = graph.ladder();
        let wishes = graph.criteria(reach);
        ladder.settle(&wishes, &|i, j| graph.natural(i, j))?;
        let inside = order::first(&graph, &mut ladder)?;
        let mut floats = vec![true; self.here.len()];
        let mut paired = Paired::default();
        for (i, j) in inside {
            floats[i] = false;
            floats[j] = false;
            paired.pairs.push((self.here[i], self.here[j]));
        }
        let floating = (0..self.here.len()).filter(|&i| floats[i]);
        paired.floaters = floating.map(|i| self.here[i]).collect();
        let seats = graph.seats.iter().enumerate();
        let open = seats.filter_map(|(v, (seat, _))| match seat {
            Seat::Player(p) if ladder.mate(v).is_none() => Some(*p),
            _ => None,
        });
        let open = open.collect();
        Ok((paired, open))
    }

    /// Whether exactly one player can float, who then gets the bye: where C9 applies. By C5 nobody below can have it
    /// if somebody with the score of the residents or more is to have it.
    fn floats_the_bye(&self) -> Option<Bye> {
        let bye = self.bye?;
        let resident = self.field.players[*self.here.last()?].score;
        if resident > bye.score || self.here.len().is_multiple_of(2) {
            return None;
        }
        let graph = Graph::new(
            Bracket {
                next: &[],
                below: &[],
                ..*self
            },
            Reach::All,
        );
        let rest = [self.next, self.below].concat();
        let alone = graph.is_perfect() && completes(self.field, &rest, None);
        alone.then_some(bye)
    }
}

impl<'a> Graph<'a> {
    fn new(bracket: Bracket<'a>, reach: Reach) -> Self {
        let player = |layer: Layer| move |&p: &usize| (Seat::Player(p), layer);
        let mut seats: Vec<_> = bracket.here.iter().map(player(Layer::Here)).collect();
        if reach >= Reach::Next {
            seats.extend(bracket.next.iter().map(player(Layer::Next)));
        }
        if reach == Reach::All {
            seats.extend(bracket.below.iter().map(player(Layer::Below)));
            seats.extend(bracket.bye.map(|_| (Seat::Bye, Layer::Below)));
        }
        let mut graph = Self {
            bracket,
            partner: vec![[false; 2]; seats.len()],
            seats,
        };
        let (here, near) = (graph.here(), graph.near());
        for j in 0..near {
            for i in (0..j).filter(|&i| i < here || j >= here) {
                if graph.possible(i, j) {
                    for v in [i, j] {
                        graph.partner[v][0] |= j < here;
                        graph.partner[v][1] = true;
                    }
                }
            }
        }
        graph
    }

    /// How many vertices belong to the bracket.
    pub(super) fn here(&self) -> usize {
        self.bracket.here.len()
    }

    /// How many of them were moved down.
    pub(super) fn moved(&self) -> usize {
        self.bracket.moved
    }

    /// Whether the two can be a pair. Players moved down play residents.
    fn possible(&self, i: usize, j: usize) -> bool {
        let ((one, _), (other, _)) = (self.seats[i], self.seats[j]);
        i.max(j) >= self.moved() && one.meets(other, self.bracket.field, self.bracket.bye)
    }

    /// Whether the pairing of all is possible.
    fn is_perfect(&self) -> bool {
        let len = self.seats.len();
        let possible = |i: usize, j: usize| self.possible(i, j);
        len.is_multiple_of(2) && perfect(len, &possible)
    }

    /// The graph as a ladder that starts with the pairs that would come first if nothing stood in the way.
    fn ladder(&self) -> Ladder {
        let mut mates = vec![None; self.seats.len()];
        let (here, moved) = (self.here(), self.moved());
        let mut tie = |i: usize, j: usize| {
            if j < here && self.possible(i, j) {
                mates[i] = Some(j);
                mates[j] = Some(i);
            }
        };
        let down = moved.min(here - moved);
        for i in 0..down {
            tie(i, moved + i);
        }
        let rest = moved + down;
        let half = (here - rest) / 2;
        for i in rest..rest + half {
            tie(i, i + half);
        }
        Ladder::new(self.seats.len(), |i, j| self.possible(i, j), mates)
    }

    /// How far a pair is from the one that would come first if nothing stood in the way.
    fn natural(&self, i: usize, j: usize) -> u64 {
        let (here, moved) = (self.here(), self.moved());
        if j >= here {
            return 0;
        }
        let expected = if i < moved {
            moved + i
        } else {
            i + here.saturating_sub(2 * moved) / 2
        };
        let away = j.abs_diff(expected) as u64;
        (away * away).min(HINT - 1)
    }

    fn player(&self, vertex: usize) -> Option<&super::field::Player> {
        match self.seats[vertex].0 {
            Seat::Player(p) => Some(&self.bracket.field.players[p]),
            Seat::Bye => None,
        }
    }

    fn score(&self, vertex: usize) -> Option<i64> {
        self.player(vertex).map(|p| p.score)
    }

    fn floated(&self, vertex: usize, back: usize, float: Float) -> bool {
        self.player(vertex)
            .is_some_and(|p| p.floats[back] == Some(float))
    }

    /// A cost for everybody of the bracket who floats without having to.
    pub(super) fn floating<'w>(&'w self, cost: impl Fn(usize) -> u64 + 'w) -> Wish<'w> {
        self.outside(self.here(), move |v| {
            u64::from(self.partner[v][0]) * cost(v)
        })
    }

    /// A cost for everybody of the bracket or the next who is not paired within these, without having to be.
    fn leaving<'w>(&'w self, cost: impl Fn(usize) -> u64 + 'w) -> Wish<'w> {
        self.outside(self.near(), move |v| {
            u64::from(self.partner[v][1]) * cost(v)
        })
    }

    /// A cost for those of the first vertices who are not paired among themselves.
    fn outside<'w>(&'w self, first: usize, cost: impl Fn(usize) -> u64 + 'w) -> Wish<'w> {
        let costs: Rc<[u64]> = (0..first).map(cost).collect();
        let most = costs.iter().sum();
        let alone = Rc::clone(&costs);
        Wish {
            pair: Box::new(move |i, j| {
                if j < first {
                    0
                } else {
                    costs.get(i).copied().unwrap_or(0)
                }
            }),
            alone: Box::new(move |v| alone.get(v).copied().unwrap_or(0)),
            most,
            least: 0,
        }
    }

    /// The same with a cost of 1 each: with an odd number one has to be outside.
    fn fewest(wish: Wish<'_>) -> Wish<'_> {
        Wish {
            least: wish.most % 2,
            ..wish
        }
    }

    /// How many vertices belong to the bracket or the next.
    fn near(&self) -> usize {
        let near = self.seats.iter();
        near.take_while(|(_, layer)| *layer < Layer::Below).count()
    }

    /// A cost for pairs within the bracket.
    pub(super) fn pairing<'w>(
        &'w self,
        most: u64,
        cost: impl Fn(usize, usize) -> u64 + 'w,
    ) -> Wish<'w> {
        let here = self.here();
        Wish {
            pair: Box::new(move |i, j| if j < here { cost(i, j) } else { 0 }),
            alone: Box::new(|_| 0),
            most,
            least: 0,
        }
    }

    /// A cost for a resident who is not the upper player of a pair within the bracket.
    pub(super) fn not_upper<'w>(&'w self, vertex: usize) -> Wish<'w> {
        let here = self.here();
        Wish {
            pair: Box::new(move |i, j| u64::from(j == vertex || (i == vertex && j >= here))),
            alone: Box::new(move |v| u64::from(v == vertex)),
            most: 1,
            least: 0,
        }
    }

    /// The criteria as wishes, the most important first.
    fn criteria(&self, reach: Reach) -> Vec<Wish<'_>> {
        let mut wishes = Vec::new();
        let bracket = self.bracket;
        let (here, moved) = (self.here(), self.moved());
        let pairs = (here / 2) as u64;
        // C4, with C1 to C3 and C5 in what is possible at all.
        if reach == Reach::All {
            wishes.push(Wish {
                pair: Box::new(|_, _| 0),
                alone: Box::new(|_| 1),
                most: self.seats.len() as u64,
                least: 0,
            });
        }
        let bye = bracket.floats_the_bye();
        if let Some(bye) = bye {
            let barred = move |v: usize| u64::from(!bye.fits(bracket.field, bracket.here[v]));
            wishes.push(self.floating(barred));
        }
        // C6.
        wishes.push(Self::fewest(self.floating(|_| 1)));
        // C7: the residents' number follows from those of all others.
        let scores = self.scores(0..moved);
        let of = |v: usize, score: i64| u64::from(self.score(v) == Some(score));
        for &score in &scores {
            wishes.push(self.floating(move |v| of(v, score)));
        }
        // C8: C6 and C7 of the next bracket.
        if reach >= Reach::Next && !bracket.next.is_empty() {
            wishes.push(Self::fewest(self.leaving(|_| 1)));
            for &score in &self.scores(0..here) {
                wishes.push(self.leaving(move |v| of(v, score)));
            }
        }
        // C9.
        if bye.is_some() {
            let unplayed = |v: usize| self.player(v).map_or(0, |p| p.unplayed);
            wishes.push(self.floating(unplayed));
        }
        // C10 to C13.
        let clashes = self.clashes();
        for criterion in 0..4 {
            let clashes = clashes.clone();
            let cost = move |i: usize, j: usize| u64::from(clashes[i * here + j][criterion]);
            wishes.push(self.pairing(2 * pairs, cost));
        }
        // C14 to C17.
        for back in 0..2 {
            let down = move |v: usize| self.floated(v, back, Float::Down);
            let up = move |v: usize| self.floated(v, back, Float::Up);
            wishes.push(self.floating(move |v| u64::from(v >= moved && down(v))));
            wishes.push(self.pairing(pairs, move |i, j| u64::from(i < moved && up(j))));
        }
        // C18 to C21: score differences in descending order, those of floaters before all others.
        for back in 0..2 {
            let down = move |v: usize| self.floated(v, back, Float::Down);
            let up = move |v: usize| self.floated(v, back, Float::Up);
            for &score in &scores {
                wishes.push(self.floating(move |v| u64::from(v < moved && down(v)) * of(v, score)));
            }
            for &score in &scores {
                let cost = move |i: usize, j: usize| u64::from(i < moved && up(j)) * of(i, score);
                wishes.push(self.pairing(pairs, cost));
            }
        }
        wishes
    }

    /// Scores of part of the bracket, each once, the highest first.
    fn scores(&self, of: std::ops::Range<usize>) -> Vec<i64> {
        let mut scores: Vec<i64> = of.filter_map(|v| self.score(v)).collect();
        scores.dedup();
        scores
    }

    fn clashes(&self) -> Rc<[super::colours::Clashes]> {
        let (field, here) = (self.bracket.field, self.bracket.here);
        let each = |i: usize| {
            here.iter().enumerate().map(move |(j, &b)| {
                if i < j {
                    field.clashes(here[i], b)
                } else {
                    [0; 4]
                }
            })
        };
        (0..here.len()).flat_map(each).collect()
    }
}
