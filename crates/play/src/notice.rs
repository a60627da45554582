//! What people are told while they are not looking: the kinds of notices, the channels by which they come, what a
//! person wishes, and what is told. No I/O.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What a notice is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The opponent has moved.
    YourTurn,
    /// Somebody challenges.
    Challenge,
    /// A game has begun.
    GameStarted,
    /// Little time is left for a move in a game over days.
    TimeRunningOut,
    /// A tournament that the person has joined is about to start.
    TournamentStarting,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 5] = [
        Kind::YourTurn,
        Kind::Challenge,
        Kind::GameStarted,
        Kind::TimeRunningOut,
        Kind::TournamentStarting,
    ];
}

/// By which channels something is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ways {
    /// In the person's open pages.
    pub page: bool,
    /// By push, in the browsers in which the person has turned it on.
    pub push: bool,
    /// By e-mail.
    pub mail: bool,
}

impl Ways {
    /// By no channel.
    pub const NONE: Ways = Ways {
        page: false,
        push: false,
        mail: false,
    };

    /// Whether there is no channel.
    pub fn is_none(self) -> bool {
        self == Ways::NONE
    }
}

/// What a person wishes to be told, and by which channels. Missing values have their defaults, so that stored wishes
/// can be read for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Wishes {
    /// [`Kind::YourTurn`].
    pub your_turn: Ways,
    /// [`Kind::Challenge`].
    pub challenge: Ways,
    /// [`Kind::GameStarted`].
    pub game_started: Ways,
    /// [`Kind::TimeRunningOut`].
    pub time_running_out: Ways,
    /// [`Kind::TournamentStarting`].
    pub tournament_starting: Ways,
}

impl Default for Wishes {
    /// Everything in pages and by push; by e-mail what waits for an answer over days.
    fn default() -> Wishes {
        let ways = |mail| Ways {
            page: true,
            push: true,
            mail,
        };
        Wishes {
            your_turn: ways(true),
            challenge: ways(true),
            game_started: ways(false),
            time_running_out: ways(true),
            tournament_starting: ways(false),
        }
    }
}

impl Wishes {
    /// By which channels notices of a kind are wished for.
    pub fn of(&self, kind: Kind) -> Ways {
        match kind {
            Kind::YourTurn => self.your_turn,
            Kind::Challenge => self.challenge,
            Kind::GameStarted => self.game_started,
            Kind::TimeRunningOut => self.time_running_out,
            Kind::TournamentStarting => self.tournament_starting,
        }
    }
}

/// Who is to be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// A person without an account: told only in open pages.
    Guest,
    /// A person with an account.
    Account,
    /// A program, which looks for itself.
    Program,
}

/// What is known when something is to be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// Who is to be told.
    pub reader: Reader,
    /// Whether that person is banned from playing.
    pub banned: bool,
    /// Whether one of the two, that person or the one who caused it, has blocked the other.
    pub apart: bool,
    /// Whether that person has a page open at this very game.
    pub at_board: bool,
    /// Whether any page is open that shows notices.
    pub here: bool,
    /// Whether another message tells open pages of it already.
    pub shown: bool,
    /// Whether nobody has to be at the board: days for each move.
    pub slow: bool,
    /// How long ago that person was last told about the same game by push.
    pub pushed: Option<Duration>,
}

/// Least time between pushes about a game at the board.
pub const PAUSE: Duration = Duration::from_secs(60);

