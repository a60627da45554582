//! Games over a bus that loses messages, or on which they are long on their way.

use super::*;

/// A bus that loses every third message of those that are told.
#[derive(Debug, Default)]
struct Lossy {
    bus: LocalBus,
    told: AtomicU64,
}

impl Bus for Lossy {
    fn publish(&self, subject: &str, message: Bytes) {
        if self.told.fetch_add(1, Relaxed) % 3 != 2 {
            self.bus.publish(subject, message);
        }
    }
    fn subscribe<'a>(
        &'a self,
        subject: &'a str,
        listener: Arc<dyn Listener>,
    ) -> bus::Answer<'a, Subscription> {
        self.bus.subscribe(subject, listener)
    }
    fn request<'a>(
        &'a self,
        subject: &'a str,
        message: Bytes,
        patience: Duration,
    ) -> bus::Answer<'a, Bytes> {
        self.bus.request(subject, message, patience)
    }
    fn serve<'a>(&'a self, subject: &'a str, waiting: usize) -> bus::Answer<'a, Requests> {
        self.bus.serve(subject, waiting)
    }
}

/// What is lost on the bus is seen by its number, and the whole game is told anew.
#[tokio::test(flavor = "multi_thread")]
async fn what_the_bus_loses_is_told_again() -> Tested {
    let bench = Bench::start_on("lossy", Arc::new(Lossy::default())).await?;
    let (id, [mut white, mut black]) = bench.begun(1, "none").await?;
    let moves = ["g1f3", "g8f6", "f3g1", "f6g8"];
    for (ply, text) in (0..7).zip(moves.iter().cycle()) {
        let mover = if ply % 2 == 0 { &white } else { &black };
        mover.play(ply, text)?;
        // Whoever missed it hears of what is told next: here of those who come, again and again.
        let comes = tokio::spawn({
            let (directory, id) = (bench.directory.clone(), id.clone());
            async move {
                for n in 0.. {
                    let socket = 100 + 100 * u64::from(ply) + n;
                    let _comes = sit(&directory, &id, socket, None).await.ok();
                    tokio::time::sleep(PRESENCE).await;
                }
            }
        });
        for player in [&mut white, &mut black] {
            player.now(|now| now.ply > ply).await?;
        }
        comes.abort();
    }
    bench.end().await
}

/// A bus on which everything is long on its way, as from a node whose connection has just broken.
#[derive(Debug)]
struct Sluggish {
    bus: Arc<LocalBus>,
    told: mpsc::UnboundedSender<(Instant, String, Bytes)>,
}

/// How long it is on its way.
const WAY: Duration = Duration::from_millis(400);

impl Sluggish {
    fn new() -> Sluggish {
        let bus = Arc::new(LocalBus::default());
        let (told, mut waiting) = mpsc::unbounded_channel::<(Instant, String, Bytes)>();
        tokio::spawn({
            let bus = bus.clone();
            async move {
                while let Some((at, subject, message)) = waiting.recv().await {
                    tokio::time::sleep_until((at + WAY).into()).await;
                    bus.publish(&subject, message);
                }
            }
        });
        Sluggish { bus, told }
    }
}

impl Bus for Sluggish {
    fn publish(&self, subject: &str, message: Bytes) {
        let _ = self.told.send((Instant::now(), subject.into(), message));
    }
    fn subscribe<'a>(
        &'a self,
        subject: &'a str,
        listener: Arc<dyn Listener>,
    ) -> bus::Answer<'a, Subscription> {
        self.bus.subscribe(subject, listener)
    }
    fn request<'a>(
        &'a self,
        subject: &'a str,
        message: Bytes,
        patience: Duration,
    ) -> bus::Answer<'a, Bytes> {
        Box::pin(async move {
            tokio::time::sleep(WAY).await;
            self.bus.request(subject, message, patience).await
        })
    }
    fn serve<'a>(&'a self, subject: &'a str, waiting: usize) -> bus::Answer<'a, Requests> {
        self.bus.serve(subject, waiting)
    }
}

