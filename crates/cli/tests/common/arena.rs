//! People who play a tournament on servers that are killed meanwhile, and what must be true of it afterwards.

#![allow(dead_code)] // each test uses its part

use super::common::browser::Browser;
use super::common::{Fallible, Socket};
use super::house::House;
use futures_util::future::try_join_all;
use play::tournament::Event;
use serde_json::json;
use server::wire::{
    ClientMessage, GameResult, Now, ServerMessage, Side, Snapshot, Stage, TournamentGame,
    TournamentGames, TournamentNow, TournamentRow,
};
use std::collections::{HashMap, HashSet};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use store::accounts::AccountStore;
use store::ratings::RatingStore;
use store::tournaments::TournamentStore;
use store::{SqlStore, StoreError};

pub const LIMITS: &str = "requests_per_second = 0\npositions_per_second = 0\ngames_per_minute = 0\nsockets_per_address = 0\n\
    connections_per_address = 0\naccounts_per_hour = 0\nsign_ins_per_minute = 0\n";
pub const GAME: &str = "citadel8";
pub const SPEED: &str = "blitz";

/// What an arena's players share.
pub struct Arena {
    pub id: String,
    /// How many games are enough.
    pub enough: usize,
    /// Games whose end players have seen.
    pub seen: Mutex<HashSet<String>>,
    /// Where there is a server: who loses one goes to the next.
    pub addresses: Vec<SocketAddr>,
}

impl Arena {
    pub fn seen(&self) -> MutexGuard<'_, HashSet<String>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next(&self, address: SocketAddr) -> SocketAddr {
        let here = self.addresses.iter().position(|known| *known == address);
        let next = here.map_or(0, |here| (here + 1) % self.addresses.len());
        self.addresses[next]
    }

    pub fn is_enough(&self) -> bool {
        self.seen().len() >= self.enough
    }
}

/// How a game goes, which its players derive from its id.
#[derive(Clone, Copy, PartialEq)]
enum Plan {
    WhiteResigns,
    BlackResigns,
    Draw,
}

fn plan(game: &str) -> Plan {
    match game.bytes().map(usize::from).sum::<usize>() % 5 {
        0 | 1 => Plan::WhiteResigns,
        2 | 3 => Plan::BlackResigns,
        _ => Plan::Draw,
    }
}

pub async fn get<T: serde::de::DeserializeOwned>(browser: &mut Browser, path: &str) -> Fallible<T> {
    let answer = browser.get(path).await?;
    match answer.status {
        200 => answer.json(),
        status => Err(format!("{path}: {status} {}", answer.body).into()),
    }
}

pub async fn socket(browser: &Browser) -> Fallible<Socket> {
    Socket::open(browser.address, &[("cookie", &browser.cookie())]).await
}

/// Plays a game to its end, as planned.
pub async fn play(browser: &Browser, game: &str) -> Fallible<()> {
    let mut socket = socket(browser).await?;
    let snapshot: Snapshot = socket.join(game, None).await?;
    let own = snapshot.own.ok_or("a game of others")?;
    let mut now: Now = snapshot.now;
    let mut drawn = false;
    while now.stage != Stage::Over {
        let own_turn = now.turn == Some(own);
        match (now.ply, plan(game)) {
            (0 | 1, _) if own_turn => {
                let first = now.legal.first().ok_or("no move")?;
                socket.play(now.ply, first).await?;
            }
            (0 | 1, _) => {}
            (_, Plan::WhiteResigns) if own == Side::White => {
                socket.say(&ClientMessage::Resign).await?;
            }
            (_, Plan::BlackResigns) if own == Side::Black => {
                socket.say(&ClientMessage::Resign).await?;
            }
            // The first of the two offers, the second accepts.
            (ply, Plan::Draw) if !drawn => {
                drawn = true;
                socket.say(&ClientMessage::Draw { ply, seq: None }).await?;
            }
            _ => {}
        }
        let update = |message| match message {
            ServerMessage::Update { now, .. } => Some(*now),
            ServerMessage::Snapshot(snapshot) => Some(snapshot.now),
            _ => None,
        };
        now = socket.until(update).await?;
    }
    Ok(())
}

pub async fn own_game(browser: &mut Browser, id: &str) -> Fallible<Option<String>> {
    let now: TournamentNow = get(browser, &format!("/api/tournaments/{id}")).await?;
    Ok(now.own.and_then(|own| own.row.game))
}

