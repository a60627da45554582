//! Others to whom the server speaks: a push service with the browsers behind it, and a mail server.

use crate::common::Fallible;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ece::EcKeyComponents;
use serde_json::{Value, json};
use server::wire::Notice;
use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

/// How long something is waited for.
const PATIENCE: Duration = Duration::from_secs(20);

/// What a push service was sent.
#[derive(Debug)]
pub struct Posted {
    pub path: String,
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
}

type Answers = Arc<Mutex<VecDeque<String>>>;

/// A push service.
pub struct PushService {
    pub address: SocketAddr,
    posted: mpsc::UnboundedReceiver<Posted>,
    /// Heads of the next answers; then all is taken.
    answers: Answers,
}

impl PushService {
    pub async fn start() -> Fallible<PushService> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let (tell, posted) = mpsc::unbounded_channel();
        let answers = Answers::default();
        let next = answers.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (tell, next) = (tell.clone(), next.clone());
                tokio::spawn(async move {
                    if let Ok(posted) = take(stream, next).await {
                        let _ = tell.send(posted);
                    }
                });
            }
        });
        Ok(PushService {
            address,
            posted,
            answers,
        })
    }

    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Answers the next request so: a status with headers, lines between.
    pub fn answer(&self, head: &str) {
        if let Ok(mut answers) = self.answers.lock() {
            answers.push_back(head.into());
        }
    }

    /// The next that is posted.
    pub async fn next(&mut self) -> Fallible<Posted> {
        let next = tokio::time::timeout(PATIENCE, self.posted.recv()).await;
        Ok(next.map_err(|_| "nothing is pushed")?.ok_or("no service")?)
    }

    /// Whether nothing is posted for a while.
    pub async fn is_quiet(&mut self) -> bool {
        let next = tokio::time::timeout(Duration::from_millis(700), self.posted.recv()).await;
        next.is_err()
    }
}

async fn take(stream: TcpStream, answers: Answers) -> Fallible<Posted> {
    let mut stream = BufReader::new(stream);
    let mut line = String::new();
    stream.read_line(&mut line).await?;
    let path = line.split(' ').nth(1).ok_or("no path")?.to_owned();
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await?;
        let Some((name, value)) = line.trim().split_once(": ") else {
            break;
        };
        headers.insert(name.to_lowercase(), value.to_owned());
    }
    let length = headers.get("content-length").ok_or("no length")?.parse()?;
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await?;
    let head = answers.lock().ok().and_then(|mut next| next.pop_front());
    let head = head.unwrap_or_else(|| "201 Created".into());
    let answer = format!("HTTP/1.1 {head}\r\ncontent-length: 0\r\n\r\n");
    stream.write_all(answer.as_bytes()).await?;
    Ok(Posted {
        path,
        headers,
        body,
    })
}

/// The keys of a browser behind a push service.
pub struct PushedTo {
    pub endpoint: String,
    keys: EcKeyComponents,
    auth: Vec<u8>,
}

impl PushedTo {
    /// A browser at a path of a service. A server has to have been started before.
    pub fn new(service: &PushService, path: &str) -> Fallible<PushedTo> {
        let (keys, auth) = ece::generate_keypair_and_auth_secret()?;
        Ok(PushedTo {
            endpoint: format!("{}{path}", service.origin()),
            keys: keys.raw_components()?,
            auth: auth.to_vec(),
        })
    }

    /// As a browser gives its subscription.
    pub fn subscription(&self) -> Value {
        json!({
            "endpoint": self.endpoint,
            "expirationTime": null,
            "keys": {
                "p256dh": URL_SAFE_NO_PAD.encode(self.keys.public_key()),
                "auth": URL_SAFE_NO_PAD.encode(&self.auth),
            },
        })
    }

    /// What was pushed, as only this browser can read it.
    pub fn read(&self, posted: &Posted) -> Fallible<Notice> {
        let text = ece::decrypt(&self.keys, &self.auth, &posted.body)?;
        Ok(serde_json::from_slice(&text)?)
    }
}

