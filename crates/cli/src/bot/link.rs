//! The connection to the server: requests and sockets with the token, over TLS if the address says https.

use anyhow::{Context, Result, bail, ensure};
use futures_util::{SinkExt, StreamExt};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Bytes;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST, HeaderValue};
use hyper::{Method, Request};
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use serde::Serialize;
use serde::de::DeserializeOwned;
use server::wire::{ClientMessage, Refusal, ServerMessage};
use std::fmt;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_rustls::TlsConnector;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{self, Message};
use url::Url;

/// How long a connection may take to be made.
const CONNECTING: Duration = Duration::from_secs(15);
/// How long an answer may take.
const ANSWERING: Duration = Duration::from_secs(40);
/// A socket that has been silent for this long is broken: the server sends signs of life every few seconds.
const SILENT: Duration = Duration::from_secs(30);
/// A connection that has held for this long was a good one.
pub const GOOD: Duration = Duration::from_secs(30);
/// Most bytes of an answer.
const MAX_ANSWER: usize = 16 << 20;

/// What can go wrong with a request or a socket.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// The server cannot be reached, or the connection broke.
    #[error("{0}")]
    Network(String),
    /// The server refused.
    #[error("{message} ({status} {code})")]
    Refused {
        status: u16,
        code: String,
        message: String,
    },
}

impl Trouble {
    /// Whether the same request may succeed later.
    pub fn is_passing(&self) -> bool {
        match self {
            Trouble::Network(_) => true,
            Trouble::Refused { status, .. } => *status == 429 || *status >= 500,
        }
    }

    /// The code of a refusal.
    pub fn code(&self) -> &str {
        match self {
            Trouble::Network(_) => "",
            Trouble::Refused { code, .. } => code,
        }
    }
}

fn broken(error: impl fmt::Display) -> Trouble {
    Trouble::Network(error.to_string())
}

fn slow(what: &'static str) -> impl Fn(tokio::time::error::Elapsed) -> Trouble {
    move |_| Trouble::Network(format!("{what} takes too long"))
}

/// A connection, over TLS or not.
trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// A server and the token that it knows.
pub struct Link {
    host: String,
    port: u16,
    authority: HeaderValue,
    token: HeaderValue,
    tls: Option<(TlsConnector, ServerName<'static>)>,
}

impl Link {
    /// The server at an address, `https://play.example.org`, and a token.
    pub fn new(address: &str, token: &str) -> Result<Link> {
        let form = "expected an address such as https://play.example.org or http://127.0.0.1:8000";
        let url = Url::parse(address).with_context(|| format!("`{address}`: {form}"))?;
        let bare = url.path() == "/" && url.query().is_none() && url.username().is_empty();
        let host = url.host_str().filter(|_| bare);
        let host = host.with_context(|| format!("`{address}`: {form}"))?;
        let port = url.port_or_known_default().unwrap_or(80);
        let authority = match url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        };
        // An IPv6 address has brackets only in a URL.
        let host = host.trim_matches(['[', ']']).to_owned();
        let tls = match url.scheme() {
            "http" => None,
            "https" => Some((
                server::outgoing::tls()?,
                ServerName::try_from(host.clone())?,
            )),
            other => bail!("`{address}`: {other} is not understood, {form}"),
        };
        let mut token = HeaderValue::from_str(&format!("Bearer {token}"))
            .context("the token contains characters that no token has")?;
        token.set_sensitive(true);
        Ok(Link {
            authority: HeaderValue::from_str(&authority)?,
            host,
            port,
            token,
            tls,
        })
    }

    async fn connect(&self) -> Result<Box<dyn Stream>, Trouble> {
        let connect = async {
            let stream = TcpStream::connect((self.host.as_str(), self.port)).await?;
            stream.set_nodelay(true)?;
            Ok::<Box<dyn Stream>, std::io::Error>(match &self.tls {
                Some((tls, name)) => Box::new(tls.connect(name.clone(), stream).await?),
                None => Box::new(stream),
            })
        };
        let connected = timeout(CONNECTING, connect).await;
        connected
            .map_err(slow("the connection to the server"))?
            .map_err(|e| Trouble::Network(format!("the server cannot be reached: {e}")))
    }

    /// Requests something.
    pub async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, Trouble> {
        let body = self.ask(Method::GET, path, Vec::new()).await?;
        serde_json::from_slice(&body).map_err(|e| broken(format!("{path}: {e}")))
    }

