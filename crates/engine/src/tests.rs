//! Tests of the engine's parts, each in isolation; whole searches are in `tests/` of the crate.

use crate::exchange::Exchanges;
use crate::facts::Facts;
use crate::random::Random;
use crate::values::{Values, estimate};
use husun::set::Set;
use husun::tables::Tables;
use husun::{Position, Status, Variant};
use std::sync::Arc;

mod evaluation;
mod exchanges;
mod judge;
mod network;
mod picker;
mod time;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Calls a function that is generic over the width with a game, its tables and more.
macro_rules! at_width {
    ($f:ident, $variant:expr $(, $more:expr)*) => {
        if let Some(t) = $variant.at_width::<husun::set::Words<1>>() {
            $f(&$variant, t $(, $more)*)
        } else if let Some(t) = $variant.at_width::<husun::set::Words<2>>() {
            $f(&$variant, t $(, $more)*)
        } else {
            let t = $variant.at_width::<husun::set::Words<3>>();
            $f(&$variant, t.expect("one of three widths") $(, $more)*)
        }
    };
}
use at_width;

/// A game and its estimated piece values.
struct Parts<S: Set> {
    facts: Arc<Facts<S>>,
    exchanges: Arc<Exchanges<S>>,
    values: Values,
}

impl<S: Set> Parts<S> {
    fn new(variant: &Arc<Variant>, tables: &Arc<Tables<S>>) -> Parts<S> {
        let values = estimate(variant);
        let facts = Arc::new(Facts::new(variant, tables));
        Parts {
            exchanges: Arc::new(Exchanges::new(variant, &facts, &values)),
            facts,
            values,
        }
    }
}

fn all_games() -> impl Iterator<Item = Arc<Variant>> {
    games::ids().filter_map(games::variant)
}

/// Positions at most `plies` random moves after the set-up; the same in every run.
fn random_positions(game: &Arc<Variant>, count: usize, plies: u64) -> Vec<Position> {
    let mut random = Random::new(0x0070_6172_7473);
    let walk = |_| {
        let mut position = game.start();
        for _ in 0..random.below(plies) {
            let moves = position.legal_moves();
            let next = position.play_unchecked(moves[random.below(moves.len() as u64) as usize]);
            if next.status() != Status::Ongoing {
                break;
            }
            position = next;
        }
        position
    };
    (0..count).map(walk).collect()
}
