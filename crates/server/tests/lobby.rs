//! The lobby from outside: people who wait are paired, offers are accepted, declined and withdrawn, and what may not be
//! is refused.

use crate::common::browser::{Browser, code};
use crate::common::people::{account, guest, seek};
use crate::common::{Fallible, Socket, TestServer};
use serde_json::{Value, json};
use server::wire::{
    BlockedPerson, Challenge, Challenges, ClientMessage, DeclineReason, GameCard, Lobby, Paired,
    SeenPerson, ServerMessage, Side, Snapshot, Stage,
};
use std::time::Duration;

const CLOCK: &str = "fischer:5m+3s";

/// A socket in the lobby.
async fn enter(server: &TestServer, browser: &Browser) -> Fallible<(Socket, Lobby)> {
    let mut socket = Socket::open(server.address, &[("cookie", &browser.cookie())]).await?;
    socket.say(&ClientMessage::EnterLobby).await?;
    let lobby = socket.until(|message| match message {
        ServerMessage::Lobby(lobby) => Some(lobby),
        _ => None,
    });
    let lobby = lobby.await?;
    Ok((socket, lobby))
}

async fn paired(socket: &mut Socket) -> Fallible<Paired> {
    let told = socket.until(|message| match message {
        ServerMessage::Paired(paired) => Some(paired),
        _ => None,
    });
    told.await
}

#[tokio::test(flavor = "multi_thread")]
async fn two_who_wait_are_paired_and_play() -> Fallible<()> {
    let server = TestServer::start("paired", |_| ()).await?;
    let (mut ann, mut bob) = (guest(&server).await?, guest(&server).await?);
    let (mut watcher, empty) = enter(&server, &guest(&server).await?).await?;
    assert!(empty.seeks.is_empty());
    let (mut ann_socket, _) = enter(&server, &ann).await?;
    let (mut bob_socket, _) = enter(&server, &bob).await?;
    let wish = json!({ "games": ["citadel9", "shatranj"], "clocks": ["fischer:3m+2s", CLOCK], "side": "white" });
    let made = seek(&mut ann, wish).await?;
    let id = made.id.ok_or("it does not wait")?;
    // All who are there see it.
    let change = watcher.until(|message| match message {
        ServerMessage::LobbyChange(change) if !change.added.is_empty() => Some(change),
        _ => None,
    });
    let change = change.await?;
    assert_eq!(
        (change.added[0].id.as_str(), change.added[0].games.len()),
        (id.as_str(), 2)
    );
    let lobby: Lobby = ann.get("/api/lobby").await?.json()?;
    assert_eq!((lobby.own, lobby.here), (vec![id.clone()], 3));

    // What does not overlap waits besides.
    let other = seek(&mut bob, json!({ "games": ["chess"], "clocks": [CLOCK] })).await?;
    assert!(other.paired.is_none());
    let made = seek(
        &mut bob,
        json!({ "games": ["shatranj"], "clocks": [CLOCK] }),
    )
    .await?;
    let told = made.paired.ok_or("not paired")?;
    assert_eq!(
        (told.side, told.name.as_str(), told.clock.as_str()),
        (Side::Black, "Shatranj", CLOCK)
    );
    let of_ann = paired(&mut ann_socket).await?;
    assert_eq!(
        (&of_ann.game, of_ann.side),
        (&told.game, Side::White),
        "{of_ann:?}"
    );
    assert_eq!(paired(&mut bob_socket).await?, told);
    // Neither waits any more, and the list knows.
    let change = watcher.until(|message| match message {
        ServerMessage::LobbyChange(change) if change.gone.contains(&id) => Some(change),
        _ => None,
    });
    change.await?;
    let lobby: Lobby = ann.get("/api/lobby").await?.json()?;
    assert!(lobby.seeks.is_empty(), "{lobby:?}");
    // The game has begun, and each has a seat without a secret.
    let mut white = Socket::open(server.address, &[("cookie", &ann.cookie())]).await?;
    let snapshot = white.join(&told.game, None).await?;
    assert_eq!(
        (snapshot.own, snapshot.now.stage),
        (Some(Side::White), Stage::Playing)
    );
    let legal = snapshot.now.legal.first().ok_or("no move")?.clone();
    white.play(0, &legal).await?;
    let mut black = Socket::open(server.address, &[("cookie", &bob.cookie())]).await?;
    let snapshot = black.join(&told.game, None).await?;
    assert_eq!(snapshot.own, Some(Side::Black));
    let mine: Vec<GameCard> = bob.get("/api/me/games").await?.json()?;
    assert_eq!(mine.len(), 1);
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_offer_is_taken_once() -> Fallible<()> {
    let server = TestServer::start("taken-once", |_| ()).await?;
    let mut ann = guest(&server).await?;
    let (_socket, _) = enter(&server, &ann).await?;
    let made = seek(
        &mut ann,
        json!({ "clocks": ["days:3"], "games": ["chess"] }),
    )
    .await?;
    let id = made.id.ok_or("it does not wait")?;
    let path = format!("/api/lobby/seeks/{id}/accept");
    let own = ann.ask("POST", &path, json!({})).await?;
    assert_eq!((own.status, code(&own)?.as_str()), (409, "opponent"));
    let takers = (0..12).map(|_| async {
        let mut taker = guest(&server).await?;
        taker.ask("POST", &path, json!({})).await
    });
    let answers = futures_util::future::try_join_all(takers).await?;
    let mut statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses[0], 201);
    assert!(
        statuses[1..].iter().all(|status| *status == 410),
        "{statuses:?}"
    );
    let mine: Vec<GameCard> = ann.get("/api/me/games").await?.json()?;
    assert_eq!(mine.len(), 1);
    server.end().await
}

