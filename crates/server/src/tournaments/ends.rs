//! Ends of games, which storage has noted with their last events, told to their tournaments.

use super::Tournaments;
use crate::refusal::Refused;
use play::tournament::GameResult;
use std::collections::HashMap;
use store::tournaments::EndedGame;

/// Ends of games taken at once.
const ENDS: u32 = 500;

impl Tournaments {
    /// Tells tournaments of their games that have ended.
    pub(super) async fn take_ends(&self) -> Result<(), Refused> {
        loop {
            let ended = self.inner.store.ended_games(ENDS).await?;
            if ended.is_empty() {
                return Ok(());
            }
            let full = ended.len() as u32 == ENDS;
            let mut by_tournament: HashMap<String, Vec<EndedGame>> = HashMap::new();
            for game in ended {
                by_tournament
                    .entry(game.tournament.clone())
                    .or_default()
                    .push(game);
            }
            for (id, games) in by_tournament {
                self.take_ends_of(&id, games).await?;
            }
            if !full {
                return Ok(());
            }
        }
    }

    async fn take_ends_of(&self, id: &str, games: Vec<EndedGame>) -> Result<(), Refused> {
        let live = self.live().get(id).cloned();
        let mut results: Vec<(String, GameResult)> = Vec::new();
        for game in &games {
            match serde_json::from_str(&game.body) {
                Ok(result) if live.is_some() => results.push((game.game.clone(), result)),
                Ok(_) => self.inner.store.drop_ended(&game.game).await?,
                Err(error) => {
                    tracing::error!(game = game.game, %error, "the end of a game cannot be read");
                    self.inner.store.drop_ended(&game.game).await?;
                }
            }
        }
        let Some(live) = live.filter(|_| !results.is_empty()) else {
            return Ok(());
        };
        let known = results.iter().map(|(game, _)| game.clone()).collect();
        self.change(&live, known, |tournament| {
            let events = results.iter();
            Ok(events
                .filter_map(|(game, result)| tournament.end_of(game, result.clone()))
                .collect())
        })
        .await
    }
}
