//! Special rules that are added to the common ones, a module each. A module has all that its mechanism is: the section
//! of the game file and its check, what a position must know, moves, what follows from them, what can never be, and the
//! words for players. Elsewhere stands one line for each fixed point that calls it.

pub(crate) mod crowning;

use crate::definition::Definition;
use crate::words::WholeAct;

impl Definition {
    /// The move that no piece makes, where the game has one.
    pub fn whole_act(&self) -> Option<WholeAct> {
        self.crowning_act()
    }
}
