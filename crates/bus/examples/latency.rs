//! How long a question and its answer take, and how long from telling to hearing: within the process, and between two
//! connections to a NATS server, in turns in one run.
//!
//! scripts/nats cargo run --release -p husun-bus --example latency [-- SAMPLES]

use bus::{Bus, Listener, LocalBus, NatsBus, NatsOptions};
use bytes::Bytes;
use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// As long as a move that is told to a browser.
const BYTES: usize = 400;
const PATIENCE: Duration = Duration::from_secs(5);

struct Ear(mpsc::UnboundedSender<Instant>);

impl Listener for Ear {
    fn hear(&self, _: &Bytes) -> bool {
        self.0.send(Instant::now()).is_ok()
    }
}

#[derive(Default)]
struct Times {
    asked: Vec<Duration>,
    told: Vec<Duration>,
}

/// Takes some samples with those who ask and tell on one bus, and those who serve and listen on the other.
async fn sample(
    near: &dyn Bus,
    far: &dyn Bus,
    samples: usize,
    times: &mut Times,
) -> Result<(), Box<dyn Error>> {
    let message = Bytes::from(vec![b'x'; BYTES]);
    let mut requests = far.serve("latency", 64).await?;
    let serves = tokio::spawn(async move {
        while let Some(request) = requests.next().await {
            let answer = request.message.clone();
            request.answer(answer);
        }
    });
    for _ in 0..samples {
        let start = Instant::now();
        near.request("latency", message.clone(), PATIENCE).await?;
        times.asked.push(start.elapsed());
    }
    serves.abort();
    let _ = serves.await;
    let (ear, mut heard) = mpsc::unbounded_channel();
    let _place = far.subscribe("latency", Arc::new(Ear(ear))).await?;
    for _ in 0..samples {
        let start = Instant::now();
        near.publish("latency", message.clone());
        let heard = tokio::time::timeout(PATIENCE, heard.recv()).await?;
        times.told.push(heard.ok_or("the bus has gone")? - start);
    }
    Ok(())
}

/// How many a second go through when nobody waits for the single one.
async fn rate(near: &dyn Bus, far: &dyn Bus, samples: usize) -> Result<f64, Box<dyn Error>> {
    let message = Bytes::from(vec![b'x'; BYTES]);
    let (ear, mut heard) = mpsc::unbounded_channel();
    let _place = far.subscribe("rate", Arc::new(Ear(ear))).await?;
    let start = Instant::now();
    let mut came = 0;
    for n in 0..samples {
        near.publish("rate", message.clone());
        // At most a thousand are under way.
        while came + 1000 < n {
            tokio::time::timeout(PATIENCE, heard.recv()).await?;
            came += 1;
        }
    }
    while came < samples {
        tokio::time::timeout(PATIENCE, heard.recv()).await?;
        came += 1;
    }
    Ok(samples as f64 / start.elapsed().as_secs_f64())
}

/// The value that so many in a thousand do not exceed, in microseconds.
fn at(times: &mut [Duration], of_thousand: usize) -> f64 {
    times.sort();
    let at = (times.len() * of_thousand / 1000).min(times.len().saturating_sub(1));
    times.get(at).map_or(0.0, |time| time.as_secs_f64() * 1e6)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let url = std::env::var("HUSUN_TEST_NATS")
        .map_err(|_| "HUSUN_TEST_NATS is not set: run it with scripts/nats")?;
    let samples: usize = match std::env::args().nth(1) {
        Some(text) => text.parse()?,
        None => 20_000,
    };
    let local = LocalBus::new();
    let near = NatsBus::connect(NatsOptions::new(url.clone())).await?;
    let far = NatsBus::connect(NatsOptions::new(url)).await?;
    let (mut here, mut there) = (Times::default(), Times::default());
    for _ in 0..10 {
        sample(&local, &local, samples / 10, &mut here).await?;
        sample(&near, &far, samples / 10, &mut there).await?;
    }
    let rates = (
        rate(&local, &local, samples * 10).await?,
        rate(&near, &far, samples * 10).await?,
    );
    println!("{samples} samples of {BYTES} bytes, microseconds: in the process, by NATS, ratio");
    for (name, here, there) in [
        ("question and answer", &mut here.asked, &mut there.asked),
        ("told until heard", &mut here.told, &mut there.told),
    ] {
        for (part, of_thousand) in [("p50", 500), ("p99", 990)] {
            let (here, there) = (at(here, of_thousand), at(there, of_thousand));
            println!("{name}, {part}: {here:.2} {there:.1} {:.0}", there / here);
        }
    }
    let (here, there) = rates;
    println!("told a second: {here:.0} {there:.0} {:.3}", there / here);
    println!("lost: {}", near.health().dropped);
    Ok(())
}
