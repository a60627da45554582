//! Guests: a number in a signed cookie and a name. No account, no password.

use crate::services::secret;
use crate::state::App;
use axum::extract::{FromRef, FromRequestParts};
use axum::http::request::Parts;
use axum::response::{IntoResponseParts, ResponseParts};
use axum_extra::extract::cookie::{Cookie, Key, SameSite, SignedCookieJar};
use play::table::Person;
use std::io;
use std::path::Path;

/// The cookie's name.
const COOKIE: &str = "husun";
/// Days for which a browser keeps it.
const DAYS: i64 = 400;

/// The guest who asks, with the cookies that the answer sets.
#[derive(Clone)]
pub struct Guest {
    /// Number and name.
    pub person: Person,
    jar: SignedCookieJar,
}

impl std::fmt::Debug for Guest {
    /// Without the cookies, which stand for the guest.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = &self.person.name;
        f.debug_struct("Guest")
            .field("name", name)
            .finish_non_exhaustive()
    }
}

impl Guest {
    /// The guest under a new name.
    pub fn renamed(mut self, name: String, secure: bool) -> Guest {
        self.person.name = name;
        let cookie = cookie_of(&self.person, secure);
        self.jar = self.jar.add(cookie);
        self
    }
}

fn cookie_of(person: &Person, secure: bool) -> Cookie<'static> {
    // The name is kept as hexadecimal digits: a cookie holds no other signs than ASCII's.
    let name: String = person.name.bytes().map(|b| format!("{b:02x}")).collect();
    Cookie::build((COOKIE, format!("{}.{name}", person.guest)))
        .path("/")
        .http_only(true)
        .secure(secure)
        .same_site(SameSite::Lax)
        .max_age(time::Duration::days(DAYS))
        .build()
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
    })
}

impl<S> FromRequestParts<S> for Guest
where
    S: Send + Sync,
    App: FromRef<S>,
{
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Guest, Self::Rejection> {
        let app = App::from_ref(state);
        let jar = SignedCookieJar::from_headers(&parts.headers, app.key.clone());
        // A cookie that was tampered with is none.
        if let Some(person) = jar.get(COOKIE).and_then(|c| read(c.value())) {
            return Ok(Guest { person, jar });
        }
        let guest = secret(10);
        let number = guest
            .bytes()
            .fold(0_u32, |n, b| (n * 31 + u32::from(b)) % 10_000);
        let person = Person {
            guest,
            name: format!("Guest {number:04}"),
        };
        let jar = jar.add(cookie_of(&person, app.secure_cookies));
        Ok(Guest { person, jar })
    }
}

impl IntoResponseParts for Guest {
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

fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    use std::io::Write;
    let mut file = store::files::make(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}
