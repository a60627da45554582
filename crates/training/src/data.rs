//! The file of positions: a header, then one block for each game with its number, its result and its quiet positions.
//! A file that ends in the middle of a block, since its writer was stopped, is good up to that block.

use engine::network::{Identity, Scene};
use engine::selfplay::Played;
use engine::{JudgeHash, Random};
use husun::{CastlingRights, Kind, Position, Setup, SetupError, Side, Square, Variant};
use std::fmt::{Display, Formatter};
use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

/// The first bytes of every file.
const MAGIC: [u8; 8] = *b"HUSUNPOS";
/// The version of what follows them. Before version 4 there was one range of random plies for all games; before version 3 the header
/// did not say what judged the positions; in version 1 all games of a file began with as many random plies, and the header ended with
/// the fewest.
pub const VERSION: u16 = 4;
/// Bytes of magic and version.
const BEGIN: usize = 8 + 2;
/// Bytes of the header after these.
const HEADER: usize = JUDGED + 2;
/// Bytes of it with the judge.
const JUDGED: usize = SETTINGS + 32;
/// Bytes of it before the judge.
const SETTINGS: usize = 32 + 8 + 8 + 2;
/// Bytes of a block before its positions.
const BLOCK: usize = 8 + 1 + 4;
/// Bytes of a position before its pieces.
const FIXED: usize = 6;
/// Scores further from 0 are not kept: the game is decided.
pub(crate) const OPEN: i32 = 2500;

/// How many plies of random moves are made before a game: each number between two equally often, in one of two ranges, by lot, if
/// there are two. Up to three more follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Openings {
    /// The fewest and the most; the same twice if there is one range.
    ranges: [(u8, u8); 2],
}

impl Openings {
    /// From the fewest to the most plies, in whichever order they are given.
    pub const fn new(a: u8, b: u8) -> Openings {
        let range = if a < b { (a, b) } else { (b, a) };
        Openings {
            ranges: [range, range],
        }
    }

    /// From one range in half of the games and from the other in the other half.
    pub const fn either(one: Openings, other: Openings) -> Openings {
        Openings {
            ranges: [one.ranges[0], other.ranges[0]],
        }
    }

    /// That of the game with a seed.
    pub fn of(self, seed: u64) -> u32 {
        // Another sequence than that of the game's moves.
        let mut random = Random::new(!seed);
        let [one, other] = self.ranges;
        let (fewest, most) = match one == other || random.below(2) == 0 {
            true => one,
            false => other,
        };
        let numbers = u64::from(most - fewest) + 1;
        u32::from(fewest) + random.below(numbers) as u32
    }
}

impl Display for Openings {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let range = |f: &mut Formatter<'_>, (fewest, most)| match fewest == most {
            true => write!(f, "{fewest}"),
            false => write!(f, "{fewest}-{most}"),
        };
        let [one, other] = self.ranges;
        range(f, one)?;
        if one != other {
            write!(f, ",")?;
            range(f, other)?;
        }
        Ok(())
    }
}

/// As [`Openings`] are written: `8`, `8-60` or `2-8,8-60`.
impl FromStr for Openings {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Openings, &'static str> {
        let plies = |part: &str| part.parse().ok().filter(|plies| *plies <= MOST_PLIES);
        let range = |text: &str| {
            let (fewest, most) = text.split_once('-').unwrap_or((text, text));
            let (fewest, most) = plies(fewest).zip(plies(most))?;
            (fewest <= most).then(|| Openings::new(fewest, most))
        };
        let (one, other) = text.split_once(',').unwrap_or((text, text));
        let both = range(one).zip(range(other));
        let (one, other) = both.ok_or(
            "expected a number of half-moves from 0 to 200, the fewest and the most, as 8-60, or two such ranges, as 2-8,8-60",
        )?;
        Ok(Openings::either(one, other))
    }
}

/// The most plies of random moves that may be asked for.
const MOST_PLIES: u8 = 200;

/// How the games of a file are played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// About how many positions are visited for a move.
    pub nodes: u64,
    /// Plies of random moves before each game.
    pub opening: Openings,
    /// Seed of the games.
    pub seed: u64,
}

