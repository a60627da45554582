//! The board: a frame of files and ranks, some of whose squares may be missing. Squares are
//! numbered over the existing ones alone, rank by rank from a1. Nothing stands on them here.

use std::fmt::{self, Write as _};

/// The number of an existing square, rank by rank from the south-west corner. Only a [`Frame`] knows its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Square(pub(crate) u8);

impl Square {
    /// The number, from 0.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl From<Square> for usize {
    /// The number, from 0.
    #[inline(always)]
    fn from(square: Square) -> usize {
        square.index()
    }
}

/// Highest number of files and of ranks.
pub const MAX_SIDE: u8 = 16;
/// Highest number of existing squares.
pub const MAX_SQUARES: usize = 192;

/// Why a text does not name a square of a board.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SquareError {
    /// Not a file letter followed by a rank number.
    #[error(
        "`{text}` is not a square: expected a file letter a to {last_file} and a rank number 1 to {ranks}"
    )]
    NotASquare {
        /// What was read.
        text: String,
        /// The last file of the board.
        last_file: char,
        /// Number of ranks.
        ranks: u8,
    },
    /// A square of the frame that the board does not have.
    #[error("square {text} does not exist on this board")]
    Missing {
        /// Its name.
        text: String,
    },
}

/// Files, ranks and missing squares of a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    files: u8,
    ranks: u8,
    /// By rank and file, from a1: the number of the square that exists there.
    numbers: Vec<Option<Square>>,
    /// File and rank, from 0, of each existing square.
    places: Vec<(u8, u8)>,
}

impl Frame {
    /// A board of `files` by `ranks` (1 to 16 each) without the squares for which `missing` holds, by file and
    /// rank from 0. `None` if it has no square or more than 192.
    pub fn new(files: u8, ranks: u8, missing: impl Fn(u8, u8) -> bool) -> Option<Frame> {
        if !(1..=MAX_SIDE).contains(&files) || !(1..=MAX_SIDE).contains(&ranks) {
            return None;
        }
        let mut numbers = Vec::new();
        let mut places = Vec::new();
        for rank in 0..ranks {
            for file in 0..files {
                numbers.push(if missing(file, rank) || places.len() > 255 {
                    None
                } else {
                    places.push((file, rank));
                    Some(Square((places.len() - 1) as u8))
                });
            }
        }
        (1..=MAX_SQUARES).contains(&places.len()).then_some(Frame {
            files,
            ranks,
            numbers,
            places,
        })
    }

    /// Number of files.
    pub fn files(&self) -> u8 {
        self.files
    }

    /// Number of ranks.
    pub fn ranks(&self) -> u8 {
        self.ranks
    }

    /// Number of existing squares.
    #[allow(clippy::len_without_is_empty)] // a board has at least one square
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// All existing squares in their order.
    pub fn squares(&self) -> impl DoubleEndedIterator<Item = Square> + Clone + use<> {
        (0..self.places.len() as u8).map(Square)
    }

    /// Whether the square is one of this board: those of a larger board may not be.
    pub fn has(&self, square: Square) -> bool {
        square.index() < self.places.len()
    }

    /// The square with that number, if the board has that many squares.
    pub fn square(&self, index: usize) -> Option<Square> {
        (index < self.places.len()).then_some(Square(index as u8))
    }

    /// The existing square on a file and rank, both from 0.
    pub fn at(&self, file: i32, rank: i32) -> Option<Square> {
        let inside = (0..i32::from(self.files)).contains(&file)
            && (0..i32::from(self.ranks)).contains(&rank);
        if !inside {
            return None;
        }
        self.numbers[rank as usize * usize::from(self.files) + file as usize]
    }

    /// File of a square, from 0.
    ///
    /// # Panics
    ///
    /// If the square comes from a board with more squares.
    pub fn file(&self, square: Square) -> u8 {
        self.places[square.index()].0
    }

    /// Rank of a square, from 0.
    ///
    /// # Panics
    ///
    /// If the square comes from a board with more squares.
    pub fn rank(&self, square: Square) -> u8 {
        self.places[square.index()].1
    }

    /// The square `dx` files east and `dy` ranks north, if it exists.
    pub fn step(&self, square: Square, dx: i32, dy: i32) -> Option<Square> {
        let &(file, rank) = self.places.get(square.index())?;
        self.at(
            i32::from(file).saturating_add(dx),
            i32::from(rank).saturating_add(dy),
        )
    }

    /// The same board for pieces that may not enter some squares: no step leads to these or away from them.
    pub(crate) fn walled(&self, closed: &[Square]) -> Frame {
        let mut walled = self.clone();
        for &square in closed {
            walled.places[square.index()] = (u8::MAX, u8::MAX);
        }
        for number in &mut walled.numbers {
            if number.is_some_and(|s| closed.contains(&s)) {
                *number = None;
            }
        }
        walled
    }

    /// The square reflected top to bottom, if it exists.
    pub fn mirror(&self, square: Square) -> Option<Square> {
        let &(file, rank) = self.places.get(square.index())?;
        self.at(i32::from(file), i32::from(self.ranks - 1 - rank))
    }

    /// Letter of a file, from 0; a board has files a to p at most.
    pub fn file_letter(file: u8) -> char {
        char::from(b'a'.saturating_add(file))
    }

    /// Displays a square as `a1`.
    ///
    /// # Panics
    ///
    /// If the square comes from a board with more squares.
    pub fn name(&self, square: Square) -> SquareName {
        let (file, rank) = self.places[square.index()];
        SquareName { file, rank }
    }

    /// Reads a square such as `a1` or `l12`.
    pub fn parse(&self, text: &str) -> Result<Square, SquareError> {
        let not_a_square = || SquareError::NotASquare {
            text: text.chars().take(20).collect(),
            last_file: Self::file_letter(self.files - 1),
            ranks: self.ranks,
        };
        let (file, rank) = split_square(text)
            .filter(|&(file, rank)| file < self.files && rank < self.ranks)
            .ok_or_else(not_a_square)?;
        self.at(i32::from(file), i32::from(rank))
            .ok_or_else(|| SquareError::Missing { text: text.into() })
    }
}

/// File and rank from 0 of a text of exactly the form `a1`: no leading zero, at most two digits.
fn split_square(text: &str) -> Option<(u8, u8)> {
    let (&letter, digits) = text.as_bytes().split_first()?;
    let rank = match digits {
        [d @ b'1'..=b'9'] => d - b'0',
        [t @ b'1'..=b'9', d @ b'0'..=b'9'] => (t - b'0') * 10 + (d - b'0'),
        _ => return None,
    };
    letter
        .is_ascii_lowercase()
        .then(|| (letter - b'a', rank - 1))
}

/// A square's name, for display.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SquareName {
    file: u8,
    rank: u8,
}

impl fmt::Display for SquareName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char(Frame::file_letter(self.file))?;
        let rank = self.rank + 1;
        if rank >= 10 {
            f.write_char(char::from(b'0' + rank / 10))?;
        }
        f.write_char(char::from(b'0' + rank % 10))
    }
}
