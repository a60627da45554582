//! What people report and what is announced to them, and who of all may moderate.

use crate::common::browser::{Browser, code};
use crate::common::operator::*;
use crate::common::people::account;
use crate::common::{Fallible, Request, TestServer};
use serde_json::{Value, json};
use server::wire::{
    AccountPage, Announcement, LogPage, Moderating, OwnReport, ReportPage, ServerMessage,
};

#[tokio::test(flavor = "multi_thread")]
async fn what_is_announced_is_told_to_all_until_its_end() -> Fallible<()> {
    let server = TestServer::start("announced", |_| ()).await?;
    let operator = Operator::of(&server)?;
    let mut early = server.socket().await?;
    let announce = json!({ "act": "announce", "text": "We stop at noon", "until_ms": server::services::wall_ms() + 2500 });
    let done = operator.act(announce).await?;
    let told = |message| match message {
        ServerMessage::Announcements { announcements } => Some(announcements),
        _ => None,
    };
    let first = early.until(told).await?;
    assert_eq!(
        (first.len(), first[0].text.as_str()),
        (1, "We stop at noon")
    );
    assert_eq!(Some(&first[0].id), done.id.as_ref());
    let mut late = server.socket().await?;
    assert_eq!(late.until(told).await?, first);
    let got: Vec<Announcement> = server.get("/api/announcements").await?;
    assert_eq!(got, first);
    // One that is not shown yet is seen by who runs the server alone.
    let later = json!({ "act": "announce", "text": "Tomorrow", "from_ms": soon(), "until_ms": soon() + HOUR });
    let later = operator.act(later).await?.id.ok_or("no id")?;
    let all: Vec<Announcement> = operator.see("/announcements").await?;
    assert_eq!(all.len(), 2);
    assert_eq!(
        server
            .get::<Vec<Announcement>>("/api/announcements")
            .await?
            .len(),
        1
    );
    // It goes by itself.
    assert!(late.until(told).await?.is_empty());
    assert!(
        server
            .get::<Vec<Announcement>>("/api/announcements")
            .await?
            .is_empty()
    );
    operator
        .act(json!({ "act": "end_announcement", "id": later }))
        .await?;
    let end = json!({ "act": "end_announcement", "id": later });
    assert_eq!(operator.refused(end).await?, "no_such_item");
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn reports_are_made_by_anybody_and_settled_by_those_who_moderate() -> Fallible<()> {
    let server = TestServer::start("reports", |_| ()).await?;
    let operator = Operator::of(&server)?;
    let mut ann = account(&server, "Ann").await?;
    let mut mod_ = account(&server, "Mona").await?;
    operator
        .act(json!({ "act": "add_moderator", "account": "mona" }))
        .await?;
    let (made, _white, _black) = game(&server, &mut ann).await?;
    // A guest reports the account; the player of the other seat the line, by the word of that seat.
    let mut guest = Browser::new(&server);
    let report = json!({ "person": "Ann", "reason": "stalling", "text": "lets the clock run" });
    let answer = guest.ask("POST", "/api/reports", report).await?;
    assert_eq!(answer.status, 201, "{}", answer.body);
    let line = |seat: Value| json!({ "game": made.id, "line": 0, "seat": seat, "reason": "abuse" });
    let refused = guest.ask("POST", "/api/reports", line(Value::Null)).await?;
    assert_eq!((refused.status, code(&refused)?.as_str()), (403, "seat"));
    let (mut second, told) = {
        let friend = made.friend_seat.clone().ok_or("no seat")?;
        // The invitation opens nothing to others.
        assert!(server.join(&made.id, Some(&friend)).await.is_err());
        (guest, friend)
    };
    let refused = second
        .ask("POST", "/api/reports", line(json!(told)))
        .await?;
    assert_eq!(code(&refused)?, "seat");
    let own = ann
        .ask("POST", "/api/reports", line(json!(made.seat)))
        .await?;
    assert_eq!((own.status, code(&own)?.as_str()), (409, "oneself"));
    let whole =
        json!({ "game": made.id, "side": "white", "reason": "cheating", "text": "too good" });
    assert_eq!(second.ask("POST", "/api/reports", whole).await?.status, 201);

    let state: Moderating = mod_.get("/api/moderate").await?.json()?;
    assert_eq!(
        (state.open, state.operator, state.name.as_str()),
        (2, false, "Mona")
    );
    let page: ReportPage = mod_.get("/api/moderate/reports").await?.json()?;
    assert_eq!((page.reports.len(), page.next), (2, None));
    let last = &page.reports[0];
    assert_eq!(last.game.as_ref(), Some(&made.id));
    assert_eq!(last.about.as_ref().map(|a| a.name.as_str()), Some("Ann"));
    assert!(!last.by.account && last.by.name.starts_with("Guest"));
    let settle = json!({ "act": "settle", "report": last.id, "answer": "We have looked at it." });
    assert_eq!(act(&mut mod_, settle.clone()).await?.status, 200);
    let twice = act(&mut mod_, settle).await?;
    assert_eq!((twice.status, code(&twice)?.as_str()), (410, "gone"));
    // Who has made it reads the answer, and nobody else does.
    let own: Vec<OwnReport> = second.get("/api/me/reports").await?.json()?;
    assert_eq!(own.len(), 2);
    assert_eq!(own[0].answer.as_deref(), Some("We have looked at it."));
    assert!(
        ann.get("/api/me/reports")
            .await?
            .json::<Vec<OwnReport>>()?
            .is_empty()
    );
    let settled: ReportPage = mod_
        .get("/api/moderate/reports?settled=true")
        .await?
        .json()?;
    assert_eq!(
        settled.reports[0].settled.as_ref().map(|s| s.by.as_str()),
        Some("Mona")
    );

    // What is out of form, and too many.
    for (wish, status, word) in [
        (json!({ "reason": "abuse" }), 400, "malformed"),
        (
            json!({ "person": "Ann", "game": made.id, "reason": "abuse" }),
            400,
            "malformed",
        ),
        (
            json!({ "person": "Ann", "line": 0, "reason": "abuse" }),
            400,
            "malformed",
        ),
        (
            json!({ "person": "Ann", "reason": "other" }),
            400,
            "malformed",
        ),
        (
            json!({ "person": "Ann", "reason": "abuse", "text": "x".repeat(1001) }),
            400,
            "malformed",
        ),
        (
            json!({ "person": "Ann", "reason": "envy" }),
            422,
            "malformed",
        ),
        (
            json!({ "person": "Nobody", "reason": "abuse" }),
            404,
            "no_such_person",
        ),
        (
            json!({ "game": "nosuchgame", "reason": "abuse" }),
            404,
            "no_such_game",
        ),
        (
            json!({ "person": "Mona", "reason": "abuse" }),
            409,
            "oneself",
        ),
    ] {
        let answer = mod_.ask("POST", "/api/reports", wish.clone()).await?;
        assert_eq!(
            (answer.status, code(&answer)?.as_str()),
            (status, word),
            "{wish}"
        );
    }
    let wish = json!({ "person": "Ann", "reason": "spam" });
    let mut statuses = Vec::new();
    for _ in 0..11 {
        statuses.push(mod_.ask("POST", "/api/reports", wish.clone()).await?.status);
    }
    assert_eq!((statuses[9], statuses[10]), (201, 429), "{statuses:?}");
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_reports_so_often_and_no_more() -> Fallible<()> {
    let server = TestServer::start("report-rate", |c| c.limits.reports_per_day = 3).await?;
    account(&server, "Ann").await?;
    let wish = json!({ "person": "Ann", "reason": "spam" });
    let mut statuses = Vec::new();
    for _ in 0..4 {
        // Each is another guest.
        let mut guest = Browser::new(&server);
        let answer = guest.ask("POST", "/api/reports", wish.clone()).await?;
        statuses.push(answer.status);
    }
    assert_eq!(statuses, [201, 201, 201, 429]);
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_moderates_who_may_not() -> Fallible<()> {
    let server = TestServer::start("may-not", |_| ()).await?;
    let operator = Operator::of(&server)?;
    let mut mona = account(&server, "Mona").await?;
    let mut max = account(&server, "Max").await?;
    let mut ann = account(&server, "Ann").await?;
    let (made, _white, _black) = game(&server, &mut ann).await?;
    for name in ["Mona", "Max"] {
        operator
            .act(json!({ "act": "add_moderator", "account": name }))
            .await?;
    }
    let mut guest = Browser::new(&server);
    let mut banned = account(&server, "Bad").await?;
    operator
        .act(json!({ "act": "ban", "account": "Bad", "reason": "r" }))
        .await?;
    let acts = [
        json!({ "act": "ban", "account": "Ann", "reason": "r" }),
        json!({ "act": "unban", "account": "Bad" }),
        json!({ "act": "close", "account": "Ann", "reason": "r" }),
        json!({ "act": "rename", "account": "Ann", "name": "Rose", "reason": "r" }),
        json!({ "act": "remove_chat", "game": made.id, "line": 0, "reason": "r" }),
        json!({ "act": "announce", "text": "t", "until_ms": soon() }),
        json!({ "act": "end_announcement", "id": "x" }),
        json!({ "act": "settle", "report": "x", "answer": "a" }),
        json!({ "act": "add_moderator", "account": "Ann" }),
        json!({ "act": "remove_moderator", "account": "Mona" }),
    ];
    let looks = [
        "",
        "/reports",
        "/reports/x",
        "/accounts",
        "/accounts/Ann",
        "/moderators",
        "/bans",
        "/announcements",
        "/log",
    ];
    // A guest, another account, one who is banned: for them there is nothing.
    for browser in [&mut guest, &mut ann, &mut banned] {
        for wish in &acts {
            let answer = act(browser, wish.clone()).await?;
            let found = (answer.status, code(&answer)?);
            assert_eq!(found, (404, "not_moderator".into()), "{wish}");
        }
        for path in looks {
            let answer = browser.get(&format!("/api/moderate{path}")).await?;
            assert_eq!(code(&answer)?, "not_moderator", "{path}");
        }
        let chat = format!("/api/moderate/games/{}/chat", made.id);
        assert_eq!(browser.get(&chat).await?.status, 404);
    }
    // A word that is not the server's.
    for word in ["Bearer guess", "bearer x y"] {
        let headers = [("authorization", word)];
        let request = Request::get("/api/moderate/log").with(&headers);
        let answer = server.ask(request).await?;
        assert_eq!(
            (answer.status, code(&answer)?.as_str()),
            (403, "operator"),
            "{word:?}"
        );
    }
    // Moderators: not on each other, not what the operator alone does, not what that one has done.
    for wish in [
        json!({ "act": "ban", "account": "Max", "reason": "r" }),
        json!({ "act": "ban", "account": "Mona", "reason": "r" }),
        json!({ "act": "close", "account": "Max", "reason": "r" }),
        json!({ "act": "rename", "account": "Max", "name": "Rose", "reason": "r" }),
        json!({ "act": "ban", "addresses": "10.0.0.0/8", "reason": "r" }),
        json!({ "act": "unban", "addresses": "10.0.0.0/8" }),
        json!({ "act": "unban", "account": "Bad" }),
        json!({ "act": "announce", "text": "t", "until_ms": soon() }),
        json!({ "act": "end_announcement", "id": "x" }),
        json!({ "act": "add_moderator", "account": "Ann" }),
        json!({ "act": "remove_moderator", "account": "Max" }),
    ] {
        let answer = act(&mut mona, wish.clone()).await?;
        let found = (answer.status, code(&answer)?);
        assert_eq!(found, (403, "operator".into()), "{wish}");
    }
    // Nor are reports about them theirs to settle.
    let report = json!({ "person": "Max", "reason": "abuse" });
    ann.ask("POST", "/api/reports", report).await?;
    let page: ReportPage = max.get("/api/moderate/reports").await?.json()?;
    let settle = json!({ "act": "settle", "report": page.reports[0].id, "answer": "no" });
    assert_eq!(code(&act(&mut max, settle).await?)?, "operator");
    // What they do stands in the log under their name, what is refused does not.
    let ban = json!({ "act": "ban", "account": "Ann", "kind": "chat", "reason": "rude" });
    assert_eq!(act(&mut mona, ban).await?.status, 200);
    let unban = json!({ "act": "unban", "account": "Ann", "reason": "sorry" });
    assert_eq!(act(&mut max, unban).await?.status, 200);
    let log: LogPage = mona.get("/api/moderate/log").await?.json()?;
    let told: Vec<(&str, &str)> = log
        .log
        .iter()
        .map(|entry| (entry.by.as_str(), entry.act.as_str()))
        .collect();
    assert_eq!(
        told,
        [
            ("Max", "unban"),
            ("Mona", "ban"),
            ("the operator", "ban"),
            ("the operator", "add_moderator"),
            ("the operator", "add_moderator"),
        ]
    );
    // The mark is taken away: there is nothing for that one any more.
    operator
        .act(json!({ "act": "remove_moderator", "account": "Max" }))
        .await?;
    assert_eq!(max.get("/api/moderate").await?.status, 404);
    let found: AccountPage = mona.get("/api/moderate/accounts?name=a").await?.json()?;
    let names: Vec<&str> = found.accounts.iter().map(|a| a.name.as_str()).collect();
    assert!(
        names.contains(&"Ann") && names.contains(&"Mona") && names.len() == 4,
        "{names:?}"
    );
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn acts_out_of_form_are_told_why() -> Fallible<()> {
    let server = TestServer::start("acts", |_| ()).await?;
    let operator = Operator::of(&server)?;
    account(&server, "Ann").await?;
    let long = "x".repeat(501);
    for (wish, word) in [
        (json!({}), "malformed"),
        (json!({ "act": "fly" }), "malformed"),
        (json!({ "act": "ban", "account": "Ann" }), "malformed"),
        (
            json!({ "act": "ban", "account": "Ann", "reason": " " }),
            "malformed",
        ),
        (
            json!({ "act": "ban", "account": "Ann", "reason": long }),
            "malformed",
        ),
        (json!({ "act": "ban", "reason": "r" }), "malformed"),
        (
            json!({ "act": "ban", "account": "Ann", "addresses": "10.0.0.0/8", "reason": "r" }),
            "malformed",
        ),
        (
            json!({ "act": "ban", "account": "Ann", "only_new": true, "reason": "r" }),
            "malformed",
        ),
        (
            json!({ "act": "ban", "account": "Ann", "kind": "closed", "reason": "r" }),
            "malformed",
        ),
        (
            json!({ "act": "ban", "addresses": "10.0.0.0/8", "resign": true, "reason": "r" }),
            "malformed",
        ),
        (
            json!({ "act": "ban", "addresses": "10.0.0.0/8", "kind": "chat", "reason": "r" }),
            "malformed",
        ),
        (
            json!({ "act": "ban", "addresses": "0.0.0.0/0", "reason": "r" }),
            "addresses",
        ),
        (
            json!({ "act": "ban", "addresses": "example.org", "reason": "r" }),
            "addresses",
        ),
        (
            json!({ "act": "ban", "account": "Nobody", "reason": "r" }),
            "no_such_person",
        ),
        (
            json!({ "act": "ban", "guest": "x", "reason": "r" }),
            "no_such_person",
        ),
        (
            json!({ "act": "ban", "account": "Ann", "until_ms": 5, "reason": "r" }),
            "term",
        ),
        (
            json!({ "act": "ban", "account": "Ann", "until_ms": i64::MAX, "reason": "r" }),
            "term",
        ),
        (json!({ "act": "unban", "account": "Ann" }), "no_such_item"),
        (json!({ "act": "unban", "ban": "x" }), "no_such_item"),
        (
            json!({ "act": "unban", "addresses": "10.0.0.0/8" }),
            "no_such_item",
        ),
        (json!({ "act": "unban" }), "malformed"),
        (
            json!({ "act": "remove_chat", "game": "nosuchgame", "line": 0, "reason": "r" }),
            "no_such_game",
        ),
        (
            json!({ "act": "remove_chat", "game": "../x", "line": 0, "reason": "r" }),
            "no_such_game",
        ),
        (
            json!({ "act": "announce", "text": "", "until_ms": soon() }),
            "malformed",
        ),
        (
            json!({ "act": "announce", "text": "t", "until_ms": 1 }),
            "term",
        ),
        (
            json!({ "act": "announce", "text": "t", "from_ms": soon(), "until_ms": soon() - 60_000 }),
            "term",
        ),
        (
            json!({ "act": "settle", "report": "x", "answer": "a" }),
            "no_such_item",
        ),
        (
            json!({ "act": "remove_moderator", "account": "Ann" }),
            "gone",
        ),
    ] {
        assert_eq!(operator.refused(wish.clone()).await?, word, "{wish}");
    }
    for path in [
        "/reports?before=x",
        "/reports?sort=1",
        "/log?before=x",
        "/bans?before=1",
    ] {
        let answer = operator.ask("GET", path, Value::Null).await?;
        assert_eq!(
            (answer.status, code(&answer)?.as_str()),
            (400, "query"),
            "{path}"
        );
    }
    for n in 0..6 {
        let announce = json!({ "act": "announce", "text": "t", "until_ms": soon() });
        match n {
            5 => assert_eq!(operator.refused(announce).await?, "limit"),
            _ => drop(operator.act(announce).await?),
        }
    }
    let log: LogPage = operator.see("/log").await?;
    assert_eq!(log.log.len(), 5, "what is refused is not logged");
    server.end().await
}
