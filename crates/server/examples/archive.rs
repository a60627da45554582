//! The archive under load: makes a data folder with many finished games, and asks a server on it for pages of every
//! kind. Games are recorded from random play in every game there is, and multiplied with other ids, players and times.
//!
//!     cargo run --release -p husun-server --example archive -- make /tmp/much --games 200000 --plies 80
//!     cargo run --release -p husun-server --example archive -- ask /tmp/much --pages 200
//!
//! `ask` prints the time from the start until the server is ready, percentiles for each kind of page, and the memory of the
//! process before and after.

use futures_util::{StreamExt, stream};
use games::Catalogue;
use husun::{Game, Side};
use play::archive::position_key;
use play::table::{Event, Person, SeatSpec, Spec, StoredCard, Table};
use play::{Both, Games};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use server::wire::{ArchivePage, ResultCounts, ResultsOfGame};
use server::{Config, archive::row};
use std::error::Error;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::accounts::{AccountRow, AccountStore, NewAccount, SessionRow};
use store::archive::{ArchiveStore, Filled};
use store::{CardRow, EventRow, GameWrite, NewGameRow, SqlStore, Store};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

type Fallible<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// People with an account; the first ones play most.
const PEOPLE: usize = 2000;
/// Games of each kind that are recorded.
const RECORDED: usize = 20;
/// Games in one commit.
const COMMIT: usize = 500;
/// When the last game has ended, in milliseconds of Unix time, and how long after the one before.
const LAST_MS: i64 = 1_790_000_000_000;
const APART_MS: i64 = 400_000;

/// A game that was played once.
struct Recorded {
    spec: Spec,
    moves: Vec<Event>,
    keys: Vec<(i64, i64)>,
}

fn person(n: usize) -> Person {
    Person {
        guest: format!("archiveperson{n:04}"),
        name: format!("Player_{n}"),
        account: true,
        bot: false,
    }
}

/// Plays by chance until so many half-moves are played; games that end before are played again.
fn record(games: &Arc<Games>, id: &str, plies: usize, chance: &mut StdRng) -> Fallible<Recorded> {
    let variant = games.find(id)?;
    for _ in 0..1000 {
        let mut game = Game::new(variant.start());
        let mut keys = vec![(position_key(id, &game.position().fen()), 0)];
        let mut moves = Vec::new();
        while moves.len() < plies && game.outcome().is_none() {
            let position = game.position();
            let legal = position.legal_moves();
            let m = legal[chance.random_range(0..legal.len())];
            moves.push(Event::Played {
                uci: position.uci(m).to_string(),
                lag: 0,
                thought: None,
            });
            game.play(m)?;
            keys.push((position_key(id, &game.position().fen()), moves.len() as i64));
        }
        if moves.len() < plies || game.outcome().is_some() {
            continue;
        }
        let control = ["fischer:3m+2s", "fischer:10m+5s", "days:3", "none"];
        return Ok(Recorded {
            spec: Spec {
                variant: Some(id.into()),
                family: None,
                fen: None,
                control: control[chance.random_range(0..4)].parse()?,
                takebacks: false,
                public: Some(true),
                clocks_wait: true,
                tournament: None,
                rated: false,
                engine_resigns: false,
                seats: Both::of(|_| SeatSpec::default()),
                seed: 1,
            },
            moves,
            keys,
        });
    }
    Err(format!("{id}: no game of {plies} half-moves in 1000").into())
}

