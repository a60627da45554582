//! A game against a storage that fails: nothing is decided by it, nothing is lost, and the clocks stand still.

mod over_bus;

use super::*;
use crate::archive::Archive;
use crate::clock::ServerClock;
use crate::directory::{Made, Payer};
use crate::engines::LocalEngines;
use crate::node::Node;
use crate::positions::LineCache;
use crate::ratings::Ratings;
use crate::seats::SeatKeys;
use crate::socket::game::seek::search;
use crate::socket::game::{GameGone, GameSide};
use crate::socket::outbox::{Item, Outbox, TooSlow};
use crate::wire::{NewGame, ServerMessage, Snapshot, Stage as Told};
use crate::work::Work;
use axum::extract::ws::Utf8Bytes;
use axum_extra::extract::cookie::Key;
use bus::{Bus, Listener, LocalBus, Subscription};
use bytes::Bytes;
use play::Games;
use play::table::Person;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use store::nodes::Since;
use store::{
    Answer, DefinitionRow, GameWrite, Health, ListedGame, ReviewRow, RunRow, SqlStore, Store,
    StoreError, StoredGame, Writer,
};

const SOON: Duration = Duration::from_secs(20);

type Tested = Result<(), Box<dyn std::error::Error>>;

/// A storage that refuses to write while it is broken, and takes its time while it is slow. Its games may have stood still, so
/// long after their last events.
#[derive(Debug)]
struct Breakable {
    store: SqlStore,
    broken: Arc<AtomicBool>,
    slow_ms: Arc<AtomicU64>,
    still_ms: Arc<AtomicU64>,
}

impl Store for Breakable {
    fn write<'a>(&'a self, writes: &'a [GameWrite]) -> Answer<'a, Vec<Result<(), StoreError>>> {
        Box::pin(async move {
            let slow = Duration::from_millis(self.slow_ms.load(Relaxed));
            tokio::time::sleep(slow).await;
            match self.broken.load(Relaxed) {
                true => Err(StoreError::Unavailable("the disk is full".into())),
                false => self.store.write(writes).await,
            }
        })
    }
    fn definition<'a>(&'a self, name: &'a str) -> Answer<'a, Option<DefinitionRow>> {
        self.store.definition(name)
    }
    fn keep_definition<'a>(&'a self, definition: &'a DefinitionRow) -> Answer<'a, ()> {
        self.store.keep_definition(definition)
    }
    fn load<'a>(&'a self, id: &'a str) -> Answer<'a, Option<StoredGame>> {
        Box::pin(async move {
            let slow = Duration::from_millis(self.slow_ms.load(Relaxed));
            tokio::time::sleep(slow).await;
            let mut stored = self.store.load(id).await?;
            if let (Some(stored), ms @ 1..) = (&mut stored, self.still_ms.load(Relaxed)) {
                stored.since = Some(Since::Still(ms as i64));
            }
            Ok(stored)
        })
    }
    fn due(&self, now_ms: i64, limit: u32) -> Answer<'_, Vec<String>> {
        self.store.due(now_ms, limit)
    }
    fn of_guest<'a>(&'a self, guest: &'a str, limit: u32) -> Answer<'a, Vec<ListedGame>> {
        self.store.of_guest(guest, limit)
    }
    fn keep_review<'a>(&'a self, review: &'a ReviewRow) -> Answer<'a, ()> {
        self.store.keep_review(review)
    }
    fn review<'a>(&'a self, id: &'a str) -> Answer<'a, Option<ReviewRow>> {
        self.store.review(id)
    }
    fn forget_reviews(&self, now_ms: i64) -> Answer<'_, u64> {
        self.store.forget_reviews(now_ms)
    }
    fn begin_run(&self, wall_ms: i64, known: Option<i64>) -> Answer<'_, RunRow> {
        self.store.begin_run(wall_ms, known)
    }
    fn ping(&self) -> Answer<'_, ()> {
        self.store.ping()
    }
}