/// What a token says that was signed with a public key, checked by another library than the one that has signed.
pub fn claims(posted: &Posted, key: &str) -> Fallible<Value> {
    let shown = posted.headers.get("authorization").ok_or("no token")?;
    let (token, shown_key) = shown
        .strip_prefix("vapid t=")
        .and_then(|rest| rest.split_once(", k="))
        .ok_or("another scheme")?;
    assert_eq!(shown_key, key);
    let (signed, signature) = token.rsplit_once('.').ok_or("no signature")?;
    let (head, claims) = signed.split_once('.').ok_or("no claims")?;
    let head: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(head)?)?;
    assert_eq!(head, json!({ "typ": "JWT", "alg": "ES256" }));
    let checked = ring::signature::UnparsedPublicKey::new(
        &ring::signature::ECDSA_P256_SHA256_FIXED,
        URL_SAFE_NO_PAD.decode(key)?,
    );
    let signature = URL_SAFE_NO_PAD.decode(signature)?;
    checked
        .verify(signed.as_bytes(), &signature)
        .map_err(|_| "the signature is wrong")?;
    Ok(serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims)?)?)
}

/// An e-mail as the mail server got it.
#[derive(Debug)]
pub struct Letter {
    pub from: String,
    pub to: String,
    pub headers: BTreeMap<String, String>,
    pub body: String,
}

impl Letter {
    /// The address that follows on some words.
    pub fn link(&self, before: &str) -> Fallible<String> {
        let at = self.body.find(before).ok_or("no such link")?;
        let rest = &self.body[at..];
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        Ok(rest[..end].into())
    }
}

/// A mail server.
pub struct MailServer {
    pub address: SocketAddr,
    letters: mpsc::UnboundedReceiver<Letter>,
}

impl MailServer {
    pub async fn start() -> Fallible<MailServer> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let (tell, letters) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let tell = tell.clone();
                tokio::spawn(async move {
                    if let Ok(letter) = hear(stream).await {
                        let _ = tell.send(letter);
                    }
                });
            }
        });
        Ok(MailServer { address, letters })
    }

    pub async fn next(&mut self) -> Fallible<Letter> {
        let next = tokio::time::timeout(PATIENCE, self.letters.recv()).await;
        Ok(next.map_err(|_| "nothing is sent")?.ok_or("no server")?)
    }

    pub async fn is_quiet(&mut self) -> bool {
        let next = tokio::time::timeout(Duration::from_millis(700), self.letters.recv()).await;
        next.is_err()
    }
}

/// Takes one letter as RFC 5321 has it.
async fn hear(stream: TcpStream) -> Fallible<Letter> {
    let mut stream = BufReader::new(stream);
    let (mut from, mut to) = (String::new(), String::new());
    stream.write_all(b"220 mail.test ESMTP\r\n").await?;
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await? == 0 {
            return Err("it broke off".into());
        }
        let verb = line.get(..4).unwrap_or_default().to_uppercase();
        let within = || {
            let inner = line
                .split_once('<')
                .and_then(|(_, rest)| rest.split_once('>'));
            inner.map(|(inner, _)| inner.to_owned()).unwrap_or_default()
        };
        match verb.as_str() {
            "MAIL" => from = within(),
            "RCPT" => to = within(),
            "DATA" => break,
            _ => {}
        }
        stream.write_all(b"250 fine\r\n").await?;
    }
    stream.write_all(b"354 go on\r\n").await?;
    let (mut headers, mut body, mut in_body) = (BTreeMap::new(), String::new(), false);
    let mut last = String::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await? == 0 {
            return Err("it broke off".into());
        }
        let line = line.trim_end_matches(['\r', '\n']);
        match (in_body, line) {
            (_, ".") => break,
            (false, "") => in_body = true,
            // A long header goes on in the next line.
            (false, line) if line.starts_with(' ') => {
                let value: &mut String = headers.entry(last.clone()).or_default();
                value.push_str(line);
            }
            (false, line) => {
                let (name, value) = line.split_once(": ").ok_or("no header")?;
                last = name.to_lowercase();
                headers.insert(last.clone(), value.to_owned());
            }
            (true, line) => {
                body.push_str(line.strip_prefix("..").unwrap_or(line));
                body.push('\n');
            }
        }
    }
    stream.write_all(b"250 taken\r\n").await?;
    if headers.get("content-transfer-encoding").map(String::as_str) == Some("quoted-printable") {
        body = body.replace("=\n", "").replace("=3D", "=");
    }
    Ok(Letter {
        from,
        to,
        headers,
        body,
    })
}
