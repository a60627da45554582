//! The contract of moderation: what is done stands in the log, and nothing that is not done.

use super::{Tested, event, events, made, one};
use crate::accounts::*;
use crate::moderation::*;
use crate::offers::{OfferRow, OfferStore};
use crate::votes::{Marks, VoteRow, VoteStore};
use crate::{SqlStore, Store};

fn act(what: &str, about: Option<&str>, at_ms: i64) -> ActRow {
    ActRow {
        at_ms,
        by_person: String::new(),
        act: what.into(),
        about: about.map(Into::into),
        detail: "detail 'quoted'".into(),
        reason: "because".into(),
    }
}

fn ban(id: &str, person: Option<&str>, made_ms: i64) -> BanRow {
    BanRow {
        id: id.into(),
        person: person.map(Into::into),
        addresses: person.is_none().then(|| "10.0.0.0/8".into()),
        kind: "play".into(),
        only_new: person.is_none(),
        reason: "rude".into(),
        by_person: String::new(),
        made_ms,
        until_ms: Some(made_ms + 1000),
        lifted_ms: None,
        resign: Resign::Wanted,
    }
}

/// What both databases must do.
pub(super) async fn contract(store: &SqlStore, tag: &str) -> Tested {
    let name = |text: &str| format!("{tag}{text}");
    let ann = name("mod-ann");
    register(store, &ann, &[&name("mann"), &name("mann2")]).await?;
    bans_hold_until_they_are_lifted(store, tag, &ann).await?;
    names_are_kept_for_a_while(store, tag, &ann).await?;
    reports_are_bounded_and_settled_once(store, tag, &ann).await?;
    announcements_end(store, tag).await?;
    a_vote_is_called_off(store, tag).await?;
    // A line of chat is gone from the storage, and the log says so.
    let game = name("mod-game");
    one(store, made(&game)).await??;
    one(store, events(&game, [1, 2])).await??;
    let removed = act("remove_chat", None, 40);
    assert!(store.rewrite_event(&game, 2, "gone", &removed).await?);
    assert!(!store.rewrite_event(&game, 3, "gone", &removed).await?);
    let stored = store.load(&game).await?.ok_or("no game")?;
    let bodies: Vec<&str> = stored.events.iter().map(|e| e.body.as_str()).collect();
    assert_eq!(bodies, [event(1).body.as_str(), "gone"]);
    // Moderators.
    let appointed = act("add_moderator", Some(&ann), 50);
    assert!(store.set_moderator(&ann, true, &appointed).await?);
    assert!(!store.set_moderator(&ann, true, &appointed).await?);
    assert!(store.moderators().await?.contains(&ann));
    // What was done to her, the last first; nothing that was refused.
    let log = store.log(Some(&ann), i64::MAX, 100).await?;
    let acts: Vec<&str> = log.iter().map(|entry| entry.act.act.as_str()).collect();
    assert_eq!(acts, ["add_moderator", "rename", "rename", "unban", "ban"]);
    assert!(log.windows(2).all(|pair| pair[0].no > pair[1].no));
    assert_eq!(log[0].act, appointed);
    let older = store.log(Some(&ann), log[1].no, 2).await?;
    assert_eq!(older, log[2..4]);
    let all = store.log(None, i64::MAX, 3).await?;
    assert_eq!((all.len(), all[0].no - all[2].no), (3, 2));
    let gone = act("remove_moderator", Some(&ann), 60);
    assert!(store.set_moderator(&ann, false, &gone).await?);
    assert!(!store.set_moderator(&ann, false, &gone).await?);
    Ok(())
}

async fn register(store: &SqlStore, id: &str, readings: &[&str]) -> Tested {
    let new = NewAccount {
        account: AccountRow {
            id: id.into(),
            name: "Ann_100".into(),
            password: None,
            recovery: "[]".into(),
            made_ms: 1,
            seen_ms: 1,
            deleted: false,
            bot: false,
        },
        readings: readings.iter().map(|r| (*r).into()).collect(),
        passkey: None,
        session: SessionRow {
            digest: format!("{id} session"),
            account: id.into(),
            agent: String::new(),
            made_ms: 1,
            seen_ms: 1,
        },
    };
    assert_eq!(store.register(&new).await?, Registered::Made);
    Ok(())
}