/// Of many who come in the same moment nobody is left over, or in two games.
#[tokio::test(flavor = "multi_thread")]
async fn who_comes_in_the_same_moment_is_not_passed_by() -> Fallible<()> {
    for clock in [CLOCK, "days:2"] {
        let server = TestServer::start("same-moment", |_| ()).await?;
        let come = (0..20).map(|_| async {
            let mut person = guest(&server).await?;
            let wish = json!({ "games": ["chess"], "clocks": [clock] });
            seek(&mut person, wish).await?;
            Ok::<Browser, Box<dyn std::error::Error + Send + Sync>>(person)
        });
        let people = futures_util::future::try_join_all(come).await?;
        for mut person in people {
            let games: Vec<GameCard> = person.get("/api/me/games").await?.json()?;
            assert_eq!(games.len(), 1, "{clock}");
            let lobby: Lobby = person.get("/api/lobby").await?.json()?;
            assert!(lobby.seeks.is_empty(), "{clock} {lobby:?}");
        }
        server.end().await?;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn seeks_over_days_survive_a_restart_and_others_end() -> Fallible<()> {
    let server = TestServer::start("slow-seeks", |_| ()).await?;
    let (mut ann, mut bob) = (
        account(&server, "Ann").await?,
        account(&server, "Bob").await?,
    );
    let (_socket, _) = enter(&server, &ann).await?;
    let family = json!({ "families": ["Citadel"], "clocks": ["days:2", "days:5"], "rated": true });
    let slow = seek(&mut ann, family).await?.id.ok_or("no id")?;
    let quick = seek(&mut ann, json!({ "clocks": [CLOCK] })).await?;
    assert!(quick.id.is_some());
    drop(_socket);
    let folder = server.stop().await?;
    let server = TestServer::start("slow-seeks", |c| c.data = folder).await?;
    (ann.address, bob.address) = (server.address, server.address);
    let mut lobby: Lobby = bob.get("/api/lobby").await?.json()?;
    for _ in 0..100 {
        if !lobby.seeks.is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
        lobby = bob.get("/api/lobby").await?.json()?;
    }
    let seek = &lobby.seeks[0];
    assert_eq!((lobby.seeks.len(), &seek.id), (1, &slow));
    assert_eq!(seek.games[0].family.as_deref(), Some("Citadel"));
    // Ann is not here, and is paired.
    let path = format!("/api/lobby/seeks/{slow}/accept");
    let wrong = bob.ask("POST", &path, json!({ "clock": "days:4" })).await?;
    assert_eq!(wrong.status, 422, "{}", wrong.body);
    let mut nobody = guest(&server).await?;
    let refused = nobody.ask("POST", &path, json!({})).await?;
    assert_eq!((refused.status, code(&refused)?.as_str()), (401, "sign_in"));
    let answer = bob.ask("POST", &path, json!({ "clock": "days:5" })).await?;
    assert_eq!(answer.status, 201, "{}", answer.body);
    let told: Paired = answer.json()?;
    assert_eq!(
        (told.opponent.as_str(), told.clock.as_str()),
        ("Ann", "days:5")
    );
    let game: Snapshot = bob
        .get(&format!("/api/games/{}", told.game))
        .await?
        .json()?;
    assert_eq!((game.now.stage, game.rated), (Stage::Customs, true));
    let mine: Vec<GameCard> = ann.get("/api/me/games").await?.json()?;
    assert_eq!(mine[0].id, told.game);
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn challenges_are_accepted_declined_and_withdrawn() -> Fallible<()> {
    let server = TestServer::start("challenges", |_| ()).await?;
    let (mut ann, mut bob) = (
        account(&server, "Ann").await?,
        account(&server, "Bob").await?,
    );
    let (mut bob_socket, _) = enter(&server, &bob).await?;
    let (mut ann_socket, _) = enter(&server, &ann).await?;
    let to_bob = "/api/people/Bob/challenges";
    let wish = json!({ "variant": "grand", "clock": CLOCK, "rated": true, "side": "black" });
    let answer = ann.ask("POST", to_bob, wish.clone()).await?;
    assert_eq!(answer.status, 201, "{}", answer.body);
    let made: Challenge = answer.json()?;
    let heard = bob_socket.until(|message| match message {
        ServerMessage::Challenged(challenge) => Some(challenge),
        _ => None,
    });
    assert_eq!(heard.await?, made);
    assert_eq!((made.from.as_str(), made.to.as_str()), ("Ann", "Bob"));
    let of_bob: Challenges = bob.get("/api/me/challenges").await?.json()?;
    assert_eq!(of_bob.received, std::slice::from_ref(&made));
    // Nobody else has anything to do with it.
    let mut eve = account(&server, "Eve").await?;
    for (method, path, body) in [
        (
            "POST",
            format!("/api/challenges/{}/accept", made.id),
            json!({}),
        ),
        (
            "POST",
            format!("/api/challenges/{}/decline", made.id),
            json!({ "reason": "no" }),
        ),
        (
            "DELETE",
            format!("/api/challenges/{}", made.id),
            Value::Null,
        ),
    ] {
        let refused = eve.ask(method, &path, body).await?;
        assert_eq!(
            (refused.status, code(&refused)?.as_str()),
            (404, "no_such_offer"),
            "{path}"
        );
    }
    // Its maker cannot accept it either.
    let accept = format!("/api/challenges/{}/accept", made.id);
    assert_eq!(ann.ask("POST", &accept, json!({})).await?.status, 404);
    let answer = bob.ask("POST", &accept, json!({})).await?;
    let told: Paired = answer.json()?;
    assert_eq!(told.side, Side::White);
    assert_eq!(paired(&mut ann_socket).await?.game, told.game);
    assert_eq!(bob.ask("POST", &accept, json!({})).await?.status, 410);

    // Declined with a reason, which its maker reads until it is put away.
    let made: Challenge = ann.ask("POST", to_bob, wish.clone()).await?.json()?;
    let decline = format!("/api/challenges/{}/decline", made.id);
    let answer = bob
        .ask("POST", &decline, json!({ "reason": "slower" }))
        .await?;
    assert_eq!(answer.status, 204, "{}", answer.body);
    let gone = ann_socket.until(|message| match message {
        ServerMessage::ChallengeGone { id, declined } => Some((id, declined)),
        _ => None,
    });
    let mut gone = gone.await?;
    if gone.1.is_none() {
        // That of the one accepted.
        gone = ann_socket
            .until(|message| match message {
                ServerMessage::ChallengeGone { id, declined } => Some((id, declined)),
                _ => None,
            })
            .await?;
    }
    assert_eq!(gone, (made.id.clone(), Some(DeclineReason::Slower)));
    let of_ann: Challenges = ann.get("/api/me/challenges").await?.json()?;
    assert_eq!(of_ann.sent[0].declined, Some(DeclineReason::Slower));
    let of_bob: Challenges = bob.get("/api/me/challenges").await?.json()?;
    assert!(of_bob.received.is_empty());
    let path = format!("/api/challenges/{}", made.id);
    assert_eq!(ann.ask("DELETE", &path, Value::Null).await?.status, 204);
    let of_ann: Challenges = ann.get("/api/me/challenges").await?.json()?;
    assert!(of_ann.sent.is_empty());

    // Who is blocked cannot challenge, nor be paired.
    let wrong = ann.ask("PUT", "/api/me/blocked/Ann", Value::Null).await?;
    assert_eq!(wrong.status, 409);
    let open: Challenge = ann.ask("POST", to_bob, wish.clone()).await?.json()?;
    let answer = bob.ask("PUT", "/api/me/blocked/ann", Value::Null).await?;
    assert_eq!(answer.status, 204, "{}", answer.body);
    let blocked: Vec<BlockedPerson> = bob.get("/api/me/blocked").await?.json()?;
    assert_eq!(blocked[0].name, "Ann");
    let sent: Challenges = ann.get("/api/me/challenges").await?.json()?;
    assert_eq!(sent.sent[0].id, open.id);
    assert_eq!(sent.sent[0].declined, Some(DeclineReason::No));
    let refused = ann.ask("POST", to_bob, wish.clone()).await?;
    assert_eq!(
        (refused.status, code(&refused)?.as_str()),
        (409, "opponent")
    );
    let any = json!({ "clocks": [CLOCK] });
    assert!(seek(&mut ann, any.clone()).await?.paired.is_none());
    assert!(seek(&mut bob, any.clone()).await?.paired.is_none());
    assert!(seek(&mut eve, any).await?.paired.is_some());
    let answer = bob
        .ask("DELETE", "/api/me/blocked/Ann", Value::Null)
        .await?;
    assert_eq!(answer.status, 204);
    assert_eq!(ann.ask("POST", to_bob, wish).await?.status, 201);
    // Both are told of as people who were here.
    let seen: Vec<SeenPerson> = eve.get("/api/lobby/people").await?.json()?;
    let here = seen.iter().find(|p| p.name == "Bob").ok_or("no Bob")?;
    assert!(here.here, "{seen:?}");
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_offered_is_refused() -> Fallible<()> {
    let server = TestServer::start("no-offer", |_| ()).await?;
    let (mut guest, mut ann) = (guest(&server).await?, account(&server, "Ann").await?);
    for (wish, status, reason) in [
        (json!({ "clocks": [] }), 422, "clock"),
        (json!({ "clocks": ["soon"] }), 422, "clock"),
        (json!({ "clocks": [CLOCK, "days:3"] }), 422, "clock"),
        (json!({ "clocks": vec![CLOCK; 13] }), 422, "clock"),
        (
            json!({ "games": ["go"], "clocks": [CLOCK] }),
            422,
            "variant",
        ),
        (
            json!({ "families": ["Go"], "clocks": [CLOCK] }),
            422,
            "family",
        ),
        (json!({ "clocks": [CLOCK], "rated": true }), 401, "sign_in"),
        (
            json!({ "clocks": [CLOCK], "min_rating": 2000, "max_rating": 1000 }),
            409,
            "range",
        ),
        (json!({ "clocks": [CLOCK], "fen": "x" }), 422, "malformed"),
    ] {
        let answer = guest.ask("POST", "/api/lobby/seeks", wish.clone()).await?;
        assert_eq!(
            (answer.status, code(&answer)?.as_str()),
            (status, reason),
            "{wish}"
        );
    }
    let none = json!({ "clocks": ["none"], "rated": true });
    let answer = ann.ask("POST", "/api/lobby/seeks", none).await?;
    assert_eq!((answer.status, code(&answer)?.as_str()), (422, "clock"));
    let path = "/api/people/Ann/challenges";
    let wish = json!({ "variant": "chess", "clock": CLOCK });
    let answer = guest.ask("POST", path, wish.clone()).await?;
    assert_eq!((answer.status, code(&answer)?.as_str()), (401, "sign_in"));
    let answer = ann.ask("POST", path, wish.clone()).await?;
    assert_eq!((answer.status, code(&answer)?.as_str()), (409, "opponent"));
    let answer = ann
        .ask("POST", "/api/people/Nobody/challenges", wish)
        .await?;
    assert_eq!(code(&answer)?, "no_such_person");
    let both = json!({ "variant": "chess", "family": "Citadel", "clock": CLOCK });
    let answer = ann.ask("POST", "/api/people/Ann/challenges", both).await?;
    assert_eq!(code(&answer)?, "variant");
    for (method, path) in [
        ("DELETE", "/api/lobby/seeks/none"),
        ("POST", "/api/lobby/seeks/none/accept"),
        ("DELETE", "/api/challenges/none"),
        ("POST", "/api/challenges/none/accept"),
    ] {
        let answer = guest.ask(method, path, json!({})).await?;
        assert!(matches!(answer.status, 404 | 410), "{path} {}", answer.body);
    }
    // A seek within a range of ratings is not for everybody.
    let wish = json!({ "games": ["chess"], "clocks": [CLOCK], "min_rating": 1800 });
    let id = seek(&mut ann, wish).await?.id.ok_or("no id")?;
    let path = format!("/api/lobby/seeks/{id}/accept");
    let answer = guest.ask("POST", &path, json!({})).await?;
    assert_eq!((answer.status, code(&answer)?.as_str()), (409, "range"));
    // Nobody takes another's back.
    let path = format!("/api/lobby/seeks/{id}");
    assert_eq!(guest.ask("DELETE", &path, Value::Null).await?.status, 404);
    assert_eq!(ann.ask("DELETE", &path, Value::Null).await?.status, 204);
    server.end().await
}