/// Why a file of positions cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// The system refuses.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It does not begin as such a file does.
    #[error("it is no file of positions: expected one written by `husun datagen`")]
    Magic,
    /// Another version of the format.
    #[error("it is in version {found} of the format: expected 1 to {VERSION}")]
    Version {
        /// What was found.
        found: u16,
    },
    /// Its games were played by other rules.
    #[error(
        "its games are of another game, or of `{game}` before its rules or its start were changed"
    )]
    OtherGame {
        /// Id of the game that they should be of.
        game: String,
    },
    /// It was begun with other settings.
    #[error(
        "it was begun with {} nodes, {} opening plies and seed {}: go on with these, or name another file",
        found.nodes, found.opening, found.seed
    )]
    OtherSettings {
        /// What it was begun with.
        found: Settings,
    },
    /// Other values or another network judged its positions.
    #[error(
        "its positions were judged by other values or another network than the game is played with now (--no-network \
         plays without one): go on with those, or name another file"
    )]
    OtherJudge,
    /// A position that the game cannot have.
    #[error("position {position} of game {game} is damaged")]
    Damaged {
        /// Number of the game.
        game: u64,
        /// Number of the position in it, from 1.
        position: usize,
    },
}

/// A position with what is to be learned from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Whose turn it is.
    pub turn: Side,
    /// What stands where, and the state.
    pub scene: Scene,
    /// What the search thought of it for White, in centipawns.
    pub score: i16,
}

impl Record {
    /// The position, as if nothing had been played before it. Errors if the game's rules do not allow it.
    pub fn position(&self, variant: &Arc<Variant>) -> Result<Position, SetupError> {
        let mut board = vec![None; variant.frame().len()];
        for &(side, kind, square) in &self.scene.pieces {
            board[square.index()] = Some((side, kind));
        }
        let setup = Setup {
            board,
            turn: self.turn,
            rights: self.scene.rights,
            en_passant: Vec::new(),
            state: self.scene.state,
            halfmove: 0,
            fullmove: 1,
        };
        Position::from_setup(variant, &setup)
    }
}

/// The positions of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameRecords {
    /// Number of the game.
    pub number: u64,
    /// Half points of White.
    pub result: u8,
    /// Its positions, in their order.
    pub records: Vec<Record>,
}

/// A position as a network sees it.
pub(crate) fn scene(position: &Position) -> Scene {
    let setup = position.setup();
    let squares = position.variant().frame().squares();
    let piece = |square| {
        let (side, kind) = setup.piece_on(square)?;
        Some((side, kind, square))
    };
    Scene {
        pieces: squares.filter_map(piece).collect(),
        rights: setup.rights,
        state: setup.state,
    }
}

impl GameRecords {
    /// The quiet positions of a game whose outcome was open.
    pub fn of(number: u64, played: &Played) -> GameRecords {
        let open = played.seen.iter();
        let open = open.filter(|seen| seen.quiet && seen.score.abs() <= OPEN);
        let record = |seen: &engine::selfplay::Seen| Record {
            turn: seen.position.turn(),
            scene: scene(&seen.position),
            score: seen.score as i16,
        };
        GameRecords {
            number,
            result: (2.0 * played.result) as u8,
            records: open.map(record).collect(),
        }
    }

    fn to_bytes(&self, squares: usize) -> Vec<u8> {
        let mut bytes = self.number.to_le_bytes().to_vec();
        bytes.push(self.result);
        bytes.extend([0; 4]);
        for record in &self.records {
            write(record, squares, &mut bytes);
        }
        let length = (bytes.len() - BLOCK) as u32;
        bytes[BLOCK - 4..BLOCK].copy_from_slice(&length.to_le_bytes());
        bytes
    }
}

