//! Many games in one commit, and how the writer gathers them.

use super::{Tested, event, events, made};
use crate::running::{BoardRow, Running, RunningRow, RunningSeat, RunningStore};
use crate::{
    Answer, CardRow, DefinitionRow, Due, GameWrite, Health, ListedGame, ReviewRow, RunRow,
    SqlStore, Store, StoreError, StoredGame, Writer,
};
use futures_util::future::try_join_all;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;
use tokio::sync::Mutex;

/// Numbers of games about those at which statements get another length or become two.
const SIZES: [usize; 8] = [1, 2, 3, 17, 31, 32, 33, 70];

fn board(seq: i64) -> BoardRow {
    BoardRow {
        seq,
        ply: seq,
        fen: format!("board {seq}"),
        last: "e2e4".into(),
        at_ms: seq,
    }
}

fn row() -> RunningRow {
    let seat = || RunningSeat {
        person: "ann".into(),
        name: "Ann".into(),
        account: false,
        level: None,
        first: 1500,
    };
    RunningRow {
        variant: "chess".into(),
        clock: "10+5".into(),
        speed: "rapid".into(),
        rated: false,
        seats: [seat(), seat()],
        began_ms: 0,
    }
}

/// However many games write at once, each has what it wrote, and no other.
pub(super) async fn contract(store: &SqlStore, tag: &str) -> Tested {
    for size in SIZES {
        let ids: Vec<String> = (0..size).map(|n| format!("{tag}many{size}-{n}")).collect();
        let begun: Vec<GameWrite> = ids
            .iter()
            .map(|id| GameWrite {
                running: Some(Running::Begins(Box::new(row()), board(0))),
                ..made(id)
            })
            .collect();
        let moved: Vec<GameWrite> = (0..)
            .zip(&ids)
            .map(|(n, id)| GameWrite {
                due: Some(Due::At(1000 + n)),
                warn: Some(Due::At(900 + n)),
                card: Some(CardRow {
                    seq: 2,
                    text: format!("card of {id}"),
                }),
                running: Some(Running::Moves(board(2 + n))),
                ..events(id, [1, 2])
            })
            .collect();
        for writes in [&begun, &moved, &moved] {
            let results = store.write(writes).await?;
            assert!(results.iter().all(Result::is_ok), "{results:?}");
        }
        let boards = store.running_boards(&ids).await?;
        assert_eq!(boards.len(), size);
        for (n, id) in (0..).zip(&ids) {
            let stored = store.load(id).await?.ok_or("gone")?;
            assert_eq!(stored.due, Some(1000 + n));
            let bodies: Vec<String> = stored.events.into_iter().map(|e| e.body).collect();
            assert_eq!(bodies, [event(1).body, event(2).body]);
            let shown = boards.iter().find(|b| b.game == *id).ok_or("no board")?;
            assert_eq!(shown.board, board(2 + n));
        }
        // Every second game ends.
        let ends: Vec<GameWrite> = ids
            .iter()
            .step_by(2)
            .map(|id| GameWrite {
                over: true,
                ..events(id, [3])
            })
            .collect();
        assert!(store.write(&ends).await?.iter().all(Result::is_ok));
        for (n, id) in ids.iter().enumerate() {
            let stored = store.load(id).await?.ok_or("gone")?;
            assert_eq!(
                (stored.over, stored.due.is_none()),
                (n % 2 == 0, n % 2 == 0)
            );
        }
        assert_eq!(store.running_boards(&ids).await?.len(), size / 2);
        // One whose number is taken by another event does not keep the others from being stored.
        let mut clash: Vec<GameWrite> = ids.iter().map(|id| events(id, [4])).collect();
        clash[0].events[0].seq = 2;
        let results = store.write(&clash).await?;
        assert!(results[0].is_err(), "another event was taken for it");
        assert!(results[1..].iter().all(Result::is_ok));
        for id in &ids[1..] {
            let stored = store.load(id).await?.ok_or("gone")?;
            assert_eq!(stored.events.last().map(|e| e.seq), Some(4));
        }
        // Other tests do not find them among what is due.
        let ends = |id: &String| GameWrite {
            game: id.clone(),
            over: true,
            ..GameWrite::default()
        };
        let ends: Vec<GameWrite> = ids.iter().map(ends).collect();
        assert!(store.write(&ends).await?.iter().all(Result::is_ok));
    }
    Ok(())
}

/// A storage that only counts, and may be away.
#[derive(Debug, Default)]
struct Counting {
    commits: Mutex<Vec<usize>>,
    away: AtomicBool,
}

