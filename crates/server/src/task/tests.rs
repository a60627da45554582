//! A game against a storage that fails: nothing is decided by it, nothing is lost, and the clocks stand still.

use super::*;
use crate::brains::Brains;
use crate::clock::ServerClock;
use crate::directory::Payer;
use crate::positions::Lines;
use crate::seats::SeatKeys;
use crate::store::{
    Answer, Health, ListedGame, RunRow, SqlStore, Store, StoreError, StoredGame, Writer,
};
use crate::wire::NewGame;
use crate::work::Work;
use axum_extra::extract::cookie::Key;

type Tested = Result<(), Box<dyn std::error::Error>>;

/// A storage that refuses to write while it is broken, and takes its time while it is slow.
#[derive(Debug)]
struct Breakable {
    store: SqlStore,
    broken: Arc<AtomicBool>,
    slow_ms: Arc<AtomicU64>,
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
    fn load<'a>(&'a self, id: &'a str) -> Answer<'a, Option<StoredGame>> {
        self.store.load(id)
    }
    fn due(&self, now_ms: i64, limit: u32) -> Answer<'_, Vec<String>> {
        self.store.due(now_ms, limit)
    }
    fn of_guest<'a>(&'a self, guest: &'a str, limit: u32) -> Answer<'a, Vec<ListedGame>> {
        self.store.of_guest(guest, limit)
    }
    fn begin_run(&self, wall_ms: i64, known: Option<i64>) -> Answer<'_, RunRow> {
        self.store.begin_run(wall_ms, known)
    }
    fn ping(&self) -> Answer<'_, ()> {
        self.store.ping()
    }
}

struct Player(Outgoing);

impl Player {
    async fn until<T>(
        &mut self,
        want: impl Fn(ServerMessage) -> Option<T>,
    ) -> Result<T, Box<dyn std::error::Error>> {
        loop {
            let next = tokio::time::timeout(Duration::from_secs(20), self.0.next());
            let text = next.await?.map_err(|ending| format!("{ending:?}"))?;
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
            _ => None,
        })
        .await
    }
}

async fn sit(
    handle: &Handle,
    socket: u64,
    seat: &str,
) -> Result<Player, Box<dyn std::error::Error>> {
    let (outbox, inbox) = Outbox::new(64, 1 << 20);
    let visitor = Visitor {
        socket,
        outbox,
        person: Person {
            guest: format!("guest{socket}"),
            name: "Ann".into(),
        },
        seat: Some(seat.into()),
    };
    handle.commands.send(Command::Join(visitor)).await?;
    Ok(Player(inbox))
}

/// A server without a network: its storage can be broken.
struct Bench {
    folder: std::path::PathBuf,
    store: SqlStore,
    broken: Arc<AtomicBool>,
    slow_ms: Arc<AtomicU64>,
    directory: Directory,
    follows: tokio::task::JoinHandle<()>,
}

