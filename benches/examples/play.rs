//! Perft of a game's positions, for profilers and to compare two builds: see `docs/speed.md`.

#[path = "../src/figures.rs"]
mod figures;

use anyhow::{Context, Result, ensure};
use clap::{Parser, Subcommand};
use cpu_time::ThreadTime;
use figures::{Figure, figures};
use husun::Position;
use std::collections::HashMap;
use std::fmt;
use std::hint::black_box;
use std::io::{BufRead, BufReader, Write, stdin};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::str::FromStr;

/// So many turns are taken by one start of a program.
const ONE_START: usize = 8;
/// About as many nodes are counted in one turn.
const TURN: u64 = 2_000_000;
/// The deepest count from the start that makes one turn.
const DEEPEST: u64 = 4_000_000;

/// Perft of the positions of games.
#[derive(Parser)]
struct Args {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Count a game's positions from play so many times.
    Run { game: String, rounds: usize },
    /// How many times as fast two builds of this program count, a turn of some milliseconds each.
    Compare {
        new: PathBuf,
        old: PathBuf,
        /// Turns of each.
        turns: usize,
        /// As in `capablanca:start`, `capablanca:play` and, for a position, `capablanca:FEN`.
        #[arg(required = true)]
        work: Vec<Work>,
    },
    /// Take turns that are asked for on the standard input, one a line, and answer with the nanoseconds.
    Serve,
}

/// A game's set-up, its positions from play, or a position.
#[derive(Clone)]
struct Work {
    game: String,
    positions: Positions,
}

#[derive(Clone)]
enum Positions {
    Start,
    Play,
    Fen(String),
}

impl FromStr for Work {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Work> {
        let (game, what) = text
            .split_once(':')
            .context("GAME:start, GAME:play or GAME:FEN")?;
        let positions = match what {
            "start" => Positions::Start,
            "play" => Positions::Play,
            fen => Positions::Fen(fen.to_owned()),
        };
        let game = game.to_owned();
        Ok(Work { game, positions })
    }
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match &self.positions {
            Positions::Start => "start",
            Positions::Play => "play",
            Positions::Fen(fen) => fen,
        };
        write!(f, "{}:{what}", self.game)
    }
}

/// What is counted: a position, to which depth, how many nodes that has.
type Count = (Position, u32, u64);

impl Work {
    fn counts(&self) -> Result<Vec<Count>> {
        let game = games::variant(&self.game).with_context(|| format!("no game {}", self.game))?;
        let figures = match &self.positions {
            Positions::Play => figures(&self.game, false)?,
            Positions::Start => {
                let known = figures(&self.game, true)?.into_iter();
                let fits = known.filter(|f| f.nodes < DEEPEST);
                fits.max_by_key(|f| f.nodes).into_iter().collect()
            }
            Positions::Fen(fen) => {
                let position = game.position(fen).with_context(|| format!("{self}"))?;
                let counts = (1..=32).map(|depth| (position.clone(), depth, position.perft(depth)));
                let fits = counts.take_while(|c| c.2 < DEEPEST);
                return Ok(fits.last().into_iter().collect());
            }
        };
        ensure!(!figures.is_empty(), "{self}: no figures");
        let count = |f: Figure| Ok((game.position(&f.fen)?, f.depth, f.nodes));
        figures.into_iter().map(count).collect()
    }
}

fn main() -> Result<()> {
    match Args::parse().task {
        Task::Run { game, rounds } => {
            let counts = Work {
                game,
                positions: Positions::Play,
            }
            .counts()?;
            let once = || counts.iter().map(|(p, depth, _)| p.perft(*depth));
            let nodes: u64 = (0..rounds).flat_map(|_| once()).sum();
            println!("{nodes}");
            Ok(())
        }
        Task::Compare {
            new,
            old,
            turns,
            work,
        } => compare([&new, &old], turns.max(1), &work),
        Task::Serve => serve(),
    }
}

fn serve() -> Result<()> {
    let mut known: HashMap<String, (Vec<Count>, u64)> = HashMap::new();
    for line in stdin().lock().lines() {
        let line = line?;
        if !known.contains_key(&line) {
            let counts = line.parse::<Work>()?.counts()?;
            for (position, depth, nodes) in &counts {
                ensure!(position.perft(*depth) == *nodes, "{line}: a wrong count");
            }
            let nodes: u64 = counts.iter().map(|c| c.2).sum();
            known.insert(line.clone(), (counts, (TURN / nodes.max(1)).max(1)));
        }
        let (counts, rounds) = &known[&line];
        let begun = ThreadTime::now();
        for _ in 0..*rounds {
            for (position, depth, _) in counts {
                black_box(position.perft(*depth));
            }
        }
        println!("{}", begun.elapsed().as_nanos());
    }
    Ok(())
}

/// A build that takes turns.
struct Build {
    child: Child,
    asked: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Build {
    fn start(path: &Path) -> Result<Build> {
        let mut child = Command::new(path)
            .arg("serve")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| path.display().to_string())?;
        let asked = child.stdin.take().context("its input")?;
        let answers = BufReader::new(child.stdout.take().context("its output")?);
        Ok(Build {
            child,
            asked,
            answers,
        })
    }

    fn turn(&mut self, work: &Work) -> Result<f64> {
        writeln!(self.asked, "{work}")?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        line.trim_end().parse().context("no time was answered")
    }

    fn end(mut self) -> Result<()> {
        drop(self.asked);
        self.child.wait()?;
        Ok(())
    }
}

fn compare(paths: [&Path; 2], turns: usize, work: &[Work]) -> Result<()> {
    for work in work {
        let mut ratios = Vec::new();
        while ratios.len() < turns {
            // Where memory lies is chosen anew at each start, and may make a program slow for as long as it runs.
            let mut new = Build::start(paths[0])?;
            let mut old = Build::start(paths[1])?;
            // What is not counted: loading, and the first turn.
            new.turn(work)?;
            old.turn(work)?;
            for i in 0..ONE_START.min(turns - ratios.len()) {
                // Who goes first changes, so that a machine that slows down favours neither.
                let (n, o) = if i % 2 == 0 {
                    let n = new.turn(work)?;
                    (n, old.turn(work)?)
                } else {
                    let o = old.turn(work)?;
                    (new.turn(work)?, o)
                };
                ratios.push(o / n);
            }
            new.end()?;
            old.end()?;
        }
        ratios.sort_by(f64::total_cmp);
        let at = |part: usize| ratios[(ratios.len() - 1) * part / 4];
        println!(
            "{work}: {:.3} (half of the turns {:.3} to {:.3})",
            at(2),
            at(1),
            at(3)
        );
    }
    Ok(())
}
