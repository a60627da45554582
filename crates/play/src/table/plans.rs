//! Conditional moves: a player's answers to moves of the opponent, played as soon as these are made. They are for
//! games with days for each move, and only that player sees them.

use super::{Event, Phase, Table};
use crate::deed::Refused;
use crate::read_move;
use husun::Side;
use husun::clock::TimeControl;
use std::time::Duration;

/// Most lines of a plan.
pub const LINES: usize = 32;
/// Most half-moves of all its lines together: each is tried when the plan is made.
pub const HALF_MOVES: usize = 100;

/// The answers that a player has prepared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Half-moves played when it was made.
    pub ply: usize,
    /// Lines in UCI form from there on: a move of the opponent, the answer to it, and so on.
    pub lines: Vec<Vec<String>>,
}

impl Table {
    /// The answers that a player has prepared, as far as the game has followed them.
    pub fn plan(&self, side: Side) -> Option<&Plan> {
        let plan = self.plans.get(side).as_ref()?;
        let holds = plan
            .lines
            .iter()
            .any(|line| self.rest(plan, line).is_some());
        (self.playing().is_some() && holds).then_some(plan)
    }

    /// The rest of a line, if the game has followed it so far.
    fn rest<'a>(&self, plan: &Plan, line: &'a [String]) -> Option<&'a [String]> {
        let since = self.board()?.played.get(plan.ply..)?;
        let (past, rest) = line.split_at_checked(since.len())?;
        let same = past
            .iter()
            .zip(since)
            .all(|(uci, played)| *uci == played.uci);
        (same && !rest.is_empty()).then_some(rest)
    }

    /// The answer that the side to move has prepared.
    pub(super) fn planned_reply(&self) -> Option<Event> {
        let Phase::Playing(board) = &self.phase else {
            return None;
        };
        let side = board.game.turn();
        let plan = self.plans.get(side).as_ref()?;
        // It answers something.
        if board.played.len() <= plan.ply {
            return None;
        }
        let mut rests = plan.lines.iter().filter_map(|line| self.rest(plan, line));
        let uci = rests.next()?.first()?;
        let legal = board.game.position().parse_uci(uci).is_ok();
        legal.then(|| Event::Played {
            uci: uci.clone(),
            lag: 0,
            thought: None,
        })
    }

    /// Events together with the answers prepared for them, so that all are one commit.
    pub fn with_replies(&self, mut events: Vec<Event>, at: Duration) -> Vec<Event> {
        let moved = events.iter().any(|e| matches!(e, Event::Played { .. }));
        let planned = Side::ALL
            .into_iter()
            .any(|side| self.plans.get(side).is_some());
        if !moved || !planned {
            return events;
        }
        let mut after = self.clone();
        if events.iter().any(|event| after.apply(event, at).is_err()) {
            return events;
        }
        while let Some(reply) = after.planned_reply() {
            if after.apply(&reply, at).is_err() {
                break;
            }
            events.push(reply);
        }
        events
    }

    /// What follows when a player prepares answers to the opponent's moves; without lines they are all forgotten.
    pub(super) fn make_plan(
        &self,
        side: Side,
        lines: &[Vec<String>],
    ) -> Result<Vec<Event>, Refused> {
        if !matches!(self.spec.control, TimeControl::Correspondence { .. }) {
            return Err(Refused::NoPlans);
        }
        let board = self.going_on()?;
        if board.game.turn() == side {
            return Err(Refused::PlanOnTurn);
        }
        self.may_offer()?;
        let half_moves: usize = lines.iter().map(Vec::len).sum();
        if lines.len() > LINES || half_moves > HALF_MOVES {
            return Err(Refused::PlanLength {
                lines: lines.len(),
                half_moves,
            });
        }
        let mut checked: Vec<Vec<String>> = Vec::new();
        for (n, line) in lines.iter().enumerate() {
            let wrong = |problem: String| Refused::PlanLine {
                line: n + 1,
                problem,
            };
            if line.is_empty() || line.len() % 2 == 1 {
                return Err(wrong(format!(
                    "{} half-moves, expected a move of the opponent and an answer, and so on",
                    line.len()
                )));
            }
            let mut position = board.game.position().clone();
            let mut moves = Vec::new();
            for text in line {
                let m = read_move(&position, text).map_err(|e| wrong(e.to_string()))?;
                moves.push(position.uci(m).to_string());
                position = position.play(m).map_err(|e| wrong(e.to_string()))?;
            }
            for other in &checked {
                let common = moves.iter().zip(other).take_while(|(a, b)| a == b).count();
                if common % 2 == 1 && common < moves.len().min(other.len()) {
                    return Err(wrong(format!(
                        "two answers to {}: {} and {}",
                        moves[common - 1],
                        other[common],
                        moves[common]
                    )));
                }
            }
            checked.push(moves);
        }
        Ok(vec![Event::Planned {
            side,
            lines: checked,
        }])
    }
}
