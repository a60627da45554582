//! Matches between two builds of this program: `matches PATH_A PATH_B GAMES NODES GAME..` plays pairs of games from
//! random balanced openings, both colours, and prints what A scores. Each side is a process of its own (`matches
//! serve [LEVEL]`) that is told a game, limits and moves, one line each. A path may carry values, instead of the game's own and its network,
//! and a level, such as `./matches@values.toml:3`; `uci=PATH` is a UCI engine that knows the game by the same name. NODES may be a
//! time, such as `50ms`, or a depth, such as `d4`; `A,B` gives each side its own.

use husun::{Position, Status, Variant};
use husun_engine::values::Values;
use husun_engine::{Engine, Level, Limits, Options, Score};
use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.first().map(String::as_str) {
        Some("serve") => serve(args.get(1), args.get(2)),
        Some(_) if args.len() >= 5 => play_match(&args),
        _ => Err("usage: matches PATH_A PATH_B PAIRS NODES|TIMEms GAME..".into()),
    }
}

fn limits(text: &str) -> Result<Limits> {
    Ok(match text.strip_suffix("ms") {
        Some(ms) => Limits::movetime(Duration::from_millis(ms.parse()?)),
        None => match text.strip_prefix('d') {
            Some(depth) => Limits::depth(depth.parse()?),
            None => Limits::nodes(text.parse()?),
        },
    })
}

/// Reads `GAME LIMIT MOVES..` lines and answers each with a move and a score.
fn serve(level: Option<&String>, values: Option<&String>) -> Result<()> {
    let level = match level {
        Some(text) => Level::new(text.parse()?).ok_or("no such level")?,
        None => Level::FULL,
    };
    let given = values.map(std::fs::read_to_string).transpose()?;
    let mut engine: Option<Engine> = None;
    let mut seed = 0;
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let mut words = line.split_whitespace();
        let (Some(id), Some(limit)) = (words.next(), words.next()) else {
            continue;
        };
        if id == "new" {
            engine = None;
            seed = limit.parse()?;
            continue;
        }
        let game = games::variant(id).ok_or("no such game")?;
        if engine.is_none() {
            let options = Options {
                level,
                seed,
                ..Options::default()
            };
            engine = Some(match &given {
                Some(text) => {
                    Engine::with_values(game.clone(), Values::parse(&game, text)?, options)
                }
                None => {
                    let (values, network) = (games::values(id), games::network(id));
                    Engine::tuned(game.clone(), values, network, options)
                }
            });
        }
        let engine = engine.as_mut().ok_or("no engine")?;
        let mut keys = Vec::new();
        let mut position = game.start();
        for word in words {
            keys.push(position.key());
            position = position.play_unchecked(position.parse_uci(word)?);
        }
        let stop = AtomicBool::new(false);
        let found = engine.search(&position, &keys, &limits(limit)?, &stop, &mut |_| {});
        match found.best {
            Some(m) if !found.accept => println!("{} {}", position.uci(m), found.score.value()),
            _ => println!("accept 0"),
        }
        std::io::stdout().flush()?;
    }
    Ok(())
}

struct Player {
    uci: bool,
    child: Child,
    input: ChildStdin,
    output: BufReader<std::process::ChildStdout>,
}

impl Player {
    fn new(path: &str) -> Result<Player> {
        if let Some(path) = path.strip_prefix("uci=") {
            let mut player = Player::spawn(Command::new(path), true)?;
            player.ask_uci("uci", "uciok")?;
            return Ok(player);
        }
        let (path, level) = path.split_once(':').unwrap_or((path, "8"));
        let (path, values) = match path.split_once('@') {
            Some((path, values)) => (path, Some(values)),
            None => (path, None),
        };
        let mut command = Command::new(path);
        command.args(["serve", level]).args(values);
        Player::spawn(command, false)
    }

