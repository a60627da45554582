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
    let (games, now) = (Games::default(), Instant::now());
    let mut state = State::default();
    let add = |state: &mut State, seek| state.add(seek, now).map_err(|e| format!("{e:?}"));
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
    state.enter("ann");
    state.enter("ann");
    for seek in [waiting("one", "ann", 1500)?, waiting("two", "bob", 1500)?] {
        state.add(seek, start).map_err(|e| format!("{e:?}"))?;
    }
    let kept = Waiting {
        kept: true,
        until_ms: 50,
        ..waiting("kept", "bob", 1500)?
    };
    state.add(kept, start).map_err(|e| format!("{e:?}"))?;
    let ids = |state: &State| -> Vec<String> {
        let list = state.list("ann", shown).seeks;
        list.into_iter().map(|seek| seek.id).collect()
    };
    // Bob never comes; one of Ann's two pages stays.
    state.leave("ann", at(1));
    state.sweep(at(20), 0);
    assert_eq!(ids(&state), ["one", "kept"]);
    state.leave("ann", at(30));
    state.sweep(at(40), 0);
    assert_eq!(ids(&state), ["one", "kept"], "her page is loaded anew");
    state.enter("ann");
    state.leave("ann", at(50));
    state.sweep(at(70), 0);
    assert_eq!(ids(&state), ["kept"]);
    state.sweep(at(71), 50);
    assert!(ids(&state).is_empty());
    Ok(())
}

#[test]
fn changes_add_up_to_the_list() -> Result<(), Box<dyn Error>> {
    let now = Instant::now();
    let mut state = State::default();
    assert_eq!(state.change(shown), None);
    state.enter("ann");
    state
        .add(waiting("a", "ann", 1500)?, now)
        .map_err(|e| format!("{e:?}"))?;
    let list = state.list("ann", shown);
    assert_eq!((list.n, list.own, list.here), (0, vec!["a".to_owned()], 1));
    let change = state.change(shown).ok_or("no change")?;
    assert_eq!((change.n, change.added.len(), change.here), (1, 1, 1));
    // One that comes and goes between is not told of.
    state
        .add(waiting("b", "bob", 1500)?, now)
        .map_err(|e| format!("{e:?}"))?;
    state.remove("b");
    state.remove("a");
    let change = state.change(shown).ok_or("no change")?;
    assert_eq!((change.n, change.gone), (2, vec!["a".to_owned()]));
    assert_eq!(state.change(shown), None);
    for n in 0..8 {
        let seek = waiting(&format!("s{n}"), "ann", 1500)?;
        state.add(seek, now).map_err(|e| format!("{e:?}"))?;
    }
    assert_eq!(
        state.add(waiting("more", "ann", 1500)?, now),
        Err(NoRoom::Own)
    );
    assert_eq!(state.remove_present("ann").len(), 8);
    Ok(())
}
