//! Watching from outside: the games that everybody may watch, small boards, and what those say who watch.

use crate::common::operator::{Operator, socket, soon};
use crate::common::people::{account, guest};
use crate::common::watch::{line, lines, private_game, public_game, refused, talk, told};
use crate::common::{Fallible, Socket, TestServer};
use serde_json::{Value, json};
use server::wire::{
    ChatSeen, ClientMessage, LogPage, RunningPage, ServerMessage, Side, Snapshot, WatchedBoard,
    WatchedBoards,
};
use std::time::{Duration, Instant};

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
    assert_eq!((level.level, level.rating), (Some(3), Some(1180)));
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
async fn a_line_of_those_who_watch_is_removed_by_those_who_moderate() -> Fallible<()> {
    let server = TestServer::start("unsaid", |_| ()).await?;
    let operator = Operator::of(&server)?;
    let (mut ann, mut bob) = (
        account(&server, "Ann").await?,
        account(&server, "Bob").await?,
    );
    let (cid, eve) = (account(&server, "Cid").await?, guest(&server).await?);
    let (game, mut white, _black) = public_game(&server, &mut ann, &mut bob, "chess").await?;
    let (mut first, mut second) = (socket(&server, &cid).await?, socket(&server, &eve).await?);
    first.join(&game, None).await?;
    second.join(&game, None).await?;
    for text in ["a fine game", "an insult", "indeed"] {
        talk(&mut first, text).await?;
        line(&mut first).await?;
        line(&mut second).await?;
    }
    let path = format!("/games/{game}/chat");
    let seen: Vec<ChatSeen> = operator.see(&path).await?;
    let seen: Vec<_> = seen
        .iter()
        .map(|said| (said.line, said.by.name.as_str(), said.watching))
        .collect();
    assert_eq!(seen, [(1, "Cid", true), (2, "Cid", true), (3, "Cid", true)]);
    let remove = |line: u32, watching: bool| json!({ "act": "remove_chat", "game": game, "line": line, "watching": watching, "reason": "insult" });
    // The players' lines are counted by themselves.
    assert_eq!(operator.refused(remove(2, false)).await?, "no_such_item");
    assert_eq!(operator.refused(remove(4, true)).await?, "no_such_item");
    operator.act(remove(2, true)).await?;
    assert_eq!(operator.refused(remove(2, true)).await?, "no_such_item");
    for socket in [&mut first, &mut second] {
        assert_eq!(lines(socket).await?, ["a fine game", "indeed"]);
    }
    // Numbers go on, who comes later reads what is left, and players nothing before the end.
    talk(&mut second, "well").await?;
    assert_eq!(line(&mut first).await?.n, 4);
    let mut third = server.socket().await?;
    third.join(&game, None).await?;
    assert_eq!(lines(&mut third).await?, ["a fine game", "indeed", "well"]);
    assert!(!told(&mut white).await?.contains("indeed"));
    let log: LogPage = operator.see("/log?account=Cid").await?;
    assert_eq!(log.log[0].act, "remove_chat");
    assert_eq!(
        (log.log[0].detail.clone(), log.log[0].reason.as_str()),
        (format!("line 2 of those who watch game {game}"), "insult")
    );
    server.end().await
}

#[test]
fn games_without_a_clock_have_one_name() {
    assert_eq!(store::running::UNTIMED, play::archive::UNTIMED);
}
