//! `live_games` of a node counts whoever comes to its games, at whichever node.

use crate::common::cluster::Cluster;
use crate::common::{Fallible, Request, ask};
use server::Config;
use server::wire::{ClientMessage, GameMade, ServerMessage};

fn two(config: &mut Config) {
    config.limits.games_per_minute = 0;
    config.limits.live_games = 2;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL and NATS: scripts/postgres scripts/nats"]
async fn postgres_and_nats_a_full_node_takes_no_more_games_for_others_either() -> Fallible<()> {
    let cluster = Cluster::start("full", 2, two).await?;
    let [one, other] = [&cluster.nodes[0], &cluster.nodes[1]];
    let wishes = r#"{"variant":"chess","side":"white"}"#;
    let boots = cluster.query("SELECT MIN(boot) FROM nodes")?;
    let mut made: Vec<GameMade> = Vec::new();
    // New games go to both nodes in turn.
    while made.len() < 3 {
        let game: GameMade = ask(one.address, Request::post("/api/games", wishes))
            .await?
            .json()?;
        let owner = cluster.query(&format!("SELECT owner FROM games WHERE id = '{}'", game.id))?;
        if owner == boots {
            made.push(game);
        }
    }
    let (_white, told) = other.join(&made[0].id, Some(&made[0].seat)).await?;
    let (_here, _) = one.join(&made[1].id, Some(&made[1].seat)).await?;
    // The third has no room, from neither node.
    for node in [one, other] {
        let mut socket = node.socket().await?;
        let join = ClientMessage::Join {
            game: made[2].id.clone(),
            seat: Some(made[2].seat.clone()),
            name: None,
        };
        socket.say(&join).await?;
        let refused = socket.until(|message| match message {
            ServerMessage::Refused { code, .. } => Some(code),
            ServerMessage::Snapshot(_) => Some("let in".into()),
            _ => None,
        });
        assert_eq!(refused.await?, "full");
    }
    // Whoever comes to one that is live already takes no more room.
    let friend = made[0].friend_seat.clone().ok_or("no seat")?;
    other.join(&made[0].id, Some(&friend)).await?;
    let word = told.seat.unwrap_or_else(|| made[0].seat.clone());
    other.join(&made[0].id, Some(&word)).await?;
    cluster.end().await
}
