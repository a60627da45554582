//! People who are followed or muted, and how their games have ended; and who may not.

use crate::common::browser::Browser;
use crate::common::operator::{Operator, socket, soon};
use crate::common::people::{account, guest};
use crate::common::watch::{CLOCK, line, lines, private_game, public_game, refused, talk, told};
use crate::common::{Fallible, Socket, TestServer};
use serde_json::{Value, json};
use server::wire::{
    ClientMessage, Exported, FollowedPerson, MutedPerson, ResultCounts, ResultsOfGame,
    ServerMessage, Side, Snapshot,
};
use store::people::{PeopleList, PeopleStore};

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
    let word = json!({ "password": crate::common::people::WORD });
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
    let follow = crate::common::Request {
        method: "PUT",
        ..crate::common::Request::post(path, "")
    };
    assert_eq!(server.ask(follow.with(&headers)).await?.status, 204);
    assert_eq!(followed(&mut owner).await?.len(), 1);

    // Who deletes the account is followed by nobody.
    let word = json!({ "password": crate::common::people::WORD });
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
