//! The contract of the archive.

use super::{Tested, event, made, one};
use crate::archive::*;
use crate::ratings::{RatedRow, RatingStore};
use crate::{GameWrite, SqlStore};

/// A game of one person at White against another.
pub fn row(white: &str, black: &str, ended_ms: i64) -> ArchiveRow {
    ArchiveRow {
        variant: "chess".into(),
        white: white.into(),
        black: black.into(),
        winner: Some(Seat::White),
        ending: "checkmate".into(),
        plies: 40,
        ended_ms,
        rated: false,
        speed: "blitz".into(),
        open: true,
    }
}

fn end(game: &str, row: ArchiveRow) -> GameWrite {
    GameWrite {
        game: game.into(),
        events: vec![event(1)],
        over: true,
        archive: Some(row),
        ..GameWrite::default()
    }
}

fn filled(game: &str, positions: &[i64]) -> Filled {
    Filled {
        game: game.into(),
        row: None,
        ratings: [Some(1500), Some(1600)],
        positions: positions.iter().copied().zip(0..).collect(),
    }
}

/// What one who looks for a player finds, page by page, each game by its id.
async fn all(store: &SqlStore, search: &Search) -> Result<Vec<String>, crate::StoreError> {
    let mut search = search.clone();
    let mut games = Vec::new();
    loop {
        let found = store.search(&search).await?;
        assert!(found.games.len() <= search.limit as usize);
        games.extend(found.games.into_iter().map(|game| game.game));
        match found.next {
            Some(next) => {
                assert!(search.after.is_none_or(|after| next < after));
                search.after = Some(next);
            }
            None => return Ok(games),
        }
    }
}

fn of(player: &str) -> Search {
    Search {
        player: Some(player.into()),
        viewer: "nobody".into(),
        limit: 2,
        scan: 1000,
        ..Search::default()
    }
}

/// What both databases must do.
pub(super) async fn contract(store: &SqlStore, tag: &str) -> Tested {
    the_end_is_noted_once(store, tag).await?;
    all_that_is_asked_for_holds(store, tag).await?;
    what_is_rare_is_found_in_bounded_steps(store, tag).await?;
    ratings_are_those_of_then(store, tag).await
}

async fn the_end_is_noted_once(store: &SqlStore, tag: &str) -> Tested {
    let (game, ann) = (format!("{tag}archived"), format!("{tag}aann"));
    one(store, made(&game)).await??;
    let written = end(&game, row(&ann, "level-1", 77));
    // An end that is refused leaves nothing.
    let foreign = GameWrite {
        epoch: 7,
        ..written.clone()
    };
    assert!(one(store, foreign).await?.is_err());
    assert!(all(store, &of(&ann)).await?.is_empty());
    one(store, written.clone()).await??;
    one(store, written.clone()).await??;
    let waits = |games: Vec<String>| games.contains(&game);
    assert!(waits(store.to_archive(1000).await?));
    assert_eq!(all(store, &of(&ann)).await?, [game.as_str()]);
    let before = store.waiting().await?;
    // A position that comes back is one.
    store.fill(&[filled(&game, &[5, -6, 5, i64::MIN])]).await?;
    assert_eq!(store.waiting().await?, before - 1);
    assert!(!waits(store.to_archive(1000).await?));
    // The same end again, whose answer was lost, does not bring it back; nor does a second filling change anything.
    one(store, written).await??;
    assert!(!waits(store.to_archive(1000).await?));
    store.fill(&[filled(&game, &[5, -6, 5, i64::MIN])]).await?;
    for (hash, ply) in [(5, 0), (-6, 1), (i64::MIN, 3)] {
        let search = Search {
            position: Some(hash),
            ..of(&ann)
        };
        let found = store.search(&search).await?;
        let plies: Vec<Option<i64>> = found.games.iter().map(|game| game.ply).collect();
        assert_eq!(plies, [Some(ply)]);
        assert_eq!(found.games[0].ratings, [Some(1500), Some(1600)]);
        assert_eq!((found.games[0].ended_ms, found.next), (77, None));
    }
    // One that was called off, or is not there, waits no more and is not found.
    let dropped = format!("{tag}dropped");
    store.fill(&[filled(&dropped, &[1])]).await?;
    Ok(())
}

