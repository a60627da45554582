//! Tournaments of many simulated players on a server that is killed in the middle: standings equal a slow recount of
//! the games, nobody is paired twice, no game is rated twice. `HUSUN_ARENA_PEOPLE=500 HUSUN_ARENA_GAMES=3000` asks for
//! the full size, `HUSUN_ARENA_KILLS` sets how often the server is killed, `HUSUN_SERVER` asks for another build of
//! the program than the tests'.

use crate::common::browser::Browser;
use crate::common::{Fallible, Socket};
use crate::house::{House, account};
use crate::process::asked;
use futures_util::future::try_join_all;
use play::tournament::Event;
use serde_json::json;
use server::wire::{
    ClientMessage, GameResult, Now, ServerMessage, Side, Snapshot, Stage, TournamentGame,
    TournamentGames, TournamentMade, TournamentNow, TournamentPhase, TournamentRow,
};
use std::collections::{HashMap, HashSet};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use store::accounts::AccountStore;
use store::ratings::RatingStore;
use store::tournaments::TournamentStore;
use store::{SqlStore, StoreError};
use tokio::task::JoinSet;

const LIMITS: &str = "requests_per_second = 0\npositions_per_second = 0\ngames_per_minute = 0\nsockets_per_address = 0\n\
    connections_per_address = 0\naccounts_per_hour = 0\nsign_ins_per_minute = 0\n";
const GAME: &str = "citadel8";
const SPEED: &str = "blitz";

/// What an arena's players share.
pub struct Arena {
    pub id: String,
    /// Where it is played: who finds nobody at one address tries the next.
    addresses: Vec<SocketAddr>,
    /// How many games are enough.
    enough: usize,
    /// Games whose end players have seen.
    seen: Mutex<HashSet<String>>,
}

impl Arena {
    /// Has an arena made that begins in a while.
    pub async fn make(
        maker: &mut Browser,
        addresses: Vec<SocketAddr>,
        wait: Duration,
        enough: usize,
    ) -> Fallible<Arc<Arena>> {
        let starts_ms = server::services::wall_ms() + wait.as_millis() as i64;
        let wish = json!({
            "name": "Arena", "kind": { "arena": { "minutes": 1440 } }, "games": [GAME], "clock": "fischer:3m+2s",
            "rated": true, "starts_ms": starts_ms,
        });
        let made = maker.ask("POST", "/api/tournaments", wish).await?;
        Ok(Arc::new(Arena {
            id: made.json::<TournamentMade>()?.id,
            addresses,
            enough,
            seen: Mutex::default(),
        }))
    }

    /// The address after another one.
    fn after(&self, address: SocketAddr) -> SocketAddr {
        let at = self.addresses.iter().position(|a| *a == address);
        let next = at.map_or(0, |at| (at + 1) % self.addresses.len());
        self.addresses.get(next).copied().unwrap_or(address)
    }

    pub fn seen(&self) -> MutexGuard<'_, HashSet<String>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
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

async fn get<T: serde::de::DeserializeOwned>(browser: &mut Browser, path: &str) -> Fallible<T> {
    let answer = browser.get(path).await?;
    match answer.status {
        200 => answer.json(),
        status => Err(format!("{path}: {status} {}", answer.body).into()),
    }
}

async fn socket(browser: &Browser) -> Fallible<Socket> {
    Socket::open(browser.address, &[("cookie", &browser.cookie())]).await
}

/// Plays a game to its end, as planned.
async fn play(browser: &Browser, game: &str) -> Fallible<()> {
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
            ServerMessage::Update { now, .. } => Some((*now, false)),
            ServerMessage::Snapshot(snapshot) => Some((snapshot.now, true)),
            _ => None,
        };
        let anew;
        (now, anew) = socket.until(update).await?;
        // An offer that was on its way when the game changed hands is made again.
        drawn &= !anew;
    }
    Ok(())
}

async fn own_game(browser: &mut Browser, id: &str) -> Fallible<Option<String>> {
    let now: TournamentNow = get(browser, &format!("/api/tournaments/{id}")).await?;
    Ok(now.own.and_then(|own| own.row.game))
}

