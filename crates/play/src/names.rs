//! Names that people give themselves, as they are shown to others: visible, in their own direction, and not somebody
//! else's.

pub mod account;
#[cfg(test)]
mod tests;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};
use unicode_security::confusable_detection::skeleton;

/// Longest name shown, in characters.
const NAME: usize = 30;
/// Most marks on one letter: Vietnamese and Hebrew get by with two.
const MARKS: usize = 2;
/// The engine's name, which nobody else may bear.
const ENGINE: &str = "husun";

/// A name as it is shown: short, on one line, with visible letters or digits; none if nothing of that is left, or if
/// it reads as the engine's.
pub fn name_of(text: &str) -> Option<String> {
    let mut clean = String::new();
    let mut marks = 0;
    // Composed, so that letters with their usual marks are letters.
    for c in text.nfc().take(NAME * 8) {
        let c = if c.is_whitespace() { ' ' } else { c };
        if !is_shown(c) || (c == ' ' && (clean.is_empty() || clean.ends_with(' '))) {
            continue;
        }
        match is_combining_mark(c) {
            true => marks += 1,
            false => marks = 0,
        }
        let bears = clean.chars().next_back().is_some_and(|last| last != ' ');
        if marks <= MARKS && (marks == 0 || bears) {
            clean.push(c);
        }
    }
    let clean: String = clean.chars().take(NAME).collect();
    let clean = clean.trim();
    let speaks = clean.chars().any(char::is_alphanumeric);
    (speaks && !is_engine(clean)).then(|| clean.into())
}

/// Whether a character is visible and leaves the text's direction as it is.
fn is_shown(c: char) -> bool {
    // Letters and marks by their category, but invisible: fillers, joiners, selectors.
    let invisible = matches!(c,
        '\u{034f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{2800}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{ffa0}' | '\u{e0100}'..='\u{e01ef}');
    let shown = match c.general_category_group() {
        GeneralCategoryGroup::Letter
        | GeneralCategoryGroup::Number
        | GeneralCategoryGroup::Punctuation
        | GeneralCategoryGroup::Symbol => true,
        // A mark that encloses hides what is beside it.
        GeneralCategoryGroup::Mark => c.general_category() != GeneralCategory::EnclosingMark,
        GeneralCategoryGroup::Separator => c == ' ',
        GeneralCategoryGroup::Other => false,
    };
    shown && !invisible
}

/// Whether a name reads as the engine's: with its letters in any case, any marks on them and anything but letters
/// between them, or with letters that look like them.
fn is_engine(name: &str) -> bool {
    let plain = |text: &str| -> String {
        let folded = text.nfkd().flat_map(char::to_lowercase);
        let like = folded.map(|c| match c {
            '5' | '$' => 's',
            'ʜ' => 'h',
            'ᴜ' | 'µ' | 'v' => 'u',
            'ꜱ' => 's',
            'ɴ' => 'n',
            c => c,
        });
        like.filter(|c| c.is_alphabetic()).collect()
    };
    let seen = |text: &str| plain(&skeleton(text).collect::<String>());
    // A capital may look like another letter than its lowercase form does.
    let readings = [plain(name), seen(name), seen(&name.to_lowercase())];
    readings.iter().any(|reading| reading.contains(ENGINE))
}
