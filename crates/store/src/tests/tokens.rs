//! The contract of programs' accounts and their tokens.

use super::accounts::account;
use super::ratings::{change, rating};
use super::{Tested, event, made, one};
use crate::accounts::{AccountStore, Registered};
use crate::tokens::*;
use crate::{GameWrite, SqlStore};

fn token(account: &str, name: &str, made_ms: i64) -> TokenRow {
    TokenRow {
        id: format!("{account} {name}"),
        digest: format!("{account} digest of {name}"),
        account: account.into(),
        name: name.into(),
        made_ms,
        used_ms: None,
    }
}

/// What both databases must do.
pub(super) async fn contract(store: &SqlStore, tag: &str) -> Tested {
    let new = account(tag, "robot");
    let robot = new.account.id.clone();
    assert_eq!(store.register(&new).await?, Registered::Made);
    // People have none.
    let first = token(&robot, "first", 1000);
    assert_eq!(store.keep_token(&first, 2).await?, TokenKept::NoBot);
    assert!(!store.make_bot(&format!("{tag}nobody")).await?);
    assert!(store.make_bot(&robot).await?);
    assert!(store.make_bot(&robot).await?, "and it stays");
    assert!(store.account(&robot).await?.ok_or("gone")?.bot);
    assert_eq!(store.keep_token(&first, 2).await?, TokenKept::Kept);
    let second = token(&robot, "second", 2000);
    assert_eq!(store.keep_token(&second, 2).await?, TokenKept::Kept);
    let third = token(&robot, "third", 3000);
    assert_eq!(store.keep_token(&third, 2).await?, TokenKept::Enough);
    let kept = store.tokens(&robot).await?;
    assert_eq!(kept, [first.clone(), second.clone()]);
    // What is shown finds the account, and its use is noted with both.
    store.touch_token(&first.id, 9000).await?;
    let (found, whose) = store.token(&first.digest).await?.ok_or("no token")?;
    assert_eq!((found.used_ms, whose.seen_ms), (Some(9000), 9000));
    assert_eq!((whose.id.as_str(), whose.bot), (robot.as_str(), true));
    assert_eq!(store.token(&third.digest).await?, None);
    // Only the owner takes one back.
    assert_eq!(store.remove_token("nobody", &first.id).await?, None);
    let gone = store.remove_token(&robot, &first.id).await?;
    assert_eq!(gone, Some(first.digest.clone()));
    assert_eq!(store.remove_token(&robot, &first.id).await?, None);
    assert_eq!(store.token(&first.digest).await?, None);
    // With the account they are gone, and told like its sessions.
    let ended = store.delete_account(&robot, "deleted", &[]).await?;
    assert_eq!(ended, [new.session.digest, second.digest.clone()]);
    assert_eq!(store.token(&second.digest).await?, None);
    assert_eq!(store.keep_token(&third, 2).await?, TokenKept::NoBot);
    who_has_played_rated_games_stays_what_he_is(store, tag).await
}

async fn who_has_played_rated_games_stays_what_he_is(store: &SqlStore, tag: &str) -> Tested {
    use crate::ratings::RatingStore;
    let (waits, played) = (account(tag, "waits"), account(tag, "played"));
    let mut ids = Vec::new();
    for new in [&waits, &played] {
        assert_eq!(store.register(new).await?, Registered::Made);
        ids.push(new.account.id.as_str());
    }
    // A game that is over counts from then on, rated or not yet.
    let game = format!("{tag}botsgame");
    one(store, made(&game)).await??;
    let end = GameWrite {
        game: game.clone(),
        events: vec![event(1)],
        over: true,
        to_rate: Some(format!("{{\"white\":\"{}\"}}", ids[0])),
        ..GameWrite::default()
    };
    one(store, end).await??;
    assert!(!store.make_bot(ids[0]).await?);
    assert!(store.make_bot(ids[1]).await?, "it is another's game");
    let last = account(tag, "last");
    assert_eq!(store.register(&last).await?, Registered::Made);
    let rows = [
        rating(ids[0], 1510.0, 300.0, 1),
        rating(&last.account.id, 1490.0, 300.0, 1),
    ];
    let changes = [
        change(&game, &rows[0], 1500.0),
        change(&game, &rows[1], 1500.0),
    ];
    assert!(store.rate(&game, &rows, &changes).await?);
    assert!(!store.make_bot(ids[0]).await?);
    assert!(!store.make_bot(&last.account.id).await?);
    Ok(())
}
