//! Perft: Husun beside its peers, round by round, and every game of Husun beside capablanca.

use crate::figures::figures;
use crate::peers;
use crate::plot::{self, Bar};
use crate::stats::{median, rate, timed};
use crate::uci::Program;
use anyhow::{Context, Result, ensure};
use husun::Position;
use std::fmt::Write;
use std::path::Path;

/// The peers, in the order of a row's rates.
const PEERS: [&str; 6] = [
    "cozy-chess",
    "cozy-chess (for the processor)",
    "shakmaty",
    "shakmaty (for the processor)",
    "Fairy-Stockfish (Debian)",
    "Fairy-Stockfish (own build)",
];
/// The first that is Fairy-Stockfish, which is slower by a digit.
const FAIRIES: usize = 4;

/// Name, game, position text (empty: the start), depth, and the peers that play it.
type Case = (
    &'static str,
    &'static str,
    &'static str,
    u32,
    &'static [usize],
);

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

const CASES: [Case; 16] = [
    ("chess", "chess", "", 6, &[0, 1, 2, 3, 4, 5]),
    ("chess, kiwipete", "chess", KIWIPETE, 5, &[0, 1, 2, 3, 4, 5]),
    ("capablanca", "capablanca", "", 5, &[4, 5]),
    ("grand", "grand", "", 4, &[4, 5]),
    ("shatranj", "shatranj", "", 6, &[4, 5]),
    ("alhusun", "alhusun", "", 6, &[]),
    ("citadel8", "citadel8", "", 5, &[]),
    ("citadel9", "citadel9", "", 5, &[]),
    ("strike80", "strike80", "", 5, &[]),
    ("strike100", "strike100", "", 5, &[]),
    ("crossfire80", "crossfire80", "", 5, &[]),
    ("crossfire100", "crossfire100", "", 5, &[]),
    ("citadelir2020", "citadelir2020", "", 4, &[]),
    ("citadelir2020-drawn", "citadelir2020-drawn", "", 4, &[]),
    ("citadelir2020-played", "citadelir2020-played", "", 4, &[]),
    ("citadelir2024", "citadelir2024", "", 4, &[]),
];

/// Highest count of a figure that is taken.
const LIMIT: u64 = 8_000_000;

/// One measurement.
pub struct Row {
    name: String,
    nodes: u64,
    /// Positions a ply before the last, whose moves are counted in bulk.
    counted: u64,
    /// Millions of nodes a second of Husun and of each peer.
    ours: f64,
    peers: [Option<f64>; PEERS.len()],
    /// The median of the ratios of single rounds.
    ratios: [Option<f64>; PEERS.len()],
    /// Likewise, to our capablanca.
    relative: f64,
}

impl Row {
    /// Moves of a position a ply before the last.
    fn moves(&self) -> f64 {
        self.nodes as f64 / self.counted.max(1) as f64
    }

    /// Nanoseconds for each position a ply before the last: reached, and its moves counted.
    fn nanoseconds(&self) -> f64 {
        self.moves() / self.ours * 1000.0
    }
}

/// Our capablanca from the start, by which the other games are measured. It is counted before every single count of
/// theirs: on a shared machine the rate of one minute says little of the next.
struct Capablanca {
    start: Position,
}

impl Capablanca {
    const DEPTH: u32 = 5;

    fn new() -> Result<Capablanca> {
        let game = games::variant("capablanca").context("capablanca")?;
        Ok(Capablanca {
            start: game.start(),
        })
    }

    /// Its rate at this moment.
    fn rate(&self) -> f64 {
        let (count, time) = timed(|| self.start.perft(Capablanca::DEPTH));
        rate(count, time)
    }
}

/// The median of the ratios of single rounds.
fn ratio(ours: &[f64], others: &[f64]) -> f64 {
    median(ours.iter().zip(others).map(|(a, b)| a / b).collect())
}

