//! Special rules on top of the common ones, a module each. A module holds everything about its mechanism: the section
//! of the game file and its check, what a position must know, its moves and what follows from them, impossible
//! positions, and the words for players. Elsewhere there is one line for each fixed point that calls it.

pub(crate) mod crowning;

use crate::definition::Definition;
use crate::words::WholeAct;

impl Definition {
    /// The move that no piece makes, where the game has one.
    pub fn whole_act(&self) -> Option<WholeAct> {
        self.crowning_act()
    }
}
