//! Swiss rounds of simulated tournaments, paired here and by an independent program, which must agree on every pair,
//! every colour and the bye. `HUSUN_SWISS_TOURNAMENTS` says how many tournaments (200 is all of them);
//! `HUSUN_SWISS_PEER` names another program that speaks as `scripts/swiss-peer` does; `HUSUN_SWISS_KEEP` names a
//! folder for the reports of rounds that differ.

use pairing::{Colour, Entrant, PairingError, Past, Round, Rules, Spent, dutch};
use std::error::Error;
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

type Checked<T> = Result<T, Box<dyn Error>>;

/// Number of tournaments in the short run.
const SHORT: u64 = 40;

/// Points for a win and a draw, in half points, as in chess and in football.
const SCORING: [(i64, i64); 2] = [(2, 1), (6, 2)];

/// Pseudo-random numbers, the same each time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.roll() % limit
    }

    fn percent(&mut self, chance: u64) -> bool {
        self.below(100) < chance
    }
}

/// How a round ended for one player, as a report gives it.
#[derive(Clone, Copy)]
struct Line {
    opponent: u32,
    colour: char,
    result: char,
    points: i64,
}

/// A tournament that is being played.
struct Tournament {
    rules: Rules,
    draw: i64,
    ratings: Vec<i64>,
    lines: Vec<Vec<Line>>,
    gone: Vec<bool>,
    /// Per cent of players who miss a round, by a half-point bye or a zero-point one, and of games not played.
    missing: u64,
    forfeits: u64,
}

impl Tournament {
    fn new(dice: &mut Dice) -> Self {
        let size = 5 + dice.below(56) as usize;
        // With more rounds than a small field has opponents it would only end early.
        let rounds = (5 + dice.below(7) as usize).min(size - 1);
        let spread = [5, 20, 40][dice.below(3) as usize];
        let (win, draw) = SCORING[usize::from(dice.percent(25))];
        let first = [Colour::White, Colour::Black][dice.below(2) as usize];
        Self {
            rules: Rules {
                rounds,
                first,
                win,
                loss: 0,
            },
            draw,
            ratings: (0..size as i64).map(|i| 2500 - i * spread).collect(),
            lines: vec![Vec::new(); size],
            gone: vec![false; size],
            missing: [0, 3, 10][dice.below(3) as usize],
            forfeits: [0, 2, 6][dice.below(3) as usize],
        }
    }

    fn size(&self) -> usize {
        self.ratings.len()
    }

    fn played(&self) -> usize {
        self.lines[0].len()
    }

    fn score(&self, player: usize) -> i64 {
        self.lines[player].iter().map(|line| line.points).sum()
    }

    /// Players absent from this round, each with the line for it. All are present in the first: the other program does
    /// not count a player who was never paired in the numbering, which is not what the handbook says (C.04.2, 2.4).
    fn absent(&mut self, dice: &mut Dice) -> Vec<Option<Line>> {
        let first = self.played() == 0;
        let mut absent = Vec::new();
        for gone in &mut self.gone {
            *gone |= !first && dice.percent(self.missing / 3);
            let misses = !first && dice.percent(self.missing);
            let half = dice.percent(50) && !*gone;
            let line = Line {
                opponent: 0,
                colour: '-',
                result: if half { 'H' } else { 'Z' },
                points: if half { self.draw } else { 0 },
            };
            absent.push((*gone || misses).then_some(line));
        }
        absent
    }

    fn entrants(&self, absent: &[Option<Line>]) -> Vec<Entrant> {
        let past = |line: &Line| Past {
            spent: match (line.result, line.colour) {
                ('1' | '0' | '=', colour) => Spent::Game {
                    opponent: line.opponent,
                    colour: if colour == 'w' {
                        Colour::White
                    } else {
                        Colour::Black
                    },
                },
                ('U', _) => Spent::Bye,
                _ => Spent::Unplayed,
            },
            points: line.points,
        };
        let of = |player: usize| Entrant {
            number: player as u32 + 1,
            score: self.score(player),
            here: absent[player].is_none(),
            rounds: self.lines[player].iter().map(past).collect(),
        };
        (0..self.size()).map(of).collect()
    }

