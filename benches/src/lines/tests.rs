//! All methods beside rays walked square by square, and beside the library.

use super::*;
use husun::set::{Set, Words};
use husun::variant::AnyTables;

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
    let AnyTables::W128(tables) = game.tables() else {
        anyhow::bail!("80 squares take 128 bits");
    };
    for (scene, reached) in probes::<u128>(&board, 10_000) {
        let to = (!scene.own).first() as u8;
        let occupied = Words([scene.occupied.low(), scene.occupied.high()]);
        let set = if scene.rooks != 0 {
            tables.orthogonal_attacks(scene.rooks.first() as u8, occupied)
        } else {
            tables.diagonal_attacks(scene.bishops.first() as u8, occupied)
        };
        ensure!(set.has(to) == (reached == 1), "{scene:?}");
    }
    Ok(())
}
