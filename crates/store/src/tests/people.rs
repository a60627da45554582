//! The contract of games that everybody may watch, of lists of people, and of a person's results.

use super::{Tested, accounts, event, made, one, ratings};
use crate::accounts::AccountStore;
use crate::archive::*;
use crate::people::*;
use crate::ratings::RatingStore;
use crate::running::*;
use crate::{GameWrite, SqlStore, StoreError};

fn seat(person: &str, account: bool, level: Option<i64>) -> RunningSeat {
    RunningSeat {
        person: person.into(),
        name: format!("{person} 'then'"),
        account,
        level,
        first: level.map_or(1500, |level| 1000 + level),
    }
}

fn board(seq: i64) -> BoardRow {
    BoardRow {
        seq,
        ply: seq - 1,
        fen: format!("position {seq}"),
        last: if seq > 1 { "e2e4" } else { "" }.into(),
        at_ms: 5000 + seq,
    }
}

fn row(variant: &str, seats: [RunningSeat; 2]) -> RunningRow {
    RunningRow {
        variant: variant.into(),
        clock: "fischer:5m+3s".into(),
        speed: "blitz".into(),
        rated: true,
        seats,
        began_ms: 5000,
    }
}

fn begins(game: &str, row: RunningRow) -> GameWrite {
    GameWrite {
        events: vec![event(1)],
        running: Some(Running::Begins(Box::new(row), board(1))),
        ..made(game)
    }
}

fn changes(game: &str, running: Running) -> GameWrite {
    GameWrite {
        game: game.into(),
        running: Some(running),
        ..GameWrite::default()
    }
}

fn ends(game: &str) -> GameWrite {
    GameWrite {
        game: game.into(),
        events: vec![event(2)],
        over: true,
        // What comes with the end changes nothing.
        running: Some(Running::Moves(board(2))),
        ..GameWrite::default()
    }
}

/// The end of a game in which nothing has happened.
fn ended_at_once(game: &str) -> GameWrite {
    GameWrite {
        events: vec![event(1)],
        ..ends(game)
    }
}

async fn games(store: &SqlStore, variant: &str) -> Result<Vec<String>, StoreError> {
    let mut after: Option<After> = None;
    let mut games = Vec::new();
    loop {
        let page = store.running(&[variant.into()], after.as_ref(), 2).await?;
        let Some(last) = page.last() else {
            return Ok(games);
        };
        after = Some(After {
            rank: last.rank,
            game: last.game.clone(),
        });
        games.extend(page.into_iter().map(|game| game.game));
    }
}

/// What both databases must do.
pub(super) async fn contract(store: &SqlStore, tag: &str) -> Tested {
    let people = ["wann", "wbob", "wcid"].map(|name| accounts::account(tag, name));
    for person in &people {
        store.register(person).await?;
    }
    let [ann, bob, cid] = people.map(|person| person.account.id);
    games_run_and_end(store, tag, [&ann, &bob]).await?;
    games_of_before_are_taken_in(store, tag, [&ann, &bob]).await?;
    the_followed_play(store, tag, [&ann, &bob, &cid]).await?;
    lists_are_bounded(store, [&ann, &bob, &cid]).await?;
    results_are_counted(store, tag).await
}

