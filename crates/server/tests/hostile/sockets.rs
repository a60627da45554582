//! Sockets that flood, that do not read, and that the server ends.

use crate::begun;
use crate::common::{Fallible, Request, Socket, TestServer};
use server::wire::ClientMessage;

#[tokio::test(flavor = "multi_thread")]
async fn every_frame_counts() -> Fallible<()> {
    let server = TestServer::start("frames", |_| ()).await?;
    for binary in [false, true] {
        let mut socket = server.socket().await?;
        let mut sent = 0;
        while sent < 2000 {
            let gone = match binary {
                true => socket.send_binary(vec![0; 10]).await,
                false => socket.send_pong().await,
            };
            if gone.is_err() {
                break;
            }
            sent += 1;
        }
        let ended = loop {
            match socket.hear().await {
                Ok(_) => {}
                Err(error) => break error.to_string(),
            }
        };
        assert!(!ended.contains("elapsed"), "{sent} frames, then {ended}");
    }
    server.end().await
}

/// What a socket is told last: a close frame with a code and a reason.
async fn farewell(socket: &mut Socket) -> String {
    loop {
        if let Err(error) = socket.hear().await {
            return error.to_string();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_socket_that_the_server_ends_is_told_why() -> Fallible<()> {
    let server = TestServer::start("farewell", |_| ()).await?;
    let (_, mut white, _black) = begun(&server).await?;
    let mut flood = server.socket().await?;
    for n in 0..200 {
        flood.say(&ClientMessage::Ping { n }).await?;
    }
    let told = farewell(&mut flood).await;
    assert!(
        told.contains("Policy") && told.contains("too many messages"),
        "{told}"
    );
    // The gauge of sockets goes down again, whoever ends them.
    let start = std::time::Instant::now();
    loop {
        let metrics = server.ask(Request::get("/metrics")).await?.body;
        if metrics.lines().any(|line| line == "husun_sockets 2") {
            break;
        }
        // Other tests of this file have sockets, too, for a while.
        assert!(
            start.elapsed() < std::time::Duration::from_secs(60),
            "{metrics}"
        );
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    let leaves = tokio::spawn(server.end());
    let told = farewell(&mut white).await;
    assert!(
        told.contains("Restart") && told.contains("come again"),
        "{told}"
    );
    leaves.await?
}

#[tokio::test(flavor = "multi_thread")]
async fn a_socket_that_never_reads_is_closed() -> Fallible<()> {
    let server = TestServer::start("deaf", |c| {
        c.limits.messages_per_second = 0;
        c.limits.requests_per_second = 0;
    })
    .await?;
    let (made, _white, _black) = begun(&server).await?;
    let mut deaf = server.socket().await?;
    let join = ClientMessage::Join {
        game: made.id,
        seat: None,
        name: None,
    };
    // Each is answered by a snapshot, which nobody takes.
    let closed = async { while deaf.say(&join).await.is_ok() {} };
    let closed = tokio::time::timeout(std::time::Duration::from_secs(60), closed).await;
    assert!(closed.is_ok(), "it is still open");
    server.end().await
}