/// Twelve games in the same two milliseconds, found by every single wish and by many together.
async fn all_that_is_asked_for_holds(store: &SqlStore, tag: &str) -> Tested {
    let (ann, bob) = (format!("{tag}bann"), format!("{tag}bbob"));
    let mut rows: Vec<(String, ArchiveRow)> = Vec::new();
    for n in 0..12_i64 {
        let (white, black) = if n % 2 == 0 {
            (&ann, &bob)
        } else {
            (&bob, &ann)
        };
        let winner = [None, Some(Seat::White), Some(Seat::Black)][n as usize % 3];
        let game = format!("{tag}all{n:02}");
        let row = ArchiveRow {
            variant: if n % 4 == 0 { "grand" } else { "chess" }.into(),
            winner,
            ending: if n == 7 { "green gem" } else { "checkmate" }.into(),
            plies: 10 + n,
            rated: n % 5 == 0,
            speed: if n < 6 { "blitz" } else { "none" }.into(),
            open: n != 3,
            ..row(white, black, 1000 + n / 6)
        };
        one(store, made(&game)).await??;
        one(store, end(&game, row.clone())).await??;
        let positions = [1, 100 + n % 3, 200 + n];
        store
            .fill(&[Filled {
                ratings: [Some(1000 + n), Some(1100 - n)],
                ..filled(&game, &positions)
            }])
            .await?;
        rows.push((game, row));
    }
    let check = async |search: Search, holds: &dyn Fn(usize, &ArchiveRow) -> bool| {
        let expected: Vec<&str> = (rows.iter().enumerate().rev())
            .filter(|(n, (_, row))| holds(*n, row) && (row.open || search.viewer == bob))
            .map(|(_, (game, _))| game.as_str())
            .collect();
        let found = all(store, &search).await?;
        assert_eq!(found, expected, "{search:?}");
        Tested::Ok(())
    };
    let ann_is = |seat: Seat, row: &ArchiveRow| match seat {
        Seat::White => row.white == ann,
        Seat::Black => row.black == ann,
    };
    check(of(&ann), &|_, _| true).await?;
    let me = Search {
        viewer: bob.clone(),
        ..of(&ann)
    };
    check(me.clone(), &|_, _| true).await?;
    let white = Search {
        seat: Some(Seat::White),
        ..me.clone()
    };
    check(white.clone(), &|_, row| ann_is(Seat::White, row)).await?;
    let won = Search {
        result: Some(Wanted::PlayerWon),
        opponent: Some(bob.clone()),
        ..me.clone()
    };
    let has_won = |row: &ArchiveRow| row.winner.is_some_and(|seat| ann_is(seat, row));
    check(won.clone(), &|_, row| has_won(row)).await?;
    let lost = Search {
        result: Some(Wanted::PlayerLost),
        variant: Some("chess".into()),
        ..won
    };
    let has_lost = |row: &ArchiveRow| row.winner.is_some() && !has_won(row);
    check(lost, &|_, row| has_lost(row) && row.variant == "chess").await?;
    for (result, winner) in [
        (Wanted::WonBy(Seat::Black), Some(Seat::Black)),
        (Wanted::Draw, None),
    ] {
        let search = Search {
            result: Some(result),
            ..me.clone()
        };
        check(search, &|_, row| row.winner == winner).await?;
    }
    let gem = Search {
        ending: Some("green gem".into()),
        variant: Some("chess".into()),
        ..me.clone()
    };
    check(gem, &|n, _| n == 7).await?;
    let lengths = Search {
        min_plies: Some(13),
        max_plies: Some(18),
        ..me.clone()
    };
    check(lengths, &|n, _| (3..=8).contains(&n)).await?;
    let times = Search {
        from_ms: Some(1001),
        before_ms: Some(1002),
        ..me.clone()
    };
    check(times, &|n, _| n >= 6).await?;
    let rated = Search {
        rated: Some(true),
        speed: Some("blitz".into()),
        ..me.clone()
    };
    check(rated, &|n, _| n == 0 || n == 5).await?;
    let strong = Search {
        min_rating: Some(1004),
        ..me.clone()
    };
    check(strong, &|n, _| n >= 4).await?;
    let reached = Search {
        position: Some(101),
        variant: Some("chess".into()),
        ..me
    };
    check(reached.clone(), &|n, row| {
        n % 3 == 1 && row.variant == "chess"
    })
    .await?;
    let nowhere = Search {
        position: Some(999),
        ..reached
    };
    check(nowhere, &|_, _| false).await
}

