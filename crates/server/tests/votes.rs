//! Votes from outside: called, voted in by many at once, closed, declared; and what may not be is refused.

use crate::common::browser::{Browser, code};
use crate::common::operator::Operator;
use crate::common::people::{WORD, account};
use crate::common::{Fallible, TestServer};
use serde_json::{Value, json};
use server::services::wall_ms;
use server::wire::{Ballot, Exported, Refusal, VoteMade, VoteNow, VotePhase, Votes};
use std::time::Duration;

fn limits(config: &mut server::config::Config) {
    config.limits.accounts_per_hour = 0;
    config.limits.sign_ins_per_minute = 0;
}

fn wish(closes_in_ms: i64) -> Value {
    json!({
        "question": "Game of the month?",
        "text": "We play it on Sundays.",
        "candidates": [{"game": "strike80"}, {"text": "Any Citadel"}, {"text": "Shatranj", "game": "shatranj"}],
        "closes_ms": wall_ms() + closes_in_ms,
    })
}

async fn call(browser: &mut Browser, wish: Value) -> Fallible<String> {
    let answer = browser.ask("POST", "/api/votes", wish).await?;
    assert_eq!(answer.status, 201, "{}", answer.body);
    Ok(answer.json::<VoteMade>()?.id)
}

async fn look(browser: &mut Browser, id: &str) -> Fallible<VoteNow> {
    browser.get(&format!("/api/votes/{id}")).await?.json()
}

async fn vote(browser: &mut Browser, id: &str, ballot: Value) -> Fallible<u16> {
    let path = format!("/api/votes/{id}/me");
    Ok(browser.ask("PUT", &path, ballot).await?.status)
}

