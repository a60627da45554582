//! Names of accounts: short, in one script, and not readable as somebody else's.

use super::is_engine;
use unicode_normalization::UnicodeNormalization;
use unicode_security::MixedScript;
use unicode_security::confusable_detection::skeleton;

/// Least and most characters of a name.
const LENGTH: [usize; 2] = [2, 20];

/// Words that no account may bear, one a line; `*` stands for anything. Names of whatever runs the site or speaks for
/// it, and names unfit for good company. An operator's own list replaces it.
pub const REFUSED: &str = include_str!("refused.txt");

/// Why a name cannot be an account's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameFault {
    /// Too short or too long.
    #[error("a name has 2 to 20 characters")]
    Length,
    /// A character that is none of those allowed.
    #[error("a name consists of letters, digits, `_` and `-`; {0:?} is none of these")]
    Character(char),
    /// No letter.
    #[error("a name has at least one letter")]
    NoLetter,
    /// Letters of several scripts.
    #[error("all letters of a name must be of one script")]
    Scripts,
    /// It reads as the engine's, or as one of the list.
    #[error("this name is not allowed; please choose another")]
    Refused,
}

/// A name that an account may bear.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountName {
    name: String,
    readings: Vec<String>,
}

impl AccountName {
    /// Reads a name. `refused` lists words that it may not be, as in [`REFUSED`].
    pub fn new(text: &str, refused: &str) -> Result<AccountName, NameFault> {
        let name: String = text.trim().nfc().take(4 * LENGTH[1]).collect();
        let characters = name.chars().count();
        if !(LENGTH[0]..=LENGTH[1]).contains(&characters) {
            return Err(NameFault::Length);
        }
        let fits = |c: char| c.is_alphabetic() || c.is_numeric() || matches!(c, '_' | '-');
        if let Some(c) = name.chars().find(|c| !fits(*c)) {
            return Err(NameFault::Character(c));
        }
        if !name.chars().any(char::is_alphabetic) {
            return Err(NameFault::NoLetter);
        }
        if !name.as_str().is_single_script() {
            return Err(NameFault::Scripts);
        }
        let readings = readings(&name);
        if is_engine(&name) || refused.lines().any(|line| is_refused(line, &readings)) {
            return Err(NameFault::Refused);
        }
        Ok(AccountName { name, readings })
    }

    /// The name as it is shown.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The ways it can be read: two names with a reading in common count as the same.
    pub fn readings(&self) -> &[String] {
        &self.readings
    }
}

/// The reading by which a typed name is looked up, whatever was typed.
pub fn reading(text: &str) -> String {
    let name: String = text.trim().nfc().take(4 * LENGTH[1]).collect();
    like(&name.to_lowercase())
}

/// A capital may look like another letter than its lowercase form does, so there may be two.
fn readings(name: &str) -> Vec<String> {
    let mut readings = vec![reading(name)];
    let as_written = like(name);
    if as_written != readings[0] {
        readings.push(as_written);
    }
    readings
}

/// A name reduced to what cannot be overlooked: without marks between letters, and with one letter for all that look
/// alike.
fn like(name: &str) -> String {
    let seen: String = skeleton(name).collect();
    let plain = seen.nfkd().filter(|c| c.is_alphanumeric());
    let small = plain.flat_map(char::to_lowercase);
    small
        .map(|c| match c {
            '0' => 'o',
            '1' | 'i' => 'l',
            '5' => 's',
            c => c,
        })
        .collect()
}

/// Whether a line of the list matches a name.
fn is_refused(line: &str, readings: &[String]) -> bool {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return false;
    }
    let word = like(&line.trim_matches('*').to_lowercase());
    let (before, after) = (line.starts_with('*'), line.ends_with('*'));
    let hit = |reading: &String| match (before, after) {
        (false, false) => *reading == word,
        (true, false) => reading.ends_with(&word),
        (false, true) => reading.starts_with(&word),
        (true, true) => reading.contains(&word),
    };
    !word.is_empty() && readings.iter().any(hit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Result<AccountName, NameFault> {
        AccountName::new(text, REFUSED)
    }

    #[test]
    fn people_have_names() {
        for text in [
            "Ann",
            "ann_b",
            "Jean-Luc",
            "x2",
            "Zoë",
            "حصون",
            "王小明",
            "Ян",
            "Nguyễn",
        ] {
            assert_eq!(name(text).map(|n| n.name), Ok(text.into()), "{text}");
        }
        assert_eq!(name("  Ann ").map(|n| n.name), Ok("Ann".into()));
    }

    #[test]
    fn what_is_wrong_is_told() {
        for (text, fault) in [
            ("", NameFault::Length),
            ("x", NameFault::Length),
            ("abcdefghijklmnopqrstu", NameFault::Length),
            ("Ann B", NameFault::Character(' ')),
            ("a<b>", NameFault::Character('<')),
            ("An\u{200b}n", NameFault::Character('\u{200b}')),
            ("12345", NameFault::NoLetter),
            ("--__", NameFault::NoLetter),
            // The second letter is Cyrillic.
            ("P\u{430}ul", NameFault::Scripts),
            ("Husun", NameFault::Refused),
            ("admin", NameFault::Refused),
            ("A_D_M_1_N", NameFault::Refused),
            ("Moderator7", NameFault::Refused),
            ("deleted", NameFault::Refused),
        ] {
            assert_eq!(name(text).map(|n| n.name), Err(fault), "{text:?}");
        }
    }

    #[test]
    fn names_that_look_alike_are_one() -> Result<(), NameFault> {
        for (one, other) in [
            ("Ann", "ANN"),
            ("Ann", "a-n_n"),
            ("Paul", "PauI"),
            ("Paul", "Pau1"),
            ("bob", "b0b"),
            ("Zoë", "Zoe"),
            ("Ali", "AIi"),
            ("mia", "rnia"),
        ] {
            let (a, b) = (name(one)?, name(other)?);
            let common = a.readings().iter().any(|r| b.readings().contains(r));
            assert!(common, "{one} {a:?} and {other} {b:?}");
            assert!(a.readings().contains(&reading(one)));
        }
        for (one, other) in [("Ann", "Anna"), ("Paul", "Pavel"), ("x2", "x3")] {
            let (a, b) = (name(one)?, name(other)?);
            assert!(a.readings().iter().all(|r| !b.readings().contains(r)));
        }
        Ok(())
    }

    #[test]
    fn an_operators_list_is_followed() {
        let list = "# ours\nclub*\n*boss\n\n*kings*\n";
        let refused = |text| AccountName::new(text, list) == Err(NameFault::Refused);
        assert!(refused("Clubman") && refused("theboss") && refused("my_kings_x"));
        assert!(!refused("aclub") && !refused("bossa") && !refused("admin"));
    }
}
