//! Accounts from outside: made by a guest who keeps all games, opened, changed, deleted; and what guests, others and
//! those who guess are refused.

use crate::common::browser::{Browser, code};
use crate::common::{Fallible, Request, Socket, TestServer, ask};
use play::table::Spec;
use serde_json::{Value, json};
use server::wire::{AccountMade, Exported, GameCard, GameMade, ServerMessage, Snapshot};
use std::net::IpAddr;
use std::time::{Duration, Instant};
use store::Store;
use store::accounts::AccountStore;

const WORD: &str = "correct horse";

#[tokio::test(flavor = "multi_thread")]
async fn a_guest_who_registers_keeps_the_games() -> Fallible<()> {
    let server = TestServer::start("accounts", |_| ()).await?;
    let mut ann = Browser::new(&server);
    let guest = ann.me().await?;
    assert!(
        !guest.account && guest.name.starts_with("Guest"),
        "{guest:?}"
    );
    let old_cookies = ann.cookies.clone();
    let wishes = json!({ "variant": "chess", "side": "white", "name": "Ann" });
    let made: GameMade = ann.ask("POST", "/api/games", wishes).await?.json()?;

    let answer = ann.register("Ann_B", WORD).await?;
    assert_eq!(answer.status, 201, "{}", answer.body);
    assert!(answer.head.contains("no-store"), "{}", answer.head);
    let account: AccountMade = answer.json()?;
    assert_eq!((account.name.as_str(), account.codes.len()), ("Ann_B", 8));
    let me = ann.me().await?;
    assert_eq!((me.name.as_str(), me.account), ("Ann_B", true));
    let games: Vec<GameCard> = ann.get("/api/me/games").await?.json()?;
    assert_eq!(games.iter().map(|g| &g.id).collect::<Vec<_>>(), [&made.id]);
    // The seat is hers without its secret.
    let mut socket = Socket::open(server.address, &[("cookie", &ann.cookie())]).await?;
    let snapshot = socket.join(&made.id, None).await?;
    assert!(snapshot.own.is_some(), "{snapshot:?}");
    // A copy of the guest's cookie from before opens nothing that is hers.
    let mut copy = Browser {
        cookies: old_cookies,
        ..Browser::new(&server)
    };
    assert!(!copy.me().await?.account);
    let games: Vec<GameCard> = copy.get("/api/me/games").await?.json()?;
    assert!(games.is_empty(), "{games:?}");

    // On another machine she has her games, too, and her name wherever she plays.
    let mut phone = Browser::new(&server);
    assert_eq!(phone.sign_in("ann_b", WORD).await?.status, 200);
    let games: Vec<GameCard> = phone.get("/api/me/games").await?.json()?;
    assert_eq!(games.len(), 1);
    let wishes = json!({ "variant": "chess", "level": 1, "side": "white", "name": "Somebody" });
    let made: GameMade = phone.ask("POST", "/api/games", wishes).await?.json()?;
    let game: Snapshot = phone
        .get(&format!("/api/games/{}", made.id))
        .await?
        .json()?;
    let white = &game.now.players.white;
    assert_eq!((white.name.as_str(), white.account), ("Ann_B", true));
    let rename = phone
        .ask("PUT", "/api/me", json!({ "name": "Bob" }))
        .await?;
    assert_eq!((rename.status, code(&rename)?.as_str()), (409, "signed_in"));

    // She signs out and is somebody else, with none of the games.
    let answer = phone.ask("DELETE", "/api/session", Value::Null).await?;
    assert_eq!(answer.status, 200);
    assert!(!phone.me().await?.account);
    let games: Vec<GameCard> = phone.get("/api/me/games").await?.json()?;
    assert!(games.is_empty());
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_one_has_asked_for_is_done_though_one_hangs_up() -> Fallible<()> {
    let server = TestServer::start("hang-up", |c| c.limits.accounts_per_hour = 0).await?;
    let mut names = Vec::new();
    for n in 0..8 {
        // A password takes a while; nobody waits for the answer.
        let name = format!("Hasty{n}");
        let body = json!({ "name": name, "password": WORD }).to_string();
        let asked = ask(server.address, Request::post("/api/account", &body));
        let waited = tokio::time::timeout(Duration::from_millis(10), asked).await;
        if waited.is_err() {
            names.push(name);
        }
    }
    assert!(names.len() > 4, "{names:?}");
    for name in names {
        let path = format!("/api/people/{name}");
        let begun = Instant::now();
        while server.ask(Request::get(&path)).await?.status != 200 {
            assert!(begun.elapsed() < Duration::from_secs(20), "{name} is lost");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_opens_an_account_is_asked_for() -> Fallible<()> {
    let server = TestServer::start("sign-in", |c| c.limits.sign_ins_per_minute = 0).await?;
    let mut ann = Browser::new(&server);
    for (name, password, status, reason) in [
        ("A", WORD, 422, "name"),
        ("Husun", WORD, 422, "name"),
        ("Ann", "short", 422, "new_password"),
        ("Ann", "password1", 422, "new_password"),
    ] {
        let answer = ann.register(name, password).await?;
        assert_eq!((answer.status, code(&answer)?.as_str()), (status, reason));
    }
    let made: AccountMade = ann.register("Ann", WORD).await?.json()?;
    let again = ann.register("Ann2", WORD).await?;
    assert_eq!(code(&again)?, "signed_in");
    let mut other = Browser::new(&server);
    let taken = other.register("a-N-n", WORD).await?;
    assert_eq!((taken.status, code(&taken)?.as_str()), (409, "taken"));

    // Nobody comes in with another password, or learns which names there are.
    let wrong = other.sign_in("Ann", "wrong horse").await?;
    let nobody = other.sign_in("Nobody", "wrong horse").await?;
    assert_eq!(
        (wrong.status, wrong.body.as_str()),
        (403, nobody.body.as_str())
    );
    let guess =
        json!({ "name": "Ann", "code": "aaaa-bbbb-cccc-dddd", "password": "another horse" });
    let answer = other.ask("POST", "/api/session/recovery", guess).await?;
    assert_eq!((answer.status, code(&answer)?.as_str()), (403, "code"));

    // A recovery code opens it once, and ends what was open.
    let recover = json!({ "name": "Ann", "code": made.codes[2], "password": "another horse" });
    let answer = other
        .ask("POST", "/api/session/recovery", recover.clone())
        .await?;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let account = other.account().await?;
    assert_eq!((account.codes, account.sessions.len()), (7, 1));
    assert_eq!(ann.get("/api/account").await?.status, 401);
    let mut third = Browser::new(&server);
    let answer = third.ask("POST", "/api/session/recovery", recover).await?;
    assert_eq!(answer.status, 403);
    assert_eq!(third.sign_in("Ann", WORD).await?.status, 403);
    assert_eq!(third.sign_in("Ann", "another horse").await?.status, 200);

    // The password is asked for before anything is changed.
    for body in [json!({}), json!({ "password": WORD })] {
        let answer = third
            .ask("POST", "/api/account/codes", body.clone())
            .await?;
        assert_eq!((answer.status, code(&answer)?.as_str()), (403, "password"));
        assert_eq!(third.ask("DELETE", "/api/account", body).await?.status, 403);
    }
    let change = json!({ "password": "another horse", "new": "third horse" });
    let answer = third.ask("PUT", "/api/account/password", change).await?;
    assert_eq!(answer.status, 204, "{}", answer.body);
    assert_eq!(other.get("/api/account").await?.status, 401);
    assert_eq!(third.account().await?.sessions.len(), 1);
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_are_listed_and_ended_one_by_one() -> Fallible<()> {
    let server = TestServer::start("sessions", |_| ()).await?;
    let (mut ann, mut phone) = (Browser::new(&server), Browser::new(&server));
    ann.register("Ann", WORD).await?;
    phone.sign_in("Ann", WORD).await?;
    let account = ann.account().await?;
    assert_eq!(account.sessions.len(), 2);
    assert_eq!(account.sessions[0].agent, "Browser of a test");
    let far = account.sessions.iter().find(|s| !s.current).ok_or("none")?;
    // What is open there is closed at once.
    let mut socket = Socket::open(server.address, &[("cookie", &phone.cookie())]).await?;
    let path = format!("/api/account/sessions/{}", far.id);
    // Nobody else can end it.
    let mut bob = Browser::new(&server);
    assert_eq!(bob.ask("DELETE", &path, Value::Null).await?.status, 401);
    bob.register("Bob", "bobs own words").await?;
    assert_eq!(bob.ask("DELETE", &path, Value::Null).await?.status, 404);
    assert_eq!(ann.ask("DELETE", &path, Value::Null).await?.status, 204);
    let end = loop {
        match socket.hear().await {
            Ok(ServerMessage::Trouble { .. }) => {}
            Ok(other) => return Err(format!("{other:?}").into()),
            Err(end) => break end.to_string(),
        }
    };
    assert!(end.contains("signed out"), "{end}");
    assert!(!phone.me().await?.account);
    assert!(ann.me().await?.account);
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_account_leaves_games_without_a_name() -> Fallible<()> {
    let server = TestServer::start("deleted", |_| ()).await?;
    let mut ann = Browser::new(&server);
    ann.register("Ann", WORD).await?;
    let wishes = json!({ "variant": "chess", "side": "white", "public": true });
    let made: GameMade = ann.ask("POST", "/api/games", wishes).await?.json()?;
    let friend = made.friend_seat.clone().ok_or("no seat")?;
    let mut white = Socket::open(server.address, &[("cookie", &ann.cookie())]).await?;
    white.join(&made.id, None).await?;
    let mut black = Socket::open(server.address, &[]).await?;
    black.join(&made.id, Some(&friend)).await?;
    white.play(0, "e2e4").await?;
    black.ply(1).await?;
    let exported = ann.get("/api/account/export").await?;
    let kept: Exported = exported.json()?;
    assert_eq!((kept.account.name.as_str(), kept.games.len()), ("Ann", 1));
    let pgn = kept.games[0].pgn.as_deref().unwrap_or_default();
    assert!(
        kept.games[0].id == made.id && pgn.contains("1. e4"),
        "{pgn}"
    );
    assert!(!exported.body.contains("argon2"), "{}", exported.body);

    let answer = ann
        .ask("DELETE", "/api/account", json!({ "password": WORD }))
        .await?;
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert!(!ann.me().await?.account);
    // The game is there, and in memory, in storage and in lists nobody's name.
    let path = format!("/api/games/{}", made.id);
    let mut looks = 0;
    let game = loop {
        let game: Snapshot = ann.get(&path).await?.json()?;
        if game.now.players.white.name == "deleted" {
            break game;
        }
        looks += 1;
        assert!(looks < 200, "{:?}", game.now.players.white);
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    assert_eq!((game.now.ply, game.now.players.white.account), (1, false));
    let card = Browser::new(&server)
        .get(&format!("{path}/pgn"))
        .await?
        .body;
    assert!(card.contains("deleted") && !card.contains("Ann"), "{card}");
    // Nobody gets the name, and nothing opens what it opened.
    let mut other = Browser::new(&server);
    assert_eq!(
        code(&other.register("ANN", "somebody else's").await?)?,
        "taken"
    );
    assert_eq!(other.sign_in("Ann", WORD).await?.status, 403);
    let folder = server.stop().await?;
    let database = std::fs::read(folder.join("husun.sqlite"))?;
    let name = b"\"name\":\"Ann\"";
    assert!(!database.windows(name.len()).any(|w| w == name));
    crate::common::remove(folder).await?;
    Ok(())
}

/// Killed between the two commits of a deletion, the server takes the name out of the games when it starts again.
#[tokio::test(flavor = "multi_thread")]
async fn an_interrupted_deletion_goes_on() -> Fallible<()> {
    let server = TestServer::start("half-deleted", |_| ()).await?;
    let mut ann = Browser::new(&server);
    ann.register("Ann", WORD).await?;
    let wishes = json!({ "variant": "chess", "level": 1, "side": "white" });
    let made: GameMade = ann.ask("POST", "/api/games", wishes).await?.json()?;
    let (folder, store) = server.stop_for_storage().await?;
    let stored = store.load(&made.id).await?.ok_or("no game")?;
    let spec: Spec = serde_json::from_str(&stored.spec)?;
    let kept = spec.seats.white.kept.ok_or("nobody")?;
    assert_eq!((kept.name.as_str(), kept.account), ("Ann", true));
    let ended = store.delete_account(&kept.guest, "deleted", &[]).await?;
    assert_eq!(ended.len(), 1);
    store.close().await;
    drop(store);

    let server = TestServer::start("half-deleted", |c| c.data = folder).await?;
    let mut anybody = Browser::new(&server);
    let path = format!("/api/games/{}", made.id);
    let mut looks = 0;
    loop {
        let game: Snapshot = anybody.get(&path).await?.json()?;
        if game.now.players.white.name == "deleted" {
            break;
        }
        looks += 1;
        assert!(looks < 200, "{:?}", game.now.players.white);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let (folder, store) = server.stop_for_storage().await?;
    assert!(store.deleted_accounts().await?.is_empty());
    store.close().await;
    crate::common::remove(folder).await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_operator_says_which_names_are_refused() -> Fallible<()> {
    let server = TestServer::start("refused-names", |_| ()).await?;
    let list = server.folder.join("refused-names.txt");
    let mut ann = Browser::new(&server);
    let written = std::fs::read_to_string(&list)?;
    std::fs::write(&list, format!("{written}\nann*\n"))?;
    let refused = ann.register("An_nabel", WORD).await?;
    assert_eq!((refused.status, code(&refused)?.as_str()), (422, "name"));
    std::fs::write(&list, "# nothing\n")?;
    let made = ann.register("Annabel", WORD).await?;
    assert_eq!(made.status, 201, "{}", made.body);
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn guessing_is_slowed_and_the_owner_is_not_shut_out() -> Fallible<()> {
    let server = TestServer::start("guessing", |c| c.limits.sign_ins_per_minute = 4).await?;
    let mut ann = Browser::new(&server);
    let made: AccountMade = ann.register("Ann", WORD).await?.json()?;
    // Many addresses try one name.
    let mut statuses = Vec::new();
    for n in 1..=6 {
        let mut guesser = Browser {
            from: Some(IpAddr::from([127, 0, 9, n])),
            ..Browser::new(&server)
        };
        statuses.push(
            guesser
                .sign_in("Ann", &format!("guess number {n}"))
                .await?
                .status,
        );
    }
    assert_eq!(statuses, [403, 403, 403, 403, 429, 429]);
    let mut owner = Browser::new(&server);
    let slowed = owner.sign_in("Ann", WORD).await?;
    assert_eq!((slowed.status, code(&slowed)?.as_str()), (429, "rate"));
    let recover = json!({ "name": "Ann", "code": made.codes[0], "password": "another horse" });
    let answer = owner.ask("POST", "/api/session/recovery", recover).await?;
    assert_eq!(answer.status, 200, "{}", answer.body);
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn guests_and_malformed_wishes_are_refused() -> Fallible<()> {
    let server = TestServer::start("no-account", |_| ()).await?;
    let mut guest = Browser::new(&server);
    for (method, path, body) in [
        ("GET", "/api/account", Value::Null),
        ("GET", "/api/account/export", Value::Null),
        ("DELETE", "/api/account", json!({})),
        (
            "PUT",
            "/api/account/password",
            json!({ "new": "another horse" }),
        ),
        ("POST", "/api/account/codes", json!({})),
        ("DELETE", "/api/account/sessions", Value::Null),
        ("DELETE", "/api/account/sessions/x", Value::Null),
        ("DELETE", "/api/account/passkeys/x", Value::Null),
        ("POST", "/api/account/passkeys/question", json!({})),
    ] {
        let answer = guest.ask(method, path, body).await?;
        assert_eq!(
            (answer.status, code(&answer)?.as_str()),
            (401, "sign_in"),
            "{method} {path}"
        );
    }
    for (path, body) in [
        ("/api/account", json!({ "name": "Ann" })),
        ("/api/session", json!({ "name": "Ann", "password": 7 })),
        ("/api/session/recovery", json!([])),
        ("/api/session/passkey", json!({ "token": "x" })),
    ] {
        let answer = guest.ask("POST", path, body).await?;
        assert!(
            (400..500).contains(&answer.status),
            "{path} {}",
            answer.body
        );
    }
    // A browser that is no browser, a question that was never asked, an answer that is none.
    let answer = guest
        .ask("POST", "/api/session/passkey/question", Value::Null)
        .await?;
    assert_eq!(code(&answer)?, "passkey");
    let answer = json!({ "token": "x", "credential": { "id": "x" } });
    let answer = guest.ask("POST", "/api/session/passkey", answer).await?;
    assert_eq!((answer.status, code(&answer)?.as_str()), (422, "passkey"));
    // A session's cookie cannot be made up.
    guest.cookies.insert("husun_session".into(), "abc".into());
    assert!(!guest.me().await?.account);
    server.end().await
}