/// Nobody is charged for the time in which the turn was on its way to him, or his move on its way back.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_long_on_its_way_within_the_server_is_nobodys_time() -> Tested {
    let bench = Bench::start_on("sluggish", Arc::new(Sluggish::new())).await?;
    let (id, [mut white, mut black]) = bench.under_way(1, "fischer:10m+0s").await?;
    for (ply, text, thinks) in [(2, "g1", 0), (3, "g8", 300), (4, "f3", 0), (5, "f6", 0)] {
        let (mover, other) = match ply % 2 {
            0 => (&mut white, &mut black),
            _ => (&mut black, &mut white),
        };
        tokio::time::sleep(Duration::from_millis(thinks)).await;
        mover.play(ply, &format!("N{text}"))?;
        mover.now(|now| now.ply > ply).await?;
        other.now(|now| now.ply > ply).await?;
    }
    // Of one who comes anew it is not known when he heard of his turn. He pays for this turn's way and for no other.
    drop(white);
    black.now(|now| !now.players.white.online).await?;
    let white = sit(&bench.directory, &id, 1, None).await?;
    white.play(6, "Ng1")?;
    black.now(|now| now.ply > 6).await?;
    let look = bench.directory.look(&id, "", Vec::new(), Payer::Server);
    let seen = look.await.map_err(|r| r.message)?.ok_or("gone")?;
    let game: Snapshot = serde_json::from_slice(&seen)?;
    let spent: Vec<u64> = game.moves.iter().filter_map(|m| m.spent_ms).collect();
    let [.., a, b, c, d, anew] = spent[..] else {
        return Err(format!("{spent:?}").into());
    };
    // The way there and back takes twice as long as the test allows.
    let way = WAY.as_millis() as u64;
    for (spent, thought) in [(a, 0), (b, 300), (c, 0), (d, 0)] {
        assert!(
            (thought..thought + way).contains(&spent),
            "{spent} ms for {thought}"
        );
    }
    assert!(anew < way * 9, "{anew} ms");
    bench.end().await
}

/// Who does not read what he is sent thinks on his own time: on another socket he may have seen it.
#[tokio::test(flavor = "multi_thread")]
async fn who_reads_late_pays_for_it() -> Tested {
    let bench = Bench::start("late").await?;
    let (id, [mut white, black]) = bench.under_way(1, "fischer:10m+0s").await?;
    drop(black);
    white.now(|now| !now.players.black.online).await?;
    let late = Duration::from_millis(600);
    let mut black = sit_reading(&bench.directory, &id, 2, None, late).await?;
    black.now(|now| now.ply == 2).await?;
    white.play(2, "Ng1")?;
    black.now(|now| now.ply == 3).await?;
    black.play(3, "Ng8")?;
    black.now(|now| now.ply == 4).await?;
    let look = bench.directory.look(&id, "", Vec::new(), Payer::Server);
    let seen = look.await.map_err(|r| r.message)?.ok_or("gone")?;
    let game: Snapshot = serde_json::from_slice(&seen)?;
    let spent = game.moves.last().and_then(|m| m.spent_ms);
    assert!(spent.is_some_and(|ms| ms >= 600), "{spent:?}");
    bench.end().await
}

/// A bus that carries no answer, since each is too long.
#[derive(Debug, Default)]
struct Narrow(LocalBus);

impl Bus for Narrow {
    fn publish(&self, subject: &str, message: Bytes) {
        self.0.publish(subject, message);
    }
    fn subscribe<'a>(
        &'a self,
        subject: &'a str,
        listener: Arc<dyn Listener>,
    ) -> bus::Answer<'a, Subscription> {
        self.0.subscribe(subject, listener)
    }
    fn request<'a>(
        &'a self,
        _subject: &'a str,
        _message: Bytes,
        _patience: Duration,
    ) -> bus::Answer<'a, Bytes> {
        let (bytes, limit) = (2, 1);
        Box::pin(async move { Err(bus::BusError::TooLong { bytes, limit }) })
    }
    fn serve<'a>(&'a self, subject: &'a str, waiting: usize) -> bus::Answer<'a, Requests> {
        self.0.serve(subject, waiting)
    }
}

/// A game that cannot be told is refused once, and not asked for again and again.
#[tokio::test(flavor = "multi_thread")]
async fn a_game_too_long_for_the_bus_is_refused() -> Tested {
    let bench = Bench::start_on("narrow", Arc::new(Narrow::default())).await?;
    let id = bench.made("fischer:10m+0s").await?.id;
    let mut watcher = sit(&bench.directory, &id, 1, None).await?;
    let told = watcher.until(|message| match message {
        ServerMessage::Refused { of, code, .. } => Some((of, code)),
        _ => None,
    });
    assert_eq!(told.await?, ("join".to_owned(), "limit".to_owned()));
    bench.end().await
}
