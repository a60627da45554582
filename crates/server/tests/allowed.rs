//! Who may do what: every request that changes something or tells of somebody, and every message in a game, as guests,
//! other accounts, banned ones and those who only watch try it. What is not in these tables fails the test.

use crate::common::browser::{Browser, code};
use crate::common::operator::{Operator, game, socket};
use crate::common::people::{WORD, account, guest, seek};
use crate::common::{Answer, Fallible, Request, Socket, TestServer};
use serde_json::{Value, json};
use server::wire::{
    Challenge, ClientMessage, Refusal, ReportPage, ServerMessage, TokenMade, TournamentMade,
    VoteMade,
};
use std::collections::BTreeSet;

/// Who asks.
const FOR: [&str; 5] = [
    "a guest",
    "another account",
    "a banned account",
    "a banned guest",
    "a banned program",
];

/// Each request with its body and its answers to [`FOR`]; the file says how.
const REQUESTS: &str = include_str!("data/allowed.txt");

/// A row of [`REQUESTS`].
struct Row {
    method: &'static str,
    path: &'static str,
    body: &'static str,
    wanted: Vec<&'static str>,
}

fn rows() -> Fallible<Vec<Row>> {
    let lines = REQUESTS
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let parts: Vec<&str> = line.split(" |").map(str::trim).collect();
            let [request, body, wanted] = parts[..] else {
                return Err(format!("three parts: {line}").into());
            };
            let (method, path) = request.split_once(' ').ok_or("no path")?;
            let mut wanted: Vec<&str> = wanted.split(' ').collect();
            assert!(wanted.len() == 3 || wanted.len() == 5, "{line}");
            wanted.resize(FOR.len(), "banned");
            Ok(Row {
                method,
                path,
                body,
                wanted,
            })
        })
        .collect()
}

/// What computes for anybody and knows nobody: even one who is banned reads rules and looks at positions.
const COMPUTED: [&str; 5] = [
    "POST /api/pgn",
    "POST /api/position",
    "POST /api/variants/{}/lessons/{}/{}",
    "POST /api/variants/{}/reach",
    "POST /api/variants/{}/targets",
];

/// A path with its parts that vary left out.
fn shape(path: &str) -> String {
    let mut shape = String::new();
    let mut depth = 0;
    for c in path.chars() {
        depth += i32::from(c == '{');
        if depth == 0 || (c == '{' && depth == 1) {
            shape.push(c);
        }
        depth -= i32::from(c == '}');
        if c == '}' && depth == 0 {
            shape.push(c);
        }
    }
    shape
}

/// Whether a request is one of a documented path.
fn is_of(request: &str, documented: &str) -> bool {
    let (one, other): (Vec<&str>, Vec<&str>) = (
        request.split('/').collect(),
        documented.split('/').collect(),
    );
    let same = |(own, wanted): (&&str, &&str)| own == wanted || *wanted == "{}";
    one.len() == other.len() && one.iter().zip(&other).all(same)
}

/// What a request was answered.
fn told(answer: &Answer) -> String {
    match answer.status {
        200..300 => "ok".into(),
        status => match answer.json::<Refusal>() {
            Ok(refusal) if !refusal.message.is_empty() => refusal.code,
            _ => format!("{status} without a reason"),
        },
    }
}

fn limits(config: &mut server::Config) {
    let limits = &mut config.limits;
    limits.accounts_per_hour = 0;
    limits.sign_ins_per_minute = 0;
    limits.games_per_minute = 0;
    limits.requests_per_second = 0;
    limits.messages_per_second = 0;
    config.tournament_makers = Some(vec!["ann".into()]);
    config.vote_callers = Some(vec!["ann".into()]);
}

