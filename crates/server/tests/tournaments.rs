//! Tournaments from outside: made, joined, paired, played to their end, and what may not be is refused. A server that
//! ends in the midst goes on where it was.

use crate::common::browser::Browser;
use crate::common::operator::{self, Operator};
use crate::common::{Fallible, Socket, TestServer};
use serde_json::{Value, json};
use server::wire::{
    ClientMessage, Paired, Profile, ServerMessage, Side, Stage, TournamentGames, TournamentMade,
    TournamentNow, TournamentPhase, Tournaments,
};
use std::collections::HashSet;
use std::time::Duration;

const WORD: &str = "correct horse";
const CLOCK: &str = "fischer:5m+3s";

/// Somebody with an account.
struct Player {
    name: String,
    browser: Browser,
}

impl Player {
    async fn new(server: &TestServer, name: &str) -> Fallible<Player> {
        let mut browser = Browser::new(server);
        let made = browser.register(name, WORD).await?;
        assert_eq!(made.status, 201, "{}", made.body);
        Ok(Player {
            name: name.into(),
            browser,
        })
    }

    async fn socket(&self, server: &TestServer) -> Fallible<Socket> {
        Socket::open(server.address, &[("cookie", &self.browser.cookie())]).await
    }

    async fn look(&mut self, id: &str) -> Fallible<TournamentNow> {
        self.browser
            .get(&format!("/api/tournaments/{id}"))
            .await?
            .json()
    }

    async fn join(&mut self, id: &str) -> Fallible<u16> {
        let path = format!("/api/tournaments/{id}/me");
        Ok(self.browser.ask("PUT", &path, json!({})).await?.status)
    }
}

fn limits(config: &mut server::config::Config) {
    config.limits.accounts_per_hour = 0;
    config.limits.sign_ins_per_minute = 0;
    config.limits.games_per_minute = 0;
}

async fn players(server: &TestServer, names: &[&str]) -> Fallible<Vec<Player>> {
    let mut all = Vec::new();
    for name in names {
        all.push(Player::new(server, name).await?);
    }
    Ok(all)
}

async fn make(player: &mut Player, wish: Value) -> Fallible<String> {
    let answer = player.browser.ask("POST", "/api/tournaments", wish).await?;
    assert_eq!(answer.status, 201, "{}", answer.body);
    Ok(answer.json::<TournamentMade>()?.id)
}

/// Unix time in so many milliseconds.
fn soon(ms: i64) -> i64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.unwrap_or_default().as_millis() as i64 + ms
}

