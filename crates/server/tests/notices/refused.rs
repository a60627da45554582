//! Who may not what, and what is refused.

use super::outside::{PushService, PushedTo};
use super::{WORD, private, settings, turn_on};
use crate::common::browser::{Browser, code};
use crate::common::operator::Operator;
use crate::common::people::account;
use crate::common::{Fallible, Request, TestServer};
use serde_json::{Value, json};
use server::wire::TokenMade;

#[tokio::test(flavor = "multi_thread")]
async fn what_may_not_be_is_refused() -> Fallible<()> {
    let server = TestServer::start("refusednotices", private).await?;
    let service = PushService::start().await?;
    let mut guest = Browser::new(&server);
    guest.me().await?;
    let to = PushedTo::new(&service, "/x")?;
    let good = to.subscription();
    let requests = [
        ("GET", "/api/account/notices", Value::Null),
        ("PUT", "/api/account/notices", json!({})),
        ("PUT", "/api/account/notices/push", good.clone()),
        ("DELETE", "/api/account/notices/push/x", Value::Null),
        (
            "PUT",
            "/api/account/notices/mail",
            json!({ "address": "ann@example.org" }),
        ),
        ("DELETE", "/api/account/notices/mail", Value::Null),
    ];
    let mut robot = account(&server, "Robot").await?;
    let confirmed = json!({ "password": WORD });
    assert_eq!(
        robot
            .ask("PUT", "/api/account/bot", confirmed)
            .await?
            .status,
        204
    );
    let token = robot
        .ask("POST", "/api/account/tokens", json!({ "name": "x" }))
        .await?;
    let bearer = format!("Bearer {}", token.json::<TokenMade>()?.token);
    for (method, path, body) in &requests {
        let answer = guest.ask(method, path, body.clone()).await?;
        // A body is read first: one that is none is told as such.
        let unread = *body == json!({});
        let expected = if unread {
            (422, "malformed")
        } else {
            (401, "sign_in")
        };
        assert_eq!(
            (answer.status, code(&answer)?.as_str()),
            expected,
            "{method} {path}"
        );
        let text = body.to_string();
        let headers = [("authorization", bearer.as_str())];
        let request = Request {
            method,
            ..Request::post(path, &text)
        };
        let answer = server.ask(request.with(&headers)).await?;
        let expected = if unread {
            (422, "malformed")
        } else {
            (403, "by_token")
        };
        assert_eq!(
            (answer.status, code(&answer)?.as_str()),
            expected,
            "{method} {path}"
        );
    }

    let (mut ann, mut eve) = (
        account(&server, "Ann").await?,
        account(&server, "Eve").await?,
    );
    assert_eq!(turn_on(&mut ann, &to).await?.status, 204);
    let id = settings(&mut ann).await?.browsers[0].id.clone();
    let path = format!("/api/account/notices/push/{id}");
    let foreign = eve.ask("DELETE", &path, Value::Null).await?;
    assert_eq!(
        (foreign.status, code(&foreign)?.as_str()),
        (404, "no_such_push")
    );
    assert_eq!(settings(&mut ann).await?.browsers.len(), 1);
    // Wishes are whole and known.
    let mut wishes = serde_json::to_value(settings(&mut ann).await?.wishes)?;
    wishes["tea_time"] = wishes["challenge"].clone();
    let answer = ann.ask("PUT", "/api/account/notices", wishes).await?;
    assert_eq!((answer.status, code(&answer)?.as_str()), (422, "malformed"));
    for (change, text) in [
        (json!({ "endpoint": "ftp://push.example.org/" }), "endpoint"),
        (json!({ "endpoint": "no address" }), "endpoint"),
        (json!({ "endpoint": "http://a:b@127.0.0.1/" }), "endpoint"),
        (
            json!({ "endpoint": format!("https://push.example.org/{}", "x".repeat(2000)) }),
            "endpoint",
        ),
        (
            json!({ "keys": { "p256dh": "AAAA", "auth": good["keys"]["auth"] } }),
            "keys.p256dh",
        ),
        (
            json!({ "keys": { "p256dh": "B".repeat(87), "auth": good["keys"]["auth"] } }),
            "keys.p256dh",
        ),
        (
            json!({ "keys": { "p256dh": good["keys"]["p256dh"], "auth": "!" } }),
            "keys.auth",
        ),
    ] {
        let mut body = good.clone();
        for (name, value) in change.as_object().into_iter().flatten() {
            body[name] = value.clone();
        }
        let answer = ann.ask("PUT", "/api/account/notices/push", body).await?;
        assert_eq!(
            (answer.status, code(&answer)?.as_str()),
            (422, "push"),
            "{change}"
        );
        assert!(answer.body.contains(text), "{}", answer.body);
    }
    let none = ann
        .ask(
            "PUT",
            "/api/account/notices/mail",
            json!({ "address": "ann@example.org" }),
        )
        .await?;
    assert_eq!((none.status, code(&none)?.as_str()), (404, "no_mail"));
    let none = guest
        .ask("POST", "/api/mail/confirm", json!({ "word": "x" }))
        .await?;
    assert_eq!((none.status, code(&none)?.as_str()), (404, "no_mail"));

    // Ten browsers at most: the oldest gives way. They are told for as long as the session lasts.
    for n in 0..11 {
        let to = PushedTo::new(&service, &format!("/{n}"))?;
        assert_eq!(turn_on(&mut ann, &to).await?.status, 204);
    }
    let browsers = settings(&mut ann).await?.browsers;
    assert!(browsers.len() == 10 && browsers.iter().all(|b| b.id != id));
    let mut elsewhere = Browser::new(&server);
    elsewhere.sign_in("Ann", WORD).await?;
    let seen = settings(&mut elsewhere).await?.browsers;
    assert!(seen.len() == 10 && seen.iter().all(|b| !b.current));
    ann.ask("DELETE", "/api/session", Value::Null).await?;
    assert!(settings(&mut elsewhere).await?.browsers.is_empty());

    // Who is banned is told nothing and changes nothing.
    let operator = Operator::of(&server)?;
    let ban = json!({ "act": "ban", "account": "Eve", "reason": "a program" });
    let banned = operator.ask("POST", "/acts", ban).await?;
    assert!(banned.status < 300, "{}", banned.body);
    let answer = eve.get("/api/account/notices").await?;
    assert!(matches!(answer.status, 401 | 403), "{}", answer.status);
    server.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_pushed_into_the_own_network() -> Fallible<()> {
    let server = TestServer::start("inside", |config| {
        config.limits.sign_ins_per_minute = 0;
    })
    .await?;
    let mut service = PushService::start().await?;
    let mut ann = account(&server, "Ann").await?;
    let to = PushedTo::new(&service, "/x")?;
    for host in [
        "127.0.0.1",
        "localhost",
        "[::1]",
        "10.0.0.1",
        "169.254.169.254",
        "printer",
    ] {
        for scheme in ["http", "https"] {
            let mut body = to.subscription();
            body["endpoint"] = format!("{scheme}://{host}:{}/x", service.address.port()).into();
            let answer = ann.ask("PUT", "/api/account/notices/push", body).await?;
            assert_eq!(
                (answer.status, code(&answer)?.as_str()),
                (422, "push"),
                "{scheme} {host}"
            );
        }
    }
    assert!(service.is_quiet().await);
    server.end().await
}
