//! What people share works across several nodes on one PostgreSQL database and one NATS server: the lobby, challenges,
//! notices, bans, votes, tournaments, limits, passkeys, reviews; and when the node ends that leads, another goes on.

use crate::common::browser::{Browser, code};
use crate::common::cluster::{Cluster, account, at, enter, list};
use crate::common::operator::{Operator, closed, soon};
use crate::common::people::{WORD, seek};
use crate::common::watch::{line, talk};
use crate::common::{Answer, Fallible, Request, Socket, TestServer};
use serde_json::{Value, json};
use server::Config;
use server::wire::{
    Challenge, ClientMessage, Lobby, NoticeKind, Paired, Refusal, ReviewStage, ReviewState,
    ServerMessage, TournamentGames, TournamentMade, TournamentNow, TournamentPhase, VoteMade,
    VoteNow,
};
use std::time::{Duration, Instant};

const CLOCK: &str = "fischer:5m+3s";
/// The site that browsers are at.
const ORIGIN: &str = "http://localhost:8000";
/// Longest wait for something that comes by itself.
const WAIT: Duration = Duration::from_secs(60);

fn many(config: &mut Config) {
    config.limits.accounts_per_hour = 0;
    config.limits.sign_ins_per_minute = 0;
    config.limits.games_per_minute = 0;
    config.origins = vec![ORIGIN.into()];
}

async fn guest(node: &TestServer) -> Fallible<Browser> {
    let mut browser = Browser::new(node);
    browser.me().await?;
    Ok(browser)
}

async fn paired(socket: &mut Socket) -> Fallible<Paired> {
    let told = socket.until(|message| match message {
        ServerMessage::Paired(paired) => Some(paired),
        _ => None,
    });
    told.await
}

async fn challenged(socket: &mut Socket) -> Fallible<Challenge> {
    let told = socket.until(|message| match message {
        ServerMessage::Challenged(challenge) => Some(challenge),
        _ => None,
    });
    told.await
}

