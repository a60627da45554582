//! What seldom concerns a socket: its session ends, its person is banned, nodes come or go. A socket wakes for each message,
//! and these are looked at only when one of them has something to say.

use super::boards::Mutes;
use super::{COME_AGAIN, End, Session};
use crate::accounts::{Accounts, Ends};
use crate::directory::SocketsEnd;
use crate::moderation::Announced;
use crate::node::Members;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};
use rand::RngExt;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{Notify, broadcast, watch};
use tokio::time::Instant;

/// What was missed is asked anew within this.
const ANEW: Duration = Duration::from_secs(3);

/// Tells when the session ends, or the token is taken back, by which a socket was opened.
pub(super) struct Endings {
    pub told: broadcast::Receiver<Ends>,
    pub accounts: Accounts,
    pub session: Option<String>,
    /// When it is looked whether it has ended.
    pub look_at: Option<Instant>,
}

impl Endings {
    /// Waits for the end; for ever if the socket is a guest's. If ends were missed it is taken for one of them: who
    /// is signed in still may come again.
    async fn ended(&mut self) {
        let Some(session) = &self.session else {
            return std::future::pending().await;
        };
        loop {
            let look_at = self.look_at;
            let look = async {
                until(look_at).await;
                // It goes on while the socket has something else to do: others wait for the connection to the storage.
                let (accounts, session) = (self.accounts.clone(), session.clone());
                let open = tokio::spawn(async move { accounts.is_open(&session).await });
                open.await.ok().and_then(Result::ok)
            };
            tokio::select! {
                told = self.told.recv() => match told {
                    Ok(Ends::Of(ended)) if !ended.contains(session) => {}
                    // Not all at the same moment.
                    Ok(Ends::Missed) => self.look_at = Some(soon()),
                    Ok(_) | Err(RecvError::Lagged(_)) => return,
                    Err(RecvError::Closed) => return std::future::pending().await,
                },
                open = look => match open {
                    Some(true) => self.look_at = None,
                    Some(false) => return,
                    None => self.look_at = Some(soon()),
                },
            }
        }
    }
}

/// Some moment within [`ANEW`].
fn soon() -> Instant {
    let part: f64 = rand::rng().random();
    Instant::now() + ANEW.mul_f64(part)
}

/// Waits until a moment, if there is one: its room is taken only then.
async fn until(moment: Option<Instant>) {
    match moment {
        Some(moment) => Box::pin(tokio::time::sleep_until(moment)).await,
        None => std::future::pending().await,
    }
}

/// What moderation has made so for this socket.
pub(super) struct Standing {
    pub changes: watch::Receiver<u64>,
    /// Whether one is signed in.
    pub account: bool,
    /// What was told last.
    pub announced: Announced,
}

impl Standing {
    /// Waits until something has changed.
    async fn changed(&mut self) {
        if self.changes.changed().await.is_err() {
            std::future::pending().await
        }
    }

    /// Tells what is announced, or why the one who is here may not stay: then the socket ends.
    fn look(&mut self, session: &Session) -> Option<End> {
        let bans = session.app.moderation.bans();
        let may_stay = bans
            .may_play(&session.person.guest)
            .and_then(|()| bans.may_come(session.address, self.account));
        if let Err(banned) = may_stay {
            session.refuse_with("?", &banned);
            return Some(End::Ours(1008, "banned"));
        }
        let announced = bans.announced();
        if announced.list != self.announced.list {
            session.outbox.send(announced.text.clone());
            self.announced = announced;
        }
        None
    }
}

/// All of it that a socket waits for.
pub(super) struct Seldom {
    pub closing: SocketsEnd,
    pub endings: Endings,
    pub standing: Standing,
    pub mutes: Mutes,
    pub members: watch::Receiver<Arc<Members>>,
    /// Something that is told here may have been missed.
    pub missed: Arc<Notify>,
    /// When that is told anew.
    pub anew: Option<Instant>,
}

enum Happens {
    Closing,
    Ended,
    Standing,
    Muted(Vec<String>),
    Anew,
    Members,
}

impl Seldom {
    async fn next(mut self: Box<Self>) -> (Box<Seldom>, Happens) {
        let happens = loop {
            tokio::select! {
                () = self.closing.closed() => break Happens::Closing,
                () = self.endings.ended() => break Happens::Ended,
                () = self.standing.changed() => break Happens::Standing,
                people = self.mutes.changed() => break Happens::Muted(people),
                () = changed(&mut self.members) => break Happens::Members,
                () = self.missed.notified() => self.anew = self.anew.or_else(|| Some(soon())),
                () = until(self.anew) => break Happens::Anew,
            }
        };
        (self, happens)
    }

    /// Does what has happened; the end of the socket, if it is that.
    async fn take(&mut self, happens: Happens, session: &mut Session) -> Option<End> {
        match happens {
            Happens::Closing => return Some(COME_AGAIN),
            Happens::Ended => {
                // The reason may be told by another node.
                session.app.moderation.settled().await;
                let end = self.standing.look(session);
                return Some(end.unwrap_or(End::Ours(1008, "signed out")));
            }
            Happens::Standing => return self.standing.look(session),
            Happens::Muted(people) => session.game.mute(people),
            Happens::Anew => {
                self.anew = None;
                session.tell_anew(&mut self.mutes).await;
            }
            Happens::Members => return session.game.members_changed().err().map(|_| COME_AGAIN),
        }
        None
    }
}

/// Waits for what happens seldom. That costs next to nothing for as long as it does not happen.
pub(super) struct Waits(FuturesUnordered<BoxFuture<'static, (Box<Seldom>, Happens)>>);

/// Something has happened.
pub(super) struct Happened(Box<Seldom>, Happens);

impl Waits {
    pub fn new(seldom: Seldom) -> Waits {
        Waits(FuturesUnordered::from_iter([Box::new(seldom)
            .next()
            .boxed()]))
    }

    /// What happens next; it must be [taken](Waits::take).
    pub async fn happens(&mut self) -> Happened {
        match self.0.next().await {
            Some((seldom, happens)) => Happened(seldom, happens),
            None => std::future::pending().await,
        }
    }

    /// Does what has happened, and waits again; the end of the socket, if it is that.
    pub async fn take(&mut self, happened: Happened, session: &mut Session) -> Option<End> {
        let Happened(mut seldom, happens) = happened;
        let end = seldom.take(happens, session).await;
        self.0.push(seldom.next().boxed());
        end
    }
}

async fn changed(members: &mut watch::Receiver<Arc<Members>>) {
    if members.changed().await.is_err() {
        std::future::pending().await
    }
}
