//! Notices from outside: what is told in pages, by push and by e-mail, to whom, once; and what may not be is refused.

mod mail;
mod outside;
mod refused;

use crate::common::browser::Browser;
use crate::common::people::account;
use crate::common::{Answer, Fallible, Socket, TestServer};
use outside::{PushService, PushedTo, claims};
use serde_json::{Value, json};
use server::Config;
use server::wire::{
    Challenge, ClientMessage, Notice, NoticeKind, NoticeSettings, Paired, ServerMessage,
    TournamentMade,
};
use std::path::Path;
use std::time::Duration;

const WORD: &str = "correct horse";

fn private(config: &mut Config) {
    config.push.allow_private = true;
    config.push.contact = Some("mailto:club@example.org".into());
    config.limits.accounts_per_hour = 0;
    config.limits.sign_ins_per_minute = 0;
}

async fn settings(browser: &mut Browser) -> Fallible<NoticeSettings> {
    browser.get("/api/account/notices").await?.json()
}

async fn turn_on(browser: &mut Browser, pushed_to: &PushedTo) -> Fallible<Answer> {
    let body = pushed_to.subscription();
    browser.ask("PUT", "/api/account/notices/push", body).await
}

/// Switches a way of a kind.
async fn switch(browser: &mut Browser, kind: &str, way: &str, on: bool) -> Fallible<()> {
    let mut wishes = serde_json::to_value(settings(browser).await?.wishes)?;
    wishes[kind][way] = on.into();
    let done = browser.ask("PUT", "/api/account/notices", wishes).await?;
    assert_eq!(done.status, 204, "{}", done.body);
    let now = serde_json::to_value(settings(browser).await?.wishes)?;
    assert_eq!(now[kind][way], json!(on));
    Ok(())
}

async fn challenge(from: &mut Browser, to: &str, wish: Value) -> Fallible<Challenge> {
    let path = format!("/api/people/{to}/challenges");
    let made = from.ask("POST", &path, wish).await?;
    assert_eq!(made.status, 201, "{}", made.body);
    made.json()
}

async fn accept(browser: &mut Browser, challenge: &Challenge) -> Fallible<Paired> {
    let path = format!("/api/challenges/{}/accept", challenge.id);
    browser.ask("POST", &path, json!({})).await?.json()
}

async fn socket(server: &TestServer, browser: &Browser) -> Fallible<Socket> {
    Socket::open(server.address, &[("cookie", &browser.cookie())]).await
}

/// Comes to a game, moves and goes.
async fn play(
    server: &TestServer,
    browser: &Browser,
    game: &str,
    ply: u32,
    text: &str,
) -> Fallible<()> {
    let mut socket = socket(server, browser).await?;
    socket.join(game, None).await?;
    socket.play(ply, text).await?;
    socket.ply(ply + 1).await?;
    Ok(())
}

async fn notice(socket: &mut Socket) -> Fallible<Notice> {
    let told = socket.until(|message| match message {
        ServerMessage::Notice(notice) => Some(notice),
        _ => None,
    });
    told.await
}

async fn enter(socket: &mut Socket) -> Fallible<()> {
    socket.say(&ClientMessage::EnterLobby).await?;
    let there = |message| matches!(message, ServerMessage::Lobby(_)).then_some(());
    socket.until(there).await
}

/// Lets the server's own time go on by so much while it is down.
fn pass(folder: &Path, by: Duration) -> Fallible<()> {
    let text = std::fs::read_to_string(folder.join("alive"))?;
    let mut parts = text.split_whitespace();
    let (Some(run), Some(ms)) = (parts.next(), parts.next()) else {
        return Err("no time is noted".into());
    };
    let ms = ms.parse::<u128>()? + by.as_millis();
    Ok(std::fs::write(
        folder.join("alive"),
        format!("{run} {ms}\n"),
    )?)
}

