//! The search for a game's owner, where several nodes own games.

use super::{GameGone, GameSide, TOLD, busy};
use crate::directory::{Directory, Payer, Place};
use crate::refusal::Refused;
use crate::task::TROUBLE_OF_OWNER;
use crate::wire::ServerMessage;
use futures_util::future::BoxFuture;
use metrics::counter;
use std::time::{Duration, Instant};

/// Pause between attempts to find a game's owner, the first and the longest.
pub(super) const AGAIN: [Duration; 2] = [Duration::from_millis(50), Duration::from_millis(500)];
/// Longest attempt.
const SEARCH: Duration = Duration::from_secs(2);

pub(crate) type Search = BoxFuture<'static, Result<Option<Place>, Refused>>;

/// A game's owner is looked for.
pub(super) struct Seeking {
    since: Instant,
    pause: Duration,
    told: bool,
    pub search: Search,
}

impl GameSide {
    /// Something that the game has told may have been lost on its way from another node: it is told anew, to some sooner and to
    /// others later.
    pub fn missed(&mut self) -> Result<(), GameGone> {
        let here = self.members.borrow().boot;
        match &self.presence {
            Some(presence) if presence.owner != here => {
                counter!("husun_bus_gaps_total").increment(1);
                let share = rand::random_range(0..1000);
                self.seek(AGAIN[1] * share / 1000)
            }
            _ => Ok(()),
        }
    }

    /// Looks after a while for the game's owner: it has gone, or cannot be reached. Where a server runs alone there is no
    /// other.
    pub(super) fn seek(&mut self, wait: Duration) -> Result<(), GameGone> {
        if self.directory.is_alone() || self.directory.is_closing() {
            return Err(GameGone);
        }
        let Some(presence) = &mut self.presence else {
            self.ask_next();
            return Ok(());
        };
        if self.seeking.is_some() {
            return Ok(());
        }
        (presence.joined, presence.handle) = (None, None);
        presence.early.clear();
        let game = presence.id.clone();
        // What waits for an answer waits in vain, unless it was asked of the game before.
        if let Some((question, _)) = self.asking.take_if(|(asked, _)| asked.game == game) {
            self.set_aside(question);
        }
        self.questions.retain(|question| question.of != "join");
        self.seeking = Some(Seeking {
            since: Instant::now(),
            pause: AGAIN[0],
            told: false,
            search: search(&self.directory, &game, wait),
        });
        Ok(())
    }

    pub(super) fn found(&mut self, found: Result<Option<Place>, Refused>) -> Result<(), GameGone> {
        let goes = self.directory.is_closing() || self.directory.is_cut_off();
        let goes = goes || self.is_among_others();
        let (Some(presence), Some(seeking)) = (&mut self.presence, &mut self.seeking) else {
            self.seeking = None;
            return Ok(());
        };
        match found {
            Ok(Some(place)) => {
                presence.owner = place.owner();
                presence.handle = place.here();
                self.seeking = None;
                if let Some(question) = self.coming() {
                    self.questions.push_front(question);
                }
                self.ask_next();
                Ok(())
            }
            Ok(None) => Err(GameGone),
            // The browser finds another node that can speak with the owner.
            Err(_) if goes => Err(GameGone),
            Err(_) => {
                if !seeking.told && seeking.since.elapsed() >= TOLD {
                    seeking.told = true;
                    self.outbox.tell(&ServerMessage::Trouble {
                        trouble: Some(TROUBLE_OF_OWNER.into()),
                    });
                }
                seeking.search = search(&self.directory, &presence.id, seeking.pause);
                seeking.pause = (seeking.pause * 2).min(AGAIN[1]);
                Ok(())
            }
        }
    }

    /// Nodes have come or gone: the game's owner may have, and this node may have another boot, by which the game knows it.
    pub fn members_changed(&mut self) -> Result<(), GameGone> {
        let members = self.members.borrow().clone();
        let Some(presence) = &self.presence else {
            return Ok(());
        };
        if presence.owner == 0 || self.seeking.is_some() {
            return Ok(());
        }
        if presence.owner != members.boot && self.directory.is_cut_off() {
            return Err(GameGone);
        }
        if members.boot != presence.node || !members.has(presence.owner) {
            counter!("husun_owners_lost_total").increment(1);
            return self.seek(Duration::ZERO);
        }
        Ok(())
    }
}

/// Looks for a game's owner after a while, or as soon as nodes come or go.
pub(crate) fn search(directory: &Directory, game: &str, wait: Duration) -> Search {
    let (directory, game) = (directory.clone(), game.to_owned());
    let mut members = directory.services().node.members();
    members.mark_unchanged();
    Box::pin(async move {
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            Ok(()) = members.changed() => {}
        }
        // It goes on while the socket has something else to do: others wait for what it holds meanwhile.
        let found = tokio::spawn(async move {
            // One that hangs is given up: meanwhile others may have the game.
            let found = directory.find(&game, Payer::Server);
            tokio::time::timeout(SEARCH, found).await
        });
        match found.await {
            Ok(Ok(found)) => found,
            Ok(Err(_)) | Err(_) => Err(busy()),
        }
    })
}
