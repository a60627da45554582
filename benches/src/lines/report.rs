//! The figures as a page and a plot.

use crate::plot::{self, Bar};
use crate::stats::median;
use anyhow::{Context, Result};
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// A method's figures.
pub struct Row {
    /// Its name.
    pub name: &'static str,
    /// The instructions that it was compiled for.
    pub level: &'static str,
    /// Size of the tables for rooks and for bishops.
    pub bytes: [usize; 2],
    /// Nanoseconds for the rooks, the bishops and both of all positions, by round.
    pub nanos: [Vec<f64>; 3],
}

/// The figures of a board; the first row is what the library uses.
pub struct Figures {
    /// Its name.
    pub board: &'static str,
    /// Number of positions.
    pub positions: f64,
    /// Number of rooks and bishops to count in all of them.
    pub sliders: [f64; 2],
    /// All methods.
    pub rows: Vec<Row>,
}

impl Row {
    /// The median time of a part for each of so many things, if it was measured.
    fn each(&self, part: usize, number: f64) -> Option<f64> {
        let nanos = &self.nanos[part];
        (!nanos.is_empty()).then(|| median(nanos.clone()) / number)
    }

    /// The median over the rounds of its time for both, in that of another.
    fn beside(&self, other: &Row) -> f64 {
        let pairs = self.nanos[2].iter().zip(&other.nanos[2]);
        median(pairs.map(|(a, b)| a / b).collect())
    }
}

fn table(text: &mut String, f: &Figures) {
    let sets = f.sliders[0] + f.sliders[1];
    let _ = write!(
        text,
        "\n## {}\n\n{:.1} rooks' and {:.1} bishops' sets a position, a queen's being one of each.\n\n\
         | method | compiled for | ns a rook | ns a bishop | ns a set | ns a position | time, in use = 1 | bytes, rooks | bytes, bishops |\n\
         | --- | --- | --: | --: | --: | --: | --: | --: | --: |\n",
        f.board,
        f.sliders[0] / f.positions,
        f.sliders[1] / f.positions,
    );
    let number =
        |x: Option<f64>, digits: usize| x.map_or(String::new(), |x| format!("{x:.digits$}"));
    for row in &f.rows {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {:.2} | {} | {} |",
            row.name,
            row.level,
            number(row.each(0, f.sliders[0]), 2),
            number(row.each(1, f.sliders[1]), 2),
            number(row.each(2, sets), 2),
            number(row.each(2, f.positions), 1),
            row.beside(&f.rows[0]),
            row.bytes[0],
            row.bytes[1],
        );
    }
}

fn plot(figures: &[Figures]) -> String {
    let mut bars = Vec::new();
    let names = figures
        .iter()
        .flat_map(|f| &f.rows)
        .map(|r| (r.name, r.level));
    let mut seen = Vec::new();
    for (name, level) in names {
        if seen.contains(&(name, level)) {
            continue;
        }
        seen.push((name, level));
        let mut label = format!("{name}; {level}");
        for (color, f) in figures.iter().enumerate() {
            let row = f.rows.iter().find(|r| (r.name, r.level) == (name, level));
            if let Some(value) = row.and_then(|r| r.each(2, f.positions)) {
                let label = std::mem::take(&mut label);
                bars.push(Bar {
                    label,
                    value,
                    color,
                });
            }
        }
    }
    let boards: Vec<&str> = figures.iter().map(|f| f.board).collect();
    plot::bars(
        "Nanoseconds to count the sliders' moves of a position",
        &boards,
        &bars,
    )
}

/// Prints the page and writes it with the plot into the folder.
pub fn write(figures: &[Figures], out: &Path) -> Result<()> {
    let mut text = String::from(
        "# Ways to find what sliders reach\n\nWritten by the benchmark (`--lines`); what follows from it is in \
         [speed.md](../speed.md).\n\nCounted are the moves of all rooks, bishops and what else slides of the side to \
         move, legality aside, in positions of random play. Processor time, medians of interleaved rounds; ratios \
         are medians of those of single rounds. All methods were compared before, with each other and with rays walked square by square.\n",
    );
    for f in figures {
        table(&mut text, f);
    }
    println!("{text}");
    fs::create_dir_all(out).context("the folder for the tables")?;
    fs::write(out.join("lines.md"), text).context("lines.md")?;
    fs::write(out.join("lines.svg"), plot(figures)).context("lines.svg")
}
