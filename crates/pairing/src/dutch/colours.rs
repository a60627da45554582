//! Colour preferences and who gets which colour: articles 1.6, 1.7 and 5 of C.04.3, and how 2.4 counts them.

use crate::Colour;
use std::cmp::Ordering;

/// How strong a colour preference is, from the weakest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    Mild,
    Strong,
    Absolute,
}

/// The colours that a player had, and the one that is due.
#[derive(Clone, Debug, Default)]
pub(super) struct Colours {
    /// Colours of the games played, from the first. Rounds without a game leave no gap (C.04.2, 3.4).
    had: Vec<Colour>,
    /// Games with White less games with Black.
    difference: i32,
    due: Option<(Colour, Strength)>,
}

/// The violations of the two players' colour preferences in a pair: criteria C10 to C13, in this order.
pub(super) type Clashes = [u8; 4];

impl Colours {
    pub(super) fn new(had: Vec<Colour>) -> Self {
        let step = |colour: &Colour| match colour {
            Colour::White => 1,
            Colour::Black => -1,
        };
        let difference: i32 = had.iter().map(step).sum();
        let less = if difference > 0 {
            Colour::Black
        } else {
            Colour::White
        };
        let due = match (difference.abs(), repeated(&had), had.last()) {
            (2.., ..) => Some((less, Strength::Absolute)),
            (_, Some(twice), _) => Some((twice.other(), Strength::Absolute)),
            (1, ..) => Some((less, Strength::Strong)),
            (_, _, Some(last)) => Some((last.other(), Strength::Mild)),
            (_, _, None) => None,
        };
        Self {
            had,
            difference,
            due,
        }
    }

    /// The colour that must be given, if one must.
    pub(super) fn absolute(&self) -> Option<Colour> {
        let absolute = |&(_, strength): &(Colour, Strength)| strength == Strength::Absolute;
        self.due.filter(absolute).map(|(colour, _)| colour)
    }

    /// The colour for `self` against `other`, where `self` is ranked higher and gets `otherwise` if nothing else
    /// decides (article 5.2).
    pub(super) fn against(&self, other: &Self, otherwise: Colour) -> Colour {
        let ((mine, my), (theirs, their)) = match (self.due, other.due) {
            (None, None) => return otherwise,
            (Some((mine, _)), None) => return mine,
            (None, Some((theirs, _))) => return theirs.other(),
            (Some(mine), Some(theirs)) => (mine, theirs),
        };
        if mine != theirs {
            return mine;
        }
        let wider = match (my, their) {
            (Strength::Absolute, Strength::Absolute) => {
                self.difference.abs().cmp(&other.difference.abs())
            }
            _ => my.cmp(&their),
        };
        match wider {
            Ordering::Greater => mine,
            Ordering::Less => mine.other(),
            Ordering::Equal => {
                let mut both = self.had.iter().rev().zip(other.had.iter().rev());
                both.find(|(own, opposite)| own != opposite)
                    .map_or(mine, |(own, _)| own.other())
            }
        }
    }

    /// The violated colour preferences if the two meet. `top` says whether one of them is a topscorer.
    pub(super) fn clashes(&self, other: &Self, top: bool) -> Clashes {
        match (self.due, other.due) {
            (Some((mine, _)), Some((theirs, _))) if mine == theirs => {}
            _ => return [0; 4],
        }
        // Both want the same colour, so nothing is left to pairing numbers.
        let own = self.against(other, Colour::White);
        let mut clashes = [0; 4];
        for (who, colour) in [(self, own), (other, own.other())] {
            if let Some((due, strength)) = who.due
                && due != colour
            {
                let [wide, third, any, strong] = &mut clashes;
                *wide += u8::from(top && who.difference.abs() > 1);
                *third += u8::from(top && repeated(&who.had) == Some(colour));
                *any += 1;
                *strong += u8::from(strength == Strength::Strong);
            }
        }
        clashes
    }
}

/// The colour of the last two games, if they had the same.
fn repeated(had: &[Colour]) -> Option<Colour> {
    match had {
        [.., one, other] if one == other => Some(*one),
        _ => None,
    }
}
