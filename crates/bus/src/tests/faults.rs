//! What the bus between processes does when NATS, the way to it or another process fails.

use super::proxy::{Proxy, Way};
use super::server::Server;
use super::*;

pub const SECOND: Duration = Duration::from_secs(1);

pub async fn bus_at(url: &str) -> Result<Arc<NatsBus>, NatsError> {
    NatsBus::connect(NatsOptions::new(url)).await.map(Arc::new)
}

/// Serves a subject with answers that name the server.
pub async fn serving(
    bus: &dyn Bus,
    subject: &str,
    name: &'static str,
) -> Result<tokio::task::JoinHandle<()>, BusError> {
    let mut requests = bus.serve(subject, 64).await?;
    Ok(tokio::spawn(async move {
        while let Some(request) = requests.next().await {
            request.answer(name.into());
        }
    }))
}

/// Waits until the bus is as it says.
pub async fn becomes(bus: &NatsBus, connected: bool) -> bool {
    let mut health = bus.watch();
    let is = health.wait_for(|health| health.connected == connected);
    matches!(tokio::time::timeout(SOON * 2, is).await, Ok(Ok(_)))
}

/// Asks until the answer is as wanted, as somebody does who comes again.
async fn answers(bus: &dyn Bus, subject: &str, wanted: &str) -> bool {
    let start = Instant::now();
    while start.elapsed() < SOON {
        if bus.request(subject, "?".into(), SECOND).await == Ok(Bytes::from(wanted.to_owned())) {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    false
}

fn missed(ear: &Ear) -> usize {
    ear.missed.load(Relaxed)
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a NATS server: scripts/nats cargo test -p husun-bus -- --ignored nats"]
async fn nats_killed_and_started_again() -> Tested {
    let mut server = Server::start("").await?;
    let (near, far) = (bus_at(&server.url()).await?, bus_at(&server.url()).await?);
    let (before, during, here) = (Ear::new(1000), Ear::new(1000), Ear::new(1000));
    let _before = far.subscribe("told", before.clone()).await?;
    let _here = near.subscribe("told", here.clone()).await?;
    let _serves = serving(&*far, "asked", "before").await?;
    for round in 1..=3 {
        let told = here.heard().len();
        let during_this = format!("asked during {round}");
        server.kill();
        assert!(becomes(&near, false).await && becomes(&far, false).await);
        let start = Instant::now();
        near.publish("told", "lost elsewhere".into());
        assert_eq!(
            here.heard().len(),
            told + 1,
            "the process goes on by itself"
        );
        let asked = near.request("asked", "?".into(), SOON * 10).await;
        assert_eq!(asked, Err(BusError::Late));
        let _during = far.subscribe("told", during.clone()).await?;
        let _serves = serving(&*far, &during_this, "during").await?;
        assert_eq!(
            far.request(&during_this, "?".into(), SECOND).await,
            Ok("during".into())
        );
        assert!(
            start.elapsed() < SECOND,
            "nobody waits: {:?}",
            start.elapsed()
        );
        let gaps = (missed(&before), missed(&during), missed(&here));
        server.again().await?;
        assert!(becomes(&near, true).await && becomes(&far, true).await);
        assert!(
            soon(|| missed(&before) > gaps.0 && missed(&during) > gaps.1 && missed(&here) > gaps.2)
                .await
        );
        let (n, m) = (before.heard().len(), during.heard().len());
        near.publish("told", "again".into());
        assert!(
            before.has(n + 1).await && during.has(m + 1).await,
            "round {round}"
        );
        assert!(answers(&*near, "asked", "before").await);
        assert!(answers(&*near, &during_this, "during").await);
        assert_eq!(near.health().reconnects, round);
    }
    assert_eq!(before.heard(), ["again"; 3], "what was lost stays lost");
    assert!(near.health().dropped >= 3);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a NATS server: scripts/nats cargo test -p husun-bus -- --ignored nats"]
async fn nats_cut_off_tells_those_who_missed_something() -> Tested {
    let server = Server::start("").await?;
    let (to_near, to_far) = (Proxy::to(server.port).await?, Proxy::to(server.port).await?);
    let (near, far) = (bus_at(&to_near.url()).await?, bus_at(&to_far.url()).await?);
    let (told, other, here) = (Ear::new(1000), Ear::new(1000), Ear::new(1000));
    let _told = far.subscribe("told", told.clone()).await?;
    let _other = far.subscribe("other", other.clone()).await?;
    let _here = near.subscribe("told", here.clone()).await?;
    // Who listens is cut off: all that is listened to there may have been missed, and nothing elsewhere.
    to_far.set(Way::Cut);
    assert!(becomes(&far, false).await);
    near.publish("told", "lost".into());
    to_far.set(Way::Open);
    assert!(becomes(&far, true).await);
    assert!(soon(|| missed(&told) == 1 && missed(&other) == 1).await);
    assert_eq!(missed(&here), 0);
    assert_eq!(near.health().dropped, 0);
    // Who tells is cut off: those learn of it who listen to what was told.
    to_near.set(Way::Cut);
    assert!(becomes(&near, false).await);
    for _ in 0..10 {
        near.publish("told", "lost".into());
    }
    assert_eq!(near.health().dropped, 10);
    to_near.set(Way::Open);
    assert!(becomes(&near, true).await);
    assert!(soon(|| missed(&told) == 2).await);
    near.publish("told", "again".into());
    assert!(told.has(1).await);
    tokio::time::sleep(SECOND * 2).await;
    assert_eq!(
        (missed(&told), missed(&other)),
        (2, 1),
        "once, and not others"
    );
    assert_eq!(told.heard(), ["again"]);
    Ok(())
}

/// What is on its way when a connection breaks may have arrived or not: whoever listens to it is told.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a NATS server: scripts/nats cargo test -p husun-bus -- --ignored nats"]
async fn nats_messages_on_their_way_are_told_as_missed() -> Tested {
    let server = Server::start("").await?;
    let to_near = Proxy::to(server.port).await?;
    let (near, far) = (bus_at(&to_near.url()).await?, bus_at(&server.url()).await?);
    let (told, other) = (Ear::new(1000), Ear::new(1000));
    let _told = far.subscribe("told", told.clone()).await?;
    let _other = far.subscribe("other", other.clone()).await?;
    near.publish("other", "arrives".into());
    assert!(other.has(1).await);
    // Two round trips later it is known to have arrived.
    let mut health = near.watch();
    for _ in 0..3 {
        health.changed().await?;
    }
    to_near.set(Way::Deaf);
    near.publish("told", "lost on its way".into());
    tokio::time::sleep(AT_ONCE).await;
    assert_eq!(near.health().dropped, 0, "it was sent");
    to_near.set(Way::Cut);
    assert!(becomes(&near, false).await);
    to_near.set(Way::Open);
    assert!(soon(|| missed(&told) == 1).await);
    assert_eq!((told.heard().len(), missed(&other)), (0, 0));
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a NATS server: scripts/nats cargo test -p husun-bus -- --ignored nats"]
async fn nats_stalled_neither_blocks_nor_grows() -> Tested {
    const BYTES: usize = 1000;
    const FLOOD: usize = 200_000;
    let server = Server::start("").await?;
    let to_near = Proxy::to(server.port).await?;
    let (near, far) = (bus_at(&to_near.url()).await?, bus_at(&server.url()).await?);
    let told = Ear::new(usize::MAX);
    let _told = far.subscribe("told", told.clone()).await?;
    to_near.set(Way::Stalled);
    let message = Bytes::from(vec![b'x'; BYTES]);
    let (start, mut slowest) = (Instant::now(), Duration::ZERO);
    for _ in 0..FLOOD {
        let one = Instant::now();
        near.publish("told", message.clone());
        slowest = slowest.max(one.elapsed());
    }
    let took = start.elapsed();
    let kept = (FLOOD - near.health().dropped as usize) * BYTES;
    println!("{FLOOD} messages in {took:?}, the slowest {slowest:?}; {kept} bytes kept");
    assert!(took < SOON && slowest < SECOND, "{took:?} {slowest:?}");
    // The queue, and what the kernel took.
    assert!(kept < 24 << 20, "{kept} bytes are kept");
    // Large ones are bounded by their bytes.
    let dropped = near.health().dropped;
    let large = Bytes::from(vec![b'x'; 1_000_000]);
    for _ in 0..1000 {
        near.publish("told", large.clone());
    }
    let kept = 1000 - (near.health().dropped - dropped);
    assert!(kept <= 33, "{kept} MB are kept");
    let start = Instant::now();
    let asked = near.request("asked", "?".into(), SOON).await;
    assert_eq!(asked, Err(BusError::Late));
    assert!(start.elapsed() < SOON + SECOND);
    assert!(becomes(&near, false).await, "silence is noticed");
    to_near.set(Way::Open);
    assert!(becomes(&near, true).await);
    assert!(soon(|| missed(&told) > 0).await);
    // What was kept may fill the queue for a while yet.
    let again = || {
        near.publish("told", "again".into());
        told.heard().last().is_some_and(|last| last == "again")
    };
    assert!(soon(again).await);
    Ok(())
}

/// A connection that hears and is not heard does not notice by itself.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a NATS server: scripts/nats cargo test -p husun-bus -- --ignored nats"]
async fn nats_that_does_not_hear_us_is_noticed() -> Tested {
    let server = Server::start("").await?;
    let to_near = Proxy::to(server.port).await?;
    let (near, far) = (bus_at(&to_near.url()).await?, bus_at(&server.url()).await?);
    let here = Ear::new(usize::MAX);
    let _here = near.subscribe("told", here.clone()).await?;
    to_near.set(Way::Deaf);
    let talks = tokio::spawn({
        let far = far.clone();
        async move {
            loop {
                far.publish("told", "still there".into());
                tokio::time::sleep(AT_ONCE).await;
            }
        }
    });
    assert!(becomes(&near, false).await);
    // Old connections stay as they are; the new one works.
    assert!(soon(|| !here.heard().is_empty()).await);
    to_near.set(Way::Open);
    assert!(becomes(&near, true).await);
    talks.abort();
    assert!(near.request("nobody", "?".into(), SECOND).await == Err(BusError::Nobody));
    Ok(())
}

/// A flood over a connection that works: whatever is lost is counted, and whoever listens is told.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a NATS server: scripts/nats cargo test -p husun-bus -- --ignored nats"]
async fn nats_flooded_says_what_is_missing() -> Tested {
    let server = Server::start("").await?;
    let (near, far) = (bus_at(&server.url()).await?, bus_at(&server.url()).await?);
    let told = Ear::new(usize::MAX);
    let _told = far.subscribe("told", told.clone()).await?;
    let sent = 100_000;
    for n in 0..sent {
        near.publish("told", n.to_string().into());
    }
    let number = |text: &Bytes| std::str::from_utf8(text).ok()?.parse::<u64>().ok();
    let lost = || near.health().dropped as usize;
    assert!(soon(|| told.heard().len() + lost() >= sent || missed(&told) > 0).await);
    assert!(lost() > 0, "more than the queue holds");
    assert!(soon(|| missed(&told) > 0).await, "{} lost", lost());
    let heard: Vec<_> = told.heard().iter().filter_map(number).collect();
    assert!(heard.is_sorted_by(|a, b| a < b), "in order and once");
    let marker = heard.len();
    near.publish("told", "last".into());
    assert!(
        soon(|| told.heard().len() > marker
            && told.heard().last().is_some_and(|last| last == "last"))
        .await
    );
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a NATS server: scripts/nats cargo test -p husun-bus -- --ignored nats"]
async fn nats_messages_that_are_too_long() -> Tested {
    let server = Server::start("max_payload: 10000").await?;
    let (near, far) = (bus_at(&server.url()).await?, bus_at(&server.url()).await?);
    let long = Bytes::from(vec![b'x'; 10_001]);
    let error = BusError::TooLong {
        bytes: 10_001,
        limit: 10_000,
    };
    let (told, here) = (Ear::new(100), Ear::new(100));
    let _told = far.subscribe("told", told.clone()).await?;
    let _here = near.subscribe("told", here.clone()).await?;
    near.publish("told", long.slice(..10_000));
    near.publish("told", long.clone());
    assert_eq!(
        here.heard().len(),
        2,
        "there is no bound within the process"
    );
    assert!(soon(|| missed(&told) == 1).await);
    assert_eq!(told.heard(), [long.slice(..10_000)]);
    assert_eq!(missed(&here), 0);
    let mut requests = far.serve("asked", 4).await?;
    assert_eq!(near.request("asked", long.clone(), SOON).await, Err(error));
    let answers = async {
        for length in [10_001, 10_000] {
            if let Some(request) = requests.next().await {
                request.answer(long.slice(..length));
            }
        }
    };
    let asks = async {
        let first = near.request("asked", "?".into(), SOON).await;
        (first, near.request("asked", "?".into(), SOON).await)
    };
    let ((first, second), ()) = tokio::join!(asks, answers);
    assert_eq!(first, Err(error));
    assert_eq!(second, Ok(long.slice(..10_000)));
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a NATS server: scripts/nats cargo test -p husun-bus -- --ignored nats"]
async fn nats_with_ten_thousand_subjects() -> Tested {
    const SUBJECTS: usize = 10_000;
    let mut server = Server::start("").await?;
    let (near, far) = (bus_at(&server.url()).await?, bus_at(&server.url()).await?);
    let ear = Ear::new(usize::MAX);
    let before = resident()?;
    let start = Instant::now();
    let mut places = Vec::new();
    for chunk in (0..SUBJECTS).collect::<Vec<_>>().chunks(100) {
        let some = chunk.iter().map(|n| {
            let (far, ear) = (far.clone(), ear.clone());
            async move { far.subscribe(&format!("game.{n}.told"), ear).await }
        });
        for place in futures_util::future::join_all(some).await {
            places.push(place?);
        }
    }
    let took = start.elapsed();
    let each = (resident()?.saturating_sub(before)) / SUBJECTS;
    println!("{SUBJECTS} subjects in {took:?}, {each} bytes each");
    assert!(took < SOON, "{took:?}");
    assert!(each < 20_000, "{each} bytes each");
    assert_eq!(far.health().subjects, SUBJECTS);
    tell_all(&near, &ear, SUBJECTS).await;
    server.kill();
    assert!(becomes(&far, false).await && becomes(&near, false).await);
    server.again().await?;
    assert!(becomes(&far, true).await && becomes(&near, true).await);
    assert!(soon(|| missed(&ear) >= SUBJECTS).await);
    tell_all(&near, &ear, 2 * SUBJECTS).await;
    drop(places);
    assert!(soon(|| far.health().subjects == 0).await);
    Ok(())
}

/// So many that they are not kept one by one: then all are told.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a NATS server: scripts/nats cargo test -p husun-bus -- --ignored nats"]
async fn nats_losses_on_very_many_subjects() -> Tested {
    let server = Server::start("").await?;
    let to_near = Proxy::to(server.port).await?;
    let (near, far) = (bus_at(&to_near.url()).await?, bus_at(&server.url()).await?);
    let (last, other) = (Ear::new(100), Ear::new(100));
    let _last = far.subscribe("lost.99999", last.clone()).await?;
    let _other = far.subscribe("other", other.clone()).await?;
    to_near.set(Way::Cut);
    assert!(becomes(&near, false).await);
    for n in 0..100_000 {
        near.publish(&format!("lost.{n}"), "lost".into());
    }
    to_near.set(Way::Open);
    assert!(soon(|| missed(&last) == 1 && missed(&other) == 1).await);
    Ok(())
}

/// One who takes long to hear loses messages that were sent and came.
struct Sleeper(Ear);

impl Listener for Sleeper {
    fn hear(&self, message: &Bytes) -> bool {
        if self.0.heard().is_empty() {
            std::thread::sleep(SECOND);
        }
        self.0.hear(message)
    }

    fn missed(&self) {
        self.0.missed();
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a NATS server: scripts/nats cargo test -p husun-bus -- --ignored nats"]
async fn nats_listener_that_is_too_slow() -> Tested {
    const SENT: usize = 20_000;
    let server = Server::start("").await?;
    let (near, far) = (bus_at(&server.url()).await?, bus_at(&server.url()).await?);
    let sleeper = Arc::new(Sleeper(Ear {
        heard: Mutex::default(),
        missed: AtomicUsize::new(0),
        most: usize::MAX,
    }));
    let check = Ear::new(usize::MAX);
    let _slow = far.subscribe("told", sleeper.clone()).await?;
    let _check = far.subscribe("paced", check.clone()).await?;
    for n in 1..=SENT {
        near.publish("told", "message".into());
        // What a queue holds is sent before more is told.
        if n % 2000 == 0 {
            near.publish("paced", "sent".into());
            assert!(check.has(n / 2000).await);
        }
    }
    assert_eq!(near.health().dropped, 0, "all of it was sent");
    assert!(soon(|| missed(&sleeper.0) > 0).await);
    assert!(sleeper.0.heard().len() < SENT);
    Ok(())
}

/// In portions that the queue holds.
async fn tell_all(near: &NatsBus, ear: &Ear, heard: usize) {
    let before = ear.heard().len();
    for n in before..heard {
        near.publish(&format!("game.{}.told", n - before), "message".into());
        if (n + 1) % 1000 == 0 {
            assert!(soon(|| ear.heard().len() > n).await, "{n} heard");
        }
    }
}

/// Memory of this process in bytes.
fn resident() -> Result<usize, Box<dyn std::error::Error>> {
    let pages = std::fs::read_to_string("/proc/self/statm")?;
    let pages: usize = pages.split(' ').nth(1).ok_or("no figure")?.parse()?;
    Ok(pages * 4096)
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a NATS server: scripts/nats cargo test -p husun-bus -- --ignored nats"]
async fn nats_prefixes_keep_clusters_apart() -> Tested {
    let (a, b) = (nats().await?, nats().await?);
    let (a, b) = (NatsBus::connect(a).await?, NatsBus::connect(b).await?);
    let ear = Ear::new(100);
    let _ear = a.subscribe("told", ear.clone()).await?;
    let _requests = a.serve("asked", 1).await?;
    b.publish("told", "elsewhere".into());
    assert_eq!(
        b.request("asked", "?".into(), SECOND).await,
        Err(BusError::Nobody)
    );
    assert_eq!(ear.heard().len(), 0);
    Ok(())
}
