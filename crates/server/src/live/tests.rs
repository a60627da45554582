//! A game against a storage that fails: nothing is decided by it, nothing is lost, and the clocks stand still.

use super::*;
use crate::brains::Brains;
use crate::store::{Answer, NewGameRow, SqlStore, Store, StoreError, StoredGame, Writer};
use crate::wire::NewGame;
use axum::extract::ws::Utf8Bytes;

type Tested = Result<(), Box<dyn std::error::Error>>;

/// A storage that refuses to write while it is broken.
#[derive(Debug)]
struct Breakable {
    store: SqlStore,
    broken: Arc<AtomicBool>,
}

impl Store for Breakable {
    fn create<'a>(&'a self, game: &'a NewGameRow) -> Answer<'a, ()> {
        self.store.create(game)
    }
    fn append<'a>(&'a self, events: &'a [EventRow]) -> Answer<'a, ()> {
        match self.broken.load(Relaxed) {
            true => Box::pin(async { Err(StoreError("the disk is full".into())) }),
            false => self.store.append(events),
        }
    }
    fn finish<'a>(&'a self, id: &'a str) -> Answer<'a, ()> {
        self.store.finish(id)
    }
    fn load<'a>(&'a self, id: &'a str) -> Answer<'a, Option<StoredGame>> {
        self.store.load(id)
    }
    fn running(&self) -> Answer<'_, Vec<String>> {
        self.store.running()
    }
    fn of_guest<'a>(&'a self, guest: &'a str, limit: u32) -> Answer<'a, Vec<String>> {
        self.store.of_guest(guest, limit)
    }
    fn idle_since(&self, wall_ms: i64) -> Answer<'_, Vec<String>> {
        self.store.idle_since(wall_ms)
    }
    fn begin_run(&self, wall_ms: i64) -> Answer<'_, i64> {
        self.store.begin_run(wall_ms)
    }
    fn ping(&self) -> Answer<'_, ()> {
        self.store.ping()
    }
}

struct Player(mpsc::Receiver<Utf8Bytes>);

impl Player {
    async fn until<T>(
        &mut self,
        want: impl Fn(ServerMessage) -> Option<T>,
    ) -> Result<T, Box<dyn std::error::Error>> {
        loop {
            let next = tokio::time::timeout(Duration::from_secs(20), self.0.recv());
            let text = next.await?.ok_or("the game is gone")?;
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
    let (outbox, inbox) = Outbox::new(64);
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

async fn play(handle: &Handle, socket: u64, ply: u32, text: &str) -> Tested {
    let command = Command::Act {
        socket,
        of: "move",
        action: Action::Move {
            ply,
            text: text.into(),
        },
        came: Instant::now(),
        lag: Duration::ZERO,
    };
    Ok(handle.commands.send(command).await?)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_storage_fault_decides_no_game() -> Tested {
    let folder = std::env::temp_dir().join(format!("husun-fault-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let store = SqlStore::file(&folder.join("games.sqlite")).await?;
    let broken = Arc::new(AtomicBool::new(false));
    let breakable = || Breakable {
        store: store.clone(),
        broken: broken.clone(),
    };
    let world = Arc::new(World {
        store: Arc::new(breakable()),
        writer: Writer::new(Arc::new(breakable())),
        brains: Brains::new(2, 1)?,
        work: crate::work::Work::new(),
        run: 1,
        start: Instant::now(),
    });
    let hall = Hall::new(world.clone(), 10);
    let wishes = NewGame {
        variant: Some(games::ORTHODOX.into()),
        clock: Some("fischer:1s+0s".into()),
        side: Some(crate::wire::Side::White),
        ..NewGame::default()
    };
    let person = Person {
        guest: "maker".into(),
        name: "Maker".into(),
    };
    let (made, _) = hall.make(&wishes, &person).await.map_err(|r| r.message)?;
    let handle = hall
        .get(&made.id)
        .await
        .map_err(|r| r.message)?
        .ok_or("no game")?;
    let mut white = sit(&handle, 1, &made.seats.white).await?;
    let mut black = sit(&handle, 2, &made.seats.black).await?;
    white.now(|now| now.stage == Stage::Playing).await?;
    broken.store(true, Relaxed);
    play(&handle, 1, 0, "e4").await?;
    let trouble = black.now(|now| now.trouble.is_some()).await?;
    assert_eq!(
        (trouble.ply, trouble.result.is_none()),
        (0, true),
        "a move is told once it is stored"
    );
    // Longer than either clock has.
    tokio::time::sleep(Duration::from_millis(1500)).await;
    broken.store(false, Relaxed);
    let now = black.now(|now| now.ply == 1).await?;
    assert!(now.trouble.is_none() && now.result.is_none());
    let clocks = now.clocks.ok_or("no clocks")?;
    assert!(
        clocks.times.black.main_ms > 800,
        "{clocks:?}: the fault's time is nobody's"
    );
    play(&handle, 2, 1, "e5").await?;
    white.now(|now| now.ply == 2).await?;
    let stored = store.load(&made.id).await?.ok_or("not stored")?;
    let played = stored
        .events
        .iter()
        .filter(|e| e.body.contains("played"))
        .count();
    assert_eq!(played, 2, "nothing is doubled");
    world.brains.close();
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

#[test]
fn a_socket_that_does_not_keep_up_is_known() {
    let (outbox, mut outgoing) = Outbox::new(2);
    for n in 0..2 {
        outbox.tell(&ServerMessage::Pong { n });
    }
    assert!(!outbox.has_lost());
    outbox.tell(&ServerMessage::Pong { n: 2 });
    assert!(outbox.has_lost());
    // Room again does not bring back what was lost.
    assert!(outgoing.try_recv().is_ok());
    assert!(outbox.has_lost());
}
