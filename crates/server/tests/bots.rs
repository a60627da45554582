//! Programs as players, from outside: their accounts are marked for good, a token plays and does nothing else, and one
//! that was taken back opens nothing.

use crate::common::browser::{Browser, code};
use crate::common::people;
use crate::common::{Answer, Fallible, Request, Socket, TestServer, ask_from};
use serde_json::{Value, json};
use server::wire::{
    ArchivePage, Challenge, ClientMessage, Exported, GameMade, Lobby, Me, Opponents, Profile,
    SeekMade, ServerMessage, Snapshot, TokenMade,
};
use std::net::IpAddr;
use std::time::Duration;

const WORD: &str = "correct horse";

async fn account(server: &TestServer, name: &str) -> Fallible<Browser> {
    let mut browser = Browser::new(server);
    let made = browser.register(name, WORD).await?;
    assert_eq!(made.status, 201, "{}", made.body);
    Ok(browser)
}

/// An account of a program, with a token.
async fn bot(server: &TestServer, name: &str) -> Fallible<(Browser, TokenMade)> {
    let mut owner = account(server, name).await?;
    let word = json!({ "password": WORD });
    let marked = owner.ask("PUT", "/api/account/bot", word).await?;
    assert_eq!(marked.status, 204, "{}", marked.body);
    let name = json!({ "name": "at home" });
    let made = owner.ask("POST", "/api/account/tokens", name).await?;
    assert_eq!(made.status, 201, "{}", made.body);
    assert!(made.head.contains("no-store"), "{}", made.head);
    let made = made.json()?;
    Ok((owner, made))
}

/// Who wishes for people is neither paired with a program nor accepted by one, and is found by people.
#[tokio::test(flavor = "multi_thread")]
async fn a_program_meets_only_those_who_welcome_it() -> Fallible<()> {
    let server = TestServer::start("people-only", |_| ()).await?;
    let (mut ann, mut bob) = (
        account(&server, "Ann").await?,
        account(&server, "Bob").await?,
    );
    let (_, token) = bot(&server, "Robot").await?;
    let program = Program::new(&server, &token.token);
    for clock in ["fischer:5m+3s", "days:3"] {
        let anyone = json!({ "games": ["chess"], "clocks": [clock] });
        let people = json!({ "games": ["chess"], "clocks": [clock], "opponents": "people" });
        let made = people::seek(&mut ann, people.clone()).await?;
        let id = made.id.ok_or("it does not wait")?;
        let lobby: Lobby = program
            .ask("GET", "/api/lobby", Value::Null)
            .await?
            .json()?;
        assert_eq!(lobby.seeks[0].opponents, Opponents::People, "{lobby:?}");
        let answer = program
            .ask("POST", "/api/lobby/seeks", anyone.clone())
            .await?;
        let waits: SeekMade = answer.json()?;
        let other = waits.id.ok_or("paired with a person who wants people")?;
        let path = format!("/api/lobby/seeks/{id}/accept");
        let refused = program.ask("POST", &path, json!({})).await?;
        assert_eq!((refused.status, code(&refused)?), (409, "opponent".into()));
        // The program's own offer is passed by, though it came first for one who comes now.
        let met = people::seek(&mut bob, people.clone()).await?;
        assert_eq!(met.paired.ok_or("not paired")?.opponent, "Ann");
        let welcome = people::seek(&mut bob, anyone).await?;
        assert_eq!(welcome.paired.ok_or("not paired")?.opponent, "Robot");
        let path = format!("/api/lobby/seeks/{other}");
        let gone = program.ask("DELETE", &path, Value::Null).await?;
        assert_eq!(gone.status, 404);
    }
    let odd = json!({ "clocks": ["days:3"], "opponents": "dogs" });
    assert_eq!(ann.ask("POST", "/api/lobby/seeks", odd).await?.status, 422);
    server.end().await
}

/// A program: it has a token and no cookie.
struct Program<'a> {
    server: &'a TestServer,
    from: Option<IpAddr>,
    shows: String,
}

