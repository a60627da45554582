//! What stands on the wire: the names of subjects, and the few words that are not somebody's message.

use crate::{BusError, NatsRole};
use async_nats::{HeaderMap, Message, StatusCode, Subject};
use bytes::Bytes;
use std::fmt::Write as _;
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

/// Why there is no answer, as a header of what comes instead of one.
const REFUSED: &str = "Husun-Refused";
/// Marks a message that says that others were lost.
const LOST: &str = "Husun-Lost";
/// The last word of a reply subject, where a question has the milliseconds that its asker waits.
const PROBE: &str = "probe";
const HELD: &str = "held";

/// The names of the subjects of one cluster, as one of its processes sees them.
#[derive(Debug)]
pub struct Names {
    prefix: String,
    /// Of this process: answers to it come to subjects that begin with it.
    inbox: String,
}

/// What a question's reply subject says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wants {
    /// An answer within this time.
    Answer(Duration),
    /// To know whether the subject is served.
    Server,
    /// To know whether a question is there, whose reply subject is the message.
    Held,
}

impl Names {
    /// Nothing if the prefix is not words of letters, digits, `-` and `_`, with dots between.
    pub fn new(prefix: &str, role: NatsRole) -> Option<Names> {
        let plain = |word: &str| !word.is_empty() && word.bytes().all(is_plain);
        if prefix.len() > crate::SUBJECT || !prefix.split('.').all(plain) {
            return None;
        }
        // The keys of hashing are random: enough for a name that no other process has.
        let id = |salt: u8| RandomState::new().hash_one((std::process::id(), salt));
        Some(Names {
            prefix: prefix.into(),
            inbox: format!("{prefix}.{}.{:016x}{:016x}.", role.answers(), id(0), id(1)),
        })
    }

    /// Where messages on a subject are told.
    pub fn told(&self, subject: &str) -> Subject {
        self.name('t', subject)
    }

    /// Where a subject's questions go.
    pub fn asked(&self, subject: &str) -> Subject {
        self.name('a', subject)
    }

    /// Where all processes are told that anything may have been lost.
    pub fn lost(&self) -> Subject {
        format!("{}.lost", self.prefix).into()
    }

    /// Where nobody listens: the server's word that nobody does proves that it has read what came before.
    pub fn nowhere(&self) -> Subject {
        format!("{}none", self.inbox).into()
    }

    /// Where answers to this process come, each to a subject of its own.
    pub fn answers(&self) -> Subject {
        format!("{}a.>", self.inbox).into()
    }

    /// Where the answer to a question is to go.
    pub fn answer(&self, number: u64, wants: Wants) -> Subject {
        let inbox = &self.inbox;
        match wants {
            Wants::Answer(patience) => format!("{inbox}a.{number}.{}", patience.as_millis()),
            Wants::Server => format!("{inbox}a.{number}.{PROBE}"),
            Wants::Held => format!("{inbox}a.{number}.{HELD}"),
        }
        .into()
    }

    /// The number of the question that a message answers.
    pub fn number(&self, subject: &str) -> Option<u64> {
        let words = subject.strip_prefix(&self.inbox)?.strip_prefix("a.")?;
        words.split('.').next()?.parse().ok()
    }

    /// Whether answers come to this subject, of this process or another one of the cluster.
    pub fn is_inbox(&self, subject: &str) -> bool {
        let within = subject.strip_prefix(self.prefix.as_str());
        let within = within.and_then(|rest| rest.strip_prefix('.'));
        let mut words = within.unwrap_or_default().split('.');
        let kind = words.next().unwrap_or_default();
        let roles = [NatsRole::Server, NatsRole::Worker];
        let is_role = roles.iter().any(|role| kind.chars().eq([role.answers()]));
        is_role && words.nth(1) == Some("a")
    }

    /// Whether this process comes before the one that waits at a reply subject. All agree on that.
    pub fn is_before(&self, reply: &str) -> bool {
        self.inbox.as_str() < reply
    }

    fn name(&self, kind: char, subject: &str) -> Subject {
        let mut name = String::with_capacity(self.prefix.len() + 3 + subject.len());
        name.push_str(&self.prefix);
        name.push('.');
        name.push(kind);
        for word in subject.split('.') {
            name.push('.');
            if word.is_empty() {
                name.push('~');
            }
            for byte in word.bytes() {
                if is_plain(byte) {
                    name.push(byte.into());
                } else {
                    let _ = write!(name, "~{byte:02X}");
                }
            }
        }
        name.into()
    }
}

/// Whether it stands for itself in a name. NATS takes more, but not everywhere the same.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_'
}

/// What is wanted of whoever serves a subject.
pub fn wants(reply: &str) -> Wants {
    match reply.rsplit('.').next() {
        Some(PROBE) => Wants::Server,
        Some(HELD) => Wants::Held,
        // Another version might say it otherwise: it waits as long as people do.
        word => Wants::Answer(Duration::from_millis(
            word.and_then(|ms| ms.parse().ok()).unwrap_or(5000),
        )),
    }
}