/// Peers that are programs, where they are there.
pub struct Programs<'a> {
    /// The example `peer` built for the processor.
    pub libraries: Option<&'a Path>,
    /// Debian's Fairy-Stockfish.
    pub fairy: &'a Path,
    /// Another build of it.
    pub build: Option<&'a Path>,
}

impl Programs<'_> {
    /// In the order of [`PEERS`], none where a library is called.
    fn start(&self) -> Result<[Option<Program>; PEERS.len()]> {
        let start = |path: Option<&Path>, args: &[&str]| {
            let program = path.map(|path| Program::start(path, args)).transpose()?;
            anyhow::Ok(program.flatten())
        };
        Ok([
            None,
            start(self.libraries, &["cozy-chess"])?,
            None,
            start(self.libraries, &["shakmaty"])?,
            start(Some(self.fairy), &[])?,
            start(self.build, &[])?,
        ])
    }
}

/// All measurements, or those of the games whose id begins as given.
pub fn measure(rounds: usize, only: Option<&str>, programs: &Programs) -> Result<Vec<Row>> {
    let mut programs = programs.start()?;
    let capablanca = Capablanca::new()?;
    let mut rows = Vec::new();
    for case in CASES {
        if only.is_none_or(|o| case.1.starts_with(o)) {
            rows.push(beside_peers(rounds, case, &capablanca, &mut programs)?);
        }
    }
    for id in games::ids() {
        if only.is_none_or(|o| id.starts_with(o)) {
            rows.extend(from_play(rounds, id, &capablanca)?);
        }
    }
    Ok(rows)
}

fn beside_peers(
    rounds: usize,
    case: Case,
    capablanca: &Capablanca,
    programs: &mut [Option<Program>],
) -> Result<Row> {
    let (name, id, fen, depth, peers) = case;
    let game = games::variant(id).context(id)?;
    let position = match fen {
        "" => game.start(),
        fen => game.position(fen)?,
    };
    let fen = position.fen();
    let (mut yardstick, mut ours) = (Vec::new(), Vec::new());
    let mut theirs: [Vec<f64>; PEERS.len()] = Default::default();
    let mut nodes = 0;
    for _ in 0..rounds {
        yardstick.push(capablanca.rate());
        let (count, time) = timed(|| position.perft(depth));
        nodes = count;
        ours.push(rate(nodes, time));
        for &peer in peers {
            let (count, time) = match peer {
                0 => {
                    let board = peers::cozy_board(&fen)?;
                    timed(|| peers::cozy(&board, depth))
                }
                2 => {
                    let position = peers::shakmaty_position(&fen)?;
                    timed(|| shakmaty::perft(&position, depth))
                }
                _ => match &mut programs[peer] {
                    Some(program) => program.perft(id, &fen, depth)?,
                    None => continue,
                },
            };
            ensure!(
                count == nodes,
                "{name}: {} counts {count}, we {nodes}",
                PEERS[peer]
            );
            theirs[peer].push(rate(nodes, time));
        }
    }
    Ok(Row {
        name: name.into(),
        nodes,
        counted: position.perft(depth.saturating_sub(1)),
        ratios: std::array::from_fn(|peer| {
            (!theirs[peer].is_empty()).then(|| ratio(&ours, &theirs[peer]))
        }),
        relative: ratio(&ours, &yardstick),
        ours: median(ours),
        peers: theirs.map(|rates| (!rates.is_empty()).then(|| median(rates))),
    })
}

/// The positions from play of a game, each with the depth of the largest of its figures below the limit.
pub fn deepest(id: &str) -> Result<Vec<(String, u32)>> {
    let mut positions: Vec<(String, u32)> = Vec::new();
    for figure in figures(id, false)? {
        if figure.nodes > LIMIT {
            continue;
        }
        match positions.last_mut() {
            Some(last) if last.0 == figure.fen => last.1 = last.1.max(figure.depth),
            _ => positions.push((figure.fen, figure.depth)),
        }
    }
    Ok(positions)
}

