//! The progress of long work: a bar on a terminal, a line a minute if standard error goes elsewhere.

use crate::term;
use indicatif::{HumanDuration, ProgressBar, ProgressStyle};
use std::io::{self, Write};
use std::time::{Duration, Instant};

/// Time between lines.
const EVERY: Duration = Duration::from_secs(60);

/// Work in steps whose number is known.
pub struct Progress {
    bar: ProgressBar,
    /// What the work is, if that needs to be said, and the unit of its steps: `game 3`, `positions`.
    name: String,
    unit: &'static str,
    said: Instant,
}

impl Progress {
    /// Starts with `done` of all steps done.
    pub fn new(name: impl Into<String>, unit: &'static str, all: u64, done: u64) -> Progress {
        let name = name.into();
        let bar = ProgressBar::new(all).with_position(done);
        let style = format!(
            "{name}{}{{elapsed}} {{bar:{}}} {{pos}}/{{len}} {unit}, {{eta}} left {{msg}}",
            if name.is_empty() { "" } else { " " },
            term::width() / 3
        );
        let style = ProgressStyle::with_template(&style);
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Progress {
            bar,
            name,
            unit,
            said: Instant::now(),
        }
    }

    /// One more step is done.
    pub fn step(&mut self, message: String) {
        self.ahead(1, message);
    }

    /// So many steps more are done.
    pub fn ahead(&mut self, steps: u64, message: String) {
        self.reach(self.bar.position() + steps, message);
    }

    /// What is being done in the midst of a step.
    pub fn say(&mut self, message: String) {
        self.reach(self.bar.position(), message);
    }

    /// So many steps are done by now.
    pub fn reach(&mut self, done: u64, message: String) {
        self.bar.set_position(done);
        if self.bar.is_hidden() && self.said.elapsed() >= EVERY {
            self.said = Instant::now();
            // A log that can no longer be written is no reason to stop.
            let _ = writeln!(io::stderr(), "{}", self.line(&message));
        }
        self.bar.set_message(message);
    }

    fn line(&self, message: &str) -> String {
        let (done, all) = (self.bar.position(), self.bar.length().unwrap_or(0));
        let far = format!("{done}/{all} {}", self.unit);
        let elapsed = HumanDuration(self.bar.elapsed()).to_string();
        let parts = [&self.name, message, &far, &elapsed];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        parts.join(", ")
    }

    /// All steps are done.
    pub fn finish(self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_how_far_the_work_has_come() {
        let mut progress = Progress::new("chess", "games", 20, 3);
        progress.step(String::new());
        let line = progress.line("+3 =1 -0");
        assert!(line.starts_with("chess, +3 =1 -0, 4/20 games, "), "{line}");
    }
}
