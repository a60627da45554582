//! The engine as a Counsellor (rules/tigersquares.md, Match custom).

use super::Live;
use crate::brains::Purpose;
use crate::table::Event;
use ::engine::{Level, Outcome};
use husun::{Side, Special};

impl Live {
    /// Asks the engine if it owes a player advice.
    pub(super) fn counsel_by_engine(&mut self) {
        let Some(side) = self.table.engine_counsels() else {
            return;
        };
        if self.counselling.is_none() {
            self.counselling = self.ask(Level::FULL, Purpose::Play, Some(side));
        }
    }

    pub(super) async fn advise(&mut self, side: Side, outcome: &Outcome) {
        if self.table.engine_counsels() != Some(side) {
            return;
        }
        let Some(position) = self.table.game().map(|g| g.position()) else {
            return;
        };
        let Some(best) = outcome.best else {
            return self.counsel_by_engine();
        };
        let text = match best.special() {
            Special::Crowning => "I would promote the Kings to Emperors.".to_owned(),
            _ => format!(
                "I would leave the Kings as they are and play {}.",
                position.san(best)
            ),
        };
        let now = self.now();
        self.enact(vec![Event::Advised { side, text }], now).await;
    }
}
