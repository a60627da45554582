//! Games that are watched, and what those say who watch, for tests.

use super::browser::{Browser, code};
use super::operator::socket;
use super::people::seek;
use super::{Fallible, Socket, TestServer};
use serde_json::{Value, json};
use server::wire::{ClientMessage, GameMade, ServerMessage, WatchersLine};

pub const CLOCK: &str = "fischer:5m+3s";

/// A game of two that everybody may watch, with both at the board.
pub async fn public_game(
    server: &TestServer,
    white: &mut Browser,
    black: &mut Browser,
    variant: &str,
) -> Fallible<(String, Socket, Socket)> {
    let wish = json!({ "games": [variant], "clocks": [CLOCK], "side": "white" });
    assert!(seek(white, wish).await?.paired.is_none());
    let wish = json!({ "games": [variant], "clocks": [CLOCK] });
    let game = seek(black, wish).await?.paired.ok_or("not paired")?.game;
    let mut first = socket(server, white).await?;
    first.join(&game, None).await?;
    let mut second = socket(server, black).await?;
    second.join(&game, None).await?;
    Ok((game, first, second))
}

/// A game of two friends, which only they and those with its address find.
pub async fn private_game(
    server: &TestServer,
    white: &mut Browser,
) -> Fallible<(String, Socket, Socket)> {
    let wishes = json!({ "variant": "chess", "side": "white", "clock": CLOCK });
    let made: GameMade = white.ask("POST", "/api/games", wishes).await?.json()?;
    let mut first = socket(server, white).await?;
    first.join(&made.id, None).await?;
    let friend = made.friend_seat.ok_or("no seat")?;
    let (second, _) = server.join(&made.id, Some(&friend)).await?;
    Ok((made.id, first, second))
}

pub async fn talk(socket: &mut Socket, text: &str) -> Fallible<()> {
    socket
        .say(&ClientMessage::WatchersChat { text: text.into() })
        .await
}

pub async fn line(socket: &mut Socket) -> Fallible<WatchersLine> {
    socket
        .until(|message| match message {
            ServerMessage::WatchersLine(line) => Some(line),
            _ => None,
        })
        .await
}

pub async fn lines(socket: &mut Socket) -> Fallible<Vec<String>> {
    socket
        .until(|message| match message {
            ServerMessage::WatchersChat { lines } => {
                Some(lines.into_iter().map(|line| line.text).collect())
            }
            _ => None,
        })
        .await
}

/// All that is told until an answer to a ping, as text: what came of everything before.
pub async fn told(socket: &mut Socket) -> Fallible<String> {
    socket.say(&ClientMessage::Ping { n: 4711 }).await?;
    let mut all = String::new();
    loop {
        let message = socket.hear().await?;
        if message == (ServerMessage::Pong { n: 4711 }) {
            return Ok(all);
        }
        all += &serde_json::to_string(&message)?;
    }
}

pub async fn refused(browser: &mut Browser, method: &str, path: &str) -> Fallible<(u16, String)> {
    let answer = browser.ask(method, path, Value::Null).await?;
    Ok((answer.status, code(&answer)?))
}
