//! Rated games from outside: who may play them, and what they change.

use crate::common::browser::{Browser, code};
use crate::common::{Fallible, Socket, TestServer};
use play::Both;
use play::rating::{RatedGame, Rating, Score, Speed, rated};
use play::table::Spec;
use serde_json::json;
use server::wire::{
    ClientMessage, GameMade, GameRatings, Profile, RankedPlayer, RatingPoint, Snapshot, Stage,
};
use std::time::Duration;
use store::ratings::RatingStore;
use store::{GameWrite, Store};

const WORD: &str = "correct horse";

async fn account(server: &TestServer, name: &str) -> Fallible<Browser> {
    let mut browser = Browser::new(server);
    let made = browser.register(name, WORD).await?;
    assert_eq!(made.status, 201, "{}", made.body);
    Ok(browser)
}

/// The ratings of a game when it has been rated.
async fn ratings(browser: &mut Browser, game: &str) -> Fallible<GameRatings> {
    let path = format!("/api/games/{game}/ratings");
    for _ in 0..200 {
        let now: GameRatings = browser.get(&path).await?.json()?;
        let done = |rating: &Option<server::wire::GameRating>| {
            rating.as_ref().is_some_and(|r| r.change.is_some())
        };
        if done(&now.players.white) && done(&now.players.black) {
            return Ok(now);
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Err("the game was not rated".into())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rated_game_changes_both_ratings_once() -> Fallible<()> {
    let server = TestServer::start("rated", |_| ()).await?;
    let (mut ann, bob) = (
        account(&server, "Ann").await?,
        account(&server, "Bob").await?,
    );
    let wishes = json!({ "variant": "chess", "side": "white", "clock": "fischer:5m+3s", "rated": true, "takebacks": true });
    let made: GameMade = ann.ask("POST", "/api/games", wishes).await?.json()?;
    let friend = made.friend_seat.clone().ok_or("no seat")?;
    // A guest cannot take the seat.
    let mut guest = Socket::open(server.address, &[]).await?;
    guest
        .say(&ClientMessage::Join {
            game: made.id.clone(),
            seat: Some(friend.clone()),
            name: None,
        })
        .await?;
    assert_eq!(guest.refusal().await?, "sign_in");
    let mut white_socket = Socket::open(server.address, &[("cookie", &ann.cookie())]).await?;
    let snapshot = white_socket.join(&made.id, None).await?;
    assert!(snapshot.rated && !snapshot.takebacks);
    let mut black_socket = Socket::open(server.address, &[("cookie", &bob.cookie())]).await?;
    black_socket.join(&made.id, Some(&friend)).await?;
    white_socket.play(0, "f2f3").await?;
    black_socket.ply(1).await?;
    black_socket.play(1, "e7e5").await?;
    white_socket.ply(2).await?;
    white_socket.play(2, "g2g4").await?;
    black_socket.ply(3).await?;
    black_socket.play(3, "d8h4").await?;
    white_socket.ply(4).await?;
    let [new_white, new_black] = rated(&Rating::new(0), &Rating::new(0), Score::Loss, 0);
    let told = ratings(&mut ann, &made.id).await?;
    assert_eq!(told.speed, "blitz");
    let (white, black) = (
        told.players.white.ok_or("no rating")?,
        told.players.black.ok_or("no rating")?,
    );
    assert_eq!(white.now.rating, new_white.rating.round() as i32);
    assert_eq!(black.now.rating, new_black.rating.round() as i32);
    assert_eq!(white.change, Some(new_white.rating.round() as i32 - 1500));
    assert_eq!((black.now.games, black.now.provisional), (1, true));

    // All can see it.
    let mut anybody = Browser::new(&server);
    let profile: Profile = anybody.get("/api/people/bob").await?.json()?;
    assert_eq!((profile.name.as_str(), profile.ratings.len()), ("Bob", 1));
    let rating = &profile.ratings[0];
    assert_eq!(
        (rating.variant.as_str(), rating.speed.as_str()),
        ("chess", "blitz")
    );
    assert_eq!(rating.now.rating, black.now.rating);
    let path = "/api/people/Bob/ratings/chess/blitz";
    let points: Vec<RatingPoint> = anybody.get(path).await?.json()?;
    assert_eq!((points.len(), points[0].rating), (1, black.now.rating));
    // Provisional ratings are in no list of the best.
    let best: Vec<RankedPlayer> = anybody.get("/api/ratings/chess/blitz").await?.json()?;
    assert!(best.is_empty(), "{best:?}");
    // A restart rates nothing again.
    drop((white_socket, black_socket, guest));
    let folder = server.stop().await?;
    let server = TestServer::start("rated", |c| c.data = folder).await?;
    tokio::time::sleep(Duration::from_millis(300)).await;
    let mut anybody = Browser::new(&server);
    let again: Profile = anybody.get("/api/people/Bob").await?.json()?;
    assert_eq!(again.ratings[0].now.games, 1);
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_level_of_the_engine_is_a_rated_opponent() -> Fallible<()> {
    let server = TestServer::start("rated-level", |_| ()).await?;
    let mut ann = account(&server, "Ann").await?;
    let wishes = json!({ "variant": "citadel9", "level": 2, "side": "white", "clock": "tiger:5m+5s", "rated": true });
    let made: GameMade = ann.ask("POST", "/api/games", wishes).await?.json()?;
    let mut socket = Socket::open(server.address, &[("cookie", &ann.cookie())]).await?;
    let snapshot = socket.join(&made.id, None).await?;
    let legal = snapshot.now.legal.first().ok_or("no move")?.clone();
    socket.play(0, &legal).await?;
    socket.ply(2).await?;
    socket.say(&ClientMessage::Resign).await?;
    let told = ratings(&mut ann, &made.id).await?;
    assert_eq!(told.speed, "rapid");
    let (white, black) = (
        told.players.white.ok_or("no rating")?,
        told.players.black.ok_or("no rating")?,
    );
    assert!(
        white.change < Some(0) && black.change > Some(0),
        "{white:?} {black:?}"
    );
    server.end().await
}

/// Killed after a game's last event and before its rating, the server rates it when it starts again: once, and whatever
/// else waits.
#[tokio::test(flavor = "multi_thread")]
async fn what_waits_at_the_start_is_rated() -> Fallible<()> {
    let server = TestServer::start("rated-late", |_| ()).await?;
    let mut ids = Vec::new();
    for name in ["Ann", "Bob"] {
        let mut player = account(&server, name).await?;
        let wishes = json!({ "variant": "chess", "side": "white" });
        let made: GameMade = player.ask("POST", "/api/games", wishes).await?.json()?;
        ids.push(made.id);
    }
    let (folder, store) = server.stop_for_storage().await?;
    let mut accounts = Vec::new();
    for id in &ids {
        let stored = store.load(id).await?.ok_or("no game")?;
        let spec: Spec = serde_json::from_str(&stored.spec)?;
        accounts.push(spec.seats.white.kept.ok_or("nobody")?.guest);
    }
    let game = RatedGame {
        variant: "chess".into(),
        speed: Speed::Blitz,
        players: Both {
            white: accounts[0].clone(),
            black: accounts[1].clone(),
        },
        winner: None,
    };
    for (id, to_rate) in ids.iter().zip(["{ damaged".into(), game.to_text()]) {
        let stored = store.load(id).await?.ok_or("no game")?;
        let write = GameWrite {
            game: id.clone(),
            epoch: stored.epoch,
            to_rate: Some(to_rate),
            ..GameWrite::default()
        };
        for result in store.write(&[write]).await? {
            result?;
        }
    }
    store.close().await;
    drop(store);

    let server = TestServer::start("rated-late", |c| c.data = folder).await?;
    let mut anybody = Browser::new(&server);
    let mut looks = 0;
    let profile = loop {
        let profile: Profile = anybody.get("/api/people/Bob").await?.json()?;
        if !profile.ratings.is_empty() {
            break profile;
        }
        looks += 1;
        assert!(looks < 200, "not rated");
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    let [_, black] = rated(&Rating::new(0), &Rating::new(0), Score::Draw, 0);
    let now = &profile.ratings[0].now;
    assert_eq!((now.rating, now.games), (black.rating.round() as i32, 1));
    let (folder, store) = server.stop_for_storage().await?;
    assert!(store.to_rate(10).await?.is_empty());
    store.close().await;
    crate::common::remove(folder).await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn games_that_cannot_count_are_refused() -> Fallible<()> {
    let server = TestServer::start("unrated", |_| ()).await?;
    let (mut guest, mut ann) = (Browser::new(&server), account(&server, "Ann").await?);
    let wish = json!({ "variant": "chess", "level": 1, "clock": "fischer:5m+3s", "rated": true });
    let refused = guest.ask("POST", "/api/games", wish).await?;
    assert_eq!((refused.status, code(&refused)?.as_str()), (401, "sign_in"));
    let wish = json!({ "variant": "chess", "level": 1, "rated": true });
    let refused = ann.ask("POST", "/api/games", wish).await?;
    assert_eq!((refused.status, code(&refused)?.as_str()), (422, "clock"));
    let fen = "4k3/8/8/8/8/8/8/4K2Q w - - 0 1";
    let wish = json!({ "variant": "chess", "level": 1, "clock": "fischer:5m+3s", "rated": true, "fen": fen });
    let refused = ann.ask("POST", "/api/games", wish).await?;
    assert_eq!((refused.status, code(&refused)?.as_str()), (422, "setup"));
    let nobody = ann.get("/api/people/nobody").await?;
    assert_eq!(
        (nobody.status, code(&nobody)?.as_str()),
        (404, "no_such_person")
    );
    let wrong = ann.get("/api/ratings/chess/quick").await?;
    assert_eq!((wrong.status, code(&wrong)?.as_str()), (422, "clock"));
    // Nor does one that nobody has begun to play, or one with oneself.
    let wish =
        json!({ "variant": "chess", "side": "white", "clock": "fischer:5m+3s", "rated": true });
    let made: GameMade = ann.ask("POST", "/api/games", wish).await?.json()?;
    let friend = made.friend_seat.clone().ok_or("no seat")?;
    let mut white = Socket::open(server.address, &[("cookie", &ann.cookie())]).await?;
    white.join(&made.id, None).await?;
    let mut black = Socket::open(server.address, &[("cookie", &ann.cookie())]).await?;
    black.join(&made.id, Some(&friend)).await?;
    white.play(0, "e2e4").await?;
    white.ply(1).await?;
    white.say(&ClientMessage::Resign).await?;
    tokio::time::sleep(Duration::from_millis(500)).await;
    let game: Snapshot = ann.get(&format!("/api/games/{}", made.id)).await?.json()?;
    assert!(matches!(game.now.stage, Stage::Over | Stage::Aborted));
    let profile: Profile = ann.get("/api/people/Ann").await?.json()?;
    assert!(profile.ratings.is_empty(), "{profile:?}");
    server.end().await
}
