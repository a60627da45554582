//! A collector of traces on loopback, and what two nodes tell it of a move that is sent to one and played at the other.

use super::house::House;
use crate::common::{Fallible, Request, Socket, ask};
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;
use server::wire::GameMade;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Spans with the node that has told each.
type Received = Arc<Mutex<Vec<(String, Span)>>>;

/// Takes what is posted, one request a connection.
async fn receive(listener: TcpListener, received: Received) -> Fallible<()> {
    loop {
        let (stream, _) = listener.accept().await?;
        take(stream, &received).await?;
    }
}

async fn take(mut stream: TcpStream, received: &Received) -> Fallible<()> {
    let mut bytes = Vec::new();
    let (head, at) = loop {
        if let Some(at) = bytes.windows(4).position(|end| end == b"\r\n\r\n") {
            break (String::from_utf8_lossy(&bytes[..at]).to_lowercase(), at + 4);
        }
        if stream.read_buf(&mut bytes).await? == 0 {
            return Err("a request without a head".into());
        }
    };
    assert!(head.starts_with("post /v1/traces http/1.1\r\n"), "{head}");
    assert!(
        head.contains("content-type: application/x-protobuf"),
        "{head}"
    );
    let mut lines = head.lines();
    let length = lines.find_map(|line| line.strip_prefix("content-length: "));
    let length: usize = length.ok_or("no length")?.trim().parse()?;
    while bytes.len() < at + length {
        if stream.read_buf(&mut bytes).await? == 0 {
            return Err("a request without its end".into());
        }
    }
    for told in ExportTraceServiceRequest::decode(&bytes[at..at + length])?.resource_spans {
        let about = told.resource.unwrap_or_default().attributes.into_iter();
        let mut node = about.filter(|about| about.key == "service.instance.id");
        let node = match node.next().and_then(|node| node.value?.value) {
            Some(Value::StringValue(node)) => node,
            other => return Err(format!("which node? {other:?}").into()),
        };
        let spans = told.scope_spans.into_iter().flat_map(|of| of.spans);
        let mut received = received.lock().unwrap_or_else(PoisonError::into_inner);
        received.extend(spans.map(|span| (node.clone(), span)));
    }
    let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    Ok(stream.write_all(answer).await?)
}

/// An act at one node that was played and stored at another, if that has been told.
fn across(spans: &[(String, Span)], game: &str) -> Option<[(String, Span); 3]> {
    let within = |name: &str, parent: &Span| {
        let mut all = spans.iter();
        let found =
            all.find(|(_, span)| span.name == name && span.parent_span_id == parent.span_id);
        found.cloned()
    };
    let acts = spans.iter().filter(|(_, span)| span.name == "act");
    let mut ways = acts.filter_map(|act| {
        let play = within("play", &act.1)?;
        let store = within("store", &play.1)?;
        Some([act.clone(), play, store])
    });
    ways.find(|[act, play, store]| {
        act.0 != play.0 && play.0 == store.0 && format!("{:?}", act.1.attributes).contains(game)
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs PostgreSQL and NATS"]
async fn an_act_is_one_trace_over_two_nodes() -> Fallible<()> {
    let _turn = crate::turn(module_path!());
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let telemetry = format!(
        "[telemetry]\notlp = \"http://{}\"\n",
        listener.local_addr()?
    );
    let received = Received::default();
    tokio::spawn(receive(listener, received.clone()));
    let house = House::open_with("traces", 2, &telemetry).await?;
    let [one, two] = house.addresses()[..] else {
        return Err("no two nodes".into());
    };
    // Each player is at another node: one of them is not at the owner.
    let wishes = r#"{"variant":"chess","side":"white"}"#;
    let made: GameMade = ask(one, Request::post("/api/games", wishes))
        .await?
        .json()?;
    let friend = made.friend_seat.ok_or("no seat")?;
    let mut white = Socket::open(one, &[]).await?;
    white.join(&made.id, Some(&made.seat)).await?;
    let mut black = Socket::open(two, &[]).await?;
    black.join(&made.id, Some(&friend)).await?;
    white.play(0, "e2e4").await?;
    black.ply(1).await?;
    black.play(1, "e7e5").await?;
    white.ply(2).await?;

    // They are sent every few seconds.
    let start = Instant::now();
    let [act, play, store] = loop {
        let told = received
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        if let Some(way) = across(&told, &made.id) {
            break way.map(|(_, span)| span);
        }
        if start.elapsed() > Duration::from_secs(60) {
            return Err(format!("no act over two nodes: {told:#?}").into());
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    assert!(act.parent_span_id.is_empty());
    for span in [&play, &store] {
        assert_eq!(span.trace_id, act.trace_id);
        assert!(span.start_time_unix_nano <= span.end_time_unix_nano);
    }
    assert!(store.end_time_unix_nano <= play.end_time_unix_nano);
    house.close()
}
