//! The two ways to moderation data: a running server is asked over HTTP with the key in its data folder; if none is
//! running the storage is opened here, and no server can use it meanwhile.

use anyhow::{Context, Result, anyhow, bail};
use serde::Serialize;
use serde::de::DeserializeOwned;
use server::accounts::Accounts;
use server::accounts::names::Names;
use server::moderation::{Actor, Moderation};
use server::operator::{self, Pass};
use server::wire::{
    AccountListed, AccountPage, AccountSeen, ActDone, Announcement, Ban, BanPage, ChatSeen,
    LogEntry, LogPage, ModerationAct, NodesNow, Refusal, Report, ReportPage,
};
use server::work::Work;
use server::{Config, ServeError, take_folder};
use std::fs::File;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;
use store::SqlStore;

/// Longest wait for a server.
const PATIENCE: Duration = Duration::from_secs(30);
/// Most bytes of an answer.
const LONGEST: u64 = 64 << 20;
/// Most pages of a list that are read.
const PAGES: usize = 2000;

/// A way to moderation data.
pub enum Way {
    /// A running server.
    Server(Pass),
    /// The storage, taken for this process.
    Storage {
        store: Box<SqlStore>,
        moderation: Moderation,
        _folder: File,
    },
}

impl Way {
    /// Finds the way: a running server holds the lock of its data folder.
    pub async fn to(config: &Config) -> Result<Way> {
        let folder = &config.data;
        if !folder.is_dir() {
            bail!(
                "{}: there is no such folder; --data names the data folder of the server",
                folder.display()
            );
        }
        let lock = match take_folder(folder) {
            Ok(lock) => lock,
            Err(ServeError::InUse(_)) => {
                let pass = operator::read(folder);
                let place = || format!("{}", folder.join(operator::FILE).display());
                let pass = pass.with_context(place)?.ok_or_else(|| {
                    anyhow!(
                        "{}: the server using this folder has not written it; it is starting, or is of an older version",
                        place()
                    )
                })?;
                return Ok(Way::Server(pass));
            }
            Err(error) => return Err(error.into()),
        };
        if config.database.is_none() && !folder.join(store::backup::DATABASE).is_file() {
            bail!(
                "{}: no server has used this folder; --data names the data folder of the server",
                folder.display()
            );
        }
        let store = SqlStore::open(&config.database_url()).await?;
        let work = Work::new();
        let names = Names::of(folder).with_context(|| folder.display().to_string())?;
        let accounts = Accounts::new(&store, work.clone(), names, Default::default());
        let moderation = Moderation::alone(&store, accounts, work);
        moderation.read().await?;
        Ok(Way::Storage {
            store: Box::new(store),
            moderation,
            _folder: lock,
        })
    }

    /// The server that uses the data folder; an error if none does.
    pub fn running(config: &Config) -> Result<Way> {
        let file = config.data.join(operator::FILE);
        let place = || file.display().to_string();
        let pass = operator::read(&config.data).with_context(place)?;
        pass.map(Way::Server).ok_or_else(|| {
            anyhow!(
                "{}: no server uses this folder; --data names that of a node",
                place()
            )
        })
    }

    /// The nodes of a server.
    pub fn nodes(&self) -> Result<NodesNow> {
        match self {
            Way::Server(pass) => get(pass, "nodes"),
            Way::Storage { .. } => bail!("no server runs"),
        }
    }

    /// Releases the storage.
    pub async fn close(self) {
        if let Way::Storage { store, .. } = self {
            store.close().await;
        }
    }

    /// Performs an act.
    pub async fn act(&self, act: ModerationAct) -> Result<ActDone> {
        match self {
            Way::Server(pass) => send(pass, "POST", "acts", Some(&act)),
            Way::Storage { moderation, .. } => Ok(moderation.act(&Actor::Operator, act).await?),
        }
    }

    pub async fn accounts(&self, name: &str) -> Result<Vec<AccountListed>> {
        let mut all = Vec::new();
        let mut last = String::new();
        for _ in 0..PAGES {
            let page: AccountPage = match self {
                Way::Server(pass) => {
                    let path = format!("accounts?name={}&after={}", escaped(name), escaped(&last));
                    get(pass, &path)?
                }
                Way::Storage { moderation, .. } => moderation.accounts(name, &last).await?,
            };
            all.extend(page.accounts);
            match page.next {
                Some(next) => last = next,
                None => break,
            }
        }
        Ok(all)
    }

    pub async fn moderators(&self) -> Result<Vec<AccountListed>> {
        let page: AccountPage = match self {
            Way::Server(pass) => get(pass, "moderators")?,
            Way::Storage { moderation, .. } => moderation.moderators().await?,
        };
        Ok(page.accounts)
    }

