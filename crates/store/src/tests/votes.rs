//! The contract of votes.

use super::Tested;
use crate::votes::*;
use crate::{SqlStore, StoreError};

/// What both databases must do.
pub(super) async fn contract(store: &SqlStore, tag: &str) -> Tested {
    let name = |text: &str| format!("{tag}{text}");
    let row = |id: &str, caller: &str, closes_ms: i64| VoteRow {
        id: name(id),
        body: "{\"question\":\"Whose 'turn'?\"}".into(),
        caller: name(caller),
        made_ms: 1000,
        closes_ms,
        declared: None,
        off_ms: None,
    };
    let most = [2, 1000];
    let (late, soon) = (row("late", "vann", 9000), row("soon", "vann", 5000));
    assert!(store.call_vote(&late, most).await?);
    assert!(store.call_vote(&soon, most).await?);
    assert!(
        !store.call_vote(&row("third", "vann", 7000), most).await?,
        "two are open"
    );
    assert!(
        !store.call_vote(&row("full", "vbob", 7000), [2, 2]).await?,
        "as many as all may have"
    );
    let ours = |rows: Vec<VoteRow>| -> Vec<String> {
        let ids = rows.into_iter().map(|row| row.id);
        ids.filter(|id| id.starts_with(tag)).collect()
    };
    assert_eq!(ours(store.open_votes().await?), [&*soon.id, &*late.id]);
    assert_eq!(store.vote(&soon.id).await?.as_ref(), Some(&soon));
    assert_eq!(store.vote(&name("none")).await?, None);
    assert!(ours(store.past_votes((i64::MAX, ""), 50).await?).is_empty());

    ballots_are_taken_before_it_closes(store, tag, &soon.id).await?;

    // What is declared is counted from what is there then, once, and the ballots go.
    let count = |ballots: &[(Marks, i64)]| {
        let mut all: Vec<_> = ballots.iter().map(|(m, n)| (m.tick, m.cross, *n)).collect();
        all.sort();
        format!("{all:?}")
    };
    store.declare(&soon.id, 4999, &count).await?;
    let open = store.vote(&soon.id).await?.ok_or("gone")?;
    assert_eq!(open.declared, None, "not before it closes");
    assert!(ours(store.votes_to_declare(4999).await?).is_empty());
    assert_eq!(ours(store.votes_to_declare(5000).await?), [&*soon.id]);
    store.declare(&soon.id, 5000, &count).await?;
    store.declare(&soon.id, 5001, &|_| "again".into()).await?;
    let declared = store.vote(&soon.id).await?.and_then(|row| row.declared);
    let expected = "[(None, None, 1), (Some(0), Some(1), 2), (Some(1), None, 1)]";
    assert_eq!(declared.as_deref(), Some(expected));
    assert_eq!(store.ballot(&soon.id, &name("v1")).await?, None);
    assert_eq!(store.voters(&soon.id).await?, 0);
    // By a clock that is behind it is open still; what it takes would be counted nowhere.
    let marks = Marks::default();
    assert!(!store.cast(&soon.id, &name("v7"), marks, 4000).await?);
    assert_eq!(store.voters(&soon.id).await?, 0);
    assert!(ours(store.votes_to_declare(6000).await?).is_empty());

    // One that is called off takes nothing more, and another can be called in its place.
    assert!(store.cast(&late.id, &name("v1"), marks, 5500).await?);
    assert!(store.call_off(&late.id, 6000).await?);
    assert!(!store.call_off(&late.id, 6001).await?);
    assert!(!store.cast(&late.id, &name("v2"), marks, 6002).await?);
    assert_eq!(store.voters(&late.id).await?, 0);
    assert!(!store.call_off(&soon.id, 6000).await?, "it was declared");
    assert!(ours(store.open_votes().await?).is_empty());
    let past = ours(store.past_votes((i64::MAX, ""), 50).await?);
    assert_eq!(past, [&*late.id, &*soon.id]);
    let older = ours(store.past_votes((9000, &late.id), 50).await?);
    assert_eq!(older, [&*soon.id]);
    assert!(store.call_vote(&row("third", "vann", 7000), most).await?);
    Ok(())
}

async fn ballots_are_taken_before_it_closes(
    store: &SqlStore,
    tag: &str,
    vote: &str,
) -> Result<(), StoreError> {
    let name = |text: &str| format!("{tag}{text}");
    let marks = |tick, cross| Marks { tick, cross };
    for (person, tick, cross, at_ms) in [
        ("v1", Some(0), Some(1), 2000),
        ("v2", Some(1), Some(0), 2001),
        // In the place of the one before.
        ("v2", Some(0), Some(1), 2002),
        ("v3", Some(1), None, 2003),
        ("v4", None, None, 4999),
        ("v5", Some(0), None, 2005),
    ] {
        let voter = name(person);
        let taken = store.cast(vote, &voter, marks(tick, cross), at_ms);
        assert!(taken.await?, "{person}");
    }
    let (four, six) = (name("v4"), name("v6"));
    assert_eq!(store.voters(vote).await?, 5);
    assert!(!store.cast(vote, &six, marks(None, None), 5000).await?);
    assert!(!store.cast(vote, &four, marks(Some(1), None), 5000).await?);
    assert!(
        !store
            .cast(&name("none"), &six, marks(None, None), 1)
            .await?
    );
    assert_eq!(store.ballot(vote, &four).await?, Some(marks(None, None)));
    assert_eq!(store.ballot(vote, &six).await?, None);
    assert!(store.uncast(vote, &name("v5"), 2006).await?);
    assert!(!store.uncast(vote, &name("v5"), 2007).await?);
    assert!(!store.uncast(vote, &four, 5000).await?, "it is closed");
    let of = store.ballots_of(&name("v2")).await?;
    assert_eq!(of.len(), 1);
    assert_eq!((&*of[0].0.id, of[0].1), (vote, marks(Some(0), Some(1))));
    Ok(())
}
