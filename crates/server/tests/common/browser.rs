//! A browser for tests of accounts.

use super::{Answer, Fallible, Request, TestServer, ask_from};
use serde_json::{Value, json};
use server::wire::{Account, Me, Refusal};
use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};

/// A browser: it keeps its cookies.
#[derive(Clone)]
pub struct Browser {
    pub address: SocketAddr,
    pub from: Option<IpAddr>,
    pub cookies: BTreeMap<String, String>,
}

impl Browser {
    pub fn new(server: &TestServer) -> Browser {
        Browser {
            address: server.address,
            from: None,
            cookies: BTreeMap::new(),
        }
    }

    pub fn cookie(&self) -> String {
        let pairs = self
            .cookies
            .iter()
            .map(|(name, value)| format!("{name}={value}"));
        pairs.collect::<Vec<_>>().join("; ")
    }

    pub async fn ask(&mut self, method: &str, path: &str, body: Value) -> Fallible<Answer> {
        let (cookie, body) = (self.cookie(), body.to_string());
        let headers = [
            ("cookie", cookie.as_str()),
            ("user-agent", "Browser of a test"),
        ];
        let request = Request {
            method,
            ..Request::post(path, &body)
        };
        let answer = ask_from(self.from, self.address, request.with(&headers)).await?;
        for line in answer.head.lines() {
            let Some(cookie) = line.strip_prefix("set-cookie: ") else {
                continue;
            };
            let (gone, closed) = (cookie.contains("Max-Age=0"), cookie.contains("HttpOnly"));
            assert!(
                gone || closed && cookie.contains("SameSite=Lax"),
                "{cookie}"
            );
            let pair = cookie.split(';').next().unwrap_or_default();
            let (name, value) = pair.split_once('=').ok_or("no cookie")?;
            match gone {
                true => self.cookies.remove(name),
                false => self.cookies.insert(name.into(), value.into()),
            };
        }
        Ok(answer)
    }

    pub async fn get(&mut self, path: &str) -> Fallible<Answer> {
        self.ask("GET", path, Value::Null).await
    }

    pub async fn me(&mut self) -> Fallible<Me> {
        self.get("/api/me").await?.json()
    }

    pub async fn register(&mut self, name: &str, password: &str) -> Fallible<Answer> {
        let wish = json!({ "name": name, "password": password });
        self.ask("POST", "/api/account", wish).await
    }

    pub async fn sign_in(&mut self, name: &str, password: &str) -> Fallible<Answer> {
        let wish = json!({ "name": name, "password": password });
        self.ask("POST", "/api/session", wish).await
    }

    pub async fn account(&mut self) -> Fallible<Account> {
        self.get("/api/account").await?.json()
    }
}

/// The code of a refusal.
pub fn code(answer: &Answer) -> Fallible<String> {
    Ok(answer.json::<Refusal>()?.code)
}
