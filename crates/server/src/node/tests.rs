//! Who leads, and who gets the next game.

use super::{Node, Taken};
use crate::clock::ServerClock;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};
use store::nodes::NodeRow;

const LEASE: Duration = Duration::from_secs(3);

fn row(boot: i64, load: i64, leaving: bool) -> NodeRow {
    NodeRow {
        boot,
        id: format!("n{boot}"),
        address: String::new(),
        version: String::new(),
        protocol: 1,
        started_ms: 0,
        run_ms: 5000,
        load,
        leaving,
        left_ms: 2000,
    }
}

fn node() -> Node {
    let clock = ServerClock::starting_at(Duration::ZERO);
    Node::new(None, "n".into(), 1, LEASE, clock)
}

/// A node among others, without a database.
fn among() -> Node {
    among_counted().0
}

/// The same, with how often it has asked for games that nobody owns: it is slow to get all but
/// `other`, which 9 owns, and `locked`, which it gets when it asks for the third time.
fn among_counted() -> (Node, Arc<AtomicUsize>) {
    #[derive(Debug)]
    struct Nobody(Arc<AtomicUsize>);
    use store::Answer;
    use store::nodes::{Beat, Claimed, NewNode, Nodes, Owned, Shares, Sign};
    fn none<'a, T: 'a>() -> Answer<'a, T> {
        Box::pin(async { Err(store::StoreError::Unavailable("no database".into())) })
    }
    impl Nodes for Nobody {
        fn arrive<'a>(&'a self, _: &'a NewNode) -> Answer<'a, i64> {
            none()
        }
        fn beat(&self, _: i64, _: Sign) -> Answer<'_, Beat> {
            none()
        }
        fn claim<'a>(&'a self, _: &'a str, _: i64, _: i64) -> Answer<'a, Claimed> {
            none()
        }
        fn adopt<'a>(&'a self, games: &'a [String], _: i64, _: i64) -> Answer<'a, Vec<String>> {
            let before = self.0.fetch_add(1, Relaxed);
            Box::pin(async move {
                tokio::time::sleep(Duration::from_millis(300)).await;
                let mut taken = games.to_vec();
                taken.retain(|game| game != "other" && (game != "locked" || before >= 2));
                Ok(taken)
            })
        }
        fn release<'a>(&'a self, _: &'a [Owned], _: i64, _: i64) -> Answer<'a, Vec<String>> {
            none()
        }
        fn hand_over<'a>(&'a self, _: &'a Owned, _: i64, _: i64, _: i64) -> Answer<'a, bool> {
            none()
        }
        fn owner<'a>(&'a self, _: &'a str) -> Answer<'a, Option<i64>> {
            none()
        }
        fn owners<'a>(&'a self, games: &'a [String]) -> Answer<'a, Vec<(String, i64)>> {
            let owner = |game: &String| match game.as_str() {
                "other" => Some((game.clone(), 9)),
                "locked" => Some((game.clone(), 8)),
                _ => None,
            };
            Box::pin(async move { Ok(games.iter().filter_map(owner).collect()) })
        }
        fn orphans(&self, _: i64, _: u32) -> Answer<'_, Vec<String>> {
            none()
        }
        fn due_of(&self, _: i64, _: i64, _: u32) -> Answer<'_, Vec<String>> {
            none()
        }
        fn warnings_of(&self, _: i64, _: i64, _: u32) -> Answer<'_, Vec<(String, i64)>> {
            none()
        }
        fn leave(&self, _: i64, _: i64) -> Answer<'_, ()> {
            none()
        }
        fn expire(&self, _: i64, _: i64) -> Answer<'_, bool> {
            none()
        }
        fn owned(&self) -> Answer<'_, Shares> {
            none()
        }
    }
    let asked = Arc::new(AtomicUsize::new(0));
    let node = Node {
        nodes: Some(Arc::new(Nobody(asked.clone()))),
        ..node()
    };
    (node, asked)
}