    pub async fn account(&self, name: &str) -> Result<AccountSeen> {
        match self {
            Way::Server(pass) => get(pass, &format!("accounts/{}", escaped(name))),
            Way::Storage { moderation, .. } => Ok(moderation.account_seen(name).await?),
        }
    }

    pub async fn bans(&self) -> Result<Vec<Ban>> {
        let mut all = Vec::new();
        let mut before = None;
        for _ in 0..PAGES {
            let page: BanPage = match self {
                Way::Server(pass) => get(pass, &paged("bans?", before.as_deref()))?,
                Way::Storage { moderation, .. } => moderation.all_bans(before.as_deref()).await?,
            };
            all.extend(page.bans);
            before = page.next;
            if before.is_none() {
                break;
            }
        }
        Ok(all)
    }

    pub async fn reports(&self, settled: bool) -> Result<Vec<Report>> {
        let mut all = Vec::new();
        let mut before = None;
        for _ in 0..PAGES {
            let page: ReportPage = match self {
                Way::Server(pass) => {
                    let path = format!("reports?settled={settled}&");
                    get(pass, &paged(&path, before.as_deref()))?
                }
                Way::Storage { moderation, .. } => {
                    moderation.reports(!settled, before.as_deref()).await?
                }
            };
            all.extend(page.reports);
            before = page.next;
            if before.is_none() {
                break;
            }
        }
        Ok(all)
    }

    pub async fn log(&self, account: Option<&str>) -> Result<Vec<LogEntry>> {
        let mut all = Vec::new();
        let mut before = None;
        for _ in 0..PAGES {
            let page: LogPage = match self {
                Way::Server(pass) => {
                    let path = match account {
                        Some(name) => format!("log?account={}&", escaped(name)),
                        None => "log?".into(),
                    };
                    get(pass, &paged(&path, before.as_deref()))?
                }
                Way::Storage { moderation, .. } => {
                    moderation.log(account, before.as_deref()).await?
                }
            };
            all.extend(page.log);
            before = page.next;
            if before.is_none() {
                break;
            }
        }
        Ok(all)
    }

    pub async fn chat(&self, game: &str) -> Result<Vec<ChatSeen>> {
        match self {
            Way::Server(pass) => get(pass, &format!("games/{}/chat", escaped(game))),
            Way::Storage { moderation, .. } => Ok(moderation.chat(game).await?),
        }
    }

    pub async fn announcements(&self) -> Result<Vec<Announcement>> {
        match self {
            Way::Server(pass) => get(pass, "announcements"),
            Way::Storage { moderation, .. } => Ok(moderation.announcements()),
        }
    }
}

fn paged(path: &str, before: Option<&str>) -> String {
    format!("{path}before={}", escaped(before.unwrap_or_default()))
}

/// A text escaped for an address.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' => escaped.push(byte.into()),
            byte => escaped.push_str(&format!("%{byte:02X}")),
        }
    }
    escaped
}

fn get<T: DeserializeOwned>(pass: &Pass, path: &str) -> Result<T> {
    send(pass, "GET", path, None::<&()>)
}

/// Asks a server on this machine: one request on a separate connection, whose end is the end of the answer.
fn send<T: DeserializeOwned>(
    pass: &Pass,
    method: &str,
    path: &str,
    body: Option<&impl Serialize>,
) -> Result<T> {
    let Pass { address, word } = pass;
    let unreached = || format!("the server at {address} cannot be reached");
    let body = match body {
        Some(body) => serde_json::to_string(body)?,
        None => String::new(),
    };
    let mut stream = TcpStream::connect_timeout(address, PATIENCE).with_context(unreached)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    // HTTP/1.0: the answer comes in one piece.
    let request = format!(
        "{method} /api/moderate/{path} HTTP/1.0\r\nhost: {address}\r\nauthorization: Bearer {word}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream
        .write_all(request.as_bytes())
        .with_context(unreached)?;
    let mut answer = Vec::new();
    let read = stream.take(LONGEST).read_to_end(&mut answer);
    read.with_context(unreached)?;
    let strange = || anyhow!("the answer of the server at {address} is not understood");
    let end = answer
        .windows(4)
        .position(|w| w == b"\r\n\r\n")
        .ok_or_else(strange)?;
    let (head, body) = (&answer[..end], &answer[end + 4..]);
    let status = head.split(|b| *b == b' ').nth(1).ok_or_else(strange)?;
    match status {
        b"200" => serde_json::from_slice(body).map_err(|_| strange()),
        _ => {
            let refusal: Refusal = serde_json::from_slice(body).map_err(|_| strange())?;
            bail!("{}", refusal.message)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_stand_in_addresses() {
        assert_eq!(escaped("Ann_b-2"), "Ann_b-2");
        assert_eq!(escaped("a b&c/ö"), "a%20b%26c%2F%C3%B6");
        assert_eq!(paged("log?", Some("12")), "log?before=12");
    }
}
