//! The place of a game's fault in its text: of the move that cannot be played, or of the tag. The tree of a game has
//! no places, so its text is scanned once more, only for a faulty game.

use super::tape::line_length;
use husun::Position;
use husun::pgn::{Location, Movetext, Node, RawGame};
use husun::record::is_null_move;

/// The place of a tag in the text of a game, or of its first line.
pub fn tag(name: &str, text: &[u8], line: u64) -> Location {
    let mut number = line;
    let mut rest = text;
    let mut first = None;
    while !rest.is_empty() {
        let (this, after) = rest.split_at(line_length(rest));
        let this = String::from_utf8_lossy(this);
        if !this.trim().is_empty() {
            first = first.or(Some(number));
        }
        if let Some(at) = this.find(&format!("[{name} ")) {
            let column = this[..at].chars().count() + 1;
            return Location {
                line: number,
                column,
            };
        }
        rest = after;
        number += 1;
    }
    let line = first.unwrap_or(line);
    Location { line, column: 1 }
}

/// The place of the first move that cannot be played.
pub fn wrong_move(raw: &RawGame, start: &Position, text: &[u8], line: u64) -> Location {
    let mut moves = Vec::new();
    up_to_wrong(&raw.line, start, false, &mut moves);
    let mut moves = moves.into_iter().peekable();
    for (word, at) in words(text, line) {
        if moves.peek() == Some(&word.as_str()) {
            moves.next();
            if moves.peek().is_none() {
                return at;
            }
        }
    }
    tag("", text, line)
}

/// The moves in the order of the text, variations after the move that they replace, up to the first that cannot be
/// played; tells whether there is one. In a variation, moves after a null move are not played.
fn up_to_wrong<'a>(
    line: &'a Movetext,
    start: &Position,
    is_variation: bool,
    moves: &mut Vec<&'a str>,
) -> bool {
    let mut position = start.clone();
    let mut played = 0;
    for node in &line.moves {
        if is_variation && is_null_move(&node.san) {
            break;
        }
        moves.push(&node.san);
        let Ok(m) = position.parse_san(&node.san) else {
            return true;
        };
        let variations = &node.variations;
        if variations
            .iter()
            .any(|v| up_to_wrong(v, &position, true, moves))
        {
            return true;
        }
        position = position.play_unchecked(m);
        played += 1;
    }
    unplayed(&line.moves[played..], moves);
    false
}

/// Moves in the text that are not played.
fn unplayed<'a>(nodes: &'a [Node], moves: &mut Vec<&'a str>) {
    for node in nodes {
        moves.push(&node.san);
        for variation in &node.variations {
            unplayed(&variation.moves, moves);
        }
    }
}

/// The words outside tags and comments, without annotations attached to them.
fn words(text: &[u8], line: u64) -> Vec<(String, Location)> {
    let mut words = Vec::new();
    let mut in_comment = false;
    let mut rest = text;
    let mut number = line;
    while !rest.is_empty() {
        let (this, after) = rest.split_at(line_length(rest));
        let this = String::from_utf8_lossy(this);
        if in_comment || !this.starts_with(['%', '[']) {
            in_comment = line_words(&this, number, in_comment, &mut words);
        }
        rest = after;
        number += 1;
    }
    words
}

/// The words of one line; tells whether a comment is open at its end.
fn line_words(
    text: &str,
    line: u64,
    mut in_comment: bool,
    words: &mut Vec<(String, Location)>,
) -> bool {
    let mut word: Option<(String, Location)> = None;
    for (i, c) in text.chars().enumerate() {
        let breaks = c.is_whitespace() || "{}();.!?$*".contains(c);
        if in_comment || breaks {
            words.extend(word.take());
        } else {
            let at = Location {
                line,
                column: i + 1,
            };
            word.get_or_insert_with(|| (String::new(), at)).0.push(c);
        }
        match c {
            ';' if !in_comment => return false,
            '{' => in_comment = true,
            '}' => in_comment = false,
            _ => {}
        }
    }
    words.extend(word);
    in_comment
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_a_wrong_move() {
        let text =
            "[Event \"x\"]\n\n1. e4 {Nf9 } (1. d4 d5) 1... e5 2. Nf3 ; Nf9\n2... Nc6! 3.Nf9 *\n";
        let raw: RawGame = text.parse().unwrap();
        let start = games::variant("chess").unwrap().start();
        let at = wrong_move(&raw, &start, text.as_bytes(), 10);
        assert_eq!((at.line, at.column), (13, 13));
        let text =
            "[Event \"x\"]\n\n1. e4 (1. d4 -- 2. Nf9 (2. c4 --) 2... d5) 1... e5\n2. Nf9 *\n";
        let raw: RawGame = text.parse().unwrap();
        let at = wrong_move(&raw, &start, text.as_bytes(), 1);
        assert_eq!((at.line, at.column), (4, 4));
        let at = tag("Event", text.as_bytes(), 10);
        assert_eq!((at.line, at.column), (10, 1));
    }
}