/// Waits until a tournament is as it should be.
async fn until(
    player: &mut Player,
    id: &str,
    want: impl Fn(&TournamentNow) -> bool,
) -> Fallible<TournamentNow> {
    for _ in 0..600 {
        let now = player.look(id).await?;
        if want(&now) {
            return Ok(now);
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let now = player.look(id).await?;
    Err(format!("it does not come to that: {now:?}").into())
}

/// Plays a game of two of the players: both move, then the one who is later in the list resigns.
async fn play(
    server: &TestServer,
    all: &[Player],
    white: &str,
    black: &str,
    game: &str,
) -> Fallible<()> {
    let place = |name: &str| all.iter().position(|p| p.name == name);
    let (Some(white), Some(black)) = (place(white), place(black)) else {
        return Err("they do not play".into());
    };
    let mut sockets = [
        all[white].socket(server).await?,
        all[black].socket(server).await?,
    ];
    for (ply, socket) in (0..).zip(&mut sockets) {
        let snapshot = socket.join(game, None).await?;
        assert!(snapshot.tournament.is_some() && !snapshot.takebacks && !snapshot.now.can_abort);
        assert_eq!(
            snapshot.own,
            Some(if ply == 0 { Side::White } else { Side::Black })
        );
        let first = snapshot.now.legal.first().cloned();
        socket.play(ply, &first.ok_or("no move")?).await?;
        socket.ply(ply + 1).await?;
    }
    let loser = &mut sockets[usize::from(black > white)];
    loser.say(&ClientMessage::Resign).await?;
    let over = |message| match message {
        ServerMessage::Update { now, .. } if now.stage == Stage::Over => Some(()),
        _ => None,
    };
    loser.until(over).await
}

async fn games(player: &mut Player, id: &str, query: &str) -> Fallible<TournamentGames> {
    let path = format!("/api/tournaments/{id}/games{query}");
    player.browser.get(&path).await?.json()
}

/// Plays all games of the rounds from one on until the tournament is over.
async fn play_on(server: &TestServer, all: &mut [Player], id: &str) -> Fallible<()> {
    let mut played = HashSet::new();
    for _ in 0..200 {
        let now = all[0].look(id).await?;
        if now.card.phase == TournamentPhase::Over {
            return Ok(());
        }
        let list = games(&mut all[0], id, "").await?;
        let open = list.games.iter().filter(|g| g.white_points.is_none());
        for game in open {
            if played.insert(game.game.clone()) {
                play(server, all, &game.white, &game.black, &game.game).await?;
            }
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Err("it does not end".into())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_round_robin_gives_a_title() -> Fallible<()> {
    let server = TestServer::start("round-robin", limits).await?;
    let mut all = players(&server, &["Ann", "Bob", "Cyd", "Dan"]).await?;
    let wish = json!({
        "name": "  Citadel   Cup ", "kind": { "round_robin": { "twice": false } }, "games": ["citadel8", "citadel9"],
        "clock": CLOCK, "rated": true, "scoring": "game_points", "starts_ms": soon(500), "break_s": 0,
    });
    let id = make(&mut all[0], wish).await?;
    for player in &mut all {
        assert_eq!(player.join(&id).await?, 204, "{}", player.name);
    }
    let list: Tournaments = all[1].browser.get("/api/tournaments").await?.json()?;
    assert_eq!(
        (list.open[0].name.as_str(), list.open[0].people),
        ("Citadel Cup", 4)
    );
    play_on(&server, &mut all, &id).await?;
    let now = all[2].look(&id).await?;
    let table: Vec<_> = now
        .standings
        .iter()
        .map(|r| (r.rank, r.name.as_str(), r.score, r.won, r.lost))
        .collect();
    assert_eq!(
        table,
        [
            (1, "Ann", 9.0, 3, 0),
            (2, "Bob", 6.0, 2, 1),
            (3, "Cyd", 3.0, 1, 2),
            (4, "Dan", 0.0, 0, 3)
        ]
    );
    assert_eq!(now.title.as_deref(), Some("Holder of the Green Gem"));
    assert_eq!(now.own.map(|own| own.row), Some(now.standings[2].clone()));
    assert_eq!(now.standings[0].points, [Some(3.0), Some(3.0), Some(3.0)]);
    // The games were played in turn, and are found by round and player.
    let first = games(&mut all[0], &id, "?round=1").await?;
    let second = games(&mut all[0], &id, "?round=2").await?;
    let names = [&first, &second].map(|g| {
        g.games
            .iter()
            .map(|g| g.name.clone())
            .collect::<HashSet<_>>()
    });
    assert!(
        names[0].is_disjoint(&names[1]) && first.games.len() == 2,
        "{names:?}"
    );
    assert_eq!(games(&mut all[0], &id, "?player=Cyd").await?.games.len(), 3);
    let profile: Profile = all[3].browser.get("/api/people/Ann").await?.json()?;
    let titles: Vec<_> = profile
        .titles
        .iter()
        .map(|t| (t.title.as_str(), t.name.as_str(), t.holds))
        .collect();
    assert_eq!(titles, [("Holder of the Green Gem", "Citadel Cup", true)]);
    assert!(!profile.ratings.is_empty(), "its games were rated");
    let list: Tournaments = all[1].browser.get("/api/tournaments").await?.json()?;
    assert!(list.open.is_empty());
    assert_eq!(list.past[0].id, id);
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_swiss_survives_ends_of_the_server() -> Fallible<()> {
    let mut server = TestServer::start("swiss", limits).await?;
    let mut all = players(&server, &["Ann", "Bob", "Cyd", "Dan", "Eve"]).await?;
    let wish = json!({
        "name": "Swiss", "kind": { "swiss": { "rounds": 3 } }, "games": ["chess"], "clock": CLOCK,
        "starts_ms": soon(1500), "break_s": 0,
    });
    let id = make(&mut all[0], wish).await?;
    for player in &mut all {
        player.join(&id).await?;
    }
    for round in 1..=3 {
        let now = until(&mut all[0], &id, |now| {
            now.round == round && now.running == 2
        })
        .await?;
        assert_eq!(now.rounds, Some(3));
        let list = games(&mut all[0], &id, &format!("?round={round}")).await?;
        assert_eq!((list.games.len(), list.byes.len()), (2, 1));
        // The server ends while the round is played, and after one of its games.
        server.stop().await?;
        server = TestServer::start("swiss", limits).await?;
        for player in &mut all {
            player.browser = Browser::new(&server);
            let signed_in = player.browser.sign_in(&player.name, WORD).await?;
            assert_eq!(signed_in.status, 200, "{}", signed_in.body);
        }
        let again = games(&mut all[0], &id, &format!("?round={round}")).await?;
        assert_eq!(again, list, "nobody is paired anew");
        for game in &list.games {
            play(&server, &all, &game.white, &game.black, &game.game).await?;
        }
    }
    let now = until(&mut all[0], &id, |now| {
        now.card.phase == TournamentPhase::Over
    })
    .await?;
    assert_eq!(
        now.standings.iter().map(|r| r.score).sum::<f64>(),
        9.0,
        "{now:?}"
    );
    let met = games(&mut all[0], &id, "").await?.games;
    let pairs: HashSet<_> = met
        .iter()
        .map(|g| {
            (
                g.white.clone().min(g.black.clone()),
                g.white.clone().max(g.black.clone()),
            )
        })
        .collect();
    assert_eq!(pairs.len(), 6);
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_arena_pairs_those_who_are_there() -> Fallible<()> {
    let server = TestServer::start("arena", limits).await?;
    let mut all = players(&server, &["Ann", "Bob", "Cyd"]).await?;
    let wish = json!({
        "name": "Arena", "kind": { "arena": { "minutes": 5 } }, "games": ["shatranj"], "clock": CLOCK,
        "starts_ms": soon(300),
    });
    let id = make(&mut all[0], wish).await?;
    let mut sockets = Vec::new();
    for player in &mut all {
        player.join(&id).await?;
    }
    for player in &all[..2] {
        let mut socket = player.socket(&server).await?;
        socket
            .say(&ClientMessage::EnterTournament { id: id.clone() })
            .await?;
        sockets.push(socket);
    }
    let told = |message| match message {
        ServerMessage::Paired(paired) => Some(paired),
        _ => None,
    };
    let paired: Paired = sockets[0].until(told).await?;
    assert_eq!(
        (paired.opponent.as_str(), paired.name.as_str()),
        ("Bob", "Shatranj")
    );
    assert_eq!(sockets[1].until(told).await?.game, paired.game);
    let (white, black) = match paired.side {
        Side::White => ("Ann", "Bob"),
        Side::Black => ("Bob", "Ann"),
    };
    let now = all[0].look(&id).await?;
    let own = now.own.ok_or("does not take part")?;
    assert_eq!(
        (own.row.game.as_ref(), own.side),
        (Some(&paired.game), Some(paired.side))
    );
    play(&server, &all, white, black, &paired.game).await?;
    let now = until(&mut all[2], &id, |now| now.standings[0].score > 0.0).await?;
    assert_eq!(
        (now.standings[0].name.as_str(), now.standings[0].score),
        ("Ann", 2.0)
    );
    // They meet again, as nobody else is there; who leaves is not paired, and a change is told.
    let again: Paired = sockets[0].until(told).await?;
    assert_ne!(again.game, paired.game);
    let left = all[1]
        .browser
        .ask("DELETE", &format!("/api/tournaments/{id}/me"), json!({}))
        .await?;
    assert_eq!(left.status, 204);
    let now = until(&mut all[0], &id, |now| now.card.people == 2).await?;
    assert!(
        now.standings
            .iter()
            .any(|row| row.name == "Bob" && row.away)
    );
    server.end().await
}

/// Who does not come to a game loses it, and the tournament goes on.
#[tokio::test(flavor = "multi_thread")]
async fn who_is_deleted_or_does_not_come() -> Fallible<()> {
    let server = TestServer::start("away", limits).await?;
    let mut all = players(&server, &["Ann", "Bob", "Cyd"]).await?;
    let wish = json!({
        "name": "Away", "kind": { "round_robin": {} }, "games": ["chess"], "clock": CLOCK, "starts_ms": soon(600),
        "break_s": 0, "level": 2,
    });
    let id = make(&mut all[0], wish).await?;
    for player in &mut all {
        player.join(&id).await?;
    }
    let now = until(&mut all[0], &id, |now| now.running == 2).await?;
    assert!(
        now.standings
            .iter()
            .any(|row| row.level == Some(2) && row.name == "Level 2"),
        "{now:?}"
    );
    // The game against the engine: where it has White it moves though nobody is there.
    let list = games(&mut all[0], &id, "").await?;
    let engine = list
        .games
        .iter()
        .find(|g| g.white == "Level 2" || g.black == "Level 2");
    let engine = engine.ok_or("no game of the engine")?;
    let person = if engine.white == "Level 2" {
        &engine.black
    } else {
        &engine.white
    };
    let place = all.iter().position(|p| p.name == *person).ok_or("nobody")?;
    let mut socket = all[place].socket(&server).await?;
    let snapshot = socket.join(&engine.game, None).await?;
    if snapshot.now.turn == snapshot.own {
        assert!(
            snapshot.now.first_move_ms.is_some_and(|ms| ms > 30_000),
            "{:?}",
            snapshot.now
        );
    }
    socket.say(&ClientMessage::Abort).await?;
    assert_eq!(socket.refusal().await?, "not_now");
    // One who deletes the account is not paired any more, and stands there without a name.
    let gone = all.pop().ok_or("nobody")?;
    let mut browser = gone.browser;
    let deleted = browser
        .ask("DELETE", "/api/account", json!({ "password": WORD }))
        .await?;
    assert!((200..300).contains(&deleted.status), "{}", deleted.body);
    let now = until(&mut all[0], &id, |now| {
        now.standings.iter().any(|row| row.name == "deleted")
    })
    .await?;
    assert!(
        now.standings
            .iter()
            .any(|row| row.name == "deleted" && row.away),
        "{now:?}"
    );
    server.end().await
}

/// Those who moderate call off what has not begun, whoever has made it, and it stands in the log.
#[tokio::test(flavor = "multi_thread")]
async fn those_who_moderate_call_it_off() -> Fallible<()> {
    let server = TestServer::start("tournaments-off", limits).await?;
    let mut all = players(&server, &["Ann", "Bob"]).await?;
    let wish = |ms| {
        json!({
            "name": "Rude words", "kind": { "round_robin": {} }, "games": ["chess"], "clock": CLOCK, "starts_ms": soon(ms), "break_s": 0,
        })
    };
    let id = make(&mut all[0], wish(3_600_000)).await?;
    let off =
        |id: &str| json!({"act": "call_off_tournament", "tournament": id, "reason": "its name"});
    let path = format!("/api/tournaments/{id}");
    let refused = all[1].browser.ask("DELETE", &path, json!({})).await?;
    assert_eq!(refused.status, 403, "{}", refused.body);
    let refused = operator::act(&mut all[1].browser, off(&id)).await?;
    assert_eq!(refused.status, 404, "{}", refused.body);
    let operator = Operator::of(&server)?;
    operator.act(off(&id)).await?;
    assert_eq!(
        all[1].look(&id).await?.card.phase,
        TournamentPhase::Cancelled
    );
    let log = operator.ask("GET", "/log", Value::Null).await?;
    assert!(
        log.body.contains("call_off_tournament") && log.body.contains("its name"),
        "{}",
        log.body
    );
    // Only what has not begun, and only once.
    assert_eq!(operator.refused(off(&id)).await?, "tournament");
    assert_eq!(
        operator.refused(off("nonesuch")).await?,
        "no_such_tournament"
    );
    let begun = make(&mut all[0], wish(600)).await?;
    for player in &mut all {
        player.join(&begun).await?;
    }
    until(&mut all[0], &begun, |now| {
        now.card.phase == TournamentPhase::Running
    })
    .await?;
    assert_eq!(operator.refused(off(&begun)).await?, "tournament");
    server.end().await
}

/// A game that is shown is there: whoever follows its link at once plays.
#[tokio::test(flavor = "multi_thread")]
async fn games_are_shown_when_they_are_there() -> Fallible<()> {
    let server = TestServer::start("tournaments-shown", |config| {
        limits(config);
        config.limits.requests_per_second = 0;
        config.limits.positions_per_second = 0;
    })
    .await?;
    let names = ["Ann", "Bob", "Cyd", "Dan", "Eve", "Fay", "Gus", "Hal"];
    let mut all = players(&server, &names).await?;
    let mut ids = Vec::new();
    for name in ["One", "Two", "Three"] {
        let wish = json!({
            "name": name, "kind": { "round_robin": {} }, "games": ["chess"], "clock": CLOCK, "starts_ms": soon(1_500),
            "break_s": 0,
        });
        let id = make(&mut all[0], wish).await?;
        for player in &mut all {
            player.join(&id).await?;
        }
        ids.push(id);
    }
    let mut seen = HashSet::new();
    let start = std::time::Instant::now();
    while seen.len() < ids.len() * names.len() / 2 && start.elapsed() < Duration::from_secs(30) {
        for id in &ids {
            let shown = games(&mut all[1], id, "").await?.games.into_iter();
            let shown = shown.map(|game| game.game).collect::<Vec<_>>();
            let rows = all[2].look(id).await?.standings.into_iter();
            for game in rows.filter_map(|row| row.game).chain(shown) {
                if seen.insert(game.clone()) {
                    let there = all[3].browser.get(&format!("/api/games/{game}")).await?;
                    assert_eq!(there.status, 200, "{}", there.body);
                }
            }
        }
    }
    assert_eq!(seen.len(), ids.len() * names.len() / 2);
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_may_not_be_is_refused() -> Fallible<()> {
    let server = TestServer::start("tournaments-refused", |config| {
        limits(config);
        config.tournament_makers = Some(vec!["ann".into()]);
    })
    .await?;
    let mut all = players(&server, &["Ann", "Bob"]).await?;
    let mut guest = Browser::new(&server);
    guest.me().await?;
    let wish = json!({
        "name": "Cup", "kind": { "swiss": { "rounds": 3 } }, "games": ["chess"], "clock": CLOCK, "starts_ms": soon(600_000),
    });
    let refused = async |browser: &mut Browser, method: &str, path: &str, body: Value| {
        let answer = browser.ask(method, path, body).await?;
        let refusal: server::wire::Refusal = answer.json()?;
        Fallible::Ok(format!("{} {}", answer.status, refusal.code))
    };
    let path = "/api/tournaments";
    assert_eq!(
        refused(&mut guest, "POST", path, wish.clone()).await?,
        "401 sign_in"
    );
    assert_eq!(
        refused(&mut all[1].browser, "POST", path, wish.clone()).await?,
        "403 not_yours"
    );
    let with = |key: &str, value: Value| {
        let mut wish = wish.clone();
        wish[key] = value;
        wish
    };
    for (key, value, code) in [
        ("name", json!("x"), "422 name"),
        (
            "kind",
            json!({ "swiss": { "rounds": 0 } }),
            "422 tournament",
        ),
        (
            "kind",
            json!({ "arena": { "minutes": 0 } }),
            "422 tournament",
        ),
        ("kind", json!({ "knockout": {} }), "422 malformed"),
        ("games", json!([]), "422 variant"),
        ("games", json!(["nothing"]), "422 variant"),
        ("clock", json!("none"), "422 clock"),
        ("clock", json!("5 minutes"), "422 clock"),
        ("starts_ms", json!(0), "422 tournament"),
        ("break_s", json!(100_000), "422 tournament"),
        ("level", json!(9), "422 level"),
        ("most", json!(1), "422 tournament"),
        ("more", json!(1), "422 malformed"),
    ] {
        let wish = with(key, value);
        assert_eq!(
            refused(&mut all[0].browser, "POST", path, wish.clone()).await?,
            code,
            "{wish}"
        );
    }
    let mut arena = with("kind", json!({ "arena": { "minutes": 10 } }));
    arena["clock"] = json!("days:2");
    assert_eq!(
        refused(&mut all[0].browser, "POST", path, arena).await?,
        "422 clock"
    );

    let id = make(&mut all[0], wish.clone()).await?;
    let own = format!("{path}/{id}/me");
    assert_eq!(
        refused(&mut guest, "PUT", &own, json!({})).await?,
        "401 sign_in"
    );
    assert_eq!(
        refused(&mut all[1].browser, "DELETE", &own, json!({})).await?,
        "422 tournament"
    );
    assert_eq!(all[1].join(&id).await?, 204);
    assert_eq!(
        refused(&mut all[1].browser, "PUT", &own, json!({})).await?,
        "422 tournament"
    );
    let this = format!("{path}/{id}");
    assert_eq!(
        refused(&mut all[1].browser, "DELETE", &this, json!({})).await?,
        "403 not_yours"
    );
    let none = format!("{path}/nowhere");
    assert_eq!(
        refused(&mut all[1].browser, "DELETE", &none, json!({})).await?,
        "404 no_such_tournament"
    );
    let list: Tournaments = guest.get(path).await?.json()?;
    assert!(!list.may_make && list.open.len() == 1);
    for bad in ["?before=x", "?page=2"] {
        let answer = guest.get(&format!("{path}{bad}")).await?;
        assert_eq!(answer.status, 400, "{}", answer.body);
    }
    let mut socket = Socket::open(server.address, &[]).await?;
    socket
        .say(&ClientMessage::EnterTournament {
            id: "nowhere".into(),
        })
        .await?;
    assert_eq!(socket.refusal().await?, "no_such_tournament");
    let cancelled = all[0].browser.ask("DELETE", &this, json!({})).await?;
    assert_eq!(cancelled.status, 204);
    assert_eq!(
        refused(&mut all[0].browser, "DELETE", &this, json!({})).await?,
        "422 tournament"
    );
    for _ in 0..5 {
        make(&mut all[0], wish.clone()).await?;
    }
    assert_eq!(
        refused(&mut all[0].browser, "POST", path, wish.clone()).await?,
        "429 limit"
    );
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn only_so_many_are_open_at_once() -> Fallible<()> {
    let settings = |config: &mut server::config::Config| {
        limits(config);
        config.limits.tournaments = 7;
    };
    let server = TestServer::start("tournaments-many", settings).await?;
    let mut all = players(&server, &["Ann", "Bob"]).await?;
    let wish = json!({
        "name": "Cup", "kind": { "swiss": { "rounds": 3 } }, "games": ["chess"], "clock": CLOCK, "starts_ms": soon(600_000),
    });
    let path = "/api/tournaments";
    let mut made = Vec::new();
    for _ in 0..5 {
        made.push(make(&mut all[0], wish.clone()).await?);
    }
    let more = all[0].browser.ask("POST", path, wish.clone()).await?;
    assert!(more.body.contains("5 of your tournaments"), "{}", more.body);
    for _ in 0..2 {
        make(&mut all[1], wish.clone()).await?;
    }
    let more = all[1].browser.ask("POST", path, wish.clone()).await?;
    assert_eq!(more.status, 429, "{}", more.body);
    assert!(
        more.body.contains("this server cannot hold"),
        "{}",
        more.body
    );
    // One that is called off makes room, and they are counted after a restart, too.
    let ended = format!("{path}/{}", made[0]);
    assert_eq!(
        all[0]
            .browser
            .ask("DELETE", &ended, json!({}))
            .await?
            .status,
        204
    );
    make(&mut all[1], wish.clone()).await?;
    server.stop().await?;
    let server = TestServer::start("tournaments-many", settings).await?;
    all[1].browser = Browser::new(&server);
    all[1].browser.sign_in("Bob", WORD).await?;
    let more = all[1].browser.ask("POST", path, wish).await?;
    assert!(
        more.body.contains("this server cannot hold"),
        "{}",
        more.body
    );
    server.end().await
}