    /// The tournament so far as a report in FIDE's format.
    fn report(&self) -> Checked<String> {
        let mut report =
            String::from("012 Test\n092 Individual: Swiss-System\n192 FIDE_DUTCH_2026\n");
        writeln!(report, "142 {}", self.rules.rounds)?;
        let first = match self.rules.first {
            Colour::White => 'W',
            Colour::Black => 'B',
        };
        writeln!(report, "152 {first}")?;
        let points = |halves: i64| format!("{}.{}", halves / 2, halves % 2 * 5);
        let (win, draw) = (points(self.rules.win), points(self.draw));
        writeln!(report, "162  W {win}    D {draw}    L 0.0    P {win}")?;
        for player in 0..self.size() {
            let (number, rating) = (player + 1, self.ratings[player]);
            let score = self.score(player);
            let name = format!("Player {number}");
            write!(
                report,
                "001 {number:4}      {name:33} {rating:4} {:26} {:>4} {number:4}",
                "",
                points(score)
            )?;
            for line in &self.lines[player] {
                write!(
                    report,
                    "  {:04} {} {}",
                    line.opponent, line.colour, line.result
                )?;
            }
            writeln!(report)?;
        }
        Ok(report)
    }

    /// Plays a round: the stronger player wins more often, and some do not come.
    fn play(&mut self, round: &Round, absent: &[Option<Line>], dice: &mut Dice) {
        let mut lines: Vec<Option<Line>> = absent.to_vec();
        for &(white, black) in &round.games {
            let [one, other] = [white, black].map(|number| number as usize - 1);
            let edge = (self.ratings[one] + 35 - self.ratings[other]).clamp(-700, 700);
            let results = if dice.percent(self.forfeits) {
                [['+', '-'], ['-', '+'], ['-', '-']][dice.below(3) as usize]
            } else {
                match dice.below(1400) as i64 - 700 {
                    luck if luck + 210 < edge => ['1', '0'],
                    luck if luck - 210 > edge => ['0', '1'],
                    _ => ['=', '='],
                }
            };
            let points = |result| match result {
                '1' | '+' => self.rules.win,
                '=' => self.draw,
                _ => 0,
            };
            for (player, opponent, colour, result) in [
                (one, black, 'w', results[0]),
                (other, white, 'b', results[1]),
            ] {
                lines[player] = Some(Line {
                    opponent,
                    colour,
                    result,
                    points: points(result),
                });
            }
        }
        if let Some(number) = round.bye {
            lines[number as usize - 1] = Some(Line {
                opponent: 0,
                colour: '-',
                result: 'U',
                points: self.rules.win,
            });
        }
        for (past, line) in self.lines.iter_mut().zip(lines) {
            past.extend(line);
        }
    }
}

/// The other program.
struct Peer {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Peer {
    fn start() -> Checked<Self> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/swiss-peer");
        let program = std::env::var_os("HUSUN_SWISS_PEER").unwrap_or(script.into());
        let mut child = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let to = child.stdin.take().ok_or("no input")?;
        let from = BufReader::new(child.stdout.take().ok_or("no output")?);
        Ok(Self { child, to, from })
    }

