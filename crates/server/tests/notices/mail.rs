//! Notices by e-mail.

use super::outside::MailServer;
use super::{WORD, challenge, enter, private, settings, socket};
use crate::common::browser::{Browser, code};
use crate::common::people::account;
use crate::common::{Fallible, Request, TestServer};
use serde_json::{Value, json};
use server::Config;
use server::config::{MailConfig, MailTls};
use std::time::Duration;

fn mailing(address: std::net::SocketAddr) -> impl FnOnce(&mut Config) {
    move |config| {
        private(config);
        config.mail = Some(MailConfig {
            host: address.ip().to_string(),
            port: Some(address.port()),
            tls: MailTls::None,
            user: None,
            password_file: None,
            from: "Chess club <chess@example.org>".into(),
            site: "https://play.example.org".into(),
            per_day: 4,
        });
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_mailbox_is_filled_by_accounts_that_name_it() -> Fallible<()> {
    let mut mail = MailServer::start().await?;
    let server = TestServer::start("mail-flood", mailing(mail.address)).await?;
    for (n, address) in [
        "eve@example.org",
        "EVE@example.org",
        "eve+1@example.org",
        "eve+2@Example.org",
    ]
    .iter()
    .enumerate()
    {
        let mut browser = account(&server, &format!("Ann{n}")).await?;
        let wish = json!({ "address": address });
        let answer = browser
            .ask("PUT", "/api/account/notices/mail", wish)
            .await?;
        assert_eq!(answer.status, 204, "{}", answer.body);
        mail.next().await?;
    }
    // One who has given so many addresses that he may give no more takes no place.
    let mut dan = account(&server, "Dan").await?;
    for n in 0..8 {
        let wish = json!({ "address": if n < 5 { format!("dan{n}@example.org") } else { "eve@example.org".into() } });
        let answer = dan.ask("PUT", "/api/account/notices/mail", wish).await?;
        assert_eq!(
            answer.status,
            if n < 5 { 204 } else { 429 },
            "{}",
            answer.body
        );
        if n < 5 {
            mail.next().await?;
        }
    }
    let mut eve = account(&server, "Eve").await?;
    let wish = json!({ "address": "eve@example.org" });
    let answer = eve.ask("PUT", "/api/account/notices/mail", wish).await?;
    assert_eq!(answer.status, 204, "{}", answer.body);
    mail.next().await?;
    let mut bob = account(&server, "Bob").await?;
    let mut give = async |address: &str| {
        let wish = json!({ "address": address });
        bob.ask("PUT", "/api/account/notices/mail", wish).await
    };
    let answer = give("eve+3@example.org").await?;
    assert_eq!((answer.status, code(&answer)?.as_str()), (429, "limit"));
    assert!(
        answer.body.contains("to this address lately"),
        "{}",
        answer.body
    );
    assert!(mail.is_quiet().await);
    // Others are reached.
    assert_eq!(give("bob@example.org").await?.status, 204);
    assert_eq!(mail.next().await?.to, "bob@example.org");
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn e_mails_go_to_confirmed_addresses_and_end_by_one_click() -> Fallible<()> {
    let mut mail = MailServer::start().await?;
    let server = TestServer::start("mailed", mailing(mail.address)).await?;
    let (mut ann, mut bob) = (
        account(&server, "Ann").await?,
        account(&server, "Bob").await?,
    );
    let set = settings(&mut bob).await?;
    assert_eq!(set.mail, Some(Default::default()));
    let give = json!({ "address": "bob@example.org" });
    for address in [
        "bob",
        "bob@localhost",
        "bob@example.org\r\nBcc: x@example.org",
    ] {
        let wish = json!({ "address": address });
        let answer = bob.ask("PUT", "/api/account/notices/mail", wish).await?;
        assert_eq!(
            (answer.status, code(&answer)?.as_str()),
            (422, "mail"),
            "{address}"
        );
    }
    let answer = bob
        .ask("PUT", "/api/account/notices/mail", give.clone())
        .await?;
    assert_eq!(answer.status, 204, "{}", answer.body);
    let letter = mail.next().await?;
    assert_eq!(
        (letter.from.as_str(), letter.to.as_str()),
        ("chess@example.org", "bob@example.org")
    );
    let wish = json!({ "variant": "chess", "clock": "days:3" });
    challenge(&mut ann, "Bob", wish.clone()).await?;
    assert!(mail.is_quiet().await, "nothing before it is confirmed");
    let link = letter.link("https://play.example.org/mail/confirm/")?;
    let word = link.rsplit('/').next().ok_or("no word")?.to_owned();
    // Whoever has the link confirms it, once.
    let mut anybody = Browser::new(&server);
    let wrong = anybody
        .ask("POST", "/api/mail/confirm", json!({ "word": "x" }))
        .await?;
    assert_eq!((wrong.status, code(&wrong)?.as_str()), (422, "mail"));
    let confirm = json!({ "word": word });
    assert_eq!(
        anybody
            .ask("POST", "/api/mail/confirm", confirm.clone())
            .await?
            .status,
        204
    );
    assert_eq!(
        anybody
            .ask("POST", "/api/mail/confirm", confirm)
            .await?
            .status,
        422
    );
    let kept = settings(&mut bob).await?.mail.ok_or("no mail")?;
    assert_eq!(
        (kept.address.as_deref(), kept.confirmed),
        (Some("bob@example.org"), true)
    );

    challenge(&mut ann, "Bob", wish.clone()).await?;
    let letter = mail.next().await?;
    assert!(
        letter.body.starts_with("Ann challenges you: Chess."),
        "{}",
        letter.body
    );
    let stop = letter.link("https://play.example.org/mail/stop/")?;
    for (name, value) in [
        ("list-unsubscribe", format!("<{stop}>").as_str()),
        ("list-unsubscribe-post", "List-Unsubscribe=One-Click"),
        ("auto-submitted", "auto-generated"),
        ("subject", "A challenge"),
    ] {
        assert_eq!(
            letter.headers.get(name).map(|v| v.replace(' ', "")),
            Some(value.replace(' ', "")),
            "{name}"
        );
    }
    // With a page open nothing is sent.
    let mut page = socket(&server, &bob).await?;
    enter(&mut page).await?;
    challenge(&mut ann, "Bob", wish.clone()).await?;
    assert!(mail.is_quiet().await);
    drop(page);
    tokio::time::sleep(Duration::from_millis(200)).await;
    // So many a day, with those before it.
    for _ in 0..3 {
        challenge(&mut ann, "Bob", wish.clone()).await?;
    }
    for _ in 0..2 {
        mail.next().await?;
    }
    assert!(mail.is_quiet().await, "four were sent this day");

    let saved: Value = bob.get("/api/account/export").await?.json()?;
    assert_eq!(saved["notices"]["mail"]["address"], "bob@example.org");
    // One click, as mail programs ask: without a cookie, with a form.
    let path = stop
        .strip_prefix("https://play.example.org")
        .ok_or("another site")?;
    let form = [("content-type", "application/x-www-form-urlencoded")];
    let request = Request::post(path, "List-Unsubscribe=One-Click").with(&form);
    assert_eq!(server.ask(request).await?.status, 204);
    let again = server.ask(request).await?;
    assert_eq!((again.status, code(&again)?.as_str()), (422, "mail"));
    let broken = format!("{}x", &path[..path.len() - 1]);
    let request = Request::post(&broken, "").with(&form);
    assert_eq!(server.ask(request).await?.status, 422);
    assert_eq!(settings(&mut bob).await?.mail, Some(Default::default()));
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_goes_with_its_account_and_strangers_are_not_flooded() -> Fallible<()> {
    let mut mail = MailServer::start().await?;
    let server = TestServer::start("mailgone", mailing(mail.address)).await?;
    let mut bob = account(&server, "Bob").await?;
    for n in 0..5 {
        let give = json!({ "address": format!("stranger{n}@example.org") });
        let answer = bob.ask("PUT", "/api/account/notices/mail", give).await?;
        assert_eq!(answer.status, 204, "{}", answer.body);
        let letter = mail.next().await?;
        assert_eq!(letter.to, format!("stranger{n}@example.org"));
    }
    let give = json!({ "address": "stranger5@example.org" });
    let answer = bob.ask("PUT", "/api/account/notices/mail", give).await?;
    assert_eq!((answer.status, code(&answer)?.as_str()), (429, "limit"));
    assert!(mail.is_quiet().await);
    // What there is stays.
    let kept = settings(&mut bob).await?.mail.ok_or("e-mails are sent")?;
    assert_eq!(kept.address.as_deref(), Some("stranger4@example.org"));
    bob.ask("DELETE", "/api/account", json!({ "password": WORD }))
        .await?;
    let (folder, storage) = server.stop_for_storage().await?;
    drop(storage);
    let bytes = std::fs::read(folder.join("husun.sqlite"))?;
    let bytes = String::from_utf8_lossy(&bytes).into_owned();
    assert!(!bytes.contains("stranger"), "the address is gone");
    crate::common::remove(folder).await?;
    Ok(())
}
