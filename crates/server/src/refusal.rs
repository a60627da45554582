//! Why something is not done: a reason for programs with the status that HTTP gives it, and words for people.

use crate::wire;
use axum::http::StatusCode;
use store::StoreError;

/// The reasons with their words and the statuses of HTTP, each said once.
macro_rules! reasons {
    ($($(#[$doc:meta])+ $name:ident = $code:literal, $status:ident;)+) => {
        /// Why something is not done, for programs.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Reason {
            $($(#[$doc])+ $name,)+
        }

        impl Reason {
            /// All of them.
            pub const ALL: &[Reason] = &[$(Reason::$name),+];

            /// Its word, as it goes over the wire.
            pub const fn code(self) -> &'static str {
                match self {
                    $(Reason::$name => $code,)+
                }
            }

            /// The reason with this word.
            pub fn of(code: &str) -> Reason {
                let known = Reason::ALL.iter().find(|reason| reason.code() == code);
                known.copied().unwrap_or(Reason::Fault)
            }

            /// The status of an HTTP answer that says it.
            pub const fn status(self) -> StatusCode {
                match self {
                    $(Reason::$name => StatusCode::$status,)+
                }
            }
        }
    };
}

// docs/server.md has them for programs.
reasons! {
    /// That is not a valid range of addresses.
    Addresses = "addresses", UNPROCESSABLE_ENTITY;
    /// The account, or the network, may not be used here; the message says why and until when.
    Banned = "banned", FORBIDDEN;
    /// The server or the game is too busy or shutting down: try again.
    Busy = "busy", SERVICE_UNAVAILABLE;
    /// The clock, or the speed, does not exist, or does not fit the request.
    Clock = "clock", UNPROCESSABLE_ENTITY;
    /// No such recovery code, or it has been used.
    Code = "code", FORBIDDEN;
    /// What is stored of the game cannot be read.
    Damaged = "damaged", INTERNAL_SERVER_ERROR;
    /// No such family of games, or customs do not go with the request.
    Family = "family", UNPROCESSABLE_ENTITY;
    /// A fault of the server's.
    Fault = "fault", INTERNAL_SERVER_ERROR;
    /// The position text is wrong, or the game is over there.
    Fen = "fen", UNPROCESSABLE_ENTITY;
    /// The server has as many games or connections as it holds.
    Full = "full", SERVICE_UNAVAILABLE;
    /// The game cannot be made or played as requested.
    Game = "game", UNPROCESSABLE_ENTITY;
    /// The offer has already been taken, withdrawn or declined, the vote has closed, or the request is already fulfilled.
    Gone = "gone", GONE;
    /// Nobody has made such an offer, or it was not made to you.
    NoSuchOffer = "no_such_offer", NOT_FOUND;
    /// One of the two does not play with the other, or it is your own offer.
    Opponent = "opponent", CONFLICT;
    /// The rating is not within the range asked for.
    Range = "range", CONFLICT;
    /// The server does not answer to that host name.
    Host = "host", MISDIRECTED_REQUEST;
    /// The move is not legal there.
    IllegalMove = "illegal_move", UNPROCESSABLE_ENTITY;
    /// The game has no piece with that letter.
    Letter = "letter", UNPROCESSABLE_ENTITY;
    /// The level is not 1 to 8.
    Level = "level", UNPROCESSABLE_ENTITY;
    /// More than is allowed at once, from one address or in one connection.
    Limit = "limit", TOO_MANY_REQUESTS;
    /// That number of lines cannot be analysed.
    Lines = "lines", UNPROCESSABLE_ENTITY;
    /// The address cannot get e-mail, or its link has been used up.
    Mail = "mail", UNPROCESSABLE_ENTITY;
    /// The message is not what is expected, or out of order.
    Malformed = "malformed", BAD_REQUEST;
    /// The path does not support that method.
    Method = "method", METHOD_NOT_ALLOWED;
    /// The moves are not legal one after another, or too many.
    Moves = "moves", UNPROCESSABLE_ENTITY;
    /// You may not write in chat; the message says why and until when.
    Muted = "muted", FORBIDDEN;
    /// The name is not allowed or not valid.
    Name = "name", UNPROCESSABLE_ENTITY;
    /// The new password is too short, too long or too common.
    NewPassword = "new_password", UNPROCESSABLE_ENTITY;
    /// The connection has joined no game.
    NoGame = "no_game", CONFLICT;
    /// The server sends no e-mail.
    NoMail = "no_mail", NOT_FOUND;
    /// The game has no review yet.
    NoReview = "no_review", NOT_FOUND;
    /// There are no tables of perfect play of that game.
    NoTables = "no_tables", NOT_FOUND;
    /// There is no ban, report, announcement or line of chat with that id.
    NoSuchItem = "no_such_item", NOT_FOUND;
    /// There is no game with that id.
    NoSuchGame = "no_such_game", NOT_FOUND;
    /// The game has no such lesson.
    NoSuchLesson = "no_such_lesson", NOT_FOUND;
    /// The account has no such passkey.
    NoSuchPasskey = "no_such_passkey", NOT_FOUND;
    /// There is nothing at that path.
    NoSuchPath = "no_such_path", NOT_FOUND;
    /// Nobody has that name.
    NoSuchPerson = "no_such_person", NOT_FOUND;
    /// The account is not (or no longer) open there.
    NoSuchSession = "no_such_session", NOT_FOUND;
    /// Notices are pushed to no browser with that id.
    NoSuchPush = "no_such_push", NOT_FOUND;
    /// There is no set of pieces with that name.
    NoSuchSet = "set", NOT_FOUND;
    /// There is no such tournament.
    NoSuchTournament = "no_such_tournament", NOT_FOUND;
    /// The account has no such token.
    NoSuchToken = "no_such_token", NOT_FOUND;
    /// There is no such vote.
    NoSuchVote = "no_such_vote", NOT_FOUND;
    /// There is no variant with that id.
    NoSuchVariant = "no_such_variant", NOT_FOUND;
    /// The account does not belong to a program.
    NotBot = "not_bot", CONFLICT;
    /// The game has not begun.
    NotBegun = "not_begun", CONFLICT;
    /// Only for moderators.
    NotModerator = "not_moderator", NOT_FOUND;
    /// The game is not over.
    NotOver = "not_over", CONFLICT;
    /// Only somebody else may do that.
    NotYours = "not_yours", FORBIDDEN;
    /// The game is not rated.
    NotRated = "not_rated", CONFLICT;
    /// Only for the operator of the server.
    Operator = "operator", FORBIDDEN;
    /// The request comes from another site's page.
    Origin = "origin", FORBIDDEN;
    /// The passkey's answer is wrong or too late.
    Passkey = "passkey", UNPROCESSABLE_ENTITY;
    /// Name and password do not match.
    Password = "password", FORBIDDEN;
    /// The game text cannot be read.
    Pgn = "pgn", UNPROCESSABLE_ENTITY;
    /// Nothing can be pushed to that browser.
    Push = "push", UNPROCESSABLE_ENTITY;
    /// The query is wrong.
    Query = "query", BAD_REQUEST;
    /// Too much at a time from one address or connection: wait a little.
    Rate = "rate", TOO_MANY_REQUESTS;
    /// The account has finished rated games.
    Rated = "rated", CONFLICT;
    /// The seat is another's, or the word opens nothing.
    Seat = "seat", FORBIDDEN;
    /// You cannot report, follow or mute yourself.
    Oneself = "oneself", CONFLICT;
    /// The game cannot be shown with that set.
    Set = "set", UNPROCESSABLE_ENTITY;
    /// No such set-up, or it does not fit the request.
    Setup = "setup", UNPROCESSABLE_ENTITY;
    /// Only for people who are signed in.
    SignIn = "sign_in", UNAUTHORIZED;
    /// Only for guests: the account's name is used.
    SignedIn = "signed_in", CONFLICT;
    /// No such square on that board.
    Square = "square", UNPROCESSABLE_ENTITY;
    /// The server is starting: try again in a moment.
    Starting = "starting", SERVICE_UNAVAILABLE;
    /// The storage does not answer: nothing was changed.
    Storage = "storage", SERVICE_UNAVAILABLE;
    /// Somebody else has the name.
    Taken = "taken", CONFLICT;
    /// The time is already over, or too far away.
    Term = "term", UNPROCESSABLE_ENTITY;
    /// No such colours.
    Theme = "theme", UNPROCESSABLE_ENTITY;
    /// The answer took too long.
    Timeout = "timeout", GATEWAY_TIMEOUT;
    /// The tournament cannot be made as requested, or does not accept that now.
    Tournament = "tournament", UNPROCESSABLE_ENTITY;
    /// The token does not (or no longer) open anything.
    Token = "token", UNAUTHORIZED;
    /// A program cannot change its account: its owner has to sign in.
    ByToken = "by_token", FORBIDDEN;
    /// The path expects a WebSocket.
    Upgrade = "upgrade", UPGRADE_REQUIRED;
    /// No days are left, or the state of the vacation is not the one assumed.
    Vacation = "vacation", CONFLICT;
    /// No such game, or not exactly one is named.
    Variant = "variant", UNPROCESSABLE_ENTITY;
    /// The vote cannot be called, or the ballot cannot be marked, in that way.
    Vote = "vote", UNPROCESSABLE_ENTITY;
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
        if let StoreError::Taken(_) = error {
            return refused(Reason::Gone, "this offer is no longer open");
        }
        if let StoreError::Fenced { .. } = error {
            // The lease has ended on the way: nothing is wrong.
            tracing::info!(%error, "nothing is written for another node's game");
            let message = "another part of the server has this game by now; try again";
            return refused(Reason::Busy, message);
        }
        if let StoreError::Unheld(_) = error {
            tracing::info!(%error, "something was asked that cannot be");
            let message = "a text of the question has a character that nothing here has";
            return refused(Reason::Query, message);
        }
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

#[cfg(test)]
mod tests {
    use super::Reason;

    #[test]
    fn each_reason_is_told_to_programs() {
        let told = include_str!("../../../docs/server.md");
        for reason in Reason::ALL {
            let row = format!("| `{}` | {} |", reason.code(), reason.status().as_u16());
            assert!(told.contains(&row), "docs/server.md has no row {row:?}");
        }
    }
}
