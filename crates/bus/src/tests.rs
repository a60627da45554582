//! One contract for all buses: those who tell and ask, and those who listen and serve, may be on the same one or in
//! different processes.

mod access;
mod faults;
mod port;
mod proxy;
mod server;
mod serving;

use super::*;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

type Tested = Result<(), Box<dyn std::error::Error>>;

const SOON: Duration = Duration::from_secs(5);
const AT_ONCE: Duration = Duration::from_millis(50);

/// Keeps what it hears, up to a number.
struct Ear {
    heard: Mutex<Vec<Bytes>>,
    missed: AtomicUsize,
    most: usize,
}

impl Ear {
    fn new(most: usize) -> Arc<Ear> {
        Arc::new(Ear {
            heard: Mutex::default(),
            missed: AtomicUsize::new(0),
            most,
        })
    }

    fn heard(&self) -> Vec<Bytes> {
        self.heard.lock().map(|h| h.clone()).unwrap_or_default()
    }

    /// Waits until it has heard this many; a bus between processes takes its time.
    async fn has(&self, n: usize) -> bool {
        soon(|| self.heard().len() >= n).await && self.heard().len() == n
    }
}

impl Listener for Ear {
    fn hear(&self, message: &Bytes) -> bool {
        let Ok(mut heard) = self.heard.lock() else {
            return false;
        };
        heard.push(message.clone());
        heard.len() < self.most
    }

    fn missed(&self) {
        self.missed.fetch_add(1, Relaxed);
    }
}

