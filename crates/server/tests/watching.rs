//! Watching from outside: the games that everybody may watch, small boards, what those say who watch, people who are followed
//! and people who are muted; and who may not.

mod common;

use common::browser::{Browser, code};
use common::operator::{Operator, socket, soon};
use common::people::{account, guest, seek};
use common::{Fallible, Socket, TestServer};
use serde_json::{Value, json};
use server::wire::{
    ClientMessage, Exported, FollowedPerson, GameMade, MutedPerson, ResultCounts, ResultsOfGame,
    RunningPage, ServerMessage, Side, Snapshot, WatchedBoard, WatchedBoards, WatchersLine,
};
use std::time::{Duration, Instant};
use store::people::{PeopleList, PeopleStore};

const CLOCK: &str = "fischer:5m+3s";

/// A game of two that everybody may watch, with both at the board.
async fn public_game(
    server: &TestServer,
    white: &mut Browser,
    black: &mut Browser,
    variant: &str,
) -> Fallible<(String, Socket, Socket)> {
    let wish = json!({ "games": [variant], "clocks": [CLOCK], "side": "white" });
    assert!(seek(white, wish).await?.paired.is_none());
    let wish = json!({ "games": [variant], "clocks": [CLOCK] });
    let game = seek(black, wish).await?.paired.ok_or("not paired")?.game;
    let mut first = socket(server, white).await?;
    first.join(&game, None).await?;
    let mut second = socket(server, black).await?;
    second.join(&game, None).await?;
    Ok((game, first, second))
}

/// A game of two friends, which only they and those with its address find.
async fn private_game(
    server: &TestServer,
    white: &mut Browser,
) -> Fallible<(String, Socket, Socket)> {
    let wishes = json!({ "variant": "chess", "side": "white", "clock": CLOCK });
    let made: GameMade = white.ask("POST", "/api/games", wishes).await?.json()?;
    let mut first = socket(server, white).await?;
    first.join(&made.id, None).await?;
    let friend = made.friend_seat.ok_or("no seat")?;
    let (second, _) = server.join(&made.id, Some(&friend)).await?;
    Ok((made.id, first, second))
}

async fn running(server: &TestServer, query: &str) -> Fallible<RunningPage> {
    server.get(&format!("/api/running{query}")).await
}

fn ids(page: &RunningPage) -> Vec<&str> {
    page.games.iter().map(|game| game.id.as_str()).collect()
}

async fn boards(socket: &mut Socket) -> Fallible<WatchedBoards> {
    socket
        .until(|message| match message {
            ServerMessage::Boards(boards) => Some(boards),
            _ => None,
        })
        .await
}

async fn watch(socket: &mut Socket, games: &[&str]) -> Fallible<WatchedBoards> {
    let games = games.iter().map(|id| (*id).to_owned()).collect();
    socket.say(&ClientMessage::WatchBoards { games }).await?;
    boards(socket).await
}

async fn board(socket: &mut Socket) -> Fallible<WatchedBoard> {
    let mut told = boards(socket).await?;
    assert_eq!((told.boards.len(), told.gone.len()), (1, 0));
    Ok(told.boards.remove(0))
}

async fn talk(socket: &mut Socket, text: &str) -> Fallible<()> {
    socket
        .say(&ClientMessage::WatchersChat { text: text.into() })
        .await
}

async fn line(socket: &mut Socket) -> Fallible<WatchersLine> {
    socket
        .until(|message| match message {
            ServerMessage::WatchersLine(line) => Some(line),
            _ => None,
        })
        .await
}

async fn lines(socket: &mut Socket) -> Fallible<Vec<String>> {
    socket
        .until(|message| match message {
            ServerMessage::WatchersChat { lines } => {
                Some(lines.into_iter().map(|line| line.text).collect())
            }
            _ => None,
        })
        .await
}

/// All that is told until an answer to a ping, as text: what came of everything before.
async fn told(socket: &mut Socket) -> Fallible<String> {
    socket.say(&ClientMessage::Ping { n: 4711 }).await?;
    let mut all = String::new();
    loop {
        let message = socket.hear().await?;
        if message == (ServerMessage::Pong { n: 4711 }) {
            return Ok(all);
        }
        all += &serde_json::to_string(&message)?;
    }
}

