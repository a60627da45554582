//! Many people in the lobby, some of whom seek all the time: everybody is paired once, and told soon.
//! `HUSUN_LOBBY_PEOPLE=2000 HUSUN_LOBBY_SECONDS=60` asks for the full size, `HUSUN_SERVER` for another build of the
//! program than the tests'.

use crate::common::{Fallible, Request, Socket, ask};
use crate::process::{Process, asked, folder};
use futures_util::future::try_join_all;
use server::wire::{ClientMessage, Lobby, SeekMade, ServerMessage};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// Time between two seeks: 50 a second.
const EVERY: Duration = Duration::from_millis(20);
/// What telling may take at the 99th percentile, in milliseconds. The goal is 50 on an idle machine; this test is
/// meant to find lists that are walked and sent too often.
const P99_MS: usize = 1000;

/// Somebody in the lobby.
struct Person {
    number: usize,
    cookie: String,
}

/// Who was told of which game, and when.
type Told = Arc<Mutex<HashMap<String, Vec<(usize, Instant)>>>>;

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn come(address: SocketAddr, number: usize) -> Fallible<(Person, Socket)> {
    let me = ask(address, Request::get("/api/me")).await?;
    let cookie = me.cookie().ok_or("no cookie")?.to_owned();
    let mut socket = Socket::open(address, &[("cookie", &cookie)]).await?;
    socket.say(&ClientMessage::EnterLobby).await?;
    let lobby = |message| matches!(message, ServerMessage::Lobby(_)).then_some(());
    socket.until(lobby).await?;
    Ok((Person { number, cookie }, socket))
}

/// Seeks, one to three games depending on the number; if that pairs with somebody, returns when it was sent and the
/// game.
async fn seek(
    address: SocketAddr,
    cookie: &str,
    number: usize,
) -> Fallible<Option<(Instant, String)>> {
    let games: Vec<&str> = games::ids().collect();
    let wish = (0..=number % 3).map(|n| games[(number * 7 + n * 4) % games.len()]);
    let wish: Vec<&str> = wish.collect();
    let body = serde_json::json!({ "games": wish, "clocks": ["fischer:5m+3s"] }).to_string();
    let headers = [("cookie", cookie)];
    let sent = Instant::now();
    let request = Request::post("/api/lobby/seeks", &body).with(&headers);
    let answer = ask(address, request).await?;
    assert_eq!(answer.status, 201, "{}", answer.body);
    let made: SeekMade = answer.json()?;
    Ok(made.paired.map(|paired| (sent, paired.game)))
}

#[tokio::test(flavor = "multi_thread")]
async fn many_are_paired_once_and_soon() -> Fallible<()> {
    let _turn = crate::turn(module_path!());
    let people = asked("HUSUN_LOBBY_PEOPLE", 200);
    let seconds = asked("HUSUN_LOBBY_SECONDS", 4);
    let data = folder("lobby")?;
    let config = data.join("config.toml");
    let free = "requests_per_second = 0\ngames_per_minute = 0\nsockets_per_address = 0\nconnections_per_address = 0\n";
    std::fs::write(
        &config,
        format!("start_grace_seconds = 0\n[limits]\n{free}"),
    )?;
    let process = Process::start(&data, &config).await?;
    let address = process.address;
    let told = Told::default();
    let mut readers = JoinSet::new();
    let mut all = Vec::new();
    for numbers in (0..people).collect::<Vec<_>>().chunks(50) {
        let come = numbers.iter().map(|number| come(address, *number));
        for (person, mut socket) in try_join_all(come).await? {
            let (told, number) = (told.clone(), person.number);
            readers.spawn(async move {
                while let Ok(message) = socket.hear().await {
                    if let ServerMessage::Paired(paired) = message {
                        let now = Instant::now();
                        locked(&told)
                            .entry(paired.game)
                            .or_default()
                            .push((number, now));
                    }
                }
            });
            all.push(person);
        }
    }
    let many = 50 * seconds;
    let mut seeking = JoinSet::new();
    let mut ticks = tokio::time::interval(EVERY);
    for n in 0..many {
        ticks.tick().await;
        let cookie = all[n % people].cookie.clone();
        seeking.spawn(async move { seek(address, &cookie, n).await });
    }
    let mut pairs = Vec::new();
    while let Some(done) = seeking.join_next().await {
        pairs.extend(done??);
    }
    let waiting: Lobby = ask(address, Request::get("/api/lobby")).await?.json()?;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let memory = process.megabytes()?;
    let told = std::mem::take(&mut *locked(&told));
    let mut times = Vec::new();
    for (sent, game) in &pairs {
        let whom = told.get(game).ok_or(format!("nobody was told of {game}"))?;
        assert_eq!(whom.len(), 2, "{game}: {whom:?}");
        assert_ne!(whom[0].0, whom[1].0, "{game}");
        let last = whom.iter().map(|(_, at)| *at).max().ok_or("nobody")?;
        times.push((last - *sent).as_micros() as u64);
    }
    assert_eq!(told.len(), pairs.len(), "a game that nobody asked for");
    // A paired person waits for nothing else, so a seek may disappear with another of the same person.
    let gone = many - 2 * pairs.len() - waiting.seeks.len();
    assert!(people < many || gone == 0, "{gone} seeks are lost");
    times.sort_unstable();
    assert!(times.len() > many / 4, "{} pairs of {many}", times.len());
    let ms = |share: f64| {
        let at = ((times.len() as f64 * share).ceil() as usize).clamp(1, times.len());
        times[at - 1] as f64 / 1000.0
    };
    println!(
        "{people} people, {many} seeks in {seconds} s, {} pairs; told after p50 {:.1} ms, p99 {:.1}, most {:.1}; memory {memory} MB",
        times.len(),
        ms(0.5),
        ms(0.99),
        ms(1.0),
    );
    assert!(ms(0.99) < P99_MS as f64, "p99 {} ms", ms(0.99));
    readers.abort_all();
    process.kill()?;
    std::fs::remove_dir_all(&data)?;
    Ok(())
}