/// One game of other people at another time, with what is written of it.
fn game(
    recorded: &Recorded,
    games: &Arc<Games>,
    n: usize,
    all: usize,
    chance: &mut StdRng,
) -> Fallible<(GameWrite, Filled)> {
    let id = format!("load{n:08}");
    let ended_ms = LAST_MS - (all - n) as i64 * APART_MS;
    let mut spec = recorded.spec.clone();
    // Some are in very many games: the engine's levels, and the first of the people.
    let mut pick = || (chance.random::<f64>().powi(3) * PEOPLE as f64) as usize;
    let (one, other) = (pick(), pick());
    let other = if other == one {
        (one + 1) % PEOPLE
    } else {
        other
    };
    let level = n.is_multiple_of(3).then_some((n % 8) as u8 + 1);
    spec.public = Some(n % 20 != 7);
    let mut events = Vec::new();
    for (side, n) in [(Side::White, one), (Side::Black, other)] {
        if side == Side::Black && level.is_some() {
            spec.seats.black.level = level;
            continue;
        }
        events.push(Event::Joined {
            side,
            person: person(n),
            number: None,
        });
    }
    let variant = spec.variant.clone().unwrap_or_default();
    events.push(Event::Begun { variant });
    events.extend(recorded.moves.iter().cloned());
    // One ending is rare.
    events.push(match n % 5000 {
        0 => Event::DrawOffered { side: Side::White },
        _ => Event::Resigned {
            side: [Side::White, Side::Black][n % 2],
        },
    });
    if n.is_multiple_of(5000) {
        events.push(Event::DrawAgreed { side: Side::Black });
    }
    // The board is not played through for each: the end of the recorded game stands for it.
    let rows = events.iter().zip(1..).map(|(event, seq)| EventRow {
        seq,
        at_ms: seq * 1000,
        run: 1,
        run_ms: 0,
        wall_ms: ended_ms,
        body: event.to_text(),
        guest: match event {
            Event::Joined { person, .. } => Some(person.guest.clone()),
            _ => None,
        },
    });
    let rows: Vec<EventRow> = rows.collect();
    // What is searched is what the server itself would note, from the game without its moves.
    let mut table = Table::new(spec.clone(), games.clone())?;
    for event in events.iter().filter(|e| !matches!(e, Event::Played { .. })) {
        table.apply(event, Duration::ZERO)?;
    }
    let finished = table.finished().ok_or("not over")?;
    let mut noted = row(&finished, ended_ms);
    noted.plies = recorded.moves.len() as i64;
    let mut card = StoredCard::of(&table);
    card.ply = recorded.moves.len() as u32;
    let rating = |chance: &mut StdRng| Some(chance.random_range(900..2400));
    let filled = Filled {
        game: id.clone(),
        row: Some(noted),
        ratings: [rating(chance), rating(chance)],
        positions: recorded.keys.clone(),
    };
    let write = GameWrite {
        game: id,
        made: Some(NewGameRow {
            spec: serde_json::to_string(&spec)?,
            made_ms: ended_ms - 600_000,
            guests: Vec::new(),
        }),
        card: Some(CardRow {
            seq: rows.len() as i64,
            text: card.to_text(),
        }),
        events: rows,
        over: true,
        ..GameWrite::default()
    };
    Ok((write, filled))
}

async fn register(store: &SqlStore, n: usize) -> Fallible<()> {
    let Person { guest, name, .. } = person(n);
    let readings = play::names::account::AccountName::new(&name, "")?
        .readings()
        .to_vec();
    let account = AccountRow {
        id: guest.clone(),
        name,
        password: None,
        recovery: "[]".into(),
        made_ms: 0,
        seen_ms: 0,
        deleted: false,
        bot: false,
    };
    let session = SessionRow {
        digest: guest.clone(),
        account: guest,
        agent: String::new(),
        made_ms: 0,
        seen_ms: 0,
    };
    let new = NewAccount {
        account,
        readings,
        passkey: None,
        session,
    };
    store.register(&new).await?;
    Ok(())
}

async fn make(folder: &Path, all: usize, plies: usize) -> Fallible<()> {
    store::files::own_folder(folder)?;
    let store = SqlStore::file(&folder.join(store::backup::DATABASE)).await?;
    store.begin_run(0, None).await?;
    for n in 0..PEOPLE {
        register(&store, n).await?;
    }
    let games = Arc::new(Games::default());
    let ids: Vec<String> = games.catalogue().ids().map(Into::into).collect();
    let mut chance = StdRng::seed_from_u64(1);
    let mut recorded = Vec::new();
    for id in &ids {
        for _ in 0..RECORDED {
            recorded.push(record(&games, id, plies, &mut chance)?);
        }
    }
    println!("{} games of {plies} half-moves recorded", recorded.len());
    let start = Instant::now();
    for first in (0..all).step_by(COMMIT) {
        let (mut writes, mut filled) = (Vec::new(), Vec::new());
        for n in first..all.min(first + COMMIT) {
            // The first games are few, as chess is played more than others.
            let at = (chance.random::<f64>().powi(2) * recorded.len() as f64) as usize;
            let (write, fill) = game(&recorded[at], &games, n, all, &mut chance)?;
            writes.push(write);
            filled.push(fill);
        }
        for result in store.write(&writes).await? {
            result?;
        }
        store.fill(&filled).await?;
        if first % 20_000 == 0 {
            println!("{:4} s  {first} games", start.elapsed().as_secs());
        }
    }
    store.close().await;
    println!("{all} games in {} s", start.elapsed().as_secs());
    Ok(())
}

