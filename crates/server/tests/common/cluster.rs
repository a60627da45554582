//! Several nodes within the test, on a database and with subjects of their own.

use super::browser::Browser;
use super::people::{WORD, number};
use super::{Fallible, Socket, TestServer};
use server::Config;
use server::config::NodeConfig;
use server::wire::{ClientMessage, Lobby, ServerMessage};
use std::path::PathBuf;
use std::process::Command;

/// Nodes that share everything.
pub struct Cluster {
    pub nodes: Vec<TestServer>,
    name: String,
    database: String,
    keys: PathBuf,
    change: fn(&mut Config),
}

/// A database of this name, new and empty.
pub fn make_database(url: &str, name: &str) -> Fallible<String> {
    let sql = format!("CREATE DATABASE {name}");
    let made = Command::new("psql")
        .args([url, "-q", "-c", &sql])
        .output()
        .map_err(|error| format!("psql: {error}; it comes with PostgreSQL"))?;
    if !made.status.success() {
        return Err(String::from_utf8_lossy(&made.stderr).into());
    }
    let (server, _) = url.rsplit_once('/').ok_or("no database in the URL")?;
    Ok(format!("{server}/{name}"))
}

impl Cluster {
    /// So many nodes; scripts/postgres and scripts/nats say where PostgreSQL and NATS are.
    pub async fn start(name: &str, count: usize, change: fn(&mut Config)) -> Fallible<Cluster> {
        let name = format!("{name}_{}", std::process::id());
        let postgres = std::env::var("HUSUN_TEST_POSTGRES")?;
        let keys = std::env::temp_dir().join(format!("husun-keys-{name}"));
        std::fs::create_dir_all(&keys)?;
        let mut cluster = Cluster {
            nodes: Vec::new(),
            database: make_database(&postgres, &name)?,
            name,
            keys,
            change,
        };
        for _ in 0..count {
            cluster.add().await?;
        }
        Ok(cluster)
    }

    /// One more node.
    pub async fn add(&mut self) -> Fallible<()> {
        self.add_speaking(server::node::PROTOCOL).await
    }

    /// One more node, which speaks as another version might.
    pub async fn add_speaking(&mut self, protocol: i64) -> Fallible<()> {
        let nats = std::env::var("HUSUN_TEST_NATS")?;
        let name = format!("{}-{}", self.name, number());
        let node = TestServer::start(&name, |config| {
            config.database = Some(self.database.clone());
            config.node = Some(NodeConfig {
                prefix: self.name.clone(),
                keys: Some(self.keys.clone()),
                protocol,
                ..NodeConfig::new(&name, nats)
            });
            (self.change)(config);
        });
        self.nodes.push(node.await?);
        Ok(())
    }

    /// What the database says, a line for each row.
    pub fn query(&self, sql: &str) -> Fallible<Vec<String>> {
        let told = Command::new("psql")
            .args([&self.database, "-At", "-F", " ", "-c", sql])
            .output()?;
        match told.status.success() {
            true => Ok(String::from_utf8(told.stdout)?
                .lines()
                .map(Into::into)
                .collect()),
            false => Err(String::from_utf8_lossy(&told.stderr).into()),
        }
    }

    pub async fn end(self) -> Fallible<()> {
        for node in self.nodes {
            node.end().await?;
        }
        Ok(std::fs::remove_dir_all(self.keys)?)
    }
}

/// The same browser at another node.
pub fn at(browser: &Browser, node: &TestServer) -> Browser {
    Browser {
        address: node.address,
        ..browser.clone()
    }
}

/// One with an account, made at a node.
pub async fn account(node: &TestServer, name: &str) -> Fallible<Browser> {
    let mut browser = Browser::new(node);
    let made = browser.register(name, WORD).await?;
    assert_eq!(made.status, 201, "{}", made.body);
    Ok(browser)
}

/// A page in the lobby of the node at which a browser is.
pub async fn enter(browser: &Browser) -> Fallible<(Socket, Lobby)> {
    let mut socket = Socket::open(browser.address, &[("cookie", &browser.cookie())]).await?;
    let lobby = list(&mut socket).await?;
    Ok((socket, lobby))
}

/// The whole list, anew.
pub async fn list(socket: &mut Socket) -> Fallible<Lobby> {
    socket.say(&ClientMessage::EnterLobby).await?;
    socket
        .until(|message| match message {
            ServerMessage::Lobby(lobby) => Some(Ok(lobby)),
            ServerMessage::Refused { message, .. } => Some(Err(message.into())),
            _ => None,
        })
        .await?
}
