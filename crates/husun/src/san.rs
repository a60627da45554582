//! Standard algebraic notation, written with the least disambiguation and read generously: with the
//! letter of a pawn, with needless squares, and in UCI form.

use crate::frame::Frame;
use crate::moves::{IllegalMove, Move, Special};
use crate::piece::Kind;
use crate::position::{Position, UciError};
use crate::side::Wing;
use std::fmt::Write;

/// Why a text is not a move in algebraic notation here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SanError {
    /// Not of the form of a move.
    #[error("`{0}` is no move: expected a form such as Nf3, exd5, Rae12, b8=Q, O-O or K=X")]
    NotAMove(String),
    /// No legal move fits.
    #[error("`{0}` fits no legal move")]
    Illegal(String),
    /// More than one legal move fits.
    #[error("`{text}` could be {choices}")]
    Ambiguous {
        /// What was read.
        text: String,
        /// The moves that fit, in UCI form.
        choices: String,
    },
}

/// Castling, as written and as also read.
const CASTLING: [(&str, &str, Wing); 2] =
    [("O-O", "0-0", Wing::East), ("O-O-O", "0-0-0", Wing::West)];

/// A text taken apart.
struct Parsed {
    piece: Option<char>,
    file: Option<u8>,
    rank: Option<u8>,
    to: (u8, u8),
    becomes: Option<char>,
}

impl Position {
    /// A legal move in algebraic notation, with `+` or `#`.
    ///
    /// ```
    /// # let mini = husun::Variant::parse("t.toml", husun::doctest::MINI).unwrap();
    /// let start = mini.start();
    /// let m = start.parse_san("Ra1a3").unwrap();
    /// assert_eq!(start.san(m).unwrap(), "Ra3");
    /// assert!(start.parse_san("Kd1").is_err());
    /// ```
    pub fn san(&self, m: Move) -> Result<String, IllegalMove> {
        self.san_among(m, &self.legal_moves())
    }

    /// A legal move in algebraic notation, if all legal moves are known already.
    ///
    /// # Panics
    ///
    /// May panic if the moves given are not the legal ones here.
    pub fn san_among(&self, m: Move, legal: &[Move]) -> Result<String, IllegalMove> {
        if !legal.contains(&m) {
            return Err(IllegalMove);
        }
        let mut text = self.san_without_check(m, legal);
        let next = self.play_unchecked(m);
        if next.in_check() {
            text.push(if next.count_moves() == 0 { '#' } else { '+' });
        }
        Ok(text)
    }

    fn san_without_check(&self, m: Move, legal: &[Move]) -> String {
        let letter = |kind: Kind| self.variant.piece(kind).letter;
        match m.special() {
            Special::CastleEast => return self.castling_text(Wing::East, m),
            Special::CastleWest => return self.castling_text(Wing::West, m),
            _ if m.is_whole_act() => {
                return self
                    .variant
                    .whole_act()
                    .map(|act| act.san)
                    .unwrap_or_default();
            }
            _ => {}
        }
        let frame = self.variant.frame();
        let mut text = String::with_capacity(8);
        let plain_pawn = Some(m.piece()) == self.plain_pawn();
        let capture = self.is_capture(m);
        if !plain_pawn {
            text.push(letter(m.piece()));
        }
        let rivals = || {
            legal.iter().filter(|r| {
                r.piece() == m.piece() && r.to() == m.to() && r.from() != m.from() && ordinary(**r)
            })
        };
        let same_file = |r: &Move| frame.file(r.from()) == frame.file(m.from());
        let same_rank = |r: &Move| frame.rank(r.from()) == frame.rank(m.from());
        let rivals_on_file = rivals().any(same_file);
        let needs_file = match plain_pawn {
            // A pawn's capture names its file by custom; a push needs no rival on another file.
            true => capture || rivals().any(|r| !same_file(r) && !self.is_capture(*r)),
            false => rivals().next().is_some() && (!rivals_on_file || rivals().any(same_rank)),
        };
        if needs_file {
            text.push(Frame::file_letter(frame.file(m.from())));
        }
        if rivals_on_file {
            let _ = write!(text, "{}", frame.rank(m.from()) + 1);
        }
        if capture {
            text.push('x');
        }
        let _ = write!(text, "{}", frame.name(m.to()));
        if m.changes_kind() {
            text.push('=');
            text.push(letter(m.placed()));
        }
        text
    }

    /// The pawn-type kind that is written without its letter.
    fn plain_pawn(&self) -> Option<Kind> {
        self.variant.kinds().find(|&k| self.variant.piece(k).pawn)
    }