/// Memory of this process, in mebibytes.
fn memory() -> Fallible<f64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let number = line.and_then(|line| line.split_whitespace().nth(1));
    Ok(number.ok_or("no VmRSS")?.parse::<f64>()? / 1024.0)
}

async fn get(address: SocketAddr, path: &str) -> Fallible<String> {
    let mut stream = TcpStream::connect(address).await?;
    let head = format!("GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    let answer = String::from_utf8(answer)?;
    let (head, body) = answer.split_once("\r\n\r\n").ok_or("no answer")?;
    match head.contains(" 200 ") {
        true => Ok(body.into()),
        false => Err(format!("{path}: {body}").into()),
    }
}

fn percentile(times: &mut [Duration], share: f64) -> f64 {
    times.sort_unstable();
    let at = ((times.len() as f64 * share / 100.0).ceil() as usize).clamp(1, times.len());
    times[at - 1].as_secs_f64() * 1000.0
}

/// Kinds of pages: a name, and the query of one of them.
fn kinds(games: &Games, plies: usize) -> Fallible<Vec<(&'static str, String)>> {
    let quoted = |text: &str| url::form_urlencoded::byte_serialize(text.as_bytes()).collect();
    let start: String = quoted(&games.find("chess")?.start().fen());
    let mut chance = StdRng::seed_from_u64(1);
    let games = Arc::new(Games::default());
    let ids: Vec<String> = games.catalogue().ids().map(Into::into).collect();
    // The same chance as when they were made: a position in the midst of a game.
    let first = record(&games, &ids[0], plies, &mut chance)?;
    let mut game = Game::new(games.find(&ids[0])?.start());
    for event in first.moves.iter().take(plies / 2) {
        if let Event::Played { uci, .. } = event {
            game.play(game.position().parse_uci(uci)?)?;
        }
    }
    let (variant, middle): (_, String) = (&ids[0], quoted(&game.position().fen()));
    Ok(vec![
        ("the newest", String::new()),
        ("of a frequent player", "player=Player_0".into()),
        ("of a rare player", "player=Player_1990".into()),
        ("of a level", "player=@level-3".into()),
        (
            "of a level, won in a game",
            "player=@level-4&variant=chess&result=won".into(),
        ),
        ("of two people", "player=Player_0&opponent=Player_1".into()),
        (
            "of two who have not played",
            "player=Player_1990&opponent=Player_1991".into(),
        ),
        ("of a game", format!("variant={variant}")),
        ("with a rare ending", "ending=agreement".into()),
        (
            "with a rare ending in a game",
            format!("variant={variant}&ending=agreement"),
        ),
        (
            "with a rare ending of a level",
            "player=@level-1&ending=agreement".into(),
        ),
        ("with no such ending", "ending=citadel".into()),
        ("of a month", "from=2025-03-01&to=2025-03-31".into()),
        ("of strong players", "min_rating=2300".into()),
        ("of players stronger than any", "min_rating=3000".into()),
        ("of a length that none has", "min_moves=500".into()),
        (
            "rated, where none is",
            "rated=true&speed=blitz&player=@level-1".into(),
        ),
        ("from a set-up", format!("variant=chess&position={start}")),
        (
            "from a set-up, of a rare player",
            format!("variant=chess&position={start}&player=Player_1990"),
        ),
        (
            "with a position",
            format!("variant={variant}&position={middle}"),
        ),
        (
            "with a position, of a level",
            format!("variant={variant}&position={middle}&player=@level-1"),
        ),
        (
            "with a position, none so long",
            format!("variant={variant}&position={middle}&min_moves=500"),
        ),
    ])
}

async fn ask(folder: PathBuf, pages: usize, plies: usize) -> Fallible<()> {
    let mut config = Config {
        listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        data: folder,
        engine_threads: 2,
        ..Config::default()
    };
    config.limits.requests_per_second = 0;
    config.limits.positions_per_second = 0;
    let start = Instant::now();
    let running = server::bind(&config, Catalogue::default()).await?;
    let address = running.address()?;
    let (ready, is_ready) = tokio::sync::oneshot::channel();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let served = tokio::spawn(
        running.serve(move || ready.send(()).unwrap_or(()), async move {
            let _ = stopped.await;
        }),
    );
    is_ready.await?;
    get(address, "/readyz").await?;
    println!("ready after {:.3} s", start.elapsed().as_secs_f64());
    get(address, "/api/archive").await?;
    println!("memory {:.1} MiB", memory()?);
    let games = Games::default();
    for (name, query) in kinds(&games, plies)? {
        let (mut times, mut found, mut steps, mut after) = (Vec::new(), 0, 0, String::new());
        let mut first = None;
        for _ in 0..pages {
            let path = format!("/api/archive?{query}{after}");
            let begun = Instant::now();
            let page: ArchivePage = serde_json::from_str(&get(address, &path).await?)?;
            times.push(begun.elapsed());
            (found, steps) = (found + page.games.len(), steps + 1);
            // From the first page on again when all were seen.
            after = page
                .next
                .map_or(String::new(), |next| format!("&after={next}"));
            if page.next.is_none() {
                first.get_or_insert((steps, found));
            }
        }
        let (p50, p99) = (percentile(&mut times, 50.0), percentile(&mut times, 99.0));
        let most = percentile(&mut times, 100.0);
        let all = first.map_or(String::from("more"), |(steps, found)| {
            format!("all {found} in {steps}")
        });
        println!("{name:36} p50 {p50:6.1} ms  p99 {p99:6.1}  most {most:6.1}  ({all})");
    }
    for (name, player) in [
        ("results of a frequent player", "Player_0"),
        ("results of a rare player", "Player_1990"),
    ] {
        let (mut times, mut games) = (Vec::new(), 0);
        for _ in 0..pages {
            let path = format!("/api/people/{player}/results");
            let begun = Instant::now();
            let found: Vec<ResultsOfGame> = serde_json::from_str(&get(address, &path).await?)?;
            times.push(begun.elapsed());
            let all = |c: &ResultCounts| c.won + c.drawn + c.lost;
            let sides = found.iter().map(|of| &of.results);
            games = sides.map(|both| all(&both.white) + all(&both.black)).sum();
        }
        let (p50, p99) = (percentile(&mut times, 50.0), percentile(&mut times, 99.0));
        println!("{name:36} p50 {p50:6.1} ms  p99 {p99:6.1}  ({games} games)");
    }
    println!("memory {:.1} MiB", memory()?);
    // Many at once, each its own kind.
    let kinds = kinds(&games, plies)?;
    let asked = stream::iter(0..pages * 8).map(|n| {
        let path = format!("/api/archive?{}", kinds[n % kinds.len()].1);
        async move {
            let begun = Instant::now();
            get(address, &path).await.map(|_| begun.elapsed())
        }
    });
    let times: Vec<Fallible<Duration>> = asked.buffer_unordered(8).collect().await;
    let mut times = times.into_iter().collect::<Fallible<Vec<Duration>>>()?;
    let (p50, p99) = (percentile(&mut times, 50.0), percentile(&mut times, 99.0));
    println!("eight at once: p50 {p50:.1} ms, p99 {p99:.1} ms");
    let begun = Instant::now();
    let text = get(address, "/api/archive.pgn?player=Player_1990").await?;
    println!(
        "{} games as PGN, {} kB, in {:.2} s",
        text.matches("[Event ").count(),
        text.len() / 1000,
        begun.elapsed().as_secs_f64()
    );
    println!("memory {:.1} MiB", memory()?);
    drop(stop);
    served.await??;
    Ok(())
}

#[tokio::main]
async fn main() -> Fallible<()> {
    let mut arguments = std::env::args().skip(1);
    let (Some(act), Some(folder)) = (arguments.next(), arguments.next()) else {
        return Err("expected make or ask, and a data folder".into());
    };
    let (mut all, mut plies, mut pages) = (200_000, 80, 200);
    while let Some(argument) = arguments.next() {
        let value = arguments
            .next()
            .ok_or(format!("{argument} wants a value"))?;
        match argument.as_str() {
            "--games" => all = value.parse()?,
            "--plies" => plies = value.parse()?,
            "--pages" => pages = value.parse()?,
            other => return Err(format!("unknown option {other}").into()),
        }
    }
    match act.as_str() {
        "make" => make(Path::new(&folder), all, plies).await,
        "ask" => ask(folder.into(), pages, plies).await,
        other => Err(format!("{other}: expected make or ask").into()),
    }
}
