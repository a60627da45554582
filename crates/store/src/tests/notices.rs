//! The contract of what notices need.

use super::accounts::account;
use super::{Tested, events, made, one};
use crate::accounts::{AccountStore, Ended, Registered};
use crate::notices::*;
use crate::tournaments::{TournamentRow, TournamentStore};
use crate::{Due, GameWrite, SqlStore};

fn push(person: &str, name: &str, session: &str, made_ms: i64) -> PushRow {
    PushRow {
        id: format!("{person} {name}"),
        person: person.into(),
        session: session.into(),
        endpoint: format!("https://push.example/{person}/{name}"),
        p256dh: "key".into(),
        auth: "secret".into(),
        agent: "Firefox 'on' Linux".into(),
        made_ms,
    }
}

/// What both databases must do.
pub(super) async fn contract(store: &SqlStore, tag: &str) -> Tested {
    wishes_and_browsers_are_the_accounts(store, tag).await?;
    addresses_are_confirmed_and_counted(store, tag).await?;
    warnings_are_taken_once(store, tag).await?;
    tournaments_are_announced_once(store, tag).await
}

async fn wishes_and_browsers_are_the_accounts(store: &SqlStore, tag: &str) -> Tested {
    let new = account(tag, "nora");
    let (nora, session) = (new.account.id.clone(), new.session.digest.clone());
    assert!(!store.keep_wishes(&nora, "{}").await?, "no account yet");
    let early = push(&nora, "early", &session, 1);
    assert!(!store.keep_push(&early, 3).await?, "no session yet");
    assert_eq!(store.register(&new).await?, Registered::Made);
    assert_eq!(store.wishes(&nora).await?, None);
    for body in ["{\"a\":'1'}", "{}"] {
        assert!(store.keep_wishes(&nora, body).await?);
        assert_eq!(store.wishes(&nora).await?.as_deref(), Some(body));
    }
    // The oldest gives way, and the same endpoint is the same browser.
    let rows: Vec<PushRow> = (1..=4)
        .map(|n| push(&nora, &n.to_string(), &session, n))
        .collect();
    for row in &rows {
        assert!(store.keep_push(row, 3).await?);
    }
    assert_eq!(store.pushes(&nora).await?, rows[1..]);
    let again = PushRow {
        id: format!("{nora} again"),
        made_ms: 9,
        ..rows[1].clone()
    };
    assert!(store.keep_push(&again, 3).await?);
    let expected = [rows[2].clone(), rows[3].clone(), again.clone()];
    assert_eq!(store.pushes(&nora).await?, expected);
    // One that works never fails too often.
    for worked in [false, true, false] {
        store.push_done(&again.id, worked, 2).await?;
    }
    assert_eq!(store.pushes(&nora).await?.len(), 3);
    store.push_done(&again.id, false, 2).await?;
    assert_eq!(store.pushes(&nora).await?, expected[..2]);
    assert!(!store.remove_push("another", &rows[2].id).await?);
    assert!(store.remove_push(&nora, &rows[2].id).await?);
    assert!(!store.remove_push(&nora, &rows[2].id).await?);
    // With its session a browser is told nothing more.
    store.end_sessions(&nora, Ended::One(&session)).await?;
    assert!(store.pushes(&nora).await?.is_empty());
    assert!(store.forget_pushes().await? >= 1);
    assert!(!store.keep_push(&rows[0], 3).await?);

    let gone = account(tag, "nick");
    assert_eq!(store.register(&gone).await?, Registered::Made);
    let nick = gone.account.id.clone();
    let own = push(&nick, "own", &gone.session.digest, 1);
    assert!(store.keep_push(&own, 3).await? && store.keep_wishes(&nick, "{}").await?);
    // A session is one account's alone.
    assert!(
        !store
            .keep_push(&push(&nora, "x", &gone.session.digest, 1), 3)
            .await?
    );
    let address = MailRow {
        person: nick.clone(),
        address: "nick@example.org".into(),
        digest: None,
        until_ms: 5,
    };
    assert!(store.keep_mail(&address).await?);
    store.delete_account(&nick, "deleted", &[]).await?;
    assert_eq!(store.wishes(&nick).await?, None);
    assert_eq!(store.mail(&nick).await?, None);
    assert!(store.pushes(&nick).await?.is_empty());
    assert!(!store.keep_wishes(&nick, "{}").await? && !store.keep_mail(&address).await?);
    Ok(())
}