fn write(record: &Record, squares: usize, bytes: &mut Vec<u8>) {
    let mut head = record.turn.index() as u8;
    for (i, &(_, side, wing)) in CastlingRights::LETTERS.iter().enumerate() {
        head |= u8::from(record.scene.rights.has(side, wing)) << (1 + i);
    }
    bytes.push(head);
    bytes.push(record.scene.pieces.len() as u8);
    bytes.extend(record.scene.state.to_le_bytes());
    bytes.extend(record.score.to_le_bytes());
    let occupied = bytes.len();
    bytes.resize(occupied + squares.div_ceil(8), 0);
    for &(side, kind, square) in &record.scene.pieces {
        let i = square.index();
        bytes[occupied + i / 8] |= 1 << (i % 8);
        bytes.push((kind.index() << 1 | side.index()) as u8);
    }
}

/// What reading needs to know of a game.
struct Pieces {
    kinds: Vec<Kind>,
    squares: Vec<Square>,
    flags: usize,
}

impl Pieces {
    fn of(variant: &Variant) -> Pieces {
        Pieces {
            kinds: variant.kinds().collect(),
            squares: variant.frame().squares().collect(),
            flags: variant.state_flags().len(),
        }
    }

    /// Reads a position from the front of the bytes.
    fn read(&self, bytes: &mut &[u8]) -> Option<Record> {
        let fixed = bytes.split_off(..FIXED)?;
        let head = fixed[0];
        let mut rights = CastlingRights::default();
        for (i, &(_, side, wing)) in CastlingRights::LETTERS.iter().enumerate() {
            if head >> (1 + i) & 1 != 0 {
                rights.add(side, wing);
            }
        }
        let state = u16::from_le_bytes([fixed[2], fixed[3]]);
        let occupied = bytes.split_off(..self.squares.len().div_ceil(8))?;
        let stands =
            |square: &&Square| occupied[square.index() / 8] >> (square.index() % 8) & 1 != 0;
        let count = usize::from(fixed[1]);
        let pieces = bytes.split_off(..count)?;
        let squares = self.squares.iter().filter(stands);
        if squares.clone().count() != count || u32::from(state) >> self.flags != 0 || head >> 5 != 0
        {
            return None;
        }
        let piece = |(&square, &code): (&Square, &u8)| {
            let kind = *self.kinds.get(usize::from(code >> 1))?;
            Some((Side::ALL[usize::from(code & 1)], kind, square))
        };
        Some(Record {
            turn: Side::ALL[usize::from(head & 1)],
            scene: Scene {
                pieces: squares.zip(pieces).map(piece).collect::<Option<_>>()?,
                rights,
                state,
            },
            score: i16::from_le_bytes([fixed[4], fixed[5]]),
        })
    }
}

/// A file that is read game by game.
pub struct Reader<R> {
    input: R,
    pieces: Pieces,
    settings: Settings,
    judge: Option<JudgeHash>,
    /// Where the last complete block ends.
    good: u64,
}

impl<R: Read> Reader<R> {
    /// Begins to read the positions of a game.
    pub fn new(mut input: R, variant: &Variant) -> Result<Reader<R>, DataError> {
        let mut read = |bytes: &mut [u8]| match input.read_exact(bytes) {
            Err(e) if e.kind() == ErrorKind::UnexpectedEof => Err(DataError::Magic),
            done => Ok(done?),
        };
        let mut begin = [0; BEGIN];
        read(&mut begin)?;
        let (magic, version) = begin.split_at(MAGIC.len());
        if magic != MAGIC {
            return Err(DataError::Magic);
        }
        let found = u16::from_le_bytes([version[0], version[1]]);
        let length = match found {
            1 => SETTINGS - 1,
            2 => SETTINGS,
            3 => JUDGED,
            VERSION => HEADER,
            _ => return Err(DataError::Version { found }),
        };
        let mut header = [0; HEADER];
        read(&mut header[..length])?;
        if found == 1 {
            header[SETTINGS - 1] = header[SETTINGS - 2];
        }
        if header[..32] != Identity::of(variant).0 {
            let game = variant.id().into();
            return Err(DataError::OtherGame { game });
        }
        if found < VERSION {
            header.copy_within(48..50, JUDGED);
        }
        let mut judge = [0; 32];
        judge.copy_from_slice(&header[SETTINGS..JUDGED]);
        Ok(Reader {
            input,
            pieces: Pieces::of(variant),
            judge: (found >= 3).then_some(JudgeHash(judge)),
            settings: Settings {
                nodes: number(&header[32..40]),
                seed: number(&header[40..48]),
                opening: Openings::either(
                    Openings::new(header[48], header[49]),
                    Openings::new(header[JUDGED], header[JUDGED + 1]),
                ),
            },
            good: (BEGIN + length) as u64,
        })
    }

