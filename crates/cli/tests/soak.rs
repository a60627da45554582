//! A soak of the engine over UCI: `go`, `stop` and `position` at random over all games with two threads,
//! with every answer checked and the time from `stop` to `bestmove` measured. Ten minutes:
//!
//!     HUSUN_SOAK=600 cargo test --release -p husun-cli --test apart soak -- --nocapture
//!
//! Without `HUSUN_SOAK` it takes a few seconds and bounds the time only roughly, as other tests run at the same time.

use husun::{Game, Variant};
use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// What the engine promises on an otherwise idle machine.
const PROMISE: Duration = Duration::from_millis(20);
/// Long enough for any answer, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// A small pseudo-random number generator (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (((z ^ (z >> 31)) as u128 * n as u128) >> 64) as usize
    }
}

/// The engine in a separate process.
struct Engine {
    child: Child,
    input: ChildStdin,
    lines: Receiver<(Instant, String)>,
}

impl Engine {
    fn start() -> Result<Engine> {
        let mut child = Command::new(env!("CARGO_BIN_EXE_husun"))
            .arg("uci")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let input = child.stdin.take().ok_or("no input")?;
        let output = BufReader::new(child.stdout.take().ok_or("no output")?);
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(|line| line.ok()) {
                if sender.send((Instant::now(), line)).is_err() {
                    return;
                }
            }
        });
        Ok(Engine {
            child,
            input,
            lines,
        })
    }

    fn say(&mut self, line: &str) -> Result<()> {
        writeln!(self.input, "{line}")?;
        Ok(self.input.flush()?)
    }

    /// Reads until a line begins with `start`, and returns when it came.
    fn until(&self, start: &str) -> Result<(Instant, String)> {
        loop {
            let (at, line) = self
                .lines
                .recv_timeout(PATIENCE)
                .map_err(|e| format!("no `{start}`: {e}"))?;
            assert!(!line.contains("has failed"), "{line}");
            if line.starts_with(start) {
                return Ok((at, line));
            }
        }
    }

    fn be_ready(&mut self) -> Result<()> {
        self.say("isready")?;
        self.until("readyok").map(drop)
    }
}

/// A random game that has not ended.
fn walk(variant: &Arc<Variant>, random: &mut Random) -> Game {
    let mut game = Game::new(variant.start());
    for _ in 0..random.below(60) {
        let mut moves = game.position().legal_moves();
        moves.sort();
        let m = moves[random.below(moves.len())];
        match game.play(m) {
            Ok(None) => {}
            _ => {
                let _ = game.take_back();
                break;
            }
        }
    }
    game
}

fn position_line(game: &Game, random: &mut Random) -> String {
    if random.below(3) == 0 {
        return format!("position fen {}", game.position().fen());
    }
    let mut line = String::from("position startpos moves");
    for (i, &m) in game.moves().iter().enumerate() {
        if let Some(position) = game.position_at(i) {
            line += &format!(" {}", position.uci(m));
        }
    }
    line
}

/// Limits that do not end a search before it is stopped, and whether it may still end on its own.
fn go_line(random: &mut Random) -> (&'static str, bool) {
    const LINES: [(&str, bool); 7] = [
        ("go infinite", false),
        ("go", false),
        ("go ponder wtime 1000 btime 1000", false),
        ("go depth 200", true),
        ("go movetime 3000", true),
        ("go wtime 60000 btime 60000 winc 500 binc 500", true),
        ("go mate 30", true),
    ];
    LINES[random.below(LINES.len())]
}

/// How late each stopped search ended, the latest last, with its position; and how many of them would have gone on.
fn soak(time: Duration, seed: u64) -> Result<(Vec<(Duration, String)>, u32)> {
    let mut random = Random(seed);
    let mut engine = Engine::start()?;
    engine.say("uci")?;
    engine.until("uciok")?;
    engine.say("setoption name Threads value 2")?;
    let variants: Vec<Arc<Variant>> = games::ids().filter_map(games::variant).collect();
    let mut lates = Vec::new();
    let (began, mut stops) = (Instant::now(), 0);
    let mut variant = variants[0].clone();
    engine.say(&format!(
        "setoption name UCI_Variant value {}",
        variant.id()
    ))?;
    while began.elapsed() < time {
        if random.below(6) == 0 {
            variant = variants[random.below(variants.len())].clone();
            engine.say(&format!(
                "setoption name UCI_Variant value {}",
                variant.id()
            ))?;
        }
        match random.below(12) {
            0 => engine.say("ucinewgame")?,
            1 => engine.say("setoption name MultiPV value 3")?,
            2 => engine.say("setoption name MultiPV value 1")?,
            3 => engine.say("position fen nonsense")?,
            4 => engine.say("stop")?,
            5 => {
                // A search that is abandoned for the next one.
                engine.say("go infinite")?;
                engine.say("go depth 2")?;
                engine.until("bestmove")?;
                engine.until("bestmove")?;
            }
            _ => {}
        }
        let game = walk(&variant, &mut random);
        engine.say(&position_line(&game, &mut random))?;
        engine.be_ready()?;
        let (go, may_end) = go_line(&mut random);
        engine.say(go)?;
        std::thread::sleep(Duration::from_micros(100 * random.below(1500) as u64));
        if go.contains("ponder") && random.below(2) == 0 {
            engine.say("ponderhit")?;
        }
        let told = Instant::now();
        engine.say("stop")?;
        let (at, line) = engine.until("bestmove")?;
        let best = line.split(' ').nth(1).ok_or("no move")?;
        let position = game.position();
        assert!(
            position.parse_uci(best).is_ok(),
            "{} {}: {best}",
            variant.id(),
            position.fen()
        );
        let late = at.saturating_duration_since(told);
        lates.push((late, format!("{} {} {go}", variant.id(), position.fen())));
        if !may_end {
            stops += 1;
        }
        // A second `stop` does no harm, and nothing comes after the move.
        engine.say("stop")?;
        engine.be_ready()?;
    }
    engine.say("quit")?;
    let ended = engine.child.wait()?;
    assert!(ended.success(), "{ended}");
    lates.sort();
    Ok((lates, stops))
}

#[test]
fn go_and_stop_at_random() -> Result<()> {
    let _turn = crate::turn(module_path!());
    let asked: Option<u64> = std::env::var("HUSUN_SOAK")
        .ok()
        .map(|s| s.parse())
        .transpose()?;
    let time = Duration::from_secs(asked.unwrap_or(4));
    let (lates, stops) = soak(time, 0x736f_616b)?;
    let (worst, where_) = lates.last().ok_or("no search")?;
    let part = |thousandths: usize| lates[(lates.len() - 1) * thousandths / 1000].0;
    println!(
        "{stops} searches stopped; of all {} half ended within {:?}, 99% within {:?}, 99.9% within {:?}; {} after more than \
         {PROMISE:?}, the latest after {worst:?}: {where_}",
        lates.len(),
        part(500),
        part(990),
        part(999),
        lates.iter().filter(|l| l.0 > PROMISE).count(),
    );
    assert!(stops > 0);
    let bound = match asked {
        Some(_) => PROMISE,
        None => 100 * PROMISE,
    };
    assert!(*worst <= bound, "{worst:?} after stop in {where_}");
    Ok(())
}
