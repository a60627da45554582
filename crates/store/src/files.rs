//! Files and folders that are nobody's business but the server's: games, the chat in them, and the key of cookies.

use std::io;
use std::path::Path;

/// Makes a data folder that its owner alone can look into. One that is there already and holds nothing of others is
/// closed to them.
pub fn own_folder(folder: &Path) -> io::Result<()> {
    let there = folder.is_dir();
    std::fs::create_dir_all(folder)?;
    if !there || is_ours(folder)? {
        close_to_others(folder, 0o700)?;
    }
    Ok(())
}

/// Whether a folder is empty or has been a data folder before. Any other may be meant to be open, as `/tmp` is.
fn is_ours(folder: &Path) -> io::Result<bool> {
    let known = ["lock", crate::backup::DATABASE, crate::backup::KEY];
    if known.iter().any(|name| folder.join(name).exists()) {
        return Ok(!is_shared(folder)?);
    }
    Ok(std::fs::read_dir(folder)?.next().is_none())
}

#[cfg(unix)]
fn is_shared(folder: &Path) -> io::Result<bool> {
    use std::os::unix::fs::PermissionsExt;
    // The sticky bit is for folders in which many have files.
    Ok(std::fs::metadata(folder)?.permissions().mode() & 0o1000 != 0)
}

#[cfg(not(unix))]
fn is_shared(_: &Path) -> io::Result<bool> {
    Ok(false)
}

/// Makes a database's file, if it is missing, that its owner alone can read, and closes one that is there to others.
/// What SQLite keeps beside it is made with the same rights.
pub fn own_database(file: &Path) -> io::Result<()> {
    if !file.exists() {
        make(file)?;
    }
    for beside in ["", "-wal", "-shm", "-journal"] {
        let mut path = file.as_os_str().to_owned();
        path.push(beside);
        if Path::new(&path).exists() {
            close_to_others(Path::new(&path), 0o600)?;
        }
    }
    Ok(())
}

/// Opens a file that its owner alone can read, made if it is missing.
pub fn own(path: &Path) -> io::Result<std::fs::File> {
    let mut options = std::fs::OpenOptions::new();
    options.create(true).truncate(false).read(true).write(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path)
}

/// Makes an empty file that its owner alone can read.
pub fn make(path: &Path) -> io::Result<std::fs::File> {
    let mut options = std::fs::OpenOptions::new();
    options.create_new(true).write(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path)
}

#[cfg(unix)]
fn close_to_others(path: &Path, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let found = std::fs::metadata(path)?.permissions().mode() & 0o777;
    // Nothing is opened that has been closed, and a file of another owner stays as it is if it is closed enough.
    match found & !mode {
        0 => Ok(()),
        _ => std::fs::set_permissions(path, std::fs::Permissions::from_mode(found & mode)),
    }
}

#[cfg(not(unix))]
fn close_to_others(_: &Path, _: u32) -> io::Result<()> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    type Tested = Result<(), Box<dyn std::error::Error>>;

    fn mode(path: &Path) -> io::Result<u32> {
        Ok(std::fs::metadata(path)?.permissions().mode() & 0o7777)
    }

    #[test]
    fn what_is_ours_is_closed_and_nothing_else() -> Tested {
        let root = std::env::temp_dir().join(format!("husun-files-{}", std::process::id()));
        let (new, old, open) = (root.join("new"), root.join("old"), root.join("open"));
        for folder in [&old, &open] {
            std::fs::create_dir_all(folder)?;
            std::fs::set_permissions(folder, PermissionsExt::from_mode(0o755))?;
        }
        let database = old.join(crate::backup::DATABASE);
        std::fs::write(&database, "")?;
        std::fs::set_permissions(&database, PermissionsExt::from_mode(0o644))?;
        std::fs::write(open.join("another's"), "")?;
        for folder in [&new, &old, &open] {
            own_folder(folder)?;
            own_database(&folder.join(crate::backup::DATABASE))?;
            assert_eq!(mode(&folder.join(crate::backup::DATABASE))?, 0o600);
        }
        assert_eq!(
            (mode(&new)?, mode(&old)?, mode(&open)?),
            (0o700, 0o700, 0o755)
        );
        std::fs::remove_dir_all(root)?;
        Ok(())
    }
}
