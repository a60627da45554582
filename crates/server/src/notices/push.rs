//! Notices by push: encrypted for the browser (RFC 8291), signed for its push service (RFC 8292), and posted there, by a
//! bounded queue. A browser that is gone is forgotten.

use super::Happening;
use super::crypto::RustCrypto;
use super::vapid::VapidKey;
use crate::lasting::Inbox;
use crate::outgoing::{Answered, Outgoing, OutgoingError};
use crate::refusal::{Reason, Refused, refused};
use crate::services::{secret, wall_ms};
use crate::wire::{NewPush, Notice};
use crate::work::{Weight, Work};
use base64::Engine;
use base64::alphabet;
use base64::engine::DecodePaddingMode;
use base64::engine::GeneralPurpose;
use base64::engine::general_purpose::{GeneralPurposeConfig, URL_SAFE_NO_PAD};
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use hyper::header::{
    AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue,
};
use metrics::counter;
use play::notice::Kind;
use sha2::{Digest, Sha256};
use std::sync::Arc;
use std::time::Duration;
use store::notices::{NoticeStore, PushRow};
use tokio::sync::mpsc;
use url::Url;

/// Pushes that wait at most, and that are under way at once.
const QUEUE: usize = 2048;
const SENDING: usize = 16;
/// Attempts, and the first pause between them, which doubles; a service may ask for a longer one.
const ATTEMPTS: u32 = 4;
const PAUSE: Duration = Duration::from_secs(2);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// A browser to which nothing could be pushed so often in a row is forgotten.
const FAILURES: u32 = 10;
/// Browsers of a person.
pub const BROWSERS: u32 = 10;
/// Characters of an endpoint's address.
const ENDPOINT: usize = 1000;
/// Bytes of a browser's public key, and of its secret.
const SIZES: [usize; 2] = [65, 16];

/// Browsers write base64url without the signs that fill it up, others with.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &alphabet::URL_SAFE,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// What is to be pushed to a browser.
#[derive(Debug)]
struct Job {
    browser: PushRow,
    text: Arc<str>,
    lasts: Duration,
    urgent: bool,
    /// What comes later with the same takes its place, while the browser is not reached.
    topic: String,
}

/// Notices by push.
#[derive(Clone, Debug)]
pub struct Push {
    key: VapidKey,
    outgoing: Outgoing,
    work: Work,
    queue: mpsc::Sender<Box<Job>>,
    inbox: Arc<Inbox<Box<Job>>>,
}

/// How an attempt has ended.
#[derive(Debug, PartialEq, Eq)]
enum Attempt {
    Done,
    /// There is no such browser any more.
    Gone,
    /// It will not be taken later either.
    Refused(String),
    /// It may be taken later.
    Later(String, Option<Duration>),
}

impl Attempt {
    fn of(answered: Result<Answered, OutgoingError>) -> Attempt {
        match answered {
            Ok(Answered {
                status: 200..=299, ..
            }) => Attempt::Done,
            Ok(Answered {
                status: 404 | 410, ..
            }) => Attempt::Gone,
            Ok(Answered { status, after }) if status == 429 || status >= 500 => {
                Attempt::Later(format!("status {status}"), after)
            }
            // Where an answer leads is not gone to.
            Ok(Answered { status, .. }) => Attempt::Refused(format!("status {status}")),
            Err(OutgoingError::Network(error)) => Attempt::Later(error, None),
            Err(error) => Attempt::Refused(error.to_string()),
        }
    }
}

fn wrong(message: impl Into<String>) -> Refused {
    refused(Reason::Push, message)
}

impl Push {
    /// Pushes under a key.
    pub fn new(key: VapidKey, outgoing: Outgoing, work: Work) -> Push {
        // It is set by the first of several servers in a process.
        let _ = ece::crypto::set_cryptographer(&RustCrypto);
        let (queue, inbox) = mpsc::channel(QUEUE);
        Push {
            key,
            outgoing,
            work,
            queue,
            inbox: Arc::new(Inbox::new(inbox)),
        }
    }

    /// The key under which browsers turn pushes on.
    pub fn public_key(&self) -> &str {
        self.key.public()
    }

    /// A browser that turns pushes on, or why it cannot.
    pub fn browser(
        &self,
        new: &NewPush,
        person: &str,
        session: &str,
        agent: &str,
    ) -> Result<PushRow, Refused> {
        if new.endpoint.len() > ENDPOINT {
            let message = format!(
                "endpoint: {} bytes, expected at most {ENDPOINT}",
                new.endpoint.len()
            );
            return Err(wrong(message));
        }
        let url = Url::parse(&new.endpoint).map_err(|e| wrong(format!("endpoint: {e}")))?;
        if !self.outgoing.takes(&url) {
            let message =
                "endpoint: expected the https address of a push service on the open internet";
            return Err(wrong(message));
        }
        let keys = [("p256dh", &new.keys.p256dh), ("auth", &new.keys.auth)];
        let mut read = Vec::new();
        for ((name, text), size) in keys.into_iter().zip(SIZES) {
            let bytes = LENIENT
                .decode(text)
                .ok()
                .filter(|bytes| bytes.len() == size);
            let expected = || wrong(format!("keys.{name}: expected {size} bytes as base64url"));
            read.push(bytes.ok_or_else(expected)?);
        }
        if p256::PublicKey::from_sec1_bytes(&read[0]).is_err() {
            return Err(wrong("keys.p256dh: expected a point on the curve P-256"));
        }
        Ok(PushRow {
            id: secret(7),
            person: person.into(),
            session: session.into(),
            endpoint: url.into(),
            p256dh: URL_SAFE_NO_PAD.encode(&read[0]),
            auth: URL_SAFE_NO_PAD.encode(&read[1]),
            agent: agent.into(),
            made_ms: wall_ms(),
        })
    }

