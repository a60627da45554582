//! Games as players meet them: made, played, left, resumed after a restart, watched, listed.

use crate::common::{Fallible, Request, Socket, TestServer};
use server::wire::{
    AttemptNow, AttemptProgress, Chapter, ClientMessage, GameCard, GameMade, LessonCard,
    LessonDetail, PgnAnswer, PgnMove, PositionAnswer, ReachAnswer, RulesText, RunningPage,
    ServerMessage, Side, Snapshot, Stage, VariantCard, VariantDetail,
};
use std::time::Duration;

#[tokio::test(flavor = "multi_thread")]
async fn the_engine_answers_and_gives_moves_back() -> Fallible<()> {
    let server = TestServer::start("engine", |_| ()).await?;
    let made = server
        .make(r#"{"variant":"alhusun","side":"white","level":1}"#)
        .await?;
    assert!(made.friend_seat.is_none());
    let (mut white, snapshot) = server.join(&made.id, Some(&made.seat)).await?;
    assert_eq!(snapshot.now.stage, Stage::Playing);
    let first = snapshot.now.legal.first().ok_or("no legal move")?.clone();
    white.play(0, &first).await?;
    white.ply(1).await?;
    let now = white.ply(2).await?;
    assert_eq!(now.turn, Some(Side::White));
    white
        .say(&ClientMessage::Takeback { ply: 2, seq: None })
        .await?;
    assert_eq!(white.ply(0).await?.turn, Some(Side::White));
    white.play(0, &first).await?;
    white.ply(2).await?;
    // The engine answers an offer, and goes on whatever its answer is.
    white
        .say(&ClientMessage::Draw { ply: 2, seq: None })
        .await?;
    let now = white
        .until(|m| match m {
            ServerMessage::Update { now, .. } if now.draw_offer.is_none() => Some(*now),
            _ => None,
        })
        .await?;
    assert!(
        now.result.is_none(),
        "it does not take a draw in the second move"
    );
    white.say(&ClientMessage::Resign).await?;
    let over = white
        .until(|m| match m {
            ServerMessage::Update { now, .. } => now.result,
            _ => None,
        })
        .await?;
    assert_eq!(
        (over.winner, over.reason.as_str()),
        (Some(Side::Black), "resignation")
    );
    white.say(&ClientMessage::Rematch).await?;
    let next = white
        .until(|m| match m {
            ServerMessage::Update { now, .. } => now.rematch,
            _ => None,
        })
        .await?;
    let (_, snapshot) = server.join(&next, Some(&made.seat)).await?;
    assert_eq!(
        snapshot.own,
        Some(Side::Black),
        "sides are changed, the link holds"
    );
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_engine_found_for_a_move_taken_back_is_not_played() -> Fallible<()> {
    let server = TestServer::start("stale", |_| ()).await?;
    // The queen's check leaves the king to a7 and b8; on b6 she takes both from him.
    let made = server
        .make(r#"{"variant":"chess","side":"white","level":8,"fen":"k7/8/8/7p/8/8/3K4/1Q4r1 w - - 0 1"}"#)
        .await?;
    let (mut white, _) = server.join(&made.id, Some(&made.seat)).await?;
    white.play(0, "b1e4").await?;
    white.ply(1).await?;
    white
        .say(&ClientMessage::Takeback { ply: 1, seq: None })
        .await?;
    white.ply(0).await?;
    white.play(0, "b1b6").await?;
    white.ply(1).await?;
    let now = white.ply(2).await?;
    assert_eq!(now.turn, Some(Side::White));
    server.end().await
}

async fn friends(server: &TestServer, wishes: &str) -> Fallible<(GameMade, Socket, Socket)> {
    let made = server.make(wishes).await?;
    let (mut white, _) = server.join(&made.id, Some(&made.seat)).await?;
    let friend = made.friend_seat.clone().ok_or("no seat for the friend")?;
    let (black, snapshot) = server.join(&made.id, Some(&friend)).await?;
    white.ply(0).await?;
    // From now on the friend's own word opens the seat.
    let friend_seat = snapshot.seat;
    Ok((
        GameMade {
            friend_seat,
            ..made
        },
        white,
        black,
    ))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_goes_on_after_a_restart() -> Fallible<()> {
    let mut server = TestServer::start("restart", |_| ()).await?;
    let wishes =
        r#"{"variant":"citadelir2024","side":"white","clock":"tiger:5m+3s","takebacks":true}"#;
    let (made, mut white, mut black) = friends(&server, wishes).await?;
    let start: Snapshot = server.get(&format!("/api/games/{}", made.id)).await?;
    let mut legal = start.now.legal;
    for ply in 0..3 {
        let mover = if ply % 2 == 0 { &mut white } else { &mut black };
        mover.play(ply, legal.last().ok_or("no move")?).await?;
        legal = mover.ply(ply + 1).await?.legal;
    }
    white
        .say(&ClientMessage::Chat {
            text: "good luck".into(),
        })
        .await?;
    black
        .until(|m| matches!(m, ServerMessage::Chat(_)).then_some(()))
        .await?;
    let before: Snapshot = server.get(&format!("/api/games/{}", made.id)).await?;
    let folder = server.stop().await?;
    tokio::time::sleep(Duration::from_millis(700)).await;
    server = TestServer::start("restart", |c| c.data = folder).await?;
    let (mut white, after) = server.join(&made.id, Some(&made.seat)).await?;
    assert_eq!(before.moves, after.moves);
    assert_eq!(
        (before.start, before.now.legal),
        (after.start, after.now.legal.clone())
    );
    assert_eq!(after.chat.len(), 1);
    let left = |s: &Option<server::wire::Clocks>| s.as_ref().map(|c| c.times.black.main_ms);
    let (was, is) = (
        left(&before.now.clocks).ok_or("")?,
        left(&after.now.clocks).ok_or("")?,
    );
    assert!(
        was - is < 600,
        "{was} ms became {is}: time while down is nobody's"
    );
    let friend = made.friend_seat.ok_or("no seat")?;
    let (mut black, _) = server.join(&made.id, Some(&friend)).await?;
    let text = after.now.legal.first().ok_or("no move")?.clone();
    black.play(3, &text).await?;
    assert_eq!(white.ply(4).await?.turn, Some(Side::White));
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn friends_agree_on_draws_and_takebacks_while_others_watch() -> Fallible<()> {
    let server = TestServer::start("friends", |_| ()).await?;
    let (made, mut white, mut black) = friends(
        &server,
        r#"{"variant":"chess","side":"white","takebacks":true,"public":true}"#,
    )
    .await?;
    let (private, _white, _black) =
        friends(&server, r#"{"variant":"chess","side":"white"}"#).await?;
    let (mut watcher, snapshot) = server.join(&made.id, None).await?;
    assert_eq!(snapshot.own, None);
    white.play(0, "e4").await?;
    watcher.ply(1).await?;
    white
        .say(&ClientMessage::Takeback { ply: 1, seq: None })
        .await?;
    black
        .until(|m| match m {
            ServerMessage::Update { now, .. } => now.takeback_offer,
            _ => None,
        })
        .await?;
    black
        .say(&ClientMessage::Takeback { ply: 1, seq: None })
        .await?;
    watcher.ply(0).await?;
    white.play(0, "d4").await?;
    white
        .say(&ClientMessage::Draw { ply: 1, seq: None })
        .await?;
    black
        .until(|m| match m {
            ServerMessage::Update { now, .. } => now.draw_offer,
            _ => None,
        })
        .await?;
    let watchable: RunningPage = server.get("/api/running").await?;
    assert!(watchable.games.iter().any(|c| c.id == made.id));
    assert!(
        !watchable.games.iter().any(|c| c.id == private.id),
        "private unless wished otherwise"
    );
    assert!(snapshot.public);
    let hidden = server
        .make(r#"{"variant":"chess","side":"white","level":1,"public":false}"#)
        .await?;
    let (_player, snapshot) = server.join(&hidden.id, Some(&hidden.seat)).await?;
    assert!(!snapshot.public && snapshot.now.stage == Stage::Playing);
    let watchable: RunningPage = server.get("/api/running").await?;
    assert!(
        !watchable.games.iter().any(|c| c.id == hidden.id),
        "nor is one against the engine where that is wished"
    );
    // A stranger who asks for games of the own finds none of either.
    let own: Vec<GameCard> = server.get("/api/me/games").await?;
    assert!(own.is_empty(), "{own:?}");
    let seen: Snapshot = server.get(&format!("/api/games/{}", private.id)).await?;
    assert_eq!(seen.own, None, "who has the address watches");
    black
        .say(&ClientMessage::Draw { ply: 1, seq: None })
        .await?;
    let result = watcher
        .until(|m| match m {
            ServerMessage::Update { now, .. } => now.result,
            ServerMessage::Chat(_) => panic!("those who watch are not told the chat"),
            _ => None,
        })
        .await?;
    assert_eq!((result.winner, result.reason.as_str()), (None, "agreement"));
    white.say(&ClientMessage::Rematch).await?;
    black
        .until(|m| match m {
            ServerMessage::Update { now, .. } => now.rematch_offer,
            _ => None,
        })
        .await?;
    black.say(&ClientMessage::Rematch).await?;
    let next = white
        .until(|m| match m {
            ServerMessage::Update { now, .. } => now.rematch,
            _ => None,
        })
        .await?;
    let (_, snapshot) = server.join(&next, Some(&made.seat)).await?;
    assert_eq!(snapshot.own, Some(Side::Black));
    let pgn = server
        .ask(Request::get(&format!("/api/games/{}/pgn", made.id)))
        .await?;
    assert!(pgn.body.contains("1. d4 1/2-1/2"), "{}", pgn.body);
    for (tag, shape) in [
        ("Date", "dddd.dd.dd"),
        ("UTCDate", "dddd.dd.dd"),
        ("UTCTime", "dd:dd:dd"),
    ] {
        let start = format!("[{tag} \"");
        let value = pgn
            .body
            .split(&start)
            .nth(1)
            .and_then(|r| r.split('"').next());
        let value = value.ok_or("no date")?;
        let digits = value.replace(|c: char| c.is_ascii_digit(), "d");
        assert_eq!(digits, shape, "{}", pgn.body);
    }
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_green_gem_scores_five_points() -> Fallible<()> {
    let server = TestServer::start("gem", |_| ()).await?;
    // Black has both Princes; the War Machine takes the younger on the last rank and mates the elder.
    let fen = "k7y/7W1/9/9/9/9/9/4K3W w - - - 0 1";
    let described = server
        .ask(Request::post(
            "/api/position",
            &format!(r#"{{"variant":"citadel8","fen":"{fen}","moves":["i1i8"]}}"#),
        ))
        .await?;
    let answer: PositionAnswer = described.json()?;
    let result = answer.result.ok_or("no result")?;
    assert_eq!(
        (result.reason.as_str(), result.points.white),
        ("green gem", 5.0)
    );
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn all_games_are_told_with_pictures_and_moves() -> Fallible<()> {
    let server = TestServer::start("games", |c| c.limits.requests_per_second = 0).await?;
    let cards: Vec<VariantCard> = server.get("/api/variants").await?;
    assert_eq!(cards.len(), games::ids().count());
    for card in &cards {
        let id = &card.id;
        let detail: VariantDetail = server.get(&format!("/api/variants/{id}")).await?;
        assert!(!detail.pieces.is_empty(), "{id}");
        let rules: RulesText = server.get(&format!("/api/variants/{id}/rules")).await?;
        let titled = |c: &Chapter| !c.title.is_empty() && !c.html.is_empty();
        assert!(
            rules.chapters.iter().filter(|c| titled(c)).count() > 2,
            "{id}"
        );
        for path in [
            "board.svg",
            "board.svg?theme=dark&board=wood",
            "empty.svg",
            "pieces/themed.css",
            "pieces/letters.css",
        ] {
            let answer = server
                .ask(Request::get(&format!("/api/variants/{id}/{path}")))
                .await?;
            assert_eq!(answer.status, 200, "{id}/{path}");
            assert!(answer.body.len() > 500, "{id}/{path}");
        }
        let html: String = rules.chapters.iter().map(|c| c.html.as_str()).collect();
        for address in html.split("<img src=\"").skip(1) {
            let address = address.split('"').next().unwrap_or_default();
            for query in ["", "?theme=dark&set=letters"] {
                let answer = server
                    .ask(Request::get(&format!("{address}{query}")))
                    .await?;
                assert_eq!(answer.status, 200, "{address}{query}");
                assert!(answer.body.starts_with("<svg "), "{address}{query}");
            }
        }
        let piece = &detail.pieces[0];
        let from = format!("{}{}", 'd', 4);
        let body = format!(
            r#"{{"letter":"{}","side":"white","from":"{from}"}}"#,
            piece.letter
        );
        let path = format!("/api/variants/{id}/reach");
        let reach: ReachAnswer = server.ask(Request::post(&path, &body)).await?.json()?;
        assert!(!reach.moves.is_empty(), "{id} {}", piece.letter);
        let body = format!(r#"{{"variant":"{id}"}}"#);
        let start: PositionAnswer = server
            .ask(Request::post("/api/position", &body))
            .await?
            .json()?;
        assert!(!start.legal.is_empty() && start.result.is_none(), "{id}");
    }
    let text = r#"{"text":"[Variant \"chess\"]\n\n1. e4! e5 $14 $140 (1... {or} c5?! {sharp} 2. Nf3) 2. Nf3 *"}"#;
    let pgn: PgnAnswer = server.ask(Request::post("/api/pgn", text)).await?.json()?;
    assert_eq!((pgn.line.len(), pgn.line[1].variations.len()), (3, 1));
    let other = &pgn.line[1].variations[0][0];
    assert_eq!(
        (&other.before[..], &other.comments[..]),
        (&["or".to_owned()][..], &["sharp".to_owned()][..])
    );
    let said = |m: &PgnMove| (m.nags.clone(), m.signs.clone());
    assert_eq!(said(&pgn.line[0]), (vec![1], "!".into()));
    assert_eq!(said(&pgn.line[1]), (vec![14, 140], " +/= $140".into()));
    assert_eq!(said(other), (vec![6], "?!".into()));
    server.end().await
}

/// A lesson as a client does it: the list, the lesson, its moves one after the other.
#[tokio::test(flavor = "multi_thread")]
async fn a_lesson_is_told_and_judged() -> Fallible<()> {
    let server = TestServer::start("lessons", |_| ()).await?;
    let cards: Vec<LessonCard> = server.get("/api/variants/citadel9/lessons").await?;
    assert_eq!(cards[0].id, "five-minutes");
    let pieces = cards.iter().filter(|c| c.letter.is_some()).count();
    assert_eq!(pieces, 12);
    for card in cards.iter().take(3) {
        let path = format!("/api/variants/citadel9/lessons/{}", card.id);
        let lesson: LessonDetail = server.get(&path).await?;
        assert_eq!(lesson.tasks.len(), card.tasks);
        for (number, task) in (1..).zip(&lesson.tasks) {
            for played in 0..=task.solution.len() {
                let body = serde_json::json!({ "moves": task.solution[..played] });
                let path = format!("{path}/{number}");
                let answer = server.ask(Request::post(&path, &body.to_string())).await?;
                let now: AttemptNow = answer.json()?;
                let done = played == task.solution.len();
                assert_eq!(
                    now.progress == AttemptProgress::Done,
                    done,
                    "{path} {played}"
                );
                if let Some(moved) = &now.moved {
                    assert_eq!(Some(&moved.last), task.solution[..played].last());
                    assert_ne!(
                        (&moved.fen, Some(&moved.last)),
                        (&now.fen, now.last.as_ref())
                    );
                }
                if played == 0 {
                    assert!(now.moved.is_none());
                    assert_eq!(
                        (now.fen, now.legal),
                        (task.start.fen.clone(), task.start.legal.clone())
                    );
                }
            }
        }
    }
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_document_describes_every_message() -> Fallible<()> {
    let server = TestServer::start("document", |_| ()).await?;
    let document: serde_json::Value = server.get("/api/openapi.json").await?;
    for schema in [
        "ClientMessage",
        "ServerMessage",
        "NewGame",
        "Snapshot",
        "AnalyseQuestion",
    ] {
        assert!(
            document["components"]["schemas"][schema].is_object(),
            "{schema}"
        );
    }
    let kept: serde_json::Value = serde_json::from_str(include_str!("../../../web/openapi.json"))?;
    assert!(
        document == kept,
        "write it anew: husun openapi > web/openapi.json"
    );
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn analysis_is_told_in_lines_and_ends_when_asked() -> Fallible<()> {
    let server = TestServer::start("analysis", |_| ()).await?;
    let mut socket = server.socket().await?;
    socket
        .send(r#"{"type":"analyse","n":7,"variant":"chess","fen":"6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1","lines":2}"#)
        .await?;
    let lines = socket
        .until(|m| match m {
            ServerMessage::Analysis {
                n: 7, lines, depth, ..
            } if depth > 2 => Some(lines),
            _ => None,
        })
        .await?;
    assert_eq!(lines.len(), 2);
    assert_eq!((lines[0].mate, lines[0].san[0].as_str()), (Some(1), "Ra8#"));
    socket.say(&ClientMessage::StopAnalysis).await?;
    socket
        .send(r#"{"type":"analyse","n":8,"variant":"chess","moves":["e2e5"]}"#)
        .await?;
    assert_eq!(socket.refusal().await?, "illegal_move");
    server.end().await
}
