//! Who comes when: those who ask take turns, games come before analysis, and one thread never analyses.

use super::*;
use std::sync::mpsc;

type Tested = Result<(), Box<dyn std::error::Error>>;

fn question(
    owner: &str,
    purpose: Purpose,
    limits: Limits,
    done: impl FnOnce(Result<Outcome, Fault>) + Send + 'static,
) -> Result<Question, &'static str> {
    let variant = games::variant(games::ORTHODOX).ok_or("no game")?;
    Ok(Question {
        owner: owner.into(),
        purpose,
        position: variant.start(),
        history: Vec::new(),
        level: Level::FULL,
        limits,
        lines: 1,
        seed: 0,
        stop: Arc::default(),
        report: Box::new(|_| {}),
        done: Box::new(done),
    })
}

#[test]
fn those_who_ask_take_turns() -> Tested {
    let mut line = Line::default();
    for owner in ["ann", "ann", "ann", "bob", "cleo", "bob"] {
        line.push(question(owner, Purpose::Play, Limits::depth(1), drop)?)?;
    }
    let mut order = Vec::new();
    while let Some((_, question)) = line.pop() {
        order.push(question.owner);
    }
    assert_eq!(order, ["ann", "bob", "cleo", "ann", "bob", "ann"]);
    assert_eq!((line.len, line.owners.len(), line.waiting.len()), (0, 0, 0));
    Ok(())
}

#[test]
fn a_full_line_says_so() -> Tested {
    let mut line = Line::default();
    for _ in 0..QUEUE {
        line.push(question("ann", Purpose::Analysis, Limits::depth(1), drop)?)?;
    }
    let more = line.push(question("bob", Purpose::Analysis, Limits::depth(1), drop)?);
    assert_eq!(more, Err(Busy));
    Ok(())
}

/// However much is to be analysed, a game's move is found at once by the thread that never analyses.
#[test]
fn analysis_delays_no_game() -> Tested {
    let brains = Brains::new(2, 1)?;
    let (told, heard) = mpsc::channel();
    let (begun, under_way) = mpsc::channel();
    let mut stops = Vec::new();
    for n in 0..5 {
        let told = told.clone();
        let long = Limits::movetime(Duration::from_secs(60));
        let mut asked = question(&format!("guest {n}"), Purpose::Analysis, long, move |_| {
            let _ = told.send("analysis");
        })?;
        let begun = begun.clone();
        asked.report = Box::new(move |_| {
            let _ = begun.send(());
        });
        stops.push(asked.stop.clone());
        brains.ask(asked)?;
    }
    under_way.recv_timeout(Duration::from_secs(30))?;
    brains.ask(question(
        "game",
        Purpose::Play,
        Limits::depth(2),
        move |_| {
            let _ = told.send("move");
        },
    )?)?;
    assert_eq!(heard.recv_timeout(Duration::from_secs(30))?, "move");
    for stop in stops {
        stop.store(true, Relaxed);
    }
    assert_eq!(heard.recv_timeout(Duration::from_secs(30))?, "analysis");
    brains.close();
    Ok(())
}

/// However much time there is, a move takes no more than is promised.
#[test]
fn no_move_takes_longer_than_promised() -> Tested {
    let brains = Brains::new(2, 1)?;
    for control in [
        "fischer:3m+0s",
        "fischer:3m+60s",
        "days:1",
        "byoyomi:3m+3x30s",
    ] {
        let control: husun::clock::TimeControl = control.parse()?;
        let clock = ClockSituation {
            control,
            remaining: husun::clock::Remaining::full(control),
            moves_to_go: None,
        };
        let (told, heard) = mpsc::channel();
        let start = Instant::now();
        let asked = question(
            "game",
            Purpose::Play,
            limits(Level::FULL, Some(clock)),
            move |outcome| {
                let _ = told.send(outcome.is_ok());
            },
        )?;
        brains.ask(asked)?;
        assert!(heard.recv_timeout(LONGEST * 10)?);
        let took = start.elapsed();
        assert!(
            took < LONGEST + Duration::from_millis(500),
            "{control}: {took:?}"
        );
    }
    brains.close();
    Ok(())
}

/// A fault is told to the one who asked, and the pool goes on with the same threads.
#[test]
fn a_fault_costs_no_thread() -> Tested {
    let brains = Brains::new(2, 1)?;
    let (told, heard) = mpsc::channel();
    for n in 0..6 {
        let told = told.clone();
        let mut asked = question("game", Purpose::Play, Limits::depth(2), move |outcome| {
            let _ = told.send(outcome.is_err());
        })?;
        if n < 5 {
            asked.report = Box::new(|_| panic!("on purpose"));
        }
        brains.ask(asked)?;
    }
    let wait = Duration::from_secs(30);
    let faults = (0..6)
        .map(|_| heard.recv_timeout(wait))
        .collect::<Result<Vec<_>, _>>()?;
    assert_eq!(faults.iter().filter(|fault| **fault).count(), 5);
    let told = told.clone();
    brains.ask(question(
        "game",
        Purpose::Play,
        Limits::depth(2),
        move |_| {
            let _ = told.send(false);
            panic!("on purpose");
        },
    )?)?;
    assert!(!heard.recv_timeout(wait)?);
    brains.close();
    Ok(())
}

#[test]
fn it_is_known_how_many_come_before() -> Tested {
    let mut line = Line::default();
    for owner in ["ann", "ann", "bob", "cleo"] {
        line.push(question(owner, Purpose::Play, Limits::depth(1), drop)?)?;
    }
    let before = ["ann", "bob", "cleo", "dora"].map(|owner| line.before(owner));
    assert_eq!(before, [Some(0), Some(1), Some(2), None]);
    line.pop();
    assert_eq!((line.before("bob"), line.before("ann")), (Some(0), Some(2)));
    Ok(())
}
