//! What can be said of a game's text before its values are understood: control characters, and the TOML reader's
//! own messages in plain words.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Keys whose texts may have several lines.
const PARAGRAPHS: [&str; 3] = ["summary", "origin", "pieces.picture"];

/// The first key or text with a control character, which a terminal would act on: its offset, key and character.
pub(super) fn control_character(text: &str) -> Option<(usize, String, char)> {
    let table = DeTable::parse(text).ok()?;
    in_table(table.get_ref(), "")
}

// The TOML reader limits how deep tables nest, so recursion is bounded.
fn in_table(table: &DeTable<'_>, path: &str) -> Option<(usize, String, char)> {
    table.iter().find_map(|(name, value)| {
        let shown: String = name.get_ref().chars().filter(|c| !c.is_control()).collect();
        let key = match path {
            "" => shown,
            _ => format!("{path}.{shown}"),
        };
        let bad = name.get_ref().chars().find(|c| c.is_control());
        match bad {
            Some(bad) => Some((name.span().start, key, bad)),
            None => in_value(value, &key),
        }
    })
}

fn in_value(value: &Spanned<DeValue<'_>>, key: &str) -> Option<(usize, String, char)> {
    match value.get_ref() {
        DeValue::Table(table) => in_table(table, key),
        DeValue::Array(list) => list.iter().find_map(|entry| in_value(entry, key)),
        DeValue::String(text) => {
            let breaks = PARAGRAPHS.contains(&key);
            let is_bad = |c: &char| c.is_control() && !(breaks && *c == '\n');
            let bad = text.chars().find(is_bad)?;
            Some((value.span().start, key.to_string(), bad))
        }
        _ => None,
    }
}

/// What the reader calls a value that it finds, and what people call it.
const FOUND: [(&str, &str); 7] = [
    ("map", "a section"),
    ("sequence", "a list"),
    ("string ", "the text "),
    ("integer ", "the number "),
    ("floating point ", "the number "),
    ("boolean ", "the value "),
    ("unit value", "nothing"),
];

/// What the reader calls a value that it wants.
const EXPECTED: [(&str, &str); 8] = [
    ("a string", "a text in quotes"),
    ("a boolean", "true or false"),
    ("i64", "a whole number"),
    ("f64", "a number"),
    ("a sequence", "a list in [ ]"),
    ("a map", "a section with keys"),
    ("struct ", "a section with keys"),
    ("tuple ", "a list in [ ]"),
];

/// A message of the TOML reader in plain words; unchanged if there is no better wording.
pub(super) fn plain(message: &str) -> String {
    if let Some(field) = message.strip_prefix("missing field ") {
        return format!("the key {field} is missing");
    }
    let types = message
        .strip_prefix("invalid type: ")
        .or_else(|| message.strip_prefix("invalid value: "));
    let Some((found, expected)) = types.and_then(|rest| rest.rsplit_once(", expected ")) else {
        return message.into();
    };
    let found = FOUND.iter().find_map(|(word, say)| {
        let value = found.strip_prefix(word)?;
        Some(format!("{say}{}", value.replace('`', "")))
    });
    let words = EXPECTED.iter().find(|(word, _)| expected.starts_with(word));
    match (found, words) {
        (Some(found), Some((_, words))) => format!("found {found}: expected {words}"),
        _ => message.into(),
    }
}
