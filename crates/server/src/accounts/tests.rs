//! What opens an account, and what does not.

use super::recovery::Codes;
use super::*;
use crate::accounts::passkeys::Site;

type Tested = Result<(), Box<dyn std::error::Error>>;

#[tokio::test]
async fn passwords_are_kept_so_that_nobody_reads_them() -> Tested {
    let work = Work::new();
    let kept = password::hash(&work, "Ann", "correct horse".into()).await?;
    assert!(kept.starts_with("$argon2id$"), "{kept}");
    assert!(!kept.contains("horse"));
    // The same password is kept in other words each time.
    let again = password::hash(&work, "Ann", "correct horse".into()).await?;
    assert_ne!(kept, again);
    for (kept, given, right) in [
        (Some(kept.clone()), "correct horse", true),
        (Some(kept.clone()), "Correct horse", false),
        (Some(kept), "", false),
        (Some("no digest".into()), "correct horse", false),
        (None, "nobody's", false),
    ] {
        let verified = password::verify(&work, kept, given.into()).await?;
        assert_eq!(verified, right, "{given}");
    }
    Ok(())
}

#[tokio::test]
async fn passwords_that_are_guessed_first_are_refused() {
    let work = Work::new();
    let long = "x".repeat(201);
    for text in [
        "",
        "seven77",
        "Password1",
        "Ann-Marie",
        "ann_marie",
        long.as_str(),
    ] {
        let refused = password::hash(&work, "AnnMarie", text.into()).await;
        let reason = refused.err().map(|r| r.reason);
        assert_eq!(reason, Some(Reason::NewPassword), "{text:?}");
    }
}

#[test]
fn a_recovery_code_is_used_once() {
    let (shown, kept) = Codes::make();
    assert_eq!(shown.len(), 8);
    assert!(shown.iter().all(|code| code.len() == 19), "{shown:?}");
    let kept = Codes::read(&kept.to_text());
    assert!(shown.iter().all(|code| !kept.to_text().contains(code)));
    let typed = format!(" {} ", shown[3].to_uppercase().replace('-', " "));
    let left = kept.without(&typed);
    assert_eq!(left.as_ref().map(Codes::left), Some(7));
    assert_eq!(left.and_then(|left| left.without(&shown[3])), None);
    assert_eq!(kept.without("abcd-efgh-jkmn-pqrs"), None);
    assert_eq!(kept.without(""), None);
    assert_eq!(Codes::read("damaged").left(), 0);
}

#[test]
fn passkeys_want_a_name() {
    for (origin, fits) in [
        (Some("https://play.example.org"), true),
        (Some("http://localhost:8000"), true),
        (Some("http://127.0.0.1:8000"), false),
        (Some("http://[::1]:8000"), false),
        (Some("null"), false),
        (None, false),
    ] {
        assert_eq!(Site::of(origin).is_ok(), fits, "{origin:?}");
    }
    let told = Site::of(Some("http://127.0.0.1:8000")).err();
    let told = told.map(|r| r.message).unwrap_or_default();
    assert!(told.contains("http://localhost:8000"), "{told}");
}

#[test]
fn trying_is_slowed_by_name_and_by_address() {
    let attempts = Attempts::new(3, 2);
    let address = |n| std::net::IpAddr::from([10, 0, 0, n]);
    // One name from many addresses.
    let tried =
        (0..5).filter(|n| attempts.by_name(address(*n), ["Ann", "ann", "a_nn"][*n as usize % 3]));
    assert_eq!(tried.count(), 3);
    // Many names from one address.
    let tried = (0..5).filter(|n| attempts.by_name(address(9), &format!("name{n}")));
    assert_eq!(tried.count(), 3);
    // The owner is not shut out.
    assert!(attempts.by_address(address(7)));
    assert_eq!((0..5).filter(|_| attempts.account(address(1))).count(), 2);
    let lifted = Attempts::new(0, 0);
    assert!((0..100).all(|_| lifted.by_name(address(1), "Ann") && lifted.account(address(1))));
}