/// The headers of a message that says that others were lost.
pub fn lost() -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(LOST, "1");
    headers
}

/// Whether a message says that others were lost.
pub fn is_lost(message: &Message) -> bool {
    let headers = message.headers.as_ref();
    headers.is_some_and(|headers| headers.get(LOST).is_some())
}

/// How an error is said instead of an answer.
pub fn refusal(error: BusError) -> (HeaderMap, Bytes) {
    let mut headers = HeaderMap::new();
    let (word, more) = match error {
        BusError::Nobody => ("nobody", Bytes::new()),
        BusError::Taken => ("taken", Bytes::new()),
        BusError::Late | BusError::Subject(_) => ("late", Bytes::new()),
        BusError::Gone => ("gone", Bytes::new()),
        BusError::TooLong { bytes, limit } => ("long", format!("{bytes} {limit}").into()),
    };
    headers.insert(REFUSED, word);
    (headers, more)
}

/// What has come as an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The answer.
    Answer(Bytes),
    /// Whoever was asked says why there is none.
    Refused(BusError),
    /// NATS knows nobody who listens.
    NoResponders,
}

/// Reads an answer.
pub fn reply(message: &Message) -> Reply {
    if message.status == Some(StatusCode::NO_RESPONDERS) {
        return Reply::NoResponders;
    }
    let headers = message.headers.as_ref();
    let Some(word) = headers.and_then(|headers| headers.get(REFUSED)) else {
        // A slice of the connection's buffer would keep all of it.
        return Reply::Answer(Bytes::copy_from_slice(&message.payload));
    };
    Reply::Refused(match word.as_str() {
        "nobody" => BusError::Nobody,
        "taken" => BusError::Taken,
        "late" => BusError::Late,
        "long" => too_long(&message.payload).unwrap_or(BusError::Gone),
        _ => BusError::Gone,
    })
}

fn too_long(text: &[u8]) -> Option<BusError> {
    let (bytes, limit) = std::str::from_utf8(text).ok()?.split_once(' ')?;
    Some(BusError::TooLong {
        bytes: bytes.parse().ok()?,
        limit: limit.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn every_subject_has_a_name_of_its_own() {
        let names = Names::new("husun", NatsRole::Server).expect("a prefix");
        assert_eq!(
            names.told("game.k3x9.told").as_str(),
            "husun.t.game.k3x9.told"
        );
        assert_eq!(names.asked("a b").as_str(), "husun.a.a~20b");
        let odd = [
            "", ".", "..", "a", "a.", ".a", "a..b", "a.b", "*", ">", "a.*", "a.>", "a b", "a\r\nb",
            "a\tb", "~", "~20", "a~20b", "é", "$SYS", "\0",
        ];
        let mut seen = HashMap::new();
        for subject in odd {
            let name = names.told(subject);
            assert!(name.is_valid() && !name.contains(['*', '>']), "{name}");
            assert!(
                name.is_ascii() && !name.contains(char::is_whitespace),
                "{name}"
            );
            assert_eq!(seen.insert(name.to_string(), subject), None, "{name}");
        }
    }

    #[test]
    fn answers_go_where_answers_go() {
        let names = Names::new("clubs.husun", NatsRole::Server).expect("a prefix");
        let worker = Names::new("clubs.husun", NatsRole::Worker).expect("a prefix");
        let wants = Wants::Answer(Duration::from_secs(1));
        for to in [names.answer(7, wants), worker.answer(7, Wants::Server)] {
            assert!(names.is_inbox(&to), "{to}");
        }
        for to in [
            "clubs.husun.lost",
            "clubs.husun.t.a.a.told",
            "clubs.husun.a.r.a",
            "clubs.husun.r.x",
            "clubs.husun.r.x.none",
            "clubs.husunr.x.a.1",
            "clubs.husunr.w.x.a.1",
            "other.husun.r.x.a.1",
            "r.x.a.1",
            "",
        ] {
            assert!(!names.is_inbox(to), "{to}");
        }
    }

    #[test]
    fn a_prefix_is_plain_words() {
        for good in ["husun", "clubs.husun", "a-b_c.9"] {
            assert!(Names::new(good, NatsRole::Server).is_some(), "{good}");
        }
        for bad in ["", ".", "a.", ".a", "a b", "*", ">", "a.>", "é", "a\n"] {
            assert!(Names::new(bad, NatsRole::Server).is_none(), "{bad:?}");
        }
    }

    #[test]
    fn an_answer_finds_its_question() {
        let names = Names::new("husun", NatsRole::Server).expect("a prefix");
        let patience = Wants::Answer(Duration::from_millis(1500));
        for asked in [patience, Wants::Server, Wants::Held] {
            let reply = names.answer(77, asked);
            assert_eq!(names.number(&reply), Some(77));
            assert_eq!(wants(&reply), asked);
        }
        let other = Names::new("husun", NatsRole::Server).expect("a prefix");
        assert_eq!(
            other.number(&names.answer(77, patience)),
            None,
            "another process"
        );
    }
}
