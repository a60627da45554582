//! The engine's search: nodes a second at a fixed depth beside Fairy-Stockfish's, and how much sooner two threads
//! reach a depth than one.

use crate::paths::figures;
use crate::stats::{median, rate};
use crate::uci::{Program, Question};
use anyhow::{Context, Result};
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// Games that both know, with the depth.
const BESIDE: [(&str, u32); 4] = [
    ("capablanca", 13),
    ("grand", 13),
    ("chess", 15),
    ("shatranj", 14),
];

/// Games for the threads, with the depth.
const ALONE: [(&str, u32); 6] = [
    ("chess", 17),
    ("capablanca", 14),
    ("alhusun", 13),
    ("citadel9", 13),
    ("strike100", 13),
    ("citadelir2024", 12),
];

/// Measures both, and writes `search.md`.
pub fn measure(rounds: usize, husun: &Path, fairy: &Path, out: &Path) -> Result<()> {
    let husun = Program::start(husun, &["uci"])?;
    let mut husun =
        husun.context("no husun: build it (cargo build --release) or name it by --husun")?;
    let mut page = String::from(
        "# Search\n\nWritten by the benchmark (`--search`); what follows from it is in \
         [engine-record.md](../engine-record.md).\n",
    );
    match Program::start(fairy, &[])? {
        Some(mut fairy) => page.push_str(&beside(rounds, &mut husun, &mut fairy)?),
        None => page.push_str("\nFairy-Stockfish was not there.\n"),
    }
    page.push_str(&threads(rounds, &mut husun)?);
    println!("{page}");
    fs::create_dir_all(out).context("the folder for the tables")?;
    let path = out.join("search.md");
    fs::write(&path, page).with_context(|| path.display().to_string())
}

/// The set-up and the positions from play.
fn positions(id: &str) -> Result<Vec<String>> {
    let start = games::variant(id).context("no such game")?.start().fen();
    let played = figures(id)?.into_iter().map(|(fen, _)| fen);
    Ok(std::iter::once(start).chain(played).collect())
}

fn beside(rounds: usize, husun: &mut Program, fairy: &mut Program) -> Result<String> {
    let mut text = String::from(
        "\n## Nodes a second\n\nOne thread, 64 MiB, the set-up and positions from play to the depth, time from the command \
         to the answer, medians of interleaved rounds; the ratio is the median of those of single rounds.\n\n\
         | game | depth | positions | Husun, M nodes | Fairy-Stockfish, M nodes | Husun, M/s | Fairy-Stockfish, M/s | ratio |\n\
         | --- | --: | --: | --: | --: | --: | --: | --: |\n",
    );
    for (id, depth) in BESIDE {
        let positions = positions(id)?;
        let mut rates: [Vec<f64>; 2] = Default::default();
        let mut nodes = [0; 2];
        for round in 1..=rounds {
            eprintln!("{id}, nodes a second, round {round} of {rounds}");
            for (i, program) in [&mut *husun, &mut *fairy].into_iter().enumerate() {
                let (mut all, mut time) = (0, std::time::Duration::ZERO);
                for fen in &positions {
                    let found = program.search(&Question {
                        variant: id,
                        fen,
                        depth,
                        threads: 1,
                    })?;
                    all += found.nodes;
                    time += found.waited;
                }
                nodes[i] = all;
                rates[i].push(rate(all, time));
            }
        }
        let ratios = rates[0].iter().zip(&rates[1]).map(|(a, b)| a / b);
        let ratio = median(ratios.collect());
        let [ours, theirs] = rates.map(median);
        let millions = nodes.map(|n| n as f64 / 1e6);
        writeln!(
            text,
            "| {id} | {depth} | {} | {:.1} | {:.1} | {ours:.2} | {theirs:.2} | {ratio:.2} |",
            positions.len(),
            millions[0],
            millions[1],
        )?;
    }
    Ok(text)
}

fn threads(rounds: usize, husun: &mut Program) -> Result<String> {
    let mut text = String::from(
        "\n## Two threads\n\nTime from the command to the answer at the depth, the set-up and positions from play one \
         after the other, medians of interleaved rounds; the ratio is the median of those of single rounds.\n\n\
         | game | depth | positions | one thread, s | two threads, s | times as fast |\n\
         | --- | --: | --: | --: | --: | --: |\n",
    );
    for (id, depth) in ALONE {
        let positions = positions(id)?;
        let mut times: [Vec<f64>; 2] = Default::default();
        for round in 1..=rounds {
            eprintln!("{id}, two threads, round {round} of {rounds}");
            for (i, times) in times.iter_mut().enumerate() {
                let mut all = 0.0;
                for fen in &positions {
                    let found = husun.search(&Question {
                        variant: id,
                        fen,
                        depth,
                        threads: 1 + i as u32,
                    })?;
                    all += found.waited.as_secs_f64();
                }
                times.push(all);
            }
        }
        let ratios = times[0].iter().zip(&times[1]).map(|(one, two)| one / two);
        let ratio = median(ratios.collect());
        let [one, two] = times.map(median);
        writeln!(
            text,
            "| {id} | {depth} | {} | {one:.2} | {two:.2} | {ratio:.2} |",
            positions.len()
        )?;
    }
    Ok(text)
}
