//! Which of the pairings that are equal by all criteria comes first: the sequence of candidates (articles 3 and 4).
//!
//! Each step decides something small: whether a player is paired, who is exchanged, who is whose opponent. What the
//! known matching already does as well as possible costs nothing; otherwise as many decisions as fit go into the next
//! one.

use super::bracket::Graph;
use super::ladder::{Crowded, HINT, Ladder, Wish};

/// The first of the best pairings: its pairs within the bracket, the higher one first.
pub(super) fn first(
    graph: &Graph<'_>,
    ladder: &mut Ladder,
) -> Result<Vec<(usize, usize)>, Crowded> {
    let (here, moved) = (graph.here(), graph.moved());
    let mut pairs = Vec::with_capacity(here / 2);
    let down = paired_down(graph, ladder)?;
    let residents: Vec<usize> = (moved..here).collect();
    opponents(graph, ladder, &down, &residents, &mut pairs)?;
    let mut busy = vec![false; here];
    pairs.iter().for_each(|&(_, j)| busy[j] = true);
    let free: Vec<usize> = residents.into_iter().filter(|&v| !busy[v]).collect();
    let (upper, lower) = halves(graph, ladder, &free)?;
    opponents(graph, ladder, &upper, &lower, &mut pairs)?;
    Ok(pairs)
}

/// Which of the players moved down are paired (article 4.4): the first set by number.
fn paired_down(graph: &Graph<'_>, ladder: &mut Ladder) -> Result<Vec<usize>, Crowded> {
    let here = graph.here();
    let mut paired = Vec::new();
    let wish = |i: usize| graph.floating(move |v| u64::from(v == i));
    decide(
        ladder,
        &(0..graph.moved()).collect::<Vec<_>>(),
        &wish,
        &mut |ladder, i| {
            let inside = ladder.mate(i).is_some_and(|mate| mate < here);
            for j in i + 1..ladder.len() {
                if (j < here) != inside {
                    ladder.forbid(i, j);
                }
            }
            if inside {
                ladder.keep(i);
                paired.push(i);
            }
            Next::GoOn
        },
    )?;
    Ok(paired)
}

/// Upper and lower players of the pairs to be made from `free` (and those who are in none): the two halves, except for
/// players exchanged (article 4.3).
fn halves(
    graph: &Graph<'_>,
    ladder: &mut Ladder,
    free: &[usize],
) -> Result<(Vec<usize>, Vec<usize>), Crowded> {
    let here = graph.here();
    let is_upper =
        |ladder: &Ladder, v: usize| ladder.mate(v).is_some_and(|mate| mate > v && mate < here);
    let split = |ladder: &Ladder| free.iter().partition(|&&v| is_upper(ladder, v));
    let (upper, _): (Vec<usize>, Vec<usize>) = split(ladder);
    let (first, second) = free.split_at(upper.len());
    let mut place = vec![0u64; here];
    for (at, &v) in free.iter().enumerate() {
        place[v] = at as u64;
    }
    let size = free.len() as u64;
    let half = upper.len() as u64;
    // What is settled here is of no use once the exchanged players are known.
    let mut trial = ladder.clone();
    let none = |_: usize, _: usize| 0;
    let number = graph.pairing(size, |i, _| u64::from(place[i] >= half));
    trial.settle(&[number], &none)?;
    let exchanged = second.iter().filter(|&&v| is_upper(&trial, v)).count();
    if exchanged > 0 {
        let sum = graph.pairing(half * size, |i, _| place[i]);
        trial.settle(&[sum], &none)?;
        // The last ones of the first half go.
        let mut open = exchanged;
        let from_below: Vec<usize> = first.iter().rev().copied().collect();
        let stays = |v: usize| graph.pairing(1, move |i, _| u64::from(i == v));
        decide(&mut trial, &from_below, &stays, &mut |trial, v| {
            let stays = is_upper(trial, v);
            settle_half(graph, trial, v, stays);
            open -= usize::from(!stays);
            Next::unless(open == 0)
        })?;
        // The first ones of the second half come.
        let mut open = exchanged;
        let comes = |v: usize| graph.not_upper(v);
        decide(&mut trial, second, &comes, &mut |trial, v| {
            let comes = is_upper(trial, v);
            settle_half(graph, trial, v, comes);
            open -= usize::from(comes);
            Next::unless(open == 0)
        })?;
    }
    let halves = split(&trial);
    ladder.adopt(&trial);
    Ok(halves)
}

