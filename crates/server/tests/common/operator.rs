//! Who runs the server, and others who moderate, for tests.

use super::browser::{Browser, code};
use super::{Answer, Fallible, Request, Socket, TestServer};
use serde_json::{Value, json};
use server::operator::Pass;
use server::wire::{ActDone, ClientMessage, GameMade, ServerMessage};

pub const HOUR: i64 = 3_600_000;

pub fn soon() -> i64 {
    server::services::wall_ms() + HOUR
}

/// Who runs the server.
pub struct Operator<'a>(&'a TestServer, pub String);

impl Operator<'_> {
    pub fn of(server: &TestServer) -> Fallible<Operator<'_>> {
        let text = std::fs::read_to_string(server.folder.join("operator"))?;
        let pass: Pass = serde_json::from_str(&text)?;
        assert_eq!(pass.address, server.address);
        Ok(Operator(server, format!("Bearer {}", pass.word)))
    }

    pub async fn ask(&self, method: &str, path: &str, body: Value) -> Fallible<Answer> {
        let body = body.to_string();
        let headers = [("authorization", self.1.as_str())];
        let path = format!("/api/moderate{path}");
        let request = Request {
            method,
            ..Request::post(&path, &body)
        };
        self.0.ask(request.with(&headers)).await
    }

    pub async fn act(&self, act: Value) -> Fallible<ActDone> {
        let answer = self.ask("POST", "/acts", act.clone()).await?;
        assert_eq!(answer.status, 200, "{act}: {}", answer.body);
        answer.json()
    }

    pub async fn refused(&self, act: Value) -> Fallible<String> {
        let answer = self.ask("POST", "/acts", act.clone()).await?;
        assert!(answer.status >= 400, "{act}: {}", answer.body);
        code(&answer)
    }

    pub async fn see<T: serde::de::DeserializeOwned>(&self, path: &str) -> Fallible<T> {
        self.ask("GET", path, Value::Null).await?.json()
    }
}

pub async fn act(browser: &mut Browser, act: Value) -> Fallible<Answer> {
    browser.ask("POST", "/api/moderate/acts", act).await
}

pub async fn socket(server: &TestServer, browser: &Browser) -> Fallible<Socket> {
    Socket::open(server.address, &[("cookie", &browser.cookie())]).await
}

/// Why a socket is closed.
pub async fn closed(socket: &mut Socket) -> String {
    loop {
        if let Err(end) = socket.hear().await {
            return end.to_string();
        }
    }
}

/// A game of two with an account each, White having said something.
pub async fn game(
    server: &TestServer,
    white: &mut Browser,
) -> Fallible<(GameMade, Socket, Socket)> {
    let wishes = json!({ "variant": "chess", "side": "white", "clock": "fischer:60m+1s" });
    let made: GameMade = white.ask("POST", "/api/games", wishes).await?.json()?;
    let friend = made.friend_seat.clone().ok_or("no seat")?;
    let mut first = socket(server, white).await?;
    first.join(&made.id, None).await?;
    let mut second = server.socket().await?;
    second.join(&made.id, Some(&friend)).await?;
    let said = ClientMessage::Chat {
        text: "an insult".into(),
    };
    first.say(&said).await?;
    let heard = second.until(|message| match message {
        ServerMessage::Chat(line) => Some(line.text),
        _ => None,
    });
    assert_eq!(heard.await?, "an insult");
    Ok((made, first, second))
}