/// The positions from play of a game, together: each at the deepest of its figures below the limit.
fn from_play(rounds: usize, id: &'static str, capablanca: &Capablanca) -> Result<Option<Row>> {
    let game = games::variant(id).context(id)?;
    let positions = deepest(id)?;
    let positions: Vec<(Position, u32)> = positions
        .into_iter()
        .map(|(fen, depth)| Ok((game.position(&fen)?, depth)))
        .collect::<Result<_>>()?;
    if positions.is_empty() {
        return Ok(None);
    }
    let (mut yardstick, mut ours) = (Vec::new(), Vec::new());
    let mut nodes = 0;
    for _ in 0..rounds {
        yardstick.push(capablanca.rate());
        let all = || positions.iter().map(|(p, depth)| p.perft(*depth)).sum();
        let (count, time) = timed(all);
        nodes = count;
        ours.push(rate(count, time));
    }
    let before = |(p, depth): &(Position, u32)| p.perft(depth.saturating_sub(1));
    Ok(Some(Row {
        name: format!("{id}, {} positions from play", positions.len()),
        nodes,
        counted: positions.iter().map(before).sum(),
        relative: ratio(&ours, &yardstick),
        ours: median(ours),
        peers: [None; PEERS.len()],
        ratios: [None; PEERS.len()],
    }))
}

/// As Markdown.
pub fn table(rows: &[Row]) -> String {
    let number =
        |x: Option<f64>, digits: usize| x.map_or(String::new(), |x| format!("{x:.digits$}"));
    let mut text = String::from(
        "## Perft\n\nMillions of nodes a second of processor time, one thread, last ply counted in bulk; how many \
         moves a position has a ply before the last, and how long Husun takes to reach one and to count its moves.\n\n\
         | perft | nodes | moves a position | ns a position | Husun |",
    );
    for prefix in ["", "x "] {
        for peer in PEERS {
            let _ = write!(text, " {prefix}{peer} |");
        }
    }
    let columns = " --: |".repeat(5 + 2 * PEERS.len());
    let _ = writeln!(text, " x our capablanca |\n| --- |{columns}");
    for row in rows {
        let _ = write!(
            text,
            "| {} | {} | {:.1} |",
            row.name,
            row.nodes,
            row.moves()
        );
        let _ = write!(text, " {:.0} | {:.0} |", row.nanoseconds(), row.ours);
        // Of the slow ones a digit more of the rate, of the fast ones one more of the ratio.
        for (peer, rate) in row.peers.iter().enumerate() {
            let _ = write!(text, " {} |", number(*rate, usize::from(peer >= FAIRIES)));
        }
        for (peer, ratio) in row.ratios.iter().enumerate() {
            let _ = write!(
                text,
                " {} |",
                number(*ratio, 2 - usize::from(peer >= FAIRIES))
            );
        }
        let _ = writeln!(text, " {:.2} |", row.relative);
    }
    text
}

/// As comma-separated values.
pub fn csv(rows: &[Row]) -> String {
    let mut text = String::from(
        "perft,nodes,husun,cozy_chess,cozy_chess_build,shakmaty,shakmaty_build,fairy_stockfish,fairy_stockfish_build\n",
    );
    for row in rows {
        let _ = write!(text, "\"{}\",{},{:.2}", row.name, row.nodes, row.ours);
        for peer in row.peers {
            let _ = write!(
                text,
                ",{}",
                peer.map_or(String::new(), |x| format!("{x:.2}"))
            );
        }
        text.push('\n');
    }
    text
}

/// As a picture.
pub fn plot(rows: &[Row]) -> String {
    let mut bars = Vec::new();
    for row in rows {
        let values = [Some(row.ours)].into_iter().chain(row.peers);
        for (color, value) in values.enumerate() {
            bars.extend(value.map(|value| Bar {
                label: if color == 0 {
                    row.name.clone()
                } else {
                    String::new()
                },
                value,
                color,
            }));
        }
    }
    let legend: Vec<&str> = ["Husun"].into_iter().chain(PEERS).collect();
    plot::bars(
        "Perft, millions of nodes a second, one thread",
        &legend,
        &bars,
    )
}
