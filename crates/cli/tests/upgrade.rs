//! A data folder of the previous version goes on in this one: people sign in, ratings are as they were, running games
//! are played on. `HUSUN_SERVER=OLD cargo test -p husun-cli --test all upgrade -- --ignored` makes the folder anew with the program of
//! that version, in which a game of two accounts is played; CONTRIBUTING says when.

use crate::common::browser::Browser;
use crate::common::{Fallible, Request, Socket, ask};
use crate::house::{House, WORD};
use crate::process::{Process, folder};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use server::wire::{ClientMessage, GameMade, Profile, Snapshot, Stage};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

const PEOPLE: [&str; 2] = ["Ann", "Bob"];
const FILES: [&str; 3] = ["husun.sqlite", "alive", "cookie.key"];

/// What should be found in the folder.
#[derive(Serialize, Deserialize)]
struct Kept {
    /// The people's ratings in each game.
    ratings: BTreeMap<String, BTreeMap<String, i32>>,
    games: Vec<KeptGame>,
}

#[derive(Serialize, Deserialize)]
struct KeptGame {
    id: String,
    clock: String,
    moves: Vec<String>,
    over: bool,
    /// The cookies that identify the second player in a game of guests.
    cookie: Option<String>,
}

fn kept() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/version-before")
}

fn nobody(address: SocketAddr) -> Browser {
    Browser {
        address,
        from: None,
        cookies: BTreeMap::new(),
    }
}

async fn socket(browser: &Browser) -> Fallible<Socket> {
    Socket::open(browser.address, &[("cookie", &browser.cookie())]).await
}

async fn snapshot(address: SocketAddr, id: &str) -> Fallible<Snapshot> {
    let path = format!("/api/games/{id}");
    ask(address, Request::get(&path)).await?.json()
}

/// Plays a number of half-moves, always the first legal one.
async fn play_on(
    address: SocketAddr,
    id: &str,
    sockets: &mut [Socket; 2],
    plies: u32,
) -> Fallible<()> {
    for _ in 0..plies {
        let now = snapshot(address, id).await?.now;
        let text = now.legal.first().ok_or("no legal move")?;
        let [white, black] = sockets;
        let (own, other) = match now.ply % 2 {
            0 => (white, black),
            _ => (black, white),
        };
        own.play(now.ply, text).await?;
        own.ply(now.ply + 1).await?;
        other.ply(now.ply + 1).await?;
    }
    Ok(())
}

