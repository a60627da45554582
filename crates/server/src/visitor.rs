//! Who asks: one who is signed in, a program that shows its token, or a guest, who is a number in a signed cookie and a
//! name, without a password.

use crate::accounts::tokens::Program;
use crate::accounts::{Begun, SignedIn};
use crate::http::{Failure, address};
use crate::refusal::{Reason, refused};
use crate::services::secret;
use crate::state::App;
use axum::extract::{FromRef, FromRequestParts};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponseParts, ResponseParts};
use axum_extra::extract::cookie::{Cookie, Key, SameSite, SignedCookieJar};
use play::table::Person;
use std::io;
use std::path::Path;
use store::accounts::AccountRow;

/// The cookie of a guest.
const COOKIE: &str = "husun";
/// The cookie of one who is signed in.
const SESSION: &str = "husun_session";
/// Days for which a browser keeps them.
const DAYS: i64 = 400;

/// Who asks, with the cookies that the answer sets.
#[derive(Clone)]
pub struct Visitor {
    /// As games know the one who asks.
    pub person: Person,
    /// Where that one is signed in; nothing for a guest and for a program.
    pub signed_in: Option<Box<SignedIn>>,
    /// The program that asks, by its token.
    pub program: Option<Box<Program>>,
    jar: SignedCookieJar,
    secure: bool,
}

impl std::fmt::Debug for Visitor {
    /// Without the cookies, which stand for the one who asks.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = &self.person.name;
        f.debug_struct("Visitor")
            .field("name", name)
            .finish_non_exhaustive()
    }
}

impl Visitor {
    /// The guest under a new name.
    pub fn renamed(mut self, name: String) -> Visitor {
        self.person.name = name;
        let cookie = self.cookie(COOKIE, guest_value(&self.person));
        self.jar = self.jar.add(cookie);
        self
    }

    /// One who has begun a session. The guest's number is the account's, if that was made here; in any case this
    /// browser is another guest when it ends.
    pub fn begins(mut self, begun: Begun) -> Visitor {
        let session = self.cookie(SESSION, begun.word);
        self.jar = self.jar.add(session);
        let guest = self.cookie(COOKIE, guest_value(&new_guest()));
        self.jar = self.jar.add(guest);
        self.person = begun.signed_in.person();
        self.signed_in = Some(Box::new(begun.signed_in));
        self
    }

    /// One who has ended the session, and is a guest again.
    pub fn leaves(mut self) -> Visitor {
        let person = new_guest();
        let guest = self.cookie(COOKIE, guest_value(&person));
        self.jar = self.jar.remove(Cookie::build(SESSION).path("/").build());
        self.jar = self.jar.add(guest);
        self.person = person;
        self.signed_in = None;
        self
    }

    /// The one who is signed in, or the refusal of a guest or a program: for what concerns the account itself.
    pub fn account(&self) -> Result<&SignedIn, Failure> {
        self.no_program()?;
        self.signed_in.as_deref().ok_or_else(sign_in)
    }

    /// The account of the one who asks, a program's too, or the refusal of a guest: for whatever players do.
    pub fn player(&self) -> Result<&AccountRow, Failure> {
        let signed_in = self.signed_in.as_ref().map(|s| &s.account);
        let program = self.program.as_ref().map(|p| &p.account);
        signed_in.or(program).ok_or_else(sign_in)
    }

    /// Refuses a program: it does not change its account.
    pub fn no_program(&self) -> Result<(), Failure> {
        match self.program {
            None => Ok(()),
            Some(_) => Err(refused(
                Reason::ByToken,
                "a token can play, but not change the account: sign in for this",
            )
            .into()),
        }
    }

    /// Digest of the session or the token by which one asks; nothing for a guest.
    pub fn opened_by(&self) -> Option<&str> {
        let session = self.signed_in.as_ref().map(|s| &*s.session.digest);
        session.or(self.program.as_ref().map(|p| &*p.token.digest))
    }

