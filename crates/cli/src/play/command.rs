//! What a player can type: a move in either notation, or a command word. One list serves for parsing and help.

use husun::{Move, Position};

/// A word that can be typed instead of a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Show all words.
    Help,
    /// Show the board.
    Board,
    /// Show all legal moves.
    Moves,
    /// Ask the computer for a move.
    Hint,
    /// Let the computer make this move.
    Go,
    /// Take back a move.
    Undo,
    /// Resign.
    Resign,
    /// Offer a draw, or agree to one.
    Draw,
    /// Accept mate or stalemate.
    Accept,
    /// Promote all pieces of the crowning's kind.
    Crown,
    /// Turn the board.
    Flip,
    /// Show the position text.
    Fen,
    /// Write the game to a file.
    Save(String),
    /// Read a game from a file.
    Load(String),
    /// Begin anew.
    New,
    /// End the program.
    Quit,
}

/// Every word with its argument and what it does.
pub const WORDS: [(&str, &str, &str); 16] = [
    ("help", "", "show this list"),
    ("board", "", "show the board"),
    ("moves", "", "show all legal moves"),
    ("hint", "", "ask the computer for a move"),
    ("go", "", "let the computer make this move"),
    ("undo", "", "take back your last move"),
    ("resign", "", "give up the game"),
    ("draw", "", "offer a draw, or agree to one"),
    (
        "accept",
        "",
        "accept mate or stalemate, where the rules allow it",
    ),
    (
        "crown",
        "",
        "promote the Kings to Emperors, where the rules allow it",
    ),
    ("flip", "", "turn the board"),
    ("fen", "", "show the position text"),
    ("save", "FILE", "write the game as PGN"),
    ("load", "FILE", "go on with the first game of a PGN file"),
    ("new", "", "begin anew"),
    ("quit", "", "end the program"),
];

/// What was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A word.
    Command(Command),
    /// A legal move.
    Move(Move),
}

/// Reads what was typed; an error says what was expected.
pub fn read(text: &str, position: &Position) -> Result<Entry, String> {
    let text = text.trim();
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let rest = rest.trim();
    if let Some(command) = command(&word.to_lowercase(), rest) {
        return command.map(Entry::Command);
    }
    let m = position.parse_san(text).map_err(|e| e.to_string())?;
    Ok(Entry::Move(m))
}

fn command(word: &str, rest: &str) -> Option<Result<Command, String>> {
    let path = |make: fn(String) -> Command| match rest {
        "" => Err(format!("{word}: expected the name of a file")),
        path => Ok(make(path.into())),
    };
    let command = match word {
        "help" | "?" => Command::Help,
        "board" => Command::Board,
        "moves" => Command::Moves,
        "hint" => Command::Hint,
        "go" => Command::Go,
        "undo" | "takeback" => Command::Undo,
        "resign" => Command::Resign,
        "draw" => Command::Draw,
        "accept" => Command::Accept,
        "crown" => Command::Crown,
        "flip" => Command::Flip,
        "fen" => Command::Fen,
        "save" => return Some(path(Command::Save)),
        "load" => return Some(path(Command::Load)),
        "new" => Command::New,
        "quit" | "exit" => Command::Quit,
        _ => return None,
    };
    Some(match rest {
        "" => Ok(command),
        _ => Err(format!(
            "{word}: expected nothing behind it, found `{rest}`"
        )),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_of_the_list_is_read() {
        let start = games::variant("chess").unwrap().start();
        for (word, file, _) in WORDS {
            let entry = read(&format!(" {word} {file} "), &start);
            assert!(matches!(entry, Ok(Entry::Command(_))), "{word}: {entry:?}");
        }
        assert!(matches!(read("e4", &start), Ok(Entry::Move(_))));
        assert!(read("save", &start).is_err());
        assert!(read("undo 3", &start).is_err());
        assert!(
            read("Ke5", &start)
                .unwrap_err()
                .contains("fits no legal move")
        );
    }
}
