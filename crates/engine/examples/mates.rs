//! `mates COUNT GAME..`: positions with a forced win in 2 to 4 moves, one a line as `game,"fen",moves`, found
//! by playing fast games and searching their ends exhaustively. Wins by any rule count, such as baring the
//! king; a side that may accept a draw is not lost.

use husun::{Position, Status};
use husun_engine::{Engine, Limits, Options};
use std::collections::HashSet;
use std::sync::atomic::AtomicBool;

/// Positions visited before a search is given up.
const LIMIT: u64 = 500_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [count, ids @ ..] = &args[..] else {
        return Err("usage: mates COUNT GAME..".into());
    };
    let count: usize = count.parse()?;
    for id in ids {
        let game = games::variant(id).ok_or("no such game")?;
        let mut engine = Engine::new(game.clone(), Options::default());
        let mut found: HashSet<String> = HashSet::new();
        for seed in 0..400_u64 {
            if found.len() >= count {
                break;
            }
            let line = play(&mut engine, game.start(), seed);
            let ends = line.len().saturating_sub(9);
            let mut own = 0;
            for position in line.iter().skip(ends) {
                if let Some(moves) = exact(position)
                    && moves >= 2
                    && own < 2
                    && found.len() < count
                    && found.insert(position.fen())
                {
                    own += 1;
                    println!("{id},\"{}\",{moves}", position.fen());
                }
            }
        }
    }
    Ok(())
}

/// A fast game whose second half is played out to the end.
fn play(engine: &mut Engine, start: Position, seed: u64) -> Vec<Position> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut line = vec![start];
    engine.clear();
    while let Some(position) = line.last() {
        if position.status() != Status::Ongoing || line.len() > 300 {
            break;
        }
        let moves = position.legal_moves();
        let m = if line.len() < 10 || next() % 7 == 0 {
            moves[(next() >> 20) as usize % moves.len()]
        } else {
            let stop = AtomicBool::new(false);
            let limits = Limits::nodes(400);
            match engine
                .search(position, &[], &limits, &stop, &mut |_| {})
                .best
            {
                Some(m) => m,
                None => break,
            }
        };
        let after = position.play_unchecked(m);
        line.push(after);
    }
    line
}

/// The least number of moves, up to 4, in which the side to move wins by force.
fn exact(position: &Position) -> Option<u32> {
    let mut nodes = 0;
    for moves in 1..=4 {
        match wins(position, moves, &mut nodes) {
            Some(true) => return Some(moves),
            Some(false) => {}
            None => return None,
        }
    }
    None
}

/// Whether the side to move wins within `moves` moves; none if that takes too long to find out.
fn wins(position: &Position, moves: u32, nodes: &mut u64) -> Option<bool> {
    let us = position.turn();
    for m in position.legal_moves() {
        *nodes += 1;
        if *nodes > LIMIT {
            return None;
        }
        let next = position.play_unchecked(m);
        let status = next.status();
        let won = match status {
            Status::Ongoing => loses(&next, moves - 1, nodes)?,
            _ => next.winner(status) == Some(us),
        };
        if won {
            return Some(true);
        }
    }
    Some(false)
}

/// Whether the side to move loses, whatever it does, within `moves` more moves of the other side.
fn loses(position: &Position, moves: u32, nodes: &mut u64) -> Option<bool> {
    let bared = position.variant().rules().endings.bare_king;
    if (moves == 0 && !bared) || (position.can_accept() && !position.in_check()) {
        return Some(false);
    }
    for m in position.legal_moves() {
        let next = position.play_unchecked(m);
        let status = next.status();
        let lost = match status {
            Status::Ongoing => moves > 0 && wins(&next, moves, nodes)?,
            _ => next.winner(status) == Some(next.turn()),
        };
        if !lost {
            return Some(false);
        }
    }
    Some(true)
}