/// Makes `v` the upper player of its pair, or excludes that.
fn settle_half(graph: &Graph<'_>, ladder: &mut Ladder, v: usize, upper: bool) {
    if upper {
        ladder.keep(v);
        (0..v).for_each(|i| ladder.forbid(i, v));
        (graph.here()..ladder.len()).for_each(|j| ladder.forbid(v, j));
    } else {
        (v + 1..graph.here()).for_each(|j| ladder.forbid(v, j));
    }
}

/// Gives each of `upper` in turn the first opponent from `lower` that the best pairings have for it (article 4.2).
fn opponents(
    graph: &Graph<'_>,
    ladder: &mut Ladder,
    upper: &[usize],
    lower: &[usize],
    pairs: &mut Vec<(usize, usize)>,
) -> Result<(), Crowded> {
    let mut below = vec![None; ladder.len()];
    let mut above = vec![0; ladder.len()];
    lower
        .iter()
        .enumerate()
        .for_each(|(at, &v)| below[v] = Some(at));
    upper.iter().enumerate().for_each(|(at, &v)| above[v] = at);
    for &i in upper {
        ladder.keep(i);
        (0..i).for_each(|j| ladder.forbid(j, i));
        let later = below.iter().enumerate().skip(i + 1);
        for (j, _) in later.filter(|(_, place)| place.is_none()) {
            ladder.forbid(i, j);
        }
    }
    let hint = |i: usize, j: usize| {
        let away = below[j].map_or(0, |j| above[i].abs_diff(j) as u64);
        (away * away).min(HINT - 1)
    };
    let mut left = upper;
    while let [i, rest @ ..] = left {
        let first = lower.iter().copied().find(|&j| ladder.possible(*i, j));
        if ladder.mate(*i) == first {
            take(ladder, *i, pairs);
            left = rest;
            continue;
        }
        let mut wishes = Vec::new();
        let mut room = ladder.room();
        for &i in left {
            let options = lower.iter().copied().filter(|&j| ladder.possible(i, j));
            let mut places = vec![0u64; ladder.len()];
            let mut last = 0;
            for (place, j) in (0..).zip(options) {
                places[j] = place;
                last = place;
            }
            room /= i128::from(last) + 1;
            if room == 0 {
                break;
            }
            let cost = move |a: usize, j: usize| if a == i { places[j] } else { 0 };
            wishes.push(graph.pairing(last, cost));
        }
        if wishes.is_empty() {
            return Err(Crowded);
        }
        ladder.look(&wishes, &hint);
        let (now, later) = left.split_at(wishes.len());
        now.iter().for_each(|&i| take(ladder, i, pairs));
        left = later;
    }
    Ok(())
}

fn take(ladder: &mut Ladder, i: usize, pairs: &mut Vec<(usize, usize)>) {
    if let Some(j) = ladder.mate(i) {
        ladder.join(i, j);
        pairs.push((i, j));
    }
}

/// Whether there is more to decide.
#[derive(Clone, Copy, PartialEq)]
enum Next {
    GoOn,
    Stop,
}

impl Next {
    fn unless(done: bool) -> Self {
        if done { Self::Stop } else { Self::GoOn }
    }
}

/// Settles one wish for each of `of` in turn, which costs 0 or 1, and has `fix` make the outcome a fact of the graph.
fn decide<'a>(
    ladder: &mut Ladder,
    of: &[usize],
    wish: &dyn Fn(usize) -> Wish<'a>,
    fix: &mut dyn FnMut(&mut Ladder, usize) -> Next,
) -> Result<(), Crowded> {
    let mut left = of;
    while let [v, ..] = left {
        let mut count = 1;
        if ladder.value(&wish(*v)) > 0 {
            let mut room = ladder.room();
            let fits = |_: &&usize| {
                room /= 2;
                room > 0
            };
            let wishes: Vec<_> = left.iter().take_while(fits).map(|&v| wish(v)).collect();
            ladder.look(&wishes, &|_, _| 0);
            count = wishes.len();
            if count == 0 {
                return Err(Crowded);
            }
        }
        for &v in &left[..count] {
            if fix(ladder, v) == Next::Stop {
                return Ok(());
            }
        }
        left = &left[count..];
    }
    Ok(())
}
