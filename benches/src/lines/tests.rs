//! All methods beside rays walked square by square, and beside the library.

use super::*;
use husun::set::Set;
use husun::tables::Tables;
use husun::{Frame, VisitTables};
use std::sync::Arc;

#[test]
fn methods_agree() -> Result<()> {
    let board = Board::new(8, 8);
    let methods = methods::<u64, 8, 1, false>(&board)?;
    check(&board, &methods, &scenes(&board, "chess", 50)?)?;
    let board = Board::new(10, 10);
    let methods = super::methods::<u128, 10, 2, true>(&board)?;
    check(&board, &methods, &scenes(&board, "grand", 50)?)
}

#[test]
fn library_agrees() -> Result<()> {
    let board = Board::new(10, 8);
    let game = games::variant("capablanca").context("no such game")?;
    game.visit(Agree(&board, game.frame()))
}

/// Compares what sliders reach.
struct Agree<'a>(&'a Board, &'a Frame);

impl VisitTables for Agree<'_> {
    type Output = Result<()>;

    fn visit<S: Set>(self, tables: &Arc<Tables<S>>) -> Result<()> {
        let square = |i: usize| self.1.square(i).context("no such square");
        for (scene, reached) in probes::<u128>(self.0, 10_000) {
            let words = [scene.occupied.low(), scene.occupied.high(), 0];
            let occupied = S::from_words(|i| words[i]);
            let set = if scene.rooks != 0 {
                tables.orthogonal_attacks(square(scene.rooks.first())?, occupied)
            } else {
                tables.diagonal_attacks(square(scene.bishops.first())?, occupied)
            };
            let to = square((!scene.own).first())?;
            ensure!(set.has(to) == (reached == 1), "{scene:?}");
        }
        Ok(())
    }
}
