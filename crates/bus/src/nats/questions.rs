//! Questions to other processes, and the answers from and to them.

use super::link::{Link, Phase, Waiter, What, lock};
use super::names::{self, Reply, Wants};
use crate::BusError;
use async_nats::{Message, Subject};
use bytes::Bytes;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;
use tokio::sync::{Notify, oneshot};

/// How long one waits to hear whether a subject is served, or a question there.
const PROBE: Duration = Duration::from_millis(250);
/// And how long after one has said no, for another may say yes. One who has stopped, but is not gone for NATS, says
/// nothing.
const GRACE: Duration = Duration::from_millis(20);
/// When no answer has come for this long, it is asked whether the question is still there.
const SILENCE: Duration = Duration::from_millis(100);
/// And then again and again.
const AGAIN: Duration = Duration::from_secs(1);

/// What was said to a question of yes or no, which several may answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Said {
    Yes,
    No,
    Nothing,
}

impl Link {
    /// Asks whoever serves a subject in another process.
    pub async fn ask(
        &self,
        subject: &str,
        message: Bytes,
        patience: Duration,
    ) -> Result<Bytes, BusError> {
        self.limit(&message)?;
        let to = self.names.asked(subject);
        let asked = self.answer_to(to, message, patience);
        match tokio::time::timeout(patience, asked).await {
            Ok(Ok(Reply::Answer(answer))) => Ok(answer),
            Ok(Ok(Reply::Refused(error))) => Err(error),
            Ok(Ok(Reply::NoResponders)) => Err(BusError::Nobody),
            Ok(Err(error)) => Err(error),
            Err(_) => Err(BusError::Late),
        }
    }

    async fn answer_to(
        &self,
        to: Subject,
        message: Bytes,
        patience: Duration,
    ) -> Result<Reply, BusError> {
        let wants = Wants::Answer(patience);
        let mut question = self.question(to.clone(), wants, message)?;
        let nobody = question.nobody.clone();
        let reply_to = self.names.answer(question.number, wants);
        let mut silence = SILENCE;
        loop {
            let refused = tokio::select! {
                biased;
                reply = question.reply() => return reply,
                () = nobody.notified() => true,
                () = tokio::time::sleep(silence) => false,
            };
            // Whoever served it does no longer, or may be gone. Another may serve it already and have the question.
            let held = tokio::select! {
                biased;
                reply = question.reply() => return reply,
                held = self.is_held(&to, &reply_to) => held?,
            };
            match (held, refused) {
                (Some(false), true) => return Err(BusError::Nobody),
                (Some(false), false) => return Err(BusError::Gone),
                (Some(true), _) => silence = AGAIN,
                // That may have been lost, too.
                (None, _) => silence = AGAIN.min(silence * 2),
            }
        }
    }

    /// Whether anybody has a question that waits for an answer; nothing if nobody says. All that a process has answered
    /// before it says so is here before.
    async fn is_held(&self, to: &Subject, reply_to: &Subject) -> Result<Option<bool>, BusError> {
        let held = Bytes::copy_from_slice(reply_to.as_bytes());
        let mut question = self.question(to.clone(), Wants::Held, held)?;
        Ok(match question.said().await {
            Said::Yes => Some(true),
            Said::No => Some(false),
            Said::Nothing => None,
        })
    }

    /// Whether another process serves a subject, as far as can be seen.
    pub async fn is_served(&self, subject: &str) -> bool {
        let to = self.names.asked(subject);
        let Ok(mut question) = self.question(to, Wants::Server, Bytes::new()) else {
            return false;
        };
        question.said().await == Said::Yes
    }

    /// Sends a question.
    fn question(
        &self,
        to: Subject,
        wants: Wants,
        message: Bytes,
    ) -> Result<Question<'_>, BusError> {
        let now = self.now();
        if now.phase == Phase::Down {
            return Err(BusError::Late);
        }
        let number = self.next.fetch_add(1, Relaxed);
        let (answer, told) = oneshot::channel();
        let nobody = Arc::new(Notify::new());
        let waiter = Waiter::Answer {
            answer,
            nobody: nobody.clone(),
        };
        lock(&self.waiters).insert(number, waiter);
        let question = Question {
            link: self,
            number,
            generation: now.generation,
            told,
            nobody,
        };
        let what = What::Ask {
            to,
            number,
            wants,
            message,
        };
        match self.put(now.generation, what, 0) {
            true => Ok(question),
            false => Err(BusError::Late),
        }
    }

    /// Sends an answer, or why there is none.
    pub fn answer(&self, to: Subject, answer: Result<Bytes, BusError>) {
        let answer = answer.and_then(|message| self.limit(&message).map(|()| message));
        let (headers, message) = match answer {
            Ok(message) => (None, message),
            Err(error) => {
                let (headers, message) = names::refusal(error);
                (Some(headers), message)
            }
        };
        let what = What::Answer {
            to,
            message,
            headers,
        };
        if !self.put(self.now().generation, what, 0) {
            self.count_dropped();
        }
    }

    /// An answer has come.
    pub fn answered(&self, message: &Message) {
        let Some(number) = self.names.number(&message.subject) else {
            return;
        };
        let mut waiters = lock(&self.waiters);
        let reply = names::reply(message);
        if let (Reply::Refused(BusError::Nobody), Some(Waiter::Answer { nobody, .. })) =
            (&reply, waiters.get(&number))
        {
            nobody.notify_one();
            return;
        }
        let waiter = waiters.remove(&number);
        drop(waiters);
        match waiter {
            Some(Waiter::Answer { answer, .. }) => drop(answer.send(reply)),
            Some(Waiter::Settled(waiters)) => {
                for waiter in waiters {
                    let _ = waiter.send(());
                }
            }
            None => {}
        }
    }
}

/// A question that waits for its answer, until it is given up.
struct Question<'a> {
    link: &'a Link,
    number: u64,
    generation: u64,
    told: oneshot::Receiver<Reply>,
    /// Somebody has said that he no longer serves the subject.
    nobody: Arc<Notify>,
}

impl Question<'_> {
    async fn said(&mut self) -> Said {
        let nobody = self.nobody.clone();
        let waits = async {
            match tokio::time::timeout(PROBE, nobody.notified()).await {
                Ok(()) => {
                    tokio::time::sleep(GRACE).await;
                    Said::No
                }
                Err(_) => Said::Nothing,
            }
        };
        tokio::select! {
            biased;
            reply = self.reply() => match reply {
                Ok(Reply::Refused(BusError::Taken)) => Said::Yes,
                Ok(Reply::NoResponders) => Said::No,
                _ => Said::Nothing,
            },
            said = waits => said,
        }
    }

    async fn reply(&mut self) -> Result<Reply, BusError> {
        tokio::select! {
            biased;
            reply = &mut self.told => reply.map_err(|_| BusError::Late),
            () = self.link.gone(self.generation) => Err(BusError::Late),
        }
    }
}

impl Drop for Question<'_> {
    fn drop(&mut self) {
        lock(&self.link.waiters).remove(&self.number);
    }
}
