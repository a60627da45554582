//! Load on a running server: many games with two sockets each, moves at a steady rate, and the time from a move
//! sent until both players were told. Prints one line a second and percentiles at the end, and with the number of the
//! server's process (Linux) what a move costs it of the processor, beside what it costs here.
//!
//!     cargo run --release -p husun-server --example load -- 127.0.0.1:8000 --games 2000 --every 2s --for 60s \
//!         --pid $(pgrep -f 'husun serve')
//!
//! The server must run without limits (`docs/load.toml`), and both need enough open files (`ulimit -n 20000`).

use futures_util::{SinkExt, StreamExt};
use serde::Deserialize;
use serde_json::value::RawValue;
use server::wire::{ClientMessage, GameMade, NewGame, Side};
use std::borrow::Cow;
use std::error::Error;
use std::fs::read_to_string;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::{Semaphore, mpsc};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Message, Utf8Bytes};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

type Fallible<T> = Result<T, Box<dyn Error + Send + Sync>>;
type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

#[derive(Clone, Debug)]
struct Plan {
    server: String,
    games: usize,
    every: Duration,
    lasts: Duration,
    variant: String,
    pid: Option<u32>,
}

/// What is read of what the server says, where it stands: the players must not cost more than the server.
#[derive(Deserialize)]
struct Heard<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    now: Option<Now<'a>>,
    #[serde(borrow)]
    of: Option<Cow<'a, str>>,
    #[serde(borrow)]
    message: Option<Cow<'a, str>>,
}

/// A list of moves stays as it is written until one is to be chosen.
#[derive(Deserialize)]
struct Now<'a> {
    ply: u32,
    #[serde(default, borrow)]
    legal: Option<&'a RawValue>,
}

impl Heard<'_> {
    /// Moves that are legal after so many half-moves, if that is what is told.
    fn legal_at(&self, ply: u32) -> Option<&str> {
        let now = self.now.as_ref().filter(|now| now.ply == ply)?;
        let told = self.kind == "update";
        told.then(|| now.legal.map_or("[]", RawValue::get))
    }
}

/// Ticks of the processor in a second, as Linux counts them for `/proc`.
const TICKS: f64 = 100.0;

/// Seconds of the processor that a process has taken (proc(5), utime and stime).
fn processor(process: &str) -> Fallible<f64> {
    let stat = read_to_string(format!("/proc/{process}/stat"))?;
    // The name of the program may hold anything but stands in brackets.
    let fields = stat.rsplit_once(')').ok_or("no name in stat")?.1;
    let ticks = fields.split_whitespace().skip(11).take(2);
    let ticks: Result<Vec<u64>, _> = ticks.map(str::parse).collect();
    Ok(ticks?.iter().sum::<u64>() as f64 / TICKS)
}

/// What the server and this program have taken of the processor.
fn both(plan: &Plan) -> Fallible<Option<[f64; 2]>> {
    let Some(pid) = plan.pid else { return Ok(None) };
    Ok(Some([processor(&pid.to_string())?, processor("self")?]))
}

#[derive(Default)]
struct Counts {
    moves: AtomicU64,
    errors: AtomicU64,
    games: AtomicU64,
}

fn plan() -> Fallible<Plan> {
    let mut plan = Plan {
        server: "127.0.0.1:8000".into(),
        games: 2000,
        every: Duration::from_secs(2),
        lasts: Duration::from_secs(60),
        variant: games::ORTHODOX.into(),
        pid: None,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} wants a value"));
        match argument.as_str() {
            "--games" => plan.games = value()?.parse()?,
            "--every" => plan.every = husun::clock::parse_duration(&value()?)?,
            "--for" => plan.lasts = husun::clock::parse_duration(&value()?)?,
            "--pid" => plan.pid = Some(value()?.parse()?),
            "--variant" => plan.variant = value()?,
            server if !server.starts_with('-') => plan.server = server.into(),
            other => return Err(format!("unknown option {other}").into()),
        }
    }
    Ok(plan)
}