    /// Has a browser be told, if there is room.
    pub fn tell(&self, browser: PushRow, happening: &Happening, notice: &Notice) {
        // Names, numbers and texts alone: there is nothing in it that JSON cannot say.
        let text = serde_json::to_string(notice).unwrap_or_default();
        let topic = Sha256::digest(happening.subject.as_bytes());
        let job = Job {
            browser,
            text: text.into(),
            lasts: happening.lasts,
            urgent: !happening.slow || happening.kind == Kind::TimeRunningOut,
            topic: URL_SAFE_NO_PAD.encode(&topic[..24]),
        };
        if self.queue.try_send(Box::new(job)).is_err() {
            counter!("husun_notices_lost_total").increment(1);
            tracing::warn!("push services are too slow; notices are lost");
        }
    }

    /// Pushes, for as long as the server runs.
    pub(super) async fn keep(&self, store: &Arc<dyn NoticeStore>) {
        let next = |()| async { Some((self.inbox.next().await?, ())) };
        stream::unfold((), next)
            .for_each_concurrent(SENDING, |job| async move {
                if let Err(refused) = self.push(&job, store).await {
                    tracing::warn!(message = %refused.message, "what became of a push is not kept");
                }
            })
            .await;
    }

    async fn push(&self, job: &Job, store: &Arc<dyn NoticeStore>) -> Result<(), Refused> {
        let id = &job.browser.id;
        let count = |how: &'static str| counter!("husun_pushes_total", "how" => how).increment(1);
        let mut pause = PAUSE;
        for attempt in 1..=ATTEMPTS {
            match self.attempt(job).await? {
                Attempt::Done => {
                    count("taken");
                    counter!("husun_notices_total", "way" => "push").increment(1);
                    store.push_done(id, true, FAILURES).await?;
                    return Ok(());
                }
                Attempt::Gone => {
                    count("gone");
                    store.remove_push(&job.browser.person, id).await?;
                    return Ok(());
                }
                Attempt::Refused(why) => {
                    tracing::warn!(why, "a push service refuses");
                    break;
                }
                Attempt::Later(why, after) => {
                    tracing::debug!(why, attempt, "a push is tried again");
                    if attempt < ATTEMPTS {
                        let asked = after.unwrap_or_default().min(LONGEST_PAUSE);
                        tokio::time::sleep(pause.max(asked)).await;
                        pause *= 2;
                    }
                }
            }
        }
        count("failed");
        Ok(store.push_done(id, false, FAILURES).await?)
    }

    async fn attempt(&self, job: &Job) -> Result<Attempt, Refused> {
        let Ok(url) = Url::parse(&job.browser.endpoint) else {
            return Ok(Attempt::Gone);
        };
        let (key, browser, text) = (self.key.clone(), job.browser.clone(), job.text.clone());
        let origin = url.origin().ascii_serialization();
        // Both take a part of a millisecond.
        let seal = move || {
            let read = |text: &str| URL_SAFE_NO_PAD.decode(text).unwrap_or_default();
            let sealed = ece::encrypt(
                &read(&browser.p256dh),
                &read(&browser.auth),
                text.as_bytes(),
            );
            (sealed, key.authorization(&origin, wall_ms() / 1000))
        };
        let (sealed, authorization) = self.work.run(Weight::Light, seal).await?;
        let sealed = match sealed {
            Ok(sealed) => sealed,
            Err(error) => return Ok(Attempt::Refused(error.to_string())),
        };
        let Some(headers) = headers(job, &authorization) else {
            return Ok(Attempt::Refused("its headers cannot be written".into()));
        };
        let answered = self.outgoing.post(&url, headers, Bytes::from(sealed)).await;
        Ok(Attempt::of(answered))
    }
}

fn headers(job: &Job, authorization: &str) -> Option<HeaderMap> {
    let mut headers = HeaderMap::new();
    let mut put = |name: HeaderName, value: &str| {
        let value = HeaderValue::from_str(value).ok()?;
        headers.insert(name, value);
        Some(())
    };
    put(AUTHORIZATION, authorization)?;
    put(CONTENT_ENCODING, "aes128gcm")?;
    put(CONTENT_TYPE, "application/octet-stream")?;
    put(
        HeaderName::from_static("ttl"),
        &job.lasts.as_secs().to_string(),
    )?;
    let urgency = if job.urgent { "high" } else { "normal" };
    put(HeaderName::from_static("urgency"), urgency)?;
    put(HeaderName::from_static("topic"), &job.topic)?;
    Some(headers)
}