/// Attends and plays what is paired, until it is enough or the server is gone.
async fn attend(browser: &mut Browser, arena: &Arena) -> Fallible<()> {
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
async fn leave(browser: &mut Browser, arena: &Arena) -> Fallible<()> {
    let path = format!("/api/tournaments/{}/me", arena.id);
    let left = browser.ask("DELETE", &path, json!({})).await?;
    match left.status {
        204 | 422 => {}
        // A node whose neighbour has just died may be busy.
        503 => return Err(left.body.into()),
        status => panic!("{status}: {}", left.body),
    }
    // One that was paired just before is shown when it is made.
    let mut looks = 0;
    while looks < 5 {
        match own_game(browser, &arena.id).await? {
            Some(game) => {
                play(browser, &game).await?;
                looks = 0;
            }
            None => looks += 1,
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    Ok(())
}

/// One of an arena's players, who comes back whenever a server does.
pub async fn player(mut browser: Browser, arena: Arc<Arena>) -> Fallible<Browser> {
    let start = Instant::now();
    let patience = Duration::from_secs(900);
    while !arena.is_enough() {
        if let Err(error) = attend(&mut browser, &arena).await {
            assert!(start.elapsed() < patience, "{error}");
            browser.address = arena.after(browser.address);
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
    while let Err(error) = leave(&mut browser, &arena).await {
        assert!(start.elapsed() < patience, "{error}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    Ok(browser)
}

/// Accounts that take part, one after the other at each of the addresses.
pub async fn people(addresses: &[SocketAddr], id: &str, count: usize) -> Fallible<Vec<Browser>> {
    let mut all = Vec::new();
    let numbers: Vec<usize> = (0..count).collect();
    for numbers in numbers.chunks(4) {
        let made = numbers.iter().map(|n| async move {
            let address = addresses[n % addresses.len()];
            account(address, &format!("Player{n}")).await
        });
        let made = try_join_all(made).await?;
        for mut browser in made {
            let path = format!("/api/tournaments/{id}/me");
            let joined = browser.ask("PUT", &path, json!({})).await?;
            assert_eq!(joined.status, 204, "{}", joined.body);
            all.push(browser);
        }
    }
    Ok(all)
}

async fn games(browser: &mut Browser, id: &str, query: &str) -> Fallible<Vec<TournamentGame>> {
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

async fn standings(browser: &mut Browser, id: &str) -> Fallible<Vec<TournamentRow>> {
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
async fn recount(
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
async fn storage(house: &House) -> Fallible<SqlStore> {
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
async fn nobody_twice(store: &SqlStore, id: &str) -> Fallible<usize> {
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
async fn rated_once(store: &SqlStore, people: &[String], games: usize) -> Fallible<()> {
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
async fn until(
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

async fn all_rated(browser: &mut Browser, games: usize, people: &[String]) -> Fallible<()> {
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

/// What an arena has come to.
pub struct Judged {
    pub games: usize,
    names: Vec<String>,
}

/// Waits until all games of an arena are over, and compares its standings and ratings with the games.
pub async fn judge(browser: &mut Browser, arena: &Arena, count: usize) -> Fallible<Judged> {
    let id = &arena.id;
    until(browser, id, "all games are over", |now| now.running == 0).await?;
    let all_games = games(browser, id, "").await?;
    assert!(all_games.len() >= arena.enough, "{}", all_games.len());
    let rows = standings(browser, id).await?;
    let counted = recount(browser, &all_games).await?;
    assert_eq!(rows.len(), count);
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
    let names: Vec<String> = rows.iter().map(|row| row.name.clone()).collect();
    all_rated(browser, all_games.len(), &names).await?;
    Ok(Judged {
        games: all_games.len(),
        names,
    })
}

impl Judged {
    /// Nobody was paired twice and nothing rated twice, as it is stored.
    pub async fn stored(&self, store: &SqlStore, id: &str) -> Fallible<()> {
        assert_eq!(nobody_twice(store, id).await?, self.games);
        rated_once(store, &self.names, self.games).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_arena_survives_kills_and_its_standings_are_right() -> Fallible<()> {
    let _turn = crate::turn(module_path!());
    let count = asked("HUSUN_ARENA_PEOPLE", 12);
    let enough = asked("HUSUN_ARENA_GAMES", 60);
    let kills = asked("HUSUN_ARENA_KILLS", 3);
    let mut house = House::open_with("arena", LIMITS).await?;
    let mut maker = house.account("Maker").await?;
    // All have joined by then, on a busy machine, too.
    let wait = Duration::from_secs(5);
    let arena = Arena::make(&mut maker, vec![house.address], wait, enough).await?;
    let all = people(&arena.addresses, &arena.id, count).await?;
    let begun = Instant::now();
    let mut playing = JoinSet::new();
    for browser in all {
        playing.spawn(player(browser, arena.clone()));
    }
    for kill in 1..=kills {
        let at = enough * kill / (kills + 1);
        while arena.seen().len() < at && begun.elapsed() < Duration::from_secs(900) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        house.kill()?;
        house.open_again().await?;
    }
    let mut browser = maker;
    while let Some(done) = playing.join_next().await {
        browser = done??;
    }
    let took = begun.elapsed();
    let judged = judge(&mut browser, &arena, count).await?;
    house.kill()?;
    let store = storage(&house).await?;
    judged.stored(&store, &arena.id).await?;
    store.close().await;
    let games = judged.games;
    println!(
        "{count} people, {games} games in {:.1} s ({:.1} a second), {kills} kills: standings as counted",
        took.as_secs_f64(),
        games as f64 / took.as_secs_f64()
    );
    house.close()
}

/// The server is killed at a different moment of each pairing: before it, while it is stored, while its games are
/// made.
#[tokio::test(flavor = "multi_thread")]
async fn a_swiss_round_is_paired_once_whenever_the_server_is_killed() -> Fallible<()> {
    let _turn = crate::turn(module_path!());
    let (count, rounds) = (
        asked("HUSUN_SWISS_PEOPLE", 9),
        asked("HUSUN_SWISS_ROUNDS", 5),
    );
    let mut house = House::open_with("swiss-kills", LIMITS).await?;
    let mut maker = house.account("Maker").await?;
    let wish = json!({
        "name": "Swiss", "kind": { "swiss": { "rounds": rounds } }, "games": [GAME], "clock": "fischer:3m+2s",
        "rated": true, "starts_ms": server::services::wall_ms() + 20_000, "break_s": 0,
    });
    let made = maker.ask("POST", "/api/tournaments", wish).await?;
    let id = made.json::<TournamentMade>()?.id;
    let all = people(&[house.address], &id, count).await?;
    let mut met = HashSet::new();
    let mut byes = HashSet::new();
    for round in 1..=rounds {
        let paired = |now: &TournamentNow| now.round as usize == round;
        until(&mut maker, &id, "the round is paired", paired).await?;
        // All its games are shown, though not at the same moment, and what is shown is there.
        let query = format!("round={round}");
        let start = Instant::now();
        let mut list = games(&mut maker, &id, &query).await?;
        while list.len() < count / 2 && start.elapsed() < Duration::from_secs(30) {
            tokio::time::sleep(Duration::from_millis(50)).await;
            list = games(&mut maker, &id, &query).await?;
        }
        assert_eq!(list.len(), count / 2);
        for game in &list {
            let there = maker.get(&format!("/api/games/{}", game.game)).await?;
            assert_eq!(there.status, 200, "{}", there.body);
        }
        for game in &list {
            let mut pair = [game.white.clone(), game.black.clone()];
            pair.sort();
            assert!(met.insert(pair), "{game:?}: they have met");
        }
        let path = format!("/api/tournaments/{id}/games?round={round}");
        let page: TournamentGames = get(&mut maker, &path).await?;
        for name in page.byes {
            assert!(byes.insert(name.clone()), "{name} has a second bye");
        }
        let names: HashMap<String, &Browser> = all
            .iter()
            .enumerate()
            .map(|(n, browser)| (format!("Player{n}"), browser))
            .collect();
        let ends = list.iter().map(|game| {
            let white = names.get(&game.white).copied();
            let black = names.get(&game.black).copied();
            async move {
                let (white, black) = (white.ok_or("nobody")?, black.ok_or("nobody")?);
                let both = [play(white, &game.game), play(black, &game.game)];
                try_join_all(both).await.map(drop)
            }
        });
        try_join_all(ends).await?;
        // The last game has ended at this moment: what follows is cut off somewhere else each time.
        let pause = [0, 40, 75, 110, 160, 230, 320][round % 7];
        tokio::time::sleep(Duration::from_millis(pause)).await;
        house.kill()?;
        house.open_again().await?;
    }
    let over = |now: &TournamentNow| now.card.phase == TournamentPhase::Over;
    until(&mut maker, &id, "it is over", over).await?;
    let rows = standings(&mut maker, &id).await?;
    let sum: f64 = rows.iter().map(|row| row.score).sum();
    assert_eq!(sum, ((count / 2 + count % 2) * rounds) as f64);
    let names: Vec<String> = rows.iter().map(|row| row.name.clone()).collect();
    all_rated(&mut maker, rounds * (count / 2), &names).await?;
    house.kill()?;
    let store = storage(&house).await?;
    assert_eq!(nobody_twice(&store, &id).await?, rounds * (count / 2));
    rated_once(&store, &names, rounds * (count / 2)).await?;
    store.close().await;
    house.close()
}