    /// Sends something and returns the answer.
    pub async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
    ) -> Result<T, Trouble> {
        let body = serde_json::to_vec(body).map_err(broken)?;
        let body = self.ask(Method::POST, path, body).await?;
        serde_json::from_slice(&body).map_err(|e| broken(format!("{path}: {e}")))
    }

    /// Sends something whose answer is empty.
    pub async fn tell(
        &self,
        method: Method,
        path: &str,
        body: &impl Serialize,
    ) -> Result<(), Trouble> {
        let body = serde_json::to_vec(body).map_err(broken)?;
        self.ask(method, path, body).await.map(drop)
    }

    async fn ask(&self, method: Method, path: &str, body: Vec<u8>) -> Result<Bytes, Trouble> {
        let stream = self.connect().await?;
        let asked = async {
            let io = TokioIo::new(stream);
            let (mut sender, connection) = hyper::client::conn::http1::handshake(io)
                .await
                .map_err(broken)?;
            let connection = tokio::spawn(connection);
            let request = Request::builder()
                .method(method)
                .uri(path)
                .header(HOST, &self.authority)
                .header(AUTHORIZATION, &self.token)
                .header(CONTENT_TYPE, "application/json")
                .body(Full::new(Bytes::from(body)))
                .map_err(broken)?;
            let answer = sender.send_request(request).await.map_err(broken)?;
            let status = answer.status();
            let body = Limited::new(answer.into_body(), MAX_ANSWER).collect().await;
            connection.abort();
            Ok((status, body.map_err(broken)?.to_bytes()))
        };
        let asked = timeout(ANSWERING, asked).await;
        let (status, body) = asked.map_err(slow("the answer of the server"))??;
        if status.is_success() {
            return Ok(body);
        }
        let refusal = serde_json::from_slice::<Refusal>(&body).unwrap_or_else(|_| Refusal {
            code: "?".into(),
            message: "the server refuses without a reason".into(),
        });
        Err(Trouble::Refused {
            status: status.as_u16(),
            code: refusal.code,
            message: refusal.message,
        })
    }

    /// Opens a socket.
    pub async fn socket(&self) -> Result<Socket, Trouble> {
        let authority = self.authority.to_str().unwrap_or_default();
        let address = format!("ws://{authority}/api/socket");
        let mut request = address.into_client_request().map_err(broken)?;
        let headers = request.headers_mut();
        headers.insert(AUTHORIZATION, self.token.clone());
        let stream = self.connect().await?;
        let opened = tokio_tungstenite::client_async(request, stream);
        let opened = timeout(ANSWERING, opened).await;
        match opened.map_err(slow("the answer of the server"))? {
            Ok((stream, _)) => Ok(Socket {
                stream,
                heard: Instant::now(),
            }),
            Err(tungstenite::Error::Http(answer)) => {
                let body = answer.body().as_deref().unwrap_or_default();
                let refusal = serde_json::from_slice::<Refusal>(body).ok();
                let (code, message) =
                    refusal.map_or_else(Default::default, |r| (r.code, r.message));
                Err(Trouble::Refused {
                    status: answer.status().as_u16(),
                    code,
                    message: format!("the socket cannot be opened: {message}"),
                })
            }
            Err(error) => Err(broken(error)),
        }
    }
}

/// A socket of the server.
pub struct Socket {
    stream: WebSocketStream<Box<dyn Stream>>,
    /// When something came last.
    heard: Instant,
}

impl Socket {
    /// Sends a message.
    pub async fn say(&mut self, message: &ClientMessage) -> Result<(), Trouble> {
        let text = serde_json::to_string(message).map_err(broken)?;
        let sent = timeout(ANSWERING, self.stream.send(Message::text(text))).await;
        sent.map_err(slow("sending"))?.map_err(broken)
    }

    /// The next message that this version understands.
    pub async fn hear(&mut self) -> Result<ServerMessage, Trouble> {
        loop {
            let heard = timeout_at(self.heard + SILENT, self.stream.next()).await;
            let heard = heard.map_err(|_| broken("the server has been silent for too long"))?;
            self.heard = Instant::now();
            let ended = || broken("the server has ended the connection");
            match heard.ok_or_else(ended)?.map_err(broken)? {
                Message::Text(text) => {
                    if let Ok(message) = serde_json::from_str(&text) {
                        return Ok(message);
                    }
                }
                Message::Close(Some(frame)) => {
                    let reason = frame.reason;
                    return Err(broken(format!(
                        "the server has ended the connection: {reason}"
                    )));
                }
                _ => {}
            }
        }
    }
}

/// Pauses that grow from one to the next, so that a returning server is not overrun.
#[derive(Default)]
pub struct Pauses {
    passed: u32,
}

impl Pauses {
    /// The next pause: a second, then twice as long each time up to a minute, a little more or less.
    pub fn next(&mut self) -> Duration {
        let whole = Duration::from_secs(1 << self.passed.min(6)).min(Duration::from_secs(60));
        self.passed += 1;
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let part = now.map_or(0, |now| now.subsec_nanos() % 400);
        whole * (800 + part) / 1000
    }

    /// Everything works again.
    pub fn reset(&mut self) {
        self.passed = 0;
    }
}

/// The token in a file, which only its owner should be able to read.
pub fn token_of(file: &Path) -> Result<String> {
    let name = file.display();
    let text = std::fs::read_to_string(file).with_context(|| format!("{name}: no token"))?;
    let token = text.trim();
    ensure!(
        !token.is_empty() && !token.contains(char::is_whitespace),
        "{name}: expected the token alone, as the account page shows it"
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(file).map_or(0, |m| m.permissions().mode());
        if mode & 0o077 != 0 {
            super::say(&format!("{name} can be read by others: chmod 600 {name}"));
        }
    }
    Ok(token.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_strictly() {
        for (address, host, port, authority) in [
            ("http://127.0.0.1:8000", "127.0.0.1", 8000, "127.0.0.1:8000"),
            ("http://localhost/", "localhost", 80, "localhost"),
            ("http://[::1]:81", "::1", 81, "[::1]:81"),
        ] {
            let link = Link::new(address, "husun_x").unwrap();
            let found = (link.host.as_str(), link.port);
            assert_eq!(
                (found, link.authority.to_str().unwrap()),
                ((host, port), authority)
            );
        }
        for address in [
            "",
            "localhost:8000",
            "ftp://a",
            "http://a/b",
            "http://a?b",
            "http://u@a",
        ] {
            assert!(Link::new(address, "husun_x").is_err(), "{address}");
        }
        assert!(Link::new("http://a", "a\nb").is_err());
    }

    #[test]
    fn pauses_grow() {
        let mut pauses = Pauses::default();
        let seconds: Vec<u64> = (0..9).map(|_| pauses.next().as_millis() as u64).collect();
        for (found, expected) in seconds.iter().zip([1, 2, 4, 8, 16, 32, 60, 60, 60]) {
            assert!(
                (800 * expected..1200 * expected).contains(found),
                "{seconds:?}"
            );
        }
        pauses.reset();
        assert!(pauses.next() < Duration::from_secs(2));
    }
}