async fn addresses_are_confirmed_and_counted(store: &SqlStore, tag: &str) -> Tested {
    let new = account(tag, "mary");
    assert_eq!(store.register(&new).await?, Registered::Made);
    let mary = new.account.id.clone();
    let row = |address: &str, word: &str| MailRow {
        person: mary.clone(),
        address: address.into(),
        digest: Some(format!("{tag} digest of {word}")),
        until_ms: 1000,
    };
    assert!(!store.count_mail(&mary, 1, 2).await?, "no address yet");
    let (first, second) = (row("mary@example.org", "a"), row("m'y@example.org", "b"));
    let digest = |row: &MailRow| row.digest.clone().unwrap_or_default();
    assert!(store.keep_mail(&first).await? && store.keep_mail(&second).await?);
    assert_eq!(store.mail(&mary).await?.as_ref(), Some(&second));
    assert!(
        !store.confirm_mail(&digest(&first), 1).await?,
        "it is another by now"
    );
    assert!(
        !store.confirm_mail(&digest(&second), 1000).await?,
        "too late"
    );
    assert!(store.confirm_mail(&digest(&second), 999).await?);
    assert!(!store.confirm_mail(&digest(&second), 999).await?, "used up");
    let confirmed = store.mail(&mary).await?.ok_or("gone")?;
    assert_eq!(
        (confirmed.digest, confirmed.address),
        (None, second.address)
    );
    // So many a day, whatever becomes of the address meanwhile.
    assert!(store.count_mail(&mary, 7, 2).await?);
    assert!(store.remove_mail(&mary).await?);
    assert!(!store.remove_mail(&mary).await?);
    assert_eq!(store.mail(&mary).await?, None);
    assert!(!store.count_mail(&mary, 7, 2).await?);
    assert!(store.keep_mail(&first).await?);
    assert!(store.count_mail(&mary, 7, 2).await?);
    assert!(!store.count_mail(&mary, 7, 2).await?, "two were sent");
    assert!(store.count_mail(&mary, 8, 2).await?);
    Ok(())
}

async fn warnings_are_taken_once(store: &SqlStore, tag: &str) -> Tested {
    let (game, other) = (format!("{tag}warn"), format!("{tag}warnover"));
    let ours = |rows: Vec<(String, i64)>| -> Vec<(String, i64)> {
        let rows = rows.into_iter();
        rows.filter(|(id, _)| id.starts_with(tag)).collect()
    };
    let warn = |game: &str, due: Due| GameWrite {
        warn: Some(due),
        ..events(game, [])
    };
    for id in [&game, &other] {
        one(store, made(id)).await??;
        one(store, warn(id, Due::At(500))).await??;
    }
    assert!(ours(store.warnings(499, 100).await?).is_empty());
    let due = [(game.clone(), 500), (other.clone(), 500)];
    assert_eq!(ours(store.warnings(500, 100).await?), due);
    // A move came between: what was due before is not taken.
    one(store, warn(&game, Due::At(600))).await??;
    assert!(!store.take_warning(&game, 500, 3).await?);
    assert!(store.take_warning(&game, 600, 3).await?);
    assert!(!store.take_warning(&game, 600, 3).await?);
    // The same half-move is not told again, whoever sets it.
    one(store, warn(&game, Due::At(700))).await??;
    assert!(!store.take_warning(&game, 700, 3).await?);
    assert!(
        ours(store.warnings(700, 100).await?)
            .iter()
            .all(|(id, _)| *id != game)
    );
    one(store, warn(&game, Due::At(800))).await??;
    assert!(store.take_warning(&game, 800, 5).await?);
    // A game that is over, one that says never, and one that another owns warn nobody.
    one(store, warn(&game, Due::At(900))).await??;
    one(store, warn(&game, Due::Never)).await??;
    let end = GameWrite {
        over: true,
        ..events(&other, [1])
    };
    one(store, end).await??;
    assert!(ours(store.warnings(9000, 100).await?).is_empty());
    let foreign = GameWrite {
        epoch: 99,
        ..warn(&game, Due::At(900))
    };
    let _ = one(store, foreign).await?;
    assert!(ours(store.warnings(9000, 100).await?).is_empty());
    Ok(())
}

async fn tournaments_are_announced_once(store: &SqlStore, tag: &str) -> Tested {
    let row = TournamentRow {
        id: format!("{tag}soon"),
        plan: "{}".into(),
        maker: format!("{tag}maker of one"),
        made_ms: 1,
        starts_ms: 2,
        phase: "open".into(),
        people: 0,
        ended_ms: None,
    };
    assert!(!store.announce_tournament(&row.id).await?);
    assert!(store.make_tournament(&row, 5).await?);
    assert!(store.announce_tournament(&row.id).await?);
    assert!(!store.announce_tournament(&row.id).await?);
    Ok(())
}
