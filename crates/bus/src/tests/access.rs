//! Addresses, passwords and certificates of NATS servers, and what errors say about them.

use super::server::Server;
use super::*;
use futures_util::StreamExt;

/// Every error as it may be shown or logged.
async fn refused(options: NatsOptions) -> Result<String, Box<dyn std::error::Error>> {
    let shown = format!("{options:?}");
    match NatsBus::connect(options).await {
        Ok(_) => Err("it was accepted".into()),
        Err(error) => Ok(format!("{error} {error:?} {shown}")),
    }
}

fn with_user(server: &Server, user: &str) -> NatsOptions {
    NatsOptions::new(format!("nats://{user}@127.0.0.1:{}", server.port))
}

#[tokio::test]
async fn addresses_that_are_none_are_refused_without_secrets() -> Tested {
    for url in [
        "",
        "localhost:4222",
        "http://u:s3cret@localhost:4222",
        "nats://u:s3cret@",
        "nats://u:s3cret@host:port",
        "nats://u:s3cret@127.0.0.1:1,ftp://x",
        "nats://u:s3cret%ff@127.0.0.1:1",
    ] {
        let error = refused(NatsOptions::new(url)).await?;
        assert!(
            error.contains("expected nats://HOST:PORT"),
            "{url}: {error}"
        );
        assert!(!error.contains("s3cret"), "{error}");
    }
    let mut options = NatsOptions::new("nats://u:s3cret@127.0.0.1:1");
    let error = refused(options.clone()).await?;
    assert!(
        error.contains("127.0.0.1:1") && !error.contains("s3cret"),
        "{error}"
    );
    options.prefix = "a.*".into();
    let error = refused(options).await?;
    assert!(
        error.contains("\"a.*\"") && !error.contains("s3cret"),
        "{error}"
    );
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a NATS server: scripts/nats cargo test -p husun-bus -- --ignored nats"]
async fn nats_with_a_password_or_a_token() -> Tested {
    let server = Server::start("authorization { user: club, password: \"s3cret@/:\" }").await?;
    NatsBus::connect(with_user(&server, "club:s3cret%40%2F%3A")).await?;
    for wrong in ["club:s3cret-wrong", "s3cret-token", "other:s3cret%40%2F%3A"] {
        let error = refused(with_user(&server, wrong)).await?;
        assert!(error.contains("does not accept"), "{error}");
        assert!(
            error.contains(&server.port.to_string()) && !error.contains("s3cret"),
            "{error}"
        );
    }
    let server = Server::start("authorization { token: \"s3cret+token\" }").await?;
    NatsBus::connect(with_user(&server, "s3cret+token")).await?;
    let error = refused(NatsOptions::new(server.url())).await?;
    assert!(error.contains("does not accept"), "{error}");
    // One that may not use our subjects is told so, and does not wait for ever.
    let server = Server::start("authorization { users: [ { user: u, password: s3cret, permissions: { publish: \"other.>\", subscribe: \"other.>\" } } ] }").await?;
    let error = refused(with_user(&server, "u:s3cret")).await?;
    assert!(
        error.contains("may the user publish") && !error.contains("s3cret"),
        "{error}"
    );
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a NATS server: scripts/nats cargo test -p husun-bus -- --ignored nats"]
async fn nats_over_tls() -> Tested {
    let config = "tls { cert_file: \"FOLDER/server.crt\", key_file: \"FOLDER/server.key\" }";
    let server = Server::start(config).await?;
    let mut options = NatsOptions::new(format!("tls://localhost:{}", server.port));
    let error = refused(options.clone()).await?;
    assert!(
        error.contains("certificate"),
        "a server that nobody knows: {error}"
    );
    options.certificates = Some(server.folder().join("server.crt"));
    let (near, far) = (
        NatsBus::connect(options.clone()).await?,
        NatsBus::connect(options.clone()).await?,
    );
    let ear = Ear::new(100);
    let _ear = far.subscribe("told", ear.clone()).await?;
    near.publish("told", "over tls".into());
    assert!(ear.has(1).await);
    // One that does not encrypt is not spoken to where it was asked for.
    let plain = Server::start("").await?;
    options.url = format!("tls://u:s3cret@localhost:{}", plain.port);
    let error = refused(options).await?;
    assert!(!error.contains("s3cret"), "{error}");
    Ok(())
}

/// What a worker's user may do is in the file that the compose file's secrets are made with.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a NATS server: scripts/nats cargo test -p husun-bus -- --ignored nats"]
async fn nats_lets_a_worker_do_a_workers_work_alone() -> Tested {
    let server = Server::start(concat!(
        "authorization { users: [ { user: husun, password: all }\n{ user: worker, password: w\n",
        include_str!("../../../../deploy/nats-worker.conf"),
        "\n} ] }"
    ))
    .await?;
    let (node, other) = (
        NatsBus::connect(with_user(&server, "husun:all")).await?,
        NatsBus::connect(with_user(&server, "husun:all")).await?,
    );
    let as_worker = NatsOptions {
        role: NatsRole::Worker,
        ..with_user(&server, "worker:w")
    };
    let worker = NatsBus::connect(as_worker).await?;
    // Its work: it is called and stopped, takes jobs, beats and tells lines.
    let (called, stopped) = (Ear::new(100), Ear::new(100));
    let _called = worker.subscribe("engines.call", called.clone()).await?;
    let _stopped = worker.subscribe("engines.w1.stop", stopped.clone()).await?;
    node.publish("engines.call", "call".into());
    node.publish("engines.w1.stop", "stop".into());
    assert!(called.has(1).await && stopped.has(1).await);
    let (beats, lines) = (Ear::new(100), Ear::new(100));
    let _beats = node.subscribe("engines.beat", beats.clone()).await?;
    let _lines = node.subscribe("engines.n1.lines", lines.clone()).await?;
    worker.publish("engines.beat", "beat".into());
    worker.publish("engines.n1.lines", "lines".into());
    assert!(beats.has(1).await && lines.has(1).await);
    let mut jobs = node.serve("engines.n1", 4).await?;
    let asked = worker.request("engines.n1", "job?".into(), SOON);
    let (answer, ()) = tokio::join!(asked, async {
        if let Some(request) = jobs.next().await {
            request.answer("job".into());
        }
    });
    assert_eq!(answer?, "job");

    // Nothing else, by our own program or another: no act in a game, no word to those who watch it, no answer in a
    // server's name, and no ear for any of it.
    let (told, calls) = (Ear::new(100), Ear::new(100));
    let _told = other.subscribe("game.k3x9.told", told.clone()).await?;
    let _calls = other.subscribe("engines.call", calls.clone()).await?;
    let mut acts = other.serve("game.k3x9", 4).await?;
    let raw = async_nats::ConnectOptions::with_user_and_password("worker".into(), "w".into())
        .connect(server.url())
        .await?;
    let mut overheard = Vec::new();
    for subject in [
        ">",
        "husun.>",
        "husun.t.>",
        "husun.a.>",
        "husun.r.>",
        "husun.w.>",
        "husun.t.game.*.told",
        "husun.a.game.k3x9",
        "husun.a.engines.n1",
        "husun.t.engines.>",
        "husun.t.engines.beat",
    ] {
        overheard.push((subject, raw.subscribe(subject).await?));
    }
    let _impostor = worker.serve("game.k4", 4).await?;
    let early = Duration::from_millis(500);
    assert!(
        worker
            .request("game.k3x9", "resign".into(), early)
            .await
            .is_err()
    );
    worker.publish("game.k3x9.told", "resigned".into());
    for (subject, reply) in [
        ("husun.a.game.k3x9", "husun.w.x.a.1.5000"),
        ("husun.t.game.k3x9.told", "none"),
        ("husun.t.engines.call", "none"),
        ("husun.lost", "none"),
    ] {
        raw.publish_with_reply(subject, reply, "resign".into())
            .await?;
    }
    // Nor has it a node say anything elsewhere, by asking to be answered there.
    for reply in [
        "husun.lost",
        "husun.t.game.k3x9.told",
        "husun.t.engines.call",
    ] {
        raw.publish_with_reply("husun.a.engines.n1", reply, "job?".into())
            .await?;
    }
    raw.flush().await?;
    let early_job = tokio::time::timeout(AT_ONCE, jobs.next()).await;
    assert!(early_job.is_err(), "{early_job:?}");
    // What is told and asked between nodes meanwhile comes through, and no further.
    node.publish("game.k3x9.told", "a move".into());
    let asked = node.request("game.k3x9", "a move".into(), SOON);
    let (answer, act) = tokio::join!(asked, async {
        let request = acts.next().await?;
        let act = request.message.clone();
        request.answer("played".into());
        Some(act)
    });
    assert_eq!(answer?, "played");
    assert_eq!(
        act.as_deref(),
        Some(&b"a move"[..]),
        "a worker has acted in a game"
    );
    assert!(told.has(1).await);
    assert_eq!(told.heard(), ["a move"]);
    assert!(
        node.request("game.k4", "a move".into(), early)
            .await
            .is_err()
    );
    tokio::time::sleep(AT_ONCE).await;
    assert_eq!((told.heard().len(), calls.heard().len()), (1, 0));
    assert_eq!(told.missed.load(Relaxed) + calls.missed.load(Relaxed), 0);
    for (subject, mut heard) in overheard {
        let message = tokio::time::timeout(Duration::ZERO, heard.next()).await;
        assert!(!matches!(message, Ok(Some(_))), "{subject}: {message:?}");
    }
    Ok(())
}