    fn spawn(mut command: Command, uci: bool) -> Result<Player> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        Ok(Player {
            uci,
            input: child.stdin.take().ok_or("no input")?,
            output: BufReader::new(child.stdout.take().ok_or("no output")?),
            child,
        })
    }

    fn new_game(&mut self, seed: u64) -> Result<()> {
        if self.uci {
            writeln!(self.input, "ucinewgame")?;
        } else {
            writeln!(self.input, "new {seed}")?;
        }
        Ok(())
    }

    /// Sends a line to a UCI engine and reads until a line begins with the word; the last score before that
    /// line is appended to it.
    fn ask_uci(&mut self, line: &str, word: &str) -> Result<String> {
        writeln!(self.input, "{line}")?;
        self.input.flush()?;
        let mut score = 0;
        loop {
            let mut answer = String::new();
            if self.output.read_line(&mut answer)? == 0 {
                return Err("the engine is gone".into());
            }
            if answer.starts_with(word) {
                return Ok(format!("{} {score}", answer.trim()));
            }
            if let Some((_, rest)) = answer.split_once(" score ") {
                let mut words = rest.split_whitespace();
                let kind = words.next();
                let value: i32 = words.next().unwrap_or("0").parse()?;
                score = match kind {
                    Some("mate") => Score::Mate(value).value(),
                    _ => value,
                };
            }
        }
    }

    fn move_of(&mut self, game: &str, limit: &str, moves: &[String]) -> Result<String> {
        if !self.uci {
            return self.ask(&format!("{game} {limit} {}", moves.join(" ")));
        }
        writeln!(self.input, "setoption name UCI_Variant value {game}")?;
        writeln!(self.input, "position startpos moves {}", moves.join(" "))?;
        let go = match (limit.strip_suffix("ms"), limit.strip_prefix('d')) {
            (Some(ms), _) => format!("go movetime {ms}"),
            (_, Some(depth)) => format!("go depth {depth}"),
            _ => format!("go nodes {limit}"),
        };
        let answer = self.ask_uci(&go, "bestmove")?;
        let mut words = answer.split_whitespace();
        let best = words.nth(1).unwrap_or_default();
        let score = words.next_back().unwrap_or("0");
        Ok(format!("{best} {score}"))
    }

    fn ask(&mut self, line: &str) -> Result<String> {
        writeln!(self.input, "{line}")?;
        self.input.flush()?;
        let mut answer = String::new();
        self.output.read_line(&mut answer)?;
        Ok(answer)
    }
}

fn play_match(args: &[String]) -> Result<()> {
    let mut players = [Player::new(&args[0])?, Player::new(&args[1])?];
    let pairs: u64 = args[2].parse()?;
    let mut all = Tally::default();
    for id in &args[4..] {
        let game = games::variant(id).ok_or("no such game")?;
        let mut judge = Engine::new(game.clone(), Options::default());
        let mut tally = Tally::default();
        for pair in 0..pairs {
            let opening = opening(&game, &mut judge, pair);
            let first = play(&game, &opening, &mut players, &args[3], [0, 1], pair)?;
            let second = play(&game, &opening, &mut players, &args[3], [1, 0], pair)?;
            tally.add(first, 1.0 - second);
        }
        println!("{id:14} {tally}");
        std::io::stdout().flush()?;
        all.join(&tally);
    }
    println!("{:14} {all}", "all");
    for player in &mut players {
        player.child.kill()?;
    }
    Ok(())
}

/// Random moves after which neither side is much better.
fn opening(game: &Arc<Variant>, judge: &mut Engine, number: u64) -> Vec<String> {
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(number + 1) ^ game.frame().len() as u64;
    let mut next = move || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed
    };
    loop {
        let mut position = game.start();
        let mut moves = Vec::new();
        for _ in 0..6 + number % 2 {
            let all = position.legal_moves();
            if all.is_empty() {
                break;
            }
            let m = all[(next() >> 20) as usize % all.len()];
            moves.push(position.uci(m).to_string());
            position = position.play_unchecked(m);
        }
        let stop = AtomicBool::new(false);
        let found = judge.search(&position, &[], &Limits::depth(6), &stop, &mut |_| {});
        if position.status() == Status::Ongoing && found.score.value().abs() < 90 {
            return moves;
        }
    }
}

