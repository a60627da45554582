//! A small engine for every game: alpha-beta over the tables of moves, written once for all widths of a set of squares.
//! Usage: `alpha-beta [GAME [DEPTH]]` plays a few moves against itself.

use husun::pos::Pos;
use husun::set::Set;
use husun::tables::Tables;
use husun::{Game, Kind, Move, PackedMove, Position, Status, Variant, VisitPosition};
use std::collections::HashMap;
use std::error::Error;
use std::sync::Arc;

const MATE: i32 = 30_000;

/// What each kind of piece is worth: as many centipawns as it has moves on an empty board, more or less.
fn worths(variant: &Variant) -> Vec<i32> {
    let of = |kind: Kind| {
        let squares = variant.frame().squares();
        let reach = squares.map(|s| variant.reach(husun::Side::White, kind, s, |_| None));
        let moves: usize = reach.map(|r| r.moves.len()).sum();
        30 + (40 * moves / variant.frame().len()) as i32
    };
    variant.kinds().map(of).collect()
}

/// Looks for the best move of a position; `Position::visit` tells at which width.
struct BestMove<'a> {
    worths: &'a [i32],
    depth: u32,
}

impl VisitPosition for BestMove<'_> {
    type Output = Option<Move>;

    fn visit<S: Set>(self, tables: &Arc<Tables<S>>, pos: &Pos<S>) -> Option<Move> {
        let mut search = Search {
            tables,
            worths: self.worths,
            known: HashMap::new(),
        };
        for depth in 1..=self.depth {
            search.negamax(pos, depth, -MATE, MATE);
        }
        // What a table remembers is a number until it is found among the legal moves.
        tables.unpack(pos, *search.known.get(&pos.key())?)
    }
}

struct Search<'a, S: Set> {
    tables: &'a Tables<S>,
    worths: &'a [i32],
    /// By key of a position: the best move found there.
    known: HashMap<u64, PackedMove>,
}

impl<S: Set> Search<'_, S> {
    fn material(&self, pos: &Pos<S>) -> i32 {
        let us = pos.turn();
        let mut sum = 0;
        for square in pos.occupied().iter() {
            if let Some((side, kind)) = pos.piece_on(square) {
                let worth = self.worths[kind.index()];
                sum += if side == us { worth } else { -worth };
            }
        }
        sum
    }

    fn negamax(&mut self, pos: &Pos<S>, depth: u32, mut alpha: i32, beta: i32) -> i32 {
        match self.tables.status(pos) {
            Status::Ongoing => {}
            Status::Checkmate => return -MATE + pos.fullmove() as i32,
            Status::Stalemate if self.tables.stalemate_wins() => return -MATE,
            Status::BareKing => return MATE,
            _ => return 0,
        }
        if depth == 0 {
            return self.material(pos);
        }
        let best_before = self.known.get(&pos.key()).copied();
        let mut moves = Vec::new();
        self.tables.legal_moves(pos, &mut moves);
        moves.sort_by_key(|&m| (Some(m.packed()) != best_before, !pos.is_noisy(m)));
        for m in moves {
            // Legal, since it was generated here.
            let next = self.tables.play_unchecked(pos, m);
            let score = -self.negamax(&next, depth - 1, -beta, -alpha);
            if score > alpha {
                alpha = score;
                self.known.insert(pos.key(), m.packed());
            }
            if alpha >= beta {
                break;
            }
        }
        alpha
    }
}

fn best_move(position: &Position, worths: &[i32], depth: u32) -> Option<Move> {
    position.visit(BestMove { worths, depth })
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let id = args.next().unwrap_or("chess".into());
    let depth = args.next().map_or(Ok(3), |d| d.parse())?;
    let variant = husun_games::Catalogue::default()
        .named(&id)
        .ok_or(format!("no game is called {id}"))?;
    let worths = worths(&variant);
    let mut game = Game::new(variant.start());
    while game.outcome().is_none() && game.moves().len() < 12 {
        let position = game.position();
        let m = best_move(position, &worths, depth).ok_or("no move was found")?;
        println!("{} {}", position.turn().name(), position.san(m)?);
        // A game checks every move, wherever it comes from.
        game.play(m)?;
    }
    println!("{}", game.position().fen());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_mates_in_one() -> Result<(), Box<dyn Error>> {
        let chess = husun_games::variant("chess").ok_or("no chess")?;
        let position = chess.position("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1")?;
        let m = best_move(&position, &worths(&chess), 2).ok_or("no move")?;
        assert_eq!(position.san(m)?, "Ra8#");
        Ok(())
    }
}
