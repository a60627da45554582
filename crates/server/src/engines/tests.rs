//! Who comes when: those who ask take turns, games come before analysis, and one thread never analyses.

use super::queue::{QUEUE, Queue, Queues, Task};
use super::*;
use play::Games;
use std::time::Instant;

pub(super) type Tested = Result<(), Box<dyn std::error::Error>>;

/// Jobs of this one end in a fault.
pub(super) const FAULTY: &str = "faulty";

pub(super) const SHORT: Duration = Duration::from_millis(20);
pub(super) const WAIT: Duration = Duration::from_secs(30);

pub(super) fn job(asker: &str, purpose: Purpose, most: Duration) -> Result<Job, &'static str> {
    let variant = games::variant(games::ORTHODOX).ok_or("no game")?;
    Ok(Job {
        asker: asker.into(),
        purpose,
        variant: variant.id().to_owned(),
        definition: Games::default().hash(variant.id()).ok_or("no hash")?,
        fen: variant.start().fen(),
        key: variant.start().key(),
        history: Vec::new(),
        level: 8,
        clock: None,
        most,
        nodes: None,
        lines: 1,
        seed: 0,
    })
}

fn task(asker: &str) -> Result<Task, &'static str> {
    task_for(asker, Purpose::Play)
}

fn task_for(asker: &str, purpose: Purpose) -> Result<Task, &'static str> {
    let job = job(asker, purpose, SHORT)?;
    Ok(Task::new(job, mpsc::unbounded_channel().0))
}

#[test]
fn those_who_ask_take_turns() -> Tested {
    let mut queue = Queue::default();
    for asker in ["ann", "ann", "ann", "bob", "cleo", "bob"] {
        queue.push(task(asker)?)?;
    }
    let mut order = Vec::new();
    while let Some(task) = queue.pop(&|_| true) {
        order.push(task.job.asker);
    }
    assert_eq!(order, ["ann", "bob", "cleo", "ann", "bob", "ann"]);
    assert_eq!(
        (queue.len, queue.askers.len(), queue.waiting.len()),
        (0, 0, 0)
    );
    Ok(())
}

#[test]
fn reviews_come_between_games_and_analyses() -> Tested {
    let mut queues = Queues::default();
    for (n, purpose) in [
        (2, Purpose::Analysis),
        (20, Purpose::Review),
        (2, Purpose::Play),
    ] {
        for _ in 0..n {
            queues.of(purpose).push(task_for("ann", purpose)?)?;
        }
    }
    // The thread for games alone takes nothing else.
    let first = queues.pop(false, &|_| true).ok_or("nothing")?;
    assert_eq!(first.job.purpose, Purpose::Play);
    let mut order = String::new();
    while let Some(task) = queues.pop(true, &|_| true) {
        order.push(match task.job.purpose {
            Purpose::Play => 'p',
            Purpose::Analysis => 'a',
            Purpose::Review => 'r',
        });
    }
    assert_eq!(order, "prrrrrrrrarrrrrrrrarrrr");
    assert!(queues.pop(false, &|_| true).is_none());
    Ok(())
}

/// Someone who looks at a position for long makes way for a review, which gets on.
#[tokio::test]
async fn an_analysis_makes_way_for_others() -> Tested {
    let engines = LocalEngines::new(2, 1, &Arc::default())?;
    let long = Duration::from_secs(60);
    let mut analysis = engines.ask(job("ann", Purpose::Analysis, long)?)?;
    assert!(tokio::time::timeout(WAIT, analysis.next()).await?.is_some());
    let start = Instant::now();
    let mut review = engines.ask(Job {
        nodes: Some(1000),
        ..job("bob", Purpose::Review, long)?
    })?;
    let thought = tokio::time::timeout(WAIT, review.end()).await?;
    assert!(thought.is_some() && start.elapsed() < long / 2);
    // The one who made way has its end, too.
    assert!(tokio::time::timeout(WAIT, analysis.end()).await?.is_some());
    engines.close();
    Ok(())
}

#[test]
fn a_full_queue_says_so() -> Tested {
    let mut queue = Queue::default();
    for _ in 0..QUEUE {
        queue.push(task("ann")?)?;
    }
    assert_eq!(queue.push(task("bob")?), Err(Busy));
    Ok(())
}