/// Waits until something is declared.
async fn declared(browser: &mut Browser, id: &str) -> Fallible<VoteNow> {
    for _ in 0..200 {
        let now = look(browser, id).await?;
        if now.card.phase == VotePhase::Declared {
            return Ok(now);
        }
        assert_eq!(now.counts, None, "nobody is told before it closes");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Err("it is not declared".into())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_greatest_net_is_declared_when_it_closes() -> Fallible<()> {
    let server = TestServer::start("votes", limits).await?;
    let mut people = Vec::new();
    for name in ["Ann", "Bob", "Cid", "Dora", "Eve"] {
        people.push(account(&server, name).await?);
    }
    let id = call(&mut people[0], wish(6000)).await?;
    let other = call(&mut people[1], wish(3_600_000)).await?;
    let list: Votes = people[2].get("/api/votes").await?.json()?;
    let open: Vec<&str> = list.open.iter().map(|v| v.id.as_str()).collect();
    assert_eq!(open, [&*id, &*other], "the one that closes first first");
    assert!(list.may_call && list.past.is_empty());
    let now = look(&mut people[2], &id).await?;
    assert_eq!((now.caller.as_str(), now.voters, now.own), ("Ann", 0, None));
    assert!(now.may_vote && !now.may_call_off);
    let names: Vec<&str> = now.candidates.iter().map(|c| c.text.as_str()).collect();
    assert_eq!(names[1..], ["Any Citadel", "Shatranj"]);
    assert_eq!(now.candidates[0].game.as_deref(), Some("strike80"));

    // Three like the first best, and two cannot bear it; one changes the mind, one takes it back, one marks nobody.
    for (n, ballot) in [
        (0, json!({"tick": 0, "cross": 2})),
        (1, json!({"tick": 2})),
        (1, json!({"tick": 0})),
        (2, json!({"tick": 1, "cross": 0})),
        (3, json!({"tick": 1, "cross": 0})),
        (4, json!({"tick": 2})),
    ] {
        assert_eq!(vote(&mut people[n], &id, ballot).await?, 204);
    }
    let path = format!("/api/votes/{id}/me");
    assert_eq!(people[4].ask("DELETE", &path, json!({})).await?.status, 204);
    assert_eq!(people[4].ask("DELETE", &path, json!({})).await?.status, 204);
    assert_eq!(vote(&mut people[4], &id, json!({})).await?, 204);
    let now = look(&mut people[1], &id).await?;
    assert_eq!((now.voters, now.counts.is_none()), (5, true));
    let own = Ballot {
        tick: Some(0),
        cross: None,
    };
    assert_eq!(now.own, Some(own));
    let saved: Exported = people[1].get("/api/account/export").await?.json()?;
    assert_eq!(saved.ballots.len(), 1);
    assert_eq!(saved.ballots[0].tick.as_deref(), Some(names[0]));

    let now = declared(&mut people[3], &id).await?;
    let told: Vec<_> = now.counts.iter().flatten().collect();
    let told: Vec<_> = told
        .iter()
        .map(|c| (c.ticks, c.crosses, c.net, c.won))
        .collect();
    assert_eq!(told, [(2, 2, 0, false), (2, 0, 2, true), (0, 1, -1, false)]);
    assert_eq!((now.voters, now.own, now.may_vote), (5, None, false));
    assert_eq!(now.card.winners, ["Any Citadel"]);
    assert_eq!(vote(&mut people[3], &id, json!({"tick": 2})).await?, 410);
    assert_eq!(people[3].ask("DELETE", &path, json!({})).await?.status, 410);
    let list: Votes = Browser::new(&server).get("/api/votes").await?.json()?;
    assert_eq!((list.open.len(), list.past.len()), (1, 1));
    assert_eq!(list.past[0].winners, ["Any Citadel"]);
    assert!(!list.may_call);
    server.end().await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn many_at_once_are_counted_once_each_and_a_tie_is_a_tie() -> Fallible<()> {
    let server = TestServer::start("voters", limits).await?;
    let mut people = Vec::new();
    for n in 0..8 {
        people.push(account(&server, &format!("Voter{n}")).await?);
    }
    let id = call(&mut people[0], wish(8000)).await?;
    // Each changes the mind again and again, all at the same time; the last one holds.
    let mut voting = Vec::new();
    for (n, mut person) in people.into_iter().enumerate() {
        let id = id.clone();
        voting.push(tokio::spawn(async move {
            for tick in 0..10 {
                let ballot = json!({"tick": (tick + n) % 3, "cross": (tick + n + 1) % 3});
                let status = vote(&mut person, &id, ballot).await;
                assert!(matches!(status, Ok(204)), "{status:?}");
            }
            let last = match n {
                0 => json!({}),
                n if n % 2 == 0 => json!({"tick": 0}),
                _ => json!({"tick": 2, "cross": 1}),
            };
            let status = vote(&mut person, &id, last).await;
            assert!(matches!(status, Ok(204)), "{status:?}");
            person
        }));
    }
    let mut people = Vec::new();
    for voter in voting {
        people.push(voter.await?);
    }
    // Who is gone has no say.
    let mut gone = people.pop().ok_or("nobody")?;
    let confirmed = json!({"password": WORD});
    let answer = gone.ask("DELETE", "/api/account", confirmed).await?;
    assert_eq!(answer.status, 200, "{}", answer.body);
    // A server that ends in between counts all the same.
    server.stop().await?;
    let server = TestServer::start("voters", limits).await?;
    let mut anybody = Browser::new(&server);
    let now = declared(&mut anybody, &id).await?;
    let told: Vec<_> = now.counts.iter().flatten().collect();
    let told: Vec<_> = told.iter().map(|c| (c.ticks, c.crosses, c.won)).collect();
    assert_eq!(now.voters, 7);
    assert_eq!(told, [(3, 0, true), (0, 3, false), (3, 0, true)]);
    assert_eq!(now.card.winners.len(), 2);
    server.end().await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_not_is_refused_with_a_reason() -> Fallible<()> {
    let server = TestServer::start("may-not-vote", |config| {
        limits(config);
        config.vote_callers = Some(vec!["ann".into()]);
    })
    .await?;
    let mut ann = account(&server, "Ann").await?;
    let mut bob = account(&server, "Bob").await?;
    let guest = Browser::new(&server);
    let id = call(&mut ann, wish(3_600_000)).await?;
    let mut newcomer = account(&server, "Newcomer").await?;
    let mine = format!("/api/votes/{id}/me");
    let vote_path = format!("/api/votes/{id}");
    let hour = 3_600_000;
    for (who, mut browser, method, path, body, status, code) in [
        (
            "a guest calls",
            guest.clone(),
            "POST",
            "/api/votes",
            wish(hour),
            401,
            "sign_in",
        ),
        (
            "not named",
            bob.clone(),
            "POST",
            "/api/votes",
            wish(hour),
            403,
            "not_yours",
        ),
        (
            "a guest votes",
            guest.clone(),
            "PUT",
            &*mine,
            json!({"tick": 0}),
            401,
            "sign_in",
        ),
        (
            "a guest takes back",
            guest.clone(),
            "DELETE",
            &*mine,
            json!({}),
            401,
            "sign_in",
        ),
        (
            "later than the vote",
            newcomer.clone(),
            "PUT",
            &*mine,
            json!({"tick": 0}),
            403,
            "not_yours",
        ),
        (
            "another calls it off",
            bob.clone(),
            "DELETE",
            &*vote_path,
            json!({}),
            403,
            "not_yours",
        ),
        (
            "two marks for one",
            bob.clone(),
            "PUT",
            &*mine,
            json!({"tick": 1, "cross": 1}),
            422,
            "vote",
        ),
        (
            "no such candidate",
            bob.clone(),
            "PUT",
            &*mine,
            json!({"tick": 3}),
            422,
            "vote",
        ),
        (
            "below the first",
            bob.clone(),
            "PUT",
            &*mine,
            json!({"tick": -1}),
            422,
            "malformed",
        ),
        (
            "two ticks",
            bob.clone(),
            "PUT",
            &*mine,
            json!({"ticks": [0, 1]}),
            422,
            "malformed",
        ),
        (
            "no such vote",
            bob.clone(),
            "PUT",
            "/api/votes/none/me",
            json!({}),
            404,
            "no_such_vote",
        ),
        (
            "nothing to look at",
            bob.clone(),
            "GET",
            "/api/votes/none",
            json!({}),
            404,
            "no_such_vote",
        ),
        (
            "a wrong place",
            bob.clone(),
            "GET",
            "/api/votes?before=x",
            json!({}),
            400,
            "query",
        ),
        (
            "too late a close",
            ann.clone(),
            "POST",
            "/api/votes",
            wish(400 * 24 * hour),
            422,
            "term",
        ),
    ] {
        let answer = browser.ask(method, path, body).await?;
        let refusal: Refusal = answer.json()?;
        assert_eq!(
            (answer.status, refusal.code.as_str()),
            (status, code),
            "{who}: {}",
            refusal.message
        );
    }
    assert!(!look(&mut newcomer, &id).await?.may_vote);

    // Three of one account are open at most; newcomers vote where the caller wants it.
    let mut open = wish(hour);
    open["newcomers"] = true.into();
    let open = call(&mut ann, open).await?;
    call(&mut ann, wish(hour)).await?;
    let answer = ann.ask("POST", "/api/votes", wish(hour)).await?;
    assert_eq!(answer.status, 429, "{}", answer.body);
    assert_eq!(vote(&mut newcomer, &open, json!({"cross": 0})).await?, 204);

    // One who was banned votes no more; those who moderate call a vote off, which stands in the log.
    let operator = Operator::of(&server)?;
    operator
        .act(json!({"act": "ban", "account": "Bob", "reason": "two accounts"}))
        .await?;
    let answer = bob.ask("PUT", &mine, json!({"tick": 0})).await?;
    assert_eq!(code(&answer)?, "sign_in");
    assert_eq!(code(&bob.sign_in("Bob", WORD).await?)?, "banned");
    let off = json!({"act": "call_off_vote", "vote": id, "reason": "not fair"});
    operator.act(off.clone()).await?;
    assert_eq!(operator.refused(off).await?, "no_such_item");
    let log = operator.ask("GET", "/log", Value::Null).await?;
    assert!(log.body.contains("call_off_vote") && log.body.contains("not fair"));
    let now = look(&mut ann, &id).await?;
    assert_eq!(now.card.phase, VotePhase::Off);
    assert!(!now.may_vote && now.counts.is_none());

    // The one who has called a vote may call it off.
    let path = format!("/api/votes/{open}");
    assert_eq!(ann.ask("DELETE", &path, json!({})).await?.status, 204);
    assert_eq!(ann.ask("DELETE", &path, json!({})).await?.status, 410);
    server.end().await?;
    Ok(())
}
