//! Players whose node loses its lease for a moment and comes back as another.

use crate::common::cluster::Cluster;
use crate::common::{Fallible, Socket, TestServer};
use server::Config;
use server::wire::{GameMade, Now, ServerMessage};
use std::time::{Duration, Instant};

/// Longest wait for something that comes by itself.
const WAIT: Duration = Duration::from_secs(60);
/// Half-moves between two that a node is taken out of the list, and of all.
const BETWEEN: u32 = 25;
const ALL: u32 = 125;

fn many(config: &mut Config) {
    config.limits.games_per_minute = 0;
}

/// A game that a node owns, made at another.
async fn made(cluster: &Cluster, at: &TestServer, owner: &str) -> Fallible<GameMade> {
    loop {
        let game = at.make(r#"{"variant":"citadel9","side":"white"}"#).await?;
        let sql = format!("SELECT owner FROM games WHERE id = '{}'", game.id);
        if cluster.query(&sql)? == [owner] {
            return Ok(game);
        }
    }
}

/// A player as the browser has him: he comes again when the node says so.
struct Player<'a> {
    node: &'a TestServer,
    game: &'a str,
    word: String,
    socket: Socket,
}

impl<'a> Player<'a> {
    async fn sit(node: &'a TestServer, game: &'a str, word: String) -> Fallible<Player<'a>> {
        let (socket, told) = node.join(game, Some(&word)).await?;
        Ok(Player {
            node,
            game,
            word: told.seat.unwrap_or(word),
            socket,
        })
    }

    async fn come_again(&mut self) -> Fallible<Now> {
        let start = Instant::now();
        loop {
            match self.node.join(self.game, Some(&self.word)).await {
                Ok((socket, told)) => {
                    self.socket = socket;
                    return Ok(told.now);
                }
                Err(error) if start.elapsed() > WAIT => return Err(error),
                Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
            }
        }
    }

    /// What the game is when something has happened in it. Nothing may be refused.
    async fn told(&mut self) -> Fallible<Now> {
        loop {
            match tokio::time::timeout(WAIT, self.socket.hear()).await? {
                Ok(ServerMessage::Update { now, .. }) => return Ok(*now),
                Ok(ServerMessage::Snapshot(snapshot)) => return Ok(snapshot.now),
                Ok(ServerMessage::Refused { code, message, .. }) => {
                    return Err(format!("{code}: {message}").into());
                }
                Ok(_) => {}
                Err(_) => return self.come_again().await,
            }
        }
    }

    /// Plays a move, again if it was not.
    async fn play(&mut self, ply: u32, text: &str) -> Fallible<()> {
        let mut now;
        loop {
            let sent = self.socket.play(ply, text).await;
            now = match sent {
                Ok(()) => self.told().await?,
                Err(_) => self.come_again().await?,
            };
            if now.ply > ply {
                return Ok(());
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL and NATS: scripts/postgres scripts/nats"]
async fn postgres_and_nats_who_plays_notices_nothing_of_a_node_that_comes_back_as_another()
-> Fallible<()> {
    let cluster = Cluster::start("nodes", 2, many).await?;
    let [here, other] = [&cluster.nodes[0], &cluster.nodes[1]];
    let owner = cluster.query("SELECT MAX(boot) FROM nodes")?.join("");
    let game = made(&cluster, here, &owner).await?;
    let friend = game.friend_seat.clone().ok_or("no seat")?;
    let mut first = Player::sit(here, &game.id, game.seat).await?;
    let mut second = Player::sit(here, &game.id, friend).await?;
    let mut now = first.told().await?;
    while now.legal.is_empty() {
        now = first.told().await?;
    }
    let start = Instant::now();
    for ply in 0..ALL {
        if ply % BETWEEN == 1 {
            // The other nodes, and it itself, find that it is not there: one sooner, the other later.
            cluster.query(&format!("DELETE FROM nodes WHERE boot <> {owner}"))?;
        }
        let (own, opponent) = match ply % 2 {
            0 => (&mut first, &mut second),
            _ => (&mut second, &mut first),
        };
        let text = now.legal.get(ply as usize * 7 % now.legal.len().max(1));
        own.play(ply, text.ok_or("the game is over")?).await?;
        while now.ply <= ply {
            now = opponent.told().await?;
        }
        tokio::time::sleep(Duration::from_millis(60)).await;
    }
    assert!(start.elapsed() > Duration::from_secs(5));
    // It has come back each time.
    let boots = cluster.query("SELECT value FROM meta WHERE name = 'boots'")?;
    let boots: u32 = boots.join("").parse()?;
    assert!(boots >= 2 + ALL / BETWEEN, "{boots}");
    let (_, told) = other.join(&game.id, None).await?;
    assert_eq!(told.now.ply, ALL);
    cluster.end().await
}