/// Asks until an answer is as it should be.
async fn until<T: serde::de::DeserializeOwned + std::fmt::Debug>(
    browser: &mut Browser,
    path: &str,
    want: impl Fn(&T) -> bool,
) -> Fallible<T> {
    let start = Instant::now();
    loop {
        let answer = browser.get(path).await?;
        if let Ok(now) = answer.json()
            && want(&now)
        {
            return Ok(now);
        }
        if start.elapsed() > WAIT {
            return Err(format!("{path} does not come to that: {}", answer.body).into());
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// What one node is told holds at the others within a second.
#[track_caller]
fn soon_enough(since: Instant) {
    let now = since.elapsed();
    assert!(now < Duration::from_secs(1), "{now:?}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL and NATS: scripts/postgres scripts/nats"]
async fn postgres_and_nats_people_meet_whichever_nodes_they_are_at() -> Fallible<()> {
    let cluster = Cluster::start("meet", 3, many).await?;
    let [one, two, three] = [&cluster.nodes[0], &cluster.nodes[1], &cluster.nodes[2]];
    let (mut ann, mut bob, eve) = (guest(one).await?, guest(two).await?, guest(three).await?);
    let (mut watching, empty) = enter(&eve).await?;
    assert!(empty.seeks.is_empty());
    let (mut of_ann, _) = enter(&ann).await?;
    let (mut of_bob, _) = enter(&bob).await?;
    // All see that three are here, and what one of them seeks.
    for browser in [&mut ann, &mut bob] {
        until(browser, "/api/lobby", |lobby: &Lobby| lobby.here == 3).await?;
    }
    let wish = json!({ "games": ["chess"], "clocks": [CLOCK], "side": "white" });
    let id = seek(&mut ann, wish).await?.id.ok_or("it does not wait")?;
    let change = watching.until(|message| match message {
        ServerMessage::LobbyChange(change) if !change.added.is_empty() => Some(change),
        _ => None,
    });
    assert_eq!(change.await?.added[0].id, id);
    let lobby: Lobby = at(&ann, three).get("/api/lobby").await?.json()?;
    assert_eq!(lobby.own, [&*id]);
    // It is accepted at another node, once.
    let path = format!("/api/lobby/seeks/{id}/accept");
    let own = at(&ann, two).ask("POST", &path, json!({})).await?;
    assert_eq!((own.status, code(&own)?.as_str()), (409, "opponent"));
    let taken: Paired = bob.ask("POST", &path, json!({})).await?.json()?;
    let told = paired(&mut of_ann).await?;
    assert_eq!(told.game, taken.game);
    assert_eq!(paired(&mut of_bob).await?.game, taken.game);
    let late = at(&eve, one).ask("POST", &path, json!({})).await?;
    assert_eq!((late.status, code(&late)?.as_str()), (410, "gone"));

    // Two whose wishes overlap are paired, wherever they are; many at once all find one opponent each.
    let mut pages = Vec::new();
    let mut seekers = Vec::new();
    for n in 0..12 {
        let seeker = guest(&cluster.nodes[n % 3]).await?;
        pages.push(enter(&seeker).await?.0);
        seekers.push(seeker);
    }
    let wishes = seekers
        .iter_mut()
        .map(|seeker| seek(seeker, json!({ "games": ["shatranj"], "clocks": [CLOCK] })));
    futures_util::future::try_join_all(wishes).await?;
    let mut games = Vec::new();
    for page in &mut pages {
        games.push(paired(page).await?.game);
    }
    games.sort();
    let twice = games.chunks(2).all(|pair| pair[0] == pair[1]);
    games.dedup();
    assert!(twice && games.len() == 6, "{games:?}");

    // One that was withdrawn at another node is gone for all.
    let wish = json!({ "games": ["grand"], "clocks": ["days:3"] });
    let id = seek(&mut ann, wish).await?.id.ok_or("it does not wait")?;
    let path = format!("/api/lobby/seeks/{id}");
    let gone = at(&ann, three).ask("DELETE", &path, json!({})).await?;
    assert_eq!(gone.status, 204, "{}", gone.body);
    let path = format!("{path}/accept");
    let late = bob.ask("POST", &path, json!({})).await?;
    assert_eq!(code(&late)?, "gone");
    // Who closes the page is no longer here, for anybody.
    drop(of_bob);
    until(&mut ann, "/api/lobby", |lobby: &Lobby| lobby.here == 14).await?;
    cluster.end().await
}

/// Comes to the lobby and goes, again and again.
async fn come_and_go(browser: Browser) -> Fallible<()> {
    for _ in 0..40 {
        drop(enter(&browser).await?);
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
#[ignore = "needs PostgreSQL and NATS: scripts/postgres scripts/nats"]
async fn postgres_and_nats_those_who_come_and_go_at_once_keep_nobody_waiting() -> Fallible<()> {
    let cluster = Cluster::start("churn", 2, many).await?;
    let mut coming = Vec::new();
    for n in 0..16 {
        let browser = guest(&cluster.nodes[n % 2]).await?;
        coming.push(tokio::spawn(come_and_go(browser)));
    }
    for one in coming {
        one.await??;
    }
    // In the end one is here, for all.
    let mut ann = guest(&cluster.nodes[0]).await?;
    let _page = enter(&ann).await?;
    let mut other = at(&ann, &cluster.nodes[1]);
    for browser in [&mut ann, &mut other] {
        until(browser, "/api/lobby", |lobby: &Lobby| lobby.here == 1).await?;
    }
    cluster.end().await
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL and NATS: scripts/postgres scripts/nats"]
async fn postgres_and_nats_people_are_told_at_the_node_of_their_page() -> Fallible<()> {
    let cluster = Cluster::start("told", 3, many).await?;
    let [one, two, three] = [&cluster.nodes[0], &cluster.nodes[1], &cluster.nodes[2]];
    let (mut ann, mut bob) = (account(one, "Ann").await?, account(two, "Bob").await?);
    let (mut of_bob, _) = enter(&bob).await?;
    // A challenge across, and a game over days that comes of it.
    let wish = json!({ "variant": "chess", "clock": "days:3", "rated": false, "side": "white" });
    let made = ann.ask("POST", "/api/people/Bob/challenges", wish).await?;
    let made: Challenge = made.json()?;
    assert_eq!(challenged(&mut of_bob).await?.id, made.id);
    let (mut of_ann, _) = enter(&at(&ann, three)).await?;
    let path = format!("/api/challenges/{}/accept", made.id);
    let game: Paired = bob.ask("POST", &path, json!({})).await?.json()?;
    assert_eq!(paired(&mut of_ann).await?.game, game.game);
    // A move is told to the opponent's page, though that is at no board and at another node.
    let mut board = Socket::open(one.address, &[("cookie", &ann.cookie())]).await?;
    board.join(&game.game, None).await?;
    board.play(0, "e2e4").await?;
    let notice = of_bob.until(|message| match message {
        ServerMessage::Notice(notice) => Some(notice),
        _ => None,
    });
    let notice = notice.await?;
    assert_eq!(notice.kind, NoticeKind::YourTurn, "{notice:?}");
    assert!(notice.address.contains(&game.game), "{notice:?}");

    // Those who watch talk with each other, each at another node.
    let mut talking = Socket::open(
        two.address,
        &[("cookie", &account(two, "Cid").await?.cookie())],
    )
    .await?;
    talking.join(&game.game, None).await?;
    let mut reading = Socket::open(
        three.address,
        &[("cookie", &account(three, "Dora").await?.cookie())],
    )
    .await?;
    reading.join(&game.game, None).await?;
    talk(&mut talking, "a fine move").await?;
    assert_eq!(line(&mut reading).await?.text, "a fine move");
    cluster.end().await
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL and NATS: scripts/postgres scripts/nats"]
async fn postgres_and_nats_what_moderators_do_holds_at_all_nodes() -> Fallible<()> {
    let cluster = Cluster::start("bans", 3, many).await?;
    let [one, two, three] = [&cluster.nodes[0], &cluster.nodes[1], &cluster.nodes[2]];
    let operator = Operator::of(one)?;
    let (mut ann, bob) = (account(two, "Ann").await?, account(three, "Bob").await?);
    let (mut of_ann, _) = enter(&ann).await?;
    let (mut of_bob, _) = enter(&bob).await?;
    seek(&mut ann, json!({ "games": ["chess"], "clocks": [CLOCK] })).await?;
    let announce = json!({ "act": "announce", "text": "Back at nine.", "until_ms": soon() });
    operator.act(announce).await?;
    let shown = of_bob.until(|message| match message {
        ServerMessage::Announcements { announcements } if !announcements.is_empty() => {
            Some(announcements)
        }
        _ => None,
    });
    assert_eq!(shown.await?[0].text, "Back at nine.");
    let ban = json!({ "act": "ban", "account": "Ann", "kind": "play", "until_ms": soon(), "reason": "cheating" });
    operator.act(ban).await?;
    let since = Instant::now();
    let end = tokio::time::timeout(Duration::from_secs(10), closed(&mut of_ann)).await?;
    assert!(end.contains("banned"), "{end}");
    soon_enough(since);
    // The third may hear of it later than the second: nobody stays who has come in there meanwhile.
    loop {
        let mut comes = at(&ann, three);
        let answer = comes.sign_in("Ann", WORD).await?;
        if answer.status == 403 {
            assert_eq!(code(&answer)?, "banned");
            break;
        }
        assert_eq!(answer.status, 200, "{}", answer.body);
        while comes.get("/api/account").await?.status != 401 {
            soon_enough(since);
        }
    }
    // What was sought is off the list, wherever one looks.
    let since = Instant::now();
    while !list(&mut of_bob).await?.seeks.is_empty() {
        soon_enough(since);
    }

    // Who signs out elsewhere is signed out here: the socket at another node ends.
    let gone = at(&bob, one)
        .ask("DELETE", "/api/session", Value::Null)
        .await?;
    assert!(gone.status < 300, "{}", gone.body);
    let end = tokio::time::timeout(Duration::from_secs(10), closed(&mut of_bob)).await?;
    assert!(end.contains("signed out"), "{end}");
    cluster.end().await
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL and NATS: scripts/postgres scripts/nats"]
async fn postgres_and_nats_votes_reviews_and_passkeys_are_one() -> Fallible<()> {
    let cluster = Cluster::start("one", 3, many).await?;
    let [one, two, three] = [&cluster.nodes[0], &cluster.nodes[1], &cluster.nodes[2]];
    let (mut ann, bob, cid) = (
        account(one, "Ann").await?,
        account(two, "Bob").await?,
        account(three, "Cid").await?,
    );
    let wish = json!({
        "question": "Game of the month?", "text": "", "candidates": [{"game": "strike80"}, {"text": "Any Citadel"}],
        "closes_ms": server::services::wall_ms() + 4000,
    });
    let made = ann.ask("POST", "/api/votes", wish).await?;
    let vote = made.json::<VoteMade>()?.id;
    for (mut voter, tick) in [(at(&ann, two), 0), (at(&bob, three), 1), (at(&cid, one), 1)] {
        let path = format!("/api/votes/{vote}/me");
        let cast = voter.ask("PUT", &path, json!({ "tick": tick })).await?;
        assert_eq!(cast.status, 204, "{}", cast.body);
    }
    let path = format!("/api/votes/{vote}");
    let declared = |now: &VoteNow| now.counts.is_some();
    let now: VoteNow = until(&mut at(&ann, three), &path, declared).await?;
    let counts = now.counts.ok_or("not counted")?;
    assert_eq!((now.voters, counts[0].ticks, counts[1].ticks), (3, 1, 2));

    // A review that one node is at is found at the others, and is not made twice.
    let text = json!({ "text": "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O *" });
    let begun: ReviewState = ann
        .ask("POST", "/api/reviews", text.clone())
        .await?
        .json()?;
    assert_eq!(begun.stage, ReviewStage::Running);
    let path = format!("/api/reviews/{}", begun.id);
    let elsewhere: ReviewState = at(&bob, two).get(&path).await?.json()?;
    let whole = elsewhere.stage == ReviewStage::Ready;
    assert!(
        whole || elsewhere.stage == ReviewStage::Running,
        "{elsewhere:?}"
    );
    let joined: ReviewState = at(&bob, three)
        .ask("POST", "/api/reviews", text)
        .await?
        .json()?;
    assert_eq!(
        (joined.id.as_str(), joined.of),
        (begun.id.as_str(), begun.of)
    );
    assert!(joined.stage != ReviewStage::Paused, "{joined:?}");
    until(&mut at(&bob, two), &path, |state: &ReviewState| {
        assert_ne!(state.stage, ReviewStage::Paused, "it rests");
        state.stage == ReviewStage::Ready
    })
    .await?;

    // The answer of a browser is checked by the node that has asked, and used up there.
    let question = passkey(one, "/question", json!({})).await?;
    assert_eq!(question.status, 200, "{}", question.body);
    let question: Value = question.json()?;
    let nonsense = json!({
        "token": question["token"],
        "credential": {
            "id": "AAAA", "rawId": "AAAA", "type": "public-key", "clientExtensionResults": {},
            "response": { "authenticatorData": "AAAA", "clientDataJSON": "AAAA", "signature": "AAAA", "userHandle": null },
        },
    });
    let checked = passkey(two, "", nonsense.clone())
        .await?
        .json::<Refusal>()?;
    assert_eq!(checked.code, "passkey");
    assert!(checked.message.contains("opens no account"), "{checked:?}");
    let again = passkey(one, "", nonsense).await?.json::<Refusal>()?;
    assert!(again.message.contains("already been answered"), "{again:?}");
    let stray = json!({ "token": "nowhere.abc", "credential": question["options"] });
    assert_eq!(passkey(two, "", stray).await?.status, 422);
    cluster.end().await
}

async fn passkey(node: &TestServer, path: &str, body: Value) -> Fallible<Answer> {
    let (path, body) = (format!("/api/session/passkey{path}"), body.to_string());
    let headers = [("origin", ORIGIN)];
    let request = Request::post(&path, &body);
    node.ask(request.with(&headers)).await
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL and NATS: scripts/postgres scripts/nats"]
async fn postgres_and_nats_attempts_are_counted_at_all_nodes() -> Fallible<()> {
    let few = |config: &mut Config| {
        config.limits.sign_ins_per_minute = 6;
        config.limits.accounts_per_hour = 0;
        config.limits.games_per_minute = 5;
    };
    let cluster = Cluster::start("limits", 3, few).await?;
    let mut tried = 0;
    for n in 0..18 {
        let mut browser = Browser::new(&cluster.nodes[n % 3]);
        let answer = browser.sign_in("Nobody", "not the password").await?;
        tried += usize::from(answer.status == 403);
    }
    // One may come back within the time that this takes.
    assert!((6..=8).contains(&tried), "{tried} attempts");
    let mut made = 0;
    let mut browser = guest(&cluster.nodes[0]).await?;
    for n in 0..15 {
        let wish = json!({ "variant": "chess", "side": "white" });
        browser.address = cluster.nodes[n % 3].address;
        made += usize::from(browser.ask("POST", "/api/games", wish).await?.status == 201);
    }
    assert!((5..=7).contains(&made), "{made} games");
    cluster.end().await
}

/// Plays a game of two, each at a node: both move, then White resigns.
async fn play(white: &Browser, black: &Browser, game: &str) -> Fallible<()> {
    let mut sockets = Vec::new();
    for browser in [white, black] {
        sockets.push(Socket::open(browser.address, &[("cookie", &browser.cookie())]).await?);
    }
    for (ply, socket) in (0..).zip(&mut sockets) {
        let snapshot = socket.join(game, None).await?;
        let first = snapshot.now.legal.first().cloned();
        socket.play(ply, &first.ok_or("no move")?).await?;
        socket.ply(ply + 1).await?;
    }
    sockets[0].say(&ClientMessage::Resign).await?;
    let over = |message| match message {
        ServerMessage::Update { now, .. } => now.result.is_some().then_some(()),
        _ => None,
    };
    sockets[1].until(over).await
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL and NATS: scripts/postgres scripts/nats"]
async fn postgres_and_nats_another_node_goes_on_when_the_one_ends_that_leads() -> Fallible<()> {
    let mut cluster = Cluster::start("ends", 3, many).await?;
    let [one, two, three] = [&cluster.nodes[0], &cluster.nodes[1], &cluster.nodes[2]];
    // The first leads. Each of four people is at another one of the other two.
    let mut people = [
        account(two, "Ann").await?,
        account(three, "Bob").await?,
        account(two, "Cid").await?,
        account(three, "Dora").await?,
    ];
    let wish = json!({
        "name": "Swiss", "kind": { "swiss": { "rounds": 3 } }, "games": ["chess"], "clock": CLOCK,
        "rated": true, "starts_ms": server::services::wall_ms() + 3000, "break_s": 0,
    });
    let made = at(&people[0], one)
        .ask("POST", "/api/tournaments", wish)
        .await?;
    let id = made.json::<TournamentMade>()?.id;
    // All join in the same moment, at different nodes: none is lost.
    let path = format!("/api/tournaments/{id}/me");
    let joins = people.iter_mut().map(|p| p.ask("PUT", &path, json!({})));
    for joined in futures_util::future::try_join_all(joins).await? {
        assert_eq!(joined.status, 204, "{}", joined.body);
    }
    let (mut page, before) = enter(&people[0]).await?;
    let (mut ann, mut bob) = (guest(two).await?, guest(three).await?);
    let (mut of_ann, _) = enter(&ann).await?;
    let days = json!({ "games": ["grand"], "clocks": ["days:3"] });
    let kept = seek(&mut bob, days).await?.id.ok_or("it does not wait")?;
    let present = json!({ "games": ["shatranj"], "clocks": [CLOCK] });
    let present = seek(&mut ann, present)
        .await?
        .id
        .ok_or("it does not wait")?;

    let path = format!("/api/tournaments/{id}");
    for round in 1..=3_u32 {
        let paired = |now: &TournamentNow| now.round == round;
        let now: TournamentNow = until(&mut people[1], &path, paired).await?;
        assert_eq!(now.card.people, 4);
        if round == 2 {
            // The one that leads is gone while a round is played; then the next one leads.
            cluster.nodes.remove(0).end().await?;
        }
        let path = format!("{path}/games?round={round}");
        // They are shown when they are made.
        let all = |list: &TournamentGames| list.games.len() == 2;
        let list: TournamentGames = until(&mut people[2], &path, all).await?;
        for game in &list.games {
            let of = |name: &str| {
                let place = ["Ann", "Bob", "Cid", "Dora"]
                    .iter()
                    .position(|n| *n == name);
                place.and_then(|place| people.get(place)).ok_or("nobody")
            };
            let (white, black) = (of(&game.white)?, of(&game.black)?);
            play(white, black, &game.game).await?;
        }
    }
    let over = |now: &TournamentNow| now.card.phase == TournamentPhase::Over;
    let now: TournamentNow = until(&mut people[3], &path, over).await?;
    let sum: f64 = now.standings.iter().map(|row| row.score).sum();
    assert_eq!(sum, 6.0, "{now:?}");
    // Each game is rated once.
    for name in ["Ann", "Bob", "Cid", "Dora"] {
        let path = format!("/api/people/{name}");
        let rated = |profile: &server::wire::Profile| {
            let games: u32 = profile.ratings.iter().map(|r| r.now.games).sum();
            assert!(games <= 3, "{name}: {games} games");
            games == 3
        };
        until(&mut people[0], &path, rated).await?;
    }

    // What waits over days is there still; who was here seeks again, and pages have heard of it.
    let change = page.until(|message| match message {
        ServerMessage::LobbyChange(change) if change.n > before.n + 1000 => Some(change),
        _ => None,
    });
    change.await?;
    let lobby = list(&mut of_ann).await?;
    assert!(lobby.n > before.n, "{} after {}", lobby.n, before.n);
    let ids: Vec<&str> = lobby.seeks.iter().map(|seek| seek.id.as_str()).collect();
    assert_eq!(ids, [&*kept], "{present} ends with the node");
    let again = json!({ "games": ["grand"], "clocks": ["days:3"] });
    let found = seek(&mut ann, again).await?;
    assert!(found.paired.is_some(), "{found:?}");
    cluster.end().await
}
