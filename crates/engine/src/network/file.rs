//! The file of a network: magic, version, the hash of the game's definition without its start, where the network comes
//! from, sizes, numbers. Everything is checked as it is read; whatever the bytes are, the answer is a network that fits
//! the game or an error.

use super::identity::Identity;
use super::kernel::Kernel;
use super::layout::Layout;
use super::{Network, Origin};
use husun::Variant;

/// The first bytes of every network.
const MAGIC: [u8; 8] = *b"HUSUNNET";
/// The version of the format.
pub const VERSION: u16 = 3;
/// The most bytes that a network may have.
pub const MOST_BYTES: usize = 1 << 20;
/// Numbers of hidden units that a network may have: multiples of the smallest.
pub const HIDDEN: std::ops::RangeInclusive<usize> = 16..=256;
/// The most bytes of an origin.
const MOST_ORIGIN: usize = 4096;

/// Why bytes are no network for a game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetworkError {
    /// They do not begin as a network does.
    #[error("it is not a network of Husun: expected a file written by `husun train`")]
    Magic,
    /// Another version of the format.
    #[error(
        "it is in version {found} of the format: expected {VERSION}; train it anew with `husun train`"
    )]
    Version {
        /// What was found.
        found: u16,
    },
    /// It was trained for other rules.
    #[error(
        "it was trained for another game, or for `{game}` before its rules were changed: \
         train it anew with `husun train`"
    )]
    OtherGame {
        /// Id of the game that it should be for.
        game: String,
    },
    /// The file is too long.
    #[error("it has {found} bytes: expected at most {MOST_BYTES}")]
    Long {
        /// Its length.
        found: usize,
    },
    /// The file ends too early, or goes on after its end.
    #[error("it has {found} bytes where {expected} were expected")]
    Length {
        /// Its length.
        found: usize,
        /// The length that it should have.
        expected: usize,
    },
    /// An impossible number of hidden units.
    #[error("{found} hidden units: expected a multiple of 16 from 16 to 256")]
    Hidden {
        /// What was found.
        found: usize,
    },
    /// The origin is no text of a few lines.
    #[error("what it says about its origin cannot be read: expected at most 4096 bytes of text")]
    Origin,
    /// The scale of the output is 0 or absurdly large.
    #[error("the scale of its output is {found}: expected 1 to 10000")]
    Scale {
        /// What was found.
        found: u32,
    },
}

/// Bytes that are read from front to back.
struct Bytes<'a> {
    all: &'a [u8],
    at: usize,
}

impl<'a> Bytes<'a> {
    fn take(&mut self, n: usize) -> Result<&'a [u8], NetworkError> {
        let taken = self.all[self.at..].get(..n).ok_or(NetworkError::Length {
            found: self.all.len(),
            expected: self.at + n,
        })?;
        self.at += n;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], NetworkError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    fn numbers(&mut self, n: usize) -> Result<Vec<i16>, NetworkError> {
        let bytes = self.take(2 * n)?.chunks_exact(2);
        Ok(bytes.map(|b| i16::from_le_bytes([b[0], b[1]])).collect())
    }
}

impl Network {
    /// Reads a network for a game.
    pub fn read(variant: &Variant, bytes: &[u8]) -> Result<Network, NetworkError> {
        let mut bytes = Bytes { all: bytes, at: 0 };
        if bytes.all.get(..MAGIC.len()) != Some(&MAGIC[..]) {
            return Err(NetworkError::Magic);
        }
        bytes.at = MAGIC.len();
        let found = u16::from_le_bytes(bytes.array()?);
        if found != VERSION {
            return Err(NetworkError::Version { found });
        }
        let found = bytes.all.len();
        if found > MOST_BYTES {
            return Err(NetworkError::Long { found });
        }
        if Identity(bytes.array()?) != Identity::apart_from_start(variant) {
            let game = variant.id().into();
            return Err(NetworkError::OtherGame { game });
        }
        let length = usize::from(u16::from_le_bytes(bytes.array()?));
        if length > MOST_ORIGIN {
            return Err(NetworkError::Origin);
        }
        let origin = std::str::from_utf8(bytes.take(length)?).ok();
        let origin = origin.and_then(|text| toml::from_str(text).ok());
        let origin: Origin = origin.ok_or(NetworkError::Origin)?;
        let [mirrored, corrects] = bytes.array()?;
        let layout = Layout::new(variant, mirrored != 0);
        let hidden = usize::from(u16::from_le_bytes(bytes.array()?));
        if !is_hidden(hidden) {
            return Err(NetworkError::Hidden { found: hidden });
        }
        let scale = u32::from_le_bytes(bytes.array()?);
        if !(1..=10_000).contains(&scale) {
            return Err(NetworkError::Scale { found: scale });
        }
        let rows = bytes.numbers(layout.inputs() * hidden)?;
        let bias = bytes.numbers(hidden)?;
        let output = bytes.take(2 * hidden)?.iter();
        let output = output.map(|&w| i16::from(w.cast_signed())).collect();
        let output_bias = i32::from_le_bytes(bytes.array()?);
        if bytes.at != bytes.all.len() {
            return Err(NetworkError::Length {
                found: bytes.all.len(),
                expected: bytes.at,
            });
        }
        Ok(Network {
            layout,
            hidden,
            rows,
            bias,
            output,
            output_bias,
            scale,
            corrects: corrects != 0,
            origin,
            kernel: Kernel::find(),
        })
    }

    /// The file of a network for a game.
    pub fn to_bytes(&self, variant: &Variant) -> Result<Vec<u8>, NetworkError> {
        let origin = toml::to_string(&self.origin).map_err(|_| NetworkError::Origin)?;
        if origin.len() > MOST_ORIGIN {
            return Err(NetworkError::Origin);
        }
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(Identity::apart_from_start(variant).0);
        bytes.extend((origin.len() as u16).to_le_bytes());
        bytes.extend(origin.as_bytes());
        bytes.push(u8::from(self.layout.is_mirrored()));
        bytes.push(u8::from(self.corrects));
        bytes.extend((self.hidden as u16).to_le_bytes());
        bytes.extend(self.scale.to_le_bytes());
        bytes.extend(self.rows.iter().flat_map(|w| w.to_le_bytes()));
        bytes.extend(self.bias.iter().flat_map(|w| w.to_le_bytes()));
        bytes.extend(self.output.iter().map(|&w| (w as i8).cast_unsigned()));
        bytes.extend(self.output_bias.to_le_bytes());
        match bytes.len() {
            0..=MOST_BYTES => Ok(bytes),
            found => Err(NetworkError::Long { found }),
        }
    }
}

/// Whether a network may have so many hidden units.
pub(super) fn is_hidden(units: usize) -> bool {
    HIDDEN.contains(&units) && units.is_multiple_of(*HIDDEN.start())
}
