//! Tests of the engine's parts, each in isolation; whole searches are in `tests/` of the crate.

use crate::exchange::Exchanges;
use crate::facts::Facts;
use crate::random::Random;
use crate::values::{Values, estimate};
use husun::Variant;
use husun::set::Set;
use husun::tables::Tables;
use positions::{all_games, random_positions};
use std::sync::Arc;

mod evaluation;
mod exchanges;
mod judge;
mod picker;
mod positions;
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
