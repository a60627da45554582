//! Position text (FEN) to an arrangement and back, by the grammar of docs/game-file.md. Whether the
//! arrangement is a position that the rules allow is checked in [`crate::legality`].

use crate::definition::{Definition, StateFlag};
use crate::frame::{Frame, Square};
use crate::piece::{Kind, Piece};
use crate::setup::{CastlingRights, Setup};
use crate::side::Side;
use std::fmt::Write;

/// Why a position text is refused. Ranks are counted as on the board.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FenError {
    /// Too few or too many fields, or spaces elsewhere than between them.
    #[error("{found} fields: expected {expected}, separated by one space: {names}")]
    Fields {
        /// Number of fields read.
        found: usize,
        /// Numbers that are valid.
        expected: String,
        /// The fields' names.
        names: &'static str,
    },
    /// The state field is missing in a game that has one.
    #[error(
        "state: the field is missing: expected letters of {letters} in that order, or -, behind the en-passant field"
    )]
    NoState {
        /// The letters of the game.
        letters: String,
    },
    /// The board has the wrong number of ranks.
    #[error("board: {found} ranks: expected {expected}")]
    RankCount {
        /// Number read.
        found: usize,
        /// Number of the board.
        expected: u8,
    },
    /// A rank has the wrong width.
    #[error("board: rank {rank} has {found} files: expected {files}")]
    RankWidth {
        /// Which rank.
        rank: u8,
        /// Number of files read; at least one too many where there are more.
        found: usize,
        /// Number of files of the board.
        files: u8,
    },
    /// A letter that is not a piece of the game.
    #[error(
        "board: rank {rank} has unknown letter `{found}`: expected one of {letters} in either case, a number or `*`"
    )]
    Letter {
        /// Which rank.
        rank: u8,
        /// What was read.
        found: char,
        /// The letters of the game.
        letters: String,
    },
    /// A number that is 0, starts with 0 or is too large.
    #[error(
        "board: rank {rank} has the number {found}: expected 1 to {files} without leading zero"
    )]
    Run {
        /// Which rank.
        rank: u8,
        /// What was read.
        found: String,
        /// Number of files of the board.
        files: u8,
    },
    /// A piece or an empty square where the board has none.
    #[error("board: square {square} does not exist: expected `*`")]
    NoSquare {
        /// Its name.
        square: String,
    },
    /// `*` for a square that exists.
    #[error("board: `*` on {square}, which exists")]
    Exists {
        /// Its name.
        square: String,
    },
    /// Neither `w` nor `b`.
    #[error("side: `{0}`: expected w or b")]
    Side(String),
    /// Not a subset of `KQkq` in that order.
    #[error("castling: `{0}`: expected letters of KQkq in that order, or -")]
    Castling(String),
    /// Not squares of the board, lowest rank first.
    #[error("en passant: `{0}`: expected - or one or two squares, lowest rank first")]
    EnPassant(String),
    /// Not a subset of the game's state letters in their order.
    #[error("state: `{found}`: expected letters of {letters} in that order, or -")]
    State {
        /// What was read.
        found: String,
        /// The letters of the game.
        letters: String,
    },
    /// Not a number within its limits.
    #[error("{field}: `{found}`: expected a number from {low} to {high}")]
    Counter {
        /// Which of the two counters.
        field: &'static str,
        /// What was read.
        found: String,
        /// Lowest value.
        low: u32,
        /// Highest value.
        high: u32,
    },
}

/// What reading and writing position text needs to know of a game.
#[derive(Clone, Copy)]
pub(crate) struct Notation<'a> {
    pub frame: &'a Frame,
    pub pieces: &'a [Piece],
    pub state: &'a [(char, StateFlag)],
}

/// The highest value of the two counters.
pub(crate) const HIGHEST_COUNTER: u32 = 999_999;
const FIELDS: &str = "board, side, castling, en passant, half-move clock, full-move number";
const FIELDS_WITH_STATE: &str =
    "board, side, castling, en passant, state, half-move clock, full-move number";

/// Shortens what was read for a message.
fn quote(text: &str) -> String {
    text.chars().take(40).collect()
}

