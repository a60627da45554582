//! What must be refused with a reason, while nobody else's game is touched.

#[path = "../common/mod.rs"]
mod common;
mod sockets;

use common::{Fallible, Request, Socket, TestServer};
use server::wire::{ClientMessage, GameMade, Refusal, ServerMessage, Stage};

const FRIENDS: &str = r#"{"variant":"citadel8","side":"white"}"#;

/// A game of two with both sockets.
async fn begun(server: &TestServer) -> Fallible<(GameMade, Socket, Socket)> {
    let made = server.make(FRIENDS).await?;
    let (mut white, _) = server.join(&made.id, Some(&made.seat)).await?;
    let friend = made.friend_seat.clone().ok_or("no seat for the friend")?;
    let (black, snapshot) = server.join(&made.id, Some(&friend)).await?;
    assert_eq!(snapshot.now.stage, Stage::Playing);
    white.ply(0).await?;
    Ok((made, white, black))
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_messages_are_refused_and_the_game_goes_on() -> Fallible<()> {
    let server = TestServer::start("messages", |c| c.limits.messages_per_second = 0).await?;
    let (made, mut white, mut black) = begun(&server).await?;
    let long = format!(r#"{{"type":"chat","text":"{}"}}"#, "x".repeat(600));
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    for (text, code) in [
        ("", "malformed"),
        ("hello", "malformed"),
        ("{}", "malformed"),
        ("[1,2", "malformed"),
        (r#"{"type":"fly"}"#, "malformed"),
        (r#"{"type":"move"}"#, "malformed"),
        (r#"{"type":"move","ply":-1,"text":"e2e4"}"#, "malformed"),
        (
            r#"{"type":"move","ply":0,"text":"e2e4","extra":1}"#,
            "malformed",
        ),
        (
            r#"{"type":"move","ply":99999999999,"text":"e2e4"}"#,
            "malformed",
        ),
        (r#"{"type":"move","ply":0,"text":"e2e9"}"#, "illegal_move"),
        (
            r#"{"type":"move","ply":0,"text":"\u0000\ud83d\ude00"}"#,
            "illegal_move",
        ),
        (r#"{"type":"move","ply":7,"text":"e2e4"}"#, "stale"),
        (r#"{"type":"accept","ply":0}"#, "not_now"),
        (r#"{"type":"takeback","ply":0}"#, "not_now"),
        (r#"{"type":"decline_draw","ply":0}"#, "not_now"),
        (r#"{"type":"rematch"}"#, "not_over"),
        (r#"{"type":"claim","claim":"win"}"#, "not_now"),
        (r#"{"type":"claim","claim":"all"}"#, "malformed"),
        (r#"{"type":"claim"}"#, "malformed"),
        (r#"{"type":"choose","name":"ranks","value":"9"}"#, "choice"),
        (r#"{"type":"appoint","engine":true}"#, "not_now"),
        (r#"{"type":"ask_counsel","ply":0}"#, "not_now"),
        (r#"{"type":"advise","text":"no"}"#, "not_your_seat"),
        (r#"{"type":"chat","text":""}"#, "text"),
        (&long, "text"),
        (&deep, "malformed"),
    ] {
        white.send(text).await?;
        let found = white.refusal().await?;
        assert_eq!(found, code, "{}", text.chars().take(80).collect::<String>());
    }
    white.send_binary(vec![0; 100]).await?;
    assert_eq!(white.refusal().await?, "malformed");
    // Out of turn.
    black.play(0, "e7e5").await?;
    assert_eq!(black.refusal().await?, "not_your_turn");
    // And nothing has happened to the game.
    white.play(0, "e2e4").await?;
    assert_eq!(black.ply(1).await?.ply, 1);
    // The same move again is no second move.
    white.play(0, "e2e4").await?;
    black.play(1, "e7e5").await?;
    let now = white.ply(2).await?;
    assert_eq!(now.ply, 2);
    // A message that is too long ends its socket, not the game.
    let _ = white.send("x".repeat(1 << 20)).await;
    while white.hear().await.is_ok() {}
    let (_, snapshot) = server.join(&made.id, Some(&made.seat)).await?;
    assert_eq!(snapshot.moves.len(), 2);
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn seats_are_opened_by_their_secrets_alone() -> Fallible<()> {
    let server = TestServer::start("seats", |_| ()).await?;
    let (made, mut white, _black) = begun(&server).await?;
    // A stranger watches and can do nothing else.
    let (mut stranger, snapshot) = server.join(&made.id, None).await?;
    assert_eq!((snapshot.own, snapshot.chat.len()), (None, 0));
    for message in [
        ClientMessage::Resign,
        ClientMessage::Abort,
        ClientMessage::Draw { ply: 0, seq: None },
        ClientMessage::Chat { text: "hi".into() },
        ClientMessage::Move {
            ply: 0,
            seq: None,
            text: "e2e4".into(),
        },
    ] {
        stranger.say(&message).await?;
        assert_eq!(stranger.refusal().await?, "not_your_seat");
    }
    // Guessed, cut and foreign secrets.
    let other = server.make(FRIENDS).await?;
    for seat in ["x", &made.seat[1..], &made.seat.to_uppercase(), &other.seat] {
        let mut socket = server.socket().await?;
        let error = socket
            .join(&made.id, Some(seat))
            .await
            .err()
            .ok_or("joined")?;
        assert!(error.to_string().contains("opens no seat"), "{error}");
    }
    for game in [
        "",
        "nosuchgame",
        "../../etc/passwd",
        "%00",
        &"a".repeat(5000),
    ] {
        let mut socket = server.socket().await?;
        let error = socket.join(game, None).await.err().ok_or("joined")?;
        assert!(error.to_string().contains("no such game"), "{error}");
    }
    // Actions without a game.
    let mut socket = server.socket().await?;
    socket.say(&ClientMessage::Resign).await?;
    assert_eq!(socket.refusal().await?, "no_game");
    white.play(0, "e2e4").await?;
    assert_eq!(white.ply(1).await?.stage, Stage::Playing);
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn forged_cookies_open_nothing() -> Fallible<()> {
    let server = TestServer::start("cookies", |_| ()).await?;
    let made = server.ask(Request::post("/api/games", FRIENDS)).await?;
    let cookie = made.cookie().ok_or("no cookie")?.to_owned();
    let game: GameMade = made.json()?;
    // The real one opens the seat.
    let mut own = Socket::open(server.address, &[("cookie", &cookie)]).await?;
    assert!(own.join(&game.id, None).await?.own.is_some());
    let unsigned = cookie
        .rsplit_once("%3D")
        .map(|(_, value)| format!("husun={value}"));
    let mut changed = cookie.clone();
    let last = changed.pop();
    changed.push(if last == Some('1') { '2' } else { '1' });
    for forged in [
        unsigned.unwrap_or_default(),
        changed,
        "husun=".into(),
        "husun=%%%".into(),
    ] {
        let mut socket = Socket::open(server.address, &[("cookie", &forged)]).await?;
        assert_eq!(socket.join(&game.id, None).await?.own, None, "{forged}");
    }
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_other_sites_are_kept_out() -> Fallible<()> {
    let server = TestServer::start("origins", |c| {
        c.origins = vec!["https://play.example.org".into()]
    })
    .await?;
    let own = format!("http://{}", server.address);
    for (origin, status) in [
        ("https://evil.example", 403),
        ("null", 403),
        ("http://127.0.0.1:1", 403),
        ("https://play.example.org.evil.example", 403),
        ("https://play.example.org", 201),
        (&own, 201),
    ] {
        let headers = [("origin", origin)];
        let answer = server
            .ask(Request::post("/api/games", FRIENDS).with(&headers))
            .await?;
        assert_eq!(answer.status, status, "{origin}");
        let socket = Socket::open(server.address, &[("origin", origin)]).await;
        assert_eq!(socket.is_ok(), status == 201, "{origin}");
    }
    let headers = [("sec-fetch-site", "cross-site")];
    let answer = server
        .ask(Request::post("/api/games", FRIENDS).with(&headers))
        .await?;
    assert_eq!(answer.status, 403);
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn floods_are_stopped_and_others_play_on() -> Fallible<()> {
    let server = TestServer::start("floods", |c| {
        c.limits.messages_per_second = 10;
        c.limits.sockets_per_address = 20;
        c.limits.games_per_minute = 30;
    })
    .await?;
    let (_, mut white, mut black) = begun(&server).await?;
    let mut flood = server.socket().await?;
    let start = std::time::Instant::now();
    for n in 0..200 {
        if flood.say(&ClientMessage::Ping { n }).await.is_err() {
            break;
        }
    }
    let (mut refused, mut done) = (0, 0);
    let closed = loop {
        match flood.hear().await {
            Ok(ServerMessage::Refused { code, .. }) => {
                assert_eq!(code, "rate");
                refused += 1;
            }
            Ok(ServerMessage::Pong { .. }) => done += 1,
            Ok(_) => {}
            Err(error) => break error.to_string(),
        }
    };
    assert!(refused > 20, "{refused} refusals, then {closed}");
    // What is refused is not done.
    let most = 60 + 10 * start.elapsed().as_secs();
    assert!(done <= most, "{done} done beside {refused} refusals");
    let mut open = Vec::new();
    for _ in 0..40 {
        open.extend(server.socket().await.ok());
    }
    assert!(open.len() < 20, "{} sockets", open.len());
    let mut statuses = Vec::new();
    for _ in 0..40 {
        statuses.push(
            server
                .ask(Request::post("/api/games", FRIENDS))
                .await?
                .status,
        );
    }
    assert!(
        statuses.contains(&201) && statuses.ends_with(&[429, 429]),
        "{statuses:?}"
    );
    white.play(0, "e2e4").await?;
    assert_eq!(black.ply(1).await?.ply, 1);
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_out_of_form_are_told_why() -> Fallible<()> {
    let server = TestServer::start("requests", |_| ()).await?;
    let huge = format!(r#"{{"variant":"chess","name":"{}"}}"#, "x".repeat(100_000));
    let moves = format!(
        r#"{{"variant":"chess","moves":[{}"e4"]}}"#,
        r#""e4","#.repeat(3000)
    );
    let lesson_moves = format!(r#"{{"moves":[{}"a1a1"]}}"#, r#""a1a1","#.repeat(3000));
    for (path, body, status, word) in [
        ("/api/games", "", 400, "EOF"),
        ("/api/games", "[]", 422, "exactly one of variant and family"),
        ("/api/games", r#"{"variant":"checkers"}"#, 422, "alhusun"),
        (
            "/api/games",
            r#"{"variant":"chess","family":"Citadel"}"#,
            422,
            "exactly one",
        ),
        (
            "/api/games",
            r#"{"family":"Draughts"}"#,
            422,
            "Citadel or TigerSquares",
        ),
        (
            "/api/games",
            r#"{"family":"Citadel","level":3}"#,
            422,
            "two people",
        ),
        (
            "/api/games",
            r#"{"variant":"chess","level":9}"#,
            422,
            "1 to 8",
        ),
        (
            "/api/games",
            r#"{"variant":"chess","clock":"fischer:5m"}"#,
            422,
            "clock",
        ),
        (
            "/api/games",
            r#"{"variant":"chess","fen":"8/8 w - - 0 1"}"#,
            422,
            "rank",
        ),
        (
            "/api/games",
            r#"{"variant":"chess","setup":"odd"}"#,
            422,
            "standard",
        ),
        (
            "/api/games",
            r#"{"variant":"chess","colour":"red"}"#,
            422,
            "colour",
        ),
        ("/api/games", &huge, 413, ""),
        ("/api/position", &moves, 422, "2000"),
        (
            "/api/position",
            r#"{"variant":"chess","moves":["e5"]}"#,
            422,
            "move 1",
        ),
        ("/api/pgn", r#"{"text":"1. e4 e5 2. Ke3 *"}"#, 422, "Ke3"),
        (
            "/api/variants/chess/reach",
            r#"{"letter":"Z","side":"white","from":"a1"}"#,
            422,
            "K",
        ),
        (
            "/api/variants/chess/reach",
            r#"{"letter":"K","side":"white","from":"z9"}"#,
            422,
            "z",
        ),
        (
            "/api/variants/x/reach",
            r#"{"letter":"K","side":"white","from":"a1"}"#,
            404,
            "chess",
        ),
        (
            "/api/variants/chess/lessons/rook/1",
            r#"{"moves":["a9a1"]}"#,
            422,
            "move 1",
        ),
        (
            "/api/variants/chess/lessons/rook/1",
            &lesson_moves,
            422,
            "expected at most",
        ),
        (
            "/api/variants/chess/lessons/rook/0",
            r#"{"moves":[]}"#,
            404,
            "1 to 3",
        ),
        (
            "/api/variants/chess/lessons/rook/x",
            r#"{"moves":[]}"#,
            404,
            "1 to 3",
        ),
        (
            "/api/variants/chess/lessons/dragon/1",
            r#"{"moves":[]}"#,
            404,
            "rook",
        ),
        (
            "/api/variants/x/lessons/rook/1",
            r#"{"moves":[]}"#,
            404,
            "chess",
        ),
        (
            "/api/variants/chess/lessons/rook/1",
            r#"{"moves":[],"task":2}"#,
            422,
            "task",
        ),
        (
            "/api/variants/chess/targets",
            r#"{"fen":"8/8/8/8/8/8/8/Z7 w - - 0 1","from":"a1"}"#,
            422,
            "Z",
        ),
        ("/api/nothing", "{}", 404, "openapi"),
        ("/api/variants", "{}", 405, "method"),
    ] {
        let answer = server.ask(Request::post(path, body)).await?;
        let told = body.chars().take(60).collect::<String>();
        assert_eq!(answer.status, status, "{path} {told}: {}", answer.body);
        let refusal: Refusal = answer.json()?;
        assert!(
            refusal.message.contains(word),
            "{path} {told}: {}",
            refusal.message
        );
    }
    for path in [
        "/assets/x.js",
        "/../../etc/passwd",
        "/assets/..%2f..%2fCargo.toml",
    ] {
        let answer = server.ask(Request::get(path)).await?;
        assert!(
            !answer.body.contains("root:") && !answer.body.contains("[package]"),
            "{path}"
        );
    }
    let headers = [("content-type", "text/plain")];
    let plain = server
        .ask(Request::post("/api/games", FRIENDS).with(&headers))
        .await?;
    assert_eq!(plain.status, 415);
    let page = server.ask(Request::get("/api/variants")).await?;
    for header in [
        "content-security-policy",
        "x-content-type-options",
        "x-frame-options",
    ] {
        assert!(page.head.contains(header), "{header}");
    }
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invitation_is_not_a_seat() -> Fallible<()> {
    let server = TestServer::start("invitation", |_| ()).await?;
    let made = server.make(FRIENDS).await?;
    let (mut white, _) = server.join(&made.id, Some(&made.seat)).await?;
    let invitation = made.friend_seat.clone().ok_or("no invitation")?;
    let (mut black, told) = server.join(&made.id, Some(&invitation)).await?;
    white.ply(0).await?;
    let own = told.seat.ok_or("no word of the own")?;
    assert_ne!(own, invitation);
    // The maker knows the invitation, and nothing more.
    let mut maker = server.socket().await?;
    let error = maker
        .join(&made.id, Some(&invitation))
        .await
        .err()
        .ok_or("sat down")?;
    assert!(error.to_string().contains("already used it"), "{error}");
    maker.say(&ClientMessage::Resign).await?;
    assert!(matches!(
        maker.refusal().await?.as_str(),
        "no_game" | "not_your_seat"
    ));
    // Storage holds no word that opens anything.
    for name in ["husun.sqlite", "husun.sqlite-wal"] {
        let bytes = std::fs::read(server.folder.join(name))?;
        for word in [&own, &invitation, &made.seat] {
            let found = bytes.windows(word.len()).any(|w| w == word.as_bytes());
            assert!(!found, "{name} holds a seat's word");
        }
    }
    // The friend's own word opens the seat on any device.
    let (mut elsewhere, told) = server.join(&made.id, Some(&own)).await?;
    assert_eq!(told.own, Some(server::wire::Side::Black));
    white.play(0, "e2e4").await?;
    black.ply(1).await?;
    elsewhere.play(1, "e7e5").await?;
    white.ply(2).await?;
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rematch_is_a_game_made() -> Fallible<()> {
    let server = TestServer::start("rematches", |c| {
        c.limits.games_per_minute = 10;
        c.limits.messages_per_second = 0;
    })
    .await?;
    let wishes = r#"{"variant":"chess","side":"white","level":1}"#;
    let mut made = server.make(wishes).await?;
    let mut games = 1;
    let refused = loop {
        let (mut socket, _) = server.join(&made.id, Some(&made.seat)).await?;
        socket.say(&ClientMessage::Abort).await?;
        socket.say(&ClientMessage::Rematch).await?;
        let next = socket
            .until(|m| match m {
                ServerMessage::Update { now, .. } => now.rematch.map(Ok),
                ServerMessage::Refused { code, .. } => Some(Err(code)),
                _ => None,
            })
            .await?;
        match next {
            Ok(id) => made.id = id,
            Err(code) => break code,
        }
        games += 1;
        assert!(games < 100, "{games} games from one address");
    };
    assert_eq!(
        (refused.as_str(), games <= 11),
        ("rate", true),
        "{games} games"
    );
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replaced_counsellor_watches() -> Fallible<()> {
    let server = TestServer::start("counsellor", |_| ()).await?;
    let made = server
        .make(r#"{"variant":"strike80","side":"white"}"#)
        .await?;
    let (mut white, _) = server.join(&made.id, Some(&made.seat)).await?;
    let friend = made.friend_seat.clone().ok_or("no invitation")?;
    let (_black, _) = server.join(&made.id, Some(&friend)).await?;
    white.say(&ClientMessage::Appoint { engine: false }).await?;
    let link = white
        .until(|m| match m {
            ServerMessage::CounselLink { seat } => Some(seat),
            _ => None,
        })
        .await?;
    let (mut counsellor, told) = server.join(&made.id, Some(&link)).await?;
    assert_eq!(told.counsels, Some(server::wire::Side::White));
    white.say(&ClientMessage::Appoint { engine: true }).await?;
    let told = counsellor
        .until(|m| match m {
            ServerMessage::Snapshot(snapshot) => Some(snapshot),
            _ => None,
        })
        .await?;
    assert_eq!((told.counsels, told.seat), (None, None));
    let advice = ClientMessage::Advise { text: "no".into() };
    counsellor.say(&advice).await?;
    assert_eq!(counsellor.refusal().await?, "not_your_seat");
    server.end().await
}
