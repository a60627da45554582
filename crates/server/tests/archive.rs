//! The archive from outside: what is found of finished games, by whom, and what becomes of it after a sudden end.

use crate::common::browser::{Browser, code};
use crate::common::{Fallible, Socket, TestServer, connect_from};
use games::Catalogue;
use serde_json::json;
use server::wire::{ArchivePage, ClientMessage, GameMade, Side};
use std::time::{Duration, Instant};
use store::archive::{ArchiveStore, Filled};
use store::{GameWrite, NewGameRow, Store};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const WORD: &str = "correct horse";
const MATE: [&str; 4] = ["f2f3", "e7e5", "g2g4", "d8h4"];

async fn account(server: &TestServer, name: &str) -> Fallible<Browser> {
    let mut browser = Browser::new(server);
    let made = browser.register(name, WORD).await?;
    assert_eq!(made.status, 201, "{}", made.body);
    Ok(browser)
}

/// A game of two people with these moves, after which White resigns if it is not over.
async fn play(
    white: &mut Browser,
    black: &Browser,
    wishes: serde_json::Value,
    moves: &[&str],
) -> Fallible<String> {
    let made: GameMade = white.ask("POST", "/api/games", wishes).await?.json()?;
    let friend = made.friend_seat.clone().ok_or("no seat")?;
    let cookies = [white.cookie(), black.cookie()];
    let mut sockets = [
        Socket::open(white.address, &[("cookie", &cookies[0])]).await?,
        Socket::open(white.address, &[("cookie", &cookies[1])]).await?,
    ];
    sockets[0].join(&made.id, None).await?;
    sockets[1].join(&made.id, Some(&friend)).await?;
    for (ply, text) in moves.iter().enumerate() {
        sockets[ply % 2].play(ply as u32, text).await?;
        for socket in &mut sockets {
            socket.ply(ply as u32 + 1).await?;
        }
    }
    sockets[0].say(&ClientMessage::Resign).await?;
    Ok(made.id)
}