async fn games_run_and_end(store: &SqlStore, tag: &str, [ann, bob]: [&str; 2]) -> Tested {
    let variant = format!("{tag}watched");
    let name = |text: &str| format!("{tag}{text}");
    // Ann has a rating in this game with such a clock, Bob has none.
    let (rated, waits) = (name("wrated"), name("wrating"));
    one(store, made(&waits)).await??;
    let write = GameWrite {
        game: waits.clone(),
        events: vec![event(1)],
        over: true,
        to_rate: Some("{}".into()),
        ..GameWrite::default()
    };
    one(store, write).await??;
    let rating = |person: &str, rating| crate::ratings::RatingRow {
        variant: variant.clone(),
        ..ratings::rating(person, rating, 50.0, 3)
    };
    let rows = [rating(ann, 1801.4), rating("level-1", 900.0)];
    let rating_changes = rows
        .clone()
        .map(|row| ratings::change(&waits, &row, 1500.0));
    assert!(store.rate(&waits, &rows, &rating_changes).await?);

    let two = begins(
        &rated,
        row(&variant, [seat(ann, true, None), seat(bob, true, None)]),
    );
    one(store, two.clone()).await??;
    // The same again, whose answer was lost.
    one(store, two).await??;
    let level = [seat("level-1", false, Some(1)), seat(ann, true, None)];
    one(store, begins(&name("wlevel"), row(&variant, level))).await??;
    let guests = [seat(&name("wguest"), false, None), seat(bob, true, None)];
    one(store, begins(&name("wguests"), row(&variant, guests))).await??;
    // Those of two people come first, whatever the ratings; then the better ones.
    let all = [rated.clone(), name("wguests"), name("wlevel")];
    assert_eq!(games(store, &variant).await?, all);
    let page = store
        .running(std::slice::from_ref(&variant), None, 10)
        .await?;
    let first = &page[0];
    assert_eq!(
        (first.board.clone(), first.began_ms, first.rated),
        (board(1), 5000, true)
    );
    let told: Vec<_> = first
        .players
        .iter()
        .map(|p| (p.name.as_str(), p.account, p.rating))
        .collect();
    assert_eq!(
        told,
        [("wann", true, Some(1801)), ("wbob", true, None)],
        "names as they are now"
    );
    let guest = &page[1].players[0];
    assert_eq!(
        (guest.name.clone(), guest.account),
        (format!("{tag}wguest 'then'"), false)
    );
    let level = &page[2].players[0];
    assert_eq!(
        (level.level, level.rating),
        (Some(1), Some(900)),
        "the level's own rating"
    );
    let counted = |counts: Vec<(String, i64)>| {
        counts
            .into_iter()
            .find(|(v, _)| *v == variant)
            .map(|(_, n)| n)
    };
    assert_eq!(counted(store.running_counts().await?), Some(3));
    assert!(store.running(&[], None, 10_000).await?.len() >= 3);

    // It moves; what is foreign changes nothing.
    let foreign = GameWrite {
        epoch: 7,
        events: vec![event(2)],
        ..changes(&rated, Running::Moves(board(9)))
    };
    assert!(one(store, foreign).await?.is_err());
    one(store, changes(&rated, Running::Moves(board(3)))).await??;
    let nowhere = changes(&name("nothing"), Running::Moves(board(3)));
    assert!(one(store, nowhere).await?.is_err());
    let ids = [rated.clone(), name("nothing"), name("wlevel")];
    let mut boards = store.running_boards(&ids).await?;
    boards.sort_by_key(|b| std::cmp::Reverse(b.board.seq));
    let told: Vec<_> = boards.iter().map(|b| (b.game.as_str(), &b.board)).collect();
    assert_eq!(
        told,
        [
            (rated.as_str(), &board(3)),
            (name("wlevel").as_str(), &board(1))
        ]
    );

    // What rests is in no list, and its board is there still.
    one(store, changes(&rated, Running::Rests(true))).await??;
    assert_eq!(games(store, &variant).await?, all[1..]);
    assert_eq!(counted(store.running_counts().await?), Some(2));
    assert_eq!(
        store
            .running_boards(std::slice::from_ref(&rated))
            .await?
            .len(),
        1
    );
    one(store, changes(&rated, Running::Rests(false))).await??;
    assert_eq!(games(store, &variant).await?, all);
    assert_eq!(store.rest_all(&name("no such speed")).await?, 0);

    one(store, ends(&rated)).await??;
    assert_eq!(games(store, &variant).await?, all[1..]);
    assert!(
        store
            .running_boards(std::slice::from_ref(&rated))
            .await?
            .is_empty()
    );
    // It does not come back by a writing that comes late.
    let late = row(&variant, [seat(ann, true, None), seat(bob, true, None)]);
    one(
        store,
        changes(&rated, Running::Begins(Box::new(late), board(1))),
    )
    .await??;
    assert_eq!(games(store, &variant).await?, all[1..]);
    for game in [name("wlevel"), name("wguests")] {
        one(store, ends(&game)).await??;
    }
    assert!(games(store, &variant).await?.is_empty());
    Ok(())
}

async fn games_of_before_are_taken_in(
    store: &SqlStore,
    tag: &str,
    [ann, bob]: [&str; 2],
) -> Tested {
    let variant = format!("{tag}before");
    let of = |game: &str| {
        let row = row(&variant, [seat(ann, true, None), seat(bob, true, None)]);
        (format!("{tag}{game}"), Some((row, board(4))))
    };
    let (runs, over) = (of("wold"), of("wover"));
    one(store, made(&runs.0)).await??;
    one(store, made(&over.0)).await??;
    one(store, ended_at_once(&over.0)).await??;
    let gone = (format!("{tag}wgone"), None);
    let all = [runs.clone(), over, gone];
    store.begin_watching(&all).await?;
    store.begin_watching(&all).await?;
    assert_eq!(games(store, &variant).await?, [runs.0.as_str()]);
    one(store, ended_at_once(&runs.0)).await??;
    assert!(store.to_watch(1000).await?.is_empty());
    Ok(())
}

