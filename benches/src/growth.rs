//! How the work grows with the board and with hoppers and bent riders: games made for the purpose, with
//! the same kinds of piece on boards of several sizes.

use crate::plot::{self, Bar};
use crate::stats::{median, rate, timed};
use anyhow::Result;
use husun::{Position, Variant};
use std::fmt::Write;

/// Name, files, ranks, back rank, depth.
type Army = (&'static str, usize, usize, &'static str, u32);

const ARMIES: [Army; 9] = [
    ("8x8, chess pieces", 8, 8, "rnbqkbnr", 5),
    ("10x8, with marshal and cardinal", 10, 8, "rnbmqkabnr", 5),
    ("10x10, the same", 10, 10, "rnbmqkabnr", 4),
    ("12x12, with two of each", 12, 12, "rnbmaqkambnr", 4),
    ("10x10, 4 hoppers", 10, 10, "rcemqkaecr", 4),
    ("12x12, 8 hoppers", 12, 12, "rcececkececr", 4),
    ("10x10, 4 bent riders", 10, 10, "rgfmqkafgr", 4),
    ("12x12, 8 bent riders", 12, 12, "rgfgfqkfgfgr", 4),
    ("12x12, 4 of each", 12, 12, "rcegfqkfgecr", 4),
];

const PIECES: [(char, &str); 11] = [
    ('Q', "Q"),
    ('M', "RN"),
    ('A', "BN"),
    ('R', "R"),
    ('B', "B"),
    ('N', "N"),
    ('C', "pR"),
    ('E', "pB"),
    ('G', "yafsF"),
    ('F', "yafsW"),
    ('L', "fR"),
];

/// One of the games.
pub struct Step {
    name: &'static str,
    nodes: u64,
    rate: f64,
    /// Moves a position, on average over those before the last ply.
    moves: f64,
}

fn position((name, files, ranks, back, _): Army) -> Result<Position> {
    let pawns = "p".repeat(files);
    let empty = format!("{files}/").repeat(ranks - 4);
    let mut text = format!(
        "id = \"growth\"\nname = \"{name}\"\n[board]\nfiles = {files}\nranks = {ranks}\n\
         [setups]\nstandard = \"{back}/{pawns}/{empty}{}/{} w - - 0 1\"\n\
         [initial]\nsteps = 2\nranks = [2]\n\
         [promotion]\npieces = [\"P\"]\nto = [\"Q\"]\nmandatory_ranks = [{ranks}]\n\
         [[pieces]]\nletter = \"K\"\nbetza = \"K\"\nroyal = true\n\
         [[pieces]]\nletter = \"P\"\nbetza = \"mfWcfF\"\npawn = true\n",
        pawns.to_uppercase(),
        back.to_uppercase(),
    );
    for (letter, betza) in PIECES {
        if letter == 'Q' || back.contains(letter.to_ascii_lowercase()) {
            let _ = write!(
                text,
                "[[pieces]]\nletter = \"{letter}\"\nbetza = \"{betza}\"\n"
            );
        }
    }
    Ok(Variant::parse("growth.toml", &text)?.start())
}

/// All of them.
pub fn measure(rounds: usize) -> Result<Vec<Step>> {
    let starts: Vec<Position> = ARMIES.iter().map(|&a| position(a)).collect::<Result<_>>()?;
    let mut rates = vec![Vec::new(); starts.len()];
    let mut nodes = vec![0; starts.len()];
    for _ in 0..rounds {
        for (i, (start, army)) in starts.iter().zip(ARMIES).enumerate() {
            let (count, time) = timed(|| start.perft(army.4));
            nodes[i] = count;
            rates[i].push(rate(count, time));
        }
    }
    let steps = starts.iter().zip(ARMIES).zip(nodes.into_iter().zip(rates));
    Ok(steps
        .map(|((start, army), (nodes, rates))| Step {
            name: army.0,
            nodes,
            rate: median(rates),
            moves: nodes as f64 / start.perft(army.4 - 1) as f64,
        })
        .collect())
}

/// As Markdown.
pub fn table(steps: &[Step]) -> String {
    let mut text = String::from(
        "## Growth\n\n| board and pieces | nodes | M nodes/s | moves a position | ns a position |\n\
         | --- | --: | --: | --: | --: |\n",
    );
    for s in steps {
        let nanos = 1000.0 * s.moves / s.rate;
        let _ = writeln!(
            text,
            "| {} | {} | {:.0} | {:.1} | {nanos:.0} |",
            s.name, s.nodes, s.rate, s.moves
        );
    }
    text
}

/// As a picture: time a position, which is counted in bulk after its move is made.
pub fn plot(steps: &[Step]) -> String {
    let bars: Vec<Bar> = steps
        .iter()
        .map(|s| Bar {
            label: s.name.into(),
            value: 1000.0 * s.moves / s.rate,
            color: 0,
        })
        .collect();
    let title = "Nanoseconds to make a move and count the replies";
    plot::bars(title, &["Husun"], &bars)
}
