//! Games looked back at: for games that are over and games brought in as text, found again by others, gone on with after
//! an end of the server, and bounded.

use crate::common::browser::Browser;
use crate::common::{Fallible, Request, Socket, TestServer};
use serde_json::json;
use server::wire::{
    ClientMessage, FaultKind, FaultSize, GameMade, Refusal, Review, ReviewStage, ReviewState, Side,
    Snapshot, TryAnswer, TryVerdict,
};
use std::time::{Duration, Instant};
use store::Store;

/// Longest wait for a review.
const WAIT: Duration = Duration::from_secs(300);

async fn post<T: serde::de::DeserializeOwned>(
    server: &TestServer,
    path: &str,
    body: &str,
) -> Fallible<T> {
    server.ask(Request::post(path, body)).await?.json()
}

/// Waits for a review; gives it and how often it was asked about.
async fn ready(server: &TestServer, path: &str) -> Fallible<(Review, u32)> {
    let start = Instant::now();
    let mut asked = 0;
    loop {
        let state: ReviewState = server.get(path).await?;
        asked += 1;
        assert!(state.done <= state.of);
        if let Some(review) = state.review {
            assert_eq!((state.stage, state.done), (ReviewStage::Ready, state.of));
            return Ok((review, asked));
        }
        assert_eq!(state.stage, ReviewStage::Running, "it rests");
        assert!(start.elapsed() < WAIT, "{} of {}", state.done, state.of);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

fn text_of(pgn: &str) -> String {
    serde_json::json!({ "text": pgn }).to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_that_is_over_is_looked_back_at() -> Fallible<()> {
    let server = TestServer::start("review", |_| ()).await?;
    let made = server.make(r#"{"variant":"chess","side":"white"}"#).await?;
    let path = format!("/api/games/{}/review", made.id);
    let (mut white, _) = server.join(&made.id, Some(&made.seat)).await?;
    let (mut black, _) = server.join(&made.id, made.friend_seat.as_deref()).await?;
    for (ply, uci) in ["f2f3", "e7e5", "g2g4", "d8h4"].into_iter().enumerate() {
        // Nobody is helped in a game under way.
        let refused = server.ask(Request::post(&path, "")).await?;
        assert_eq!(
            (refused.status, refused.json::<Refusal>()?.code.as_str()),
            (409, "not_over")
        );
        let socket = if ply % 2 == 0 { &mut white } else { &mut black };
        socket.play(ply as u32, uci).await?;
        socket.ply(ply as u32 + 1).await?;
    }
    let none = server.ask(Request::get(&path)).await?;
    assert_eq!(
        (none.status, none.json::<Refusal>()?.code.as_str()),
        (404, "no_review")
    );
    let begun: ReviewState = post(&server, &path, "").await?;
    assert_eq!((begun.id.as_str(), begun.of), (made.id.as_str(), 5));
    let (review, _) = ready(&server, &path).await?;
    assert_eq!(review.variant, "chess");
    assert!(!review.players.white.is_empty());
    assert_eq!(review.until_ms, None);
    let result = review.result.as_ref().ok_or("no result")?;
    assert_eq!(
        (result.winner, result.reason.as_str()),
        (Some(Side::Black), "checkmate")
    );
    let last = &review.moves[3];
    assert_eq!((last.cp, last.mate, last.best), (None, None, true));
    assert!(last.chance < 5.0);
    // The move that loses is a blunder that allows mate in one, and the turning point.
    let lost = &review.moves[2];
    let fault = lost.fault.as_ref().ok_or("no fault")?;
    assert_eq!(
        (fault.size, fault.kind, fault.moves),
        (FaultSize::Blunder, FaultKind::AllowedWin, Some(1))
    );
    assert_eq!(lost.mate, Some(-1));
    assert!(review.turning.contains(&2), "{:?}", review.turning);
    let better = lost.better.as_ref().ok_or("no better move")?;
    assert_eq!(better.uci.len(), better.san.len());
    let (white, black) = (review.accuracy.white, review.accuracy.black);
    assert!(
        white.ok_or("none")? < black.ok_or("none")?,
        "{white:?} {black:?}"
    );

    // Whoever comes next has it at once, by either address.
    let again: ReviewState = post(&server, &path, "").await?;
    assert_eq!(again.stage, ReviewStage::Ready);
    let (_, asked) = ready(&server, &format!("/api/reviews/{}", made.id)).await?;
    assert_eq!(asked, 1);

    // Moves are tried: the engine's own, another good one, the game's.
    let tried = format!("/api/reviews/{}/try", made.id);
    let best = better.uci[0].clone();
    for (uci, verdict) in [
        (best.as_str(), TryVerdict::Best),
        ("g2g4", TryVerdict::Worse),
    ] {
        let body = format!(r#"{{"ply":2,"uci":"{uci}"}}"#);
        let answer: TryAnswer = post(&server, &tried, &body).await?;
        assert_eq!(answer.verdict, verdict, "{uci}: {answer:?}");
        assert_eq!(answer.played.uci, uci);
    }
    let good: TryAnswer = post(&server, &tried, r#"{"ply":0,"uci":"d2d4"}"#).await?;
    assert_ne!(good.verdict, TryVerdict::Worse, "{good:?}");
    assert!(!good.answer.san.is_empty());
    for (body, status, code) in [
        (r#"{"ply":2,"uci":"e2e5"}"#, 422, "illegal_move"),
        (r#"{"ply":4,"uci":"e2e4"}"#, 422, "moves"),
        (r#"{"ply":0,"uci":"e2e4","more":1}"#, 422, "malformed"),
        (r#"{"ply":-1,"uci":"e2e4"}"#, 422, "malformed"),
    ] {
        let answer = server.ask(Request::post(&tried, body)).await?;
        let refusal: Refusal = answer.json()?;
        assert_eq!(
            (answer.status, refusal.code.as_str()),
            (status, code),
            "{body}"
        );
    }
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn key_moments_are_named_by_the_rules() -> Fallible<()> {
    let server = TestServer::start("moments", |_| ()).await?;
    let text = "[Variant \"citadel9\"]\n[White \"Ann\"]\n[SetUp \"1\"]\n\
        [FEN \"k8/3P5/9/9/9/9/9/9/4K4 w - - CY 0 1\"]\n\n1. d9=C+ *";
    let begun: ReviewState = post(&server, "/api/reviews", &text_of(text)).await?;
    let (review, _) = ready(&server, &format!("/api/reviews/{}", begun.id)).await?;
    let moment = review.moments.first().ok_or("no moment")?;
    let text = serde_json::to_string(moment)?;
    assert_eq!(
        text,
        r#"{"ply":0,"kind":"released","side":"white","piece":"C"}"#
    );
    assert_eq!(
        (review.players.white.as_str(), review.players.black.as_str()),
        ("Ann", "Black")
    );
    server.end().await
}

/// A text of so many moves to and fro.
fn shuffle(moves: usize, name: &str) -> String {
    let round = ["Nf3", "Nf6", "Ng1", "Ng8"];
    let moves: Vec<&str> = (0..moves).map(|n| round[n % 4]).collect();
    text_of(&format!("[White \"{name}\"]\n\n{} *", moves.join(" ")))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_review_is_gone_on_with_after_the_server_has_ended() -> Fallible<()> {
    let server = TestServer::start("resumed", |_| ()).await?;
    let begun: ReviewState = post(&server, "/api/reviews", &shuffle(80, "Ann")).await?;
    let path = format!("/api/reviews/{}", begun.id);
    let start = Instant::now();
    loop {
        let state: ReviewState = server.get(&path).await?;
        assert!(state.review.is_none() && start.elapsed() < WAIT);
        if state.done >= 41 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    server.stop().await?;
    let server = TestServer::start("resumed", |_| ()).await?;
    let rests: ReviewState = server.get(&path).await?;
    assert_eq!((rests.stage, rests.of), (ReviewStage::Paused, 81));
    assert!(rests.done >= 40, "{}", rests.done);
    let goes_on: ReviewState = post(&server, &path, "").await?;
    assert_eq!(
        (goes_on.stage, goes_on.done),
        (ReviewStage::Running, rests.done)
    );
    // The same text is the same review.
    let same: ReviewState = post(&server, "/api/reviews", &shuffle(80, "Ann")).await?;
    assert_eq!((same.id, same.stage), (begun.id, ReviewStage::Running));
    let early = server
        .ask(Request::post(
            &format!("{path}/try"),
            r#"{"ply":0,"uci":"e2e4"}"#,
        ))
        .await?;
    assert_eq!(early.json::<Refusal>()?.code, "not_over");
    let (review, _) = ready(&server, &path).await?;
    assert_eq!(review.moves.len(), 80);
    assert!(review.until_ms.is_some());
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_looked_back_at_is_refused() -> Fallible<()> {
    let server = TestServer::start("refused", |c| c.limits.reviews_per_hour = 2).await?;
    let long = shuffle(2001, "Ann");
    for (path, body, status, code) in [
        ("/api/games/nothinghere/review", "", 404, "no_such_game"),
        ("/api/reviews/nothinghere", "", 404, "no_review"),
        ("/api/reviews/..%2f", "", 404, "no_review"),
        ("/api/reviews", r#"{"text":"no moves at all"}"#, 422, "pgn"),
        ("/api/reviews", r#"{"text":"*"}"#, 422, "pgn"),
        ("/api/reviews", &long, 422, "pgn"),
        ("/api/reviews", "{}", 422, "malformed"),
    ] {
        let answer = server.ask(Request::post(path, body)).await?;
        let refusal: Refusal = answer.json()?;
        assert_eq!(
            (answer.status, refusal.code.as_str()),
            (status, code),
            "{path} {}",
            refusal.message
        );
    }
    // Two an hour for this address here, and two at once for a guest.
    let cookie = server.ask(Request::get("/api/me")).await?;
    let cookie = cookie.cookie().ok_or("no cookie")?.to_owned();
    let headers = [("cookie", cookie.as_str())];
    for name in ["Ann", "Bob"] {
        let body = shuffle(1500, name);
        let request = Request::post("/api/reviews", &body).with(&headers);
        let state: ReviewState = server.ask(request).await?.json()?;
        assert_eq!(state.stage, ReviewStage::Running);
    }
    let body = shuffle(1500, "Cleo");
    let third = server.ask(Request::post("/api/reviews", &body).with(&headers));
    let third = third.await?;
    assert_eq!(
        (third.status, third.json::<Refusal>()?.code.as_str()),
        (429, "limit")
    );
    let stranger = server.ask(Request::post("/api/reviews", &body)).await?;
    assert_eq!(
        (stranger.status, stranger.json::<Refusal>()?.code.as_str()),
        (429, "rate")
    );
    // A game against the engine is answered all the while.
    let made = server
        .make(r#"{"variant":"chess","side":"white","level":8}"#)
        .await?;
    let (mut white, _) = server.join(&made.id, Some(&made.seat)).await?;
    let start = Instant::now();
    white.play(0, "e2e4").await?;
    white.ply(2).await?;
    assert!(
        start.elapsed() < Duration::from_secs(15),
        "{:?}",
        start.elapsed()
    );
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn who_leaves_while_a_game_is_looked_back_at_is_not_named() -> Fallible<()> {
    let server = TestServer::start("review-left", |_| ()).await?;
    let word = "correct horse";
    let mut ann = Browser::new(&server);
    ann.register("Ann", word).await?;
    let wishes = json!({ "variant": "chess", "side": "white" });
    let made: GameMade = ann.ask("POST", "/api/games", wishes).await?.json()?;
    let mut white = Socket::open(server.address, &[("cookie", &ann.cookie())]).await?;
    white.join(&made.id, None).await?;
    let (mut black, _) = server.join(&made.id, made.friend_seat.as_deref()).await?;
    let files = || "abcdefgh".chars();
    let rounds = [("2", "3", "7", "6"), ("3", "4", "6", "5")];
    let moves = rounds.iter().flat_map(|&(a, b, c, d)| {
        files().flat_map(move |file| [format!("{file}{a}{file}{b}"), format!("{file}{c}{file}{d}")])
    });
    for (ply, uci) in moves.enumerate() {
        let [mover, other] = match ply % 2 {
            0 => [&mut white, &mut black],
            _ => [&mut black, &mut white],
        };
        mover.play(ply as u32, &uci).await?;
        other.ply(ply as u32 + 1).await?;
    }
    white.say(&ClientMessage::Resign).await?;
    let path = format!("/api/games/{}", made.id);
    let look = |wanted: fn(&Snapshot) -> bool| {
        let (server, path) = (&server, &path);
        async move {
            for _ in 0..200 {
                if wanted(&server.get(path).await?) {
                    return Fallible::Ok(());
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            Err("it does not come to that".into())
        }
    };
    look(|game| game.now.result.is_some()).await?;
    let review = format!("{path}/review");
    let begun: ReviewState = post(&server, &review, "").await?;
    assert_eq!(begun.stage, ReviewStage::Running);
    let gone = ann.ask("DELETE", "/api/account", json!({ "password": word }));
    assert_eq!(gone.await?.status, 200);
    look(|game| game.now.players.white.name == "deleted").await?;
    // One that was done by then is begun anew.
    let _: ReviewState = post(&server, &review, "").await?;
    let (told, _) = ready(&server, &review).await?;
    assert_eq!(told.players.white, "deleted");
    assert_ne!(told.players.black, "deleted");
    let (folder, store) = server.stop_for_storage().await?;
    let kept = store.review(&made.id).await?.ok_or("not kept")?;
    assert!(!kept.body.contains("Ann"), "{}", kept.body);
    store.close().await;
    crate::common::remove(folder).await?;
    Ok(())
}