async fn the_followed_play(store: &SqlStore, tag: &str, [ann, bob, cid]: [&str; 3]) -> Tested {
    let variant = format!("{tag}followed");
    let game = |text: &str| format!("{tag}{text}");
    for other in [ann, bob] {
        assert!(
            store
                .list_person(PeopleList::Followed, cid, other, 1, 10)
                .await?
        );
    }
    assert!(store.followed_playing(cid).await?.is_empty());
    let slow = RunningRow {
        speed: "correspondence".into(),
        ..row(
            &variant,
            [seat(ann, true, None), seat("someone", false, None)],
        )
    };
    let quick = row(
        &variant,
        [seat("someone", false, None), seat(ann, true, None)],
    );
    one(store, begins(&game("wslow"), slow)).await??;
    let playing = |all: Vec<PlayingNow>| -> Vec<(String, String)> {
        let mut all: Vec<_> = all.into_iter().map(|p| (p.person, p.game)).collect();
        all.sort();
        all
    };
    let pair = |person: &str, game: String| (person.to_owned(), game);
    assert_eq!(
        playing(store.followed_playing(cid).await?),
        [pair(ann, game("wslow"))]
    );
    // One at the board comes before one over days, though that was moved later.
    one(store, begins(&game("wquick"), quick)).await??;
    one(store, changes(&game("wslow"), Running::Moves(board(7)))).await??;
    assert_eq!(
        playing(store.followed_playing(cid).await?),
        [pair(ann, game("wquick"))]
    );
    // Both of two who are followed are told of.
    let both = row(&variant, [seat(ann, true, None), seat(bob, true, None)]);
    one(store, begins(&game("wboth"), both)).await??;
    one(store, changes(&game("wboth"), Running::Moves(board(9)))).await??;
    let told = [pair(ann, game("wboth")), pair(bob, game("wboth"))];
    assert_eq!(playing(store.followed_playing(cid).await?), told);
    one(store, changes(&game("wboth"), Running::Rests(true))).await??;
    assert_eq!(
        playing(store.followed_playing(cid).await?),
        [pair(ann, game("wquick"))]
    );
    for name in ["wslow", "wquick", "wboth"] {
        one(store, ends(&game(name))).await??;
    }
    assert!(store.followed_playing(cid).await?.is_empty());
    assert!(store.followed_playing(ann).await?.is_empty());
    Ok(())
}

async fn lists_are_bounded(store: &SqlStore, [ann, bob, cid]: [&str; 3]) -> Tested {
    for list in PeopleList::ALL {
        let listed = async || -> Result<Vec<String>, StoreError> {
            let all = store.listed_people(list, ann).await?;
            Ok(all.into_iter().map(|person| person.id).collect())
        };
        assert!(store.list_person(list, ann, cid, 1, 2).await?);
        assert!(store.list_person(list, ann, bob, 2, 2).await?);
        assert_eq!(listed().await?, [bob, cid], "by their names");
        assert!(
            store.list_person(list, ann, bob, 3, 2).await?,
            "there already"
        );
        assert!(
            !store.list_person(list, ann, "another", 3, 2).await?,
            "full"
        );
        store.unlist_person(list, ann, bob).await?;
        store.unlist_person(list, ann, bob).await?;
        assert_eq!(listed().await?, [cid]);
        assert!(store.list_person(list, ann, bob, 3, 2).await?);
    }
    // Who deletes the account is on nobody's list, and those of that one are gone.
    let gone = store.delete_account(bob, "deleted", &[]).await?;
    assert_eq!(gone.len(), 1);
    for list in PeopleList::ALL {
        assert_eq!(store.listed_people(list, ann).await?.len(), 1);
        assert!(
            store.list_person(list, ann, "another", 3, 2).await?,
            "there is room again"
        );
        store.unlist_person(list, ann, "another").await?;
    }
    Ok(())
}

async fn results_are_counted(store: &SqlStore, tag: &str) -> Tested {
    let (eve, fay) = (format!("{tag}weve"), format!("{tag}wfay"));
    let mut filled = Vec::new();
    for n in 0..24_i64 {
        let white = n % 2 == 0;
        let [white, black] = if white { [&eve, &fay] } else { [&fay, &eve] };
        filled.push(Filled {
            game: format!("{tag}result{n}"),
            row: Some(ArchiveRow {
                variant: if n % 8 < 6 { "chess" } else { "grand" }.into(),
                white: white.clone(),
                black: black.clone(),
                winner: [None, Some(Seat::White), Some(Seat::Black)][n as usize % 3],
                ending: "checkmate".into(),
                plies: 10,
                ended_ms: 9000 + n,
                rated: false,
                speed: "none".into(),
                // Not everybody may find the last two.
                open: n < 22,
            }),
            ratings: [None, None],
            positions: Vec::new(),
        });
    }
    store.fill(&filled).await?;
    for person in [&eve, &fay] {
        let mut expected = std::collections::BTreeMap::new();
        for row in filled
            .iter()
            .filter_map(|f| f.row.as_ref())
            .filter(|r| r.open)
        {
            let seat = if row.white == *person {
                Seat::White
            } else {
                Seat::Black
            };
            let key = (
                row.variant.clone(),
                seat == Seat::White,
                row.winner.map(|w| w == Seat::White),
            );
            *expected.entry(key).or_insert(0) += 1;
        }
        let found = store.results(person).await?;
        let found = found.into_iter().map(|r| {
            let key = (
                r.variant,
                r.seat == Seat::White,
                r.winner.map(|w| w == Seat::White),
            );
            (key, r.games)
        });
        assert_eq!(
            found.collect::<std::collections::BTreeMap<_, _>>(),
            expected
        );
    }
    assert!(store.results(&format!("{tag}nobody")).await?.is_empty());
    Ok(())
}
