//! Single operations: making moves, checks, attacks, texts; sizes and load times.

use crate::stats::{median, rate, timed};
use anyhow::{Context, Result};
use husun::moves::Move;
use husun::pos::Pos;
use husun::set::Set;
use husun::tables::Tables;
use husun::{Position, Variant, VisitTables};
use std::fmt::Write;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

const GAMES: [&str; 6] = [
    "chess",
    "capablanca",
    "grand",
    "citadel9",
    "strike100",
    "citadelir2020",
];
/// Positions of random play that each operation is run on.
const POSITIONS: usize = 300;

/// Time to load each game, once each: call this before anything else loads one.
pub fn loading() -> Result<Vec<(&'static str, Duration)>> {
    games::ids()
        .map(|id| {
            let (game, time) = timed(|| games::variant(id));
            game.context(id)?;
            Ok((id, time))
        })
        .collect()
}

/// The first of random play, the same each time.
pub fn positions(game: &std::sync::Arc<Variant>, number: usize) -> Vec<Position> {
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut position = game.start();
    let mut all = Vec::new();
    while all.len() < number {
        let moves = position.legal_moves();
        if moves.is_empty() || position.fullmove() > 60 {
            position = game.start();
            continue;
        }
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        position = position.play_unchecked(moves[(seed % moves.len() as u64) as usize]);
        all.push(position.clone());
    }
    all
}

/// Millions a second of making moves, listing moves, checks, and attackers of a square.
fn at_width<S: Set>(rounds: usize, t: &Tables<S>, all: &[Pos<S>]) -> [f64; 4] {
    let mut rates: [Vec<f64>; 4] = Default::default();
    let lists: Vec<Vec<Move>> = all
        .iter()
        .map(|p| {
            let mut moves = Vec::new();
            t.legal_moves(p, &mut moves);
            moves
        })
        .collect();
    for _ in 0..rounds {
        let (n, time) = timed(|| {
            let mut n = 0;
            for (p, moves) in all.iter().zip(&lists) {
                for &m in moves {
                    black_box(t.play_unchecked(p, m));
                    n += 1;
                }
            }
            n
        });
        rates[0].push(rate(n, time));
        let (n, time) = timed(|| {
            let mut moves = Vec::new();
            let mut n = 0;
            for p in all.iter().cycle().take(20 * all.len()) {
                moves.clear();
                t.legal_moves(p, &mut moves);
                n += black_box(&moves).len() as u64;
            }
            n
        });
        rates[1].push(rate(n, time));
        let (n, time) = timed(|| {
            let mut n = 0;
            for p in all.iter().cycle().take(100 * all.len()) {
                black_box(t.in_check(black_box(p), p.turn()));
                n += 1;
            }
            n
        });
        rates[2].push(rate(n, time));
        let (n, time) = timed(|| {
            let mut n = 0;
            for p in all {
                for square in t.board().iter() {
                    black_box(t.attackers(p, square, p.occupied()));
                    n += 1;
                }
            }
            n
        });
        rates[3].push(rate(n, time));
    }
    rates.map(median)
}

/// Rates, and the bytes of a position and of the tables.
struct OfGame<'a> {
    rounds: usize,
    all: &'a [Position],
}

impl VisitTables for OfGame<'_> {
    type Output = ([f64; 4], usize, usize);

    fn visit<S: Set>(self, tables: &Arc<Tables<S>>) -> Self::Output {
        let all: Vec<Pos<S>> = self
            .all
            .iter()
            .filter_map(|p| p.at_width().copied())
            .collect();
        let rates = at_width(self.rounds, tables, &all);
        (rates, size_of::<Pos<S>>(), tables.bytes())
    }
}

/// Thousands a second of position text read, written, moves written in SAN and read.
fn texts(rounds: usize, game: &std::sync::Arc<Variant>, all: &[Position]) -> Result<[f64; 4]> {
    let fens: Vec<String> = all.iter().map(Position::fen).collect();
    let moves: Vec<Option<Move>> = all
        .iter()
        .map(|p| p.legal_moves().first().copied())
        .collect();
    let named: Vec<(&Position, Move)> = all
        .iter()
        .zip(moves)
        .filter_map(|(p, m)| m.map(|m| (p, m)))
        .collect();
    let sans: Vec<String> = named.iter().filter_map(|(p, m)| p.san(*m).ok()).collect();
    let mut rates: [Vec<f64>; 4] = Default::default();
    for _ in 0..rounds {
        let (read, time) = timed(|| fens.iter().filter(|f| game.position(f).is_ok()).count());
        rates[0].push(1000.0 * rate(read as u64, time));
        let ((), time) = timed(|| all.iter().for_each(|p| drop(black_box(p.fen()))));
        rates[1].push(1000.0 * rate(all.len() as u64, time));
        let ((), time) = timed(|| named.iter().for_each(|(p, m)| drop(black_box(p.san(*m)))));
        rates[2].push(1000.0 * rate(named.len() as u64, time));
        let pairs = named.iter().zip(&sans);
        let (read, time) = timed(|| pairs.filter(|((p, _), s)| p.parse_san(s).is_ok()).count());
        rates[3].push(1000.0 * rate(read as u64, time));
    }
    Ok(rates.map(median))
}

/// All of it as Markdown.
pub fn table(rounds: usize, loading: &[(&str, Duration)]) -> Result<String> {
    let mut text = String::from(
        "## Single operations\n\nPositions of random play, one thread. `listed` counts moves; `attackers` is \
         all pieces of both sides that attack a square.\n\n\
         | game | moves made, M/s | listed, M/s | in_check, M/s | attackers, M/s | FEN read, k/s | FEN written, k/s \
         | SAN written, k/s | SAN read, k/s | bytes of a position | bytes of the tables | loaded in, ms |\n\
         | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |\n",
    );
    for id in GAMES {
        let game = games::variant(id).context(id)?;
        let all = positions(&game, POSITIONS);
        let ([made, listed, checks, attackers], bytes, tables) =
            game.visit(OfGame { rounds, all: &all });
        let [read, written, san, parsed] = texts(rounds, &game, &all)?;
        let load = loading
            .iter()
            .find(|l| l.0 == id)
            .map_or(Duration::ZERO, |l| l.1);
        let _ = writeln!(
            text,
            "| {id} | {made:.0} | {listed:.0} | {checks:.0} | {attackers:.1} | {read:.0} | {written:.0} \
             | {san:.0} | {parsed:.0} | {bytes} | {tables} | {:.1} |",
            1000.0 * load.as_secs_f64()
        );
    }
    let all: Duration = loading.iter().map(|l| l.1).sum();
    let _ = writeln!(
        text,
        "\nAll {} games load in {:.0} ms.",
        loading.len(),
        1000.0 * all.as_secs_f64()
    );
    Ok(text)
}