/// A player at a socket without a network.
struct Player {
    heard: mpsc::UnboundedReceiver<Result<Utf8Bytes, GameGone>>,
    deeds: mpsc::UnboundedSender<Deed>,
}

impl Player {
    async fn until<T>(
        &mut self,
        want: impl Fn(ServerMessage) -> Option<T>,
    ) -> Result<T, Box<dyn std::error::Error>> {
        loop {
            let next = tokio::time::timeout(Duration::from_secs(20), self.heard.recv());
            let text = next.await?.ok_or("ended")?;
            let text = text.map_err(|gone| format!("{gone:?}"))?;
            if let Some(found) = want(serde_json::from_str(&text)?) {
                return Ok(found);
            }
        }
    }

    async fn now(
        &mut self,
        want: impl Fn(&crate::wire::Now) -> bool,
    ) -> Result<crate::wire::Now, Box<dyn std::error::Error>> {
        self.until(|m| match m {
            ServerMessage::Update { now, .. } if want(&now) => Some(*now),
            ServerMessage::Snapshot(snapshot) if want(&snapshot.now) => Some(snapshot.now),
            _ => None,
        })
        .await
    }

    fn play(&self, ply: u32, text: &str) -> Tested {
        let (seq, text) = (None, text.into());
        Ok(self.deeds.send(Deed::Move { ply, seq, text })?)
    }
}

async fn sit(
    directory: &Directory,
    game: &str,
    socket: u64,
    seat: Option<&str>,
) -> Result<Player, Box<dyn std::error::Error>> {
    sit_reading(directory, game, socket, seat, Duration::ZERO).await
}

/// One who reads each message of the game so late.
async fn sit_reading(
    directory: &Directory,
    game: &str,
    socket: u64,
    seat: Option<&str>,
    late: Duration,
) -> Result<Player, Box<dyn std::error::Error>> {
    let (outbox, mut outgoing) = Outbox::new(64, 1 << 20);
    let mut side = GameSide::new(socket, directory, outbox);
    let person = Person {
        guest: format!("guest{socket}"),
        name: "Ann".into(),
        ..Person::default()
    };
    let seat = seat.map(Into::into);
    side.join(Payer::Server, game.into(), seat, person).await?;
    let (tell, heard) = mpsc::unbounded_channel();
    let (deeds, mut done) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        loop {
            let text = tokio::select! {
                item = outgoing.next() => match item {
                    Ok(Item::Text(text)) => Ok(Some(text)),
                    Ok(Item::Told(message, came)) => {
                        tokio::time::sleep(late).await;
                        side.told(&message, came)
                    }
                    Ok(Item::Missed) => side.missed().map(|()| None),
                    Err(TooSlow) => return,
                },
                reply = side.answered() => match side.take(reply) {
                    Ok(texts) => {
                        for text in texts {
                            let _ = tell.send(Ok(text));
                        }
                        Ok(None)
                    }
                    Err(gone) => Err(gone),
                },
                deed = done.recv() => {
                    let Some(deed) = deed else { return side.end() };
                    let _ = side.act(deed, Duration::ZERO);
                    Ok(None)
                }
            };
            let gone = text.is_err();
            if let Some(text) = text.transpose()
                && tell.send(text).is_err()
            {
                return side.end();
            }
            if gone {
                return;
            }
        }
    });
    Ok(Player { heard, deeds })
}

/// A server without a network: its storage can be broken.
struct Bench {
    folder: std::path::PathBuf,
    store: SqlStore,
    broken: Arc<AtomicBool>,
    slow_ms: Arc<AtomicU64>,
    still_ms: Arc<AtomicU64>,
    directory: Directory,
    follows: tokio::task::JoinHandle<()>,
}

impl Bench {
    async fn start(name: &str) -> Result<Bench, Box<dyn std::error::Error>> {
        Bench::start_on(name, Arc::new(LocalBus::new())).await
    }