// One thread: the players' work is little, and threads that wake each other cost more than it.
#[tokio::main(flavor = "current_thread")]
async fn main() -> Fallible<()> {
    let plan = Arc::new(plan()?);
    let counts = Arc::new(Counts::default());
    let (latencies, mut measured) = mpsc::unbounded_channel::<u32>();
    let making = Arc::new(Semaphore::new(16));
    let started = Instant::now();
    for n in 0..plan.games {
        let (plan, counts) = (plan.clone(), counts.clone());
        let (latencies, making) = (latencies.clone(), making.clone());
        tokio::spawn(async move {
            // Games are spread over the interval, as they would be.
            let mut offset = plan.every.mul_f64(n as f64 / plan.games as f64);
            // When a game is over another begins in its place.
            let error = loop {
                match game(&plan, &counts, &latencies, &making, offset).await {
                    Ok(()) => offset = Duration::ZERO,
                    Err(error) => break error,
                }
            };
            if counts.errors.fetch_add(1, Relaxed) < 5 {
                eprintln!("game {n}: {error}");
            }
        });
    }
    drop(latencies);
    let mut all: Vec<u32> = Vec::new();
    let mut steady_from = None;
    let mut second = tokio::time::interval(Duration::from_secs(1));
    let mut last = 0;
    loop {
        second.tick().await;
        let since = all.len();
        while let Ok(micros) = measured.try_recv() {
            all.push(micros);
        }
        let (games, moves) = (counts.games.load(Relaxed), counts.moves.load(Relaxed));
        let errors = counts.errors.load(Relaxed);
        let mut recent = all[since..].to_vec();
        println!(
            "{:4} s  games {games}  moves/s {}  p99 {:.1} ms  errors {errors}",
            started.elapsed().as_secs(),
            moves - last,
            percentile(&mut recent, 99.0),
        );
        last = moves;
        if games as usize + errors as usize >= plan.games && steady_from.is_none() {
            steady_from = Some((Instant::now(), all.len(), moves, both(&plan)?));
        }
        if let Some((since, first, before, taken)) = steady_from
            && since.elapsed() >= plan.lasts
        {
            let mut steady = all.split_off(first);
            let n = steady.len();
            println!(
                "{} games, {} sockets, {:.0} moves/s over {:.0} s: p50 {:.1} ms, p90 {:.1}, p99 {:.1}, p99.9 {:.1}, max {:.1}; {n} moves told to both, {errors} errors",
                plan.games,
                plan.games * 2,
                (moves - before) as f64 / since.elapsed().as_secs_f64(),
                since.elapsed().as_secs_f64(),
                percentile(&mut steady, 50.0),
                percentile(&mut steady, 90.0),
                percentile(&mut steady, 99.0),
                percentile(&mut steady, 99.9),
                percentile(&mut steady, 100.0),
            );
            if let (Some(before), Some(now)) = (taken, both(&plan)?) {
                let micros = |i: usize| 1e6 * (now[i] - before[i]) / n.max(1) as f64;
                println!(
                    "processor time a move: {:.0} us of the server, {:.0} us of the players",
                    micros(0),
                    micros(1),
                );
            }
            return Ok(());
        }
    }
}

fn percentile(micros: &mut [u32], share: f64) -> f64 {
    if micros.is_empty() {
        return 0.0;
    }
    micros.sort_unstable();
    let at = ((micros.len() as f64 * share / 100.0).ceil() as usize).clamp(1, micros.len());
    f64::from(micros[at - 1]) / 1000.0
}

