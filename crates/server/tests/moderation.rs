//! Moderation from outside: bans, closed and renamed accounts, chat removed; and that it holds.

use crate::common::browser::{Browser, code};
use crate::common::operator::*;
use crate::common::people::{WORD, account};
use crate::common::{Fallible, Request, Socket, TestServer};
use serde_json::{Value, json};
use server::wire::{
    AccountSeen, Announcement, BanKind, BanPage, ChatSeen, ClientMessage, GameMade, LogPage,
    Profile, ServerMessage, Side, Snapshot, Stage,
};
use std::net::IpAddr;
use std::time::Duration;

#[tokio::test(flavor = "multi_thread")]
async fn a_banned_account_is_out_until_its_time_is_over() -> Fallible<()> {
    let server = TestServer::start("banned", |_| ()).await?;
    let operator = Operator::of(&server)?;
    let mut ann = account(&server, "Ann").await?;
    let (made, mut white, mut black) = game(&server, &mut ann).await?;
    white.play(0, "e2e4").await?;
    black.ply(1).await?;
    black.play(1, "e7e5").await?;
    white.ply(2).await?;
    let until = soon();
    let ban =
        json!({ "act": "ban", "account": "ann", "until_ms": until, "reason": "engine in game X" });
    let done = operator.act(ban).await?;
    assert!(
        done.told.starts_with("Ann is banned, until 20"),
        "{}",
        done.told
    );
    // Her sockets end, her session, too, and she is told why and until when.
    assert!(closed(&mut white).await.contains("Policy"));
    assert!(!ann.me().await?.account);
    let again = ann.sign_in("Ann", WORD).await?;
    let told = again.json::<server::wire::Refusal>()?;
    assert_eq!((again.status, told.code.as_str()), (403, "banned"));
    assert!(
        told.message.contains("engine in game X") && told.message.contains("until 20"),
        "{}",
        told.message
    );
    // Who does not know the password is told nothing of it.
    assert_eq!(
        code(&ann.sign_in("Ann", "a guess at it").await?)?,
        "password"
    );
    // Nor does the link of her seat open it, to play or to speak.
    let mut link = server.socket().await?;
    link.say(&ClientMessage::Join {
        game: made.id.clone(),
        seat: Some(made.seat.clone()),
        name: None,
    })
    .await?;
    assert_eq!(link.refusal().await?, "banned");
    // Her game goes on, to be lost on time.
    let snapshot: Snapshot = server.get(&format!("/api/games/{}", made.id)).await?;
    assert_eq!(snapshot.now.stage, Stage::Playing);
    let seen: AccountSeen = operator.see("/accounts/Ann").await?;
    assert_eq!(seen.account.bans, [BanKind::Play]);
    assert_eq!(
        (seen.bans[0].until_ms, seen.bans[0].holds),
        (Some(until), true)
    );
    // It is lifted, and she is back.
    operator
        .act(json!({ "act": "unban", "account": "Ann" }))
        .await?;
    assert_eq!(ann.sign_in("Ann", WORD).await?.status, 200);
    let mut white = socket(&server, &ann).await?;
    assert_eq!(white.join(&made.id, None).await?.own, Some(Side::White));
    // A short one is over by itself.
    let until = server::services::wall_ms() + 1500;
    let ban = json!({ "act": "ban", "account": "Ann", "until_ms": until, "reason": "a while" });
    operator.act(ban).await?;
    assert_eq!(ann.sign_in("Ann", WORD).await?.status, 403);
    tokio::time::sleep(Duration::from_millis(1600)).await;
    assert_eq!(ann.sign_in("Ann", WORD).await?.status, 200);
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn games_of_the_banned_are_resigned_if_that_is_wished() -> Fallible<()> {
    let server = TestServer::start("resigned", |_| ()).await?;
    let operator = Operator::of(&server)?;
    let mut ann = account(&server, "Ann").await?;
    let (made, mut white, mut black) = game(&server, &mut ann).await?;
    white.play(0, "e2e4").await?;
    black.ply(1).await?;
    black.play(1, "e7e5").await?;
    black.ply(2).await?;
    let wishes = json!({ "variant": "citadel9", "side": "white" });
    let waiting: GameMade = ann.ask("POST", "/api/games", wishes).await?.json()?;
    let ban = json!({ "act": "ban", "account": "Ann", "resign": true, "reason": "cheating" });
    operator.act(ban).await?;
    let now = black.until(|message| match message {
        ServerMessage::Update { now, .. } if now.stage == Stage::Over => Some(now),
        _ => None,
    });
    let result = now.await?.result.ok_or("no result")?;
    assert_eq!(
        (result.winner, result.reason.as_str()),
        (Some(Side::Black), "resignation")
    );
    // One that had not begun is called off.
    let path = format!("/api/games/{}", waiting.id);
    let mut looks = 0;
    while server.get::<Snapshot>(&path).await?.now.stage != Stage::Aborted {
        looks += 1;
        assert!(looks < 100, "it is not called off");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let snapshot: Snapshot = server.get(&format!("/api/games/{}", made.id)).await?;
    assert_eq!(snapshot.now.stage, Stage::Over);
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn banned_addresses_are_kept_out_and_a_school_goes_on() -> Fallible<()> {
    let server = TestServer::start("addresses", |_| ()).await?;
    let operator = Operator::of(&server)?;
    let there = |last: u8| Browser {
        from: Some(IpAddr::from([127, 7, 7, last])),
        ..Browser::new(&server)
    };
    let mut pupil = there(1);
    assert_eq!(pupil.register("Pupil", WORD).await?.status, 201);
    let headers = pupil.cookie();
    let open = |cookie: String| async move {
        let from = Some(IpAddr::from([127, 7, 7, 1]));
        Socket::open_from(from, server.address, &[("cookie", cookie.as_str())]).await
    };
    let mut here = open(headers.clone()).await?;
    let ban = |only_new| json!({ "act": "ban", "addresses": "127.7.7.0/24", "only_new": only_new, "reason": "flood" });
    operator.act(ban(true)).await?;
    // No guests, no accounts; who has one goes on, and may sign in.
    let guest = there(2).get("/api/me").await?;
    assert_eq!((guest.status, code(&guest)?.as_str()), (403, "banned"));
    assert_eq!(there(2).register("Another", WORD).await?.status, 403);
    assert_eq!(there(3).sign_in("Pupil", WORD).await?.status, 200);
    assert!(pupil.me().await?.account);
    here.say(&ClientMessage::Ping { n: 1 }).await?;
    here.until(|message| matches!(message, ServerMessage::Pong { n: 1 }).then_some(()))
        .await?;
    // The whole range: nobody, and nobody stays.
    operator.act(ban(false)).await?;
    assert!(closed(&mut here).await.contains("Policy"));
    assert!(open(headers).await.is_err());
    for (method, path, body) in [
        ("GET", "/api/me", Value::Null),
        ("POST", "/api/games", json!({ "variant": "chess" })),
        (
            "POST",
            "/api/session",
            json!({ "name": "Pupil", "password": WORD }),
        ),
        (
            "POST",
            "/api/account",
            json!({ "name": "New", "password": WORD }),
        ),
        (
            "POST",
            "/api/reports",
            json!({ "person": "Pupil", "reason": "abuse" }),
        ),
    ] {
        for browser in [&mut pupil, &mut there(4)] {
            let answer = browser.ask(method, path, body.clone()).await?;
            assert_eq!(
                (answer.status, code(&answer)?.as_str()),
                (403, "banned"),
                "{method} {path}"
            );
        }
    }
    for path in ["/healthz", "/readyz", "/metrics", "/api/variants"] {
        assert_eq!(there(5).get(path).await?.status, 200, "{path}");
    }
    // Others are not touched.
    assert!(!Browser::new(&server).me().await?.account);
    let bans: BanPage = operator.see("/bans").await?;
    assert_eq!(bans.bans.len(), 2);
    operator
        .act(json!({ "act": "unban", "addresses": "127.7.7.9/24" }))
        .await?;
    assert_eq!(pupil.get("/api/me").await?.status, 200);
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_range_holds_behind_a_proxy() -> Fallible<()> {
    let server = TestServer::start("proxied", |c| {
        c.behind_proxy = true;
        c.origins = vec!["https://play.example.org".into()];
    })
    .await?;
    let operator = Operator::of(&server)?;
    let ban = json!({ "act": "ban", "addresses": "2001:db8:7::/48", "reason": "flood" });
    operator.act(ban).await?;
    for (forwarded, status) in [
        ("2001:db8:7:1::9", 403),
        ("2001:db8:8::1", 200),
        ("2001:db8:8::1, 2001:db8:7::1", 403),
        // What stands before the last one anybody can write.
        ("2001:db8:7::1, 2001:db8:8::1", 200),
    ] {
        let headers = [("x-forwarded-for", forwarded)];
        let answer = server.ask(Request::get("/api/me").with(&headers)).await?;
        assert_eq!(answer.status, status, "{forwarded}");
    }
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_closed_account_keeps_all_and_a_renamed_one_its_games() -> Fallible<()> {
    let server = TestServer::start("closed", |_| ()).await?;
    let operator = Operator::of(&server)?;
    let mut ann = account(&server, "Rudename").await?;
    let (made, _white, _black) = game(&server, &mut ann).await?;
    let rename =
        json!({ "act": "rename", "account": "rudename", "name": "Ann", "reason": "it offends" });
    operator.act(rename).await?;
    // Her session goes on under the new name, and her games bear it.
    assert_eq!(ann.me().await?.name, "Ann");
    let path = format!("/api/games/{}", made.id);
    let mut looks = 0;
    while server.get::<Snapshot>(&path).await?.now.players.white.name != "Ann" {
        looks += 1;
        assert!(looks < 100, "the game knows the old name");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    // The old name is nobody's, but opens the account to its owner still.
    assert_eq!(
        server
            .ask(Request::get("/api/people/Rudename"))
            .await?
            .status,
        404
    );
    let profile: Profile = server.get("/api/people/Ann").await?;
    assert_eq!(profile.name, "Ann");
    let mut other = Browser::new(&server);
    assert_eq!(code(&other.register("Rude-Name", WORD).await?)?, "taken");
    assert_eq!(other.sign_in("rudename", WORD).await?.status, 200);
    assert_eq!(other.me().await?.name, "Ann");
    // Names that others have, or nobody may have.
    account(&server, "Bob").await?;
    for (name, word) in [
        ("B0b", "taken"),
        ("Husun", "name"),
        ("x", "name"),
        ("Ann", "name"),
    ] {
        let rename = json!({ "act": "rename", "account": "Ann", "name": name, "reason": "r" });
        assert_eq!(operator.refused(rename).await?, word, "{name}");
    }
    let close = json!({ "act": "close", "account": "Ann", "reason": "asked for it" });
    operator.act(close).await?;
    assert!(!ann.me().await?.account);
    let refused = ann.sign_in("Ann", WORD).await?;
    assert!(
        refused.body.contains("closed: asked for it"),
        "{}",
        refused.body
    );
    assert_eq!(
        server.ask(Request::get("/api/people/Ann")).await?.status,
        200
    );
    operator
        .act(json!({ "act": "unban", "account": "Ann" }))
        .await?;
    assert_eq!(ann.sign_in("Ann", WORD).await?.status, 200);
    let log: LogPage = operator.see("/log?account=Ann").await?;
    let acts: Vec<&str> = log.log.iter().map(|entry| entry.act.as_str()).collect();
    assert_eq!(acts, ["unban", "close", "rename"]);
    assert_eq!(log.log[2].detail, "Rudename to Ann");
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn chat_is_removed_and_forbidden() -> Fallible<()> {
    let server = TestServer::start("chat-removed", |_| ()).await?;
    let operator = Operator::of(&server)?;
    let mut ann = account(&server, "Ann").await?;
    let (made, mut white, mut black) = game(&server, &mut ann).await?;
    let chat: Vec<ChatSeen> = operator.see(&format!("/games/{}/chat", made.id)).await?;
    assert_eq!((chat.len(), chat[0].by.name.as_str()), (1, "Ann"));
    let remove =
        |line| json!({ "act": "remove_chat", "game": made.id, "line": line, "reason": "insult" });
    assert_eq!(operator.refused(remove(1)).await?, "no_such_item");
    operator.act(remove(0)).await?;
    assert_eq!(operator.refused(remove(0)).await?, "gone");
    // Both see at once that it is gone.
    for player in [&mut white, &mut black] {
        let told = player.until(|message| match message {
            ServerMessage::Snapshot(snapshot) => Some(snapshot.chat),
            _ => None,
        });
        let told = told.await?;
        assert_eq!((told[0].text.as_str(), told[0].removed), ("", true));
    }
    // And so does who comes anew; nothing of it is left where games are kept.
    let (_, again) = server.join(&made.id, Some(&made.seat)).await?;
    assert!(again.chat[0].removed);
    // She may play, but not write.
    let mute = json!({ "act": "ban", "account": "Ann", "kind": "chat", "until_ms": soon(), "reason": "insults" });
    operator.act(mute).await?;
    let line = ClientMessage::Chat {
        text: "more".into(),
    };
    white.say(&line).await?;
    assert_eq!(white.refusal().await?, "muted");
    // Not by the link of her seat either.
    let (mut link, _) = server.join(&made.id, Some(&made.seat)).await?;
    link.say(&line).await?;
    assert_eq!(link.refusal().await?, "muted");
    white.play(0, "e2e4").await?;
    black.ply(1).await?;
    black.say(&line).await?;
    let heard = white.until(|message| match message {
        ServerMessage::Chat(line) => Some(line.text),
        _ => None,
    });
    assert_eq!(heard.await?, "more");
    let folder = server.stop().await?;
    let database = std::fs::read(folder.join("husun.sqlite"))?;
    assert!(!database.windows(9).any(|w| w == b"an insult"));
    crate::common::remove(folder).await?;
    Ok(())
}

/// What was done holds after a restart, and what games had not been told yet is told then.
#[tokio::test(flavor = "multi_thread")]
async fn bans_hold_after_a_restart() -> Fallible<()> {
    let server = TestServer::start("restart-bans", |_| ()).await?;
    let operator = Operator::of(&server)?;
    let mut ann = account(&server, "Ann").await?;
    operator
        .act(json!({ "act": "ban", "account": "Ann", "reason": "r" }))
        .await?;
    operator
        .act(json!({ "act": "announce", "text": "hello", "until_ms": soon() }))
        .await?;
    let word = operator.1.clone();
    let folder = server.stop().await?;
    assert!(!folder.join("operator").exists());
    let server = TestServer::start("restart-bans", |c| c.data = folder).await?;
    ann.address = server.address;
    assert_eq!(ann.sign_in("Ann", WORD).await?.status, 403);
    assert_eq!(
        server
            .get::<Vec<Announcement>>("/api/announcements")
            .await?
            .len(),
        1
    );
    // The word is another one.
    let headers = [("authorization", word.as_str())];
    let answer = server
        .ask(Request::get("/api/moderate").with(&headers))
        .await?;
    assert_eq!(answer.status, 403);
    server.end().await
}