#[test]
fn the_first_that_stays_leads_while_its_lease_surely_runs() {
    assert!(node().leads(), "a server that runs alone leads");
    let node = among();
    let now = Instant::now();
    assert!(
        !node.leads(),
        "nobody leads before he knows who else is there"
    );
    node.hear(7, vec![row(7, 0, false), row(9, 0, false)], now);
    assert!(node.leads() && node.has_lease());
    node.hear(7, vec![row(5, 0, false), row(7, 0, false)], now);
    assert!(!node.leads());
    node.hear(7, vec![row(5, 0, true), row(7, 0, false)], now);
    assert!(node.leads(), "one that ends leads no more");
    node.set_cut_off(true);
    assert!(!node.leads(), "at once, before the others have heard of it");
    node.hear(7, vec![row(7, 0, true), row(9, 0, false)], now);
    node.set_cut_off(false);
    node.hear(7, vec![row(7, 0, false), row(9, 0, false)], now);
    assert!(!node.leads(), "9 may believe that it leads");
}

#[test]
fn a_lease_is_counted_from_when_the_heartbeat_was_sent() -> Result<(), &'static str> {
    let node = among();
    let long_ago = Instant::now().checked_sub(LEASE).ok_or("no such time")?;
    node.hear(7, vec![row(7, 0, false)], long_ago);
    assert_eq!(node.boot(), 7);
    assert!(!node.leads() && !node.has_lease());
    Ok(())
}

#[test]
fn what_a_heartbeat_told_that_was_sent_before_the_question_is_no_answer() {
    let node = among();
    let before = Instant::now() - Duration::from_millis(1);
    let asked = node.ask_of_others();
    assert!(!node.heard_since(asked), "nothing was ever heard");
    node.hear(7, vec![row(7, 0, false), row(9, 0, false)], before);
    assert!(!node.heard_since(asked) && node.others_stay());
    node.hear(7, vec![row(7, 0, true), row(9, 0, true)], asked);
    assert!(node.heard_since(asked) && !node.others_stay());
}

#[test]
fn who_is_silent_leads_no_more_and_may_have_its_lease_ended() {
    let node = among();
    let heard = |ago: u64, left_ms| {
        let sent = Instant::now() - Duration::from_millis(ago);
        let other = NodeRow {
            left_ms,
            ..row(9, 0, false)
        };
        node.hear(7, vec![row(7, 0, false), other], sent);
    };
    heard(1500, 1500);
    assert!(node.leads() && node.has_lease());
    assert!(node.silent_others().is_empty(), "9 was heard 1.5 s ago");
    heard(1700, 1300);
    assert!(!node.leads(), "others may have ended its lease");
    assert!(node.has_lease(), "as far as it knows");
    assert_eq!(node.silent_others(), [9]);
    heard(0, 0);
    assert!(node.silent_others().is_empty(), "its lease is over");
}

#[test]
fn members_are_told_when_they_change_and_not_at_every_heartbeat() {
    let node = among();
    let mut members = node.members();
    let now = Instant::now();
    node.hear(7, vec![row(7, 0, false)], now);
    assert!(members.has_changed().is_ok_and(|changed| changed));
    members.mark_unchanged();
    node.hear(7, vec![row(7, 3, false)], now);
    assert!(members.has_changed().is_ok_and(|changed| !changed));
    node.lose();
    assert_eq!(members.borrow_and_update().boot, 0);
    assert!(members.borrow().has(7) && !members.borrow().has(8));
}

