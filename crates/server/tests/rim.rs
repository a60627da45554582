//! The rim of the server: what every request and answer has, whatever it is about, and what keeps a crowd, a slow
//! sender or a large text from taking it away from the others.

use crate::common::{Answer, Fallible, Request, Socket, TestServer};
use server::wire::{GameMade, PgnAnswer, Refusal, Rename};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const FRIENDS: &str = r#"{"variant":"citadel8","side":"white"}"#;

fn header<'a>(answer: &'a Answer, name: &str) -> Option<&'a str> {
    let mut lines = answer.head.lines().filter_map(|l| l.split_once(": "));
    lines
        .find(|(n, _)| n.eq_ignore_ascii_case(name))
        .map(|(_, value)| value)
}

/// A PGN text of so many moves that go to and fro.
fn shuffle(moves: usize) -> String {
    let round = ["Nf3", "Nf6", "Ng1", "Ng8"];
    let mut text = String::new();
    for n in 0..moves {
        text.push_str(round[n % 4]);
        text.push(' ');
    }
    text + "*"
}

fn pgn(text: &str) -> String {
    serde_json::json!({ "text": text }).to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn half_requests_shut_nobody_out() -> Fallible<()> {
    let server = TestServer::start("half", |c| c.limits.connections_per_address = 50).await?;
    let mut open = Vec::new();
    for _ in 0..300 {
        let mut stream = TcpStream::connect(server.address).await?;
        let _ = stream.write_all(b"GET / HTTP/1.1\r\nhost: x\r\n").await;
        open.push(stream);
    }
    // The first to be turned away are told so for a second each, the others are closed.
    tokio::time::sleep(Duration::from_millis(1500)).await;
    // From this address there is no place now, which is said; the run's time is noted all the same.
    let refused = server.ask(Request::get("/healthz")).await?;
    assert_eq!(
        (refused.status, refused.json::<Refusal>()?.code.as_str()),
        (503, "connections")
    );
    let noted = || std::fs::read_to_string(server.folder.join("alive"));
    let before = noted()?;
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_ne!(before, noted()?);
    // After a while they are gone, though their ends are open.
    let start = Instant::now();
    while server.ask(Request::get("/healthz")).await?.status != 200 {
        assert!(start.elapsed() < Duration::from_secs(15));
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
    drop(open);
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn sockets_outlive_what_ends_requests() -> Fallible<()> {
    let server = TestServer::start("outlive", |_| ()).await?;
    let mut socket = server.socket().await?;
    let start = Instant::now();
    // Longer than a head may take; pings are answered by the client's library while it listens.
    while start.elapsed() < Duration::from_secs(13) {
        let _ = tokio::time::timeout(Duration::from_secs(1), socket.hear()).await;
    }
    socket.send(r#"{"type":"ping","n":7}"#).await?;
    assert!(matches!(
        socket.hear().await?,
        server::wire::ServerMessage::Pong { n: 7 }
    ));
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn large_texts_are_bounded() -> Fallible<()> {
    let server = TestServer::start("texts", |c| c.limits.positions_per_second = 0).await?;
    let fits = server
        .ask(Request::post("/api/pgn", &pgn(&shuffle(5000))))
        .await?;
    assert_eq!(fits.json::<PgnAnswer>()?.line.len(), 5000);
    let long = format!("{{{}}} *", "x".repeat(1_000_000));
    let variations = format!("1. e4 {} *", "(1. d4 d5) ".repeat(2500));
    for (text, word) in [
        (
            shuffle(5001),
            "5001 moves with its variations, expected at most 5000",
        ),
        (variations, "5001 moves"),
        (long, "expected at most 1000000"),
    ] {
        let answer = server.ask(Request::post("/api/pgn", &pgn(&text))).await?;
        let refusal: Refusal = answer.json()?;
        assert_eq!(
            (answer.status, refusal.code.as_str()),
            (422, "pgn"),
            "{}",
            refusal.message
        );
        assert!(refusal.message.contains(word), "{}", refusal.message);
    }
    let huge = server
        .ask(Request::post("/api/pgn", &pgn(&"x".repeat(3 << 20))))
        .await?;
    assert_eq!(huge.status, 413);
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn many_texts_at_once_wait_or_are_told_so() -> Fallible<()> {
    let server = TestServer::start("many", |c| {
        c.limits.positions_per_second = 0;
        c.limits.requests_per_second = 0;
    })
    .await?;
    let (address, body) = (server.address, pgn(&shuffle(5000)));
    let mut asked = tokio::task::JoinSet::new();
    for _ in 0..100 {
        let body = body.clone();
        asked.spawn(
            async move { crate::common::ask(address, Request::post("/api/pgn", &body)).await },
        );
    }
    // Others are served meanwhile.
    let start = Instant::now();
    for _ in 0..10 {
        let answer = server
            .ask(Request::post("/api/position", r#"{"variant":"chess"}"#))
            .await?;
        assert_eq!(answer.status, 200);
    }
    let took = start.elapsed();
    let (mut read, mut busy) = (0, 0);
    while let Some(answer) = asked.join_next().await {
        let answer = answer??;
        match answer.status {
            200 => read += 1,
            503 => {
                assert_eq!(answer.json::<Refusal>()?.code, "busy");
                assert!(header(&answer, "retry-after").is_some(), "{}", answer.head);
                busy += 1;
            }
            status => return Err(format!("{status} {}", answer.body).into()),
        }
    }
    assert!(read >= 18 && busy > 0, "{read} read, {busy} told to wait");
    assert!(took < Duration::from_secs(10), "{took:?} for others");
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn work_is_charged_by_what_it_costs() -> Fallible<()> {
    let server = TestServer::start("charged", |c| c.limits.positions_per_second = 100).await?;
    let line = |moves: usize| {
        let moves: Vec<&str> = ["g1f3", "g8f6", "f3g1", "f6g8"]
            .into_iter()
            .cycle()
            .take(moves)
            .collect();
        serde_json::json!({ "variant": "chess", "moves": moves }).to_string()
    };
    assert_eq!(
        server
            .ask(Request::post("/api/position", &line(900)))
            .await?
            .status,
        200
    );
    for (path, body) in [
        ("/api/position", line(400)),
        ("/api/pgn", pgn(&shuffle(400))),
    ] {
        let answer = server.ask(Request::post(path, &body)).await?;
        assert_eq!(
            (answer.status, answer.json::<Refusal>()?.code.as_str()),
            (429, "rate"),
            "{path}"
        );
        assert!(header(&answer, "retry-after").is_some(), "{}", answer.head);
    }
    // What costs little is still to be had.
    assert_eq!(
        server
            .ask(Request::post("/api/position", &line(1)))
            .await?
            .status,
        200
    );
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn every_refusal_has_the_same_shape() -> Fallible<()> {
    let server = TestServer::start("shape", |_| ()).await?;
    let json = [("content-type", "application/json")];
    let bad_upgrade = [("upgrade", "websocket"), ("connection", "upgrade")];
    for (method, path, headers, status) in [
        ("GET", "/api/socket", &json[..], 400),
        ("GET", "/api/socket", &bad_upgrade[..], 400),
        ("POST", "/api/socket", &json[..], 405),
        ("GET", "/api/games/%ff", &json[..], 400),
        ("GET", "/api/variants/%ff/board.svg", &json[..], 400),
        ("GET", "/api/variants/chess/board.svg?x=1", &json[..], 400),
        ("GET", "/api", &json[..], 404),
        ("GET", "/api/", &json[..], 404),
        ("DELETE", "/api/games", &json[..], 405),
        ("TRACE", "/healthz", &json[..], 405),
        ("POST", "/metrics", &json[..], 405),
        ("POST", "/", &json[..], 405),
        ("DELETE", "/play", &json[..], 405),
        ("TRACE", "/rules/chess", &json[..], 405),
        ("PUT", "/index.html", &json[..], 405),
    ] {
        let request = Request {
            method,
            path,
            headers,
            body: "",
        };
        let answer = server.ask(request).await?;
        assert_eq!(answer.status, status, "{method} {path}: {}", answer.body);
        let refusal: Refusal = answer.json().map_err(|e| format!("{method} {path}: {e}"))?;
        assert!(!refusal.code.is_empty() && !refusal.message.is_empty());
        assert_eq!(
            header(&answer, "content-type"),
            Some("application/json"),
            "{path}"
        );
        if status == 405 {
            assert!(
                header(&answer, "allow").is_some(),
                "{method} {path}: {}",
                answer.head
            );
        }
    }
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_that_does_not_come_is_not_waited_for() -> Fallible<()> {
    let server = TestServer::start("slow-text", |_| ()).await?;
    let mut stream = TcpStream::connect(server.address).await?;
    let head = format!(
        "POST /api/position HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{{",
        server.address
    );
    stream.write_all(head.as_bytes()).await?;
    let mut text = Vec::new();
    let read = stream.read_to_end(&mut text);
    let _ = tokio::time::timeout(Duration::from_secs(40), read).await?;
    let text = String::from_utf8(text)?;
    assert!(
        text.starts_with("HTTP/1.1 504") && text.contains(r#""code":"timeout""#),
        "{text}"
    );
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_depends_on_the_guest_is_not_stored() -> Fallible<()> {
    let server = TestServer::start("store", |_| ()).await?;
    let made = server.ask(Request::post("/api/games", FRIENDS)).await?;
    assert_eq!(header(&made, "cache-control"), Some("no-store"));
    let made: GameMade = made.json()?;
    let game = format!("/api/games/{}", made.id);
    for path in [
        "/api/me",
        "/api/me/games",
        "/api/games",
        &game,
        "/api/games/nosuchgame",
    ] {
        let answer = server.ask(Request::get(path)).await?;
        assert_eq!(header(&answer, "cache-control"), Some("no-store"), "{path}");
    }
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_known_is_not_sent_again() -> Fallible<()> {
    let server = TestServer::start("known", |_| ()).await?;
    for path in [
        "/api/variants",
        "/api/variants/chess",
        "/api/variants/alhusun/pieces/themed.css",
        "/api/openapi.json",
    ] {
        let first = server.ask(Request::get(path)).await?;
        let tag = header(&first, "etag").ok_or("no tag")?.to_owned();
        let strong = tag.trim_start_matches("W/").to_owned();
        for known in [&tag, &strong, &format!("\"x\", {tag}"), "*"] {
            let headers = [("if-none-match", known)];
            let again = server.ask(Request::get(path).with(&headers)).await?;
            assert_eq!(
                (again.status, again.body.as_str()),
                (304, ""),
                "{path} {known}"
            );
        }
        let headers = [("if-none-match", "\"x\"")];
        let other = server.ask(Request::get(path).with(&headers)).await?;
        assert_eq!((other.status, other.body), (200, first.body), "{path}");
    }
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_client_is_sent_in_small_and_known_by_its_tag() -> Fallible<()> {
    let folder = std::env::temp_dir().join(format!("husun-pages-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("assets"))?;
    std::fs::write(
        folder.join("index.html"),
        "<!doctype html>".to_owned() + &"<p>x".repeat(5000),
    )?;
    let server = TestServer::start("client", |c| c.client = Some(folder.clone())).await?;
    let page = server.ask(Request::get("/game/abc")).await?;
    let tag = header(&page, "etag").ok_or("no tag")?.to_owned();
    let headers = [("if-none-match", tag.as_str())];
    assert_eq!(
        server
            .ask(Request::get("/game/abc").with(&headers))
            .await?
            .status,
        304
    );
    let mut stream = TcpStream::connect(server.address).await?;
    let head = format!(
        "GET / HTTP/1.1\r\nhost: {}\r\naccept-encoding: gzip, br\r\nconnection: close\r\n\r\n",
        server.address
    );
    stream.write_all(head.as_bytes()).await?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await?;
    let text = String::from_utf8_lossy(&bytes).to_lowercase();
    assert!(
        text.contains("content-encoding: br") && bytes.len() < 2000,
        "{}",
        bytes.len()
    );
    crate::common::remove(folder).await?;
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn other_names_lead_nowhere() -> Fallible<()> {
    async fn asked(server: &TestServer, host: &str, path: &str) -> Fallible<u16> {
        let mut stream = TcpStream::connect(server.address).await?;
        let head = format!("GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
        stream.write_all(head.as_bytes()).await?;
        let mut text = String::new();
        stream.read_to_string(&mut text).await?;
        Ok(text.split(' ').nth(1).ok_or("no status")?.parse()?)
    }
    let local = TestServer::start("local", |c| {
        c.origins = vec!["https://play.example.org/".into()];
    })
    .await?;
    for (host, status) in [
        ("127.0.0.1:8000", 200),
        ("localhost:5173", 200),
        ("LOCALHOST", 200),
        ("[::1]:8000", 200),
        ("192.0.2.1", 200),
        ("play.example.org", 200),
        ("play.example.org:8443", 200),
        ("evil.example", 421),
        ("evil.example:8000", 421),
        ("localhost.evil.example", 421),
        ("127.0.0.1.evil.example", 421),
        ("", 421),
    ] {
        assert_eq!(
            asked(&local, host, "/api/variants").await?,
            status,
            "{host}"
        );
    }
    // The origin with a slash at its end is the one that browsers send.
    let headers = [("origin", "https://play.example.org")];
    let made = local
        .ask(Request::post("/api/games", FRIENDS).with(&headers))
        .await?;
    assert_eq!(made.status, 201);
    local.end().await?;
    let listed = TestServer::start("listed", |c| c.hosts = vec!["play.example.org".into()]).await?;
    for (host, path, status) in [
        ("play.example.org", "/api/variants", 200),
        ("Play.Example.Org.:80", "/api/variants", 200),
        ("localhost", "/api/variants", 421),
        ("127.0.0.1", "/api/variants", 421),
        ("127.0.0.1", "/healthz", 200),
        ("localhost:8000", "/readyz", 200),
        ("evil.example", "/healthz", 421),
    ] {
        assert_eq!(asked(&listed, host, path).await?, status, "{host}{path}");
    }
    listed.end().await?;
    let proxied = TestServer::start("proxied-rim", |c| c.behind_proxy = true).await?;
    assert_eq!(asked(&proxied, "any.example", "/api/variants").await?, 200);
    proxied.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn operating_paths_are_limited_too() -> Fallible<()> {
    let server = TestServer::start("operating", |c| c.limits.requests_per_second = 2).await?;
    for path in ["/readyz", "/metrics"] {
        let mut last = 0;
        for _ in 0..40 {
            last = server.ask(Request::get(path)).await?.status;
        }
        assert_eq!(last, 429, "{path}");
    }
    for _ in 0..40 {
        assert_eq!(server.ask(Request::get("/healthz")).await?.status, 200);
    }
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn figures_have_buckets_and_codes() -> Fallible<()> {
    let server = TestServer::start("figures", |_| ()).await?;
    let made = server.make(FRIENDS).await?;
    let (mut white, _) = server.join(&made.id, Some(&made.seat)).await?;
    white.send(r#"{"type":"accept","ply":0}"#).await?;
    let code = white.refusal().await?;
    let figures = server.ask(Request::get("/metrics")).await?.body;
    for line in [
        "husun_store_seconds_bucket{le=",
        "# TYPE husun_store_seconds histogram",
    ] {
        assert!(figures.contains(line), "{line} in {figures}");
    }
    assert!(
        figures.contains(&format!("husun_refused_total{{code=\"{code}\"}}")),
        "{figures}"
    );
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn names_are_visible_and_not_the_engines() -> Fallible<()> {
    let server = TestServer::start("names", |_| ()).await?;
    for (name, status) in [
        ("Ann", 200),
        ("\u{3164}", 422),
        ("\u{202e}", 422),
        ("Husun, level 8", 422),
    ] {
        let body = serde_json::to_string(&Rename { name: name.into() })?;
        let request = Request {
            method: "PUT",
            ..Request::post("/api/me", &body)
        };
        assert_eq!(
            server.ask(request).await?.status,
            status,
            "{}",
            name.escape_unicode()
        );
    }
    server.end().await
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn nobody_else_reads_games_and_backups() -> Fallible<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &std::path::Path| -> std::io::Result<u32> {
        Ok(std::fs::metadata(path)?.permissions().mode() & 0o777)
    };
    let server = TestServer::start("modes", |_| ()).await?;
    server.make(FRIENDS).await?;
    let backup = server.folder.join("backup");
    store::backup::backup(&server.folder, &backup).await?;
    let again = server.folder.join("again");
    store::backup::restore(&backup, &again).await?;
    for folder in [&server.folder, &backup, &again] {
        assert_eq!(mode(folder)?, 0o700, "{}", folder.display());
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            if name.starts_with("husun.sqlite") || name == "cookie.key" {
                assert_eq!(mode(&path)?, 0o600, "{}", path.display());
            }
        }
    }
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_without_sense_are_told_at_the_start() -> Fallible<()> {
    for (change, word) in [
        (
            (|c| c.engine_hash = 1 << 40) as fn(&mut server::Config),
            "engine_hash",
        ),
        (|c| c.engine_threads = 0, "engine_threads"),
        (
            |c| c.limits.requests_per_second = u32::MAX,
            "limits.requests_per_second",
        ),
        (|c| c.origins = vec!["play.example.org".into()], "origins"),
    ] {
        let error = TestServer::start("senseless", change)
            .await
            .err()
            .ok_or("started")?;
        assert!(error.to_string().contains(word), "{error}");
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_socket_that_never_reads_is_dropped_in_the_end() -> Fallible<()> {
    // Only that such a socket does not keep the server from ending; the time is tested with `net`.
    let server = TestServer::start("deaf-rim", |_| ()).await?;
    let made = server.make(FRIENDS).await?;
    let mut deaf = Socket::open(server.address, &[]).await?;
    deaf.join(&made.id, Some(&made.seat)).await?;
    let start = Instant::now();
    server.end().await?;
    assert!(
        start.elapsed() < Duration::from_secs(9),
        "{:?}",
        start.elapsed()
    );
    Ok(())
}

/// Texts that are announced and do not come take nobody's place.
#[tokio::test(flavor = "multi_thread")]
async fn texts_that_do_not_come_hold_no_memory() -> Fallible<()> {
    let server = TestServer::start("withheld", |_| ()).await?;
    let mut open = Vec::new();
    for _ in 0..60 {
        let mut stream = TcpStream::connect(server.address).await?;
        let head = format!(
            "POST /api/pgn HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\ncontent-length: 2097152\r\n\r\n{{",
            server.address
        );
        stream.write_all(head.as_bytes()).await?;
        open.push(stream);
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    let read = server
        .ask(Request::post("/api/pgn", &pgn("1. e4 *")))
        .await?;
    assert_eq!(read.status, 200, "{}", read.body);
    drop(open);
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_with_nul_is_refused() -> Fallible<()> {
    let server = TestServer::start("nul", |_| ()).await?;
    for (path, status, code) in [
        ("/api/votes?before=1.%00", 400, "query"),
        ("/api/archive?variant=x_%00", 400, "query"),
        ("/api/votes/%00", 404, "no_such_path"),
    ] {
        let refused = server.ask(Request::get(path)).await?;
        let told = refused.json::<Refusal>()?.code;
        assert_eq!((refused.status, told.as_str()), (status, code), "{path}");
    }
    server.end().await
}
