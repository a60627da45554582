//! People for tests: with an account, without one, and looking for an opponent.

use super::browser::Browser;
use super::{Fallible, TestServer};
use serde_json::Value;
use server::wire::SeekMade;

pub const WORD: &str = "correct horse";

/// One with an account.
pub async fn account(server: &TestServer, name: &str) -> Fallible<Browser> {
    let mut browser = Browser::new(server);
    let made = browser.register(name, WORD).await?;
    assert_eq!(made.status, 201, "{}", made.body);
    Ok(browser)
}

/// One without.
pub async fn guest(server: &TestServer) -> Fallible<Browser> {
    let mut browser = Browser::new(server);
    browser.me().await?;
    Ok(browser)
}

/// Offers a game.
pub async fn seek(browser: &mut Browser, wish: Value) -> Fallible<SeekMade> {
    let answer = browser.ask("POST", "/api/lobby/seeks", wish).await?;
    assert_eq!(answer.status, 201, "{}", answer.body);
    answer.json()
}

/// A number that nobody else gets in this process.
pub fn number() -> usize {
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    NEXT.fetch_add(1, Relaxed)
}
