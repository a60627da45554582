//! A PostgreSQL that falls silent in the midst of a change, behind a proxy through which nothing comes any more.

use super::{Tested, events, made, nodes_postgres::database, one};
use crate::notices::NoticeStore;
use crate::sql::{ACQUIRE, HANGING, NODE_HANGING};
use crate::{Mode, SqlStore, Store, StoreError};
use proxy::{Proxy, Way};
use std::time::{Duration, Instant};

// Its URL is for NATS.
#[allow(dead_code)]
#[path = "../../../bus/src/tests/proxy.rs"]
mod proxy;

/// A way through which nothing may come any more, to a database of a name, and the URL that takes it.
async fn way(name: &str) -> Result<(Proxy, String), Box<dyn std::error::Error>> {
    let url = database(name).await?;
    let (head, rest) = url.split_once('@').ok_or("the URL names no host")?;
    let (host, name) = rest.split_once('/').ok_or("the URL names no database")?;
    let (_, port) = host.rsplit_once(':').ok_or("the URL names no port")?;
    let proxy = Proxy::to(port.parse()?).await?;
    let url = format!("{head}@127.0.0.1:{}/{name}", proxy.port);
    Ok((proxy, url))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "wants a PostgreSQL at the URL in HUSUN_TEST_POSTGRES; ./test starts one"]
async fn postgres_that_hangs_is_given_up_and_reached_anew() -> Tested {
    let (proxy, url) = way("husun_hanging").await?;
    let store = SqlStore::open(&url).await?;
    one(&store, made("game")).await??;
    proxy.set(Way::Stalled);
    // First the connection that there was hangs, whatever is done with it, then the one that is to be made.
    for most in [HANGING, ACQUIRE] {
        let start = Instant::now();
        let given_up = match most == HANGING {
            true => store.forget_reviews(0).await.map(|_| ()),
            false => store.keep_wishes("ann", "{}").await.map(|_| ()),
        };
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
    proxy.set(Way::Open);
    one(&store, events("game", [1])).await??;
    assert!(!store.keep_wishes("ann", "{}").await?, "no such account");
    let stored = store.load("game").await?.ok_or("gone")?;
    assert_eq!(stored.events.len(), 1);
    proxy.set(Way::Stalled);
    let start = Instant::now();
    store.close().await;
    assert!(start.elapsed() < ACQUIRE + Duration::from_secs(5));
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "wants a PostgreSQL at the URL in HUSUN_TEST_POSTGRES; ./test starts one"]
async fn postgres_that_hangs_holds_up_a_nodes_games_for_seconds() -> Tested {
    let (proxy, url) = way("husun_node_hanging").await?;
    let store = SqlStore::open_as(&url, Mode::Cluster).await?;
    one(&store, made("game")).await??;
    proxy.set(Way::Stalled);
    let start = Instant::now();
    let given_up = one(&store, events("game", [1])).await;
    assert!(
        matches!(given_up, Err(StoreError::Unavailable(_))),
        "{given_up:?}"
    );
    let took = start.elapsed();
    assert!(took >= NODE_HANGING && took < HANGING, "{took:?}");
    proxy.set(Way::Open);
    one(&store, events("game", [1])).await??;
    let stored = store.load("game").await?.ok_or("gone")?;
    assert_eq!(stored.events.len(), 1);
    Ok(())
}
