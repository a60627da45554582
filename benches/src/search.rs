//! The engine's search: nodes a second at a fixed depth beside Fairy-Stockfish's, and how much sooner two threads
//! reach a depth than one, of both.

use crate::paths::deepest;
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

/// Games for the threads, with the depth of Husun and that of Fairy-Stockfish, where it knows the game.
const THREADS: [(&str, u32, Option<u32>); 8] = [
    ("chess", 19, Some(17)),
    ("capablanca", 16, Some(15)),
    ("grand", 15, Some(13)),
    ("alhusun", 16, None),
    ("citadel9", 16, None),
    ("strike100", 15, None),
    ("crossfire80", 15, None),
    ("citadelir2024", 14, None),
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
    let mut fairy = Program::start(fairy, &[])?;
    match &mut fairy {
        Some(fairy) => page.push_str(&beside(rounds, &mut husun, fairy)?),
        None => page.push_str("\nFairy-Stockfish was not there.\n"),
    }
    page.push_str(&threads(rounds, &mut husun, fairy.as_mut())?);
    println!("{page}");
    fs::create_dir_all(out).context("the folder for the tables")?;
    let path = out.join("search.md");
    fs::write(&path, page).with_context(|| path.display().to_string())
}

/// The set-up and the positions from play.
fn positions(id: &str) -> Result<Vec<String>> {
    let start = games::variant(id).context("no such game")?.start().fen();
    let played = deepest(id)?.into_iter().map(|(fen, _)| fen);
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

fn threads(rounds: usize, husun: &mut Program, fairy: Option<&mut Program>) -> Result<String> {
    let mut text = String::from(
        "\n## Two threads\n\nTime from the command to the answer at the depth, the set-up and positions from play one \
         after the other, sums of medians of interleaved rounds; how many times as fast two threads are, of the sums and in the \
         mean of the positions (geometric). Fairy-Stockfish, on the same positions, shows what the field reaches.\n\n\
         | game | program | depth | positions | one thread, s | two threads, s | times as fast | mean of positions |\n\
         | --- | --- | --: | --: | --: | --: | --: | --: |\n",
    );
    let mut programs = [Some(husun), fairy];
    for (id, ours, theirs) in THREADS {
        let positions = positions(id)?;
        for (i, depth) in [Some(ours), theirs].into_iter().enumerate() {
            let (Some(program), Some(depth)) = (&mut programs[i], depth) else {
                continue;
            };
            let name = ["Husun", "Fairy-Stockfish"][i];
            eprintln!("{id}, two threads of {name}");
            let times = both(rounds, program, id, &positions, depth)?;
            let sum = |n: usize| times.iter().map(|t| t[n]).sum::<f64>();
            let logs = times.iter().map(|[one, two]| (one / two).ln());
            let mean = (logs.sum::<f64>() / times.len() as f64).exp();
            let (one, two) = (sum(0), sum(1));
            writeln!(
                text,
                "| {id} | {name} | {depth} | {} | {one:.2} | {two:.2} | {:.2} | {mean:.2} |",
                positions.len(),
                one / two,
            )?;
        }
    }
    Ok(text)
}

/// The seconds that each position takes with one thread and with two, medians of the rounds.
fn both(
    rounds: usize,
    program: &mut Program,
    id: &str,
    positions: &[String],
    depth: u32,
) -> Result<Vec<[f64; 2]>> {
    let ask = |fen: &String| {
        let mut times: [Vec<f64>; 2] = Default::default();
        for _ in 0..rounds {
            for (i, times) in times.iter_mut().enumerate() {
                let found = program.search(&Question {
                    variant: id,
                    fen,
                    depth,
                    threads: 1 + i as u32,
                })?;
                times.push(found.waited.as_secs_f64());
            }
        }
        Ok(times.map(median))
    };
    positions.iter().map(ask).collect()
}
