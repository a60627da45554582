//! What a game remembers when moves are taken back.

use husun::{Game, Reason};
use std::error::Error;

#[test]
fn a_draw_is_remembered_behind_moves_made_past_it() -> Result<(), Box<dyn Error>> {
    let chess = husun_games::variant("chess").ok_or("no chess")?;
    let mut game = Game::new(chess.start());
    for text in ["g1f3", "g8f6", "f3g1", "f6g8"].repeat(2) {
        game.play(game.position().parse_uci(text)?)?;
    }
    let drawn = game.outcome();
    assert_eq!(drawn.map(|o| o.reason), Some(Reason::Repetition));
    game.play_on(game.position().parse_uci("e2e4")?)?;
    assert_eq!(game.outcome(), None);
    game.take_back()?;
    assert_eq!(game.outcome(), drawn);
    game.take_back()?;
    assert_eq!(game.outcome(), None);
    Ok(())
}
