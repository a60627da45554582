//! A finished game in searchable form: who played what, how it ended, and a number for every position that it reached.

use crate::Both;
use crate::rating::{Speed, engine_id};
use crate::table::Table;
use husun::{Game, Reason, Side};
use sha2::{Digest, Sha256};

/// Stands for the speed of a game without a clock.
pub const UNTIMED: &str = "none";

/// A finished game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// Name under which the variant is stored.
    pub variant: String,
    /// Ids of accounts and guests, or the id of a level of the engine.
    pub players: Both<String>,
    /// Who has won; nobody after a draw.
    pub winner: Option<Side>,
    /// Why it ended.
    pub ending: Reason,
    /// Half-moves played.
    pub plies: usize,
    /// Whether it counts for ratings.
    pub rated: bool,
    /// Class of its clock; none without one.
    pub speed: Option<Speed>,
    /// Whether it is shown to everyone.
    pub open: bool,
}

impl Finished {
    /// Class of its clock as it is stored.
    pub fn speed_name(&self) -> &'static str {
        self.speed.map_or(UNTIMED, Speed::name)
    }
}

impl Table {
    /// The game in searchable form, if it is over with a result.
    pub fn finished(&self) -> Option<Finished> {
        let outcome = self.outcome().filter(|_| self.is_over())?;
        Some(Finished {
            variant: self.variant_name()?,
            players: Both {
                white: self.player_id(Side::White)?,
                black: self.player_id(Side::Black)?,
            },
            winner: outcome.winner,
            ending: outcome.reason,
            plies: self.ply(),
            rated: self.spec().rated,
            speed: Speed::of(&self.spec().control),
            open: self.is_public(),
        })
    }

    /// Id of the account or guest at a side, or that of a level of the engine.
    pub fn player_id(&self, side: Side) -> Option<String> {
        match (self.level(side), self.person(side)) {
            (Some(level), _) => Some(engine_id(level)),
            (None, person) => person.map(|p| p.guest.clone()),
        }
    }

    /// The number of each position that the game reached ([`position_key`]), the start first. Moves that were taken
    /// back do not count.
    pub fn position_keys(&self) -> Vec<i64> {
        let Some(variant) = self.variant_name() else {
            return Vec::new();
        };
        let start = self.game().map(|game| Game::start(game).fen());
        let played = self.played().iter().map(|played| played.fen.as_str());
        let texts = start.as_deref().into_iter().chain(played);
        texts.map(|text| position_key(&variant, text)).collect()
    }
}

/// A number for a position of a variant, the same in all versions: the first eight bytes of the SHA-256 of the
/// variant's stored name, a line feed and the position text without its two counters. Positions of a user's own game
/// and of a built-in one are never the same, whatever they look like.
///
/// ```
/// use play::archive::position_key;
/// let text = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
/// let later = "4k3/8/8/8/8/8/8/4K2R w K - 17 40";
/// assert_eq!(position_key("chess", text), position_key("chess", later));
/// assert_ne!(position_key("chess", text), position_key("chess_0f1e2d3c4b5a6978", text));
/// ```
pub fn position_key(variant: &str, fen: &str) -> i64 {
    let counters = fen.rmatch_indices(' ').nth(1).map(|(at, _)| at);
    let text = fen.get(..counters.unwrap_or(fen.len())).unwrap_or(fen);
    let mut sum = Sha256::new();
    sum.update(variant);
    sum.update("\n");
    sum.update(text);
    let sum = sum.finalize();
    let first = sum.iter().take(8);
    first.fold(0_i64, |key, &byte| key << 8 | i64::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number is stored: it must never change.
    #[test]
    fn the_key_of_a_position_is_the_same_for_ever() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        // By `printf "chess\n... w KQkq -" | sha256sum`.
        assert_eq!(position_key("chess", start), 50_759_725_857_330_117);
        assert_ne!(
            position_key("chess", start),
            position_key("chess", &start.replace(" w ", " b "))
        );
    }
}