#[tokio::test(flavor = "multi_thread")]
async fn what_happens_is_pushed_to_who_is_away_once_and_as_wished() -> Fallible<()> {
    let server = TestServer::start("pushed", private).await?;
    let mut service = PushService::start().await?;
    let (mut ann, mut bob) = (
        account(&server, "Ann").await?,
        account(&server, "Bob").await?,
    );
    let (to_ann, to_bob) = (
        PushedTo::new(&service, "/ann?a=b")?,
        PushedTo::new(&service, "/bob")?,
    );
    assert_eq!(turn_on(&mut ann, &to_ann).await?.status, 204);
    assert_eq!(turn_on(&mut bob, &to_bob).await?.status, 204);
    let set = settings(&mut bob).await?;
    assert!(set.browsers.len() == 1 && set.browsers[0].current && set.mail.is_none());

    // A challenge, with all that a push service wants to know.
    let wish = json!({ "variant": "chess", "clock": "days:3", "side": "white" });
    let offered = challenge(&mut ann, "Bob", wish.clone()).await?;
    let posted = service.next().await?;
    assert_eq!(posted.path, "/bob");
    for (name, value) in [
        ("content-encoding", "aes128gcm"),
        ("ttl", "86400"),
        ("urgency", "normal"),
    ] {
        assert_eq!(posted.headers.get(name).map(String::as_str), Some(value));
    }
    let topic = posted.headers.get("topic").ok_or("no topic")?;
    assert!(
        topic.len() <= 32
            && topic
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
    );
    let said = claims(&posted, &set.push_key)?;
    let now = server::services::wall_ms() / 1000;
    let until = said["exp"].as_i64().ok_or("no end")?;
    assert!(until > now && until <= now + 24 * 3600, "{said}");
    assert_eq!(said["aud"], json!(service.origin()));
    assert_eq!(said["sub"], json!("mailto:club@example.org"));
    let told = to_bob.read(&posted)?;
    assert_eq!(
        (told.kind, told.text.as_str()),
        (NoticeKind::Challenge, "Ann challenges you: Chess.")
    );
    assert!(to_ann.read(&posted).is_err(), "nobody else can read it");

    // The game: told to the one who waited, then to who is to move.
    let paired = accept(&mut bob, &offered).await?;
    let posted = service.next().await?;
    assert_eq!(posted.path, "/ann?a=b");
    let told = to_ann.read(&posted)?;
    let page = format!("/game/{}", paired.game);
    assert_eq!((told.kind, &told.address), (NoticeKind::GameStarted, &page));
    play(&server, &ann, &paired.game, 0, "e4").await?;
    let told = to_bob.read(&service.next().await?)?;
    assert_eq!((told.kind, &told.address), (NoticeKind::YourTurn, &page));
    assert_eq!(told.text, "Ann has moved in Chess: e4.");
    // Who only looks, speaks or comes back is no news; nor is what a service has taken pushed again.
    let mut looking = socket(&server, &ann).await?;
    looking.join(&paired.game, None).await?;
    looking
        .say(&ClientMessage::Chat {
            text: "hello".into(),
        })
        .await?;
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert!(service.is_quiet().await, "nothing is told twice");

    // Each kind can be switched off.
    switch(&mut ann, "your_turn", "push", false).await?;
    play(&server, &bob, &paired.game, 1, "e5").await?;
    assert!(service.is_quiet().await);
    switch(&mut ann, "your_turn", "push", true).await?;
    switch(&mut bob, "challenge", "push", false).await?;
    challenge(&mut ann, "Bob", wish.clone()).await?;
    assert!(service.is_quiet().await);
    switch(&mut bob, "challenge", "push", true).await?;

    // A busy service is asked again; where one leads elsewhere is not gone to.
    service.answer("503 Busy\r\nretry-after: 1");
    challenge(&mut ann, "Bob", wish.clone()).await?;
    let (first, again) = (service.next().await?, service.next().await?);
    assert_eq!(to_bob.read(&first)?, to_bob.read(&again)?);
    service.answer(&format!(
        "307 Elsewhere\r\nlocation: {}/else",
        service.origin()
    ));
    challenge(&mut ann, "Bob", wish.clone()).await?;
    assert_eq!(service.next().await?.path, "/bob");
    assert!(service.is_quiet().await);
    // A browser that is gone is forgotten.
    service.answer("410 Gone");
    challenge(&mut ann, "Bob", wish).await?;
    service.next().await?;
    for _ in 0..100 {
        if settings(&mut bob).await?.browsers.is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(settings(&mut bob).await?.browsers.is_empty());
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn who_has_a_page_open_is_told_there_and_who_is_at_the_board_is_not() -> Fallible<()> {
    let server = TestServer::start("noticed", private).await?;
    let (mut ann, mut bob) = (
        account(&server, "Ann").await?,
        account(&server, "Bob").await?,
    );
    let wish = json!({ "variant": "chess", "clock": "fischer:5m+3s", "side": "white" });
    let offered = challenge(&mut ann, "Bob", wish).await?;
    let game = accept(&mut bob, &offered).await?.game;
    let mut page = socket(&server, &bob).await?;
    enter(&mut page).await?;
    let mut white = socket(&server, &ann).await?;
    white.join(&game, None).await?;
    white.play(0, "e4").await?;
    let told = notice(&mut page).await?;
    assert_eq!(
        (told.kind, told.title.as_str()),
        (NoticeKind::YourTurn, "Your turn")
    );
    assert_eq!(
        (told.address, told.tag),
        (format!("/game/{game}"), format!("game.{game}"))
    );
    // At the board nothing is told, whatever other page is open; nor is what was switched off.
    let mut black = socket(&server, &bob).await?;
    black.join(&game, None).await?;
    black.play(1, "e5").await?;
    black.ply(2).await?;
    white.ply(2).await?;
    white.play(2, "Nf3").await?;
    black.ply(3).await?;
    drop(black);
    tokio::time::sleep(Duration::from_millis(100)).await;
    switch(&mut bob, "your_turn", "page", false).await?;
    let quiet: Value = bob.get("/api/me/challenges").await?.json()?;
    assert_eq!(quiet["quiet"], json!(["your_turn"]));
    let mut back = socket(&server, &bob).await?;
    back.join(&game, None).await?;
    back.play(3, "Nc6").await?;
    back.ply(4).await?;
    drop(back);
    white.ply(4).await?;
    tokio::time::sleep(Duration::from_millis(100)).await;
    white.play(4, "Bb5").await?;
    white.ply(5).await?;
    page.say(&ClientMessage::Ping { n: 7 }).await?;
    let next = page.until(|message| match message {
        ServerMessage::Notice(notice) => Some(Some(notice)),
        ServerMessage::Pong { n: 7 } => Some(None),
        _ => None,
    });
    assert_eq!(next.await?, None);

    // A guest is told in the page, too: here that a friend has come by the link.
    let mut guest = Browser::new(&server);
    guest.me().await?;
    let wish = json!({ "variant": "chess", "side": "white" });
    let made: Value = guest.ask("POST", "/api/games", wish).await?.json()?;
    let mut page = socket(&server, &guest).await?;
    enter(&mut page).await?;
    let id = made["id"].as_str().ok_or("no id")?;
    // The maker has come and gone again.
    let mut waiting = socket(&server, &guest).await?;
    waiting.join(id, None).await?;
    drop(waiting);
    tokio::time::sleep(Duration::from_millis(100)).await;
    let (_friend, _) = server.join(id, made["friend_seat"].as_str()).await?;
    let told = notice(&mut page).await?;
    assert_eq!(told.kind, NoticeKind::GameStarted);
    assert!(
        told.text
            .ends_with("is playing Chess with you. You move first."),
        "{}",
        told.text
    );
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn that_time_runs_out_is_told_once_a_move_whatever_the_server_does() -> Fallible<()> {
    let mut service = PushService::start().await?;
    let server = TestServer::start("runsout", private).await?;
    let (mut ann, mut bob) = (
        account(&server, "Ann").await?,
        account(&server, "Bob").await?,
    );
    let to_bob = PushedTo::new(&service, "/bob")?;
    turn_on(&mut bob, &to_bob).await?;
    let wish = json!({ "variant": "chess", "clock": "days:1", "side": "white" });
    let offered = challenge(&mut ann, "Bob", wish.clone()).await?;
    service.next().await?;
    let game = accept(&mut bob, &offered).await?.game;
    play(&server, &ann, &game, 0, "e4").await?;
    assert_eq!(
        to_bob.read(&service.next().await?)?.kind,
        NoticeKind::YourTurn
    );

    // 19 hours and 12 minutes are four fifths of a day.
    let folder = server.stop().await?;
    pass(&folder, Duration::from_secs(19 * 3600))?;
    let server = TestServer::start("runsout", private).await?;
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert!(service.is_quiet().await, "it is too early");
    let folder = server.stop().await?;
    pass(&folder, Duration::from_secs(3600))?;
    let server = TestServer::start("runsout", private).await?;
    let posted = service.next().await?;
    let told = to_bob.read(&posted)?;
    assert_eq!(told.kind, NoticeKind::TimeRunningOut);
    assert_eq!(
        told.text,
        "4 hours are left for your move against Ann in Chess."
    );
    assert_eq!(told.address, format!("/game/{game}"));
    assert_eq!(
        posted.headers.get("urgency").map(String::as_str),
        Some("high")
    );

    // Not again for this move, whatever is said in the game and however often the server starts; for the next one it is.
    let mut speaking = socket_at(&server, &mut ann).await?;
    speaking.join(&game, None).await?;
    speaking
        .say(&ClientMessage::Chat {
            text: "hello?".into(),
        })
        .await?;
    drop(speaking);
    let folder = server.stop().await?;
    pass(&folder, Duration::from_secs(3600))?;
    let server = TestServer::start("runsout", private).await?;
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert!(service.is_quiet().await);
    for (browser, ply, text) in [(&mut bob, 1, "e5"), (&mut ann, 2, "Nf3")] {
        browser.address = server.address;
        play(&server, browser, &game, ply, text).await?;
    }
    assert_eq!(
        to_bob.read(&service.next().await?)?.kind,
        NoticeKind::YourTurn
    );
    let folder = server.stop().await?;
    pass(&folder, Duration::from_secs(20 * 3600))?;
    let server = TestServer::start("runsout", private).await?;
    let told = to_bob.read(&service.next().await?)?;
    assert_eq!(told.kind, NoticeKind::TimeRunningOut);
    // Once it has run out there is nothing left to be told.
    let folder = server.stop().await?;
    pass(&folder, Duration::from_secs(20 * 3600))?;
    let server = TestServer::start("runsout", private).await?;
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert!(service.is_quiet().await);
    server.end().await
}

async fn socket_at(server: &TestServer, browser: &mut Browser) -> Fallible<Socket> {
    browser.address = server.address;
    socket(server, browser).await
}

#[tokio::test(flavor = "multi_thread")]
async fn that_a_tournament_starts_is_told_once_to_those_who_have_joined() -> Fallible<()> {
    let mut service = PushService::start().await?;
    let server = TestServer::start("starting", private).await?;
    let (mut ann, mut bob) = (
        account(&server, "Ann").await?,
        account(&server, "Bob").await?,
    );
    let (to_ann, to_bob) = (
        PushedTo::new(&service, "/ann")?,
        PushedTo::new(&service, "/bob")?,
    );
    turn_on(&mut ann, &to_ann).await?;
    turn_on(&mut bob, &to_bob).await?;
    let wish = |name: &str, starts_ms: i64| {
        json!({
            "name": name, "kind": { "round_robin": {} }, "games": ["chess"], "clock": "fischer:5m+3s",
            "starts_ms": server::services::wall_ms() + starts_ms,
        })
    };
    let mut ids = Vec::new();
    for (name, minutes) in [("Evening Cup", 4), ("Tomorrow's Cup", 24 * 60)] {
        let made = ann
            .ask("POST", "/api/tournaments", wish(name, minutes * 60_000))
            .await?;
        assert_eq!(made.status, 201, "{}", made.body);
        ids.push(made.json::<TournamentMade>()?.id);
    }
    for id in &ids {
        let path = format!("/api/tournaments/{id}/me");
        assert_eq!(bob.ask("PUT", &path, json!({})).await?.status, 204);
    }
    let posted = service.next().await?;
    assert_eq!(posted.path, "/bob", "the maker has not joined");
    let told = to_bob.read(&posted)?;
    assert_eq!(told.kind, NoticeKind::TournamentStarting);
    assert_eq!(told.text, "Evening Cup starts in 4 minutes.");
    assert_eq!(told.address, format!("/tournament/{}", ids[0]));
    server.stop().await?;
    let server = TestServer::start("starting", private).await?;
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert!(service.is_quiet().await);
    server.end().await
}