    /// Reads a move in algebraic notation, or in UCI form. Annotations and check marks at its end are ignored;
    /// the letter of a promotion may be left out where only one move is possible.
    pub fn parse_san(&self, text: &str) -> Result<Move, SanError> {
        let quoted = || text.chars().take(30).collect::<String>();
        let word = text.trim_end_matches(['+', '#', '!', '?']);
        let legal = self.legal_moves();
        let only = |sought: &dyn Fn(Move) -> bool| {
            let found = legal.iter().find(|m| sought(**m));
            found.copied().ok_or_else(|| SanError::Illegal(quoted()))
        };
        if let Some((castling, to)) = take_castling_apart(word) {
            let frame = self.variant.frame();
            let name = |m: &Move| frame.name(m.to()).to_string();
            let fits = |m: &&Move| m.special() == castling && to.is_none_or(|to| name(m) == to);
            let all: Vec<Move> = legal.iter().filter(fits).copied().collect();
            return self.one_of(&all, text);
        }
        if self.variant.whole_act().is_some_and(|act| word == act.san) {
            return only(&|m| m.is_whole_act());
        }
        let Some(parsed) = take_apart(word) else {
            let uci = self.parse_uci(word);
            return uci.map_err(|_| SanError::NotAMove(quoted()));
        };
        let fitting: Vec<Move> = legal
            .into_iter()
            .filter(|&m| ordinary(m) && self.fits(m, &parsed))
            .collect();
        let exact = |m: &&Move| parsed.becomes.is_some() || !m.changes_kind();
        let mut choices: Vec<Move> = fitting.iter().filter(exact).copied().collect();
        if choices.is_empty() {
            choices = fitting;
        }
        if choices.is_empty() {
            return self.parse_uci(word).map_err(|error| match error {
                UciError::Ambiguous { text, choices } => SanError::Ambiguous { text, choices },
                _ => SanError::Illegal(quoted()),
            });
        }
        self.one_of(&choices, text)
    }

    /// The only move that a text fits.
    fn one_of(&self, fitting: &[Move], text: &str) -> Result<Move, SanError> {
        let text = text.chars().take(30).collect();
        let uci = |m: &Move| self.uci(*m).to_string();
        match fitting {
            [m] => Ok(*m),
            [] => Err(SanError::Illegal(text)),
            _ => Err(SanError::Ambiguous {
                text,
                choices: fitting.iter().map(uci).collect::<Vec<_>>().join(", "),
            }),
        }
    }

    /// A castling as it is written: with the square of the royal piece where it has a choice.
    fn castling_text(&self, wing: Wing, m: Move) -> String {
        let [east, west] = CASTLING.map(|(written, _, _)| written);
        let written = if wing == Wing::East { east } else { west };
        let castling = self.variant.rules().castling.as_ref();
        match castling.is_some_and(|c| c.paths(self.turn(), wing).len() > 1) {
            true => format!("{written}={}", self.variant.frame().name(m.to())),
            false => written.into(),
        }
    }

    fn fits(&self, m: Move, parsed: &Parsed) -> bool {
        let frame = self.variant.frame();
        let letter = |kind| self.variant.piece(kind).letter;
        let place = |s| (frame.file(s), frame.rank(s));
        let (file, rank) = place(m.from());
        place(m.to()) == parsed.to
            && match parsed.piece {
                None => Some(m.piece()) == self.plain_pawn(),
                Some(piece) => letter(m.piece()) == piece,
            }
            && parsed.file.is_none_or(|f| f == file)
            && parsed.rank.is_none_or(|r| r == rank)
            && parsed
                .becomes
                .is_none_or(|b| m.changes_kind() && letter(m.placed()) == b)
    }
}

/// A castling as it is read: which, and to which square the royal piece goes, if that is said.
fn take_castling_apart(word: &str) -> Option<(Special, Option<&str>)> {
    CASTLING.iter().find_map(|(written, zeros, wing)| {
        let rest = word.strip_prefix(written).or(word.strip_prefix(zeros))?;
        let to = match rest {
            "" => None,
            _ => Some(rest.strip_prefix('=')?),
        };
        let special = match wing {
            Wing::East => Special::CastleEast,
            Wing::West => Special::CastleWest,
        };
        Some((special, to))
    })
}

/// Whether a move is written with its squares.
fn ordinary(m: Move) -> bool {
    !m.is_whole_act() && !matches!(m.special(), Special::CastleEast | Special::CastleWest)
}

/// `[Piece][file][rank][x or -]square[=Piece]`, read from its end. Files and ranks from 0.
fn take_apart(word: &str) -> Option<Parsed> {
    if !word.is_ascii() || word.len() > 16 {
        return None;
    }
    let mut rest = word;
    let mut becomes = None;
    let last = rest.chars().last()?;
    if last.is_ascii_uppercase() && rest.len() > 1 {
        becomes = Some(last);
        rest = rest[..rest.len() - 1].trim_end_matches('=');
    }
    let (before, rank) = take_rank(rest)?;
    let file = before.chars().last().filter(char::is_ascii_lowercase)?;
    let mut rest = &before[..before.len() - 1];
    // The x of a capture, unless it is the file x, which no board has.
    rest = rest.strip_suffix(['x', '-', ':']).unwrap_or(rest);
    let mut parsed = Parsed {
        piece: None,
        file: None,
        rank: None,
        to: (file as u8 - b'a', rank),
        becomes,
    };
    if let Some((before, rank)) = take_rank(rest) {
        parsed.rank = Some(rank);
        rest = before;
    }
    if let Some(file) = rest.chars().last().filter(char::is_ascii_lowercase) {
        parsed.file = Some(file as u8 - b'a');
        rest = &rest[..rest.len() - 1];
    }
    if let Some(piece) = rest.chars().last().filter(char::is_ascii_uppercase) {
        parsed.piece = Some(piece);
        rest = &rest[..rest.len() - 1];
    }
    rest.is_empty().then_some(parsed)
}

/// The text without a rank number at its end, and the rank from 0.
fn take_rank(text: &str) -> Option<(&str, u8)> {
    let digits = text.len() - text.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    if !(1..=2).contains(&digits) {
        return None;
    }
    let (before, number) = text.split_at(text.len() - digits);
    let rank: u8 = number.parse().ok()?;
    (rank > 0 && !number.starts_with('0')).then(|| (before, rank - 1))
}
