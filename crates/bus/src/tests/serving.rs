//! Questions between processes while whoever serves a subject changes, goes or is not alone.

use super::faults::{SECOND, becomes, bus_at, serving};
use super::proxy::{Proxy, Way};
use super::server::Server;
use super::*;

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a NATS server: scripts/nats cargo test -p husun-bus -- --ignored nats"]
async fn nats_process_that_goes_while_it_is_asked() -> Tested {
    let server = Server::start("").await?;
    let to_far = Proxy::to(server.port).await?;
    let (near, far) = (bus_at(&server.url()).await?, bus_at(&to_far.url()).await?);
    let third = bus_at(&server.url()).await?;
    let mut requests = far.serve("asked", 4).await?;
    let ask = |message: &'static str, patience| {
        let near = near.clone();
        tokio::spawn(async move { near.request("asked", message.into(), patience).await })
    };
    // It is stopped: the question is late, and another takes its place although NATS still knows the one that stopped.
    let asked = ask("?", SECOND);
    let held = requests.next().await.ok_or("no question")?;
    to_far.set(Way::Stalled);
    assert_eq!(asked.await?, Err(BusError::Late));
    let start = Instant::now();
    let serves = serving(&*near, "asked", "near").await?;
    assert!(start.elapsed() < SECOND, "{:?}", start.elapsed());
    assert_eq!(
        third.request("asked", "?".into(), SECOND).await,
        Ok("near".into())
    );
    serves.abort();
    let _ = serves.await;
    // It comes back, and what it answers late is heard by nobody.
    to_far.set(Way::Open);
    held.answer("too late".into());
    assert!(becomes(&far, true).await);
    // Its program ends with a question open.
    let asked = ask("open", SOON);
    loop {
        let request = requests.next().await.ok_or("no question")?;
        // What was asked while it had stopped comes before.
        if request.message == "open" {
            break drop((request, requests));
        }
    }
    drop(far);
    assert_eq!(asked.await?, Err(BusError::Gone));
    // Its connection ends with a question open, of which nothing more is heard: whoever asked learns that soon.
    let far = bus_at(&to_far.url()).await?;
    let mut requests = far.serve("asked", 4).await?;
    let (start, asked) = (Instant::now(), ask("open", SOON * 2));
    let _held = requests.next().await.ok_or("no question")?;
    to_far.set(Way::Cut);
    assert_eq!(asked.await?, Err(BusError::Gone));
    assert!(start.elapsed() < SECOND * 3, "{:?}", start.elapsed());
    Ok(())
}

/// A subject that is served now here, now there: whoever asks meanwhile learns soon that nobody serves it, and then
/// nobody has seen his question.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a NATS server: scripts/nats cargo test -p husun-bus -- --ignored nats"]
async fn nats_questions_while_a_subject_moves() -> Tested {
    let server = Server::start("").await?;
    let (near, far) = (bus_at(&server.url()).await?, bus_at(&server.url()).await?);
    let asker = bus_at(&server.url()).await?;
    let asks = tokio::spawn(async move {
        let mut told = Vec::new();
        loop {
            let start = Instant::now();
            let question = told.len().to_string();
            let answer = asker.request("moves", question.into(), SOON).await;
            let ended = answer == Ok("end".into());
            told.push((answer, start.elapsed()));
            if ended {
                return told;
            }
        }
    });
    let mut seen = Vec::new();
    for n in 0..20 {
        let bus = if n % 2 == 0 { &near } else { &far };
        let mut requests = bus.serve("moves", 4).await?;
        for _ in 0..5 {
            let next = tokio::time::timeout(SOON, requests.next());
            let request = next.await?.ok_or("no question")?;
            seen.push(String::from_utf8_lossy(&request.message).parse::<usize>()?);
            // Long enough that whoever served it before has said that he does not.
            tokio::time::sleep(AT_ONCE).await;
            request.answer("here".into());
        }
    }
    let _end = serving(&*near, "moves", "end").await?;
    let told = asks.await?;
    assert!(seen.is_sorted_by(|a, b| a < b), "once each");
    for (n, (answer, took)) in told.iter().enumerate() {
        assert!(*took < SECOND, "question {n}: {answer:?} after {took:?}");
        match answer {
            Ok(answer) => assert!(answer == "end" || seen.contains(&n), "question {n}"),
            Err(BusError::Nobody) => assert!(!seen.contains(&n), "question {n} was seen"),
            Err(BusError::Gone) => {}
            Err(error) => panic!("question {n}: {error}"),
        }
    }
    Ok(())
}

/// NATS is told that a subject is no longer served while questions to it are on their way: nobody waits in vain for them.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a NATS server: scripts/nats cargo test -p husun-bus -- --ignored nats"]
async fn nats_questions_while_a_subject_ends() -> Tested {
    let server = Server::start("").await?;
    let (near, far) = (bus_at(&server.url()).await?, bus_at(&server.url()).await?);
    let mut askers = Vec::new();
    for n in 0..50 {
        let (near, subject) = (near.clone(), format!("ends.{n}"));
        let requests = far.serve(&subject, 4).await?;
        askers.push(tokio::spawn(async move {
            let (start, mut slowest) = (Instant::now(), Duration::ZERO);
            drop(requests);
            while start.elapsed() < SECOND * 3 {
                let asked = Instant::now();
                let answer = near.request(&subject, "?".into(), SOON).await;
                assert!(
                    matches!(answer, Err(BusError::Nobody | BusError::Gone)),
                    "{answer:?}"
                );
                slowest = slowest.max(asked.elapsed());
            }
            slowest
        }));
    }
    for asker in askers {
        let slowest = asker.await?;
        assert!(slowest < SECOND, "{slowest:?}");
    }
    assert_eq!(far.health().subjects, 0);
    Ok(())
}

/// Whoever tries in vain to serve a subject does not come between those who ask and the one who serves it.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a NATS server: scripts/nats cargo test -p husun-bus -- --ignored nats"]
async fn nats_questions_while_another_tries_to_serve() -> Tested {
    let server = Server::start("").await?;
    let (near, far) = (bus_at(&server.url()).await?, bus_at(&server.url()).await?);
    let asker = bus_at(&server.url()).await?;
    let _serves = serving(&*far, "asked", "far").await?;
    let tries = tokio::spawn(async move {
        for _ in 0..200 {
            assert_eq!(near.serve("asked", 4).await.err(), Some(BusError::Taken));
        }
    });
    while !tries.is_finished() {
        assert_eq!(
            asker.request("asked", "?".into(), SOON).await,
            Ok("far".into())
        );
    }
    tries.await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a NATS server: scripts/nats cargo test -p husun-bus -- --ignored nats"]
async fn nats_subject_is_served_by_one_of_those_who_try() -> Tested {
    let server = Server::start("").await?;
    let mut buses = Vec::new();
    for _ in 0..2 {
        buses.push(bus_at(&server.url()).await?);
    }
    for n in 0..50 {
        let subject = format!("race.{n}");
        let (a, b) = tokio::join!(buses[0].serve(&subject, 1), buses[1].serve(&subject, 1));
        let won = [a.is_ok(), b.is_ok()]
            .into_iter()
            .filter(|won| *won)
            .count();
        assert_eq!(won, 1, "in round {n}");
    }
    Ok(())
}
