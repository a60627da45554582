//! Recovery codes: they are shown once and open an account once each. Nobody can guess one, so a plain digest is kept.

use super::digest;
use crate::services::secret;

/// Codes of an account.
const CODES: usize = 8;
/// Bytes of chance in a code: 16 letters and digits.
const CODE: usize = 10;

/// What is kept of codes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Codes(Vec<String>);

impl Codes {
    /// Makes new ones; told are the codes as they are shown.
    pub fn make() -> (Vec<String>, Codes) {
        let words: Vec<String> = (0..CODES).map(|_| secret(CODE)).collect();
        let kept = words.iter().map(|word| digest(word)).collect();
        (words.iter().map(|word| shown(word)).collect(), Codes(kept))
    }

    /// Reads what is kept; nothing of what is damaged.
    pub fn read(text: &str) -> Codes {
        Codes(serde_json::from_str(text).unwrap_or_default())
    }

    /// As it is kept, in JSON.
    pub fn to_text(&self) -> String {
        serde_json::to_string(&self.0).unwrap_or_default()
    }

    /// How many are left.
    pub fn left(&self) -> usize {
        self.0.len()
    }

    /// What is left when a code is used; nothing if it is none of them. Signs between the letters do not matter.
    pub fn without(&self, code: &str) -> Option<Codes> {
        let plain = code.chars().filter(|c| c.is_ascii_alphanumeric());
        let used = digest(&plain.collect::<String>().to_ascii_lowercase());
        let left: Vec<String> = self.0.iter().filter(|d| **d != used).cloned().collect();
        (left.len() < self.0.len()).then_some(Codes(left))
    }
}

/// A code in groups of four.
fn shown(word: &str) -> String {
    let letters: Vec<char> = word.chars().collect();
    let groups = letters.chunks(4).map(|group| group.iter().collect());
    groups.collect::<Vec<String>>().join("-")
}