async fn ratings(browser: &mut Browser, name: &str) -> Fallible<BTreeMap<String, i32>> {
    let path = format!("/api/people/{name}");
    let profile: Profile = browser.get(&path).await?.json()?;
    let all = profile.ratings.into_iter();
    Ok(all
        .map(|r| (format!("{} {}", r.variant, r.speed), r.now.rating))
        .collect())
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "makes the folder anew, with the program that HUSUN_SERVER names"]
async fn the_folder_is_made() -> Fallible<()> {
    std::env::var("HUSUN_SERVER").map_err(|_| "HUSUN_SERVER: expected the program of a version")?;
    let mut house = House::open("version-before").await?;
    let address = house.address;
    let mut ann = house.account(PEOPLE[0]).await?;
    let bob = house.account(PEOPLE[1]).await?;
    let mut guests = [nobody(address), nobody(address)];
    for guest in &mut guests {
        guest.me().await?;
    }
    let mut games = Vec::new();
    for (variant, clock, rated, plies, over) in [
        ("chess", "fischer:5m+3s", true, 4, true),
        ("citadel9", "fischer:5m+3s", true, 3, true),
        ("strike80", "days:7", true, 5, false),
        ("alhusun", "days:14", false, 6, false),
        ("citadelir2024", "fischer:30m+20s", false, 4, false),
    ] {
        let wish = json!({ "variant": variant, "side": "white", "clock": clock, "rated": rated });
        let of_guests = variant == "citadelir2024";
        let mut first = match of_guests {
            true => guests[0].clone(),
            false => ann.clone(),
        };
        let made = first.ask("POST", "/api/games", wish).await?;
        let made: GameMade = made.json()?;
        let second = if of_guests { &guests[1] } else { &bob };
        let mut sockets = [socket(&first).await?, socket(second).await?];
        sockets[0].join(&made.id, Some(&made.seat)).await?;
        let seat = made.friend_seat.as_deref();
        sockets[1].join(&made.id, seat).await?;
        play_on(address, &made.id, &mut sockets, plies).await?;
        if over {
            sockets[1].say(&ClientMessage::Resign).await?;
            while snapshot(address, &made.id).await?.now.stage != Stage::Over {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
        let moves = snapshot(address, &made.id).await?.moves;
        games.push(KeptGame {
            moves: moves.into_iter().map(|m| m.uci).collect(),
            cookie: of_guests.then(|| second.cookie()),
            clock: clock.into(),
            id: made.id,
            over,
        });
    }
    let mut all = BTreeMap::new();
    for name in PEOPLE {
        let mut found = BTreeMap::new();
        while found.len() < 2 {
            tokio::time::sleep(Duration::from_millis(50)).await;
            found = ratings(&mut ann, name).await?;
        }
        all.insert(name.to_owned(), found);
    }
    // A clean end moves what is in the log beside the database into it.
    house.end()?;
    let kept = kept();
    std::fs::create_dir_all(&kept)?;
    for file in FILES {
        std::fs::copy(house.data.join(file), kept.join(file))?;
    }
    let found = Kept {
        ratings: all,
        games,
    };
    std::fs::write(
        kept.join("kept.json"),
        serde_json::to_string_pretty(&found)?,
    )?;
    house.close()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_of_the_version_before_goes_on() -> Fallible<()> {
    let found: Kept = serde_json::from_slice(&std::fs::read(kept().join("kept.json"))?)?;
    let data = folder("upgrade")?;
    for file in FILES {
        std::fs::copy(kept().join(file), data.join(file))?;
    }
    let config = data.join("config.toml");
    std::fs::write(&config, "start_grace_seconds = 0\nengine_pause = false\n")?;
    let process = Process::start(&data, &config).await?;
    let address = process.address;
    let mut people = Vec::new();
    for name in PEOPLE {
        let mut browser = nobody(address);
        let signed_in = browser.sign_in(name, WORD).await?;
        assert_eq!(signed_in.status, 200, "{}", signed_in.body);
        assert_eq!(ratings(&mut browser, name).await?, found.ratings[name]);
        let own: Vec<Value> = browser.get("/api/me/games").await?.json()?;
        assert_eq!(own.len(), 4, "the games of two accounts");
        people.push(browser);
    }
    for game in &found.games {
        let seen = snapshot(address, &game.id).await?;
        let moves = seen.moves.iter().map(|m| &m.uci);
        assert!(moves.eq(&game.moves), "{}", game.id);
        assert_eq!(seen.now.stage == Stage::Over, game.over, "{}", game.id);
        if game.over || game.cookie.is_some() {
            continue;
        }
        // A running one over days is played on, to its end and to ratings.
        let mut sockets = [socket(&people[0]).await?, socket(&people[1]).await?];
        for socket in &mut sockets {
            let own = socket.join(&game.id, None).await?;
            assert!(own.own.is_some(), "{}", game.id);
        }
        play_on(address, &game.id, &mut sockets, 3).await?;
        sockets[1].say(&ClientMessage::Resign).await?;
    }
    // A guest is recognised by the cookie, with the clock where it stood.
    let guests = found.games.iter().find(|game| game.cookie.is_some());
    let guests = guests.ok_or("no game of guests")?;
    let cookie = guests.cookie.as_deref().unwrap_or_default();
    let mut guest = Socket::open(address, &[("cookie", cookie)]).await?;
    let told = guest.join(&guests.id, None).await?;
    assert!(told.own.is_some());
    let clocks = told.now.clocks.ok_or("no clocks")?;
    assert!(clocks.times.black.main_ms > 20 * 60 * 1000, "{clocks:?}");
    // What was rated stays rated, and what ends now is rated on top of it.
    for _ in 0..200 {
        if ratings(&mut people[0], PEOPLE[0]).await?.len() == 3 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let now = ratings(&mut people[0], PEOPLE[0]).await?;
    let before = &found.ratings[PEOPLE[0]];
    assert!(
        before
            .iter()
            .all(|(which, rating)| now.get(which) == Some(rating))
    );
    assert_eq!(now.len(), before.len() + 1, "{now:?}");
    process.kill()?;
    Ok(std::fs::remove_dir_all(&data)?)
}
