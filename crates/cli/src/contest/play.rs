//! One game between two players, judged by the rules library.

use super::adjudicate::{Opinions, Rules, Verdict};
use super::player::{Answer, Clocks, Player, Terms};
use super::process::Fault;
use crate::play::timed_game::today;
use husun::clock::{Clock, Remaining};
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
    /// It claimed that a game was over that was not.
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

/// What a move took and its score.
#[derive(Clone, Copy, Debug)]
pub struct Note {
    pub spent: Duration,
    pub score: Option<(i32, u32)>,
}

/// A finished game.
pub struct Played {
    pub game: Game,
    pub winner: Option<Side>,
    /// Why it ended.
    pub reason: String,
    /// Which side did something that it must not do, and the details.
    pub misdeed: Option<(Side, Misdeed, String)>,
    /// For each move after the opening.
    pub notes: Vec<Note>,
    /// When it began, as PGN tags.
    pub dates: [(&'static str, String); 3],
    /// Whether an engine must be restarted.
    pub broken: [bool; 2],
}

/// How a game is to be played.
pub struct Plan<'a> {
    /// White's and Black's.
    pub terms: [&'a Terms; 2],
    pub opening: &'a [Move],
    /// After this many half-moves the game is a draw.
    pub max_plies: usize,
    /// What ends it early.
    pub rules: &'a Rules,
}

/// What ends a game besides the rules.
enum End {
    Rules,
    Length,
    Agreed(Verdict),
    Misdeed(Side, Misdeed, String, bool),
}

/// Plays a game, White first.
pub fn play(mut game: Game, players: &mut [&mut dyn Player; 2], plan: &Plan) -> Played {
    let (mut notes, dates) = (Vec::new(), today());
    let end = run(&mut game, players, plan, &mut notes);
    let mut broken = [false; 2];
    let (winner, reason, misdeed) = match end {
        End::Rules => {
            let outcome = game.outcome();
            let reason = outcome.map_or("", |o| o.reason.name());
            (outcome.and_then(|o| o.winner), reason.to_owned(), None)
        }
        End::Length => {
            // The game is still going on, so it can be ended as a draw.
            let _ = game.abandon(None);
            (None, format!("{} half-moves", plan.max_plies), None)
        }
        End::Agreed(verdict) => {
            let (winner, reason) = match verdict {
                Verdict::Won(side) => (Some(side), "both engines see a win"),
                Verdict::Drawn => (None, "both engines see a draw"),
            };
            let _ = game.abandon(winner);
            (winner, reason.to_owned(), None)
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
        dates,
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
        if let Err(fault) = players[side.index()].begin(&start, plan.terms[side.index()]) {
            return at_fault(side, &fault);
        }
    }
    for &m in plan.opening {
        if game.play(m).is_err() {
            break;
        }
    }
    let mut beside = ClocksAndOpinions::new(plan);
    while game.outcome().is_none() {
        if game.moves().len() >= plan.max_plies {
            return End::Length;
        }
        if let Err(end) = beside.turn(game, players, notes) {
            return end;
        }
    }
    End::Rules
}

/// The clocks and the scores reported, beside the game. Each side has a separate clock, which runs only while that
/// side thinks, as the sides may have different time controls.
struct ClocksAndOpinions<'a> {
    terms: [&'a Terms; 2],
    rules: &'a Rules,
    clocks: [Option<Clock>; 2],
    /// Clock time: the sum of what the moves took.
    now: Duration,
    opinions: Opinions,
}

impl<'a> ClocksAndOpinions<'a> {
    fn new(plan: &Plan<'a>) -> ClocksAndOpinions<'a> {
        // A control that makes no sense is refused when it is read.
        let clock = |terms: &Terms| Clock::new(terms.clock()?).ok();
        ClocksAndOpinions {
            terms: plan.terms,
            rules: plan.rules,
            clocks: plan.terms.map(clock),
            now: Duration::ZERO,
            opinions: Opinions::default(),
        }
    }

    fn left(&self) -> Clocks {
        Side::ALL.map(|side| match &self.clocks[side.index()] {
            Some(clock) => clock.remaining(side, self.now),
            None => Remaining::Unlimited,
        })
    }

    /// Subtracts what a move took from its side's time; false if that was too much. The allowance for the way to the
    /// clock is not subtracted.
    fn press(&mut self, side: Side, spent: Duration) -> bool {
        let terms = self.terms[side.index()];
        let time = terms.time(self.left()[side.index()]);
        if time.is_some_and(|time| spent > time + terms.margin) {
            return false;
        }
        let Some(clock) = &mut self.clocks[side.index()] else {
            return true;
        };
        let most = time.map(|time| time.saturating_sub(Duration::from_nanos(1)));
        let started = clock.start(side, self.now);
        self.now += most.map_or(spent, |most| spent.min(most));
        let pressed = started.and_then(|()| clock.press(self.now));
        clock.stop(self.now);
        pressed.is_ok()
    }

    /// One player's move.
    fn turn(
        &mut self,
        game: &mut Game,
        players: &mut [&mut dyn Player; 2],
        notes: &mut Vec<Note>,
    ) -> Result<(), End> {
        let side = game.turn();
        let player = &mut players[side.index()];
        let reply = player
            .think(game, &self.left(), self.terms[side.index()])
            .map_err(|fault| at_fault(side, &fault))?;
        let in_time = reply.answer.is_some() && self.press(side, reply.spent);
        let Some(answer) = reply.answer.filter(|_| in_time) else {
            let what = format!("{:.3} s for a move", reply.spent.as_secs_f64());
            return Err(End::Misdeed(side, Misdeed::TimeLoss, what, false));
        };
        let over = match answer {
            Answer::Move(text) => {
                let number = game.position().fullmove();
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
                let score = reply.score.map(|(score, _)| score);
                let verdict = self.opinions.add(self.rules, side, score, number);
                return match verdict.filter(|_| game.outcome().is_none()) {
                    Some(verdict) => Err(End::Agreed(verdict)),
                    None => Ok(()),
                };
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
}