    async fn start_on(name: &str, bus: Arc<dyn Bus>) -> Result<Bench, Box<dyn std::error::Error>> {
        let folder = std::env::temp_dir().join(format!("husun-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        let store = SqlStore::file(&folder.join("games.sqlite")).await?;
        let broken = Arc::new(AtomicBool::new(false));
        let slow_ms = Arc::new(AtomicU64::new(0));
        let still_ms = Arc::new(AtomicU64::new(0));
        let breakable: Arc<dyn Store> = Arc::new(Breakable {
            store: store.clone(),
            broken: broken.clone(),
            slow_ms: slow_ms.clone(),
            still_ms: still_ms.clone(),
        });
        let begun = store.begin_run(0, None).await?;
        let clock = ServerClock::starting_at(Duration::ZERO);
        clock.resume(&Halt::Starting);
        let games: Arc<Games> = Arc::default();
        let services = Arc::new(Services {
            writer: Writer::new(breakable.clone()),
            store: breakable,
            notes: Arc::new(store.clone()),
            vacations: Arc::new(store.clone()),
            bans: Arc::default(),
            happenings: Default::default(),
            node: Arc::new(Node::alone(clock.clone())),
            bus,
            engines: Arc::new(LocalEngines::new(2, 1, &games)?),
            tables: None,
            engine_pause: false,
            work: Work::new(),
            ratings: Ratings::new(Arc::new(store.clone())),
            archive: Archive::new(Arc::new(store.clone())),
            ended: tokio::sync::Notify::new(),
            courses: lessons::Courses::default(),
            lines: LineCache::new(games.clone()),
            games,
            clock,
            keys: SeatKeys::new(&Key::generate()),
            run: begun.run,
            counted_from: begun.counted_from,
        });
        // As the server does it.
        let (clock, mut health) = (services.clock.clone(), services.writer.health());
        let follows = tokio::spawn(async move {
            loop {
                match &*health.borrow_and_update() {
                    Health::Well => clock.resume(&Halt::Storage),
                    Health::Ill(_) => clock.halt(Halt::Storage),
                }
                if health.changed().await.is_err() {
                    return;
                }
            }
        });
        Ok(Bench {
            folder,
            store,
            broken,
            slow_ms,
            still_ms,
            directory: Directory::new(services, 10),
            follows,
        })
    }

    /// A game of two that waits for both.
    async fn made(&self, control: &str) -> Result<Made, Box<dyn std::error::Error>> {
        let wishes = NewGame {
            variant: Some(games::ORTHODOX.into()),
            clock: Some(control.into()),
            side: Some(crate::wire::Side::White),
            ..NewGame::default()
        };
        let person = Person {
            guest: "maker".into(),
            name: "Maker".into(),
            ..Person::default()
        };
        let made = self.directory.make(&wishes, &person).await;
        let (made, _) = made.map_err(|r| r.message)?;
        Ok(made)
    }

    /// A game of two, both there.
    async fn begun(
        &self,
        first_socket: u64,
        control: &str,
    ) -> Result<(String, [Player; 2]), Box<dyn std::error::Error>> {
        let made = self.made(control).await?;
        let (directory, seats) = (&self.directory, &made.seats);
        let mut white = sit(directory, &made.id, first_socket, Some(&seats.white)).await?;
        let black = sit(directory, &made.id, first_socket + 1, Some(&seats.black)).await?;
        white.now(|now| now.stage == Told::Playing).await?;
        Ok((made.id, [white, black]))
    }

    /// A game of two players after a move of each, from which on clocks run.
    async fn under_way(
        &self,
        first_socket: u64,
        control: &str,
    ) -> Result<(String, [Player; 2]), Box<dyn std::error::Error>> {
        let (id, [mut white, mut black]) = self.begun(first_socket, control).await?;
        white.play(0, "Nf3")?;
        black.now(|now| now.ply == 1).await?;
        black.play(1, "Nf6")?;
        white.now(|now| now.ply == 2).await?;
        black.now(|now| now.ply == 2).await?;
        Ok((id, [white, black]))
    }

    async fn end(self) -> Tested {
        self.directory.services().engines.close();
        self.follows.abort();
        std::fs::remove_dir_all(&self.folder)?;
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_storage_fault_decides_no_game() -> Tested {
    let bench = Bench::start("fault").await?;
    let (id, [mut white, mut black]) = bench.under_way(1, "fischer:3s+0s").await?;
    let (_, [mut other, _watches]) = bench.under_way(11, "fischer:3s+0s").await?;
    bench.broken.store(true, Relaxed);
    white.play(2, "e4")?;
    let trouble = |m| match m {
        ServerMessage::Trouble { trouble } => trouble,
        ServerMessage::Update { now, .. } => {
            assert_eq!(
                (now.ply, now.result.is_none()),
                (2, true),
                "told before it is stored"
            );
            now.trouble
        }
        _ => None,
    };
    // Whoever's clock stands still is told, in games too that have nothing to store.
    assert!(black.until(trouble).await?.contains("cannot store"));
    assert!(other.until(trouble).await?.contains("cannot store"));
    // Longer than either clock has.
    tokio::time::sleep(Duration::from_millis(3500)).await;
    bench.broken.store(false, Relaxed);
    let now = black.now(|now| now.ply == 3).await?;
    assert!(now.result.is_none());
    let clocks = now.clocks.ok_or("no clocks")?;
    assert!(
        clocks.times.black.main_ms > 2000,
        "{clocks:?}: the fault's time is nobody's"
    );
    let now = other.now(|now| now.trouble.is_none()).await?;
    let clocks = now.clocks.ok_or("no clocks")?;
    assert!(
        now.result.is_none() && clocks.times.white.main_ms > 1000,
        "{clocks:?}"
    );
    black.play(3, "e5")?;
    white.now(|now| now.ply == 4).await?;
    let stored = bench.store.load(&id).await?.ok_or("not stored")?;
    let played = stored.events.iter().filter(|e| e.body.contains("played"));
    assert_eq!(played.count(), 4, "nothing is doubled");
    bench.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn time_in_storing_is_nobodys() -> Tested {
    let bench = Bench::start("slow").await?;
    let (id, [white, mut black]) = bench.under_way(1, "fischer:10s+0s").await?;
    bench.slow_ms.store(400, Relaxed);
    white.play(2, "e4")?;
    let now = black.now(|now| now.ply == 3).await?;
    let left = now.clocks.ok_or("no clocks")?.times.black.main_ms;
    assert!(left > 9900, "{left} ms left after a commit of 400 ms");
    bench.slow_ms.store(0, Relaxed);
    // It is so in storage too, for a start after a sudden end.
    tokio::time::sleep(Duration::from_millis(1000)).await;
    let read = bench.directory.read(&id).await.map_err(|r| r.message)?;
    let read = read.ok_or("no game")?;
    let at = read.time_at(bench.directory.services().clock.now());
    let left = read.table.clock().ok_or("no clock")?;
    let left = left.remaining(husun::Side::Black, at);
    let left = left.total("fischer:10s+0s".parse()?).ok_or("no time")?;
    assert!(
        left > Duration::from_millis(8500),
        "{left:?} left in storage"
    );
    bench.end().await
}

/// What a player had used before this server's time began stays used.
#[tokio::test(flavor = "multi_thread")]
async fn time_from_before_the_servers_is_charged() -> Tested {
    let bench = Bench::start("long").await?;
    let (id, players) = bench.under_way(1, "fischer:10m+0s").await?;
    drop(players);
    bench.still_ms.store(300_000, Relaxed);
    let read = bench.directory.read(&id).await.map_err(|r| r.message)?;
    let read = read.ok_or("no game")?;
    let at = read.time_at(bench.directory.services().clock.now());
    let left = read.table.clock().ok_or("no clock")?;
    let left = left.remaining(husun::Side::White, at);
    let left = left.total("fischer:10m+0s".parse()?).ok_or("no time")?;
    let bounds = Duration::from_secs(290)..=Duration::from_secs(300);
    assert!(bounds.contains(&left), "{left:?} left");
    bench.end().await
}

/// What storing takes is nobody's time only while players wait for it: not while the game's time is noted, nor while what was
/// said is stored.
#[tokio::test(flavor = "multi_thread")]
async fn whoever_thinks_while_something_else_is_stored_is_charged() -> Tested {
    let bench = Bench::start("beside").await?;
    let (id, [white, mut black]) = bench.under_way(1, "fischer:10s+0s").await?;
    bench.slow_ms.store(400, Relaxed);
    white.play(2, "e4")?;
    black.now(|now| now.ply == 3).await?;
    // The game's time is being noted.
    let text = "a word".to_string();
    white.deeds.send(Deed::Chat { text })?;
    tokio::time::sleep(Duration::from_millis(700)).await;
    black.play(3, "e5")?;
    black.now(|now| now.ply == 4).await?;
    let seen = bench
        .directory
        .look(&id, "maker", Vec::new(), Payer::Server)
        .await;
    let seen = seen.map_err(|r| r.message)?.ok_or("gone")?;
    let seen: Snapshot = serde_json::from_slice(&seen)?;
    let spent = seen
        .moves
        .get(3)
        .and_then(|m| m.spent_ms)
        .ok_or("no clock")?;
    assert!((600..1500).contains(&spent), "{spent} ms of 700");
    bench.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_whose_log_was_written_by_another_is_read_anew() -> Tested {
    let bench = Bench::start("foreign").await?;
    let (id, [mut white, _black]) = bench.begun(1, "none").await?;
    let seq = bench.store.load(&id).await?.ok_or("gone")?.events.len() as i64 + 1;
    let services = bench.directory.services().clone();
    let event = Event::Resigned {
        side: husun::Side::White,
    };
    let foreign = GameWrite {
        game: id.clone(),
        events: vec![services.row(seq as u64, Duration::ZERO, Duration::ZERO, &event)],
        ..GameWrite::default()
    };
    services.writer.write(foreign).await?;
    white.play(0, "e4")?;
    let error = white
        .now(|now| now.ply == 1)
        .await
        .err()
        .ok_or("a move was told that is not stored")?;
    assert_eq!(error.to_string(), "GameGone");
    let mut again = sit(&bench.directory, &id, 5, None).await?;
    let now = again.now(|_| true).await?;
    assert_eq!(now.stage, Told::Over, "what is stored holds");
    bench.end().await
}

/// A socket that is kept busy while it looks for a game's owner keeps nobody else from the game.
#[tokio::test(flavor = "multi_thread")]
async fn one_who_looks_for_a_game_and_does_not_wait_on_harms_nobody() -> Tested {
    let bench = Bench::start("unpolled").await?;
    let (id, players) = bench.begun(1, "none").await?;
    drop(players);
    let since = Instant::now();
    while bench.directory.live() > 0 {
        assert!(since.elapsed() < SOON, "the game does not leave");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    bench.slow_ms.store(300, Relaxed);
    let mut looks = search(&bench.directory, &id, Duration::ZERO);
    tokio::select! {
        biased;
        _ = &mut looks => return Err("it was to be slow".into()),
        () = tokio::time::sleep(Duration::from_millis(100)) => {}
    }
    let found = tokio::time::timeout(SOON, bench.directory.find(&id, Payer::Server)).await?;
    assert!(found.map_err(|r| r.message)?.is_some());
    assert!(looks.await.map_err(|r| r.message)?.is_some());
    bench.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_that_nobody_looks_at_costs_nothing() -> Tested {
    let bench = Bench::start("idle").await?;
    let (id, players) = bench.begun(1, "days:300").await?;
    assert_eq!(bench.directory.live(), 1);
    drop(players);
    let start = Instant::now();
    while bench.directory.live() > 0 && start.elapsed() < LINGER * 3 {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(bench.directory.live(), 0);
    // To look at it, or to list it, wakes nothing.
    let seen = bench
        .directory
        .look(&id, "maker", Vec::new(), Payer::Server)
        .await;
    let seen = seen.map_err(|r| r.message)?.ok_or("gone")?;
    let seen: Snapshot = serde_json::from_slice(&seen)?;
    assert_eq!(seen.now.stage, Told::Playing);
    let own = bench.directory.own("maker").await.map_err(|r| r.message)?;
    assert_eq!((own.len(), own[0].stage), (1, Told::Playing));
    assert_eq!(bench.directory.live(), 0);
    bench.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flag_falls_though_nobody_is_there() -> Tested {
    let bench = Bench::start("flag").await?;
    let (id, players) = bench.under_way(1, "fischer:2s+0s").await?;
    drop(players);
    // As after a sudden end: no task knows of the game.
    let attends = tokio::spawn(bench.directory.clone().attend());
    let start = Instant::now();
    loop {
        let stored = bench.store.load(&id).await?.ok_or("gone")?;
        if stored.over {
            assert!(stored.events.iter().any(|e| e.body.contains("flagged")));
            break;
        }
        assert!(
            start.elapsed() < Duration::from_secs(30),
            "the flag has not fallen"
        );
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    attends.abort();
    bench.end().await
}

/// Who has left can lose by it; whatever the server does is no leaving.
#[tokio::test(flavor = "multi_thread")]
async fn the_game_of_one_who_has_left_is_claimed() -> Tested {
    let bench = Bench::start("left").await?;
    let clock = bench.directory.services().clock.clone();
    let (id, [mut white, black]) = bench.under_way(1, "fischer:10m+0s").await?;
    let claim = || Deed::Claim {
        claim: play::Claim::Win,
    };
    let refusal = |m| match m {
        ServerMessage::Refused { of, message, .. } => Some((of, message)),
        _ => None,
    };
    white.deeds.send(claim())?;
    let (of, message) = white.until(refusal).await?;
    assert!(of == "claim" && message.contains("nobody has"), "{message}");
    drop(black);
    let gone = |now: &crate::wire::Now| now.players.black.claim_in_ms;
    let now = white.now(|now| gone(now).is_some()).await?;
    let left = gone(&now).ok_or("")?;
    assert!((50_000..=60_000).contains(&left), "{left} ms");
    assert!(!now.players.black.online && now.players.white.claim_in_ms.is_none());
    clock.advance(Duration::from_secs(50));
    white.deeds.send(claim())?;
    let (_, message) = white.until(refusal).await?;
    assert!(message.contains("just left"), "{message}");

    // The server is at fault: time stands still.
    bench.broken.store(true, Relaxed);
    white.deeds.send(Deed::Chat {
        text: "are you there?".into(),
    })?;
    white
        .until(|m| match m {
            ServerMessage::Trouble { trouble } => trouble,
            ServerMessage::Update { now, .. } => now.trouble,
            _ => None,
        })
        .await?;
    bench.broken.store(false, Relaxed);

    // It starts again: who is not there may be on the way.
    let live = bench.directory.find_live(&id).ok_or("not live")?;
    live.commands.send(Box::new(Command::Shutdown)).await?;
    drop(live);
    while white.until(Some).await.is_ok() {}
    let start = Instant::now();
    while bench.directory.find_live(&id).is_some() && start.elapsed() < LINGER {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let mut white = sit(&bench.directory, &id, 1, None).await?;
    let now = white.now(|_| true).await?;
    let left = gone(&now).ok_or("Black is not there")?;
    assert!(left > 55_000, "{left} ms after a start");
    assert_eq!(now.stage, Told::Playing);

    // One who comes back has not left.
    let mut black = sit(&bench.directory, &id, 2, None).await?;
    white.now(|now| gone(now).is_none()).await?;
    black.now(|now| now.players.black.online).await?;
    drop(black);
    white.now(|now| gone(now).is_some()).await?;
    clock.advance(Duration::from_secs(61));
    white.deeds.send(claim())?;
    let now = white.now(|now| now.stage == Told::Over).await?;
    let result = now.result.ok_or("no result")?;
    assert_eq!(
        (result.winner, result.reason.as_str()),
        (Some(crate::wire::Side::White), "abandoned")
    );
    let stored = bench.store.load(&id).await?.ok_or("not stored")?;
    assert!(stored.over && stored.events.iter().any(|e| e.body.contains("claimed")));
    bench.end().await
}
