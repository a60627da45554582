//! The engine as a Counsellor (games/strike80/rules.md).

use super::GameTask;
use crate::engines::Thought;
use ::engine::Level;
use play::table::Event;

impl GameTask {
    /// Asks the engine if it owes a player advice.
    pub(super) fn counsel_by_engine(&mut self) {
        if self.table.engine_counsels().is_some() && self.counselling.is_none() {
            self.counselling = self.ask(Level::FULL, None);
        }
    }

    /// Tells the player what the engine found; if it was too busy it is asked again.
    pub(super) async fn advise(&mut self, thought: Option<Thought>) {
        let Some(side) = self.table.engine_counsels() else {
            return;
        };
        let Some(thought) = thought else {
            return self.counsel_by_engine();
        };
        let (Some(game), Some(best)) = (self.table.game(), thought.best) else {
            return;
        };
        let position = game.position();
        let Ok(best) = position.parse_uci(&best) else {
            return;
        };
        let Some(act) = position.variant().whole_act() else {
            return;
        };
        let text = match best.is_whole_act() {
            true => act.advice,
            false => format!(
                "{} {}.",
                act.instead,
                position.san(best).unwrap_or_default()
            ),
        };
        let now = self.now();
        self.enact(vec![Event::Advised { side, text }], now).await;
    }
}
