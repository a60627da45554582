//! The file of a table: magic, version, the game's hash, the men (with their letters of state, where the game has some that
//! tables know), then the numbers in compressed blocks. The head and
//! each block have a checksum. Everything is checked as it is read; whatever the bytes are, the answer is the table of
//! these men or an error.
//!
//! A block has the numbers of 65,536 arrangements: first the low bytes of all, then the high bytes, compressed by
//! Deflate (zlib).

use crate::error::FileError;
use crate::men::{Men, known_state};
use crate::table::Table;
use engine::network::Identity;
use flate2::Compression;
use flate2::read::{ZlibDecoder, ZlibEncoder};
use husun::{Side, Variant};
use std::io::{self, Read};

/// The first bytes of every table.
const MAGIC: [u8; 8] = *b"HUSUNTAB";
/// The version of what follows them.
const VERSION: u16 = 1;
/// Arrangements in a block.
const BLOCK: usize = 1 << 16;

/// The checksum of bytes.
fn checksum(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// Bytes that are read from front to back.
struct Bytes<'a> {
    all: &'a [u8],
    at: usize,
}

impl<'a> Bytes<'a> {
    fn take(&mut self, n: usize) -> Result<&'a [u8], FileError> {
        let expected = self.at.saturating_add(n);
        let found = self.all.len();
        let taken = self.all.get(self.at..expected);
        let taken = taken.ok_or(FileError::Length { found, expected })?;
        self.at = expected;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], FileError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    fn number(&mut self) -> Result<u32, FileError> {
        Ok(u32::from_le_bytes(self.array()?))
    }
}

impl Table {
    /// The file of the table.
    pub fn to_bytes(&self, variant: &Variant) -> io::Result<Vec<u8>> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(Identity::of(variant).0);
        bytes.push(self.men.list().len() as u8);
        for &(side, kind) in self.men.list() {
            bytes.extend([side.index() as u8, kind.index() as u8]);
        }
        if known_state(variant) != 0 {
            bytes.extend(self.men.state().to_le_bytes());
        }
        let mut blocks = vec![];
        for block in self.kept.chunks(BLOCK) {
            let low = block.iter().map(|kept| kept.to_le_bytes()[0]);
            let high = block.iter().map(|kept| kept.to_le_bytes()[1]);
            let planes: Vec<u8> = low.chain(high).collect();
            let mut packed = vec![];
            ZlibEncoder::new(&planes[..], Compression::best()).read_to_end(&mut packed)?;
            blocks.push(packed);
        }
        for block in &blocks {
            bytes.extend((block.len() as u32).to_le_bytes());
            bytes.extend(checksum(block).to_le_bytes());
        }
        bytes.extend(checksum(&bytes).to_le_bytes());
        bytes.extend(blocks.iter().flatten());
        Ok(bytes)
    }

    /// Reads the table of some men of a game.
    pub fn read(variant: &Variant, men: &Men, bytes: &[u8]) -> Result<Table, FileError> {
        let head = Head::read(variant, men, bytes)?;
        head.check_length(bytes.len() as u64)?;
        let mut kept = Vec::with_capacity(head.all);
        for n in 0..head.blocks.len() {
            let (at, length) = head.place(n);
            let at = at as usize;
            kept.extend(head.block(n, bytes.get(at..at + length).unwrap_or_default())?);
        }
        Ok(Table {
            men: men.clone(),
            kept,
        })
    }
}

/// The head of a file: which blocks there are, and where.
pub(crate) struct Head {
    /// Arrangements.
    all: usize,
    /// By block: where it begins, its length in bytes, its checksum.
    blocks: Vec<(u64, u32, u32)>,
    /// Bytes of the file.
    length: u64,
}

impl Head {
    /// Bytes of the head of the table of some men.
    pub fn bytes(variant: &Variant, men: &Men) -> usize {
        let blocks = men.arrangements(variant.frame().len()).div_ceil(BLOCK);
        let identity = Identity::of(variant).0.len();
        let state = match known_state(variant) {
            0 => 0,
            _ => size_of_val(&men.state()),
        };
        let of_men = 1 + 2 * men.list().len() + state;
        MAGIC.len() + size_of_val(&VERSION) + identity + of_men + 8 * blocks + 4
    }

