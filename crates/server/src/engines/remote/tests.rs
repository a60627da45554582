//! Servers and workers on one bus in the process: honest workers as they are, and others that say what they are told to.

mod variants;

use super::messages::{Beat, CALL, Lines, Told};
use super::*;
use crate::engines::tests::{SHORT, Tested, WAIT, job};
use crate::engines::worker::{Tally, WorkerError, WorkerOptions, work};
use crate::engines::{Report, Thought, ThoughtLine};
use bus::LocalBus;
use husun::clock::{Remaining, TimeControl};
use std::sync::atomic::Ordering::Relaxed;
use tokio::sync::oneshot;
use tokio::time::timeout;

const LONG: Duration = Duration::from_secs(60);

/// A server without threads of its own, until it starts some.
struct Server {
    engines: RemoteEngines,
    games: Arc<Games>,
}

impl Server {
    async fn new(bus: &Arc<dyn Bus>) -> Result<Server, Box<dyn std::error::Error>> {
        Server::with(bus, Arc::default()).await
    }

    async fn with(
        bus: &Arc<dyn Bus>,
        games: Arc<Games>,
    ) -> Result<Server, Box<dyn std::error::Error>> {
        let local = LocalEngines::without_threads();
        let engines = RemoteEngines::new(local, games.clone())?;
        engines.attach(bus.clone()).await?;
        Ok(Server { engines, games })
    }

    fn start_threads(&self) -> Tested {
        Ok(self.engines.local.start(2, 1, &self.games, None)?)
    }

    fn subject(&self) -> String {
        messages::asked(&self.engines.inner.node)
    }

    fn lent(&self) -> usize {
        self.engines.inner.lent().jobs()
    }
}

/// An honest worker in this process.
struct Honest {
    tally: Arc<Tally>,
    stop: Option<oneshot::Sender<()>>,
    ends: tokio::task::JoinHandle<Result<(), WorkerError>>,
}

impl Honest {
    fn new(bus: &Arc<dyn Bus>, threads: usize, games: Option<Vec<String>>) -> Honest {
        Honest::with(bus, threads, games, Arc::default())
    }

    /// One that knows these games.
    fn with(
        bus: &Arc<dyn Bus>,
        threads: usize,
        games: Option<Vec<String>>,
        known: Arc<Games>,
    ) -> Honest {
        let options = WorkerOptions {
            name: "honest".into(),
            threads,
            hash: 1,
            tables: None,
            games,
        };
        let tally: Arc<Tally> = Arc::default();
        let (stop, stopped) = oneshot::channel();
        let ends = work(bus.clone(), known, options, tally.clone(), async move {
            let _ = stopped.await;
        });
        Honest {
            tally,
            stop: Some(stop),
            ends: tokio::spawn(ends),
        }
    }

    async fn end(mut self) -> Tested {
        self.stop.take().map(|stop| stop.send(()));
        Ok(timeout(WAIT, self.ends).await???)
    }
}

/// A worker that does as it is told.
struct Odd {
    bus: Arc<dyn Bus>,
    id: String,
    subject: String,
}

impl Odd {
    fn new(bus: &Arc<dyn Bus>, server: &Server, id: &str) -> Odd {
        Odd {
            bus: bus.clone(),
            id: id.into(),
            subject: server.subject(),
        }
    }

    async fn ask(&self, ask: &Ask) -> Result<Reply, Box<dyn std::error::Error>> {
        let asked = self.bus.request(&self.subject, messages::write(ask), WAIT);
        Ok(messages::read(&asked.await?).ok_or("no reply")?)
    }

    async fn take(&self, analyses: bool) -> Result<Reply, Box<dyn std::error::Error>> {
        self.ask(&Ask::Take {
            worker: self.id.clone(),
            name: self.id.clone(),
            threads: 4,
            analyses,
            games: None,
        })
        .await
    }

    async fn job(&self, analyses: bool) -> Result<Assignment, Box<dyn std::error::Error>> {
        match self.take(analyses).await? {
            Reply::Job(assignment) => Ok(*assignment),
            other => Err(format!("no job: {other:?}").into()),
        }
    }

