//! A way to the server that can be cut and stopped.

use std::error::Error;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Open,
    /// No connection, and new ones end at once.
    Cut,
    /// Connections stay, and nothing comes through.
    Stalled,
    /// What the server says comes through, and what it is told does not.
    Deaf,
}

pub struct Proxy {
    pub port: u16,
    way: watch::Sender<Way>,
    task: tokio::task::JoinHandle<()>,
}

impl Proxy {
    pub async fn to(port: u16) -> Result<Proxy, Box<dyn Error>> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let own = listener.local_addr()?.port();
        let (way, seen) = watch::channel(Way::Open);
        let task = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let seen = seen.clone();
                if *seen.borrow() == Way::Cut {
                    continue;
                }
                let Ok(server) = TcpStream::connect(("127.0.0.1", port)).await else {
                    continue;
                };
                tokio::spawn(both(client, server, seen));
            }
        });
        Ok(Proxy {
            port: own,
            way,
            task,
        })
    }

    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    pub fn set(&self, way: Way) {
        self.way.send_replace(way);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn both(client: TcpStream, server: TcpStream, mut way: watch::Receiver<Way>) {
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let deaf = [Way::Stalled, Way::Deaf, Way::Cut];
    tokio::select! {
        () = carry(from_client, to_server, way.clone(), &deaf) => {}
        () = carry(from_server, to_client, way.clone(), &[Way::Stalled, Way::Cut]) => {}
        _ = way.wait_for(|way| *way == Way::Cut) => {}
    }
}

async fn carry(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    mut way: watch::Receiver<Way>,
    stopped: &[Way],
) {
    let mut bytes = vec![0; 1 << 16];
    loop {
        if way.wait_for(|way| !stopped.contains(way)).await.is_err() {
            return;
        }
        let read = tokio::select! {
            read = from.read(&mut bytes) => read,
            _ = way.wait_for(|way| stopped.contains(way)) => continue,
        };
        let Ok(n @ 1..) = read else {
            return;
        };
        // What was read just before it was stopped waits, too.
        if way.wait_for(|way| !stopped.contains(way)).await.is_err()
            || to.write_all(&bytes[..n]).await.is_err()
        {
            return;
        }
    }
}