    /// What it pairs, as white-black with the bye as 0, or `none`.
    fn pair(&mut self, report: &str, absent: &[Option<Line>]) -> Checked<String> {
        self.to.write_all(report.as_bytes())?;
        write!(self.to, "pair")?;
        for (player, _) in absent.iter().enumerate().filter(|(_, a)| a.is_some()) {
            write!(self.to, " {}", player + 1)?;
        }
        writeln!(self.to)?;
        self.to.flush()?;
        let mut answer = String::new();
        if self.from.read_line(&mut answer)? == 0 {
            return Err("the other program has ended".into());
        }
        Ok(answer.trim().to_owned())
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn text(round: &Result<Round, PairingError>) -> Checked<String> {
    match round {
        Ok(round) => {
            let games = round.games.iter().map(|(w, b)| format!("{w}-{b}"));
            let bye = round.bye.map(|number| format!("{number}-0"));
            Ok(games.chain(bye).collect::<Vec<_>>().join(" "))
        }
        Err(PairingError::Impossible { .. }) => Ok("none".into()),
        Err(error) => Err(error.to_string().into()),
    }
}

/// Pairs without the order of the boards: for that the other program uses the lower pairing number of a pair, and the
/// handbook the number of the higher ranked player (C.04.2, 3.6).
fn sorted(pairs: &str) -> Vec<&str> {
    let mut pairs: Vec<&str> = pairs.split(' ').collect();
    pairs.sort_unstable();
    pairs
}

/// The outcome of some tournaments.
#[derive(Default)]
struct Found {
    rounds: usize,
    games: usize,
    byes: usize,
    impossible: usize,
    different: Vec<String>,
}

fn compare(seeds: impl Iterator<Item = u64>) -> Checked<Found> {
    let mut peer = Peer::start()?;
    let mut found = Found::default();
    for seed in seeds {
        let mut dice = Dice(seed);
        let mut tournament = Tournament::new(&mut dice);
        for round in 1..=tournament.rules.rounds {
            let absent = tournament.absent(&mut dice);
            let ours = dutch(&tournament.entrants(&absent), &tournament.rules);
            let theirs = peer.pair(&tournament.report()?, &absent)?;
            found.rounds += 1;
            if sorted(&text(&ours)?) != sorted(&theirs) {
                found.different.push(format!(
                    "tournament {seed}, round {round} of {}:\n  ours   {}\n  theirs {theirs}\n",
                    tournament.rules.rounds,
                    text(&ours)?
                ));
                if let Some(folder) = std::env::var_os("HUSUN_SWISS_KEEP") {
                    let name = format!("{seed}-{round}.trf");
                    std::fs::write(Path::new(&folder).join(name), tournament.report()?)?;
                }
            }
            let Ok(ours) = ours else {
                found.impossible += 1;
                break;
            };
            found.games += ours.games.len();
            found.byes += usize::from(ours.bye.is_some());
            tournament.play(&ours, &absent, &mut dice);
        }
    }
    Ok(found)
}

#[test]
fn every_round_is_paired_as_the_independent_program_does() -> Checked<()> {
    let count = match std::env::var("HUSUN_SWISS_TOURNAMENTS") {
        Ok(count) => count.parse()?,
        Err(_) => SHORT,
    };
    // The first to start fetches the program.
    Peer::start()?.pair(&Tournament::new(&mut Dice(0)).report()?, &[])?;
    // Two at once, as the other program takes its time.
    let halves = [0, 1].map(|half| {
        std::thread::spawn(move || {
            compare((0..count).filter(|seed| seed % 2 == half)).map_err(|e| e.to_string())
        })
    });
    let mut all = Found::default();
    for half in halves {
        let found = half.join().map_err(|_| "a thread panicked")??;
        all.rounds += found.rounds;
        all.games += found.games;
        all.byes += found.byes;
        all.impossible += found.impossible;
        all.different.extend(found.different);
    }
    println!(
        "{count} tournaments, {} rounds, {} games, {} byes, {} rounds without a pairing",
        all.rounds, all.games, all.byes, all.impossible
    );
    assert!(
        all.different.is_empty(),
        "{} of {} rounds differ:\n{}",
        all.different.len(),
        all.rounds,
        all.different.concat()
    );
    assert!(all.byes > 0 && all.games > 0);
    Ok(())
}
