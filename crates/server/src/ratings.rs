//! Ratings change when a game that counts is over. Such games are noted in storage with their last event; one task
//! takes them off, one after another, in the commit that changes both ratings, where the node runs that leads. What is
//! interrupted goes on after a restart, and no game counts twice.

use crate::leading::{self, Wake};
use crate::refusal::Refused;
use crate::services::{Services, wall_ms};
use ::engine::Level;
use play::lobby::Strength;
use play::rating::{RatedGame, Rating, Speed, level_of, rated};
use std::sync::Arc;
use std::time::Duration;
use store::StoreError;
use store::ratings::{Ranked, RatedRow, RatingRow, RatingStore, ToRate};

/// Games taken at once.
const BATCH: u32 = 100;
/// How often it is looked whether games wait that nobody has told of.
const LOOK: Duration = Duration::from_secs(60);
/// Pause after the storage has failed.
const AGAIN: Duration = Duration::from_secs(1);
/// Games of a graph at most.
const HISTORY: u32 = 500;
/// People in a list of the best.
const BEST: u32 = 100;

/// All ratings.
#[derive(Clone, Debug)]
pub struct Ratings {
    store: Arc<dyn RatingStore>,
    waits: Arc<Wake>,
}

impl Ratings {
    /// Ratings in a storage.
    pub fn new(store: Arc<dyn RatingStore>) -> Ratings {
        Ratings {
            store,
            waits: Wake::new("ratings"),
        }
    }

    /// A game waits.
    pub fn notice(&self) {
        self.waits.wake();
    }

    /// Rates what waits for as long as this node leads, whenever it does.
    pub async fn follow(self, services: Arc<Services>) {
        let _heard = self.waits.follow(&services).await;
        leading::while_leading(services, || self.rate_ever()).await;
    }

    async fn rate_ever(&self) {
        loop {
            match self.rate_all().await {
                Ok(()) => self.waits.wait(LOOK).await,
                Err(error) => {
                    tracing::error!(%error, "games wait to be rated");
                    tokio::time::sleep(AGAIN).await;
                }
            }
        }
    }

    /// Rates what waits now.
    pub async fn rate_all(&self) -> Result<(), StoreError> {
        loop {
            let games = self.store.to_rate(BATCH).await?;
            if games.is_empty() {
                return Ok(());
            }
            for game in games {
                match self.rate(&game).await {
                    // One that can never be rated does not hold up the others.
                    Err(error) if !error.is_passing() => {
                        tracing::error!(game = game.game, %error, "a game cannot be rated");
                        self.store.leave_unrated(&game.game).await?;
                    }
                    rated => rated?,
                }
            }
        }
    }

    async fn rate(&self, waiting: &ToRate) -> Result<(), StoreError> {
        let game: RatedGame = match serde_json::from_str(&waiting.body) {
            Ok(game) => game,
            Err(error) => {
                tracing::error!(game = waiting.game, %error, "a game cannot be rated");
                return self.store.leave_unrated(&waiting.game).await;
            }
        };
        let now_ms = wall_ms();
        let (white, black) = (
            self.kept(&game.players.white, &game, now_ms).await?,
            self.kept(&game.players.black, &game, now_ms).await?,
        );
        let after = rated(&white.0, &black.0, game.score(), now_ms);
        let before = [white, black];
        let people = [&game.players.white, &game.players.black];
        let row = |n: usize| RatingRow {
            person: people[n].clone(),
            variant: game.variant.clone(),
            speed: game.speed.name().into(),
            rating: after[n].rating,
            deviation: after[n].deviation,
            volatility: after[n].volatility,
            at_ms: now_ms,
            games: before[n].1 + 1,
        };
        let change = |n: usize| RatedRow {
            game: waiting.game.clone(),
            person: people[n].clone(),
            variant: game.variant.clone(),
            speed: game.speed.name().into(),
            at_ms: now_ms,
            before: before[n].0.rating,
            after: after[n].rating,
            deviation: after[n].deviation,
        };
        let (rows, changes) = ([row(0), row(1)], [change(0), change(1)]);
        if self.store.rate(&waiting.game, &rows, &changes).await? {
            metrics::counter!("husun_rated_total").increment(1);
        }
        Ok(())
    }

    /// A rating, or the one to begin with, and how many games have made it.
    async fn kept(
        &self,
        person: &str,
        game: &RatedGame,
        now_ms: i64,
    ) -> Result<(Rating, i64), StoreError> {
        let row = self.store.rating(person, &game.variant, game.speed.name());
        Ok(match row.await? {
            Some(row) => (rating_of(&row), row.games),
            None => (first(person, now_ms), 0),
        })
    }

    /// The rating of a person as it is now.
    pub async fn now(
        &self,
        person: &str,
        variant: &str,
        speed: Speed,
    ) -> Result<(Rating, i64), Refused> {
        let row = self.store.rating(person, variant, speed.name()).await?;
        let now_ms = wall_ms();
        Ok(match row {
            Some(row) => (rating_of(&row).at(now_ms), row.games),
            None => (first(person, now_ms), 0),
        })
    }

    /// All ratings of a person as they were set.
    pub async fn of(&self, person: &str) -> Result<Vec<RatingRow>, Refused> {
        Ok(self.store.ratings(person).await?)
    }

    /// All ratings of a person, or of a level of the engine, for one who looks for opponents.
    pub async fn strength(&self, id: &str) -> Result<Strength, Refused> {
        let mut strength = Strength::default();
        for row in self.of(id).await? {
            let speed = Speed::ALL.into_iter().find(|s| s.name() == row.speed);
            if let Some(speed) = speed {
                strength.insert(&row.variant, speed, row.rating.round() as i32);
            }
        }
        Ok(strength)
    }

    /// What a game has changed.
    pub async fn by(&self, game: &str) -> Result<Vec<RatedRow>, Refused> {
        Ok(self.store.changes_by(game).await?)
    }

    /// What games have changed, the newest first.
    pub async fn history(
        &self,
        person: &str,
        variant: &str,
        speed: Speed,
    ) -> Result<Vec<RatedRow>, Refused> {
        let rows = self.store.history(person, variant, speed.name(), HISTORY);
        Ok(rows.await?)
    }

    /// The best players whose ratings are not provisional.
    pub async fn best(&self, variant: &str, speed: Speed) -> Result<Vec<Ranked>, Refused> {
        let below = play::rating::PROVISIONAL;
        let rows = self.store.best(variant, speed.name(), below, BEST);
        Ok(rows.await?)
    }
}

/// A rating as it is reckoned with.
pub fn rating_of(row: &RatingRow) -> Rating {
    Rating {
        rating: row.rating,
        deviation: row.deviation,
        volatility: row.volatility,
        at_ms: row.at_ms,
    }
}

/// The rating that a person or a level of the engine begins with.
pub fn first(id: &str, at_ms: i64) -> Rating {
    match level_of(id).and_then(Level::new) {
        Some(level) => Rating::of_level(level.rating(), at_ms),
        None => Rating::new(at_ms),
    }
}