/// Reads a position text. The last two fields may be missing.
pub(crate) fn read(n: Notation<'_>, text: &str) -> Result<Setup, FenError> {
    let mut fields: Vec<&str> = text.split(' ').collect();
    let with_state = !n.state.is_empty();
    let full = 6 + usize::from(with_state);
    if fields.len() == full - 2 && !fields.iter().any(|f| f.is_empty()) {
        fields.extend(["0", "1"]);
    }
    // Numbers where the state field belongs, or nothing at all: the state field was forgotten.
    let number = |text: &&str| text.bytes().all(|b| b.is_ascii_digit());
    let forgotten = match fields.len() + 1 {
        n if n == full => fields.get(4).is_some_and(number) && fields.iter().all(|f| !f.is_empty()),
        n => n + 2 == full && fields.iter().all(|f| !f.is_empty()),
    };
    if with_state && forgotten {
        return Err(FenError::NoState {
            letters: n.state.iter().map(|s| s.0).collect(),
        });
    }
    if fields.len() != full || fields.iter().any(|f| f.is_empty()) {
        return Err(FenError::Fields {
            found: text.split(' ').filter(|f| !f.is_empty()).count(),
            expected: format!("{full} (or {} without the two counters)", full - 2),
            names: if with_state {
                FIELDS_WITH_STATE
            } else {
                FIELDS
            },
        });
    }
    let board = read_board(n, fields[0])?;
    let turn = match fields[1] {
        "w" => Side::White,
        "b" => Side::Black,
        other => return Err(FenError::Side(quote(other))),
    };
    let state = if with_state {
        read_state(n, fields[4])?
    } else {
        0
    };
    let counter = |field, text: &str, low| {
        let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let plain = text == "0" || !text.starts_with('0');
        let value = text
            .parse::<u32>()
            .ok()
            .filter(|v| (low..=HIGHEST_COUNTER).contains(v));
        value
            .filter(|_| digits && plain)
            .ok_or_else(|| FenError::Counter {
                field,
                found: quote(text),
                low,
                high: HIGHEST_COUNTER,
            })
    };
    Ok(Setup {
        board,
        turn,
        rights: read_rights(fields[2])?,
        en_passant: read_en_passant(n, fields[3])?,
        state,
        halfmove: counter("half-move clock", fields[full - 2], 0)?,
        fullmove: counter("full-move number", fields[full - 1], 1)?,
    })
}

impl Definition {
    /// The pieces of a board field alone, as drawings need them: White is to move, and there are no rights.
    ///
    /// ```
    /// # let mini = husun::Variant::parse("t.toml", husun::doctest::MINI).unwrap();
    /// let setup = mini.read_board("4/1k2/4/R3").unwrap();
    /// assert!(setup.piece_on(mini.frame().parse("b3").unwrap()).is_some());
    /// assert!(mini.read_board("4/1q2/4/R3").is_err());
    /// ```
    pub fn read_board(&self, text: &str) -> Result<Setup, FenError> {
        Ok(Setup {
            board: read_board(self.notation(), text)?,
            turn: Side::White,
            rights: CastlingRights::default(),
            en_passant: Vec::new(),
            state: 0,
            halfmove: 0,
            fullmove: 1,
        })
    }

    /// Reads position text as an arrangement, which need not be a position of the game: royal pieces may be missing.
    ///
    /// ```
    /// # let mini = husun::Variant::parse("t.toml", husun::doctest::MINI).unwrap();
    /// let text = "4/1r2/4/R3 b - - 0 1";
    /// assert!(mini.position(text).is_err());
    /// let setup = mini.read_arrangement(text).unwrap();
    /// assert_eq!(mini.arrangement_text(&setup), text);
    /// ```
    pub fn read_arrangement(&self, text: &str) -> Result<Setup, FenError> {
        read(self.notation(), text)
    }

    /// Position text of an arrangement of this game's board.
    pub fn arrangement_text(&self, setup: &Setup) -> String {
        write(self, setup)
    }
}

fn read_board(n: Notation<'_>, text: &str) -> Result<Vec<Option<(Side, Kind)>>, FenError> {
    let frame = n.frame;
    let rows: Vec<&str> = text.split('/').collect();
    if rows.len() != usize::from(frame.ranks()) {
        return Err(FenError::RankCount {
            found: rows.len(),
            expected: frame.ranks(),
        });
    }
    let mut board = vec![None; frame.len()];
    for (row, rank) in rows.iter().zip((0..frame.ranks()).rev()) {
        read_rank(n, row, rank, &mut board)?;
    }
    Ok(board)
}

fn read_rank(
    n: Notation<'_>,
    row: &str,
    rank: u8,
    board: &mut [Option<(Side, Kind)>],
) -> Result<(), FenError> {
    let frame = n.frame;
    let files = usize::from(frame.files());
    let width = |found| FenError::RankWidth {
        rank: rank + 1,
        found,
        files: frame.files(),
    };
    let name = |file: usize| {
        format!(
            "{}{}",
            crate::frame::Frame::file_letter(file as u8),
            rank + 1
        )
    };
    let mut file = 0;
    let mut chars = row.chars().peekable();
    while let Some(c) = chars.next() {
        if c.is_ascii_digit() {
            let mut number = String::from(c);
            while let Some(digit) = chars.next_if(char::is_ascii_digit) {
                number.push(digit);
            }
            let run = number
                .parse::<usize>()
                .ok()
                .filter(|r| (1..=files).contains(r));
            let run = run.filter(|_| c != '0').ok_or_else(|| FenError::Run {
                rank: rank + 1,
                found: quote(&number),
                files: frame.files(),
            })?;
            if file + run > files {
                return Err(width(file + run));
            }
            if let Some(gone) =
                (file..file + run).find(|&f| frame.at(f as i32, rank.into()).is_none())
            {
                return Err(FenError::NoSquare { square: name(gone) });
            }
            file += run;
            continue;
        }
        if file >= files {
            return Err(width(file + 1));
        }
        let square = frame.at(file as i32, rank.into());
        if c == '*' {
            if square.is_some() {
                return Err(FenError::Exists { square: name(file) });
            }
        } else {
            let letter = c.to_ascii_uppercase();
            let kind = n.pieces.iter().position(|p| p.letter == letter);
            let kind = kind.map(|i| Kind(i as u8));
            let kind = kind.ok_or_else(|| FenError::Letter {
                rank: rank + 1,
                found: c,
                letters: n.pieces.iter().map(|p| p.letter).collect(),
            })?;
            let side = if c.is_ascii_uppercase() {
                Side::White
            } else {
                Side::Black
            };
            let square = square.ok_or_else(|| FenError::NoSquare { square: name(file) })?;
            board[square.index()] = Some((side, kind));
        }
        file += 1;
    }
    if file != files {
        return Err(width(file));
    }
    Ok(())
}

