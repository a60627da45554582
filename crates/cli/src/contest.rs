//! `husun match`: matches between two engines, over UCI or XBoard, in any game.

mod adjudicate;
mod opening;
mod play;
pub mod player;
pub mod process;
mod report;
pub mod spec;
mod state;
pub mod stats;
pub mod uci;
mod xboard;

use crate::progress::Progress;
use crate::start::Start;
use adjudicate::{Draw, Resign, Rules};
use anyhow::{Context, Result, anyhow, ensure};
use clap::Args;
use games::Catalogue;
use husun::{Game, Side};
use opening::Openings;
use play::{Plan, Played};
use player::{Player, Terms};
use report::Subject;
use spec::{Control, Protocol, Spec};
use state::{FinishedGame, Heading, State, Which};
use stats::{Sprt, Verdict};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Play a match between two engines
///
/// An engine is `husun` (this program over UCI), `husun-xboard`, `uci:COMMAND` or `xboard:COMMAND`. Every random
/// opening is played twice, with both colours. With a state file, an interrupted match can be continued.
#[derive(Args)]
pub struct Options {
    /// Id of the game
    game: String,
    /// The first engine, whose score is counted
    first: String,
    /// The second engine
    second: String,
    #[command(flatten)]
    start: Start,
    /// Number of games
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    games: u32,
    /// Time: SECONDS+INCREMENT, a clock such as tiger:2m+1s, delay:2m+1s, byoyomi:1m+3x5s or days:1, movetime:SECONDS,
    /// nodes:N or depth:N
    #[arg(long, default_value = "2+0.02")]
    tc: Control,
    /// Time of the second engine, if it differs
    #[arg(long, value_name = "TC")]
    tc2: Option<Control>,
    /// Games at the same time
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    concurrency: u16,
    /// Half-moves of the random openings
    #[arg(long, value_name = "PLIES", default_value_t = 6, value_parser = clap::value_parser!(u32).range(0..=60))]
    opening: u32,
    /// The most that an opening may favour a side, in centipawns (more if the start itself favours one by more)
    #[arg(long, value_name = "CP", default_value_t = 80, value_parser = clap::value_parser!(i32).range(0..=100_000))]
    balance: i32,
    /// Seed for the openings
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Hash table of each engine, in mebibytes
    #[arg(long, value_name = "MB", default_value_t = 16)]
    hash: usize,
    /// Threads of each engine
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// How late a move may come, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 50)]
    margin: u64,
    /// Half-moves after which a game is a draw
    #[arg(long, value_name = "PLIES", default_value_t = 500)]
    max_plies: usize,
    /// Award a game to a side that both engines have seen ahead by this much for this many moves each. If the opening
    /// favours a side beyond the balance, that is added
    #[arg(long, value_name = "CP,MOVES", value_parser = adjudicate::resign)]
    resign: Option<Resign>,
    /// Declare a game drawn that both engines have seen within this much for this many moves each, from a given move
    /// on
    #[arg(long, value_name = "CP,MOVES,FROM", value_parser = adjudicate::draw)]
    draw: Option<Draw>,
    /// An option of the first engine, such as "Skill Level=3"
    #[arg(long, value_name = "NAME=VALUE")]
    option1: Vec<String>,
    /// An option of the second engine
    #[arg(long, value_name = "NAME=VALUE")]
    option2: Vec<String>,
    /// What the first engine calls the game
    #[arg(long, value_name = "NAME")]
    variant1: Option<String>,
    /// What the second engine calls the game
    #[arg(long, value_name = "NAME")]
    variant2: Option<String>,
    /// Name of the first engine in reports
    #[arg(long, value_name = "NAME")]
    name1: Option<String>,
    /// Name of the second engine in reports
    #[arg(long, value_name = "NAME")]
    name2: Option<String>,
    /// Stop when a test of these Elo differences is decided (errors 5%)
    #[arg(long, value_name = "LOW,HIGH", value_parser = sprt)]
    sprt: Option<Sprt>,
    /// Append the games to a PGN file
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// Keep the results in a file, and continue from it
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

fn sprt(text: &str) -> Result<Sprt> {
    let (low, high) = text
        .split_once(',')
        .ok_or_else(|| anyhow!("`{text}`: expected two numbers with a comma, such as 0,10"))?;
    let (low, high): (f64, f64) = (low.trim().parse()?, high.trim().parse()?);
    ensure!(
        low < high,
        "`{text}`: the first number must be the lower one"
    );
    Ok(Sprt {
        low,
        high,
        alpha: 0.05,
        beta: 0.05,
    })
}

/// What the games of a match have in common.
struct Match {
    specs: [Spec; 2],
    /// The terms of each engine.
    terms: [Terms; 2],
    openings: Openings,
    max_plies: usize,
    rules: Rules,
}

/// A finished game, with its number.
type Result1 = Result<(u32, Played)>;

/// Plays the match and reports.
pub fn run(games: &Catalogue, options: &Options, files: &[PathBuf]) -> Result<()> {
    let variant = games.game(&options.game)?;
    let position = options.start.position(&variant)?;
    let contest = Match {
        specs: specs(options, files)?,
        terms: [options.tc, options.tc2.unwrap_or(options.tc)].map(|control| Terms {
            control,
            hash: options.hash,
            threads: options.threads,
            margin: Duration::from_millis(options.margin),
        }),
        openings: Openings {
            start: position,
            plies: options.opening,
            balance: options.balance,
            seed: options.seed,
        },
        max_plies: options.max_plies,
        rules: Rules {
            resign: options.resign,
            draw: options.draw,
        },
    };
    let mut state = State::open(options.state.as_deref(), &heading(options, &contest))?;
    let mut pgn = options.pgn.as_ref().map(open_pgn).transpose()?;
    let names = [contest.specs[0].name.as_str(), &contest.specs[1].name];
    let subject = Subject {
        game: variant.id(),
        names,
        control: control(options),
        sprt: options.sprt,
    };
    let done = supervise(&contest, options, &mut state, &mut |number, played| {
        let Some(file) = &mut pgn else {
            return Ok(());
        };
        let white = usize::from(number % 2 == 1);
        let names = [names[white], names[1 - white]];
        let text = report::pgn(played, names, number + 1, &subject.control);
        writeln!(file, "{text}")?;
        Ok(file.flush()?)
    });
    // A match in which no game could be played has no result to report.
    if state.finished.is_empty() {
        return done;
    }
    let mut out = std::io::stdout().lock();
    match options.json {
        true => writeln!(out, "{}", report::json(&state, &subject))?,
        false => write!(out, "{}", report::text(&state, &subject))?,
    }
    done
}

fn open_pgn(path: &PathBuf) -> Result<File> {
    let file = OpenOptions::new().create(true).append(true).open(path);
    file.with_context(|| format!("{}: cannot write", path.display()))
}

fn specs(options: &Options, files: &[PathBuf]) -> Result<[Spec; 2]> {
    let own = std::env::current_exe()?.display().to_string();
    let one = |text: &str, settings: &[String], variant: &Option<String>, name: &Option<String>| {
        let mut spec = Spec::parse(text, &own)?;
        if text.starts_with("husun") {
            for file in files {
                let args = ["--game-file".into(), file.display().to_string()];
                spec.command.splice(1..1, args);
            }
        }
        let usual = match (spec.protocol, options.game.as_str()) {
            (Protocol::XBoard, games::ORTHODOX) => "normal",
            (_, id) => id,
        };
        spec.variant = variant.clone().unwrap_or_else(|| usual.into());
        for setting in settings {
            let pair = setting.split_once('=');
            let (name, value) =
                pair.with_context(|| format!("`{setting}`: expected NAME=VALUE"))?;
            spec.options.push((name.trim().into(), value.trim().into()));
        }
        if let Some(name) = name {
            spec.name.clone_from(name);
        }
        Ok::<_, anyhow::Error>(spec)
    };
    let first = one(
        &options.first,
        &options.option1,
        &options.variant1,
        &options.name1,
    )?;
    let mut second = one(
        &options.second,
        &options.option2,
        &options.variant2,
        &options.name2,
    )?;
    if first.name == second.name {
        second.name += " (2)";
    }
    Ok([first, second])
}

/// The time of both engines, as text.
fn control(options: &Options) -> String {
    match options.tc2 {
        Some(second) => format!("{} against {second}", options.tc),
        None => options.tc.to_string(),
    }
}

fn heading(options: &Options, contest: &Match) -> Heading {
    let engine = |spec: &Spec| {
        let set = spec.options.iter().map(|(n, v)| format!(" {n}={v}"));
        let variant = match spec.variant.as_str() {
            "" => String::new(),
            name => format!(" plays {name}"),
        };
        let (protocol, command) = (spec.protocol.name(), spec.command.join(" "));
        format!("{protocol}:{command}{variant}{}", set.collect::<String>())
    };
    let mut terms = format!(
        "{} {} {} {}",
        options.hash, options.threads, options.margin, options.max_plies
    );
    if let Some(Resign { cp, moves }) = options.resign {
        terms += &format!(" resign {cp},{moves}");
    }
    if let Some(Draw { cp, moves, from }) = options.draw {
        terms += &format!(" draw {cp},{moves},{from}");
    }
    Heading {
        game: options.game.clone(),
        start: contest.openings.start.fen(),
        engines: [engine(&contest.specs[0]), engine(&contest.specs[1])],
        control: control(options),
        openings: format!("{} {} {}", options.opening, options.balance, options.seed),
        terms,
    }
}

/// Lets workers play all missing games, and collects their results.
fn supervise(
    contest: &Match,
    options: &Options,
    state: &mut State,
    keep: &mut dyn FnMut(u32, &Played) -> Result<()>,
) -> Result<()> {
    let settled = |state: &State| {
        let verdict = options.sprt.map(|sprt| sprt.verdict(&state.tally()));
        verdict.is_some_and(|verdict| verdict != Verdict::Open)
    };
    if settled(state) {
        return Ok(());
    }
    let missing: Vec<u32> = (0..options.games)
        .filter(|n| !state.finished.contains_key(n))
        .collect();
    let done = options.games - missing.len() as u32;
    let mut progress = Progress::new("", "games", options.games.into(), done.into());
    let missing = Mutex::new(missing.into_iter());
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (sender, results) = channel();
        for _ in 0..options.concurrency {
            let sender = sender.clone();
            let (missing, over) = (&missing, &over);
            scope.spawn(move || work(contest, missing, over, &sender));
        }
        drop(sender);
        let mut failed = Ok(());
        while let Ok(result) = results.recv() {
            // Games still under way when the test was decided do not reopen it.
            if settled(state) {
                continue;
            }
            let taken = result.and_then(|(number, played)| {
                keep(number, &played)?;
                state.add(line(number, &played))
            });
            progress.step(report::brief(state));
            if settled(state) || taken.is_err() {
                over.store(true, Relaxed);
            }
            failed = failed.and(taken);
        }
        progress.finish();
        failed
    })
}