#[tokio::test]
async fn games_are_taken_many_at_a_time() {
    let (among, asked) = among_counted();
    among.hear(5, vec![row(5, 0, false), row(9, 0, false)], Instant::now());
    let among = Arc::new(among);
    let take = |game: String| {
        let among = among.clone();
        tokio::spawn(async move { among.take(&game).await })
    };
    let first = take("first".into());
    tokio::time::sleep(Duration::from_millis(1)).await;
    // While the first is taken all others wait, and one that nobody waits for any more is no harm.
    let others: Vec<_> = (0..100).map(|n| take(format!("game{n}"))).collect();
    let owned = take("other".into());
    let locked = take("locked".into());
    tokio::time::sleep(Duration::from_millis(1)).await;
    first.abort();
    others[7].abort();
    for (n, other) in others.into_iter().enumerate() {
        assert_eq!(other.await.ok(), (n != 7).then_some(Taken::Ours), "{n}");
    }
    assert_eq!(owned.await.ok(), Some(Taken::Of(9)));
    assert_eq!(locked.await.ok(), Some(Taken::Ours));
    assert_eq!(
        asked.load(Relaxed),
        3,
        "once, and twice for those that are left"
    );
    // Who owns which is asked in the same way.
    let asks = |game: &'static str| {
        let among = among.clone();
        tokio::spawn(async move { among.owner_of(game).await })
    };
    let owners = [asks("other"), asks("locked"), asks("nothing")];
    for (owner, expected) in owners.into_iter().zip([Some(9), Some(8), None]) {
        assert_eq!(owner.await.ok(), Some(Ok(expected)));
    }
    let alone = Arc::new(node()).take("game").await;
    assert_eq!(
        alone,
        Taken::Unknown,
        "a server that runs alone takes nothing"
    );
}

#[tokio::test]
async fn one_who_asks_for_all_and_goes_or_does_not_wait_on_harms_nobody() {
    let among = Arc::new(among());
    among.hear(5, vec![row(5, 0, false)], Instant::now());
    let take = |game: &'static str| {
        let among = among.clone();
        tokio::spawn(async move { among.take(game).await })
    };
    let soon = || tokio::time::sleep(Duration::from_millis(50));
    let first = take("first");
    soon().await;
    let (second, third) = (take("second"), take("third"));
    assert_eq!(first.await.ok(), Some(Taken::Ours));
    soon().await;
    second.abort();
    assert_eq!(third.await.ok(), Some(Taken::Ours));
    // One that is not polled any more while it asks.
    let mut fourth = std::pin::pin!(among.take("fourth"));
    tokio::select! {
        biased;
        _ = &mut fourth => {}
        () = soon() => {}
    }
    let fifth = tokio::time::timeout(LEASE, take("fifth")).await;
    assert_eq!(fifth.ok().and_then(Result::ok), Some(Taken::Ours));
    assert_eq!(fourth.await, Taken::Ours);
}

#[tokio::test]
async fn a_node_whose_lease_is_over_does_not_wait_for_the_storage() {
    let never = std::future::pending::<()>;
    let among = among();
    assert_eq!(among.while_leased(never()).await, None, "it has none");
    let begun = Instant::now();
    let ends_in = |ms| {
        let sent = Instant::now() + Duration::from_millis(ms);
        among.hear(5, vec![row(5, 0, false)], sent - LEASE);
    };
    ends_in(200);
    let hears_again = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        ends_in(300);
    };
    let (waited, ()) = tokio::join!(among.while_leased(never()), hears_again);
    assert_eq!(waited, None);
    assert!(begun.elapsed() >= Duration::from_millis(400), "too early");
    assert!(!among.has_lease());
    assert_eq!(among.while_leased(async { 7 }).await, Some(7), "it is done");
    ends_in(60_000);
    let is_ended = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        among.was_ended(5);
    };
    let (waited, ()) = tokio::join!(among.while_leased(never()), is_ended);
    assert_eq!(waited, None, "it was ended before its time");
    let alone = node();
    let wait = tokio::time::sleep(Duration::from_millis(10));
    assert_eq!(alone.while_leased(wait).await, Some(()));
}