/// The page of a query when it has so many games.
async fn page(browser: &mut Browser, query: &str, games: usize) -> Fallible<ArchivePage> {
    let path = format!("/api/archive?{query}");
    let mut last = String::new();
    for _ in 0..100 {
        let answer = browser.get(&path).await?;
        let page: ArchivePage = answer.json()?;
        if page.games.len() == games {
            return Ok(page);
        }
        last = answer.body;
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Err(format!("{query}: expected {games} games, found {last}").into())
}

/// Text as it stands in a query.
fn quoted(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn finished_games_are_found_by_all_that_is_known_of_them() -> Fallible<()> {
    let server = TestServer::start("archive", |_| ()).await?;
    let (mut ann, mut bob) = (
        account(&server, "Ann").await?,
        account(&server, "Bob").await?,
    );
    let open = json!({ "variant": "chess", "side": "white", "clock": "fischer:5m+3s", "rated": true, "public": true });
    let mate = play(&mut ann, &bob, open, &MATE).await?;
    // One that was called off is in no archive.
    let wishes = json!({ "variant": "citadel9", "level": 1, "side": "white" });
    let made: GameMade = bob.ask("POST", "/api/games", wishes).await?.json()?;
    let mut socket = Socket::open(server.address, &[("cookie", &bob.cookie())]).await?;
    socket.join(&made.id, None).await?;
    socket.say(&ClientMessage::Abort).await?;
    let mut anybody = Browser::new(&server);
    let found = page(&mut anybody, "", 1).await?;
    let game = &found.games[0];
    assert_eq!(
        (game.id.as_str(), game.variant.as_str()),
        (mate.as_str(), "chess")
    );
    assert_eq!((game.players.white.name.as_str(), game.ply), ("Ann", 4));
    assert!(game.players.black.account && game.rated);
    assert_eq!(game.result.winner, Some(Side::Black));
    assert_eq!((found.next, game.reached), (None, None));
    let after_two = "rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPP1PP/RNBQKBNR w KQkq - 9 30";
    let reached = format!("variant=chess&position={}", quoted(after_two));
    let game = &page(&mut anybody, &reached, 1).await?.games[0];
    assert_eq!(game.reached, Some(2));
    let today = time::OffsetDateTime::now_utc().date();
    for query in [
        "player=ann",
        "player=ANN&opponent=Bob&side=white&result=lost",
        "player=bob&result=won&side=black",
        "variant=chess&ending=checkmate&result=black",
        "speed=blitz&rated=true&min_moves=2&max_moves=2",
        "from=1970-01-01&to=9999-12-31&player=&limit=1",
        &format!("to={today}"),
        &format!("{reached}&player=bob"),
    ] {
        assert_eq!(
            page(&mut anybody, query, 1).await?.games[0].id,
            mate,
            "{query}"
        );
    }
    for query in [
        "player=ann&side=black",
        "player=ann&result=won",
        "ending=green%20gem",
        "variant=citadel9",
        "speed=rapid",
        "rated=false",
        "min_moves=3",
        "max_moves=1",
        "to=2020-01-01",
        "min_rating=1500",
        "player=@level-3",
        "player=@me",
        "after=1",
        &format!(
            "variant=chess&position={}",
            quoted("4k3/8/8/8/8/8/8/4K2R w - - 0 1")
        ),
    ] {
        page(&mut anybody, query, 0).await?;
    }
    page(&mut ann, "player=@me&opponent=Bob", 1).await?;
    let pgn = anybody.get("/api/archive.pgn?player=ann").await?;
    assert_eq!(pgn.status, 200);
    assert!(pgn.head.contains("application/x-chess-pgn"), "{}", pgn.head);
    assert!(
        pgn.body.contains("[White \"Ann\"]") && pgn.body.contains("Qh4#"),
        "{}",
        pgn.body
    );
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn games_that_are_not_shown_are_found_by_their_players_alone() -> Fallible<()> {
    let server = TestServer::start("archive-closed", |_| ()).await?;
    let (mut ann, mut bob) = (account(&server, "Ann").await?, Browser::new(&server));
    bob.get("/api/me").await?;
    let wishes = json!({ "variant": "chess", "side": "white" });
    let id = play(&mut ann, &bob, wishes, &MATE).await?;
    for browser in [&mut ann, &mut bob] {
        assert_eq!(page(browser, "player=Ann", 1).await?.games[0].id, id);
        assert_eq!(page(browser, "player=@me", 1).await?.games[0].id, id);
    }
    let mut anybody = Browser::new(&server);
    for query in ["", "player=Ann", "variant=chess", "ending=checkmate"] {
        let found = page(&mut anybody, query, 0).await?;
        assert_eq!(found.next, None, "{query}");
    }
    let pgn = anybody.get("/api/archive.pgn").await?;
    assert_eq!((pgn.status, pgn.body.as_str()), (200, ""));
    assert!(bob.get("/api/archive.pgn").await?.body.contains("Qh4#"));
    // The name of an account that is gone is found nowhere.
    let gone = ann
        .ask("DELETE", "/api/account", json!({ "password": WORD }))
        .await?;
    assert!(gone.status < 300, "{}", gone.body);
    for _ in 0..100 {
        let found = page(&mut bob, "player=@me", 1).await?;
        if found.games[0].players.white.name == "deleted" {
            let nobody = bob.get("/api/archive?player=Ann").await?;
            assert_eq!(code(&nobody)?, "no_such_person");
            return server.end().await;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Err("the name is still there".into())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_searched_is_refused_with_its_place() -> Fallible<()> {
    let server = TestServer::start("archive-bad", |_| ()).await?;
    let mut anybody = Browser::new(&server);
    let long = format!("variant=chess&position={}", "8".repeat(1001));
    for (query, status, word, told) in [
        ("colour=white", 400, "query", "colour"),
        (
            "player=nobody",
            404,
            "no_such_person",
            "player: there is nobody with the name \"nobody\"",
        ),
        (
            "player=@level-9",
            400,
            "query",
            "player: \"@level-9\", expected",
        ),
        (
            "opponent=@me",
            400,
            "query",
            "opponent: needs player, which is missing",
        ),
        (
            "side=white",
            400,
            "query",
            "side: needs player, which is missing",
        ),
        ("result=won", 400, "query", "needs player"),
        (
            "player=@me&side=red",
            400,
            "query",
            "side: \"red\", expected one of white, black",
        ),
        (
            "result=1-0",
            400,
            "query",
            "expected one of white, black, draw, won, lost",
        ),
        (
            "ending=boredom",
            400,
            "query",
            "ending: \"boredom\", expected one of checkmate, green gem",
        ),
        ("variant=chequers", 422, "variant", "chequers"),
        ("variant=chess_00", 422, "variant", "chess_00"),
        (
            "from=yesterday",
            400,
            "query",
            "from: \"yesterday\", expected a day such as 2026-11-23",
        ),
        ("to=2026-02-30", 400, "query", "to: \"2026-02-30\""),
        (
            "min_moves=-1",
            400,
            "query",
            "min_moves: \"-1\", expected a number from 0",
        ),
        ("max_moves=many", 400, "query", "max_moves"),
        ("min_rating=1e9", 400, "query", "min_rating"),
        (
            "rated=yes",
            400,
            "query",
            "rated: \"yes\", expected one of true, false",
        ),
        (
            "speed=bullet",
            400,
            "query",
            "expected one of blitz, rapid, slow, correspondence, none",
        ),
        (
            "position=8",
            400,
            "query",
            "position: needs variant, which is missing",
        ),
        ("variant=chess&position=8", 422, "fen", "position: "),
        (
            &long,
            400,
            "query",
            "position: 1001 bytes, expected at most 1000",
        ),
        ("after=later", 400, "query", "after"),
        (
            "limit=0",
            400,
            "query",
            "limit: \"0\", expected a number from 1 to 100",
        ),
        ("limit=101", 400, "query", "limit"),
    ] {
        for path in ["/api/archive", "/api/archive.pgn"] {
            let answer = anybody.get(&format!("{path}?{query}")).await?;
            assert_eq!(
                (answer.status, code(&answer)?.as_str()),
                (status, word),
                "{query}: {}",
                answer.body
            );
            let refusal: server::wire::Refusal = answer.json()?;
            assert!(
                refusal.message.contains(told),
                "{query}: {}",
                refusal.message
            );
        }
    }
    server.end().await
}

/// What is written while it is sent comes to its end when it is compressed, too.
#[tokio::test(flavor = "multi_thread")]
async fn files_come_whole_when_they_are_compressed() -> Fallible<()> {
    let server = TestServer::start("archive-files", |_| ()).await?;
    let (mut ann, bob) = (
        account(&server, "Ann").await?,
        account(&server, "Bob").await?,
    );
    let wishes = json!({ "variant": "chess", "side": "white", "public": true });
    play(&mut ann, &bob, wishes, &MATE).await?;
    page(&mut ann, "player=Ann", 1).await?;
    for path in [
        "/api/archive.pgn",
        "/api/archive.pgn?rated=true",
        "/api/account/export",
    ] {
        for coding in ["gzip", "br"] {
            let mut stream = connect_from(None, server.address).await?;
            let head = format!(
                "GET {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncookie: {}\r\n\
                 accept-encoding: {coding}\r\n\r\n",
                server.address,
                ann.cookie()
            );
            stream.write_all(head.as_bytes()).await?;
            let mut answer = Vec::new();
            stream.read_to_end(&mut answer).await?;
            assert!(answer.starts_with(b"HTTP/1.1 200"), "{path}");
            assert!(answer.ends_with(b"\r\n0\r\n\r\n"), "{path} by {coding}");
        }
    }
    server.end().await
}

/// A search is charged by what it costs.
#[tokio::test(flavor = "multi_thread")]
async fn searches_are_limited() -> Fallible<()> {
    let server = TestServer::start("archive-rate", |c| c.limits.positions_per_second = 30).await?;
    let mut anybody = Browser::new(&server);
    let mut refused = 0;
    for _ in 0..10 {
        let answer = anybody.get("/api/archive").await?;
        if answer.status == 429 {
            assert_eq!(code(&answer)?, "rate");
            refused += 1;
        }
    }
    assert!((5..=8).contains(&refused), "{refused} refused");
    server.end().await
}

/// A game of one's own with the same board as a built-in one shares no position with it, and is found when its file is
/// gone.
#[tokio::test(flavor = "multi_thread")]
async fn games_of_ones_own_are_found() -> Fallible<()> {
    let folder =
        std::env::temp_dir().join(format!("husun-archive-own-file-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let file = folder.join("mychess.toml");
    std::fs::write(
        &file,
        "id = \"mychess\"\nname = \"My chess\"\ninherits = \"chess\"\n",
    )?;
    let mut games = Catalogue::default();
    games.insert(games.read(&file)?);
    let server = TestServer::start_with("archive-own", games, |_| ()).await?;
    let (mut ann, bob) = (
        account(&server, "Ann").await?,
        account(&server, "Bob").await?,
    );
    let wishes = json!({ "variant": "mychess", "side": "white", "public": true });
    let id = play(&mut ann, &bob, wishes, &MATE).await?;
    let start = quoted("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    let found = page(&mut ann, &format!("variant=mychess&position={start}"), 1).await?;
    assert_eq!(
        (found.games[0].id.as_str(), found.games[0].name.as_str()),
        (id.as_str(), "My chess")
    );
    page(&mut ann, &format!("variant=chess&position={start}"), 0).await?;
    let data = server.stop().await?;
    let server = TestServer::start("archive-own", |c| c.data = data).await?;
    let mut anybody = Browser::new(&server);
    let found = page(&mut anybody, "player=Ann", 1).await?;
    let variant = found.games[0].variant.clone();
    assert!(variant.starts_with("mychess_"), "{variant}");
    page(
        &mut anybody,
        &format!("variant={variant}&position={start}"),
        1,
    )
    .await?;
    crate::common::remove(folder).await?;
    server.end().await
}

/// Games whose server was killed between the commit of the last event and that of the positions, many of them, and one
/// that is damaged.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_interrupted_is_filled_in_after_the_start() -> Fallible<()> {
    const GAMES: i64 = 400;
    let server = TestServer::start("archive-fill", |_| ()).await?;
    let (mut ann, bob) = (
        account(&server, "Ann").await?,
        account(&server, "Bob").await?,
    );
    let wishes =
        json!({ "variant": "chess", "side": "white", "clock": "fischer:5m+3s", "public": true });
    let id = play(&mut ann, &bob, wishes, &MATE).await?;
    page(&mut ann, "player=Ann", 1).await?;
    let (data, store) = server.stop_for_storage().await?;
    let stored = store.load(&id).await?.ok_or("not stored")?;
    let search = store::archive::Search {
        viewer: "nobody".into(),
        limit: 1,
        scan: 10,
        ..Default::default()
    };
    let found = store.search(&search).await?;
    let known = found.games.first().ok_or("not found")?;
    let row = |n: i64| {
        let spec: serde_json::Value = serde_json::from_str(&stored.spec)?;
        let person = |side: &str| {
            let kept = spec["seats"][side]["kept"]["guest"].as_str();
            kept.unwrap_or("bob").to_owned()
        };
        Fallible::Ok(store::archive::ArchiveRow {
            variant: known.variant.clone(),
            white: person("white"),
            black: person("black"),
            winner: Some(store::archive::Seat::Black),
            ending: "checkmate".into(),
            plies: known.plies,
            ended_ms: known.ended_ms + 1000 * n,
            rated: false,
            speed: known.speed.clone(),
            open: true,
        })
    };
    for n in 1..=GAMES {
        let mut events = stored.events.clone();
        if n == GAMES {
            events[0].body = "{}".into();
        }
        let write = GameWrite {
            game: format!("filled{n}"),
            made: Some(NewGameRow {
                spec: stored.spec.clone(),
                made_ms: stored.made_ms,
                guests: Vec::new(),
            }),
            events,
            over: true,
            archive: Some(row(n)?),
            ..GameWrite::default()
        };
        store.write(&[write]).await?.remove(0)?;
    }
    assert_eq!(store.waiting().await?, GAMES);
    // Some were done already, and their last event comes once more.
    let done = Filled {
        game: "filled1".into(),
        row: None,
        ratings: [None, None],
        positions: Vec::new(),
    };
    store.fill(&[done]).await?;
    store.close().await;
    drop(store);
    let begun = Instant::now();
    let server = TestServer::start("archive-fill", |c| c.data = data).await?;
    let ready = begun.elapsed();
    assert!(ready < Duration::from_secs(5), "ready after {ready:?}");
    let mut anybody = Browser::new(&server);
    let mated = quoted("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3");
    let query = format!("variant=chess&position={mated}&limit=100");
    // All but the one that was taken for done and the damaged one, page by page, each once.
    let expected = GAMES as usize - 2 + 1;
    for _ in 0..200 {
        let (mut ids, mut after) = (Vec::new(), String::new());
        loop {
            let answer = anybody.get(&format!("/api/archive?{query}{after}")).await?;
            let page: ArchivePage = answer.json()?;
            assert!(page.games.is_sorted_by(|a, b| a.ended_ms >= b.ended_ms));
            ids.extend(page.games.into_iter().map(|game| game.id));
            match page.next {
                Some(next) => after = format!("&after={next}"),
                None => break,
            }
        }
        let found = ids.len();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), found, "none twice");
        if found == expected {
            return server.end().await;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Err("not all were filled in".into())
}