/// Waits for something that takes its time.
async fn soon(mut holds: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    while !holds() {
        if start.elapsed() > SOON {
            return false;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    true
}

/// Those who tell and ask are on the first bus, those who listen and serve on the second.
async fn contract(near: Arc<dyn Bus>, far: Arc<dyn Bus>) -> Tested {
    telling(&*near, &*far).await?;
    any_subject(&*near, &*far).await?;
    asking(&near, &*far).await?;
    crowds(&near, &*far).await?;
    endings(&near, &*far).await?;
    many_subjects(&near, &far).await?;
    locks(&near).await
}

async fn telling(near: &dyn Bus, far: &dyn Bus) -> Tested {
    let (all, two, other) = (Ear::new(1000), Ear::new(2), Ear::new(1000));
    let here = Ear::new(1000);
    let place = far.subscribe("told.a", all.clone()).await?;
    let _two = far.subscribe("told.a", two.clone()).await?;
    let _other = far.subscribe("told.ab", other.clone()).await?;
    let _here = near.subscribe("told.a", here.clone()).await?;
    let messages: Vec<Bytes> = (0..100).map(|n| format!("message {n}").into()).collect();
    for message in &messages {
        near.publish("told.a", message.clone());
    }
    near.publish("told.nobody", "lost".into());
    assert_eq!(here.heard(), messages, "in the process at once");
    assert!(all.has(100).await, "{} heard", all.heard().len());
    assert_eq!(all.heard(), messages, "in order");
    assert_eq!(
        two.heard(),
        messages[..2],
        "one who has enough is left alone"
    );
    assert_eq!(other.heard().len(), 0, "another subject");
    drop(place);
    near.publish("told.a", "late".into());
    assert!(here.has(101).await, "others listen on");
    tokio::time::sleep(AT_ONCE).await;
    assert_eq!(all.heard().len(), 100, "listening has ended");
    assert_eq!(here.heard().len(), 101, "nothing comes twice");
    let again = Ear::new(1000);
    let _again = far.subscribe("told.a", again.clone()).await?;
    near.publish("told.a", "again".into());
    assert!(again.has(1).await);
    assert_eq!(again.heard(), ["again"]);
    assert_eq!(here.missed.load(Relaxed), 0, "nothing was lost");
    Ok(())
}

async fn any_subject(near: &dyn Bus, far: &dyn Bus) -> Tested {
    let long = "x".repeat(SUBJECT);
    let subjects = [
        "",
        ".",
        "a.",
        "*",
        ">",
        "odd.*",
        "odd.>",
        "a b",
        "a\r\nPUB x 0\r\n",
        "é",
        "$SYS.REQ",
        &long,
    ];
    let mut ears = Vec::new();
    for subject in subjects {
        let ear = Ear::new(1000);
        ears.push((subject, ear.clone(), far.subscribe(subject, ear).await?));
    }
    for subject in subjects {
        near.publish(subject, subject.to_owned().into());
    }
    for (subject, ear, _) in &ears {
        assert!(ear.has(1).await, "{subject:?}");
        assert_eq!(ear.heard(), [Bytes::from(subject.to_string())]);
    }
    let mut requests = far.serve("*", 4).await?;
    assert_eq!(
        near.request("x", "?".into(), SOON).await,
        Err(BusError::Nobody)
    );
    let (answer, served) = tokio::join!(near.request("*", "?".into(), SOON), async {
        requests
            .next()
            .await
            .map(|request| request.answer("!".into()))
    });
    assert_eq!((answer, served), (Ok("!".into()), Some(())));
    let longer = "x".repeat(SUBJECT + 1);
    let refused = BusError::Subject(SUBJECT + 1);
    near.publish(&longer, "lost".into());
    assert_eq!(near.request(&longer, "".into(), SOON).await, Err(refused));
    assert_eq!(far.serve(&longer, 1).await.err(), Some(refused));
    assert_eq!(
        far.subscribe(&longer, Ear::new(1)).await.err(),
        Some(refused)
    );
    Ok(())
}

async fn asking(near: &Arc<dyn Bus>, far: &dyn Bus) -> Tested {
    let nobody = near.request("asked", "?".into(), AT_ONCE).await;
    assert_eq!(nobody, Err(BusError::Nobody));
    let mut requests = far.serve("asked", 16).await?;
    assert_eq!(far.serve("asked", 16).await.err(), Some(BusError::Taken));
    assert_eq!(near.serve("asked", 16).await.err(), Some(BusError::Taken));
    let serves = tokio::spawn(async move {
        while let Some(request) = requests.next().await {
            let answer = [b"re: ", &request.message[..]].concat();
            if request.message == "end" {
                request.answer(answer.into());
                break;
            }
            request.answer(answer.into());
        }
    });
    let done = Arc::new(AtomicUsize::new(0));
    let askers = (0..8).map(|n| {
        let (bus, done) = (near.clone(), done.clone());
        tokio::spawn(async move {
            for m in 0..50 {
                let question = format!("{n} {m}");
                let answer = bus.request("asked", question.clone().into(), SOON).await;
                assert_eq!(answer, Ok(Bytes::from(format!("re: {question}"))));
                done.fetch_add(1, Relaxed);
            }
        })
    });
    for asker in askers.collect::<Vec<_>>() {
        asker.await?;
    }
    assert_eq!(done.load(Relaxed), 400);
    let end = near.request("asked", "end".into(), SOON).await;
    assert_eq!(end, Ok("re: end".into()));
    serves.await?;
    let nobody = near.request("asked", "?".into(), SOON).await;
    assert_eq!(nobody, Err(BusError::Nobody), "serving has ended");
    // Whoever asks may serve it next.
    let mut requests = near.serve("asked", 16).await?;
    let (answer, _) = tokio::join!(far.request("asked", "?".into(), SOON), async {
        requests
            .next()
            .await
            .map(|request| request.answer("!".into()))
    });
    assert_eq!(answer, Ok("!".into()));
    Ok(())
}

/// More questions than the queue holds: some wait for a place, and too many are told so, but none is carried out twice
/// and none is forgotten.
async fn crowds(near: &Arc<dyn Bus>, far: &dyn Bus) -> Tested {
    const ASKED: usize = 40;
    let mut requests = far.serve("crowd", 4).await?;
    let askers: Vec<_> = (0..ASKED)
        .map(|n| {
            let near = near.clone();
            let question = n.to_string().into();
            tokio::spawn(async move { near.request("crowd", question, SOON).await })
        })
        .collect();
    tokio::time::sleep(AT_ONCE).await;
    let serves = async {
        let mut served = Vec::new();
        while let Ok(Some(request)) = tokio::time::timeout(AT_ONCE * 4, requests.next()).await {
            served.push(request.message.clone());
            let message = request.message.clone();
            request.answer(message);
        }
        served
    };
    let mut served = serves.await;
    let (mut answered, mut late) = (0, 0);
    for (n, asker) in askers.into_iter().enumerate() {
        match asker.await? {
            Ok(answer) => {
                assert_eq!(answer, n.to_string());
                answered += 1;
            }
            Err(error) => {
                assert_eq!(error, BusError::Late);
                late += 1;
            }
        }
    }
    assert!(answered >= 4, "{answered}");
    assert_eq!(answered + late, ASKED);
    assert_eq!(
        served.len(),
        answered,
        "whoever is told that it is late was not asked"
    );
    served.sort();
    served.dedup();
    assert_eq!(served.len(), answered, "nobody was asked twice");
    Ok(())
}

async fn endings(near: &Arc<dyn Bus>, far: &dyn Bus) -> Tested {
    // A question that is not answered in time, and one whose server goes away.
    let mut requests = far.serve("slow", 1).await?;
    let late = near.request("slow", "?".into(), AT_ONCE).await;
    assert_eq!(late, Err(BusError::Late));
    let asked = {
        let bus = near.clone();
        tokio::spawn(async move { bus.request("slow", "!".into(), SOON).await })
    };
    let first = requests.next().await.ok_or("no question")?;
    assert_eq!(first.message, "?");
    first.answer("too late".into());
    let second = requests.next().await.ok_or("no question")?;
    assert_eq!(second.message, "!");
    drop(second);
    assert_eq!(asked.await?, Err(BusError::Gone));
    // Waiting questions go with the server, and another may take its place.
    let asked = {
        let bus = near.clone();
        tokio::spawn(async move { bus.request("slow", "!".into(), SOON).await })
    };
    tokio::time::sleep(AT_ONCE).await;
    drop(requests);
    assert_eq!(asked.await?, Err(BusError::Gone));
    let next = far.serve("slow", 1).await?;
    drop(next);
    let _next = near.serve("slow", 1).await?;
    Ok(())
}

/// A thousand subjects come and go, and each hears its own.
async fn many_subjects(near: &Arc<dyn Bus>, far: &Arc<dyn Bus>) -> Tested {
    for round in 0..2 {
        let places = (0..1000).map(|n| {
            let far = far.clone();
            tokio::spawn(async move {
                let ear = Ear::new(1000);
                let place = far.subscribe(&format!("many.{n}"), ear.clone()).await;
                (ear, place)
            })
        });
        let mut ears = Vec::new();
        for place in places.collect::<Vec<_>>() {
            let (ear, place) = place.await?;
            ears.push((ear, place?));
        }
        for n in 0..ears.len() {
            near.publish(&format!("many.{n}"), format!("{round} {n}").into());
        }
        for (n, (ear, _)) in ears.iter().enumerate() {
            assert!(ear.has(1).await, "subject {n} in round {round}");
            assert_eq!(ear.heard(), [format!("{round} {n}")]);
        }
    }
    Ok(())
}

/// Takes a lock whenever it hears something.
struct Locks {
    lock: Arc<Mutex<()>>,
    hears: std::sync::mpsc::Sender<()>,
}

impl Listener for Locks {
    fn hear(&self, _: &Bytes) -> bool {
        let _ = self.hears.send(());
        self.lock.lock().is_ok()
    }
}

/// A listener waits for a lock whose holder speaks, and ends listening: the holder does not wait for the listener.
async fn locks(near: &Arc<dyn Bus>) -> Tested {
    let lock = Arc::new(Mutex::new(()));
    let (hears, heard) = std::sync::mpsc::channel();
    let listener = Arc::new(Locks {
        lock: lock.clone(),
        hears,
    });
    let place = near.subscribe("locks", listener.clone()).await?;
    let again = near.subscribe("locks", listener).await?;
    let (done, is_done) = oneshot::channel();
    let bus = near.clone();
    // A thread that stays locked stays behind.
    std::thread::spawn(move || {
        let speaker = bus.clone();
        let held = lock.lock();
        let speaks = std::thread::spawn(move || speaker.publish("locks", "one".into()));
        let _ = heard.recv();
        for n in 0..500 {
            // Whatever subjects have in common.
            bus.publish(&format!("locks.{n}"), "other".into());
        }
        drop(again);
        drop(held);
        let spoke = speaks.join().is_ok();
        drop(place);
        let _ = done.send(spoke);
    });
    let is_done = tokio::time::timeout(SOON, is_done).await;
    assert!(matches!(is_done, Ok(Ok(true))), "nobody waits for ever");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_bus_in_the_process_keeps_the_contract() -> Tested {
    let bus = Arc::new(LocalBus::new());
    contract(bus.clone(), bus).await
}

/// A bus on the server that the tests were given, with subjects that no other test has.
async fn nats() -> Result<NatsOptions, Box<dyn std::error::Error>> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let url = std::env::var("HUSUN_TEST_NATS")
        .map_err(|_| "HUSUN_TEST_NATS is not set: scripts/nats sets it")?;
    let mut options = NatsOptions::new(url);
    options.prefix = format!("test-{}-{}", std::process::id(), NEXT.fetch_add(1, Relaxed));
    Ok(options)
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a NATS server: scripts/nats cargo test -p husun-bus -- --ignored nats"]
async fn nats_keeps_the_contract_within_a_process() -> Tested {
    let bus = Arc::new(NatsBus::connect(nats().await?).await?);
    contract(bus.clone(), bus).await
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a NATS server: scripts/nats cargo test -p husun-bus -- --ignored nats"]
async fn nats_keeps_the_contract_between_processes() -> Tested {
    let options = nats().await?;
    let near = Arc::new(NatsBus::connect(options.clone()).await?);
    let far = Arc::new(NatsBus::connect(options).await?);
    contract(near, far).await
}