/// The indices of the text's characters within `order`, which must increase.
fn ordered(text: &str, order: impl Iterator<Item = char> + Clone) -> Option<Vec<usize>> {
    if text == "-" {
        return Some(Vec::new());
    }
    let mut places: Vec<usize> = Vec::new();
    for c in text.chars() {
        let place = order.clone().position(|o| o == c)?;
        if places.last().is_some_and(|&last| last >= place) {
            return None;
        }
        places.push(place);
    }
    Some(places)
}

fn read_rights(text: &str) -> Result<CastlingRights, FenError> {
    let places = ordered(text, CastlingRights::LETTERS.iter().map(|l| l.0))
        .ok_or_else(|| FenError::Castling(quote(text)))?;
    let mut rights = CastlingRights::default();
    for place in places {
        let (_, side, wing) = CastlingRights::LETTERS[place];
        rights.add(side, wing);
    }
    Ok(rights)
}

fn read_state(n: Notation<'_>, text: &str) -> Result<u16, FenError> {
    let places = ordered(text, n.state.iter().map(|s| s.0)).ok_or_else(|| FenError::State {
        found: quote(text),
        letters: n.state.iter().map(|s| s.0).collect(),
    })?;
    Ok(places
        .into_iter()
        .fold(0, |state, place| state | 1 << place))
}

fn read_en_passant(n: Notation<'_>, text: &str) -> Result<Vec<Square>, FenError> {
    let wrong = || FenError::EnPassant(quote(text));
    if text == "-" {
        return Ok(Vec::new());
    }
    let mut squares: Vec<Square> = Vec::new();
    let mut starts: Vec<usize> = text
        .char_indices()
        .filter(|(_, c)| c.is_ascii_alphabetic())
        .map(|(i, _)| i)
        .collect();
    starts.push(text.len());
    if starts[0] != 0 || starts.len() > 3 {
        return Err(wrong());
    }
    for pair in starts.windows(2) {
        let square = n
            .frame
            .parse(&text[pair[0]..pair[1]])
            .map_err(|_| wrong())?;
        if squares.last().is_some_and(|&last| last >= square) {
            return Err(wrong());
        }
        squares.push(square);
    }
    Ok(squares)
}

/// Writes an arrangement as position text.
pub(crate) fn write(game: &Definition, setup: &Setup) -> String {
    let mut text = String::with_capacity(128);
    write_board(game, setup, &mut text);
    text.push(' ');
    text.push(setup.turn.letter());
    text.push(' ');
    let rights = CastlingRights::LETTERS.iter();
    push_or_dash(
        &mut text,
        rights
            .filter(|&&(_, side, wing)| setup.rights.has(side, wing))
            .map(|l| l.0),
    );
    text.push(' ');
    if setup.en_passant.is_empty() {
        text.push('-');
    }
    for &square in &setup.en_passant {
        let _ = write!(text, "{}", game.frame().name(square));
    }
    if !game.state_flags().is_empty() {
        text.push(' ');
        let flags = game.state_flags().iter().enumerate();
        push_or_dash(
            &mut text,
            flags
                .filter(|(i, _)| setup.state >> i & 1 != 0)
                .map(|(_, s)| s.0),
        );
    }
    let _ = write!(text, " {} {}", setup.halfmove, setup.fullmove);
    text
}

fn push_or_dash(text: &mut String, chars: impl Iterator<Item = char>) {
    let before = text.len();
    text.extend(chars);
    if text.len() == before {
        text.push('-');
    }
}

fn write_board(game: &Definition, setup: &Setup, text: &mut String) {
    let frame = game.frame();
    for rank in (0..frame.ranks()).rev() {
        let mut run = 0;
        for file in 0..frame.files() {
            let square = frame.at(file.into(), rank.into());
            let what = match square {
                None => '*',
                Some(square) => match setup.piece_on(square) {
                    None => {
                        run += 1;
                        continue;
                    }
                    Some((side, kind)) => side.cased(game.piece(kind).letter),
                },
            };
            if run > 0 {
                let _ = write!(text, "{run}");
                run = 0;
            }
            text.push(what);
        }
        if run > 0 {
            let _ = write!(text, "{run}");
        }
        if rank > 0 {
            text.push('/');
        }
    }
}