/// A game at which it ends in a fault.
const FAULTY: &str = "faulty";

fn no<'a, T>() -> Answer<'a, T> {
    Box::pin(async { Err(StoreError::Unavailable("it only counts".into())) })
}

impl Store for Counting {
    fn write<'a>(&'a self, writes: &'a [GameWrite]) -> Answer<'a, Vec<Result<(), StoreError>>> {
        Box::pin(async {
            assert!(writes.iter().all(|w| w.game != FAULTY), "on purpose");
            if self.away.load(Relaxed) {
                return no().await;
            }
            self.commits.lock().await.push(writes.len());
            Ok(writes.iter().map(|_| Ok(())).collect())
        })
    }

    fn load<'a>(&'a self, _: &'a str) -> Answer<'a, Option<StoredGame>> {
        no()
    }

    fn definition<'a>(&'a self, _: &'a str) -> Answer<'a, Option<DefinitionRow>> {
        no()
    }

    fn keep_definition<'a>(&'a self, _: &'a DefinitionRow) -> Answer<'a, ()> {
        no()
    }

    fn due(&self, _: i64, _: u32) -> Answer<'_, Vec<String>> {
        no()
    }

    fn of_guest<'a>(&'a self, _: &'a str, _: u32) -> Answer<'a, Vec<ListedGame>> {
        no()
    }

    fn keep_review<'a>(&'a self, _: &'a ReviewRow) -> Answer<'a, ()> {
        no()
    }

    fn review<'a>(&'a self, _: &'a str) -> Answer<'a, Option<ReviewRow>> {
        no()
    }

    fn forget_reviews(&self, _: i64) -> Answer<'_, u64> {
        no()
    }

    fn begin_run(&self, _: i64, _: Option<i64>) -> Answer<'_, RunRow> {
        no()
    }

    fn ping(&self) -> Answer<'_, ()> {
        match self.away.load(Relaxed) {
            true => no(),
            false => Box::pin(async { Ok(()) }),
        }
    }
}

/// Forty games that write at the same moment, five times: the first may be alone, all others share a commit.
#[tokio::test]
async fn many_writers_share_their_commits() -> Tested {
    let store = Arc::new(Counting::default());
    let writer = Writer::new(store.clone());
    let ids: Vec<String> = (0..40).map(|n| format!("g{n}")).collect();
    for seq in 1..=5 {
        let writes = ids.iter().map(|id| writer.write(events(id, [seq])));
        try_join_all(writes).await?;
    }
    let commits = store.commits.lock().await;
    assert_eq!(commits.iter().sum::<usize>(), 200, "{commits:?}");
    assert!(commits.len() <= 10, "{commits:?}");
    Ok(())
}

/// A fault costs those who were stored with it, who read what is stored, and nobody after them.
#[tokio::test]
async fn storing_goes_on_after_a_fault() -> Tested {
    let store = Arc::new(Counting::default());
    let writer = Writer::new(store.clone());
    let faulty = writer.write(events(FAULTY, [1])).await;
    assert!(matches!(faulty, Err(StoreError::Unavailable(_))));
    let next = tokio::time::timeout(Duration::from_secs(5), writer.write(events("g", [1])));
    next.await??;
    assert_eq!(*store.commits.lock().await, [1]);
    Ok(())
}

/// Who has given up was told that nothing was done, and so it is: what others wait for is stored when the storage is back, and
/// that it is back is found out although nobody waits.
#[tokio::test]
async fn what_nobody_waits_for_is_not_stored() -> Tested {
    let store = Arc::new(Counting::default());
    let writer = Writer::new(store.clone());
    let mut health = writer.health();
    for others in [1, 0] {
        store.away.store(true, Relaxed);
        let short = Duration::from_millis(200);
        let given_up = tokio::time::timeout(short, writer.write(events("gone", [1])));
        let waits = tokio::spawn({
            let writer = writer.clone();
            async move {
                try_join_all((0..others).map(|n| writer.write(events(&format!("{n}"), [1])))).await
            }
        });
        assert!(given_up.await.is_err());
        assert!(matches!(*health.borrow(), Health::Ill(_)));
        tokio::time::sleep(short).await;
        store.away.store(false, Relaxed);
        waits.await??;
        let well = health.wait_for(|health| *health == Health::Well);
        tokio::time::timeout(Duration::from_secs(5), well).await??;
    }
    assert_eq!(*store.commits.lock().await, [1]);
    Ok(())
}
