//! The program run once, with what it says, and a folder for it.

use std::error::Error;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// What a test of the program says.
pub type Done = Result<(), Box<dyn Error>>;

/// What the program did.
pub struct Run {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

pub fn told(output: Output) -> Result<Run, Box<dyn Error>> {
    Ok(Run {
        code: output.status.code(),
        out: String::from_utf8(output.stdout)?,
        err: String::from_utf8(output.stderr)?,
    })
}

/// Runs the program with arguments and a text on standard input.
pub fn husun_with(args: &[&str], input: impl AsRef<[u8]>) -> Result<Run, Box<dyn Error>> {
    let mut program = Command::new(env!("CARGO_BIN_EXE_husun"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let mut pipe = program.stdin.take().ok_or("no input")?;
    let bytes = input.as_ref().to_vec();
    // A program that does not read to the end breaks the pipe, as it may.
    let writer = std::thread::spawn(move || pipe.write_all(&bytes));
    let output = program.wait_with_output()?;
    let _ = writer.join();
    told(output)
}

/// Runs the program with arguments and nothing on standard input.
pub fn husun(args: &[&str]) -> Result<Run, Box<dyn Error>> {
    husun_with(args, "")
}

/// A test's own folder, removed when it is done.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> std::io::Result<Folder> {
        let path = std::env::temp_dir().join(format!("husun-{name}-{}", std::process::id()));
        fs::create_dir_all(&path)?;
        Ok(Folder(path))
    }

    pub fn file(&self, name: &str, text: &str) -> std::io::Result<String> {
        fs::write(self.0.join(name), text)?;
        Ok(self.path(name))
    }

    pub fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