/// By which channels something of a kind is told.
///
/// ```
/// use play::notice::{Kind, Known, Reader, Wishes, ways};
/// let away = Known { reader: Reader::Account, banned: false, apart: false, at_board: false, here: false, shown: false,
///     slow: true, pushed: None };
/// let told = ways(Kind::YourTurn, &Wishes::default(), &away);
/// assert!(told.push && told.mail && !told.page);
/// ```
pub fn ways(kind: Kind, wishes: &Wishes, known: &Known) -> Ways {
    let unwelcome = known.apart && kind == Kind::Challenge;
    if known.banned || unwelcome || known.reader == Reader::Program {
        return Ways::NONE;
    }
    let account = known.reader == Reader::Account;
    let wished = wishes.of(kind);
    let rested = known.slow || known.pushed.is_none_or(|ago| ago >= PAUSE);
    // An e-mail is read hours later.
    let can_wait = known.slow || matches!(kind, Kind::Challenge | Kind::TournamentStarting);
    Ways {
        page: wished.page && known.here && !known.at_board && !known.shown,
        // A page at a game over days may be open with nobody there; the browser itself stays quiet if somebody looks.
        push: wished.push && account && rested && (known.slow || !known.at_board),
        mail: wished.mail && account && can_wait && !known.here && !known.at_board,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AWAY: Known = Known {
        reader: Reader::Account,
        banned: false,
        apart: false,
        at_board: false,
        here: false,
        shown: false,
        slow: true,
        pushed: None,
    };

    /// The letters of the channels by which something is told by default.
    fn told(kind: Kind, known: Known) -> String {
        letters(ways(kind, &Wishes::default(), &known))
    }

    fn letters(ways: Ways) -> String {
        let all = [(ways.page, 'p'), (ways.push, 'w'), (ways.mail, 'm')];
        all.into_iter().filter(|w| w.0).map(|w| w.1).collect()
    }

    #[test]
    fn who_looks_is_told_in_the_page_and_who_does_not_on_other_ways() {
        use Kind::*;
        let here = Known { here: true, ..AWAY };
        let at_board = Known {
            at_board: true,
            ..here
        };
        let quick = |known: Known| Known {
            slow: false,
            ..known
        };
        let just_now = Known {
            pushed: Some(PAUSE / 2),
            ..AWAY
        };
        let before = Known {
            pushed: Some(PAUSE),
            ..AWAY
        };
        let guest = |known: Known| Known {
            reader: Reader::Guest,
            ..known
        };
        for (kind, known, expected) in [
            (YourTurn, AWAY, "wm"),
            (YourTurn, here, "pw"),
            (YourTurn, at_board, "w"),
            (YourTurn, quick(AWAY), "w"),
            (YourTurn, quick(here), "pw"),
            (YourTurn, quick(at_board), ""),
            (YourTurn, just_now, "wm"),
            (YourTurn, quick(just_now), ""),
            (YourTurn, quick(before), "w"),
            (Challenge, AWAY, "wm"),
            (Challenge, quick(AWAY), "wm"),
            (
                Challenge,
                Known {
                    shown: true,
                    ..here
                },
                "w",
            ),
            (
                Challenge,
                Known {
                    apart: true,
                    ..here
                },
                "",
            ),
            (
                YourTurn,
                Known {
                    apart: true,
                    ..here
                },
                "pw",
            ),
            (GameStarted, AWAY, "w"),
            (GameStarted, quick(at_board), ""),
            (TimeRunningOut, AWAY, "wm"),
            (TimeRunningOut, at_board, "w"),
            (TournamentStarting, quick(AWAY), "w"),
            (TournamentStarting, quick(here), "pw"),
            (YourTurn, guest(AWAY), ""),
            (YourTurn, guest(here), "p"),
            (GameStarted, guest(quick(here)), "p"),
        ] {
            assert_eq!(told(kind, known), expected, "{kind:?} {known:?}");
        }
        for kind in Kind::ALL {
            for nobody in [
                Known {
                    banned: true,
                    ..here
                },
                Known {
                    reader: Reader::Program,
                    ..here
                },
            ] {
                assert_eq!(told(kind, nobody), "", "{kind:?}");
            }
        }
    }

    #[test]
    fn each_kind_can_be_switched_off_on_each_way() -> Result<(), serde_json::Error> {
        let here = Known {
            here: true,
            slow: true,
            ..AWAY
        };
        for kind in Kind::ALL {
            let name = serde_json::to_value(kind)?;
            let name = name.as_str().unwrap_or_default().to_owned();
            for known in [AWAY, here] {
                let all = Ways {
                    page: true,
                    push: true,
                    mail: true,
                };
                let mut wishes = serde_json::to_value(Wishes::default())?;
                wishes[&name] = serde_json::to_value(all)?;
                let on = ways(kind, &serde_json::from_value(wishes.clone())?, &known);
                assert!(!on.is_none(), "{kind:?}");
                for way in ["page", "push", "mail"] {
                    let mut without = wishes.clone();
                    without[&name][way] = false.into();
                    let off = ways(kind, &serde_json::from_value(without)?, &known);
                    let expected = Ways {
                        page: on.page && way != "page",
                        push: on.push && way != "push",
                        mail: on.mail && way != "mail",
                    };
                    assert_eq!(off, expected, "{kind:?} {way}");
                }
                wishes[&name] = serde_json::to_value(Ways::NONE)?;
                let off = ways(kind, &serde_json::from_value(wishes)?, &known);
                assert!(off.is_none());
            }
        }
        // What an older version stored says nothing about later kinds.
        let old: Wishes =
            serde_json::from_str("{\"your_turn\":{\"page\":false,\"push\":true,\"mail\":false}}")?;
        assert!(!old.your_turn.page && old.challenge == Wishes::default().challenge);
        Ok(())
    }
}
