//! The contract of tournaments.

use super::{Tested, made, one};
use crate::tournaments::*;
use crate::{GameWrite, SqlStore, StoreError};

/// What both databases must do.
pub(super) async fn contract(store: &SqlStore, tag: &str) -> Tested {
    let name = |text: &str| format!("{tag}{text}");
    let row = |id: &str, starts_ms: i64| TournamentRow {
        id: name(id),
        plan: "{\"name\":\"Autumn 'Cup'\"}".into(),
        maker: name("tmaker"),
        made_ms: 1000,
        starts_ms,
        phase: "open".into(),
        people: 0,
        ended_ms: None,
    };
    let (cup, open) = (row("cup", 5000), row("open", 4000));
    assert!(store.make_tournament(&cup, 2).await?);
    assert!(store.make_tournament(&open, 2).await?);
    assert!(
        !store.make_tournament(&row("third", 1), 2).await?,
        "two are open"
    );
    let ours = |all: Vec<TournamentRow>| -> Vec<String> {
        let all = all.into_iter().map(|row| row.id);
        all.filter(|id| id.starts_with(tag)).collect()
    };
    assert_eq!(ours(store.open_tournaments().await?), [&*open.id, &*cup.id]);
    assert_eq!(store.tournament(&cup.id).await?.as_ref(), Some(&cup));
    assert_eq!(store.tournament(&name("none")).await?, None);

    // The end of a game is noted with its last event, and waits for its tournament.
    let game = GameWrite {
        over: true,
        tournament: Some([cup.id.clone(), "{\"winner\":'?'}".into()]),
        ..made(&name("tgame"))
    };
    one(store, game.clone()).await??;
    one(store, game.clone()).await??;
    let waiting = async || -> Result<Vec<EndedGame>, StoreError> {
        let mut all = store.ended_games(1000).await?;
        all.retain(|ended| ended.game.starts_with(tag));
        Ok(all)
    };
    let ended = EndedGame {
        game: game.game.clone(),
        tournament: cup.id.clone(),
        body: "{\"winner\":'?'}".into(),
    };
    assert_eq!(waiting().await?, [ended]);

    // What has happened is noted once; another event at its number is refused, and with it all that came with it.
    let event = |seq: i64, body: &str| TournamentEvent {
        seq,
        wall_ms: 2000 + seq,
        body: body.into(),
    };
    let began = TournamentWrite {
        id: cup.id.clone(),
        events: vec![event(1, "{\"a\":1}"), event(2, "'b'")],
        phase: "running".into(),
        people: 1,
        ..TournamentWrite::default()
    };
    store.write_tournament(&began).await?;
    store.write_tournament(&began).await?;
    let other = TournamentWrite {
        events: vec![event(3, "c"), event(2, "other")],
        known: vec![game.game.clone()],
        people: 7,
        ..began.clone()
    };
    let refused = store.write_tournament(&other).await;
    assert!(
        matches!(refused, Err(StoreError::Conflict { seq: 2, .. })),
        "{refused:?}"
    );
    assert_eq!(store.tournament_events(&cup.id, 0).await?, began.events);
    let last = store.tournament_events(&cup.id, 1).await?;
    assert_eq!(last, began.events[1..]);
    assert_eq!(waiting().await?.len(), 1);
    let found = store.tournament(&cup.id).await?.ok_or("gone")?;
    assert_eq!((found.phase.as_str(), found.people), ("running", 1));

    let over = TournamentWrite {
        events: vec![event(3, "over")],
        known: vec![game.game.clone()],
        phase: "over".into(),
        ended_ms: Some(9000),
        titles: vec![TitleRow {
            person: name("tann"),
            tournament: cup.id.clone(),
            title: name("Tiger"),
            at_ms: 9000,
        }],
        ..began.clone()
    };
    store.write_tournament(&over).await?;
    store.write_tournament(&over).await?;
    assert!(waiting().await?.is_empty());
    assert_eq!(store.titles(&name("tann")).await?, over.titles);
    assert_eq!(
        store.holder(&name("Tiger")).await?.as_ref(),
        over.titles.first()
    );
    assert_eq!(ours(store.open_tournaments().await?), [&*open.id]);
    // Who comes late with what is known does not bring it back.
    let late = TournamentWrite {
        events: Vec::new(),
        known: vec![game.game.clone()],
        ..began.clone()
    };
    store.write_tournament(&late).await?;
    let found = store.tournament(&cup.id).await?.ok_or("gone")?;
    assert_eq!((found.phase.as_str(), found.ended_ms), ("over", Some(9000)));
    let now = store.tournaments_now().await?;
    assert!(now.contains(&(open.id.clone(), 0)), "{now:?}");
    assert!(now.iter().all(|(id, _)| *id != cup.id), "{now:?}");
    // One more can be made now.
    assert!(store.make_tournament(&row("third", 1), 2).await?);

    // What is over pages by key.
    for (id, starts_ms) in [("p1", 100), ("p2", 200), ("p3", 200)] {
        let past = TournamentRow {
            maker: name(id),
            ..row(id, starts_ms)
        };
        assert!(store.make_tournament(&past, 1).await?);
        let ends = TournamentWrite {
            id: past.id.clone(),
            events: vec![event(1, "off")],
            phase: "cancelled".into(),
            ended_ms: Some(starts_ms),
            ..TournamentWrite::default()
        };
        store.write_tournament(&ends).await?;
    }
    let page = store.past_tournaments((i64::MAX, ""), 1000).await?;
    assert_eq!(ours(page), ["cup", "p3", "p2", "p1"].map(name));
    let page = store.past_tournaments((200, &name("p3")), 2).await?;
    assert_eq!(ours(page).first(), Some(&name("p2")));

    let ids = [game.game.clone(), name("nowhere")];
    assert_eq!(store.games_made(&ids).await?, ids[..1]);
    one(
        store,
        GameWrite {
            game: name("stray"),
            tournament: Some([name("none"), "{}".into()]),
            ..made("")
        },
    )
    .await??;
    store.drop_ended(&name("stray")).await?;
    assert!(waiting().await?.is_empty());
    Ok(())
}
