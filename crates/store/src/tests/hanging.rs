//! A PostgreSQL that falls silent in the midst of a change, behind a proxy that carries nothing any more.

use super::{Tested, events, made, nodes_postgres::database, one};
use crate::notices::NoticeStore;
use crate::sql::{ACQUIRE, HANGING};
use crate::{SqlStore, Store, StoreError};
use std::io;
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

async fn until(silent: &mut watch::Receiver<bool>) {
    let _ = silent.wait_for(|silent| *silent).await;
}

/// Carries what comes, until it is to be silent: then nothing more, and the connection stays.
async fn carry(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    mut silent: watch::Receiver<bool>,
) -> io::Result<()> {
    let mut bytes = [0; 4096];
    loop {
        let read = tokio::select! {
            biased;
            () = until(&mut silent) => std::future::pending().await,
            read = from.read(&mut bytes) => read?,
        };
        if read == 0 {
            return Ok(());
        }
        to.write_all(&bytes[..read]).await?;
    }
}

/// A proxy to an address. While it is silent, new connections are made and carry nothing, ever; nor do those any more that
/// there were.
async fn proxy(to: String) -> io::Result<(u16, watch::Sender<bool>)> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let port = listener.local_addr()?.port();
    let (silence, silent) = watch::channel(false);
    tokio::spawn(async move {
        while let Ok((near, _)) = listener.accept().await {
            let Ok(far) = TcpStream::connect(&to).await else {
                continue;
            };
            let silent = silent.clone();
            tokio::spawn(async move {
                let ((a, b), (c, d)) = (near.into_split(), far.into_split());
                // Held until both ends are over.
                tokio::join!(carry(a, d, silent.clone()), carry(c, b, silent))
            });
        }
    });
    Ok((port, silence))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "wants a PostgreSQL at the URL in HUSUN_TEST_POSTGRES; ./test starts one"]
async fn postgres_that_hangs_is_given_up_and_reached_anew() -> Tested {
    let url = database("husun_hanging").await?;
    let (head, rest) = url.split_once('@').ok_or("the URL names no host")?;
    let (host, name) = rest.split_once('/').ok_or("the URL names no database")?;
    let (port, silence) = proxy(host.into()).await?;
    let store = SqlStore::open(&format!("{head}@127.0.0.1:{port}/{name}")).await?;
    one(&store, made("game")).await??;
    silence.send_replace(true);
    // First the connection that there was hangs, then the one that is to be made.
    for most in [HANGING, ACQUIRE] {
        let start = Instant::now();
        let given_up = store.keep_wishes("ann", "{}").await;
        assert!(
            matches!(given_up, Err(StoreError::Unavailable(_))),
            "{given_up:?}"
        );
        let took = start.elapsed();
        assert!(
            took >= most && took < most + Duration::from_secs(5),
            "{took:?} of {most:?}"
        );
    }
    silence.send_replace(false);
    one(&store, events("game", [1])).await??;
    assert!(!store.keep_wishes("ann", "{}").await?, "no such account");
    let stored = store.load("game").await?.ok_or("gone")?;
    assert_eq!(stored.events.len(), 1);
    silence.send_replace(true);
    let start = Instant::now();
    store.close().await;
    assert!(start.elapsed() < ACQUIRE + Duration::from_secs(5));
    Ok(())
}
