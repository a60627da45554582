//! The words of a piece's tasks: what to do, what was learned, and a hint. Only the piece's ways of moving are looked at.

use husun::betza::{Mode, Way};
use husun::{Kind, Variant};

/// What a task is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Theme {
    Stars,
    Capture,
    Avoid,
}

pub(super) struct Words {
    pub text: String,
    pub learned: String,
    pub hint: String,
}

/// The words of a task with so many stars.
pub(super) fn of(variant: &Variant, kind: Kind, theme: Theme, stars: usize) -> Words {
    let name = variant.spoken_name(kind);
    let nature = Nature::of(variant, kind);
    let reach = match stars {
        1 => "Reach the star",
        _ => "Reach every star",
    };
    match theme {
        Theme::Stars => Words {
            text: format!("{reach} with the {name}."),
            learned: nature.learned(&name),
            hint: "First find out which star is the hardest to reach.".into(),
        },
        Theme::Capture => Words {
            text: format!("Capture all the enemy pieces with the {name}."),
            learned: nature.captures(&name),
            hint: "The order matters: look where you will stand after each capture.".into(),
        },
        Theme::Avoid => Words {
            text: format!("{reach} with the {name}, and never stop where you can be captured."),
            learned: "Before you let go of a piece, check what could capture it there.".into(),
            hint: "See where each enemy piece can capture, and go round those squares.".into(),
        },
    }
}

/// How a piece moves, in the one word that matters most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Nature {
    Hopper,
    /// Captures in another way than it moves.
    Parted,
    Bent,
    /// Leaps and slides.
    Joined,
    Slider,
    Leaper,
    Stepper,
}

impl Nature {
    fn of(variant: &Variant, kind: Kind) -> Nature {
        let parts = &variant.piece(kind).parts;
        let any = |f: fn(&Way) -> bool| parts.iter().any(|p| f(&p.way));
        let far_leap = any(|w| matches!(w, Way::Leap(v) if v.0.abs().max(v.1.abs()) > 1));
        let rides = any(|w| matches!(w, Way::Ride { .. }));
        match () {
            () if any(|w| matches!(w, Way::Ride { hop: true, .. })) => Nature::Hopper,
            () if parts.iter().any(|p| p.mode == Mode::CaptureOnly) => Nature::Parted,
            () if any(|w| matches!(w, Way::Bent { .. })) => Nature::Bent,
            () if far_leap && rides => Nature::Joined,
            () if rides => Nature::Slider,
            () if far_leap => Nature::Leaper,
            () => Nature::Stepper,
        }
    }

    fn learned(self, name: &str) -> String {
        match self {
            Nature::Hopper => format!(
                "The {name} needs a piece to jump over, of either side, and lands where it likes beyond it."
            ),
            Nature::Parted => format!("The {name} moves in one way and captures in another."),
            Nature::Bent => {
                format!(
                    "The {name} turns on its way, but always goes on away from where it started."
                )
            }
            Nature::Joined => format!(
                "The {name} can jump or slide: two ways of moving in one piece, but only one in each move."
            ),
            Nature::Slider => format!("The {name} goes as far as the squares ahead are free."),
            Nature::Leaper => {
                format!("The {name} jumps: pieces in between do not matter.")
            }
            Nature::Stepper => format!("The {name} is slow; count its steps before you set out."),
        }
    }

    fn captures(self, name: &str) -> String {
        match self {
            Nature::Hopper => format!(
                "What the {name} jumps over stays; a piece where it lands is captured. Each capture changes what can be \
                 jumped next."
            ),
            Nature::Parted => {
                format!("The {name} can capture where it could not otherwise move.")
            }
            Nature::Bent => format!("The {name} captures round a corner, where few expect it."),
            _ => {
                format!("The {name} captures as it moves, and takes the place of what it captures.")
            }
        }
    }
}

pub(super) fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}