impl Bench {
    async fn start(name: &str) -> Result<Bench, Box<dyn std::error::Error>> {
        let folder = std::env::temp_dir().join(format!("husun-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        let store = SqlStore::file(&folder.join("games.sqlite")).await?;
        let broken = Arc::new(AtomicBool::new(false));
        let slow_ms = Arc::new(AtomicU64::new(0));
        let breakable: Arc<dyn Store> = Arc::new(Breakable {
            store: store.clone(),
            broken: broken.clone(),
            slow_ms: slow_ms.clone(),
        });
        let begun = store.begin_run(0, None).await?;
        let clock = ServerClock::starting_at(Duration::ZERO);
        clock.resume(&Halt::Starting);
        let services = Arc::new(Services {
            writer: Writer::new(breakable.clone()),
            store: breakable,
            brains: Brains::new(2, 1)?,
            work: Work::new(),
            lines: Lines::default(),
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
            directory: Directory::new(services, 10),
            follows,
        })
    }

    /// A game of two, both there.
    async fn begun(
        &self,
        first_socket: u64,
        control: &str,
    ) -> Result<(String, Handle, [Player; 2]), Box<dyn std::error::Error>> {
        let wishes = NewGame {
            variant: Some(games::ORTHODOX.into()),
            clock: Some(control.into()),
            side: Some(crate::wire::Side::White),
            ..NewGame::default()
        };
        let person = Person {
            guest: "maker".into(),
            name: "Maker".into(),
        };
        let made = self.directory.make(&wishes, &person).await;
        let (made, _) = made.map_err(|r| r.message)?;
        let handle = self.directory.get(&made.id, Payer::Server).await;
        let handle = handle.map_err(|r| r.message)?.ok_or("no game")?;
        let mut white = sit(&handle, first_socket, &made.seats.white).await?;
        let black = sit(&handle, first_socket + 1, &made.seats.black).await?;
        white.now(|now| now.stage == Stage::Playing).await?;
        Ok((made.id, handle, [white, black]))
    }

    async fn end(self) -> Tested {
        self.directory.services().brains.close();
        self.follows.abort();
        std::fs::remove_dir_all(&self.folder)?;
        Ok(())
    }
}

async fn play(bench: &Bench, handle: &Handle, socket: u64, ply: u32, text: &str) -> Tested {
    let command = Command::Act {
        socket,
        outbox: Outbox::new(1, 1000).0,
        of: "move",
        action: Action::Move {
            ply,
            seq: None,
            text: text.into(),
        },
        came: Arrival {
            at: bench.directory.services().clock.now(),
            instant: Instant::now(),
            lag: Duration::ZERO,
        },
    };
    Ok(handle.commands.send(command).await?)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_storage_fault_decides_no_game() -> Tested {
    let bench = Bench::start("fault").await?;
    let (id, handle, [mut white, mut black]) = bench.begun(1, "fischer:1s+0s").await?;
    let (_, _, [mut other, _watches]) = bench.begun(11, "fischer:1s+0s").await?;
    bench.broken.store(true, Relaxed);
    play(&bench, &handle, 1, 0, "e4").await?;
    let trouble = |m| match m {
        ServerMessage::Trouble { trouble } => trouble,
        ServerMessage::Update { now, .. } => {
            assert_eq!(
                (now.ply, now.result.is_none()),
                (0, true),
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
    tokio::time::sleep(Duration::from_millis(1500)).await;
    bench.broken.store(false, Relaxed);
    let now = black.now(|now| now.ply == 1).await?;
    assert!(now.result.is_none());
    let clocks = now.clocks.ok_or("no clocks")?;
    assert!(
        clocks.times.black.main_ms > 800,
        "{clocks:?}: the fault's time is nobody's"
    );
    let now = other.now(|now| now.trouble.is_none()).await?;
    let clocks = now.clocks.ok_or("no clocks")?;
    assert!(
        now.result.is_none() && clocks.times.white.main_ms > 500,
        "{clocks:?}"
    );
    play(&bench, &handle, 2, 1, "e5").await?;
    white.now(|now| now.ply == 2).await?;
    let stored = bench.store.load(&id).await?.ok_or("not stored")?;
    let played = stored.events.iter().filter(|e| e.body.contains("played"));
    assert_eq!(played.count(), 2, "nothing is doubled");
    bench.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn time_in_storing_is_nobodys() -> Tested {
    let bench = Bench::start("slow").await?;
    let (id, handle, [_white, mut black]) = bench.begun(1, "fischer:10s+0s").await?;
    bench.slow_ms.store(400, Relaxed);
    play(&bench, &handle, 1, 0, "e4").await?;
    let now = black.now(|now| now.ply == 1).await?;
    let left = now.clocks.ok_or("no clocks")?.times.black.main_ms;
    assert!(left > 9900, "{left} ms left after a commit of 400 ms");
    bench.slow_ms.store(0, Relaxed);
    // It is so in storage too, for a start after a sudden end.
    tokio::time::sleep(Duration::from_millis(1000)).await;
    let read = bench.directory.read(&id).await.map_err(|r| r.message)?;
    let read = read.ok_or("no game")?;
    let clock = bench.directory.services().clock.now();
    let at = read.table.at() + clock.saturating_sub(read.since);
    let left = read.table.clock().ok_or("no clock")?;
    let left = left.remaining(husun::Side::Black, at);
    let left = left.total("fischer:10s+0s".parse()?).ok_or("no time")?;
    assert!(
        left > Duration::from_millis(8500),
        "{left:?} left in storage"
    );
    bench.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_whose_log_was_written_by_another_is_read_anew() -> Tested {
    let bench = Bench::start("foreign").await?;
    let (id, handle, [mut white, _black]) = bench.begun(1, "none").await?;
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
    play(&bench, &handle, 1, 0, "e4").await?;
    let error = white
        .now(|now| now.ply == 1)
        .await
        .err()
        .ok_or("a move was told that is not stored")?;
    assert_eq!(error.to_string(), "GameGone");
    drop(handle);
    let again = bench
        .directory
        .get(&id, Payer::Server)
        .await
        .map_err(|r| r.message)?;
    let again = again.ok_or("no game")?;
    let (outbox, inbox) = Outbox::new(64, 1 << 20);
    let person = Person {
        guest: "maker".into(),
        name: "Maker".into(),
    };
    let visitor = Visitor {
        socket: 5,
        outbox,
        person,
        seat: None,
    };
    again.commands.send(Command::Join(visitor)).await?;
    let snapshot = Player(inbox)
        .until(|m| match m {
            ServerMessage::Snapshot(snapshot) => Some(snapshot),
            _ => None,
        })
        .await?;
    assert_eq!(snapshot.now.stage, Stage::Over, "what is stored holds");
    bench.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_that_nobody_looks_at_costs_nothing() -> Tested {
    let bench = Bench::start("idle").await?;
    let (id, handle, players) = bench.begun(1, "days:300").await?;
    assert_eq!(bench.directory.live(), 1);
    for socket in [1, 2] {
        handle.commands.send(Command::Leave { socket }).await?;
    }
    drop((handle, players));
    let start = Instant::now();
    while bench.directory.live() > 0 && start.elapsed() < LINGER * 3 {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(bench.directory.live(), 0);
    // To look at it, or to list it, wakes nothing.
    let seen = bench.directory.look(&id, "maker", Payer::Server).await;
    assert_eq!(
        seen.map_err(|r| r.message)?.ok_or("gone")?.now.stage,
        Stage::Playing
    );
    let own = bench.directory.own("maker").await.map_err(|r| r.message)?;
    assert_eq!((own.len(), own[0].stage), (1, Stage::Playing));
    assert_eq!(bench.directory.live(), 0);
    bench.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flag_falls_though_nobody_is_there() -> Tested {
    let bench = Bench::start("flag").await?;
    let (id, handle, players) = bench.begun(1, "fischer:2s+0s").await?;
    for socket in [1, 2] {
        handle.commands.send(Command::Leave { socket }).await?;
    }
    drop((handle, players));
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

#[tokio::test]
async fn a_socket_that_does_not_keep_up_is_known() {
    let (outbox, mut outgoing) = Outbox::new(2, 1000);
    for n in 0..2 {
        outbox.tell(&ServerMessage::Pong { n });
    }
    assert_eq!(outgoing.ending(), None);
    outbox.tell(&ServerMessage::Pong { n: 2 });
    assert_eq!(outgoing.ending(), Some(Ending::TooSlow));
    // Room again does not bring back what was lost.
    assert!(outgoing.try_next().is_some());
    assert_eq!(outgoing.next().await, Err(Ending::TooSlow));
    // Bytes are bounded too, but for a message that waits alone.
    let (outbox, mut outgoing) = Outbox::new(64, 1000);
    assert!(outbox.send("x".repeat(5000).into()));
    assert!(!outbox.send("x".into()), "more waits than may");
    assert_eq!(outgoing.try_next().map(|text| text.len()), Some(5000));
}