impl<'a> Program<'a> {
    fn new(server: &'a TestServer, token: &str) -> Program<'a> {
        Program {
            server,
            from: None,
            shows: format!("Bearer {token}"),
        }
    }

    async fn ask(&self, method: &str, path: &str, body: Value) -> Fallible<Answer> {
        let body = body.to_string();
        let headers = [("authorization", self.shows.as_str())];
        let request = Request {
            method,
            ..Request::post(path, &body)
        };
        let answer = ask_from(self.from, self.server.address, request.with(&headers)).await?;
        assert!(answer.cookie().is_none(), "{}", answer.head);
        Ok(answer)
    }

    async fn get(&self, path: &str) -> Fallible<Answer> {
        self.ask("GET", path, Value::Null).await
    }

    async fn socket(&self) -> Fallible<Socket> {
        Socket::open(self.server.address, &[("authorization", &self.shows)]).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_is_made_for_a_program_and_plays() -> Fallible<()> {
    let server = TestServer::start("bots", |c| c.limits.sign_ins_per_minute = 0).await?;
    let mut guest = Browser::new(&server);
    let mut ann = account(&server, "Ann").await?;
    let (word, name) = (json!({ "password": WORD }), json!({ "name": "at home" }));
    // Guests have no account to mark, people no token, and nobody marks an account without its password.
    let (bot_path, token_path) = ("/api/account/bot", "/api/account/tokens");
    for (signed_in, method, path, body, status, reason) in [
        (false, "PUT", bot_path, &word, 401, "sign_in"),
        (false, "POST", token_path, &name, 401, "sign_in"),
        (true, "POST", token_path, &name, 409, "not_bot"),
        (true, "PUT", bot_path, &json!({}), 403, "password"),
    ] {
        let browser = if signed_in { &mut ann } else { &mut guest };
        let answer = browser.ask(method, path, body.clone()).await?;
        let found = (answer.status, code(&answer)?);
        assert_eq!(found, (status, reason.into()), "{method} {path}");
    }
    let (mut owner, made) = bot(&server, "Robot").await?;
    for wrong in ["", "   ", &"x".repeat(41), "a\u{7}b"] {
        let wish = json!({ "name": wrong });
        let answer = owner.ask("POST", "/api/account/tokens", wish).await?;
        assert_eq!((answer.status, code(&answer)?.as_str()), (422, "name"));
    }
    let kept = owner.account().await?;
    assert_eq!((kept.bot, kept.tokens.len()), (true, 1));
    assert_eq!(kept.tokens[0].name, "at home");
    // The word is told once and never again.
    for path in ["/api/account", "/api/account/export"] {
        let answer = owner.get(path).await?;
        assert!(!answer.body.contains(&made.token), "{}", answer.body);
    }
    let saved: Exported = owner.get("/api/account/export").await?.json()?;
    assert_eq!(saved.account.tokens[0].name, "at home");

    // It plays a level, is known as what it is, and its seat is its own without a cookie.
    let program = Program::new(&server, &made.token);
    let me: Me = program.get("/api/me").await?.json()?;
    assert_eq!(
        (me.name.as_str(), me.account, me.bot),
        ("Robot", true, true)
    );
    let wish = json!({ "variant": "chess", "level": 1, "side": "white", "clock": "fischer:5m+3s", "rated": true });
    let game: GameMade = program.ask("POST", "/api/games", wish).await?.json()?;
    let mut socket = program.socket().await?;
    let snapshot = socket.join(&game.id, None).await?;
    let white = &snapshot.now.players.white;
    assert_eq!(snapshot.own, Some(server::wire::Side::White));
    assert!(white.bot && white.account && !snapshot.now.players.black.bot);
    socket.play(0, "e2e4").await?;
    socket.ply(2).await?;
    socket.say(&ClientMessage::Resign).await?;
    let profile: Profile = guest.get("/api/people/Robot").await?.json()?;
    assert!(profile.bot);
    let mut looks = 0;
    loop {
        let page: ArchivePage = guest.get("/api/archive").await?.json()?;
        if let [found] = &page.games[..] {
            assert!(found.players.white.bot && !found.players.black.bot);
            break;
        }
        looks += 1;
        assert!(looks < 100, "the game is not in the archive");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(owner.account().await?.tokens[0].used_ms.is_some());
    // It seeks and is challenged like anybody, and is marked there, too.
    let wish = json!({ "games": ["chess"], "clocks": ["days:3"] });
    let seek: SeekMade = program
        .ask("POST", "/api/lobby/seeks", wish)
        .await?
        .json()?;
    assert!(seek.id.is_some());
    let lobby: Lobby = guest.get("/api/lobby").await?.json()?;
    assert!(lobby.seeks[0].bot, "{lobby:?}");
    let wish = json!({ "variant": "grand", "clock": "days:3" });
    let sent: Challenge = ann
        .ask("POST", "/api/people/Robot/challenges", wish)
        .await?
        .json()?;
    assert!(sent.to_bot && !sent.from_bot);
    let path = format!("/api/challenges/{}/decline", sent.id);
    let answer = program
        .ask("POST", &path, json!({ "reason": "strength" }))
        .await?;
    assert_eq!(answer.status, 204, "{}", answer.body);
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_changes_nothing_of_the_account() -> Fallible<()> {
    let server = TestServer::start("bots-may", |c| c.limits.sign_ins_per_minute = 0).await?;
    let (mut owner, made) = bot(&server, "Robot").await?;
    let program = Program::new(&server, &made.token);
    let (word, both) = (
        json!({ "password": WORD }),
        json!({ "name": "Robot", "password": WORD }),
    );
    let passkey = json!({ "token": "x", "credential": {} });
    let session = owner.account().await?.sessions[0].id.clone();
    let (of_token, of_session) = (
        format!("/api/account/tokens/{}", made.id),
        format!("/api/account/sessions/{session}"),
    );
    let code_of = json!({ "name": "Robot", "code": "x", "password": "another horse" });
    for (method, path, body) in [
        ("GET", "/api/account", &Value::Null),
        ("GET", "/api/account/export", &Value::Null),
        ("DELETE", "/api/account", &word),
        ("POST", "/api/account", &both),
        (
            "PUT",
            "/api/account/password",
            &json!({ "password": WORD, "new": "another horse" }),
        ),
        ("POST", "/api/account/codes", &word),
        ("PUT", "/api/account/bot", &word),
        ("POST", "/api/account/tokens", &json!({ "name": "another" })),
        ("DELETE", &of_token, &Value::Null),
        ("DELETE", "/api/account/sessions", &Value::Null),
        ("DELETE", &of_session, &Value::Null),
        ("POST", "/api/account/passkeys/question", &json!({})),
        (
            "POST",
            "/api/account/passkeys/question",
            &json!({ "name": "Other" }),
        ),
        ("DELETE", "/api/account/passkeys/x", &Value::Null),
        ("POST", "/api/session", &both),
        ("DELETE", "/api/session", &Value::Null),
        ("POST", "/api/session/recovery", &code_of),
        ("POST", "/api/session/passkey", &passkey),
    ] {
        let answer = program.ask(method, path, body.clone()).await?;
        let found = (answer.status, code(&answer)?);
        assert_eq!(found, (403, "by_token".into()), "{method} {path}");
    }
    let kept = owner.account().await?;
    assert_eq!((kept.tokens.len(), kept.sessions.len()), (1, 1));
    assert!(kept.password && kept.passkeys.is_empty());
    // A guest's name is no program's, either.
    let answer = program
        .ask("PUT", "/api/me", json!({ "name": "Ann" }))
        .await?;
    assert_eq!((answer.status, code(&answer)?.as_str()), (409, "signed_in"));
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_token_opens_nothing() -> Fallible<()> {
    let server = TestServer::start("bots-no", |c| c.limits.sign_ins_per_minute = 0).await?;
    let (mut owner, made) = bot(&server, "Robot").await?;
    let mut ann = account(&server, "Ann").await?;
    let mut changed = made.token.clone();
    changed.pop();
    let long = "x".repeat(5000);
    for wrong in ["", "x", &changed, &long, &made.id, "husun_"] {
        let program = Program::new(&server, wrong);
        for path in ["/api/me", "/api/me/games", "/api/me/challenges"] {
            let answer = program.get(path).await?;
            let found = (answer.status, code(&answer)?);
            assert_eq!(found, (401, "token".into()), "{path} with {wrong:.20}");
        }
        assert!(program.socket().await.is_err(), "{wrong:.20}");
    }
    // A cookie does not stand in for it.
    let (cookie, shows) = (ann.cookie(), "Bearer nothing".to_owned());
    let headers = [("cookie", cookie.as_str()), ("authorization", &shows)];
    let answer = server.ask(Request::get("/api/me").with(&headers)).await?;
    assert_eq!((answer.status, code(&answer)?.as_str()), (401, "token"));
    // Nor does it need what keeps pages of other sites from using cookies.
    let shows = format!("bearer {}", made.token);
    let headers = [
        ("origin", "https://elsewhere.example"),
        ("authorization", shows.as_str()),
    ];
    let wish = r#"{"variant":"chess","level":1}"#;
    let answer = server
        .ask(Request::post("/api/games", wish).with(&headers))
        .await?;
    assert_eq!(answer.status, 201, "{}", answer.body);

    // Only the owner takes it back; then its socket is closed, and it opens nothing.
    let program = Program::new(&server, &made.token);
    let mut socket = program.socket().await?;
    socket.say(&ClientMessage::Ping { n: 1 }).await?;
    assert!(matches!(socket.hear().await?, ServerMessage::Pong { n: 1 }));
    let path = format!("/api/account/tokens/{}", made.id);
    let answer = ann.ask("DELETE", &path, Value::Null).await?;
    let found = (answer.status, code(&answer)?);
    assert_eq!(found, (404, "no_such_token".into()));
    assert_eq!(program.get("/api/me").await?.status, 200);
    let answer = owner.ask("DELETE", &path, Value::Null).await?;
    assert_eq!(answer.status, 204);
    let ended = socket.hear().await.err().ok_or("it goes on")?;
    assert!(ended.to_string().contains("closed"), "{ended}");
    assert_eq!(program.get("/api/me").await?.status, 401);

    // With the account its tokens go.
    let name = json!({ "name": "second" });
    let made: TokenMade = owner
        .ask("POST", "/api/account/tokens", name)
        .await?
        .json()?;
    let program = Program::new(&server, &made.token);
    let mut socket = program.socket().await?;
    let word = json!({ "password": WORD });
    assert_eq!(owner.ask("DELETE", "/api/account", word).await?.status, 200);
    while socket.hear().await.is_ok() {}
    assert_eq!(program.get("/api/me").await?.status, 401);
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn guesses_are_slowed_and_programs_are_not() -> Fallible<()> {
    let server = TestServer::start("bots-slow", |c| c.limits.sign_ins_per_minute = 6).await?;
    let (mut owner, made) = bot(&server, "Robot").await?;
    let program = Program::new(&server, &made.token);
    assert_eq!(program.get("/api/me").await?.status, 200);
    let mut refused = 0;
    for n in 0..10 {
        let guess = Program::new(&server, &format!("husun_guess{n}"));
        let answer = guess.get("/api/me").await?;
        match answer.status {
            401 => assert_eq!(refused, 0, "slowed and then not"),
            429 => {
                assert_eq!(code(&answer)?, "rate");
                refused += 1;
            }
            other => return Err(format!("{other}").into()),
        }
    }
    assert!((4..10).contains(&refused), "{refused}");
    // One that was right goes on; one that is right, but new, waits like a guess, and elsewhere does not.
    assert_eq!(program.get("/api/me").await?.status, 200);
    let name = json!({ "name": "second" });
    let second: TokenMade = owner
        .ask("POST", "/api/account/tokens", name)
        .await?
        .json()?;
    let mut second = Program::new(&server, &second.token);
    assert_eq!(second.get("/api/me").await?.status, 429);
    second.from = Some("127.0.0.9".parse()?);
    assert_eq!(second.get("/api/me").await?.status, 200);
    // An account has a bounded number of them.
    for n in 0..30 {
        let name = json!({ "name": format!("token {n}") });
        let answer = owner.ask("POST", "/api/account/tokens", name).await?;
        let expected = if n < 18 { 201 } else { 429 };
        assert_eq!(answer.status, expected, "{n}: {}", answer.body);
    }
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn who_has_played_rated_games_is_no_program() -> Fallible<()> {
    let server = TestServer::start("bots-rated", |_| ()).await?;
    let mut ann = account(&server, "Ann").await?;
    // What a person has offered is not a program's.
    let wish = json!({ "games": ["chess"], "clocks": ["days:3"] });
    let mut bea = account(&server, "Bea").await?;
    let seek: SeekMade = bea.ask("POST", "/api/lobby/seeks", wish).await?.json()?;
    assert!(seek.id.is_some());
    let mut socket = Socket::open(server.address, &[("cookie", &bea.cookie())]).await?;
    let word = json!({ "password": WORD });
    let marked = bea.ask("PUT", "/api/account/bot", word.clone()).await?;
    assert_eq!(marked.status, 204, "{}", marked.body);
    let lobby: Lobby = ann.get("/api/lobby").await?.json()?;
    assert!(lobby.seeks.is_empty(), "{lobby:?}");
    assert!(
        socket.hear().await.is_err(),
        "what is open knows it as a person's"
    );
    assert!(bea.me().await?.bot);

    let wish = json!({ "variant": "chess", "level": 1, "side": "white", "clock": "fischer:5m+3s", "rated": true });
    let game: GameMade = ann.ask("POST", "/api/games", wish).await?.json()?;
    let mut socket = Socket::open(server.address, &[("cookie", &ann.cookie())]).await?;
    socket.join(&game.id, None).await?;
    socket.play(0, "e2e4").await?;
    socket.ply(2).await?;
    socket.say(&ClientMessage::Resign).await?;
    let over = |message| match message {
        ServerMessage::Update { now, .. } => now.result.map(drop),
        _ => None,
    };
    socket.until(over).await?;
    let answer = ann.ask("PUT", "/api/account/bot", word).await?;
    assert_eq!((answer.status, code(&answer)?.as_str()), (409, "rated"));
    let game: Snapshot = ann.get(&format!("/api/games/{}", game.id)).await?.json()?;
    assert!(!game.now.players.white.bot);
    server.end().await
}
