//! One game between two players, judged by the rules library.

use super::player::{Answer, Clocks, Player, Terms};
use super::process::Fault;
use super::spec::Control;
use husun::{Game, Move, Side};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What an engine did that it must not do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Misdeed {
    /// It ended on its own, or did not answer.
    Crash,
    /// It made a move that is not legal.
    IllegalMove,
    /// Its time ran out.
    TimeLoss,
    /// It said that a game was over that was not.
    WrongClaim,
    /// It refused a legal move or could not play the game.
    Unfit,
}

impl Misdeed {
    pub const NAMES: [(Misdeed, &'static str); 5] = [
        (Misdeed::Crash, "crashes"),
        (Misdeed::IllegalMove, "illegal moves"),
        (Misdeed::TimeLoss, "time losses"),
        (Misdeed::WrongClaim, "wrong claims"),
        (Misdeed::Unfit, "refusals"),
    ];
}

/// What a move took and was thought worth.
#[derive(Clone, Copy, Debug)]
pub struct Note {
    pub spent: Duration,
    pub score: Option<(i32, u32)>,
}

/// A game that has been played.
pub struct Played {
    pub game: Game,
    pub winner: Option<Side>,
    /// Why it ended.
    pub reason: String,
    /// Who did what it must not do, and the particulars.
    pub misdeed: Option<(Side, Misdeed, String)>,
    /// For each move after the opening.
    pub notes: Vec<Note>,
    /// Whether an engine is to be started anew.
    pub broken: [bool; 2],
}

/// How a game is to be played.
pub struct Plan<'a> {
    pub terms: &'a Terms,
    pub opening: &'a [Move],
    /// After so many half-moves the game is a draw.
    pub max_plies: usize,
}

/// What ends a game besides the rules.
enum End {
    Rules,
    Length,
    Misdeed(Side, Misdeed, String, bool),
}

/// Plays a game, White first.
pub fn play(mut game: Game, players: &mut [&mut dyn Player; 2], plan: &Plan) -> Played {
    let mut notes = Vec::new();
    let end = run(&mut game, players, plan, &mut notes);
    let mut broken = [false; 2];
    let (winner, reason, misdeed) = match end {
        End::Rules => {
            let outcome = game.outcome();
            let reason = outcome.map_or("", |o| o.reason.name());
            (outcome.and_then(|o| o.winner), reason.to_owned(), None)
        }
        End::Length => {
            // The game goes on, so it can be given up as a draw.
            let _ = game.abandon(None);
            (None, format!("{} half-moves", plan.max_plies), None)
        }
        End::Misdeed(side, misdeed, what, lost) => {
            broken[side.index()] = lost;
            let winner = Some(side.opponent());
            let _ = match misdeed {
                Misdeed::TimeLoss => game.lose_on_time(side).map(drop),
                _ => game.abandon(winner).map(drop),
            };
            let winner = game.outcome().map_or(winner, |o| o.winner);
            (winner, what.clone(), Some((side, misdeed, what)))
        }
    };
    for (side, player) in Side::ALL.into_iter().zip(players) {
        if !broken[side.index()] {
            broken[side.index()] = player.end(&game).is_err();
        }
    }
    Played {
        game,
        winner,
        reason,
        misdeed,
        notes,
        broken,
    }
}

fn at_fault(side: Side, fault: &Fault) -> End {
    let misdeed = match fault {
        Fault::Unfit(_) => Misdeed::Unfit,
        _ => Misdeed::Crash,
    };
    End::Misdeed(side, misdeed, fault.to_string(), true)
}

fn run(
    game: &mut Game,
    players: &mut [&mut dyn Player; 2],
    plan: &Plan,
    notes: &mut Vec<Note>,
) -> End {
    let start = game.position().clone();
    for side in Side::ALL {
        if let Err(fault) = players[side.index()].begin(&start, plan.terms) {
            return at_fault(side, &fault);
        }
    }
    for &m in plan.opening {
        if game.play(m).is_err() {
            break;
        }
    }
    let base = match plan.terms.control {
        Control::Clock { base, .. } => base,
        _ => Duration::ZERO,
    };
    let mut clocks: Clocks = [base; 2];
    while game.outcome().is_none() {
        if game.moves().len() >= plan.max_plies {
            return End::Length;
        }
        if let Err(end) = turn(game, players, plan.terms, &mut clocks, notes) {
            return end;
        }
    }
    End::Rules
}

/// One player's move.
fn turn(
    game: &mut Game,
    players: &mut [&mut dyn Player; 2],
    terms: &Terms,
    clocks: &mut Clocks,
    notes: &mut Vec<Note>,
) -> Result<(), End> {
    let side = game.turn();
    let player = &mut players[side.index()];
    let reply = player
        .think(game, clocks, terms)
        .map_err(|fault| at_fault(side, &fault))?;
    let own = &mut clocks[side.index()];
    let allowed = terms.allowed(*own);
    let late = allowed.is_some_and(|allowed| reply.spent > allowed);
    let Some(answer) = reply.answer.filter(|_| !late) else {
        let what = format!("{:.3} s for a move", reply.spent.as_secs_f64());
        return Err(End::Misdeed(side, Misdeed::TimeLoss, what, false));
    };
    if let Control::Clock { increment, .. } = terms.control {
        *own = own.saturating_sub(reply.spent) + increment;
    }
    let over = match answer {
        Answer::Move(text) => {
            let m = player.read(game.position(), &text);
            if m.is_none_or(|m| game.play(m).is_err()) {
                let shown: String = text.chars().take(20).collect();
                let what = format!("`{shown}` in {}", game.position().fen());
                return Err(End::Misdeed(side, Misdeed::IllegalMove, what, true));
            }
            notes.push(Note {
                spent: reply.spent,
                score: reply.score,
            });
            return Ok(());
        }
        Answer::Resign => game.resign(side).map(drop),
        Answer::Accept => game.accept().map(drop),
        Answer::Claim(claim) => {
            let claim: String = claim.chars().take(80).collect();
            let what = format!("{claim} in {}", game.position().fen());
            return Err(End::Misdeed(side, Misdeed::WrongClaim, what, false));
        }
    };
    over.map_err(|error| End::Misdeed(side, Misdeed::WrongClaim, error.to_string(), false))
}
