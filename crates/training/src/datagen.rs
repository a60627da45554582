//! Making positions: games of self-play are added to a file until it has as many as are wanted.

use crate::data::{DataError, GameRecords, Had, Settings, Writer};
use engine::Engine;
use engine::selfplay::{self, Effort, Terms};
use husun::Variant;
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::Path;

/// What is to be made.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// How the games are played.
    pub settings: Settings,
    /// How many positions the file shall have.
    pub positions: u64,
    /// Games at the same time.
    pub threads: usize,
}

/// Plays until the file has enough positions. `make` makes an engine of the game; `report` is told how many positions
/// there are now, and breaks off. A game depends on its number alone, so a file that was interrupted goes on as if it
/// had not been. One that another judge has begun is refused.
pub fn run(
    path: &Path,
    variant: &Variant,
    wanted: Wanted,
    make: impl Fn() -> Engine + Sync,
    report: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Result<Had, DataError> {
    let (mut writer, mut had) = Writer::open(path, variant, wanted.settings, make().judge())?;
    if had.positions >= wanted.positions || report(had.positions).is_break() {
        return Ok(had);
    }
    let Settings {
        nodes,
        opening,
        seed,
    } = wanted.settings;
    let done: HashSet<u64> = had.games.iter().copied().collect();
    let mut failed = Ok(());
    selfplay::many(
        wanted.threads,
        (0..).filter(|number| !done.contains(number)),
        make,
        |engine, number| {
            let seed = seed.wrapping_mul(1 << 32).wrapping_add(number);
            let terms = Terms {
                effort: Effort::About(nodes),
                opening: opening.of(seed),
            };
            GameRecords::of(number, &selfplay::play(engine, terms, seed))
        },
        &mut |number, game| {
            failed = writer.add(&game);
            had.games.push(number);
            had.positions += game.records.len() as u64;
            let enough = had.positions >= wanted.positions || failed.is_err();
            match report(had.positions) {
                ControlFlow::Continue(()) if !enough => ControlFlow::Continue(()),
                _ => ControlFlow::Break(()),
            }
        },
    );
    failed.map(|()| had)
}
