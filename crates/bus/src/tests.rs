//! One contract for all buses.

use super::*;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

type Tested = Result<(), Box<dyn std::error::Error>>;

const SOON: Duration = Duration::from_secs(5);
const AT_ONCE: Duration = Duration::from_millis(50);

/// Keeps what it hears, up to a number.
struct Ear {
    heard: Mutex<Vec<Bytes>>,
    most: usize,
}

impl Ear {
    fn new(most: usize) -> Arc<Ear> {
        Arc::new(Ear {
            heard: Mutex::default(),
            most,
        })
    }

    fn heard(&self) -> Vec<Bytes> {
        self.heard.lock().map(|h| h.clone()).unwrap_or_default()
    }

    /// Waits until it has heard this many; a bus between processes takes its time.
    async fn has(&self, n: usize) -> bool {
        let start = Instant::now();
        while self.heard().len() < n && start.elapsed() < SOON {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        self.heard().len() == n
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
}

async fn contract(bus: Arc<dyn Bus>) -> Tested {
    telling(&*bus).await?;
    asking(bus.clone()).await?;
    endings(bus).await
}

async fn telling(bus: &dyn Bus) -> Tested {
    let (all, two, other) = (Ear::new(1000), Ear::new(2), Ear::new(1000));
    let place = bus.subscribe("told.a", all.clone()).await?;
    let _two = bus.subscribe("told.a", two.clone()).await?;
    let _other = bus.subscribe("told.ab", other.clone()).await?;
    let messages: Vec<Bytes> = (0..100).map(|n| format!("message {n}").into()).collect();
    for message in &messages {
        bus.publish("told.a", message.clone());
    }
    bus.publish("told.nobody", "lost".into());
    assert!(all.has(100).await, "{} heard", all.heard().len());
    assert_eq!(all.heard(), messages, "in order");
    assert_eq!(
        two.heard(),
        messages[..2],
        "one who has enough is left alone"
    );
    assert_eq!(other.heard().len(), 0, "another subject");
    drop(place);
    bus.publish("told.a", "late".into());
    tokio::time::sleep(AT_ONCE).await;
    assert_eq!(all.heard().len(), 100, "listening has ended");
    Ok(())
}

async fn asking(bus: Arc<dyn Bus>) -> Tested {
    let nobody = bus.request("asked", "?".into(), AT_ONCE).await;
    assert_eq!(nobody, Err(BusError::Nobody));
    let mut requests = bus.serve("asked", 16).await?;
    assert_eq!(bus.serve("asked", 16).await.err(), Some(BusError::Taken));
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
        let (bus, done) = (bus.clone(), done.clone());
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
    let end = bus.request("asked", "end".into(), SOON).await;
    assert_eq!(end, Ok("re: end".into()));
    serves.await?;
    let nobody = bus.request("asked", "?".into(), AT_ONCE).await;
    assert_eq!(nobody, Err(BusError::Nobody), "serving has ended");
    Ok(())
}

async fn endings(bus: Arc<dyn Bus>) -> Tested {
    // A question that is not answered in time, and one whose server goes away.
    let mut requests = bus.serve("slow", 1).await?;
    let late = bus.request("slow", "?".into(), AT_ONCE).await;
    assert_eq!(late, Err(BusError::Late));
    let asked = {
        let bus = bus.clone();
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
        let bus = bus.clone();
        tokio::spawn(async move { bus.request("slow", "!".into(), SOON).await })
    };
    tokio::time::sleep(AT_ONCE).await;
    drop(requests);
    assert_eq!(asked.await?, Err(BusError::Gone));
    let _next = bus.serve("slow", 1).await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_bus_in_the_process_keeps_the_contract() -> Tested {
    contract(Arc::new(LocalBus::new())).await
}
