//! A server within the test on a port of its own, requests and sockets to it.

#![allow(dead_code)] // each test uses its part

pub mod browser;
pub mod cluster;
pub mod operator;
pub mod people;
pub mod watch;

use futures_util::{SinkExt, StreamExt};
use games::Catalogue;
use serde::de::DeserializeOwned;
use server::Config;
use server::wire::{ClientMessage, GameMade, ServerMessage, Snapshot};
use std::error::Error;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;
use store::{SqlStore, StoreError};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

pub type Fallible<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// A server that ends with the test.
pub struct TestServer {
    pub address: SocketAddr,
    pub folder: PathBuf,
    stop: Option<oneshot::Sender<()>>,
    served: JoinHandle<()>,
}

/// Removes the folder of a server that has ended.
pub async fn remove(folder: PathBuf) -> Fallible<()> {
    for _ in 0..100 {
        match std::fs::remove_dir_all(&folder) {
            // What the server's last task held is given back in a moment, and a file more is written until then.
            Err(error) if error.kind() == std::io::ErrorKind::DirectoryNotEmpty => {}
            removed => return Ok(removed?),
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Ok(std::fs::remove_dir_all(folder)?)
}

impl TestServer {
    pub async fn start(name: &str, change: impl FnOnce(&mut Config)) -> Fallible<TestServer> {
        TestServer::start_with(name, Catalogue::default(), change).await
    }

    /// A server of these games.
    pub async fn start_with(
        name: &str,
        games: Catalogue,
        change: impl FnOnce(&mut Config),
    ) -> Fallible<TestServer> {
        let folder = std::env::temp_dir().join(format!("husun-{name}-{}", std::process::id()));
        let mut config = Config {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            data: folder.clone(),
            engine_threads: 2,
            engine_pause: false,
            start_grace_seconds: 0,
            ..Config::default()
        };
        change(&mut config);
        let running = server::bind(&config, games).await?;
        let address = running.address()?;
        let (stop, stopped) = oneshot::channel();
        let (ready, is_ready) = oneshot::channel();
        let served = tokio::spawn(async move {
            let stopped = async {
                let _ = stopped.await;
            };
            if let Err(error) = running
                .serve(move || ready.send(()).unwrap_or(()), stopped)
                .await
            {
                eprintln!("{error}");
            }
        });
        let _ = is_ready.await;
        Ok(TestServer {
            address,
            folder,
            stop: Some(stop),
            served,
        })
    }

    /// Ends the server; its folder stays.
    pub async fn stop(mut self) -> Fallible<PathBuf> {
        drop(self.stop.take());
        self.served.await?;
        Ok(self.folder)
    }

    /// Ends the server and opens what it has stored.
    pub async fn stop_for_storage(self) -> Fallible<(PathBuf, SqlStore)> {
        let folder = self.stop().await?;
        let mut tries = 0;
        loop {
            match SqlStore::file(&folder.join("husun.sqlite")).await {
                // What its last task held is given back in a moment.
                Err(StoreError::InUse(_)) if tries < 100 => tries += 1,
                opened => return Ok((folder, opened?)),
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    pub async fn end(self) -> Fallible<()> {
        remove(self.stop().await?).await
    }

    pub async fn ask(&self, request: Request<'_>) -> Fallible<Answer> {
        ask(self.address, request).await
    }

    pub async fn get<T: DeserializeOwned>(&self, path: &str) -> Fallible<T> {
        self.ask(Request::get(path)).await?.json()
    }

    pub async fn make(&self, wishes: &str) -> Fallible<GameMade> {
        self.ask(Request::post("/api/games", wishes)).await?.json()
    }

    pub async fn socket(&self) -> Fallible<Socket> {
        Socket::open(self.address, &[]).await
    }

    /// A socket in a game, and the game as it is told.
    pub async fn join(&self, game: &str, seat: Option<&str>) -> Fallible<(Socket, Snapshot)> {
        let mut socket = self.socket().await?;
        let snapshot = socket.join(game, seat).await?;
        Ok((socket, snapshot))
    }
}

#[derive(Clone, Copy)]
pub struct Request<'a> {
    pub method: &'a str,
    pub path: &'a str,
    pub headers: &'a [(&'a str, &'a str)],
    pub body: &'a str,
}

impl<'a> Request<'a> {
    pub fn get(path: &'a str) -> Request<'a> {
        Request {
            method: "GET",
            path,
            headers: &[],
            body: "",
        }
    }

    pub fn post(path: &'a str, body: &'a str) -> Request<'a> {
        Request {
            method: "POST",
            path,
            headers: &[],
            body,
        }
    }

    pub fn with(mut self, headers: &'a [(&'a str, &'a str)]) -> Request<'a> {
        self.headers = headers;
        self
    }
}

pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Answer {
    pub fn json<T: DeserializeOwned>(&self) -> Fallible<T> {
        serde_json::from_str(&self.body)
            .map_err(|e| format!("{e} in {} {}", self.status, self.body).into())
    }

    pub fn cookie(&self) -> Option<&str> {
        let line = self
            .head
            .lines()
            .find(|l| l.to_lowercase().starts_with("set-cookie:"))?;
        line.split_once(": ")?.1.split(';').next()
    }
}

/// A connection from an address of this machine: each of 127.0.0.0/8 is another sender.
pub async fn connect_from(from: Option<IpAddr>, address: SocketAddr) -> Fallible<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    if let Some(from) = from {
        socket.bind(SocketAddr::new(from, 0))?;
    }
    let stream = socket.connect(address).await?;
    // As browsers do: a short message does not wait for the answer to the one before.
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// One request on a connection of its own.
pub async fn ask(address: SocketAddr, request: Request<'_>) -> Fallible<Answer> {
    ask_from(None, address, request).await
}

/// One request from an address of this machine.
pub async fn ask_from(
    from: Option<IpAddr>,
    address: SocketAddr,
    request: Request<'_>,
) -> Fallible<Answer> {
    let mut stream = connect_from(from, address).await?;
    let Request {
        method, path, body, ..
    } = request;
    let mut text = format!(
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-length: {}\r\n",
        body.len()
    );
    if !request
        .headers
        .iter()
        .any(|(name, _)| *name == "content-type")
    {
        text.push_str("content-type: application/json\r\n");
    }
    for (name, value) in request.headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    // A server that refuses a long body may close before all of it is written.
    let _ = stream
        .write_all(format!("{text}\r\n{body}").as_bytes())
        .await;
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    let answer = String::from_utf8(answer)?;
    let (head, body) = answer
        .split_once("\r\n\r\n")
        .ok_or("an answer without an end of its head")?;
    let status = head.split(' ').nth(1).ok_or("no status")?.parse()?;
    let body = match head.contains("transfer-encoding: chunked") {
        true => joined(body)?,
        false => body.into(),
    };
    Ok(Answer {
        status,
        head: head.into(),
        body,
    })
}

/// The text of a body that was sent in chunks, each after its length.
fn joined(mut chunks: &str) -> Fallible<String> {
    let mut body = String::new();
    loop {
        let (length, rest) = chunks.split_once("\r\n").ok_or("no length of a chunk")?;
        let length = usize::from_str_radix(length, 16)?;
        if length == 0 {
            return Ok(body);
        }
        body.push_str(rest.get(..length).ok_or("a chunk that is cut off")?);
        chunks = rest.get(length + 2..).ok_or("no end of a chunk")?;
    }
}

pub struct Socket(WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Socket {
    pub async fn open(address: SocketAddr, headers: &[(&'static str, &str)]) -> Fallible<Socket> {
        Socket::open_from(None, address, headers).await
    }

    pub async fn open_from(
        from: Option<IpAddr>,
        address: SocketAddr,
        headers: &[(&'static str, &str)],
    ) -> Fallible<Socket> {
        let mut request = format!("ws://{address}/api/socket").into_client_request()?;
        for (name, value) in headers {
            request.headers_mut().insert(*name, value.parse()?);
        }
        let stream = MaybeTlsStream::Plain(connect_from(from, address).await?);
        let (socket, _) = tokio_tungstenite::client_async(request, stream).await?;
        Ok(Socket(socket))
    }

    pub async fn send_pong(&mut self) -> Fallible<()> {
        Ok(self.0.send(Message::Pong(Vec::new().into())).await?)
    }

    pub async fn send(&mut self, text: impl Into<String>) -> Fallible<()> {
        Ok(self.0.send(Message::text(text.into())).await?)
    }

    pub async fn send_binary(&mut self, bytes: Vec<u8>) -> Fallible<()> {
        Ok(self.0.send(Message::binary(bytes)).await?)
    }

    pub async fn say(&mut self, message: &ClientMessage) -> Fallible<()> {
        self.send(serde_json::to_string(message)?).await
    }

    pub async fn hear(&mut self) -> Fallible<ServerMessage> {
        let next = async {
            loop {
                match self.0.next().await.ok_or("the socket ended")?? {
                    Message::Text(text) => return Ok(serde_json::from_str(&text)?),
                    Message::Close(frame) => return Err(format!("closed: {frame:?}").into()),
                    _ => {}
                }
            }
        };
        tokio::time::timeout(Duration::from_secs(20), next).await?
    }

    /// The next message that is wanted; all before it are passed over.
    pub async fn until<T>(&mut self, want: impl Fn(ServerMessage) -> Option<T>) -> Fallible<T> {
        loop {
            if let Some(found) = want(self.hear().await?) {
                return Ok(found);
            }
        }
    }

    pub async fn join(&mut self, game: &str, seat: Option<&str>) -> Fallible<Snapshot> {
        self.say(&ClientMessage::Join {
            game: game.into(),
            seat: seat.map(Into::into),
            name: None,
        })
        .await?;
        self.until(|m| match m {
            ServerMessage::Snapshot(snapshot) => Some(Ok(*snapshot)),
            ServerMessage::Refused { message, .. } => Some(Err(message.into())),
            _ => None,
        })
        .await?
    }

    /// The code of the next refusal.
    pub async fn refusal(&mut self) -> Fallible<String> {
        self.until(|m| match m {
            ServerMessage::Refused { code, .. } => Some(code),
            _ => None,
        })
        .await
    }

    /// Waits until so many half-moves are played.
    pub async fn ply(&mut self, ply: u32) -> Fallible<server::wire::Now> {
        self.until(|m| match m {
            ServerMessage::Update { now, .. } if now.ply == ply => Some(Ok(*now)),
            ServerMessage::Refused { message, .. } => Some(Err(message.into())),
            _ => None,
        })
        .await?
    }

    pub async fn play(&mut self, ply: u32, text: &str) -> Fallible<()> {
        let (text, seq) = (text.into(), None);
        self.say(&ClientMessage::Move { ply, seq, text }).await
    }
}