    /// How its games were played.
    pub fn settings(&self) -> Settings {
        self.settings
    }

    /// What judged its positions; nothing if the file is of a version that does not say it.
    pub fn judge(&self) -> Option<JudgeHash> {
        self.judge
    }

    /// How many bytes of the file have been read, to the end of the last complete game.
    pub fn bytes_read(&self) -> u64 {
        self.good
    }

    /// The next game that is there completely.
    pub fn next_game(&mut self) -> Result<Option<GameRecords>, DataError> {
        let Some(head) = self.bytes(BLOCK)? else {
            return Ok(None);
        };
        let length = u32::from_le_bytes([head[9], head[10], head[11], head[12]]);
        let Some(body) = self.bytes(length as usize)? else {
            return Ok(None);
        };
        let game = number(&head[..8]);
        let (mut rest, mut records) = (&body[..], Vec::new());
        while !rest.is_empty() {
            let position = records.len() + 1;
            let record = self.pieces.read(&mut rest);
            records.push(record.ok_or(DataError::Damaged { game, position })?);
        }
        if head[8] > 2 {
            return Err(DataError::Damaged { game, position: 0 });
        }
        self.good += (BLOCK + body.len()) as u64;
        Ok(Some(GameRecords {
            number: game,
            result: head[8],
            records,
        }))
    }

    /// So many bytes, if the file still has them. Room is made as they come: a damaged length may be anything.
    fn bytes(&mut self, n: usize) -> Result<Option<Vec<u8>>, DataError> {
        let mut bytes = Vec::new();
        self.input.by_ref().take(n as u64).read_to_end(&mut bytes)?;
        Ok((bytes.len() == n).then_some(bytes))
    }
}

fn number(bytes: &[u8]) -> u64 {
    let last = bytes.iter().rev();
    last.fold(0, |all, &byte| all << 8 | u64::from(byte))
}

/// A file that games are added to.
pub struct Writer {
    file: File,
    squares: usize,
}

/// What a file already had when it was opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Had {
    /// The numbers of its games.
    pub games: Vec<u64>,
    /// How many positions they have.
    pub positions: u64,
}

impl Writer {
    /// Opens a file, or begins it. One that was cut off in the middle of a game goes on after the game before it.
    pub fn open(
        path: &Path,
        variant: &Variant,
        settings: Settings,
        judge: JudgeHash,
    ) -> Result<(Writer, Had), DataError> {
        let mut options = File::options();
        let mut file = options
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)?;
        let mut had = Had::default();
        if file.metadata()?.len() == 0 {
            file.write_all(&header(variant, settings, judge))?;
        } else {
            let mut reader = Reader::new(BufReader::new(&file), variant)?;
            if reader.settings != settings {
                let found = reader.settings;
                return Err(DataError::OtherSettings { found });
            }
            if reader.judge.is_some_and(|before| before != judge) {
                return Err(DataError::OtherJudge);
            }
            while let Some(game) = reader.next_game()? {
                had.games.push(game.number);
                had.positions += game.records.len() as u64;
            }
            let good = reader.good;
            file.set_len(good)?;
            file.seek(SeekFrom::Start(good))?;
        }
        let squares = variant.frame().len();
        Ok((Writer { file, squares }, had))
    }

    /// Adds a game.
    pub fn add(&mut self, game: &GameRecords) -> Result<(), DataError> {
        Ok(self.file.write_all(&game.to_bytes(self.squares))?)
    }
}

fn header(variant: &Variant, settings: Settings, judge: JudgeHash) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend(Identity::of(variant).0);
    bytes.extend(settings.nodes.to_le_bytes());
    bytes.extend(settings.seed.to_le_bytes());
    let [one, other] = settings.opening.ranges.map(|(fewest, most)| [fewest, most]);
    bytes.extend(one);
    bytes.extend(judge.0);
    bytes.extend(other);
    bytes
}
