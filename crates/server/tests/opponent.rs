//! The engine as somebody to play against: it takes its time, and gives up only where it was asked to.

use crate::common::{Fallible, Socket, TestServer};
use server::wire::{GameResult, ServerMessage, Side};
use std::time::{Duration, Instant};

/// White walks with two queens behind; how the game ended by then.
async fn walk(white: &mut Socket) -> Fallible<Option<GameResult>> {
    for (n, text) in ["a1a2", "a2a3", "a3a4", "a4a5", "a5a6"].iter().enumerate() {
        let ply = 2 * n as u32;
        white.play(ply, text).await?;
        let now = white
            .until(|m| match m {
                ServerMessage::Update { now, .. } if now.result.is_some() || now.ply == ply + 2 => {
                    Some(*now)
                }
                _ => None,
            })
            .await?;
        if now.result.is_some() {
            return Ok(now.result);
        }
    }
    Ok(None)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_engine_resigns_only_when_it_may() -> Fallible<()> {
    let server = TestServer::start("resigns", |_| ()).await?;
    let lost =
        r#""variant":"chess","side":"white","level":3,"fen":"7k/8/8/8/8/8/8/KQQ5 w - - 0 1""#;
    let made = server
        .make(&format!(r#"{{{lost},"engine_resigns":true}}"#))
        .await?;
    let (mut white, _) = server.join(&made.id, Some(&made.seat)).await?;
    let result = walk(&mut white).await?.ok_or("it plays on")?;
    assert_eq!(
        (result.winner, result.reason.as_str()),
        (Some(Side::White), "resignation")
    );
    let made = server.make(&format!("{{{lost}}}")).await?;
    let (mut white, _) = server.join(&made.id, Some(&made.seat)).await?;
    assert_eq!(walk(&mut white).await?, None, "nobody asked it to");
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_low_level_takes_a_natural_time() -> Fallible<()> {
    let server = TestServer::start("pace", |config| config.engine_pause = true).await?;
    let made = server
        .make(r#"{"variant":"chess","side":"white","level":1,"clock":"fischer:3m+2s"}"#)
        .await?;
    let (mut white, _) = server.join(&made.id, Some(&made.seat)).await?;
    let start = Instant::now();
    white.play(0, "e2e4").await?;
    white.ply(1).await?;
    let now = white.ply(2).await?;
    let took = start.elapsed();
    assert!(took >= Duration::from_millis(250), "at once: {took:?}");
    assert!(took < Duration::from_secs(6), "after ages: {took:?}");
    assert_eq!(now.turn, Some(Side::White));
    server.end().await
}
