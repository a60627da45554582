//! The lobby's state, step by step.

use super::state::{NoRoom, State, Waiting};
use crate::wire;
use husun::clock::TimeControl;
use play::Games;
use play::lobby::{Opponents, Strength, Wanted, Wish};
use play::rating::Speed;
use play::table::Person;
use std::collections::HashSet;
use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn waiting(id: &str, guest: &str, rating: i32) -> Result<Waiting, Box<dyn Error>> {
    let control: TimeControl = "fischer:5m+3s".parse()?;
    let mut strength = Strength::default();
    strength.insert("chess", Speed::Blitz, rating);
    Ok(Waiting {
        id: id.into(),
        person: Person {
            guest: guest.into(),
            name: guest.to_uppercase(),
            account: true,
            bot: false,
        },
        wish: Wish {
            games: vec![Wanted::Variant("chess".into())],
            clocks: vec![control],
            rated: true,
            side: None,
            range: None,
            opponents: Opponents::Anyone,
        },
        strength: Arc::new(strength),
        apart: Arc::default(),
        made_ms: 0,
        until_ms: 1_000_000,
        kept: false,
    })
}

fn shown(seek: &Waiting) -> wire::Seek {
    wire::Seek {
        id: seek.id.clone(),
        name: seek.person.name.clone(),
        account: false,
        bot: false,
        rating: None,
        games: Vec::new(),
        clocks: Vec::new(),
        rated: false,
        side: None,
        min_rating: None,
        max_rating: None,
        opponents: wire::Opponents::Anyone,
        made_ms: seek.made_ms,
    }
}

#[test]
fn the_nearest_is_paired_and_nobody_with_himself() -> Result<(), Box<dyn Error>> {
    let games = Games::default();
    let mut state = State::default();
    let add = |state: &mut State, seek| state.add(seek).map_err(|e| format!("{e:?}"));
    add(&mut state, waiting("far", "ann", 1900)?)?;
    add(&mut state, waiting("near", "bob", 1600)?)?;
    add(&mut state, waiting("later", "eve", 1600)?)?;
    let came = waiting("came", "joe", 1550)?;
    let best = |state: &State, came: &Waiting| state.best(came, &games).map(|(id, _)| id);
    assert_eq!(best(&state, &came).as_deref(), Some("near"));
    // Bob himself, and one who does not play with Bob, get the next.
    let own = waiting("own", "bob", 1550)?;
    assert_eq!(best(&state, &own).as_deref(), Some("later"));
    let apart = Waiting {
        apart: Arc::new(HashSet::from(["bob".into()])),
        ..came.clone()
    };
    assert_eq!(best(&state, &apart).as_deref(), Some("later"));
    state.keep_apart("eve", "joe");
    assert_eq!(best(&state, &apart).as_deref(), Some("far"));
    assert!(state.remove("far").is_some() && state.remove("far").is_none());
    assert_eq!(best(&state, &apart), None);
    Ok(())
}

#[test]
fn who_has_gone_does_not_wait() -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    let at = |s| start + Duration::from_secs(s);
    let mut state = State::default();
    for seek in [waiting("one", "ann", 1500)?, waiting("two", "bob", 1500)?] {
        state.add(seek).map_err(|e| format!("{e:?}"))?;
    }
    let kept = Waiting {
        kept: true,
        until_ms: 50,
        ..waiting("kept", "bob", 1500)?
    };
    state.add(kept).map_err(|e| format!("{e:?}"))?;
    let ids = |state: &State| -> Vec<String> {
        let list = state.list("ann", 1, shown).seeks;
        list.into_iter().map(|seek| seek.id).collect()
    };
    let ann = |guest: &str| guest == "ann";
    let nobody = |_: &str| false;
    // Bob never comes.
    state.sweep(at(1), 0, ann);
    state.sweep(at(15), 0, ann);
    assert_eq!(ids(&state), ["one", "two", "kept"], "he may come yet");
    state.sweep(at(16), 0, ann);
    assert_eq!(ids(&state), ["one", "kept"]);
    state.sweep(at(30), 0, nobody);
    state.sweep(at(40), 0, nobody);
    assert_eq!(ids(&state), ["one", "kept"], "her page is loaded anew");
    state.sweep(at(41), 0, ann);
    state.sweep(at(50), 0, nobody);
    state.sweep(at(64), 0, nobody);
    assert_eq!(ids(&state), ["one", "kept"], "she was here in between");
    state.sweep(at(65), 0, nobody);
    assert_eq!(ids(&state), ["kept"]);
    state.sweep(at(71), 50, nobody);
    assert!(ids(&state).is_empty());
    Ok(())
}

#[test]
fn whose_connection_was_down_is_told_what_began() -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    let at = |s| start + Duration::from_secs(s);
    let paired = |n: u64| wire::Paired {
        game: format!("game{n}"),
        side: wire::Side::White,
        opponent: "BOB".into(),
        name: "Chess".into(),
        clock: "fischer:5m+3s".into(),
    };
    let begun = |state: &State, guest: &str| -> Vec<String> {
        let list = state.list(guest, 1, shown).begun;
        list.into_iter().map(|paired| paired.game).collect()
    };
    let mut state = State::default();
    state.note_begun("ann", paired(1), at(0));
    state.note_begun("ann", paired(2), at(20));
    assert_eq!(begun(&state, "ann"), ["game1", "game2"]);
    assert!(begun(&state, "bob").is_empty());
    state.sweep(at(59), 0, |_| false);
    assert_eq!(begun(&state, "ann"), ["game1", "game2"]);
    state.sweep(at(60), 0, |_| false);
    assert_eq!(begun(&state, "ann"), ["game2"]);
    state.sweep(at(80), 0, |_| false);
    assert!(begun(&state, "ann").is_empty());
    for n in 0..100 {
        state.note_begun("ann", paired(n), at(80));
    }
    assert_eq!(begun(&state, "ann").len(), 8);
    Ok(())
}

#[test]
fn changes_add_up_to_the_list() -> Result<(), Box<dyn Error>> {
    let mut state = State::beginning_at(70);
    // Whoever knows another lobby sees that there is a gap.
    assert_eq!(state.change(0, shown).map(|change| change.n), Some(71));
    assert_eq!(state.change(0, shown), None);
    state
        .add(waiting("a", "ann", 1500)?)
        .map_err(|e| format!("{e:?}"))?;
    let list = state.list("ann", 1, shown);
    assert_eq!((list.n, list.own, list.here), (71, vec!["a".to_owned()], 1));
    let change = state.change(1, shown).ok_or("no change")?;
    assert_eq!((change.n, change.added.len(), change.here), (72, 1, 1));
    // One that comes and goes between is not told of.
    state
        .add(waiting("b", "bob", 1500)?)
        .map_err(|e| format!("{e:?}"))?;
    state.remove("b");
    state.remove("a");
    let change = state.change(1, shown).ok_or("no change")?;
    assert_eq!((change.n, change.gone), (73, vec!["a".to_owned()]));
    assert_eq!(state.change(1, shown), None);
    for n in 0..8 {
        let seek = waiting(&format!("s{n}"), "ann", 1500)?;
        state.add(seek).map_err(|e| format!("{e:?}"))?;
    }
    assert_eq!(state.add(waiting("more", "ann", 1500)?), Err(NoRoom::Own));
    assert_eq!(state.remove_present("ann").len(), 8);
    Ok(())
}