/// What is asked for in braces.
struct Things(Vec<(&'static str, String)>);

impl Things {
    fn put(&self, text: &str, n: usize) -> String {
        let mut text = text.replace("{n}", &n.to_string());
        for (name, value) in &self.0 {
            text = text.replace(name, value);
        }
        text
    }
}

/// Things of Ann and of Robot.
async fn things(server: &TestServer, ann: &mut Browser, game: &str) -> Fallible<(Things, String)> {
    let mut robot = account(server, "Robot").await?;
    let is_one = json!({ "password": WORD });
    let made = robot.ask("PUT", "/api/account/bot", is_one).await?;
    assert_eq!(made.status, 204, "{}", made.body);
    let made = robot.ask("POST", "/api/account/tokens", json!({ "name": "t" }));
    let token: TokenMade = made.await?.json()?;
    account(server, "Bob").await?;
    let soon = server::services::wall_ms() + 3_600_000;
    let wish = json!({ "variant": "chess", "clock": "days:3" });
    let challenge = ann.ask("POST", "/api/people/Bob/challenges", wish).await?;
    let wish = json!({ "games": ["grand"], "clocks": ["days:3"], "rated": true, "min_rating": 2500, "max_rating": 2900 });
    let seek = seek(ann, wish).await?.id.ok_or("paired")?;
    let wish = json!({
        "name": "Cup", "kind": { "swiss": { "rounds": 3 } }, "games": ["chess"], "clock": "fischer:5m+3s", "starts_ms": soon,
    });
    let tournament = ann.ask("POST", "/api/tournaments", wish).await?;
    let wish = json!({
        "question": "Which one?", "candidates": [{ "text": "a" }, { "text": "b" }], "closes_ms": soon, "newcomers": true,
    });
    let vote = ann.ask("POST", "/api/votes", wish).await?;
    let session = ann
        .account()
        .await?
        .sessions
        .first()
        .ok_or("no session")?
        .id
        .clone();
    let things = Things(vec![
        (
            "{w}",
            json!({ "page": true, "push": true, "mail": false }).to_string(),
        ),
        ("{soon}", soon.to_string()),
        ("{session}", session),
        ("{token}", token.id),
        ("{game}", game.into()),
        ("{challenge}", challenge.json::<Challenge>()?.id),
        ("{seek}", seek),
        ("{tournament}", tournament.json::<TournamentMade>()?.id),
        ("{vote}", vote.json::<VoteMade>()?.id),
    ]);
    Ok((things, token.token))
}

/// Bans a guest, whose number those who moderate know from a report; gives the browser.
async fn banned_guest(server: &TestServer, operator: &Operator<'_>) -> Fallible<Browser> {
    let mut browser = guest(server).await?;
    let report = json!({ "person": "Robot", "reason": "abuse" });
    let made = browser.ask("POST", "/api/reports", report).await?;
    assert_eq!(made.status, 201, "{}", made.body);
    let reports: ReportPage = operator.see("/reports").await?;
    let number = &reports.reports.first().ok_or("no report")?.by.id;
    operator
        .act(json!({ "act": "ban", "guest": number, "reason": "r" }))
        .await?;
    Ok(browser)
}

#[tokio::test(flavor = "multi_thread")]
async fn every_request_is_tried_by_those_who_may_not() -> Fallible<()> {
    let server = TestServer::start("allowed", limits).await?;
    let operator = Operator::of(&server)?;
    let mut ann = account(&server, "Ann").await?;
    let (made, _white, _black) = game(&server, &mut ann).await?;
    let (things, token) = things(&server, &mut ann, &made.id).await?;
    let people = [
        guest(&server).await?,
        account(&server, "Other").await?,
        account(&server, "Bad").await?,
        banned_guest(&server, &operator).await?,
    ];
    for name in ["Bad", "Robot"] {
        operator
            .act(json!({ "act": "ban", "account": name, "reason": "r" }))
            .await?;
    }
    let mut wrong = Vec::new();
    let word = format!("Bearer {token}");
    let rows = rows()?;
    for Row {
        method,
        path,
        body,
        wanted,
    } in &rows
    {
        for (n, wanted) in wanted.iter().enumerate() {
            let (path, body) = (things.put(path, n), things.put(body, n));
            let answer = match people.get(n) {
                // What a request does to the browser is forgotten: each begins as the first.
                Some(browser) => {
                    let text = if body.is_empty() { "null" } else { &body };
                    let body = serde_json::from_str(text)?;
                    browser.clone().ask(method, &path, body).await?
                }
                None => {
                    let headers = [("authorization", word.as_str())];
                    let request = Request {
                        method,
                        ..Request::post(&path, &body)
                    };
                    server.ask(request.with(&headers)).await?
                }
            };
            let found = told(&answer);
            if found != *wanted {
                let who = FOR[n];
                wrong.push(format!("{method} {path} by {who}: {found}, not {wanted}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Nothing of Ann's has changed.
    assert_eq!(ann.account().await?.sessions.len(), 1);
    let again = Browser::new(&server).sign_in("Ann", WORD).await?;
    assert_eq!(again.status, 200, "{}", again.body);
    // The tables have every request that changes something, and those that tell of oneself or of others.
    let document: Value = server.get("/api/openapi.json").await?;
    let known = rows
        .iter()
        .map(|row| shape(&format!("{} {}", row.method, row.path)));
    let known: BTreeSet<String> = known.collect();
    for (path, methods) in document["paths"].as_object().ok_or("no paths")? {
        for method in methods.as_object().ok_or("no methods")?.keys() {
            let private = ["/api/account", "/api/me", "/api/moderate"]
                .iter()
                .any(|p| path.starts_with(p));
            let request = format!("{} {}", method.to_uppercase(), shape(path));
            let tried = known.iter().any(|one| is_of(one, &request))
                || COMPUTED.contains(&request.as_str());
            let open = method == "get" && !private;
            assert!(open || tried, "{request} is not in the tables");
        }
    }
    server.end().await
}

/// Messages of those who play or advise, which one who watches may not send.
const DEEDS: &[&str] = &[
    r#"{"type":"move","ply":0,"text":"e2e4"}"#,
    r#"{"type":"accept","ply":0}"#,
    r#"{"type":"resign"}"#,
    r#"{"type":"draw","ply":0}"#,
    r#"{"type":"decline_draw","ply":0}"#,
    r#"{"type":"takeback","ply":0}"#,
    r#"{"type":"decline_takeback","ply":0}"#,
    r#"{"type":"abort"}"#,
    r#"{"type":"claim","claim":"win"}"#,
    r#"{"type":"rematch"}"#,
    r#"{"type":"chat","text":"hello"}"#,
    r#"{"type":"choose","name":"ranks","value":"9"}"#,
    r#"{"type":"appoint","engine":true}"#,
    r#"{"type":"ask_counsel","ply":0}"#,
    r#"{"type":"advise","text":"castle"}"#,
    r#"{"type":"plan","ply":0,"lines":[]}"#,
];

/// Messages that concern no seat.
const OPEN: [&str; 9] = [
    "join",
    "analyse",
    "stop_analysis",
    "enter_lobby",
    "leave_lobby",
    "enter_tournament",
    "leave_tournament",
    "watch_boards",
    "ping",
];

/// What all messages of a socket are called.
fn messages(document: &Value) -> Fallible<BTreeSet<String>> {
    let all = &document["components"]["schemas"]["ClientMessage"]["oneOf"];
    let word = |one: &Value| {
        let parts = one["allOf"]
            .as_array()
            .cloned()
            .unwrap_or_else(|| vec![one.clone()]);
        let words = parts
            .iter()
            .map(|part| part["properties"]["type"]["enum"][0].clone());
        words
            .filter_map(|word| word.as_str().map(String::from))
            .next()
    };
    let words: Option<BTreeSet<String>> = all
        .as_array()
        .ok_or("no messages")?
        .iter()
        .map(word)
        .collect();
    Ok(words.ok_or("a message without a type")?)
}

#[tokio::test(flavor = "multi_thread")]
async fn every_message_is_tried_by_those_who_watch() -> Fallible<()> {
    let server = TestServer::start("watch-only", limits).await?;
    let operator = Operator::of(&server)?;
    let mut ann = account(&server, "Ann").await?;
    let (made, mut white, mut black) = game(&server, &mut ann).await?;
    let other = account(&server, "Other").await?;
    let mut watching = [
        ("a guest", server.socket().await?),
        ("another account", socket(&server, &other).await?),
    ];
    let mut wrong = Vec::new();
    let mut tried = BTreeSet::new();
    for (who, socket) in &mut watching {
        socket.join(&made.id, None).await?;
        for text in DEEDS {
            socket.send(*text).await?;
            let found = socket.refusal().await?;
            if found != "not_your_seat" {
                wrong.push(format!("{text} by {who}: {found}"));
            }
            let value: Value = serde_json::from_str(text)?;
            tried.insert(value["type"].as_str().ok_or("no type")?.to_owned());
        }
    }
    // Those who play do not write among those who watch.
    white
        .send(r#"{"type":"watchers_chat","text":"hello"}"#)
        .await?;
    assert_eq!(white.refusal().await?, "not_your_seat");
    tried.insert("watchers_chat".into());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let document: Value = server.get("/api/openapi.json").await?;
    tried.extend(OPEN.map(String::from));
    assert_eq!(tried, messages(&document)?);
    // The game is where it was, and goes on.
    white.play(0, "e2e4").await?;
    assert_eq!(black.ply(1).await?.ply, 1);
    // A banned account is out of its seat: its socket has ended, and the word of the seat opens nothing.
    operator
        .act(json!({ "act": "ban", "account": "Ann", "reason": "r" }))
        .await?;
    while white.hear().await.is_ok() {}
    let mut link = Socket::open(server.address, &[]).await?;
    let seat = Some(made.seat.clone());
    link.say(&ClientMessage::Join {
        game: made.id.clone(),
        seat,
        name: None,
    })
    .await?;
    assert_eq!(link.refusal().await?, "banned");
    for text in DEEDS {
        link.send(*text).await?;
        assert_eq!(link.refusal().await?, "no_game", "{text}");
    }
    // Nor does it come back by its cookie, as which it is a guest now.
    let mut again = socket(&server, &ann).await?;
    again
        .say(&ClientMessage::Join {
            game: made.id.clone(),
            seat: None,
            name: None,
        })
        .await?;
    let seen = again.until(|message| match message {
        ServerMessage::Snapshot(snapshot) => Some(snapshot.own),
        _ => None,
    });
    assert_eq!(seen.await?, None);
    assert_eq!(code(&ann.get("/api/account").await?)?, "sign_in");
    server.end().await
}
