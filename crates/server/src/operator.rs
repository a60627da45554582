//! Who runs the server: known by a word that a file in the data folder holds, which its owner alone can read. It is made
//! anew at each start, with the address at which the server is asked.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// Name of the file in a data folder.
pub const FILE: &str = "operator";
/// Bytes of chance in the word.
const WORD: usize = 32;

/// What the file holds.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pass {
    /// Where the server is asked from this machine.
    pub address: SocketAddr,
    /// The word.
    pub word: String,
}

impl std::fmt::Debug for Pass {
    /// Without the word.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pass")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

/// The file, which is gone when this is.
#[derive(Debug)]
pub struct PassFile {
    path: PathBuf,
    word: OperatorWord,
}

/// What the word is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperatorWord(Vec<u8>);

impl OperatorWord {
    fn of(word: &str) -> OperatorWord {
        OperatorWord(Sha256::digest(word.as_bytes()).to_vec())
    }

    /// Whether a word is the one. Digests are compared, whose likeness tells nothing.
    pub fn is(&self, word: &str) -> bool {
        *self == OperatorWord::of(word)
    }
}

impl PassFile {
    /// Writes the file of a server at an address.
    pub fn write(folder: &Path, address: SocketAddr) -> io::Result<PassFile> {
        use std::io::Write;
        let path = folder.join(FILE);
        let pass = Pass {
            address: reachable(address),
            word: crate::services::secret(WORD),
        };
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut file = store::files::make(&path)?;
        file.write_all(serde_json::to_string(&pass)?.as_bytes())?;
        let word = OperatorWord::of(&pass.word);
        Ok(PassFile { path, word })
    }

    /// What the word is compared with.
    pub fn word(&self) -> OperatorWord {
        self.word.clone()
    }
}

impl Drop for PassFile {
    fn drop(&mut self) {
        // The next start writes it anew in any case.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Reads what a server that runs has written; nothing if there is no such file.
pub fn read(folder: &Path) -> io::Result<Option<Pass>> {
    let path = folder.join(FILE);
    match std::fs::read(&path) {
        Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes)?)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// An address under which this machine reaches the server.
pub fn reachable(address: SocketAddr) -> SocketAddr {
    match address.ip() {
        ip if !ip.is_unspecified() => address,
        std::net::IpAddr::V4(_) => SocketAddr::from(([127, 0, 0, 1], address.port())),
        std::net::IpAddr::V6(_) => {
            SocketAddr::from((std::net::Ipv6Addr::LOCALHOST, address.port()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_its_owners_and_goes_with_the_server() -> Result<(), Box<dyn std::error::Error>> {
        let folder = std::env::temp_dir().join(format!("husun-operator-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        assert_eq!(read(&folder)?, None);
        // One that a sudden end has left is no longer of use.
        std::fs::write(folder.join(FILE), "left behind")?;
        let file = PassFile::write(&folder, "0.0.0.0:8000".parse()?)?;
        let pass = read(&folder)?.ok_or("no file")?;
        assert_eq!(pass.address, "127.0.0.1:8000".parse()?);
        assert!(file.word().is(&pass.word) && !file.word().is("") && pass.word.len() > 40);
        assert!(!format!("{pass:?}").contains(&pass.word));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(folder.join(FILE))?.permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        drop(file);
        assert_eq!(read(&folder)?, None);
        std::fs::remove_dir_all(folder)?;
        Ok(())
    }
}
