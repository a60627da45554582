//! Nodes of two versions at the same time, as while one takes the place of the other: games go to those who understand them,
//! and never back to those who do not.

use crate::common::cluster::Cluster;
use crate::common::{Fallible, Request, Socket, TestServer, ask};
use server::Config;
use server::node::PROTOCOL;
use server::wire::{ClientMessage, GameMade, ServerMessage, Snapshot};
use std::time::{Duration, Instant};

const WAIT: Duration = Duration::from_secs(60);
const NEXT: i64 = PROTOCOL + 1;

fn many(config: &mut Config) {
    config.limits.games_per_minute = 0;
}

async fn make(node: &TestServer) -> Fallible<GameMade> {
    let wishes = r#"{"variant":"chess","side":"white","clock":"fischer:60m+1s"}"#;
    ask(node.address, Request::post("/api/games", wishes))
        .await?
        .json()
}

/// Comes to a game at a node until it is told, as a browser does whose connection is closed.
async fn come(node: &TestServer, game: &str, seat: &str) -> Fallible<(Socket, Snapshot)> {
    let start = Instant::now();
    loop {
        match node.join(game, Some(seat)).await {
            Ok(joined) => return Ok(joined),
            Err(error) if start.elapsed() > WAIT => return Err(error),
            Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
        }
    }
}

/// Comes to a game at a node that cannot have it: the connection is closed, so that the browser comes again elsewhere.
async fn is_sent_away(node: &TestServer, game: &str, seat: &str) -> Fallible<()> {
    let mut socket = node.socket().await?;
    let join = ClientMessage::Join {
        game: game.into(),
        seat: Some(seat.into()),
        name: None,
    };
    socket.say(&join).await?;
    loop {
        match tokio::time::timeout(WAIT, socket.hear()).await? {
            Ok(ServerMessage::Snapshot(snapshot)) => {
                return Err(format!("it is told: {snapshot:?}").into());
            }
            Ok(ServerMessage::Refused { code, message, .. }) => {
                return Err(format!("{code}: {message}").into());
            }
            Ok(_) => {}
            Err(_) => return Ok(()),
        }
    }
}

/// What is stored of who has a game: what its owner speaks, and the most that an owner has spoken.
fn held(cluster: &Cluster, game: &str) -> Fallible<String> {
    let sql = format!(
        "SELECT COALESCE(n.protocol, 0), g.protocol FROM games g LEFT JOIN nodes n ON n.boot = g.owner WHERE g.id = '{game}'"
    );
    Ok(cluster.query(&sql)?.join(" "))
}

/// Waits until all nodes have heard who is there: they ask once a second.
async fn all_know() {
    tokio::time::sleep(Duration::from_millis(1500)).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL and NATS: scripts/postgres scripts/nats"]
async fn postgres_and_nats_games_go_from_the_version_before_to_the_next_and_not_back()
-> Fallible<()> {
    let mut cluster = Cluster::start("versions", 2, many).await?;
    let made = make(&cluster.nodes[0]).await?;
    let friend = made.friend_seat.clone().ok_or("no seat")?;
    let (mut white, _) = cluster.nodes[0].join(&made.id, Some(&made.seat)).await?;
    // The link of a friend opens the seat once, and gives a word that does so again.
    let (mut black, told) = cluster.nodes[1].join(&made.id, Some(&friend)).await?;
    let friend = told.seat.ok_or("no word")?;
    white.play(0, "e2e4").await?;
    black.ply(1).await?;
    black.play(1, "e7e5").await?;
    white.ply(2).await?;
    let version = |speaks: i64| format!("{speaks} {speaks}");
    assert_eq!(held(&cluster, &made.id)?, version(PROTOCOL));

    // The next version comes. What is made there is played there, and not by those before; what those have stays there.
    cluster.add_speaking(NEXT).await?;
    all_know().await;
    let [one, two, next] = [&cluster.nodes[0], &cluster.nodes[1], &cluster.nodes[2]];
    let new = make(next).await?;
    let friend_of_new = new.friend_seat.clone().ok_or("no seat")?;
    assert_eq!(held(&cluster, &new.id)?, version(NEXT));
    assert_eq!(held(&cluster, &make(one).await?.id)?, version(PROTOCOL));
    let (mut first, _) = next.join(&new.id, Some(&new.seat)).await?;
    is_sent_away(two, &new.id, &friend_of_new).await?;
    is_sent_away(next, &made.id, &friend).await?;
    let (mut second, _) = next.join(&new.id, Some(&friend_of_new)).await?;
    first.play(0, "d2d4").await?;
    second.ply(1).await?;
    white.play(2, "g1f3").await?;
    black.ply(3).await?;

    // Both of the version before are replaced: the game is where it is understood, with all that was played.
    let (one, two) = (cluster.nodes.remove(0), cluster.nodes.remove(0));
    one.end().await?;
    two.end().await?;
    let next = &cluster.nodes[0];
    let (mut white, snapshot) = come(next, &made.id, &made.seat).await?;
    let (mut black, _) = come(next, &made.id, &friend).await?;
    let played: Vec<&str> = snapshot.moves.iter().map(|m| m.uci.as_str()).collect();
    assert_eq!(played, ["e2e4", "e7e5", "g1f3"]);
    black.play(3, "b8c6").await?;
    white.ply(4).await?;
    assert_eq!(held(&cluster, &made.id)?, version(NEXT));

    // One of the version before comes back: it gets neither that game nor the other, whether somebody has them or nobody.
    cluster.add().await?;
    all_know().await;
    is_sent_away(&cluster.nodes[1], &made.id, &friend).await?;
    cluster.nodes.remove(0).end().await?;
    let back = &cluster.nodes[0];
    all_know().await;
    for game in [&made.id, &new.id] {
        assert_eq!(held(&cluster, game)?, format!("0 {NEXT}"));
    }
    let error = back.join(&made.id, Some(&friend)).await.err();
    let error = error
        .ok_or("a game that it may not understand")?
        .to_string();
    assert!(error.contains("moves to another part"), "{error}");
    assert_eq!(held(&cluster, &made.id)?, format!("0 {NEXT}"));

    // It waits for the next version, and nothing is lost.
    cluster.add_speaking(NEXT).await?;
    let next = &cluster.nodes[1];
    let (mut white, snapshot) = come(next, &made.id, &made.seat).await?;
    assert_eq!(snapshot.moves.len(), 4);
    white.play(4, "f1b5").await?;
    white.ply(5).await?;
    cluster.end().await
}