    fn cookie(&self, name: &'static str, value: String) -> Cookie<'static> {
        Cookie::build((name, value))
            .path("/")
            .http_only(true)
            .secure(self.secure)
            .same_site(SameSite::Lax)
            .max_age(time::Duration::days(DAYS))
            .build()
    }
}

/// What a browser says it is.
#[derive(Clone, Debug)]
pub struct Agent(pub String);

impl<S: Send + Sync> FromRequestParts<S> for Agent {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Agent, Self::Rejection> {
        let agent = parts.headers.get(header::USER_AGENT);
        let text = agent.and_then(|value| value.to_str().ok());
        Ok(Agent(text.unwrap_or_default().into()))
    }
}

fn sign_in() -> Failure {
    let text = "you need an account for this: sign in first";
    refused(Reason::SignIn, text).into()
}

/// The token that a request shows, which then stands for the one who asks, whatever cookies there are.
pub fn token_of(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?;
    let text = value.to_str().ok()?;
    let (scheme, word) = text.split_once(' ').unwrap_or((text, ""));
    scheme.eq_ignore_ascii_case("bearer").then_some(word.trim())
}

fn new_guest() -> Person {
    let guest = secret(10);
    let number = guest
        .bytes()
        .fold(0_u32, |n, b| (n * 31 + u32::from(b)) % 10_000);
    Person {
        guest,
        name: format!("Guest {number:04}"),
        account: false,
        bot: false,
    }
}

fn guest_value(person: &Person) -> String {
    // The name is kept as hexadecimal digits: a cookie holds no other signs than ASCII's.
    let name: String = person.name.bytes().map(|b| format!("{b:02x}")).collect();
    format!("{}.{name}", person.guest)
}

fn read(value: &str) -> Option<Person> {
    let (guest, name) = value.split_once('.')?;
    let bytes: Option<Vec<u8>> = (0..name.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(name.get(at..at + 2)?, 16).ok())
        .collect();
    let name = play::names::name_of(&String::from_utf8(bytes?).ok()?)?;
    let known = (8..=40).contains(&guest.len()) && guest.bytes().all(|b| b.is_ascii_alphanumeric());
    known.then(|| Person {
        guest: guest.into(),
        name,
        account: false,
        bot: false,
    })
}

impl<S> FromRequestParts<S> for Visitor
where
    S: Send + Sync,
    App: FromRef<S>,
{
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Visitor, Failure> {
        let app = App::from_ref(state);
        let services = app.directory.services();
        services.while_leased(Visitor::of(&app, parts)).await
    }
}

impl Visitor {
    /// Who asks, by the token or the cookies.
    async fn of(app: &App, parts: &Parts) -> Result<Visitor, Failure> {
        let accounts = &app.accounts;
        let address = address::of(parts, app.behind_proxy);
        if let Some(word) = token_of(&parts.headers) {
            let program = accounts.program(word, || app.attempts.by_address(address));
            let program = program.await?;
            accounts.bans().may_come(address, true)?;
            accounts.bans().may_play(&program.account.id)?;
            return Ok(Visitor {
                person: program.person(),
                signed_in: None,
                program: Some(Box::new(program)),
                jar: SignedCookieJar::new(app.key.clone()),
                secure: app.secure_cookies,
            });
        }
        let jar = SignedCookieJar::from_headers(&parts.headers, app.key.clone());
        let mut visitor = Visitor {
            person: Person::default(),
            signed_in: None,
            program: None,
            jar,
            secure: app.secure_cookies,
        };
        // A cookie that was tampered with is none.
        if let Some(word) = visitor.jar.get(SESSION) {
            if let Some(signed_in) = accounts.who(word.value()).await? {
                accounts.bans().may_come(address, true)?;
                visitor.person = signed_in.person();
                visitor.signed_in = Some(Box::new(signed_in));
                return Ok(visitor);
            }
            // It has ended elsewhere.
            let gone = Cookie::build(SESSION).path("/").build();
            visitor.jar = visitor.jar.remove(gone);
        }
        // Who has an account may have to sign in first.
        let opens = parts.uri.path().starts_with("/api/session");
        accounts.bans().may_come(address, opens)?;
        let kept = visitor.jar.get(COOKIE).and_then(|c| read(c.value()));
        if let Some(person) = kept
            && !accounts.is_account(&person.guest).await?
        {
            visitor.person = person;
            accounts.bans().may_play(&visitor.person.guest)?;
            return Ok(visitor);
        }
        let person = new_guest();
        let cookie = visitor.cookie(COOKIE, guest_value(&person));
        visitor.jar = visitor.jar.add(cookie);
        visitor.person = person;
        Ok(visitor)
    }
}

impl IntoResponseParts for Visitor {
    type Error = std::convert::Infallible;

    fn into_response_parts(self, parts: ResponseParts) -> Result<ResponseParts, Self::Error> {
        self.jar.into_response_parts(parts)
    }
}

/// The key that signs cookies, made at the first start and kept in the data folder, readable by its owner only.
pub fn key_of(folder: &Path) -> io::Result<Key> {
    let path = folder.join(store::backup::KEY);
    match std::fs::read(&path) {
        Ok(bytes) => Key::try_from(&bytes[..]).map_err(|error| {
            let message = format!(
                "{}: no key: {error}; remove the file to make a new one",
                path.display()
            );
            io::Error::new(io::ErrorKind::InvalidData, message)
        }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let key = Key::generate();
            write_private(&path, key.master())?;
            Ok(key)
        }
        Err(error) => Err(error),
    }
}

pub(crate) fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    use std::io::Write;
    let mut file = store::files::make(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}