#[test]
fn a_node_whose_heartbeats_are_not_answered_has_others_end_its_lease() {
    let among = among();
    let now = Instant::now();
    let heard = |ago: u64| {
        let sent = now - Duration::from_millis(ago);
        among.hear(5, vec![row(5, 0, false)], sent);
    };
    heard(1700);
    assert!(!among.is_unanswered(), "the next is not due yet");
    among.unanswered.store(true, Relaxed);
    assert!(among.is_unanswered());
    heard(900);
    assert!(!among.is_unanswered(), "it may be answered again soon");
    heard(3100);
    assert!(!among.is_unanswered(), "its lease is over");
    heard(0);
    among.was_ended(4);
    assert!(among.has_lease(), "that was an earlier one");
    among.was_ended(5);
    assert!(!among.has_lease());
    let alone = node();
    alone.unanswered.store(true, Relaxed);
    assert!(!alone.is_unanswered());
}

#[test]
fn another_lives_for_as_long_as_its_lease_was_said_to_run() {
    let node = among();
    let over = NodeRow {
        left_ms: 0,
        ..row(9, 0, false)
    };
    node.hear(
        5,
        vec![row(5, 0, false), row(7, 0, false), over],
        Instant::now(),
    );
    assert!(node.surely_lives(7));
    assert!(!node.surely_lives(9), "its lease is over by now");
    assert!(!node.surely_lives(8), "nobody knows it");
}

#[test]
fn the_first_of_the_others_leases_to_end_is_known() {
    let node = among();
    assert_eq!(node.first_end(), None);
    let now = Instant::now();
    let left = |boot, left_ms| NodeRow {
        left_ms,
        ..row(boot, 0, false)
    };
    // Its own is not one of them.
    node.hear(5, vec![left(5, 10), left(7, 2900), left(9, 1900)], now);
    let first = node.first_end().map(|end| end.duration_since(now));
    let bounds = Duration::from_millis(1900)..Duration::from_millis(2900);
    assert!(
        first.is_some_and(|first| bounds.contains(&first)),
        "{first:?}"
    );
    node.hear(5, vec![left(5, 10)], now);
    assert_eq!(node.first_end(), None);
}

#[test]
fn a_new_game_goes_to_the_node_with_least_work() {
    let node = among();
    let rows = vec![row(5, 4, false), row(7, 2, false), row(9, 0, true)];
    node.hear(5, rows, Instant::now());
    // Those that were given since the heartbeat count.
    let given: Vec<i64> = (0..4).map(|_| node.least_busy()).collect();
    assert_eq!(given, [7, 7, 5, 7]);
    assert_eq!(among().least_busy(), 0, "while nobody is known, here");
}

#[test]
fn games_stay_with_those_who_understand_them() {
    let node = among();
    let speaks = |boot, load, protocol| NodeRow {
        protocol,
        ..row(boot, load, false)
    };
    let now = Instant::now();
    node.hear(5, vec![speaks(5, 9, 1), speaks(7, 2, 1)], now);
    assert!(!node.is_among_others());
    let rows = vec![
        speaks(3, 0, 0),
        speaks(5, 9, 1),
        speaks(7, 2, 1),
        speaks(9, 1, 2),
    ];
    node.hear(5, rows, now);
    assert!(node.is_among_others());
    // A new one is asked for over the bus; one that is handed over is read from storage, by whoever knows as much.
    assert_eq!(node.least_busy(), 7);
    assert_eq!(node.heir(), 9);
    node.hear(5, vec![speaks(3, 0, 0), speaks(5, 9, 1)], now);
    assert_eq!((node.least_busy(), node.heir()), (5, 5));
}

#[test]
fn the_time_of_another_node_goes_on_between_its_signs() -> Result<(), &'static str> {
    let node = among();
    node.hear(5, vec![row(5, 0, false), row(7, 0, false)], Instant::now());
    let there = node.time_of(7).ok_or("not known")?;
    assert!(there >= Duration::from_secs(6) && there < Duration::from_secs(60));
    assert_eq!(node.time_of(8), None);
    Ok(())
}