#[test]
fn it_is_known_how_many_come_before() -> Tested {
    let mut queue = Queue::default();
    for asker in ["ann", "ann", "bob", "cleo"] {
        queue.push(task(asker)?)?;
    }
    let before = ["ann", "bob", "cleo", "dora"].map(|asker| queue.before(asker));
    assert_eq!(before, [Some(0), Some(1), Some(2), None]);
    queue.pop(&|_| true);
    assert_eq!(
        (queue.before("bob"), queue.before("ann")),
        (Some(0), Some(2))
    );
    Ok(())
}

/// However much is to be analysed, a game's move is found at once by the thread that never analyses.
#[tokio::test]
async fn analysis_delays_no_game() -> Tested {
    let engines = LocalEngines::new(2, 1, &Arc::default())?;
    let mut analyses = Vec::new();
    for n in 0..5 {
        let long = Duration::from_secs(60);
        analyses.push(engines.ask(job(&format!("guest {n}"), Purpose::Analysis, long)?)?);
    }
    let first = tokio::time::timeout(WAIT, analyses[0].next()).await?;
    assert!(matches!(first, Some(Report::Lines { .. })), "{first:?}");
    let mut play = engines.ask(job("game", Purpose::Play, SHORT)?)?;
    let thought = tokio::time::timeout(WAIT, play.end()).await?;
    let thought = thought.ok_or("a fault")?;
    assert!(thought.best.is_some());
    // Who asked goes: what was asked ends, and the next comes.
    analyses.remove(0);
    let next = tokio::time::timeout(WAIT, analyses[0].next()).await?;
    assert!(next.is_some());
    engines.close();
    Ok(())
}

/// However much time there is, a move takes no more than is promised.
#[tokio::test]
async fn no_move_takes_longer_than_promised() -> Tested {
    let engines = LocalEngines::new(2, 1, &Arc::default())?;
    for control in [
        "fischer:3m+0s",
        "fischer:3m+60s",
        "days:1",
        "byoyomi:3m+3x30s",
    ] {
        let control: TimeControl = control.parse()?;
        let clock = JobClock {
            control,
            remaining: Remaining::full(control),
        };
        let start = Instant::now();
        let mut asked = engines.ask(Job {
            clock: Some(clock),
            ..job("game", Purpose::Play, longest(Level::FULL, Some(&clock)))?
        })?;
        let thought = tokio::time::timeout(LONGEST * 10, asked.end()).await?;
        assert!(thought.is_some());
        let took = start.elapsed();
        assert!(
            took < LONGEST + Duration::from_millis(500),
            "{control}: {took:?}"
        );
    }
    engines.close();
    Ok(())
}

/// A fault is told to the one who asked, and the pool goes on with the same threads.
#[tokio::test]
async fn a_fault_costs_no_thread() -> Tested {
    let engines = LocalEngines::new(2, 1, &Arc::default())?;
    for _ in 0..5 {
        let mut asked = engines.ask(job(FAULTY, Purpose::Play, SHORT)?)?;
        assert_eq!(tokio::time::timeout(WAIT, asked.end()).await?, None);
    }
    let mut nonsense = job("game", Purpose::Play, SHORT)?;
    nonsense.fen = "no position".into();
    let mut asked = engines.ask(nonsense)?;
    assert_eq!(tokio::time::timeout(WAIT, asked.end()).await?, None);
    let mut asked = engines.ask(job("game", Purpose::Play, SHORT)?)?;
    assert!(tokio::time::timeout(WAIT, asked.end()).await?.is_some());
    engines.close();
    Ok(())
}

/// A job can be sent to another process and back, and means the same there.
#[test]
fn a_job_is_data() -> Tested {
    let control: TimeControl = "tiger:10m+5s".parse()?;
    let asked = Job {
        history: vec![0, u64::MAX],
        clock: Some(JobClock {
            control,
            remaining: Remaining::full(control),
        }),
        ..job("game", Purpose::Play, SHORT)?
    };
    let text = serde_json::to_string(&asked)?;
    assert_eq!(serde_json::from_str::<Job>(&text)?, asked);
    // Position text says all of a position: keys of all that comes agree.
    for id in games::ids() {
        let variant = games::variant(id).ok_or("no game")?;
        let mut position = variant.start();
        for n in 0..60_usize {
            let moves = position.legal_moves();
            let Some(&m) = moves.get(n * 7 % moves.len().max(1)) else {
                break;
            };
            position = position.play_unchecked(m);
            let read = variant.position(&position.fen())?;
            assert_eq!(read.key(), position.key(), "{id}: {}", position.fen());
        }
    }
    Ok(())
}