fn line(number: u32, played: &Played) -> FinishedGame {
    let first = match number % 2 {
        0 => Side::White,
        _ => Side::Black,
    };
    let which = |side: Side| match side == first {
        true => Which::First,
        false => Which::Second,
    };
    FinishedGame {
        number,
        half_points: match played.winner {
            None => 1,
            Some(side) if side == first => 2,
            Some(_) => 0,
        },
        reason: played.reason.clone(),
        plies: played.game.moves().len(),
        misdeed: played
            .misdeed
            .clone()
            .map(|(side, kind, what)| (which(side), kind, what)),
    }
}

/// Plays one missing game after another.
fn work(
    contest: &Match,
    missing: &Mutex<std::vec::IntoIter<u32>>,
    over: &AtomicBool,
    results: &Sender<Result1>,
) {
    let mut players = [None, None];
    while !over.load(Relaxed) {
        let next = missing
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .next();
        let Some(number) = next else {
            return;
        };
        let played = one_game(contest, number, &mut players);
        let failed = played.is_err();
        if results.send(played).is_err() || failed {
            return;
        }
    }
}

fn one_game(contest: &Match, number: u32, players: &mut [Option<Box<dyn Player>>; 2]) -> Result1 {
    let opening = contest.openings.get(number / 2);
    for (i, (player, spec)) in players.iter_mut().zip(&contest.specs).enumerate() {
        if player.is_none() {
            let started = player::start(spec, &contest.terms[i]);
            *player = Some(started.with_context(|| format!("engine {}", spec.name))?);
        }
    }
    let [Some(first), Some(second)] = players else {
        return Err(anyhow!("an engine is missing"));
    };
    let swapped = number % 2 == 1;
    let balance = contest.openings.balance.saturating_abs();
    let beyond = opening.lead.saturating_abs() - balance;
    let rules = contest.rules.beyond_lead(beyond.max(0));
    let mut sides: [&mut dyn Player; 2] = match swapped {
        false => [first.as_mut(), second.as_mut()],
        true => [second.as_mut(), first.as_mut()],
    };
    let plan = Plan {
        terms: [
            &contest.terms[usize::from(swapped)],
            &contest.terms[usize::from(!swapped)],
        ],
        opening: &opening.moves,
        max_plies: contest.max_plies,
        rules: &rules,
    };
    let played = play::play(Game::new(contest.openings.start.clone()), &mut sides, &plan);
    for (i, player) in players.iter_mut().enumerate() {
        if played.broken[i ^ usize::from(swapped)] {
            *player = None;
        }
    }
    Ok((number, played))
}
