//! What moderation does to a game: a player who may no longer play, chat that is removed, names that change.

use super::*;

fn play(kept: &mut Kept, who: Who, ply: u32, text: &str) -> Tested {
    let deed = Deed::Move {
        ply,
        seq: None,
        text: text.into(),
    };
    kept.act(who, deed, ms(10))?;
    Ok(())
}

#[test]
fn who_may_play_no_more_gives_up_or_calls_off() -> Tested {
    let mut kept = Kept::both_come(spec(Some("chess"), None, "none"))?;
    assert_eq!(kept.table.expelled("guestCid"), []);
    assert_eq!(kept.table.expelled("guestAnn"), [Event::Aborted]);
    play(&mut kept, WHITE, 0, "e4")?;
    play(&mut kept, BLACK, 1, "e5")?;
    let resigns = |side| [Event::Resigned { side }];
    assert_eq!(kept.table.expelled("guestAnn"), resigns(Side::White));
    let events = kept.table.expelled("guestBob");
    assert_eq!(events, resigns(Side::Black));
    kept.store(events, ms(20))?;
    let winner = kept.table.outcome().and_then(|o| o.winner);
    assert_eq!(winner, Some(Side::White));
    assert_eq!(kept.table.expelled("guestAnn"), [], "it is over");
    Ok(())
}

#[test]
fn a_removed_line_is_gone_and_stays_in_its_place() -> Tested {
    let mut kept = Kept::both_come(spec(Some("chess"), None, "none"))?;
    for (who, text) in [(WHITE, "hello"), (BLACK, "an insult"), (WHITE, "bye")] {
        let text = text.into();
        kept.act(who, Deed::Chat { text }, ms(10))?;
    }
    assert!(!kept.table.remove_chat(3));
    assert!(kept.table.remove_chat(1));
    let said: Vec<(&str, bool)> = kept
        .table
        .chat()
        .iter()
        .map(|line| (line.text.as_str(), line.removed))
        .collect();
    assert_eq!(said, [("hello", false), ("", true), ("bye", false)]);
    // What is stored in its place makes the same.
    for entry in &mut kept.entries {
        if let Event::Chat {
            side: Side::Black, ..
        } = entry.event
        {
            let text = r#"{"e":"chat","side":"black","text":"","removed":true}"#;
            entry.event = serde_json::from_str(text)?;
            assert_eq!(entry.event.to_text(), text);
        }
    }
    let spec = kept.table.spec().clone();
    let again = Table::replay(spec, &kept.entries, Arc::default())?;
    assert_eq!(again.chat(), kept.table.chat());
    // A line of an older version reads as one that was not removed.
    let old: Event = serde_json::from_str(r#"{"e":"chat","side":"white","text":"hello"}"#)?;
    assert!(matches!(old, Event::Chat { removed: false, .. }));
    Ok(())
}

#[test]
fn a_new_name_stands_wherever_the_account_does() {
    let of = |name: &str, account: bool| {
        serde_json::json!({ "e": "joined", "person": { "guest": "ann", "name": name, "account": account } })
            .to_string()
    };
    let bears = |text: &str| with_name(text, "ann", "New");
    let renamed = bears(&of("Old", true));
    assert!(renamed.is_some_and(|text| text.contains("\"New\"") && text.contains("true")));
    // It is so already, it was played as a guest, it is another's, it is no JSON.
    for text in [
        of("New", true),
        of("Old", false),
        of("Old", true).replace("ann", "bob"),
        "{".into(),
    ] {
        assert_eq!(bears(&text), None, "{text}");
    }
    // Taken away, both are.
    for account in [true, false] {
        let text = without_name(&of("Old", account), "ann");
        assert!(text.is_some_and(|t| t.contains(DELETED) && !t.contains("account")));
    }
}

#[test]
fn a_rated_game_counts_though_an_account_is_deleted_meanwhile() -> Tested {
    let rated = Spec {
        rated: true,
        ..spec(Some("chess"), None, "fischer:5m+3s")
    };
    let mut kept = Kept::new(rated.clone())?;
    for (who, name) in [(WHITE, "Ann"), (BLACK, "Bob")] {
        let person = Person {
            account: true,
            ..person(name)
        };
        let events = kept.table.joined(who, person, format!("new {name}"));
        kept.store(events, ms(0))?;
    }
    play(&mut kept, WHITE, 0, "e4")?;
    play(&mut kept, BLACK, 1, "e5")?;
    kept.act(WHITE, Deed::Resign, ms(20))?;
    let counts = kept.table.rated_game();
    assert!(counts.is_some());
    let mut without = kept.entries;
    for entry in &mut without {
        if let Some(text) = without_name(&entry.event.to_text(), "guestAnn") {
            entry.event = serde_json::from_str(&text)?;
        }
    }
    let again = Table::replay(rated, &without, Arc::default())?;
    assert_eq!(again.rated_game(), counts);
    let gone = again.person(Side::White).ok_or("nobody")?;
    assert!(!gone.account && gone.name == DELETED);
    Ok(())
}
