//! What a puzzle is about, told from the moves of its line alone.

use crate::puzzle::Puzzle;
use engine::values::Values;
use husun::{Kind, Move, Position, Reason, Variant};
use lessons::Act;

/// Something that a puzzle is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// The kind that makes the last move.
    Piece(Kind),
    /// What a move of the solver does besides going to its square.
    Act(Act),
    /// An ending other than checkmate.
    Ending(Reason),
    /// A move of the solver puts a piece where it is taken, or leaves one there, for less than it is worth.
    Sacrifice,
    /// The first move neither captures nor gives check.
    Quiet,
    /// The last move gives check by a piece other than the one that moved.
    Discovered,
}

impl Theme {
    /// Its name; pieces have those of the game.
    pub fn name(self, variant: &Variant) -> String {
        match self {
            Theme::Piece(kind) => variant.piece(kind).name.clone(),
            Theme::Act(act) => act.name().into(),
            Theme::Ending(reason) => reason.name().into(),
            Theme::Sacrifice => "sacrifice".into(),
            Theme::Quiet => "quiet move".into(),
            Theme::Discovered => "discovered check".into(),
        }
    }
}

/// The themes of a puzzle, each once.
pub(crate) fn of(puzzle: &Puzzle, values: &Values) -> Vec<Theme> {
    let game = puzzle.game();
    let mut all = Vec::new();
    let mut add = |theme| {
        if !all.contains(&theme) {
            all.push(theme);
        }
    };
    let moves = puzzle.line();
    let steps: Vec<(&Position, Move)> = (0..)
        .zip(moves)
        .filter_map(|(ply, &m)| Some((game.position_at(ply)?, m)))
        .collect();
    if let Some(&(before, last)) = steps.last() {
        if !last.is_whole_act() {
            add(Theme::Piece(last.placed()));
        }
        if is_discovered(before, last) {
            add(Theme::Discovered);
        }
    }
    match puzzle.outcome().reason {
        Reason::Checkmate => {}
        reason => add(Theme::Ending(reason)),
    }
    for (position, m) in steps.iter().step_by(2) {
        for act in lessons::acts(position, *m) {
            if act != Act::InitialStep {
                add(Theme::Act(act));
            }
        }
    }
    let variant = puzzle.variant();
    let worth = |kind: Kind| values.piece(variant, kind).mg;
    for pair in steps.windows(2).step_by(2) {
        let [(before, own), (after, reply)] = pair else {
            continue;
        };
        let won = before.captured(*own).map_or(0, |(_, _, kind)| worth(kind));
        let lost = after.captured(*reply).map_or(0, |(_, _, kind)| worth(kind));
        if lost > won + least(variant, worth) {
            add(Theme::Sacrifice);
        }
    }
    if let Some(&(position, first)) = steps.first() {
        let after = position.play_unchecked(first);
        if !position.is_capture(first) && !after.in_check() {
            add(Theme::Quiet);
        }
    }
    all
}

/// The least that a piece is worth.
fn least(variant: &Variant, worth: impl Fn(Kind) -> i32) -> i32 {
    let kinds = variant.kinds().filter(|&k| !variant.piece(k).royal);
    kinds.map(worth).min().unwrap_or(0)
}

/// Whether a move gives check, and not by the piece that moved.
fn is_discovered(before: &Position, m: Move) -> bool {
    let after = before.play_unchecked(m);
    let side = before.turn();
    let Some(royal) = after.royal_square(side.opponent()) else {
        return false;
    };
    if !after.in_check() || m.is_whole_act() {
        return false;
    }
    let standing = |square| after.piece_on(square).map(|(side, _)| side);
    let targets = before.variant().targets(side, m.placed(), m.to(), standing);
    !targets.iter().any(|t| t.to == royal && t.capture)
}