async fn bans_hold_until_they_are_lifted(store: &SqlStore, tag: &str, ann: &str) -> Tested {
    let name = |text: &str| format!("{tag}{text}");
    let mine = |rows: Vec<BanRow>| -> Vec<String> {
        let ids = rows.into_iter().map(|row| row.id);
        ids.filter(|id| id.starts_with(tag)).collect()
    };
    let (first, range) = (name("ban1"), name("ban2"));
    let of_ann = ban(&first, Some(ann), 10);
    let offer = OfferRow {
        id: name("mod-offer"),
        person: ann.into(),
        target: None,
        body: "{}".into(),
        made_ms: 1,
        until_ms: 1000,
        game: None,
        answer: None,
    };
    assert!(store.keep_offer(&offer, 5).await?);
    let ended = store.ban(&of_ann, true, &act("ban", Some(ann), 10)).await?;
    assert_eq!(ended, [format!("{ann} session")]);
    assert!(store.sessions(ann).await?.is_empty());
    assert_eq!(store.offer(&offer.id).await?, None);
    let of_range = ban(&range, None, 11);
    store.ban(&of_range, false, &act("ban", None, 11)).await?;
    assert_eq!(store.find_ban(&first).await?.as_ref(), Some(&of_ann));
    assert_eq!(mine(store.bans_in_force(500).await?), [&*first, &range]);
    assert_eq!(mine(store.bans_in_force(1010).await?), [&*range]);
    let newest = store.bans(None, 1000).await?;
    assert_eq!(mine(newest), [&*range, &first]);
    let before = Before {
        made_ms: 11,
        id: range.clone(),
    };
    assert_eq!(mine(store.bans(Some(&before), 1000).await?), [&*first]);
    store.resigned(&first).await?;
    let lift = act("unban", Some(ann), 20);
    assert_eq!(store.lift_bans(Lifted::Person(ann), 20, &lift).await?, 1);
    assert_eq!(store.lift_bans(Lifted::Person(ann), 21, &lift).await?, 0);
    let lifted = BanRow {
        lifted_ms: Some(20),
        resign: Resign::Done,
        ..of_ann
    };
    assert_eq!(store.bans_of(ann).await?, std::slice::from_ref(&lifted));
    assert!(!lifted.holds(21) && of_range.holds(21) && !of_range.holds(1011));
    let lift = act("unban", None, 22);
    assert_eq!(store.lift_bans(Lifted::One(&range), 22, &lift).await?, 1);
    assert!(mine(store.bans_in_force(23).await?).is_empty());
    Ok(())
}

async fn names_are_kept_for_a_while(store: &SqlStore, tag: &str, ann: &str) -> Tested {
    let name = |text: &str| format!("{tag}{text}");
    let (old, new) = ([name("mann"), name("mann2")], [name("mbea")]);
    let (old_digests, new_digests) = ([name("#mann"), name("#mann2")], [name("#mbea")]);
    let bea = NewName {
        account: ann,
        name: "Bea",
        readings: &new,
        digests: &new_digests,
        former: &old_digests,
        until_ms: 1000,
    };
    let renamed = act("rename", Some(ann), 30);
    assert!(store.rename(bea, &renamed).await?);
    let found = store.account_named(&new[0]).await?.ok_or("nobody")?;
    assert_eq!((found.id.as_str(), found.name.as_str()), (ann, "Bea"));
    assert_eq!(store.account_named(&old[0]).await?, None);
    assert_eq!(store.renamed().await?, [ann]);
    store.rename_told(ann).await?;
    assert!(store.renamed().await?.is_empty());
    // The name before leads to her still, and is nobody else's.
    let former = store.account_formerly(&old_digests[1], 999).await?;
    assert_eq!(former.map(|a| a.id).as_deref(), Some(ann));
    let other = name("mod-other");
    register(store, &other, &[&name("mother")]).await?;
    let taken = NewName {
        account: &other,
        name: "Ann",
        readings: &old,
        digests: &old_digests,
        former: &[name("#mother")],
        until_ms: 1000,
    };
    assert!(
        !store
            .rename(taken, &act("rename", Some(&other), 31))
            .await?
    );
    assert!(store.account_named(&name("mother")).await?.is_some());
    let found = store.accounts_like("MOD", "", 10).await?;
    assert!(found.iter().all(|a| a.name.to_lowercase().contains("mod")));
    // She may have it again.
    let back = NewName {
        name: "Ann_100",
        readings: &old,
        digests: &old_digests,
        former: &new_digests,
        ..bea
    };
    assert!(store.rename(back, &act("rename", Some(ann), 32)).await?);
    assert_eq!(store.free_names(1000).await?, 3);
    assert_eq!(store.account_formerly(&new_digests[0], 1).await?, None);
    assert_eq!(
        store.account_named(&old[1]).await?.map(|a| a.id).as_deref(),
        Some(ann)
    );
    // Signs of patterns are signs like others.
    for (text, there) in [("N_1", true), ("nn%1", false), ("x", false)] {
        let found = store.accounts_like(text, "", 1000).await?;
        assert_eq!(found.iter().any(|a| a.id == ann), there, "{text}");
    }
    let names = store.names_of(&[ann.into(), name("nobody")]).await?;
    assert_eq!(names, [(ann.to_owned(), "Ann_100".to_owned())]);
    Ok(())
}

