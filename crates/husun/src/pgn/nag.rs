//! Numeric annotation glyphs and the signs that stand for them: one list, read and printed from.
//! PGN standard (1994), 8.2.3.8 and 10; the signs are those in common use.

use std::fmt;

/// A numeric annotation glyph, `$0` to `$255`.
///
/// ```
/// use husun::pgn::{Glyph, Nag};
/// assert_eq!(Nag::from_glyph("?!"), Some(Nag(6)));
/// assert_eq!(Nag(6).glyph(), Some(Glyph::Suffix("?!")));
/// assert_eq!(Nag(6).meaning(), Some("dubious move"));
/// assert_eq!(Nag(6).to_string(), "$6");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Nag(pub u8);

/// The sign that stands for a [`Nag`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Glyph {
    /// Written directly after the move: `Nf3!`.
    Suffix(&'static str),
    /// Written as a separate word after the move: `Nf3 +-`.
    Word(&'static str),
}

impl Glyph {
    /// The sign itself.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Suffix(text) | Self::Word(text) => text,
        }
    }
}

/// The annotations that have a sign, with their meaning.
pub const NAGS: [(Nag, Glyph, &str); 16] = [
    (Nag(1), Glyph::Suffix("!"), "good move"),
    (Nag(2), Glyph::Suffix("?"), "poor move"),
    (Nag(3), Glyph::Suffix("!!"), "very good move"),
    (Nag(4), Glyph::Suffix("??"), "blunder"),
    (Nag(5), Glyph::Suffix("!?"), "interesting move"),
    (Nag(6), Glyph::Suffix("?!"), "dubious move"),
    (Nag(7), Glyph::Word("□"), "only move"),
    (Nag(10), Glyph::Word("="), "equal position"),
    (Nag(13), Glyph::Word("∞"), "unclear position"),
    (Nag(14), Glyph::Word("⩲"), "White is slightly better"),
    (Nag(15), Glyph::Word("⩱"), "Black is slightly better"),
    (Nag(16), Glyph::Word("±"), "White is better"),
    (Nag(17), Glyph::Word("∓"), "Black is better"),
    (Nag(18), Glyph::Word("+-"), "White is winning"),
    (Nag(19), Glyph::Word("-+"), "Black is winning"),
    (Nag(22), Glyph::Word("⨀"), "zugzwang"),
];

impl Nag {
    /// The annotation that a sign stands for.
    #[must_use]
    pub fn from_glyph(text: &str) -> Option<Self> {
        let row = NAGS.iter().find(|(_, glyph, _)| glyph.text() == text);
        row.map(|&(nag, ..)| nag)
    }

    /// The sign of this annotation, if it has one.
    #[must_use]
    pub fn glyph(self) -> Option<Glyph> {
        self.row().map(|&(_, glyph, _)| glyph)
    }

    /// What this annotation says, if it is one of [`NAGS`].
    #[must_use]
    pub fn meaning(self) -> Option<&'static str> {
        self.row().map(|&(.., meaning)| meaning)
    }

    fn row(self) -> Option<&'static (Self, Glyph, &'static str)> {
        NAGS.iter().find(|(nag, ..)| *nag == self)
    }
}

impl fmt::Display for Nag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "${}", self.0)
    }
}
