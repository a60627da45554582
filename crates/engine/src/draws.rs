//! Draws by agreement.

/// Whether the engine takes a draw after so many half-moves, given what it last thought of its position in
/// centipawns for its own side; `None` if it has not thought yet.
///
/// ```
/// assert!(!husun_engine::agrees_to_draw(Some(-20), 10));
/// assert!(husun_engine::agrees_to_draw(Some(-20), 100));
/// ```
pub fn agrees_to_draw(score: Option<i32>, ply: usize) -> bool {
    // The longer the game, the less it hopes for.
    let enough = match ply {
        0..20 => -150,
        20..80 => -30,
        _ => 15,
    };
    score.is_some_and(|score| score <= enough)
}