/// Makes a game, by a request written by hand: one a connection.
async fn make(plan: &Plan) -> Fallible<GameMade> {
    let wishes = NewGame {
        variant: Some(plan.variant.clone()),
        side: Some(Side::White),
        clock: Some("fischer:60m+10s".into()),
        ..NewGame::default()
    };
    let body = serde_json::to_string(&wishes)?;
    let mut stream = TcpStream::connect(&plan.server).await?;
    let head = format!(
        "POST /api/games HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        plan.server,
        body.len()
    );
    stream.write_all((head + &body).as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    let at = answer.find("\r\n\r\n").ok_or("an answer without a body")?;
    serde_json::from_str(answer[at..].trim()).map_err(|e| format!("{e} in {answer}").into())
}

async fn sit(plan: &Plan, game: &str, seat: &str) -> Fallible<Socket> {
    let url = format!("ws://{}/api/socket", plan.server);
    // As browsers do: a short message does not wait for the answer to the one before.
    let no_delay = true;
    let config = WebSocketConfig::default()
        .read_buffer_size(4 << 10)
        .write_buffer_size(0);
    let connected =
        tokio_tungstenite::connect_async_with_config(url, Some(config), no_delay).await?;
    let (mut socket, _) = connected;
    let join = ClientMessage::Join {
        game: game.into(),
        seat: Some(seat.into()),
        name: None,
    };
    say(&mut socket, &join).await?;
    Ok(socket)
}

async fn say(socket: &mut Socket, message: &ClientMessage) -> Fallible<()> {
    let text = serde_json::to_string(message)?;
    socket.send(Message::text(text)).await?;
    Ok(())
}

/// The next message of the server; pings are answered on the way.
async fn hear(socket: &mut Socket) -> Fallible<Utf8Bytes> {
    loop {
        match socket.next().await.ok_or("the socket was closed")?? {
            Message::Text(text) => return Ok(text),
            Message::Close(frame) => return Err(format!("closed: {frame:?}").into()),
            _ => {}
        }
    }
}

/// Plays a game to its end.
async fn game(
    plan: &Plan,
    counts: &Counts,
    latencies: &mpsc::UnboundedSender<u32>,
    making: &Semaphore,
    offset: Duration,
) -> Fallible<()> {
    let permit = making.acquire().await?;
    let made = make(plan).await?;
    let friend = made.friend_seat.ok_or("no seat for the friend")?;
    let mut sockets = [
        sit(plan, &made.id, &made.seat).await?,
        sit(plan, &made.id, &friend).await?,
    ];
    drop(permit);
    counts.games.fetch_add(1, Relaxed);
    let mut legal = String::new();
    let mut ply = 0_u32;
    while legal.len() <= EMPTY.len() {
        let text = hear(&mut sockets[0]).await?;
        legal.clear();
        legal.push_str(read(&text)?.legal_at(0).unwrap_or(EMPTY));
    }
    tokio::time::sleep(offset).await;
    let mut beat = tokio::time::interval(plan.every);
    let mut chance = made.id.bytes().fold(1_u64, |n, b| n * 31 + u64::from(b));
    loop {
        wait(&mut sockets, &mut beat).await?;
        chance = chance
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let moves: Vec<&str> = serde_json::from_str(&legal)?;
        if moves.is_empty() {
            return Ok(());
        }
        let text = moves[(chance >> 33) as usize % moves.len()].to_owned();
        let mover = (ply % 2) as usize;
        let sent = Instant::now();
        let seq = None;
        say(&mut sockets[mover], &ClientMessage::Move { ply, seq, text }).await?;
        ply += 1;
        let [white, black] = &mut sockets;
        let (first, _) = tokio::try_join!(told(white, ply), told(black, ply))?;
        latencies.send(sent.elapsed().as_micros().min(u128::from(u32::MAX)) as u32)?;
        counts.moves.fetch_add(1, Relaxed);
        legal.clear();
        legal.push_str(read(&first)?.legal_at(ply).unwrap_or(EMPTY));
    }
}

/// A list without moves.
const EMPTY: &str = "[]";

fn read(text: &str) -> Fallible<Heard<'_>> {
    Ok(serde_json::from_str(text)?)
}

/// Waits for the next beat while the sockets are kept answering.
async fn wait(sockets: &mut [Socket; 2], beat: &mut tokio::time::Interval) -> Fallible<()> {
    let [white, black] = sockets;
    loop {
        tokio::select! {
            biased;
            _ = beat.tick() => return Ok(()),
            heard = hear(white) => { heard?; }
            heard = hear(black) => { heard?; }
        }
    }
}

/// Waits until a player is told of a move, and gives what was told.
async fn told(socket: &mut Socket, ply: u32) -> Fallible<Utf8Bytes> {
    loop {
        let text = hear(socket).await?;
        let heard = read(&text)?;
        if heard.legal_at(ply).is_some() {
            return Ok(text);
        }
        if heard.kind == "refused" {
            let (of, message) = (heard.of.unwrap_or_default(), heard.message);
            return Err(format!("{of} refused: {}", message.unwrap_or_default()).into());
        }
    }
}