/// Attends and plays what is paired, until it is enough or the server is gone.
pub async fn attend(browser: &mut Browser, arena: &Arena) -> Fallible<()> {
    let mut main = socket(browser).await?;
    let id = arena.id.clone();
    main.say(&ClientMessage::EnterTournament { id }).await?;
    if let Some(game) = own_game(browser, &arena.id).await? {
        play(browser, &game).await?;
        arena.seen().insert(game);
    }
    while !arena.is_enough() {
        let heard = tokio::time::timeout(Duration::from_millis(500), main.hear()).await;
        let Ok(heard) = heard else { continue };
        if let ServerMessage::Paired(paired) = heard? {
            play(browser, &paired.game).await?;
            arena.seen().insert(paired.game);
        }
    }
    Ok(())
}

/// Leaves, and finishes what was paired before.
pub async fn leave(browser: &mut Browser, arena: &Arena) -> Fallible<()> {
    let path = format!("/api/tournaments/{}/me", arena.id);
    let left = browser.ask("DELETE", &path, json!({})).await?;
    assert!(matches!(left.status, 204 | 422), "{}", left.body);
    while let Some(game) = own_game(browser, &arena.id).await? {
        play(browser, &game).await?;
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    Ok(())
}

/// One of an arena's players, who comes back whenever the server does, or goes to another.
pub async fn player(mut browser: Browser, arena: Arc<Arena>) -> Fallible<Browser> {
    let start = Instant::now();
    let patience = Duration::from_secs(900);
    while !arena.is_enough() {
        if let Err(error) = attend(&mut browser, &arena).await {
            assert!(start.elapsed() < patience, "{error}");
            tokio::time::sleep(Duration::from_millis(100)).await;
            browser.address = arena.next(browser.address);
        }
    }
    while let Err(error) = leave(&mut browser, &arena).await {
        assert!(start.elapsed() < patience, "{error}");
        tokio::time::sleep(Duration::from_millis(100)).await;
        browser.address = arena.next(browser.address);
    }
    Ok(browser)
}

/// Accounts that take part.
pub async fn people(house: &House, id: &str, count: usize) -> Fallible<Vec<Browser>> {
    let mut all = Vec::new();
    let numbers: Vec<usize> = (0..count).collect();
    for numbers in numbers.chunks(4) {
        let names = numbers.iter().map(|n| format!("Player{n}"));
        let names: Vec<String> = names.collect();
        let made = try_join_all(names.iter().map(|name| house.account(name))).await?;
        for mut browser in made {
            let path = format!("/api/tournaments/{id}/me");
            let joined = browser.ask("PUT", &path, json!({})).await?;
            assert_eq!(joined.status, 204, "{}", joined.body);
            all.push(browser);
        }
    }
    Ok(all)
}

pub async fn games(browser: &mut Browser, id: &str, query: &str) -> Fallible<Vec<TournamentGame>> {
    let mut all = Vec::new();
    let mut before = None;
    loop {
        let from = before.map_or(String::new(), |n: u32| format!("&before={n}"));
        let path = format!("/api/tournaments/{id}/games?{query}{from}");
        let page: TournamentGames = get(browser, &path).await?;
        all.extend(page.games);
        match page.next {
            Some(next) => before = Some(next),
            None => return Ok(all),
        }
    }
}

pub async fn standings(browser: &mut Browser, id: &str) -> Fallible<Vec<TournamentRow>> {
    let mut rows = Vec::new();
    for page in 1.. {
        let path = format!("/api/tournaments/{id}?page={page}");
        let now: TournamentNow = get(browser, &path).await?;
        rows.extend(now.standings);
        if page >= now.pages {
            break;
        }
    }
    Ok(rows)
}

/// Points, games won, drawn and lost of each player, counted from the games alone: 2 for a win and 1 for a draw, and
/// twice that if the two games before were won.
pub async fn recount(
    browser: &mut Browser,
    games: &[TournamentGame],
) -> Fallible<HashMap<String, (f64, [u32; 3])>> {
    let mut in_order: Vec<&TournamentGame> = games.iter().collect();
    in_order.sort_by_key(|game| game.round);
    let mut counted: HashMap<String, (f64, [u32; 3])> = HashMap::new();
    let mut wins: HashMap<String, u32> = HashMap::new();
    for game in in_order {
        let snapshot: Snapshot = get(browser, &format!("/api/games/{}", game.game)).await?;
        let result: GameResult = snapshot.now.result.ok_or("a game without a result")?;
        for (name, side) in [(&game.white, Side::White), (&game.black, Side::Black)] {
            let place = match result.winner {
                Some(winner) if winner == side => 0,
                None => 1,
                Some(_) => 2,
            };
            let row = wins.entry(name.clone()).or_default();
            let own = counted.entry(name.clone()).or_default();
            let twice = if *row >= 2 { 2.0 } else { 1.0 };
            own.0 += [2.0, 1.0, 0.0][place] * twice;
            own.1[place] += 1;
            *row = if place == 0 { *row + 1 } else { 0 };
        }
    }
    Ok(counted)
}

/// Opens what a killed server has stored.
pub async fn storage(house: &House) -> Fallible<SqlStore> {
    let file = house.data.join("husun.sqlite");
    for _ in 0..100 {
        match SqlStore::file(&file).await {
            Err(StoreError::InUse(_)) => tokio::time::sleep(Duration::from_millis(50)).await,
            opened => return Ok(opened?),
        }
    }
    Err("the storage stays in use".into())
}

/// Nobody is in two games at once, and each game has one pairing and one end.
pub async fn nobody_twice(store: &SqlStore, id: &str) -> Fallible<usize> {
    let mut busy: HashMap<u32, String> = HashMap::new();
    let mut open: HashMap<String, [u32; 2]> = HashMap::new();
    let mut known = HashSet::new();
    for event in store.tournament_events(id, 0).await? {
        match serde_json::from_str(&event.body)? {
            Event::Paired { games, .. } => {
                for new in games {
                    assert!(
                        known.insert(new.game.clone()),
                        "{} is paired twice",
                        new.game
                    );
                    for entrant in [new.white, new.black] {
                        let other = busy.insert(entrant, new.game.clone());
                        assert_eq!(other, None, "{entrant} is paired for {}", new.game);
                    }
                    open.insert(new.game, [new.white, new.black]);
                }
            }
            Event::Ended { game, .. } => {
                let pair = open.remove(&game).ok_or(format!("{game} ends twice"))?;
                for entrant in pair {
                    assert_eq!(busy.remove(&entrant).as_ref(), Some(&game));
                }
            }
            _ => {}
        }
    }
    assert!(open.is_empty(), "{open:?} have no end");
    Ok(known.len())
}

/// Each game has changed two ratings once, each from where the previous one left it.
pub async fn rated_once(store: &SqlStore, people: &[String], games: usize) -> Fallible<()> {
    let mut rated: HashMap<String, usize> = HashMap::new();
    for name in people {
        let reading = play::names::account::AccountName::new(name, "");
        let reading = reading.map_err(|e| format!("{name}: {e:?}"))?;
        let reading = reading.readings().first().cloned().ok_or("no reading")?;
        let account = store.account_named(&reading).await?.ok_or("no account")?;
        let history = store.history(&account.id, GAME, SPEED, 100_000).await?;
        let now = store.rating(&account.id, GAME, SPEED).await?;
        assert_eq!(
            now.as_ref().map_or(0, |r| r.games),
            history.len() as i64,
            "{name}"
        );
        for pair in history.windows(2) {
            let close = (pair[0].before - pair[1].after).abs() < 1e-6;
            assert!(close, "{name}: {:?} does not follow {:?}", pair[0], pair[1]);
        }
        for row in history {
            *rated.entry(row.game).or_default() += 1;
        }
    }
    assert_eq!(rated.len(), games);
    assert!(rated.values().all(|n| *n == 2), "{rated:?}");
    Ok(())
}

/// Waits until a tournament is as it should be.
pub async fn until(
    browser: &mut Browser,
    id: &str,
    what: &str,
    want: impl Fn(&TournamentNow) -> bool,
) -> Fallible<TournamentNow> {
    let start = Instant::now();
    loop {
        // For a moment after a start it is not there yet.
        let now: Fallible<TournamentNow> = get(browser, &format!("/api/tournaments/{id}")).await;
        if let Ok(now) = &now
            && want(now)
        {
            return Ok(now.clone());
        }
        if start.elapsed() > Duration::from_secs(400) {
            return Err(format!("it does not come to that: {what}: {now:?}").into());
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

pub async fn all_rated(browser: &mut Browser, games: usize, people: &[String]) -> Fallible<()> {
    let mut sum = 0;
    for _ in 0..300 {
        sum = 0;
        for name in people {
            let path = format!("/api/people/{name}");
            let profile: server::wire::Profile = get(browser, &path).await?;
            sum += profile
                .ratings
                .iter()
                .map(|r| r.now.games as usize)
                .sum::<usize>();
        }
        if sum == 2 * games {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    Err(format!("{sum} ratings of {games} games").into())
}

/// The standings of an arena are what its games add up to; tells how many games there are, and who has played.
pub async fn as_counted(browser: &mut Browser, id: &str) -> Fallible<(usize, Vec<String>)> {
    let all_games = games(browser, id, "").await?;
    let rows = standings(browser, id).await?;
    let counted = recount(browser, &all_games).await?;
    for row in &rows {
        let (points, games) = counted.get(&row.name).copied().unwrap_or_default();
        assert_eq!(
            (row.score, [row.won, row.drawn, row.lost]),
            (points, games),
            "{}",
            row.name
        );
    }
    let order = rows.windows(2).all(|pair| pair[0].score >= pair[1].score);
    assert!(order, "{rows:?}");
    let names = rows.iter().map(|row| row.name.clone()).collect();
    Ok((all_games.len(), names))
}