    /// Reads the head of the table of some men; what comes after it does not matter.
    pub fn read(variant: &Variant, men: &Men, bytes: &[u8]) -> Result<Head, FileError> {
        let mut bytes = Bytes { all: bytes, at: 0 };
        if bytes.all.get(..MAGIC.len()) != Some(&MAGIC[..]) {
            return Err(FileError::Magic);
        }
        bytes.at = MAGIC.len();
        let found = u16::from_le_bytes(bytes.array()?);
        if found != VERSION {
            return Err(FileError::Version {
                found,
                expected: VERSION,
            });
        }
        if Identity(bytes.array()?) != Identity::of(variant) {
            let game = variant.id().into();
            return Err(FileError::OtherGame { game });
        }
        check_men(variant, men, &mut bytes)?;
        let all = men.arrangements(variant.frame().len());
        let mut blocks = vec![];
        for _ in 0..all.div_ceil(BLOCK) {
            blocks.push((0, bytes.number()?, bytes.number()?));
        }
        let head = checksum(&bytes.all[..bytes.at]);
        check("the head".into(), 0, head, bytes.number()?)?;
        let mut length = bytes.at as u64;
        for (at, bytes, _) in &mut blocks {
            *at = length;
            length += u64::from(*bytes);
        }
        Ok(Head {
            all,
            blocks,
            length,
        })
    }

    /// Whether the file is as long as it should be.
    pub fn check_length(&self, found: u64) -> Result<(), FileError> {
        match found == self.length {
            true => Ok(()),
            false => Err(FileError::Length {
                found: found as usize,
                expected: self.length as usize,
            }),
        }
    }

    /// The block and the place in it of an arrangement.
    pub fn block_of(&self, number: usize) -> (u32, usize) {
        ((number / BLOCK) as u32, number % BLOCK)
    }

    /// Where a block begins, and its length in bytes.
    pub fn place(&self, n: usize) -> (u64, usize) {
        let (at, length, _) = self.blocks[n];
        (at, length as usize)
    }

    /// The numbers of a block from its bytes.
    pub fn block(&self, n: usize, packed: &[u8]) -> Result<Vec<u16>, FileError> {
        let (at, _, expected) = self.blocks[n];
        let at = at as usize;
        let part = format!("block {}", n + 1);
        check(part.clone(), at, checksum(packed), expected)?;
        let all = BLOCK.min(self.all - n * BLOCK);
        let planes = unpacked(packed, 2 * all).ok_or(FileError::Block {
            part,
            at,
            expected: 2 * all,
        })?;
        let (low, high) = planes.split_at(all);
        let numbers = low.iter().zip(high);
        Ok(numbers
            .map(|(&low, &high)| u16::from_le_bytes([low, high]))
            .collect())
    }
}

fn check_men(variant: &Variant, men: &Men, bytes: &mut Bytes) -> Result<(), FileError> {
    let [n] = bytes.array()?;
    let listed = bytes.take(2 * usize::from(n))?.chunks_exact(2);
    let kinds: Vec<_> = variant.kinds().collect();
    let found: Option<Vec<_>> = listed
        .map(|man| {
            let side = Side::ALL.get(usize::from(man[0]))?;
            Some((*side, *kinds.get(usize::from(man[1]))?))
        })
        .collect();
    let state = match known_state(variant) {
        0 => 0,
        _ => u16::from_le_bytes(bytes.array()?),
    };
    let expected = men.name(variant);
    match found.map(|men| Men::new(men).in_state(state)) {
        Some(found) if found == *men => Ok(()),
        Some(found) => Err(FileError::OtherMen {
            found: found.name(variant),
            expected,
        }),
        None => Err(FileError::OtherMen {
            found: "men that the game does not have".into(),
            expected,
        }),
    }
}

fn check(part: String, at: usize, found: u32, expected: u32) -> Result<(), FileError> {
    match found == expected {
        true => Ok(()),
        false => Err(FileError::Checksum {
            part,
            at,
            found,
            expected,
        }),
    }
}

/// The bytes that were compressed, if they are as many as they should be.
fn unpacked(packed: &[u8], length: usize) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(length);
    let mut decoder = ZlibDecoder::new(packed).take(length as u64 + 1);
    decoder.read_to_end(&mut bytes).ok()?;
    (bytes.len() == length).then_some(bytes)
}