async fn refused(browser: &mut Browser, method: &str, path: &str) -> Fallible<(u16, String)> {
    let answer = browser.ask(method, path, Value::Null).await?;
    Ok((answer.status, code(&answer)?))
}

#[tokio::test(flavor = "multi_thread")]
async fn games_that_run_are_listed_the_best_first() -> Fallible<()> {
    let server = TestServer::start("running", |_| ()).await?;
    let (mut ann, mut bob) = (
        account(&server, "Ann").await?,
        account(&server, "Bob").await?,
    );
    let empty = running(&server, "").await?;
    assert_eq!(
        (empty.games.len(), empty.counts.len(), empty.next),
        (0, 0, None)
    );
    let made = server
        .make(r#"{"variant":"grand","side":"white","level":3,"clock":"fischer:5m+3s"}"#)
        .await?;
    assert!(
        running(&server, "").await?.games.is_empty(),
        "it has not begun"
    );
    let (_player, _) = server.join(&made.id, Some(&made.seat)).await?;
    let (game, mut white, mut black) = public_game(&server, &mut ann, &mut bob, "chess").await?;
    let (private, mut hidden, _other) = private_game(&server, &mut ann).await?;
    hidden.play(0, "e4").await?;
    hidden.ply(1).await?;
    let page = running(&server, "").await?;
    assert_eq!(
        ids(&page),
        [game.as_str(), made.id.as_str()],
        "people come first"
    );
    let first = &page.games[0];
    assert_eq!(
        (first.name.as_str(), first.players.white.name.as_str()),
        ("Chess", "Ann")
    );
    assert!(first.players.white.account && !first.rated);
    let level = &page.games[1].players.black;
    assert_eq!((level.level, level.rating), (Some(3), Some(1150)));
    white.play(0, "e4").await?;
    black.ply(1).await?;
    black.play(1, "c5").await?;
    white.ply(2).await?;
    let page = running(&server, "?game=chess").await?;
    assert_eq!(ids(&page), [game.as_str()]);
    let told = &page.games[0].board;
    assert_eq!((told.ply, told.last.as_deref()), (2, Some("c7c5")));
    assert_eq!(told.game, game);
    assert_eq!(
        ids(&running(&server, "?game=grand,shatranj").await?),
        [made.id.as_str()]
    );
    assert!(running(&server, "?game=shatranj").await?.games.is_empty());

    // Pages go on behind a key.
    let after = format!("?after=100000.{game}");
    assert_eq!(ids(&running(&server, &after).await?), [made.id.as_str()]);
    let long = format!("?game={}", "chess,".repeat(300));
    let many = format!("?game={}", "chess,".repeat(33));
    for (query, expected) in [
        ("?after=soon", (400, "query")),
        ("?after=1.-", (400, "query")),
        ("?game=go", (422, "variant")),
        ("?page=2", (400, "query")),
        (long.as_str(), (400, "query")),
        (many.as_str(), (400, "query")),
    ] {
        let path = format!("/api/running{query}");
        let (status, reason) = refused(&mut ann, "GET", &path).await?;
        assert_eq!((status, reason.as_str()), expected, "{query}");
    }

    // After a restart those that run are there, and those that have ended are not; nobody came to any of them.
    let (ended, mut loser, _winner) = public_game(&server, &mut ann, &mut bob, "shatranj").await?;
    loser.say(&ClientMessage::Abort).await?;
    let over = |m| {
        matches!(m, ServerMessage::Update { now, .. } if now.stage == server::wire::Stage::Aborted)
            .then_some(())
    };
    loser.until(over).await?;
    drop((white, black, hidden, loser));
    let folder = server.stop().await?;
    let server = TestServer::start("running", |c| c.data = folder).await?;
    let page = running(&server, "").await?;
    assert!(ids(&page).contains(&game.as_str()));
    let again = page
        .games
        .iter()
        .find(|g| g.id == game)
        .ok_or("not there")?;
    assert_eq!(again.board.ply, 2);
    for id in [&ended, &private] {
        assert!(!ids(&page).contains(&id.as_str()));
    }
    let count = page.counts.iter().find(|c| c.variant == "chess");
    assert_eq!(
        count.map(|c| (c.games, c.name.as_str())),
        Some((1, "Chess"))
    );
    server.end().await
}

/// Who has left a game at the board is not watched; who comes back is.
#[tokio::test(flavor = "multi_thread")]
async fn a_game_that_was_left_rests() -> Fallible<()> {
    let server = TestServer::start("rests", |_| ()).await?;
    let made = server
        .make(r#"{"variant":"chess","side":"white","level":1}"#)
        .await?;
    let (mut player, _) = server.join(&made.id, Some(&made.seat)).await?;
    player.play(0, "e4").await?;
    player.ply(2).await?;
    assert_eq!(running(&server, "").await?.games.len(), 1);
    drop(player);
    let left = Instant::now();
    while !running(&server, "").await?.games.is_empty() {
        assert!(left.elapsed() < Duration::from_secs(30), "it does not rest");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    let (_player, _) = server.join(&made.id, Some(&made.seat)).await?;
    let back = Instant::now();
    while running(&server, "").await?.games.is_empty() {
        assert!(back.elapsed() < Duration::from_secs(10), "it is not back");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn small_boards_are_told_and_nobody_is_joined() -> Fallible<()> {
    let server = TestServer::start("boards", |_| ()).await?;
    let (mut ann, mut bob) = (guest(&server).await?, guest(&server).await?);
    let (game, mut white, mut black) = public_game(&server, &mut ann, &mut bob, "chess").await?;
    let (private, mut hidden, mut other) = private_game(&server, &mut ann).await?;
    let mut watcher = server.socket().await?;
    let first = watch(&mut watcher, &[&game, &private, "nothing", "../x"]).await?;
    assert_eq!(first.boards.len(), 1);
    assert_eq!(
        (first.boards[0].game.as_str(), first.boards[0].ply),
        (game.as_str(), 0)
    );
    let mut gone = first.gone.clone();
    gone.sort();
    let mut expected = vec![private.clone(), "nothing".into(), "../x".into()];
    expected.sort();
    assert_eq!(gone, expected);

    // Moves come, once a second at most, the last of them always; those of a private game never.
    let begun = Instant::now();
    let line = ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Ba4", "Nf6"];
    for (ply, text) in (0..).zip(line) {
        let (mover, waiting) = match ply % 2 {
            0 => (&mut white, &mut black),
            _ => (&mut black, &mut white),
        };
        mover.play(ply, text).await?;
        waiting.ply(ply + 1).await?;
    }
    hidden.play(0, "e4").await?;
    other.ply(1).await?;
    let played = begun.elapsed();
    let (mut seen, mut last) = (0, 0);
    while last < line.len() as u32 {
        let told = board(&mut watcher).await?;
        assert_eq!(told.game, game);
        assert!(told.ply > last, "{told:?}");
        (seen, last) = (seen + 1, told.ply);
    }
    let most = 2 + begun.elapsed().max(played).as_secs();
    assert!(seen <= most, "{seen} boards in {:?}", begun.elapsed());
    // Who looks at boards is not one who watches the game.
    let look: Snapshot = server.get(&format!("/api/games/{game}")).await?;
    assert_eq!(look.now.watchers, 0);

    let too_many = vec!["nothing".to_owned(); 13];
    watcher
        .say(&ClientMessage::WatchBoards { games: too_many })
        .await?;
    assert_eq!(watcher.refusal().await?, "limit");
    // Refused was the message: what was watched is watched still.
    white.say(&ClientMessage::Resign).await?;
    let end = loop {
        let told = board(&mut watcher).await?;
        if told.over {
            break told;
        }
    };
    let result = end.result.ok_or("no result")?;
    assert_eq!(
        (result.winner, result.reason.as_str()),
        (Some(Side::Black), "resignation")
    );
    let after = watch(&mut watcher, &[&game]).await?;
    assert_eq!((after.boards.len(), after.gone), (0, vec![game]));
    assert!(watch(&mut watcher, &[]).await?.boards.is_empty());
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn those_who_watch_talk_and_players_read_it_after_the_end() -> Fallible<()> {
    let server = TestServer::start("talk", |_| ()).await?;
    let operator = Operator::of(&server)?;
    let (mut ann, mut bob) = (
        account(&server, "Ann").await?,
        account(&server, "Bob").await?,
    );
    let (cid, mut eve) = (account(&server, "Cid").await?, guest(&server).await?);
    let (game, mut white, mut black) = public_game(&server, &mut ann, &mut bob, "chess").await?;
    let mut nobody = server.socket().await?;
    talk(&mut nobody, "where am I").await?;
    assert_eq!(nobody.refusal().await?, "no_game");
    let mut first = socket(&server, &cid).await?;
    first.join(&game, None).await?;
    let mut second = socket(&server, &eve).await?;
    second.join(&game, None).await?;
    // A second window of a player is a player's.
    let mut window = socket(&server, &ann).await?;
    assert_eq!(window.join(&game, None).await?.own, Some(Side::White));

    talk(&mut first, "a fine  \u{7} game").await?;
    for socket in [&mut first, &mut second] {
        let line = line(socket).await?;
        assert_eq!((line.name.as_str(), line.account, line.n), ("Cid", true, 1));
        assert_eq!(line.text, "a fine    game");
    }
    talk(&mut second, "SECRET PLAN").await?;
    assert_eq!(line(&mut first).await?.text, "SECRET PLAN");
    for text in ["", " ", &"x".repeat(501)] {
        talk(&mut first, text).await?;
        assert_eq!(first.refusal().await?, "text");
    }
    // One who comes later reads what was said; a player does not, in whatever way he comes or asks.
    let mut third = server.socket().await?;
    third.join(&game, None).await?;
    assert_eq!(lines(&mut third).await?.len(), 2);
    for socket in [&mut white, &mut black, &mut window] {
        talk(socket, "hello").await?;
        assert_eq!(socket.refusal().await?, "not_your_seat");
        socket.join(&game, None).await?;
        assert!(!told(socket).await?.contains("SECRET"));
    }
    white.play(0, "e4").await?;
    black.ply(1).await?;
    let look = ann.get(&format!("/api/games/{game}")).await?.body;
    assert!(!look.contains("SECRET"));
    // Nor what was said is anywhere in storage.
    let export: Value = ann.get("/api/account/export").await?.json()?;
    assert!(!export.to_string().contains("SECRET"));

    // Who may not write in chat may not write here.
    let ban = json!({ "act": "ban", "account": "Cid", "kind": "chat", "until_ms": soon(), "reason": "words" });
    operator.act(ban).await?;
    talk(&mut first, "an insult").await?;
    assert_eq!(first.refusal().await?, "muted");
    operator
        .act(json!({ "act": "unban", "account": "Cid" }))
        .await?;
    // The last 50 lines are kept.
    for n in 0..60 {
        talk(&mut first, &format!("line {n}")).await?;
        assert_eq!(line(&mut first).await?.text, format!("line {n}"));
        tokio::time::sleep(Duration::from_millis(80)).await;
    }
    assert!(!told(&mut white).await?.contains("line 59"));
    let mut fourth = server.socket().await?;
    fourth.join(&game, None).await?;
    let kept = lines(&mut fourth).await?;
    assert_eq!(
        (kept.len(), kept[0].as_str(), kept[49].as_str()),
        (50, "line 10", "line 59")
    );

    black.say(&ClientMessage::Resign).await?;
    for socket in [&mut white, &mut black, &mut window] {
        let read = lines(socket).await?;
        assert_eq!(read.len(), 50);
    }
    talk(&mut first, "well played").await?;
    assert_eq!(line(&mut white).await?.text, "well played");
    // To read is not to write.
    talk(&mut white, "thanks").await?;
    assert_eq!(white.refusal().await?, "not_your_seat");
    let own = eve.get(&format!("/api/games/{game}")).await?;
    assert_eq!(own.status, 200);
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn guests_talk_where_the_operator_lets_them() -> Fallible<()> {
    let server = TestServer::start("no-guests", |c| c.guests_may_chat = false).await?;
    let (mut ann, mut bob) = (guest(&server).await?, guest(&server).await?);
    let (game, mut white, mut black) = public_game(&server, &mut ann, &mut bob, "chess").await?;
    let (cid, eve) = (account(&server, "Cid").await?, guest(&server).await?);
    let mut second = socket(&server, &eve).await?;
    second.join(&game, None).await?;
    talk(&mut second, "hello").await?;
    assert_eq!(second.refusal().await?, "sign_in");
    let mut first = socket(&server, &cid).await?;
    first.join(&game, None).await?;
    talk(&mut first, "hello").await?;
    assert_eq!(line(&mut second).await?.text, "hello");
    // The players' own chat is as it was.
    white
        .say(&ClientMessage::Chat { text: "hi".into() })
        .await?;
    let heard = black.until(|message| match message {
        ServerMessage::Chat(line) => Some(line.text),
        _ => None,
    });
    assert_eq!(heard.await?, "hi");
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_is_followed_while_playing() -> Fallible<()> {
    let server = TestServer::start("follow", |_| ()).await?;
    let (mut ann, mut bob) = (
        account(&server, "Ann").await?,
        account(&server, "Bob").await?,
    );
    let mut cid = account(&server, "Cid").await?;
    let path = "/api/people/ann/follow";
    assert_eq!(cid.ask("PUT", path, Value::Null).await?.status, 204);
    assert_eq!(cid.ask("PUT", path, Value::Null).await?.status, 204);
    let followed = async |browser: &mut Browser| -> Fallible<Vec<FollowedPerson>> {
        browser.get("/api/me/followed").await?.json()
    };
    let list = followed(&mut cid).await?;
    assert_eq!((list.len(), list[0].name.as_str()), (1, "Ann"));
    assert_eq!((&list[0].playing, list[0].seen_ms % 3_600_000), (&None, 0));
    let (_private, _a, _b) = private_game(&server, &mut ann).await?;
    assert_eq!(
        followed(&mut cid).await?[0].playing,
        None,
        "not everybody may watch it"
    );
    let (game, mut white, _black) = public_game(&server, &mut ann, &mut bob, "chess").await?;
    let playing = followed(&mut cid).await?[0]
        .playing
        .clone()
        .ok_or("not told")?;
    assert_eq!((playing.id, playing.name.as_str()), (game, "Chess"));
    assert_eq!(playing.clock, CLOCK);
    white.say(&ClientMessage::Abort).await?;
    white
        .until(|m| {
            matches!(m, ServerMessage::Update { now, .. } if now.turn.is_none()).then_some(())
        })
        .await?;
    assert_eq!(followed(&mut cid).await?[0].playing, None);
    // One's own data say whom one follows and mutes; nobody else is told.
    assert_eq!(
        cid.ask("PUT", "/api/me/muted/bob", Value::Null)
            .await?
            .status,
        204
    );
    let export: Exported = cid.get("/api/account/export").await?.json()?;
    assert_eq!(
        (export.followed, export.muted),
        (vec!["Ann".into()], vec!["Bob".into()])
    );
    assert!(followed(&mut ann).await?.is_empty());
    assert_eq!(cid.ask("DELETE", path, Value::Null).await?.status, 204);
    assert_eq!(cid.ask("DELETE", path, Value::Null).await?.status, 204);
    assert!(followed(&mut cid).await?.is_empty());

    // A program follows as its account does.
    let word = json!({ "password": common::people::WORD });
    let mut owner = account(&server, "Robot").await?;
    assert_eq!(
        owner.ask("PUT", "/api/account/bot", word).await?.status,
        204
    );
    let token = owner
        .ask("POST", "/api/account/tokens", json!({ "name": "home" }))
        .await?;
    let token: server::wire::TokenMade = token.json()?;
    let shows = format!("Bearer {}", token.token);
    let headers = [("authorization", shows.as_str())];
    let follow = common::Request {
        method: "PUT",
        ..common::Request::post(path, "")
    };
    assert_eq!(server.ask(follow.with(&headers)).await?.status, 204);
    assert_eq!(followed(&mut owner).await?.len(), 1);

    // Who deletes the account is followed by nobody.
    let word = json!({ "password": common::people::WORD });
    assert_eq!(ann.ask("DELETE", "/api/account", word).await?.status, 200);
    assert!(followed(&mut owner).await?.is_empty());
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_not_follow_or_mute_is_told_why() -> Fallible<()> {
    let server = TestServer::start("no-follow", |_| ()).await?;
    let (mut ann, mut eve) = (account(&server, "Ann").await?, guest(&server).await?);
    let mut dan = account(&server, "Dan").await?;
    for (method, path) in [
        ("PUT", "/api/people/Ann/follow"),
        ("DELETE", "/api/people/Ann/follow"),
        ("GET", "/api/me/followed"),
        ("PUT", "/api/me/muted/Ann"),
        ("DELETE", "/api/me/muted/Ann"),
        ("GET", "/api/me/muted"),
    ] {
        let told = refused(&mut eve, method, path).await?;
        assert_eq!(told, (401, "sign_in".into()), "{method} {path}");
    }
    for path in ["/api/people/Ann/follow", "/api/me/muted/Ann"] {
        assert_eq!(
            refused(&mut ann, "PUT", path).await?,
            (409, "oneself".into())
        );
    }
    for path in ["/api/people/Nobody/follow", "/api/me/muted/Nobody"] {
        for method in ["PUT", "DELETE"] {
            let told = refused(&mut ann, method, path).await?;
            assert_eq!(told, (404, "no_such_person".into()), "{method} {path}");
        }
    }
    let nobody = refused(&mut ann, "GET", "/api/people/Nobody/results").await?;
    assert_eq!(nobody, (404, "no_such_person".into()));
    // A banned account is nobody's any more; a banned guest is told.
    let operator = Operator::of(&server)?;
    let ban = json!({ "act": "ban", "account": "Dan", "until_ms": soon(), "reason": "x" });
    operator.act(ban).await?;
    let told = refused(&mut dan, "PUT", "/api/people/Ann/follow").await?;
    assert_eq!(told, (401, "sign_in".into()));

    // 200 of each are kept.
    let (folder, store) = server.stop_for_storage().await?;
    let id = {
        use store::accounts::AccountStore;
        let row = store
            .account_named(&play::names::account::reading("Ann"))
            .await?;
        row.ok_or("no Ann")?.id
    };
    for list in PeopleList::ALL {
        for n in 0..200 {
            assert!(
                store
                    .list_person(list, &id, &format!("other{n}"), 1, 200)
                    .await?
            );
        }
    }
    store.close().await;
    drop(store);
    let server = TestServer::start("no-follow", |c| c.data = folder).await?;
    ann.address = server.address;
    for path in ["/api/people/Dan/follow", "/api/me/muted/Dan"] {
        assert_eq!(
            refused(&mut ann, "PUT", path).await?,
            (429, "limit".into()),
            "{path}"
        );
    }
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_muted_are_not_heard() -> Fallible<()> {
    let server = TestServer::start("mutes", |_| ()).await?;
    let (mut ann, mut bob) = (
        account(&server, "Ann").await?,
        account(&server, "Bob").await?,
    );
    let mut cid = account(&server, "Cid").await?;
    let (game, mut white, mut black) = public_game(&server, &mut ann, &mut bob, "chess").await?;
    let chat = async |socket: &mut Socket| {
        socket
            .until(|message| match message {
                ServerMessage::Chat(line) => Some(line),
                _ => None,
            })
            .await
    };
    let say = |text: &str| ClientMessage::Chat { text: text.into() };
    black.say(&say("BEFORE")).await?;
    assert_eq!(chat(&mut white).await?.text, "BEFORE");
    assert_eq!(
        ann.ask("PUT", "/api/me/muted/Bob", Value::Null)
            .await?
            .status,
        204
    );
    let muted: Vec<MutedPerson> = ann.get("/api/me/muted").await?.json()?;
    assert_eq!(
        muted.iter().map(|p| p.name.as_str()).collect::<Vec<_>>(),
        ["Bob"]
    );
    // The open page is told the game anew, without what he said; the number of the line is kept for reports.
    let anew = white.until(|message| match message {
        ServerMessage::Snapshot(snapshot) => Some(snapshot.chat),
        _ => None,
    });
    let anew = anew.await?;
    assert_eq!(
        (anew.len(), anew[0].text.as_str(), anew[0].muted),
        (1, "", true)
    );
    black.say(&say("INSULT")).await?;
    let line_told = chat(&mut white).await?;
    assert_eq!(
        (line_told.text.as_str(), line_told.muted, line_told.side),
        ("", true, Side::Black)
    );
    assert_eq!(chat(&mut black).await?.text, "BEFORE");
    assert_eq!(chat(&mut black).await?.text, "INSULT", "he reads himself");
    white.say(&say("hello")).await?;
    assert_eq!(chat(&mut black).await?.text, "hello", "and her");
    let look = ann.get(&format!("/api/games/{game}")).await?.body;
    assert!(look.contains("hello") && !look.contains("INSULT") && !look.contains("BEFORE"));
    let mut again = socket(&server, &ann).await?;
    let snapshot = again.join(&game, None).await?;
    assert!(snapshot.chat[0].muted && snapshot.chat[1].muted && !snapshot.chat[2].muted);
    let of_bob: Snapshot = bob.get(&format!("/api/games/{game}")).await?.json()?;
    assert_eq!(of_bob.chat[1].text, "INSULT");

    // Those who watch mute each other, too.
    let (mut first, mut second) = (socket(&server, &cid).await?, server.socket().await?);
    let dan = account(&server, "Dan").await?;
    let mut third = socket(&server, &dan).await?;
    for socket in [&mut first, &mut second, &mut third] {
        socket.join(&game, None).await?;
    }
    talk(&mut third, "SPAM 1").await?;
    assert_eq!(line(&mut first).await?.text, "SPAM 1");
    assert_eq!(
        cid.ask("PUT", "/api/me/muted/dan", Value::Null)
            .await?
            .status,
        204
    );
    assert!(lines(&mut first).await?.is_empty());
    talk(&mut third, "SPAM 2").await?;
    assert_eq!(line(&mut second).await?.text, "SPAM 1");
    assert_eq!(line(&mut second).await?.text, "SPAM 2");
    assert!(!told(&mut first).await?.contains("SPAM"));
    assert_eq!(
        cid.ask("DELETE", "/api/me/muted/Dan", Value::Null)
            .await?
            .status,
        204
    );
    assert_eq!(lines(&mut first).await?, ["SPAM 1", "SPAM 2"]);
    assert_eq!(
        ann.ask("DELETE", "/api/me/muted/Bob", Value::Null)
            .await?
            .status,
        204
    );
    let look = ann.get(&format!("/api/games/{game}")).await?.body;
    assert!(look.contains("INSULT"));
    // A game that nobody is in tells no more than one that is live.
    assert_eq!(
        ann.ask("PUT", "/api/me/muted/Bob", Value::Null)
            .await?
            .status,
        204
    );
    drop((white, black, again, first, second, third));
    let folder = server.stop().await?;
    let server = TestServer::start("mutes", |c| c.data = folder).await?;
    ann.address = server.address;
    let look = ann.get(&format!("/api/games/{game}")).await?.body;
    assert!(look.contains("hello") && !look.contains("INSULT"));
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn results_are_told_by_game_and_side() -> Fallible<()> {
    let server = TestServer::start("results", |_| ()).await?;
    let (mut ann, mut bob) = (
        account(&server, "Ann").await?,
        account(&server, "Bob").await?,
    );
    let results = async |server: &TestServer, name: &str| -> Fallible<Vec<ResultsOfGame>> {
        server.get(&format!("/api/people/{name}/results")).await
    };
    assert!(results(&server, "Ann").await?.is_empty());
    for (variant, resigns) in [
        ("citadel9", Side::White),
        ("citadel9", Side::Black),
        ("chess", Side::White),
    ] {
        let (_, mut white, mut black) = public_game(&server, &mut ann, &mut bob, variant).await?;
        let loser = match resigns {
            Side::White => &mut white,
            Side::Black => &mut black,
        };
        loser.say(&ClientMessage::Resign).await?;
        white
            .until(|m| {
                matches!(m, ServerMessage::Update { now, .. } if now.result.is_some()).then_some(())
            })
            .await?;
    }
    // What friends play for themselves is not counted.
    let (_, mut white, _black) = private_game(&server, &mut ann).await?;
    white.say(&ClientMessage::Resign).await?;
    white
        .until(|m| {
            matches!(m, ServerMessage::Update { now, .. } if now.result.is_some()).then_some(())
        })
        .await?;
    let counts = |won, drawn, lost| ResultCounts { won, drawn, lost };
    let of_ann = results(&server, "Ann").await?;
    let told: Vec<_> = of_ann
        .iter()
        .map(|r| (r.variant.as_str(), r.results.white, r.results.black))
        .collect();
    let none = counts(0, 0, 0);
    assert_eq!(
        told,
        [
            ("citadel9", counts(1, 0, 1), none),
            ("chess", counts(0, 0, 1), none)
        ]
    );
    assert_eq!(
        (of_ann[0].sides.white.as_str(), of_ann[1].name.as_str()),
        ("Pure-White", "Chess")
    );
    let of_bob = results(&server, "bob").await?;
    assert_eq!(
        (of_bob[0].results.white, of_bob[0].results.black),
        (none, counts(1, 0, 1))
    );
    server.end().await
}
