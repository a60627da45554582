//! Passwords: what one must be, and how it is kept. Hashing takes memory and time on purpose, so it is done in a
//! line of its own, two at once.

use crate::refusal::{Reason, Refused, refused};
use crate::work::{Weight, Work};
use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use play::names::account::reading;
use std::sync::OnceLock;

/// Characters of a password, at least and at most.
const LENGTH: [usize; 2] = [8, 200];

/// What is tried first by everybody who guesses.
const COMMON: &[&str] = &[
    "password",
    "password1",
    "passw0rd",
    "12345678",
    "123456789",
    "1234567890",
    "11111111",
    "00000000",
    "qwertyui",
    "qwertyuiop",
    "qwerty123",
    "1q2w3e4r",
    "1q2w3e4r5t",
    "iloveyou",
    "sunshine",
    "princess",
    "football",
    "baseball",
    "welcome1",
    "letmein1",
    "trustno1",
    "superman",
    "abc12345",
    "abcd1234",
    "administrator",
    "checkmate",
    "chess123",
    "chesschess",
    "grandmaster",
    "kasparov",
    "88888888",
    "12341234",
    "asdfghjk",
    "zxcvbnm1",
    "monkey123",
    "dragon123",
    "starwars",
    "whatever",
    "computer",
    "internet",
];

fn check(name: &str, password: &str) -> Result<(), Refused> {
    let wrong = |text: &str| Err(refused(Reason::NewPassword, text));
    let characters = password.chars().count();
    if !(LENGTH[0]..=LENGTH[1]).contains(&characters) {
        return wrong("a password has 8 to 200 characters");
    }
    let small = password.to_lowercase();
    if COMMON.contains(&small.as_str()) {
        return wrong("this password is one of the first that people guess; please choose another");
    }
    if reading(password) == reading(name) {
        return wrong("the password is your name; please choose another");
    }
    Ok(())
}

/// What is kept of a new password.
pub async fn hash(work: &Work, name: &str, password: String) -> Result<String, Refused> {
    check(name, &password)?;
    let hashed = work
        .run(Weight::Password, move || digest(&password))
        .await?;
    hashed.ok_or_else(|| refused(Reason::Fault, "the password could not be stored; try again"))
}

fn digest(password: &str) -> Option<String> {
    match Argon2::default().hash_password(password.as_bytes()) {
        Ok(digest) => Some(digest.to_string()),
        Err(error) => {
            tracing::error!(%error, "a password cannot be hashed");
            None
        }
    }
}

/// Whether a password is the one that is kept. It takes as long where none is kept, so that nobody learns which
/// names there are.
pub async fn verify(work: &Work, kept: Option<String>, password: String) -> Result<bool, Refused> {
    static NOBODYS: OnceLock<Option<String>> = OnceLock::new();
    if password.chars().count() > LENGTH[1] {
        return Ok(false);
    }
    let verify = move || {
        let is_kept = kept.is_some();
        let compared = kept.or_else(|| NOBODYS.get_or_init(|| digest("nobody's")).clone());
        let Some(compared) = compared else {
            return false;
        };
        let Ok(parsed) = PasswordHash::new(&compared) else {
            tracing::error!("a password that is kept cannot be read");
            return false;
        };
        let right = Argon2::default().verify_password(password.as_bytes(), &parsed);
        is_kept && right.is_ok()
    };
    Ok(work.run(Weight::Password, verify).await?)
}
