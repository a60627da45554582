//! What the letters of a position's state field mean to players, and the move that no piece makes: worded by the
//! library, so that programs show what they are given and know no mechanism.

use crate::definition::{Definition, StateFlag};
use crate::piece::Kind;
use crate::side::Side;

/// A letter of the state field ([`Definition::state_flags`]) in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateLetter {
    /// The letter.
    pub letter: char,
    /// What it stands for.
    pub flag: StateFlag,
    /// The piece that is kept off the board as long as the letter stands, and whose it is.
    pub held: Option<(Side, Kind)>,
    /// What holds as long as the letter stands, such as `Blue has castled.`
    pub stands: String,
    /// What is announced when the letter appears; nothing if that is no news.
    pub comes: Option<String>,
    /// What is announced when the letter goes; nothing if that is no news.
    pub goes: Option<String>,
}

/// A move that no piece makes: it is written as a square twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WholeAct {
    /// The move in algebraic notation.
    pub san: String,
    /// What is done, such as `Make the Kings Emperors`.
    pub offer: String,
    /// What it means, for those who are about to do it.
    pub question: String,
    /// The words to confirm it, such as `Yes, make them Emperors`.
    pub agree: String,
    /// What a Counsellor in favour of it says.
    pub advice: String,
    /// What a Counsellor against it says, before the better move.
    pub instead: String,
}

impl Definition {
    /// What each letter of the state field says, in the order of [`Definition::state_flags`].
    pub fn state_letters(&self) -> Vec<StateLetter> {
        let flags = self.state_flags().iter();
        flags
            .map(|&(letter, flag)| self.letter(letter, flag))
            .collect()
    }

    fn letter(&self, letter: char, flag: StateFlag) -> StateLetter {
        let side_name = |side: Side| self.looks()[side.index()].name.clone();
        let plain = |stands: String| StateLetter {
            letter,
            flag,
            held: None,
            stands,
            comes: None,
            goes: None,
        };
        match flag {
            StateFlag::InPrison(side, kind) => {
                let who = format!("{}'s {}", side_name(side), self.piece(kind).name);
                StateLetter {
                    held: Some((side, kind)),
                    goes: Some(format!("{who} is free.")),
                    ..plain(format!("{who} is in prison."))
                }
            }
            StateFlag::Castled(side) => {
                let traverse = self.rules().traverse.as_ref();
                let forbidden =
                    traverse.map_or(String::new(), |t| format!(" and may not {}", t.name));
                plain(format!("{} has castled{forbidden}.", side_name(side)))
            }
            StateFlag::Crowned => {
                let done = match self.crowned_names() {
                    Some((from, to)) => format!("All {from} are {to}"),
                    None => "All are promoted".into(),
                };
                StateLetter {
                    comes: Some(format!("{done} now.")),
                    ..plain(format!("{done}."))
                }
            }
            StateFlag::Offer => plain(match self.whole_act() {
                Some(act) => format!("The side to move may: {}.", act.offer),
                None => "The side to move has a choice.".into(),
            }),
        }
    }
}
