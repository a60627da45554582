//! Connections that keep the server waiting, and too many of them.

use super::*;
use axum::routing::get;
use std::time::Instant;
use tokio::sync::oneshot;

type Tested = Result<(), Box<dyn std::error::Error + Send + Sync>>;

struct Served {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    task: tokio::task::JoinHandle<()>,
}

fn quick() -> Bounds {
    Bounds {
        connections: 0,
        per_address: 0,
        head: Duration::from_millis(300),
        write: Duration::from_millis(300),
        linger: Duration::from_millis(500),
    }
}

async fn served(bounds: Bounds) -> Result<Served, io::Error> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let router = Router::new()
        .route(
            "/",
            get(|ConnectInfo(peer): ConnectInfo<SocketAddr>| async move { peer.to_string() }),
        )
        .route("/much", get(|| async { vec![b'x'; 64 << 20] }))
        .route(
            "/slow",
            get(|| async {
                tokio::time::sleep(Duration::from_millis(200)).await;
                "slow"
            }),
        )
        .route(
            "/never",
            get(|| async {
                tokio::time::sleep(Duration::from_secs(60)).await;
                "never"
            }),
        );
    let (stop, stopped) = oneshot::channel::<()>();
    let task = tokio::spawn(serve(listener, router, bounds, async {
        let _ = stopped.await;
    }));
    Ok(Served {
        address,
        stop: Some(stop),
        task,
    })
}

/// What comes until the connection ends, and how long that took.
async fn all_of(stream: &mut TcpStream) -> (String, Duration) {
    let (start, mut text) = (Instant::now(), Vec::new());
    let _ = tokio::time::timeout(Duration::from_secs(10), stream.read_to_end(&mut text)).await;
    (String::from_utf8_lossy(&text).into_owned(), start.elapsed())
}

async fn asked(address: SocketAddr, path: &str) -> io::Result<TcpStream> {
    let mut stream = TcpStream::connect(address).await?;
    let head = format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n");
    stream.write_all(head.as_bytes()).await?;
    Ok(stream)
}

#[tokio::test]
async fn the_peer_is_known() -> Tested {
    let served = served(quick()).await?;
    let mut stream = asked(served.address, "/").await?;
    let own = stream.local_addr()?.to_string();
    assert!(all_of(&mut stream).await.0.ends_with(&own));
    Ok(())
}

/// A request whose head does not come to its end, one that does not begin, and a connection that rests.
#[tokio::test]
async fn who_does_not_ask_is_dropped() -> Tested {
    let served = served(quick()).await?;
    for said in [
        "",
        "GET / HTTP/1.1\r\nhost: x\r\n",
        "GET / HTTP/1.1\r\nhost: x\r\n\r\n",
    ] {
        let mut stream = TcpStream::connect(served.address).await?;
        stream.write_all(said.as_bytes()).await?;
        let (_, took) = all_of(&mut stream).await;
        assert!(
            (200..3000).contains(&took.as_millis()),
            "{said:?}: {took:?}"
        );
    }
    Ok(())
}

#[tokio::test]
async fn who_does_not_read_is_dropped() -> Tested {
    let served = served(Bounds {
        connections: 1,
        ..quick()
    })
    .await?;
    let stream = asked(served.address, "/much").await?;
    let start = Instant::now();
    // Its place is free again, while its end is still open.
    loop {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let mut other = asked(served.address, "/").await?;
        if all_of(&mut other).await.0.starts_with("HTTP/1.1 200") {
            break;
        }
        assert!(
            start.elapsed() < Duration::from_secs(5),
            "the place is kept"
        );
    }
    drop(stream);
    Ok(())
}

#[tokio::test]
async fn connections_are_bounded() -> Tested {
    for bounds in [
        Bounds {
            connections: 3,
            ..quick()
        },
        Bounds {
            per_address: 3,
            ..quick()
        },
    ] {
        let served = served(Bounds {
            head: Duration::from_secs(10),
            ..bounds
        })
        .await?;
        let mut open = Vec::new();
        for _ in 0..3 {
            open.push(TcpStream::connect(served.address).await?);
        }
        let mut more = asked(served.address, "/").await?;
        let (text, _) = all_of(&mut more).await;
        let (head, body) = text.split_once("\r\n\r\n").ok_or("no answer")?;
        assert!(
            head.starts_with("HTTP/1.1 503") && head.contains("retry-after"),
            "{head}"
        );
        assert!(
            head.contains(&format!("content-length: {}", body.len())),
            "{body}"
        );
        let refusal: crate::wire::Refusal = serde_json::from_str(body)?;
        assert_eq!(refusal.code, "connections");
        // A place that becomes free is taken again.
        open.pop();
        tokio::time::sleep(Duration::from_millis(100)).await;
        let mut next = asked(served.address, "/").await?;
        let mut status = [0; 12];
        next.read_exact(&mut status).await?;
        assert_eq!(&status, b"HTTP/1.1 200");
    }
    Ok(())
}

#[tokio::test]
async fn at_the_end_requests_under_way_have_a_while() -> Tested {
    let mut served = served(Bounds {
        head: Duration::from_secs(10),
        ..quick()
    })
    .await?;
    let mut resting = TcpStream::connect(served.address).await?;
    let (mut slow, mut never) = (
        asked(served.address, "/slow").await?,
        asked(served.address, "/never").await?,
    );
    tokio::time::sleep(Duration::from_millis(50)).await;
    let start = Instant::now();
    drop(served.stop.take());
    assert!(all_of(&mut slow).await.0.ends_with("slow"));
    served.task.await?;
    let took = start.elapsed();
    assert!((400..2000).contains(&took.as_millis()), "{took:?}");
    let _ = (all_of(&mut resting), &mut never);
    Ok(())
}