/// One game against a stranger among more than a page goes through: it is found after pages that say how far they came.
async fn what_is_rare_is_found_in_bounded_steps(store: &SqlStore, tag: &str) -> Tested {
    let (cid, dan) = (format!("{tag}ccid"), format!("{tag}cdan"));
    const SCAN: i64 = 200;
    let games = SCAN + SCAN / 2;
    let rare = format!("{tag}rare");
    let row = |n: i64| {
        let open = n == 0;
        let plies = if open { 99 } else { 40 };
        let opponent = format!("{dan}{}", n % 7);
        let row = row(&cid, &opponent, 5000 + n / 3);
        ArchiveRow { open, plies, ..row }
    };
    one(store, made(&rare)).await??;
    let mut writes = vec![end(&rare, row(0))];
    // Rows alone, as those of games that are played elsewhere would be: the games themselves do not matter here.
    let filled: Vec<Filled> = (1..games)
        .map(|n| Filled {
            row: Some(row(n)),
            ..filled(&format!("{tag}much{n:03}"), &[])
        })
        .collect();
    one(store, writes.remove(0)).await??;
    for part in filled.chunks(100) {
        store.fill(part).await?;
    }
    let search = Search {
        scan: SCAN as u32,
        ..of(&cid)
    };
    let first = store.search(&search).await?;
    assert!(first.games.is_empty(), "{first:?}");
    let to = 5000 + (games - SCAN) / 3;
    assert_eq!(first.searched_to_ms(), Some(to));
    let second = Search {
        after: first.next,
        ..search.clone()
    };
    let second = store.search(&second).await?;
    assert_eq!((second.games.len(), second.next), (1, None));
    assert_eq!(second.games[0].game, rare);
    // By a rarer index the same is found at once.
    let of_dan = Search {
        opponent: Some(format!("{dan}0")),
        ..search
    };
    let found = store.search(&of_dan).await?;
    assert_eq!((found.games.len(), found.next), (1, None));
    Ok(())
}

async fn ratings_are_those_of_then(store: &SqlStore, tag: &str) -> Tested {
    let eva = format!("{tag}deva");
    let (game, other) = (format!("{tag}then"), format!("{tag}dother"));
    for (n, after) in [(1, 1550.5), (2, 1600.0)] {
        let game = format!("{game}{n}");
        one(store, made(&game)).await??;
        let write = GameWrite {
            to_rate: Some("{}".into()),
            ..end(&game, row(&eva, &other, n * 100))
        };
        one(store, write).await??;
        let rating = |person: &str| super::ratings::rating(person, after, 100.0, n);
        let ratings = [rating(&eva), rating(&other)];
        let changes = ratings.clone().map(|row| RatedRow {
            at_ms: n * 100 + 5,
            ..super::ratings::change(&game, &row, 1500.0)
        });
        assert!(store.rate(&game, &ratings, &changes).await?);
    }
    for (at_ms, rating) in [
        (100, None),
        (105, Some(1550.5)),
        (200, Some(1550.5)),
        (300, Some(1600.0)),
    ] {
        let then = store.rating_at(&eva, "chess", "blitz", at_ms).await?;
        assert_eq!(then, rating, "at {at_ms}");
    }
    assert_eq!(store.rating_at(&eva, "chess", "rapid", 300).await?, None);
    Ok(())
}
