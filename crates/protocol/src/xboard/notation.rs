//! Squares as XBoard numbers them: from 1, but from 0 on a board of exactly ten ranks.

/// The number of ranks that XBoard counts from 0.
const FROM_ZERO: u8 = 10;

/// A move of ours as XBoard writes it.
///
/// ```
/// use protocol::xboard::{from_xboard, to_xboard};
/// assert_eq!(to_xboard("e2e4", 8).as_deref(), Some("e2e4"));
/// assert_eq!(to_xboard("a9b10q", 10).as_deref(), Some("a8b9q"));
/// assert_eq!(from_xboard("a8b9q", 10).as_deref(), Some("a9b10q"));
/// assert_eq!(to_xboard("e0e1", 10), None);
/// ```
pub fn to_xboard(text: &str, ranks: u8) -> Option<String> {
    shifted(text, if ranks == FROM_ZERO { -1 } else { 0 })
}

/// A move as XBoard writes it as one of ours.
pub fn from_xboard(text: &str, ranks: u8) -> Option<String> {
    shifted(text, if ranks == FROM_ZERO { 1 } else { 0 })
}

/// Adds to every number of the text; none if one falls below 0 or is far too large.
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