/// What White scores.
fn play(
    game: &Arc<Variant>,
    opening: &[String],
    players: &mut [Player; 2],
    limit: &str,
    seats: [usize; 2],
    seed: u64,
) -> Result<f64> {
    for player in players.iter_mut() {
        player.new_game(seed)?;
    }
    let mut moves = opening.to_vec();
    let mut position = game.start();
    let mut seen: Vec<Position> = Vec::new();
    for word in opening {
        seen.push(position.clone());
        position = position.play_unchecked(position.parse_uci(word)?);
    }
    let mut sure = [0; 2];
    loop {
        match position.status() {
            Status::Ongoing => {}
            status => {
                return Ok(match position.winner(status) {
                    Some(husun::Side::White) => 1.0,
                    Some(husun::Side::Black) => 0.0,
                    None => 0.5,
                });
            }
        }
        let again = seen.iter().filter(|p| p.same_position(&position)).count();
        if again >= 2 || moves.len() > 400 {
            return Ok(0.5);
        }
        let turn = position.turn().index();
        let own = match limit.split_once(',') {
            Some((a, b)) => [a, b][seats[turn]],
            None => limit,
        };
        let answer = players[seats[turn]].move_of(game.id(), own, &moves)?;
        let mut words = answer.split_whitespace();
        let (word, value) = (
            words.next().ok_or("no answer")?,
            words.next().unwrap_or("0"),
        );
        if word == "accept" {
            return Ok(0.5);
        }
        // Decided when both sides have agreed for some moves.
        let value: i32 = value.parse()?;
        let white = if turn == 0 { value } else { -value };
        sure[0] = if white > 900 { sure[0] + 1 } else { 0 };
        sure[1] = if white < -900 { sure[1] + 1 } else { 0 };
        if sure[0] >= 6 || value >= Score::Mate(3).value() && turn == 0 {
            return Ok(1.0);
        }
        if sure[1] >= 6 || value >= Score::Mate(3).value() && turn == 1 {
            return Ok(0.0);
        }
        seen.push(position.clone());
        position = position.play_unchecked(position.parse_uci(word)?);
        moves.push(word.to_string());
    }
}

/// Results of pairs of games.
#[derive(Default)]
struct Tally {
    /// Pairs by points: 0, 0.5, 1, 1.5, 2.
    pairs: [u32; 5],
    games: [u32; 3],
}

impl Tally {
    fn add(&mut self, first: f64, second: f64) {
        self.pairs[((first + second) * 2.0) as usize] += 1;
        for score in [first, second] {
            self.games[(score * 2.0) as usize] += 1;
        }
    }

    fn join(&mut self, other: &Tally) {
        for (a, b) in self.pairs.iter_mut().zip(other.pairs) {
            *a += b;
        }
        for (a, b) in self.games.iter_mut().zip(other.games) {
            *a += b;
        }
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let n = f64::from(self.pairs.iter().sum::<u32>());
        let share = |i: usize| i as f64 / 4.0;
        let mean = (0..5)
            .map(|i| share(i) * f64::from(self.pairs[i]))
            .sum::<f64>()
            / n;
        let variance = (0..5)
            .map(|i| (share(i) - mean).powi(2) * f64::from(self.pairs[i]))
            .sum::<f64>()
            / n;
        let error = 1.96 * (variance / n).sqrt();
        let elo = |x: f64| {
            let x = x.clamp(0.001, 0.999);
            400.0 * (x / (1.0 - x)).log10()
        };
        let [l, d, w] = self.games;
        write!(
            f,
            "+{w} ={d} -{l}  {:.1}%  Elo {:+.0} ±{:.0}",
            100.0 * mean,
            elo(mean),
            (elo(mean + error) - elo(mean - error)) / 2.0
        )
    }
}
