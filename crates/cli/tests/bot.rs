//! `husun bot` as a process on a local server: rated games of Fairy-Stockfish against a level, challenges by the
//! rules, and games that go on after a restart of either.
#![cfg(unix)]

use crate::common::browser::Browser;
use crate::common::{Fallible, Socket};
use crate::house::{Bot, House, PATIENCE};
use play::rating::{Score, engine_id, rated};
use serde_json::{Value, json};
use server::wire::{
    ArchivePage, Challenge, Challenges, ClientMessage, DeclineReason, GameCard, Lobby, Opponents,
    Paired, Profile, RankedPlayer, RatingPoint, Seek, ServerMessage, Side, Stage,
};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Fairy-Stockfish, which `./test` installs.
fn fairy() -> String {
    let named = std::env::var("FAIRY_STOCKFISH").ok();
    let path = std::env::var("PATH").unwrap_or_default();
    let folders = path.split(':').chain(["/usr/games"]);
    let found = folders.map(|folder| Path::new(folder).join("fairy-stockfish"));
    let mut all = named.map(PathBuf::from).into_iter().chain(found);
    match all.find(|path| path.is_file()) {
        Some(path) => format!("uci:{}", path.display()),
        None => panic!(
            "missing: Fairy-Stockfish; get it: apt-get install fairy-stockfish, or set FAIRY_STOCKFISH to the path of one"
        ),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn fairy_stockfish_plays_rated_games_against_a_level() -> Fallible<()> {
    let house = House::open("bot-level").await?;
    let (mut owner, _, token) = house.bot("Robot").await?;
    let fairy = fairy();
    let args = [
        "--engine",
        &fairy,
        "--game",
        "capablanca",
        "--clock",
        "fischer:10s+100ms",
        "--level",
        "1",
        "--count",
        "2",
    ];
    let mut bot = Bot::start(&house, &token, &args)?;
    let status = bot.ends().await?;
    assert!(status.success(), "{status}: {:#?}", bot.said());
    // Both are over by the rules of the game, and have changed both ratings as the crate says.
    let path = "/api/people/Robot/ratings/capablanca/blitz";
    let start = Instant::now();
    let mut points: Vec<RatingPoint> = loop {
        let points: Vec<RatingPoint> = owner.get(path).await?.json()?;
        if points.len() == 2 {
            break points;
        }
        assert!(start.elapsed() < PATIENCE, "not rated: {:#?}", bot.said());
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    points.reverse();
    let page: ArchivePage = owner.get("/api/archive").await?.json()?;
    assert_eq!(page.games.len(), 2, "{:#?}", bot.said());
    let mut sides = Vec::new();
    let now_ms = points[0].at_ms;
    let (mut robot, mut level) = (
        server::ratings::first("robot", now_ms),
        server::ratings::first(&engine_id(1), now_ms),
    );
    for point in &points {
        let game = page.games.iter().find(|g| g.id == point.game);
        let game = game.ok_or("another game was rated")?;
        assert!(game.rated && game.result.reason != "time", "{game:?}");
        assert_eq!(game.variant, "capablanca");
        let white = game.players.white.name == "Robot";
        let (own, other) = match white {
            true => (&game.players.white, &game.players.black),
            false => (&game.players.black, &game.players.white),
        };
        assert!(own.bot && other.level == Some(1), "{game:?}");
        let score = match game.result.winner {
            Some(side) if (side == Side::White) == white => Score::Win,
            Some(_) => Score::Loss,
            None => Score::Draw,
        };
        [robot, level] = rated(&robot, &level, score, point.at_ms);
        assert_eq!(point.rating, robot.rating.round() as i32, "{game:?}");
        sides.push(white);
    }
    assert_eq!(sides, [true, false], "sides in turn");
    let path = "/api/ratings/capablanca/blitz/levels";
    let levels: Vec<RankedPlayer> = owner.get(path).await?.json()?;
    let now = &levels[0].now;
    let expected = (level.rating.round() as i32, 2);
    assert_eq!((now.rating, now.games), expected);
    let profile: Profile = owner.get("/api/people/Robot").await?.json()?;
    assert!(profile.bot && profile.ratings[0].now.games == 2);
    house.close()
}

/// Challenges the robot; returns its reason for declining, none if the game has begun.
async fn challenge(from: &mut Browser, wish: Value) -> Fallible<Option<DeclineReason>> {
    let path = "/api/people/Robot/challenges";
    let answer = from.ask("POST", path, wish.clone()).await?;
    assert_eq!(answer.status, 201, "{}", answer.body);
    let made: Challenge = answer.json()?;
    let start = Instant::now();
    loop {
        let open: Challenges = from.get("/api/me/challenges").await?.json()?;
        match open.sent.iter().find(|c| c.id == made.id) {
            None => return Ok(None),
            Some(challenge) if challenge.declined.is_some() => return Ok(challenge.declined),
            Some(_) => {}
        }
        if start.elapsed() > PATIENCE {
            return Err(format!("no answer to {wish}").into());
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn challenges_are_accepted_and_declined_by_the_rules() -> Fallible<()> {
    let house = House::open("bot-rules").await?;
    let (_owner, _, token) = house.bot("Robot").await?;
    let (mut other_bot, ..) = house.bot("Other").await?;
    let mut ann = house.account("Ann").await?;
    let fairy = fairy();
    let args = ["--engine", &fairy, "--base", "1m-10m", "--only", "casual"];
    let mut bot = Bot::start(&house, &token, &args)?;
    bot.says("is in the lobby").await?;
    let wish = |game: &str, clock: &str, rated: bool| json!({ "variant": game, "clock": clock, "rated": rated });
    let fits = wish("capablanca", "fischer:1m+1s", false);
    for (wish, reason) in [
        (
            wish("citadel9", "fischer:5m+3s", false),
            DeclineReason::AnotherGame,
        ),
        (
            json!({ "family": "Citadel", "clock": "fischer:5m+3s" }),
            DeclineReason::AnotherGame,
        ),
        (
            wish("capablanca", "fischer:5m+3s", true),
            DeclineReason::Casual,
        ),
        (
            wish("capablanca", "fischer:30m+20s", false),
            DeclineReason::Faster,
        ),
        (
            wish("capablanca", "fischer:30s+1s", false),
            DeclineReason::Slower,
        ),
        (wish("capablanca", "none", false), DeclineReason::Faster),
    ] {
        assert_eq!(
            challenge(&mut ann, wish.clone()).await?,
            Some(reason),
            "{wish}"
        );
    }
    bot.says("the engine does not play this game").await?;
    let declined = challenge(&mut other_bot, fits.clone()).await?;
    assert_eq!(declined, Some(DeclineReason::People));
    // A suitable one is accepted and played; for a second one there is no room.
    let wish = json!({ "variant": "capablanca", "clock": "fischer:1m+1s", "side": "white" });
    assert_eq!(challenge(&mut ann, wish).await?, None);
    let games: Vec<GameCard> = ann.get("/api/me/games").await?.json()?;
    let mut socket = Socket::open(house.address, &[("cookie", &ann.cookie())]).await?;
    let snapshot = socket.join(&games[0].id, None).await?;
    assert!(snapshot.now.players.black.bot);
    socket.play(0, &snapshot.now.legal[0]).await?;
    socket.ply(2).await?;
    let declined = challenge(&mut ann, fits).await?;
    assert_eq!(declined, Some(DeclineReason::Later));
    // Told to end, it plays to the end of the game.
    bot.signal()?;
    bot.says("begins nothing any more").await?;
    let now = socket.join(&games[0].id, None).await?.now;
    socket.play(2, &now.legal[0]).await?;
    socket.ply(4).await?;
    socket.say(&ClientMessage::Resign).await?;
    assert!(bot.ends().await?.success(), "{:#?}", bot.said());
    assert!(bot.said().iter().any(|line| line.contains("won")));
    house.close()
}

#[tokio::test(flavor = "multi_thread")]
async fn games_go_on_after_restarts() -> Fallible<()> {
    let mut house = House::open("bot-restart").await?;
    let (mut owner, made, token) = house.bot("Robot").await?;
    let mut ann = house.account("Ann").await?;
    // An unknown engine and a wrong token are reported at once.
    let wrong = house.data.join("wrong");
    std::fs::write(&wrong, "husun_wrong")?;
    for (token, args, words) in [
        (&wrong, &[][..], "opens nothing"),
        (
            &token,
            &["--engine", "uci:/no/engine"][..],
            "cannot be started",
        ),
        (&token, &["--game", "nogame"][..], "nogame"),
    ] {
        let mut bot = Bot::start(&house, token, args)?;
        assert_eq!(bot.ends().await?.code(), Some(2));
        bot.says(words).await?;
    }
    let mut bot = Bot::start(&house, &token, &["--option", "Skill Level=1"])?;
    bot.says("is in the lobby").await?;
    let wish =
        json!({ "variant": "chess", "clock": "tiger:1m+1s", "side": "white", "rated": true });
    assert_eq!(challenge(&mut ann, wish).await?, None);
    let games: Vec<GameCard> = ann.get("/api/me/games").await?.json()?;
    let game = games[0].id.clone();
    let cookie = ann.cookie();
    let mut socket = Socket::open(house.address, &[("cookie", &cookie)]).await?;
    let snapshot = socket.join(&game, None).await?;
    socket.play(0, &snapshot.now.legal[0]).await?;
    let now = socket.ply(2).await?;
    // The server goes down in the middle: the move that was made meanwhile is answered when it is back.
    socket.play(2, &now.legal[0]).await?;
    socket.ply(3).await?;
    house.kill()?;
    bot.says("trying again").await?;
    house.open_again().await?;
    let mut socket = Socket::open(house.address, &[("cookie", &cookie)]).await?;
    let mut now = socket.join(&game, None).await?.now;
    while now.ply < 4 {
        now = socket.ply(4).await?;
    }
    // So does the bot, which is killed, and resumes the game when it is started again.
    bot.child.kill()?;
    bot.ends().await?;
    socket.play(4, &now.legal[0]).await?;
    socket.ply(5).await?;
    let mut bot = Bot::start(&house, &token, &["--option", "Skill Level=1", "--leave"])?;
    let now = socket.ply(6).await?;
    assert_eq!(now.stage, Stage::Playing);
    // It leaves the game as it is if told so.
    bot.signal()?;
    assert!(bot.ends().await?.success(), "{:#?}", bot.said());
    let mut bot = Bot::start(&house, &token, &[])?;
    bot.says("is in the lobby").await?;
    socket.play(6, &now.legal[0]).await?;
    socket.ply(8).await?;
    // Without its token it ends and says why; the game goes on without it.
    let path = format!("/api/account/tokens/{}", made.id);
    assert_eq!(owner.ask("DELETE", &path, Value::Null).await?.status, 204);
    assert_eq!(bot.ends().await?.code(), Some(2), "{:#?}", bot.said());
    assert!(bot.said().iter().any(|line| line.contains("opens nothing")));
    socket.say(&ClientMessage::Resign).await?;
    let over = |message| match message {
        ServerMessage::Update { now, .. } => now.result.map(drop),
        _ => None,
    };
    socket.until(over).await?;
    house.close()
}

#[tokio::test(flavor = "multi_thread")]
async fn it_offers_games_itself() -> Fallible<()> {
    let house = House::open("bot-seek").await?;
    let (_owner, _, token) = house.bot("Robot").await?;
    let mut ann = house.account("Ann").await?;
    let args = [
        "--seek",
        "--clock",
        "fischer:1m+1s",
        "--game",
        "chess",
        "--game",
        "grand",
    ];
    let mut bot = Bot::start(&house, &token, &args)?;
    // There is an offer whenever there is room for a game, and it is withdrawn at the end.
    for _ in 0..2 {
        let seek = offers(&mut ann, 1).await?.remove(0);
        assert!(seek.bot && seek.rated && seek.games.len() == 2, "{seek:?}");
        assert_eq!(seek.opponents, Opponents::People, "without --bots");
        let path = format!("/api/lobby/seeks/{}/accept", seek.id);
        let paired = ann
            .ask("POST", &path, json!({ "variant": "grand" }))
            .await?;
        assert_eq!(paired.status, 201, "{}", paired.body);
        let paired: Paired = paired.json()?;
        let mut socket = Socket::open(house.address, &[("cookie", &ann.cookie())]).await?;
        let mut now = socket.join(&paired.game, None).await?.now;
        if paired.side == Side::White {
            socket.play(0, &now.legal[0]).await?;
        }
        let replied = if paired.side == Side::White { 2 } else { 1 };
        while now.ply < replied {
            now = socket.ply(replied).await?;
        }
        offers(&mut ann, 0).await?;
        let message = match replied {
            2 => ClientMessage::Resign,
            _ => ClientMessage::Abort,
        };
        socket.say(&message).await?;
    }
    offers(&mut ann, 1).await?;
    bot.signal()?;
    assert!(bot.ends().await?.success(), "{:#?}", bot.said());
    let lobby: Lobby = ann.get("/api/lobby").await?.json()?;
    assert!(lobby.seeks.is_empty(), "{lobby:?}");
    house.close()
}

/// Waits until there are this many offers in the lobby.
async fn offers(browser: &mut Browser, many: usize) -> Fallible<Vec<Seek>> {
    let start = Instant::now();
    loop {
        let lobby: Lobby = browser.get("/api/lobby").await?.json()?;
        if lobby.seeks.len() == many {
            return Ok(lobby.seeks);
        }
        if start.elapsed() > PATIENCE {
            return Err(format!("{many} offers are not there: {lobby:?}").into());
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_that_fails_is_started_again() -> Fallible<()> {
    let house = House::open("bot-crash").await?;
    let (_owner, _, token) = house.bot("Robot").await?;
    let mut ann = house.account("Ann").await?;
    // It exits at its first move, makes an illegal one when it is started again, and then plays.
    let path = |name: &str| house.data.join(name).display().to_string();
    let (script, crashed, cheated) = (path("engine.sh"), path("crashed"), path("cheated"));
    let text = format!(
        "[ -e {cheated} ] && exec {} uci\n\
         while read -r line; do case $line in\n\
         uci) echo 'option name UCI_Variant type combo default chess var chess'; echo uciok;;\n\
         isready) echo readyok;;\n\
         go*) [ -e {crashed} ] || {{ touch {crashed}; exit 3; }}; touch {cheated}; echo bestmove a1a8;;\n\
         quit) exit 0;;\n\
         esac; done\n",
        env!("CARGO_BIN_EXE_husun")
    );
    std::fs::write(&script, text)?;
    let engine = format!("uci:/bin/sh {script}");
    let mut bot = Bot::start(&house, &token, &["--engine", &engine])?;
    bot.says("is in the lobby").await?;
    let wish = json!({ "variant": "chess", "clock": "fischer:1m+1s", "side": "black" });
    assert_eq!(challenge(&mut ann, wish).await?, None);
    let games: Vec<GameCard> = ann.get("/api/me/games").await?.json()?;
    let mut socket = Socket::open(house.address, &[("cookie", &ann.cookie())]).await?;
    let mut now = socket.join(&games[0].id, None).await?.now;
    while now.ply < 1 {
        now = socket.ply(1).await?;
    }
    bot.says("has ended on its own").await?;
    bot.says("plays `a1a8`, which is not legal").await?;
    house.close()
}

/// TLS in front of a server, as a proxy provides it, with its own certificate for `localhost`; returns the port and
/// the certificate's file.
async fn tls_before(house: &House) -> Fallible<(u16, PathBuf)> {
    use rustls::pki_types::pem::PemObject;
    use rustls::pki_types::{CertificateDer, PrivateKeyDer};
    let (key, cert) = (house.data.join("key.pem"), house.data.join("cert.pem"));
    let made = Command::new("openssl")
        .args([
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
        ])
        .args([
            "-subj",
            "/CN=localhost",
            "-addext",
            "subjectAltName=DNS:localhost",
        ])
        .args(["-addext", "basicConstraints=critical,CA:FALSE"])
        .arg("-keyout")
        .arg(&key)
        .arg("-out")
        .arg(&cert)
        .stderr(Stdio::null())
        .status()
        .expect("missing: openssl; get it: apt-get install openssl");
    assert!(made.success());
    let chain = vec![CertificateDer::from_pem_file(&cert)?];
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, PrivateKeyDer::from_pem_file(&key)?)?;
    let acceptor = tokio_rustls::TlsAcceptor::from(Arc::new(config));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let (port, server) = (listener.local_addr()?.port(), house.address);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                // A client that does not trust the certificate goes away.
                let mut outside = acceptor.accept(stream).await?;
                let mut inside = tokio::net::TcpStream::connect(server).await?;
                tokio::io::copy_bidirectional(&mut outside, &mut inside).await
            });
        }
    });
    Ok((port, cert))
}

#[tokio::test(flavor = "multi_thread")]
async fn it_plays_over_tls_with_whom_this_machine_trusts() -> Fallible<()> {
    let house = House::open("bot-tls").await?;
    let (_owner, _, token) = house.bot("Robot").await?;
    let mut ann = house.account("Ann").await?;
    let (port, cert) = tls_before(&house).await?;
    let server = format!("https://localhost:{port}");
    let mut stranger = Bot::start_at(&server, &token, &[], &[])?;
    stranger.says("certificate").await?;
    drop(stranger);
    let with = [("SSL_CERT_FILE", cert.as_path())];
    let mut bot = Bot::start_at(&server, &token, &[], &with)?;
    bot.says("is in the lobby").await?;
    let wish = json!({ "variant": "citadel8", "clock": "tiger:1m+1s", "side": "black" });
    assert_eq!(challenge(&mut ann, wish).await?, None);
    let games: Vec<GameCard> = ann.get("/api/me/games").await?.json()?;
    let mut socket = Socket::open(house.address, &[("cookie", &ann.cookie())]).await?;
    let mut now = socket.join(&games[0].id, None).await?.now;
    while now.ply < 1 {
        now = socket.ply(1).await?;
    }
    house.close()
}
