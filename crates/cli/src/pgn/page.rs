//! The output: standard output and standard error, without tearing a progress bar in the same terminal.

use indicatif::ProgressBar;
use std::io::{self, BufWriter, IsTerminal, Stdout, Write};

/// Output about one game, collected and then sent.
pub struct Page {
    /// For standard output.
    pub out: Vec<u8>,
    /// For standard error.
    pub err: Vec<u8>,
    to: BufWriter<Stdout>,
    seen: bool,
}

impl Page {
    /// An empty page.
    pub fn new() -> Page {
        Page {
            out: Vec::new(),
            err: Vec::new(),
            to: BufWriter::with_capacity(1 << 16, io::stdout()),
            seen: io::stdout().is_terminal(),
        }
    }

    /// Sends what has been written.
    pub fn send(&mut self, bar: &ProgressBar) -> io::Result<()> {
        let beside_bar = !bar.is_hidden() && (!self.err.is_empty() || self.seen);
        match (self.out.is_empty() && self.err.is_empty(), beside_bar) {
            (true, _) => Ok(()),
            (false, true) => bar.suspend(|| self.write().and_then(|()| self.flush())),
            (false, false) => self.write(),
        }
    }

    fn write(&mut self) -> io::Result<()> {
        self.to.write_all(&self.out)?;
        self.out.clear();
        if !self.err.is_empty() {
            io::stderr().write_all(&self.err)?;
            self.err.clear();
        }
        Ok(())
    }

    /// Flushes everything.
    pub fn flush(&mut self) -> io::Result<()> {
        self.write()?;
        self.to.flush()
    }
}