async fn reports_are_bounded_and_settled_once(store: &SqlStore, tag: &str, ann: &str) -> Tested {
    let name = |text: &str| format!("{tag}{text}");
    let guest = name("mod-guest");
    let row = |id: &str, made_ms| ReportRow {
        id: name(id),
        by_person: guest.clone(),
        by_name: "Guest 12".into(),
        about: Some(ann.into()),
        about_name: None,
        game: Some("game".into()),
        line: Some(3),
        quoted: Some("a 'line'".into()),
        reason: "abuse".into(),
        text: "text".into(),
        made_ms,
        settled: None,
    };
    let open_before = store.open_reports().await?;
    let (first, second, third) = (
        row("report1", 100),
        row("report2", 200),
        row("report3", 300),
    );
    assert!(store.keep_report(&first, 2, 50).await?);
    assert!(store.keep_report(&second, 2, 50).await?);
    assert!(!store.keep_report(&third, 2, 50).await?, "two of a day");
    assert!(store.keep_report(&third, 2, 150).await?);
    assert_eq!(store.open_reports().await?, open_before + 3);
    assert_eq!(store.report(&first.id).await?.as_ref(), Some(&first));
    let settled = Settled {
        at_ms: 400,
        by_person: ann.into(),
        answer: "done".into(),
    };
    let done = act("settle", None, 400);
    assert!(store.settle(&second.id, &settled, &done).await?);
    assert!(!store.settle(&second.id, &settled, &done).await?);
    let mine = |rows: Vec<ReportRow>| -> Vec<String> {
        let ids = rows.into_iter().map(|row| row.id);
        ids.filter(|id| id.starts_with(tag)).collect()
    };
    let open = store.reports(true, None, 100).await?;
    assert_eq!(mine(open), [&*third.id, &first.id]);
    let before = Before {
        made_ms: 300,
        id: third.id.clone(),
    };
    let older = store.reports(true, Some(&before), 100).await?;
    assert_eq!(mine(older), [&*first.id]);
    let closed = store.reports(false, None, 1).await?;
    assert_eq!(closed[0].settled, Some(settled));
    for (person, role) in [(ann, Role::About), (&*guest, Role::By)] {
        let found = mine(store.reports_with(person, role, 2).await?);
        assert_eq!(found, [&*third.id, &second.id]);
    }
    Ok(())
}

/// A vote is called off with its entry in the log, or neither happens.
async fn a_vote_is_called_off(store: &SqlStore, tag: &str) -> Tested {
    let row = VoteRow {
        id: format!("{tag}unfair"),
        body: "{}".into(),
        caller: format!("{tag}mcaller"),
        made_ms: 1,
        closes_ms: 900,
        declared: None,
        off_ms: None,
    };
    assert!(store.call_vote(&row, [1, 1000]).await?);
    assert!(store.cast(&row.id, "ann", Marks::default(), 2).await?);
    let off = act("call_off_vote", None, 200);
    let before = store.log(None, i64::MAX, 1000).await?.len();
    assert!(store.call_off_vote(&row.id, 200, &off).await?);
    assert!(!store.call_off_vote(&row.id, 201, &off).await?);
    assert_eq!(store.log(None, i64::MAX, 1000).await?.len(), before + 1);
    assert_eq!(store.voters(&row.id).await?, 0);
    Ok(())
}

async fn announcements_end(store: &SqlStore, tag: &str) -> Tested {
    let row = AnnouncementRow {
        id: format!("{tag}announcement"),
        text: "We stop at noon".into(),
        from_ms: 100,
        until_ms: 900,
    };
    store.announce(&row, &act("announce", None, 50)).await?;
    assert!(store.announcements(899).await?.contains(&row));
    assert!(!store.announcements(900).await?.contains(&row));
    let end = act("end_announcement", None, 200);
    assert!(store.end_announcement(&row.id, 200, &end).await?);
    assert!(!store.end_announcement(&row.id, 201, &end).await?);
    assert!(!store.announcements(200).await?.contains(&row));
    Ok(())
}
