//! Addresses, passwords and certificates of NATS servers, and what errors say about them.

use super::server::Server;
use super::*;

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