    async fn give(&self, number: u64, outcome: Ended) -> Result<Reply, Box<dyn std::error::Error>> {
        self.ask(&Ask::Give {
            worker: self.id.clone(),
            number,
            outcome,
        })
        .await
    }

    fn beat(&self, numbers: &[u64]) {
        let node = self.subject.trim_start_matches("engines.");
        let id = |number: &u64| JobId {
            node: node.into(),
            number: *number,
        };
        let beat = Beat {
            worker: self.id.clone(),
            name: self.id.clone(),
            threads: 4,
            jobs: numbers.iter().map(id).collect(),
            goes: false,
        };
        self.bus.publish(messages::BEATS, messages::write(&beat));
    }
}

fn bus() -> Arc<dyn Bus> {
    Arc::new(LocalBus::new())
}

fn good(best: &str) -> Ended {
    Ended::Done {
        thought: Thought {
            best: Some(best.into()),
            accept: false,
            score: 20,
            sensible: 20,
        },
        lines: None,
    }
}

async fn until(mut holds: impl FnMut() -> bool) -> Tested {
    let start = Instant::now();
    while !holds() {
        if start.elapsed() > WAIT {
            return Err("it does not come about".into());
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_does_what_is_asked() -> Tested {
    let bus = bus();
    let server = Server::new(&bus).await?;
    let worker = Honest::new(&bus, 2, None);
    let mut play = server.engines.ask(job("game", Purpose::Play, SHORT)?)?;
    let thought = timeout(WAIT, play.end()).await?.ok_or("no answer")?;
    assert!(thought.best.is_some());
    // Lines come as they are found, and the last of them before the end.
    let mut analysis = server.engines.ask(Job {
        nodes: Some(200_000),
        lines: 2,
        ..job("ann", Purpose::Analysis, LONG)?
    })?;
    let mut depths = Vec::new();
    while let Report::Lines { depth, lines, .. } =
        timeout(WAIT, analysis.next()).await?.ok_or("no answer")?
    {
        assert!(lines.len() == 2 && lines.iter().all(|l| l.uci.len() == l.san.len()));
        depths.push(depth);
    }
    assert!(!depths.is_empty() && depths.is_sorted(), "{depths:?}");
    let mut review = server.engines.ask(Job {
        nodes: Some(1000),
        ..job("bob", Purpose::Review, LONG)?
    })?;
    let first = timeout(WAIT, review.next()).await?;
    assert!(matches!(first, Some(Report::Lines { .. })), "{first:?}");
    assert!(timeout(WAIT, review.end()).await?.is_some());
    until(|| worker.tally.jobs() == 3).await?;
    assert!(worker.tally.nodes.load(Relaxed) > 100_000);
    worker.end().await?;
    server.engines.close();
    Ok(())
}

/// A worker with one thread serves two servers, and at each those who ask, in turn; games come first.
#[tokio::test(flavor = "multi_thread")]
async fn jobs_are_lent_in_turn_and_games_first() -> Tested {
    let bus = bus();
    let server = Server::new(&bus).await?;
    let mut asked = Vec::new();
    for (asker, purpose) in [
        ("ann", Purpose::Analysis),
        ("ann", Purpose::Review),
        ("bob", Purpose::Play),
        ("bob", Purpose::Play),
        ("cleo", Purpose::Play),
    ] {
        asked.push(server.engines.ask(job(asker, purpose, SHORT)?)?);
    }
    let odd = Odd::new(&bus, &server, "odd");
    let mut order = Vec::new();
    for analyses in [false, false, false] {
        let job = odd.job(analyses).await?.job;
        assert_eq!(job.purpose, Purpose::Play);
        order.push(job.asker);
    }
    assert_eq!(order, ["bob", "cleo", "bob"]);
    assert_eq!(odd.take(false).await?, Reply::Nothing, "a thread for games");
    assert_eq!(odd.job(true).await?.job.purpose, Purpose::Review);
    assert_eq!(odd.job(true).await?.job.purpose, Purpose::Analysis);
    server.engines.close();

    let servers = [Server::new(&bus).await?, Server::new(&bus).await?];
    let worker = Honest::new(&bus, 1, None);
    // One that it does not know of yet has no turn.
    until(|| worker.tally.servers.load(Relaxed) == 2).await?;
    let mut asked = Vec::new();
    for n in 0..6 {
        for server in &servers {
            let job = job(&format!("game {n}"), Purpose::Play, SHORT)?;
            asked.push(server.engines.ask(job)?);
        }
    }
    until(|| worker.tally.jobs() >= 6).await?;
    let waiting = servers
        .each_ref()
        .map(|s| s.engines.local.shared.waiting().play);
    // Between the two looks one more may be taken.
    assert!(waiting[0].abs_diff(waiting[1]) <= 2, "{waiting:?}");
    for mut asked in asked {
        assert!(timeout(WAIT, asked.end()).await?.is_some());
    }
    worker.end().await?;
    Ok(())
}

/// Whoever has a free thread elsewhere is waited for, but not for long.
#[tokio::test(flavor = "multi_thread")]
async fn own_threads_do_what_no_worker_takes() -> Tested {
    let bus = bus();
    let server = Server::new(&bus).await?;
    server.start_threads()?;
    let odd = Odd::new(&bus, &server, "idle");
    odd.beat(&[]);
    until(|| server.engines.inner.lent().has_free_threads()).await?;
    let mut play = server.engines.ask(job("game", Purpose::Play, SHORT)?)?;
    assert!(timeout(WAIT, play.end()).await?.is_some());
    // Short of time nobody is waited for, and nothing is lent.
    let control: TimeControl = "fischer:1m+0s".parse()?;
    let time = Duration::from_secs(2);
    let clock = crate::engines::JobClock {
        control,
        remaining: Remaining::Fischer { time },
    };
    let server = Server::new(&bus).await?;
    let _asked = server.engines.ask(Job {
        clock: Some(clock),
        ..job("game", Purpose::Play, SHORT)?
    })?;
    let odd = Odd::new(&bus, &server, "idle");
    assert_eq!(odd.take(true).await?, Reply::Nothing);
    Ok(())
}

/// Every answer that cannot be one costs the worker its jobs, which others do.
#[tokio::test(flavor = "multi_thread")]
async fn who_lies_gets_no_more_jobs() -> Tested {
    let bus = bus();
    let server = Server::new(&bus).await?;
    let honest = Thought {
        best: Some("e2e4".into()),
        accept: false,
        score: 20,
        sensible: 20,
    };
    let line = ThoughtLine {
        cp: Some(20),
        mate: None,
        expect: 0.5,
        uci: vec!["e2e4".into()],
        san: vec!["<script>".into()],
    };
    let lines = |line: ThoughtLine| {
        Some(Lines {
            depth: 3,
            nodes: 100,
            lines: vec![line],
        })
    };
    let thoughts = [
        Thought {
            best: Some("e2e5".into()),
            ..honest.clone()
        },
        Thought {
            best: Some("nonsense".repeat(1000)),
            ..honest.clone()
        },
        Thought {
            best: None,
            ..honest.clone()
        },
        Thought {
            accept: true,
            ..honest.clone()
        },
        Thought {
            score: 1_000_000,
            ..honest.clone()
        },
        Thought {
            score: i32::MIN,
            ..honest.clone()
        },
        Thought {
            sensible: 21,
            ..honest.clone()
        },
    ];
    let wrong_lines = [
        ThoughtLine {
            uci: vec!["e2e4".into(), "e2e4".into()],
            ..line.clone()
        },
        ThoughtLine {
            expect: 1.5,
            ..line.clone()
        },
        ThoughtLine {
            expect: -0.1,
            ..line.clone()
        },
        ThoughtLine {
            cp: Some(i32::MIN),
            ..line.clone()
        },
        ThoughtLine {
            mate: Some(i32::MAX),
            ..line.clone()
        },
        ThoughtLine {
            uci: vec!["e2e4".into(); 100],
            ..line.clone()
        },
    ];
    let with_line = |line| (honest.clone(), lines(line));
    let thoughts = thoughts.into_iter().map(|thought| (thought, None));
    let all = thoughts.chain(wrong_lines.into_iter().map(with_line));
    for (n, (thought, lines)) in all.enumerate() {
        let told = format!("{thought:?} {lines:?}");
        let mut asked = server.engines.ask(job("game", Purpose::Review, LONG)?)?;
        let odd = Odd::new(&bus, &server, &format!("liar {n}"));
        let first = odd.job(true).await?;
        let outcome = Ended::Done { thought, lines };
        let reply = odd.give(first.number, outcome).await?;
        assert!(
            matches!(reply, Reply::Distrusted { .. }),
            "{told}: {reply:?}"
        );
        let reply = odd.take(true).await?;
        assert!(
            matches!(reply, Reply::Distrusted { .. }),
            "{told}: {reply:?}"
        );
        // Another does it, with texts of our own making.
        let other = Odd::new(&bus, &server, "other");
        let again = other.job(true).await?;
        assert_eq!(again.job, first.job);
        let outcome = Ended::Done {
            thought: honest.clone(),
            lines: lines_of(&line),
        };
        assert_eq!(other.give(again.number, outcome).await?, Reply::Noted);
        let Some(Report::Lines { lines, .. }) = timeout(WAIT, asked.next()).await? else {
            return Err("no lines".into());
        };
        assert_eq!(lines[0].san, ["e4"]);
        assert_eq!(timeout(WAIT, asked.end()).await?, Some(honest.clone()));
    }
    // And what it was at besides is done by others, too.
    let _asked = [
        server.engines.ask(job("ann", Purpose::Play, LONG)?)?,
        server.engines.ask(job("bob", Purpose::Play, LONG)?)?,
    ];
    let odd = Odd::new(&bus, &server, "liar");
    let (first, second) = (odd.job(true).await?, odd.job(true).await?);
    odd.give(first.number, good("a1a8")).await?;
    assert_eq!(server.lent(), 0);
    let late = odd.give(second.number, good("e2e4")).await?;
    assert_eq!(late, Reply::Noted, "it comes too late");
    assert_eq!(server.engines.local.shared.waiting().play, 2);
    server.engines.close();
    Ok(())
}

fn lines_of(line: &ThoughtLine) -> Option<Lines> {
    Some(Lines {
        depth: 3,
        nodes: 100,
        lines: vec![line.clone()],
    })
}

/// A worker that falls silent is gone after a second, and the job is done by own threads.
#[tokio::test(flavor = "multi_thread")]
async fn a_silent_workers_job_is_done_by_others() -> Tested {
    let bus = bus();
    let server = Server::new(&bus).await?;
    let control: TimeControl = "fischer:1m+0s".parse()?;
    let clock = crate::engines::JobClock {
        control,
        remaining: Remaining::full(control),
    };
    let mut asked = server.engines.ask(Job {
        clock: Some(clock),
        ..job("game", Purpose::Play, crate::engines::LONGEST)?
    })?;
    let odd = Odd::new(&bus, &server, "dies");
    let lent = odd.job(true).await?;
    server.start_threads()?;
    assert!(timeout(WAIT, asked.end()).await?.is_some());
    assert_eq!(
        (server.lent(), server.engines.inner.lent().workers()),
        (0, 0)
    );
    // It may come back.
    assert_eq!(odd.give(lent.number, good("e2e4")).await?, Reply::Noted);
    odd.beat(&[]);
    until(|| server.engines.inner.lent().workers() == 1).await?;
    server.engines.close();
    Ok(())
}

/// A worker that is there but does not answer is late, and at last gets no more jobs.
#[tokio::test(flavor = "multi_thread")]
async fn who_does_not_answer_gets_no_more_jobs() -> Tested {
    let bus = bus();
    let server = Server::new(&bus).await?;
    let odd = Odd::new(&bus, &server, "slow");
    let mut asked = Vec::new();
    for n in 0..3 {
        asked.push(
            server
                .engines
                .ask(job(&format!("game {n}"), Purpose::Play, SHORT)?)?,
        );
        let number = odd.job(true).await?.number;
        until(|| {
            odd.beat(&[number]);
            server.lent() == 0
        })
        .await?;
    }
    let reply = odd.take(true).await?;
    assert!(matches!(reply, Reply::Distrusted { .. }), "{reply:?}");
    server.start_threads()?;
    for mut asked in asked {
        assert!(timeout(WAIT, asked.end()).await?.is_some());
    }
    server.engines.close();
    Ok(())
}

/// A pause in which several jobs run out is being late once.
#[tokio::test(flavor = "multi_thread")]
async fn one_stall_is_late_once() -> Tested {
    let bus = bus();
    let server = Server::new(&bus).await?;
    let odd = Odd::new(&bus, &server, "stalled");
    let (mut asked, mut numbers) = (Vec::new(), Vec::new());
    for n in 0..3 {
        let job = job(&format!("game {n}"), Purpose::Play, SHORT)?;
        asked.push(server.engines.ask(job)?);
        numbers.push(odd.job(true).await?.number);
    }
    until(|| {
        odd.beat(&numbers);
        server.lent() == 0
    })
    .await?;
    let reply = odd.take(true).await?;
    assert!(!matches!(reply, Reply::Distrusted { .. }), "{reply:?}");
    server.start_threads()?;
    for mut asked in asked {
        assert!(timeout(WAIT, asked.end()).await?.is_some());
    }
    server.engines.close();
    Ok(())
}

/// Who does not want an answer any more ends the search at once, and so does a server that is gone.
#[tokio::test(flavor = "multi_thread")]
async fn what_nobody_waits_for_ends() -> Tested {
    let bus = bus();
    let server = Server::new(&bus).await?;
    let worker = Honest::new(&bus, 2, None);
    let busy = || worker.tally.busy.load(Relaxed);
    let mut asked = server.engines.ask(job("ann", Purpose::Analysis, LONG)?)?;
    assert!(timeout(WAIT, asked.next()).await?.is_some());
    assert_eq!((busy(), server.lent()), (1, 1));
    drop(asked);
    let start = Instant::now();
    until(|| busy() == 0 && server.lent() == 0).await?;
    assert!(start.elapsed() < LONG / 2);
    let mut asked = server.engines.ask(job("ann", Purpose::Analysis, LONG)?)?;
    assert!(timeout(WAIT, asked.next()).await?.is_some());
    server.engines.close();
    until(|| busy() == 0).await?;
    assert!(start.elapsed() < LONG / 2);
    worker.end().await?;
    Ok(())
}

/// An analysis that others wait for makes way, also on a worker.
#[tokio::test(flavor = "multi_thread")]
async fn an_analysis_elsewhere_makes_way() -> Tested {
    let bus = bus();
    let server = Server::new(&bus).await?;
    let worker = Honest::new(&bus, 1, None);
    let start = Instant::now();
    let mut first = server.engines.ask(job("ann", Purpose::Analysis, LONG)?)?;
    assert!(timeout(WAIT, first.next()).await?.is_some());
    let mut second = server.engines.ask(Job {
        nodes: Some(1000),
        ..job("bob", Purpose::Review, LONG)?
    })?;
    assert!(timeout(WAIT, first.end()).await?.is_some());
    assert!(timeout(WAIT, second.end()).await?.is_some());
    assert!(start.elapsed() < LONG / 2);
    worker.end().await?;
    Ok(())
}

/// A worker that ends gives back what it is at.
#[tokio::test(flavor = "multi_thread")]
async fn who_goes_gives_back_its_jobs() -> Tested {
    let bus = bus();
    let server = Server::new(&bus).await?;
    let worker = Honest::new(&bus, 1, None);
    let mut asked = server.engines.ask(job("ann", Purpose::Analysis, LONG)?)?;
    assert!(timeout(WAIT, asked.next()).await?.is_some());
    worker.end().await?;
    assert_eq!(server.lent(), 0);
    until(|| server.engines.inner.lent().workers() == 0).await?;
    assert_eq!(server.engines.local.shared.waiting().analysis, 1);
    server.start_threads()?;
    assert!(timeout(WAIT, asked.next()).await?.is_some());
    server.engines.close();
    Ok(())
}

/// What is told that is no message, or about what is not lent, changes nothing.
#[tokio::test(flavor = "multi_thread")]
async fn noise_is_passed_over() -> Tested {
    let bus = bus();
    let server = Server::new(&bus).await?;
    let mut asked = server.engines.ask(job("ann", Purpose::Analysis, LONG)?)?;
    let odd = Odd::new(&bus, &server, "odd");
    let number = odd.job(true).await?.number;
    let told = |worker: &str, number| Told {
        worker: worker.into(),
        number,
        lines: Lines {
            depth: 7,
            nodes: 7,
            lines: Vec::new(),
        },
    };
    let lines = messages::lines(&server.engines.inner.node);
    for noise in ["", "{}", "[[[[", "{\"worker\":1}"] {
        for subject in [&lines, messages::BEATS, messages::CALLS] {
            bus.publish(subject, noise.to_owned().into());
        }
        let subject = server.subject();
        let answer = bus.request(&subject, noise.to_owned().into(), WAIT);
        assert_eq!(answer.await, Err(BusError::Gone));
    }
    bus.publish(&lines, messages::write(&told("other", number)));
    bus.publish(&lines, messages::write(&told("odd", number + 1)));
    bus.publish(&lines, messages::write(&told("odd", number)));
    let heard = timeout(WAIT, asked.next()).await?;
    assert!(matches!(heard, Some(Report::Lines { depth: 7, .. })));
    // One worker cannot answer for another.
    let other = Odd::new(&bus, &server, "other");
    assert_eq!(other.give(number, good("e2e4")).await?, Reply::Noted);
    assert_eq!(server.lent(), 1);
    server.engines.close();
    Ok(())
}

/// Servers and workers in different processes, as far as the bus is concerned.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a NATS server: scripts/nats cargo test -p husun-server --lib -- --ignored nats"]
async fn nats_carries_jobs_and_answers() -> Tested {
    // Two for servers, two for workers.
    let mut buses: Vec<Arc<dyn Bus>> = Vec::new();
    for (variable, role) in [
        ("HUSUN_TEST_NATS", bus::NatsRole::Server),
        ("HUSUN_TEST_NATS_WORKER", bus::NatsRole::Worker),
    ] {
        let url = std::env::var(variable)
            .map_err(|_| format!("{variable} is not set: scripts/nats sets it"))?;
        let options = bus::NatsOptions {
            prefix: format!("test-engines-{}", std::process::id()),
            role,
            ..bus::NatsOptions::new(url)
        };
        for _ in 0..2 {
            buses.push(Arc::new(bus::NatsBus::connect(options.clone()).await?));
        }
    }
    let servers = [Server::new(&buses[0]).await?, Server::new(&buses[1]).await?];
    let mut asked = Vec::new();
    for (server, n) in servers.iter().zip(0..).cycle().take(20) {
        let asker = format!("game {n}");
        asked.push(server.engines.ask(job(&asker, Purpose::Play, SHORT)?)?);
    }
    // One lies to the first server, and loses its trust alone.
    let odd = Odd::new(&buses[3], &servers[0], "liar");
    let lent = odd.job(false).await?;
    let reply = odd.give(lent.number, good("e2e5")).await?;
    assert!(matches!(reply, Reply::Distrusted { .. }), "{reply:?}");
    let workers = [
        Honest::new(&buses[2], 2, None),
        Honest::new(&buses[3], 1, None),
    ];
    for mut asked in asked {
        assert!(timeout(WAIT, asked.end()).await?.is_some());
    }
    let done = || workers.each_ref().map(|worker| worker.tally.jobs());
    until(|| done().iter().sum::<u64>() == 20).await?;
    assert!(done().iter().all(|jobs| *jobs > 0), "{:?}", done());
    let mut analysis = servers[1]
        .engines
        .ask(job("ann", Purpose::Analysis, LONG)?)?;
    assert!(timeout(WAIT, analysis.next()).await?.is_some());
    assert_eq!(servers[1].lent(), 1);
    drop(analysis);
    let busy = || {
        workers
            .iter()
            .map(|w| w.tally.busy.load(Relaxed))
            .sum::<usize>()
    };
    until(|| servers[1].lent() == 0 && busy() == 0).await?;
    for worker in workers {
        worker.end().await?;
    }
    for server in servers {
        server.engines.close();
    }
    Ok(())
}
