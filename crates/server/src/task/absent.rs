//! What players are told who are not at the board, and when they are told that time runs out.

use super::GameTask;
use crate::notices::words;
use husun::Side;
use play::Who;
use play::table::{Event, Stage};
use store::{Due, millis};

impl GameTask {
    /// Has players be told of what was stored: the game has begun, or it is their turn.
    pub(super) fn tell_absent(&self, events: &[Event], played: usize) {
        let begun = events.iter().any(|e| matches!(e, Event::Begun { .. }));
        if self.table.stage() != Stage::Playing || !begun && played == 0 {
            return;
        }
        for side in Side::ALL {
            let mut there = self.sockets.values();
            let at_board = there.any(|attendant| attendant.who == Who::Player(side));
            let happening = match begun {
                true if !at_board => words::started(&self.id, &self.table, side, at_board),
                // At the board of a game with a clock for it nobody is told, which is nearly every move.
                false if self.table.turn() == Some(side) && (!at_board || self.table.is_slow()) => {
                    words::turn(&self.id, &self.table, side, at_board)
                }
                _ => None,
            };
            if let Some(happening) = happening {
                self.services.happenings.tell(happening);
            }
        }
    }

    /// The change of when the mover is to be told that time runs out: made where the turn or the clock has changed, so
    /// that nobody is told twice.
    pub(super) fn warn_change(&self, events: &[Event]) -> Option<Due> {
        let changes = |event: &Event| {
            matches!(
                event,
                Event::Begun { .. }
                    | Event::Played { .. }
                    | Event::TakenBack { .. }
                    | Event::Vacation { .. }
            )
        };
        if !self.table.is_slow() || !events.iter().any(changes) {
            return None;
        }
        Some(match self.table.warned_from() {
            Some(at) => Due::At(millis(self.server_at(at))),
            None => Due::Never,
        })
    }
}
