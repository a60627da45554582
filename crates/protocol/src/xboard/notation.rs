//! Moves as XBoard writes them: ranks numbered from 1, but from 0 on a board of exactly ten ranks, and XBoard's null
//! move for a move in which no piece moves.

use husun::{Move, Position};

/// The number of ranks that XBoard counts from 0.
const FROM_ZERO: u8 = 10;

/// XBoard's null move.
const NULL: &str = "@@@@";

/// A legal move as XBoard writes it.
///
/// ```
/// use husun_protocol::xboard::{move_text, read_move};
/// let grand = games::variant("grand").unwrap();
/// let start = grand.start();
/// let m = read_move(&start, "e2e4").unwrap();
/// assert_eq!(start.uci(m).to_string(), "e3e5");
/// assert_eq!(move_text(&start, m), "e2e4");
/// ```
pub fn move_text(position: &Position, m: Move) -> String {
    if m.is_whole_act() {
        return NULL.into();
    }
    let ours = position.uci(m).to_string();
    to_xboard(&ours, position.variant().frame().ranks()).unwrap_or(ours)
}

/// Reads a legal move as XBoard writes it, or in algebraic notation.
pub fn read_move(position: &Position, text: &str) -> Option<Move> {
    if text == NULL {
        let mut moves = position.legal_moves().into_iter();
        return moves.find(|m| m.is_whole_act());
    }
    let bare = text.trim_end_matches(['=', '-', '+', '#']);
    let ours = from_xboard(bare, position.variant().frame().ranks());
    let ours = ours.map(|t| t.to_ascii_lowercase());
    match ours.and_then(|ours| position.parse_uci(&ours).ok()) {
        // Squares are numbered otherwise in algebraic notation.
        None if !has_both_squares(bare) => position.parse_san(text).ok(),
        found => found,
    }
}

/// Whether a text names two squares, and a piece at most.
fn has_both_squares(text: &str) -> bool {
    let after_square = |text: &'_ str| -> Option<usize> {
        let rest = text.strip_prefix(|c: char| c.is_ascii_alphabetic())?;
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        (digits > 0).then_some(1 + digits)
    };
    let second = after_square(text).map(|end| &text[end..]);
    let rest = second.and_then(|second| Some(&second[after_square(second)?..]));
    rest.is_some_and(|rest| rest.len() <= 1)
}

/// A text with our squares, numbered as XBoard numbers them.
///
/// ```
/// use husun_protocol::xboard::{from_xboard, to_xboard};
/// assert_eq!(to_xboard("e2e4", 8).as_deref(), Some("e2e4"));
/// assert_eq!(to_xboard("a9b10q", 10).as_deref(), Some("a8b9q"));
/// assert_eq!(from_xboard("a8b9q", 10).as_deref(), Some("a9b10q"));
/// assert_eq!(to_xboard("e0e1", 10), None);
/// ```
pub fn to_xboard(text: &str, ranks: u8) -> Option<String> {
    shifted(text, if ranks == FROM_ZERO { -1 } else { 0 })
}

/// A text with squares as XBoard numbers them, in our numbering.
pub fn from_xboard(text: &str, ranks: u8) -> Option<String> {
    shifted(text, if ranks == FROM_ZERO { 1 } else { 0 })
}

/// Adds `by` to every number of the text; none if one falls below 0 or is far too large.
fn shifted(text: &str, by: i32) -> Option<String> {
    let mut shifted = String::with_capacity(text.len() + 2);
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        shifted += &rest[..start];
        let end = rest[start..].find(|c: char| !c.is_ascii_digit());
        let end = end.map_or(rest.len(), |n| start + n);
        let number: i32 = rest[start..end].parse().ok().filter(|n| *n < 1000)?;
        let number = number + by;
        if number < 0 {
            return None;
        }
        shifted += &number.to_string();
        rest = &rest[end..];
    }
    Some(shifted + rest)
}
