//! Who comes when: those who ask take turns, games come before analysis, and one thread never analyses.

use super::*;
use std::sync::mpsc;

type Tested = Result<(), Box<dyn std::error::Error>>;

fn question(
    owner: &str,
    purpose: Purpose,
    limits: Limits,
    done: impl FnOnce(Outcome) + Send + 'static,
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
