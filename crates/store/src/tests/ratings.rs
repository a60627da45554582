//! The contract of ratings.

use super::{Tested, event, made, one};
use crate::ratings::*;
use crate::{GameWrite, SqlStore};

pub(super) fn rating(person: &str, rating: f64, deviation: f64, games: i64) -> RatingRow {
    RatingRow {
        person: person.into(),
        variant: "chess".into(),
        speed: "blitz".into(),
        rating,
        deviation,
        volatility: 0.06,
        at_ms: 1000 + games,
        games,
    }
}

pub(super) fn change(game: &str, row: &RatingRow, before: f64) -> RatedRow {
    RatedRow {
        game: game.into(),
        person: row.person.clone(),
        variant: row.variant.clone(),
        speed: row.speed.clone(),
        at_ms: row.at_ms,
        before,
        after: row.rating,
        deviation: row.deviation,
    }
}

/// What both databases must do.
pub(super) async fn contract(store: &SqlStore, tag: &str) -> Tested {
    let (game, ann, bob) = (
        format!("{tag}rated"),
        format!("{tag}rann"),
        format!("{tag}rbob"),
    );
    one(store, made(&game)).await??;
    let waits = |all: Vec<ToRate>| all.into_iter().any(|t| t.game == game);
    let end = GameWrite {
        game: game.clone(),
        events: vec![event(1)],
        over: true,
        to_rate: Some("{\"who\":'them'}".into()),
        ..GameWrite::default()
    };
    // An end that is refused leaves nothing to rate.
    let foreign = GameWrite {
        epoch: 7,
        ..end.clone()
    };
    assert!(one(store, foreign).await?.is_err());
    assert!(!waits(store.to_rate(1000).await?));
    one(store, end.clone()).await??;
    one(store, end.clone()).await??;
    assert!(waits(store.to_rate(1000).await?));
    assert_eq!(store.rating(&ann, "chess", "blitz").await?, None);
    let ratings = [
        rating(&ann, 1612.5, 250.25, 1),
        rating(&bob, 1387.5, 251.0, 1),
    ];
    let changes = [
        change(&game, &ratings[0], 1500.0),
        change(&game, &ratings[1], 1500.0),
    ];
    // Once, whoever asks at the same moment.
    let (first, second) = tokio::try_join!(
        store.rate(&game, &ratings, &changes),
        store.rate(&game, &ratings, &changes)
    )?;
    assert_eq!([first, second].iter().filter(|done| **done).count(), 1);
    assert!(!waits(store.to_rate(1000).await?));
    assert_eq!(
        store.rating(&ann, "chess", "blitz").await?,
        Some(ratings[0].clone())
    );
    assert_eq!(store.changes_by(&game).await?, changes);
    assert_eq!(
        store.history(&bob, "chess", "blitz", 10).await?,
        std::slice::from_ref(&changes[1])
    );
    // Another node has rated another game meanwhile: this one waits on, and neither rating changes.
    let other = format!("{tag}rated2");
    one(store, made(&other)).await??;
    let over = GameWrite {
        game: other.clone(),
        ..end.clone()
    };
    one(store, over).await??;
    let late = [
        rating(&ann, 1700.0, 200.0, 2),
        rating(&bob, 1300.0, 200.0, 1),
    ];
    let changes = [
        change(&other, &late[0], 1612.5),
        change(&other, &late[1], 1500.0),
    ];
    assert!(!store.rate(&other, &late, &changes).await?);
    assert_eq!(store.ratings(&ann).await?, ratings[..1]);
    assert!(
        store.to_rate(1000).await?.iter().any(|t| t.game == other),
        "it waits no more"
    );
    store.leave_unrated(&other).await?;
    // The same end again, whose answer was lost, does not bring it back.
    let again = one(store, end).await?;
    assert!(again.is_ok(), "{again:?}");
    assert!(!waits(store.to_rate(1000).await?));
    assert_eq!(store.ratings(&ann).await?.len(), 1);
    let best = store.best("chess", "blitz", 300.0, 1000).await?;
    let place = |person: &str| best.iter().position(|r| r.rating.person == person);
    assert!(place(&ann) < place(&bob) && place(&ann).is_some());
    let certain = store.best("chess", "blitz", 251.0, 1000).await?;
    assert!(certain.iter().all(|r| r.rating.person != bob));
    store.leave_unrated(&game).await?;
    assert!(!waits(store.to_rate(1000).await?));
    Ok(())
}
