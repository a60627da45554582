//! Why something is not done: a reason for programs with the status that HTTP gives it, and words for people.

use crate::wire;
use axum::http::StatusCode;
use store::StoreError;

/// Why something is not done, for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // each is its code, in docs/server.md
pub enum Reason {
    Busy,
    Clock,
    Code,
    Damaged,
    Family,
    Fault,
    Fen,
    Full,
    Game,
    Host,
    IllegalMove,
    Letter,
    Level,
    Limit,
    Lines,
    Malformed,
    Method,
    Moves,
    Name,
    NewPassword,
    NoGame,
    NoReview,
    NoSuchGame,
    NoSuchLesson,
    NoSuchPasskey,
    NoSuchPath,
    NoSuchPerson,
    NoSuchSession,
    NoSuchVariant,
    NoSuchSet,
    NotBegun,
    NotOver,
    NotRated,
    Origin,
    Passkey,
    Password,
    Pgn,
    Query,
    Rate,
    Seat,
    Set,
    Setup,
    SignIn,
    SignedIn,
    Square,
    Starting,
    Storage,
    Taken,
    Theme,
    Timeout,
    Upgrade,
    Variant,
}

impl Reason {
    /// Its word and its status.
    const fn row(self) -> (&'static str, StatusCode) {
        use StatusCode as S;
        match self {
            Reason::Busy => ("busy", S::SERVICE_UNAVAILABLE),
            Reason::Clock => ("clock", S::UNPROCESSABLE_ENTITY),
            Reason::Code => ("code", S::FORBIDDEN),
            Reason::Damaged => ("damaged", S::INTERNAL_SERVER_ERROR),
            Reason::Family => ("family", S::UNPROCESSABLE_ENTITY),
            Reason::Fault => ("fault", S::INTERNAL_SERVER_ERROR),
            Reason::Fen => ("fen", S::UNPROCESSABLE_ENTITY),
            Reason::Full => ("full", S::SERVICE_UNAVAILABLE),
            Reason::Game => ("game", S::UNPROCESSABLE_ENTITY),
            Reason::Host => ("host", S::MISDIRECTED_REQUEST),
            Reason::IllegalMove => ("illegal_move", S::UNPROCESSABLE_ENTITY),
            Reason::Letter => ("letter", S::UNPROCESSABLE_ENTITY),
            Reason::Level => ("level", S::UNPROCESSABLE_ENTITY),
            Reason::Limit => ("limit", S::TOO_MANY_REQUESTS),
            Reason::Lines => ("lines", S::UNPROCESSABLE_ENTITY),
            Reason::Malformed => ("malformed", S::BAD_REQUEST),
            Reason::Method => ("method", S::METHOD_NOT_ALLOWED),
            Reason::Moves => ("moves", S::UNPROCESSABLE_ENTITY),
            Reason::Name => ("name", S::UNPROCESSABLE_ENTITY),
            Reason::NewPassword => ("new_password", S::UNPROCESSABLE_ENTITY),
            Reason::NoGame => ("no_game", S::CONFLICT),
            Reason::NoReview => ("no_review", S::NOT_FOUND),
            Reason::NoSuchGame => ("no_such_game", S::NOT_FOUND),
            Reason::NoSuchLesson => ("no_such_lesson", S::NOT_FOUND),
            Reason::NoSuchPasskey => ("no_such_passkey", S::NOT_FOUND),
            Reason::NoSuchPerson => ("no_such_person", S::NOT_FOUND),
            Reason::NoSuchPath => ("no_such_path", S::NOT_FOUND),
            Reason::NoSuchSession => ("no_such_session", S::NOT_FOUND),
            Reason::NoSuchVariant => ("no_such_variant", S::NOT_FOUND),
            Reason::NoSuchSet => ("set", S::NOT_FOUND),
            Reason::NotBegun => ("not_begun", S::CONFLICT),
            Reason::NotRated => ("not_rated", S::CONFLICT),
            Reason::NotOver => ("not_over", S::CONFLICT),
            Reason::Origin => ("origin", S::FORBIDDEN),
            Reason::Passkey => ("passkey", S::UNPROCESSABLE_ENTITY),
            Reason::Password => ("password", S::FORBIDDEN),
            Reason::Pgn => ("pgn", S::UNPROCESSABLE_ENTITY),
            Reason::Query => ("query", S::BAD_REQUEST),
            Reason::Rate => ("rate", S::TOO_MANY_REQUESTS),
            Reason::Seat => ("seat", S::FORBIDDEN),
            Reason::Set => ("set", S::UNPROCESSABLE_ENTITY),
            Reason::Setup => ("setup", S::UNPROCESSABLE_ENTITY),
            Reason::SignIn => ("sign_in", S::UNAUTHORIZED),
            Reason::SignedIn => ("signed_in", S::CONFLICT),
            Reason::Square => ("square", S::UNPROCESSABLE_ENTITY),
            Reason::Starting => ("starting", S::SERVICE_UNAVAILABLE),
            Reason::Storage => ("storage", S::SERVICE_UNAVAILABLE),
            Reason::Taken => ("taken", S::CONFLICT),
            Reason::Theme => ("theme", S::UNPROCESSABLE_ENTITY),
            Reason::Timeout => ("timeout", S::GATEWAY_TIMEOUT),
            Reason::Upgrade => ("upgrade", S::UPGRADE_REQUIRED),
            Reason::Variant => ("variant", S::UNPROCESSABLE_ENTITY),
        }
    }

    /// Its word, as it goes over the wire.
    pub const fn code(self) -> &'static str {
        self.row().0
    }

    /// The status of an HTTP answer that says it.
    pub const fn status(self) -> StatusCode {
        self.row().1
    }
}

/// Why something is not done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refused {
    /// For programs.
    pub reason: Reason,
    /// What is wrong, where, and what was expected, for people.
    pub message: String,
}

/// Makes a refusal.
pub fn refused(reason: Reason, message: impl Into<String>) -> Refused {
    Refused {
        reason,
        message: message.into(),
    }
}

impl From<StoreError> for Refused {
    fn from(error: StoreError) -> Refused {
        tracing::error!(%error, "the storage does not do what was asked");
        refused(
            Reason::Storage,
            "the server cannot reach its storage at the moment; nothing was changed, try again",
        )
    }
}

impl From<Refused> for wire::Refusal {
    fn from(refused: Refused) -> wire::Refusal {
        wire::Refusal {
            code: refused.reason.code().into(),
            message: refused.message,
        }
    }
}
