//! Those who come to a game, act in it, look at it and go.

use super::messages::{Answered, Audience, Joined, write};
use super::tell::text_of;
use super::watched::Attendant;
use super::{GameTask, LAG, whole};
use crate::directory::Made;
use crate::refusal::{Reason, Refused};
use crate::services::secret;
use crate::wire::ServerMessage;
use crate::wire::show;
use bus::Request;
use husun::Side;
use metrics::{counter, histogram};
use play::table::{Event, Person, StoredCard};
use play::{Deed, Who};
use std::time::{Duration, Instant};

/// A refusal as it goes to a browser.
fn refusal(of: &str, code: &str, message: impl Into<String>) -> ServerMessage {
    ServerMessage::Refused {
        of: of.into(),
        code: code.into(),
        message: message.into(),
    }
}

/// Answers a socket that has not come by it: with what it alone is told, if anything.
fn answer(request: Request, message: Option<&ServerMessage>) {
    let text = message.map(text_of).unwrap_or_default();
    request.answer(write(&Answered::default(), &text));
}

/// How a deed has come.
#[derive(Clone, Copy, Debug)]
pub(super) struct Travel {
    /// How long ago it came from the browser, when it was asked.
    pub waited: Duration,
    /// Time on the way from the browser.
    pub lag: Duration,
    /// From when the browser was handed the turn until it came.
    pub thought: Option<Duration>,
}

impl GameTask {
    pub(super) fn leave(&mut self, socket: u64) {
        self.sockets.remove(&socket);
        self.note_deserted();
        self.note_away();
        self.presence_changed();
    }

    /// Nodes have come or gone, and with them the sockets at them. If this node has lost its lease, the game is another's.
    pub(super) fn members_changed(&mut self) {
        let members = self.members.borrow_and_update().clone();
        if members.boot != self.owner {
            self.broken = true;
            return;
        }
        let before = self.sockets.len();
        self.sockets
            .retain(|_, attendant| attendant.node == 0 || members.has(attendant.node));
        if self.sockets.len() != before {
            self.note_deserted();
            self.note_away();
            self.presence_changed();
        }
    }

    fn note_deserted(&mut self) {
        match self.sockets.is_empty() {
            true => {
                self.deserted.get_or_insert_with(Instant::now);
            }
            false => self.deserted = None,
        }
    }

    /// Notes which players have left, and which have come back.
    pub(super) fn note_away(&mut self) {
        let now = self.now();
        for side in Side::ALL {
            let mut there = self.sockets.values();
            let here = there.any(|attendant| attendant.who == Who::Player(side));
            let away = self.away.get_mut(side);
            *away = (!here).then(|| away.unwrap_or(now));
        }
    }

    pub(super) async fn join(
        &mut self,
        request: Request,
        (socket, node): (u64, i64),
        (person, muted): (Person, Vec<String>),
        seat: Option<String>,
    ) {
        let seat = seat.as_deref();
        let found = self.services.keys.seat_of(&self.table, seat, &person.guest);
        let Some(who) = found.or(seat.is_none().then_some(Who::Watcher)) else {
            let message = "this link opens no seat in this game: it is incomplete, or somebody has already used it";
            let refused = refusal("join", Reason::Seat.code(), message);
            return answer(request, Some(&refused));
        };
        if let Err(barred) = self.may_act(who, None) {
            let refused = refusal("join", barred.reason.code(), barred.message);
            return answer(request, Some(&refused));
        }
        if self.table.lacks_account(who, &person) {
            let message = "this is a rated game: sign in, then open the link again";
            let refused = refusal("join", Reason::SignIn.code(), message);
            return answer(request, Some(&refused));
        }
        let attendant = Attendant {
            who,
            node,
            person: person.clone(),
            muted,
        };
        self.sockets.insert(socket, Box::new(attendant));
        self.note_deserted();
        self.note_away();
        let events = self.table.joined(who, person, secret(16));
        if !events.is_empty() {
            let now = self.now();
            self.carry_out(events, now).await;
            if self.broken {
                return;
            }
        }
        let joined = Joined {
            who,
            life: self.life,
            told: self.told,
            ply: self.table.ply() as u32,
        };
        let head = Answered {
            joined: Some(joined),
            unknown: false,
        };
        let mutes = self.mutes(who);
        self.answer_snapshot(request, who, mutes, move |snapshot| {
            write(
                &head,
                &text_of(&ServerMessage::Snapshot(Box::new(snapshot))),
            )
        });
        self.tell_watchers_chat(socket);
        self.presence_changed();
        if let Who::Player(_) = who {
            self.player_is_back().await;
        }
    }

    pub(super) fn look(&self, request: Request, guest: &str, muted: &[String]) {
        let who = self.table.seat_of_guest(guest).unwrap_or(Who::Watcher);
        let mutes = show::mutes(&self.table, who, muted);
        self.answer_snapshot(request, who, mutes, |snapshot| {
            // A snapshot always is JSON.
            serde_json::to_vec(&snapshot).unwrap_or_default().into()
        });
    }

    pub(super) fn card(&self, request: Request, guest: Option<&str>) {
        let card = StoredCard::of(&self.table);
        let card = show::card(self.table.games(), &card, &self.id, guest, &self.presence());
        request.answer(serde_json::to_vec(&card).unwrap_or_default().into());
    }

    pub(super) async fn act(
        &mut self,
        request: Request,
        socket: u64,
        deed: Deed,
        Travel {
            waited,
            lag,
            thought,
        }: Travel,
    ) {
        let Some(who) = self.sockets.get(&socket).map(|attendant| attendant.who) else {
            // Its node had gone, as far as could be seen.
            let message = "the game does not know you any more; come again";
            let refused = refusal(deed.name(), Reason::NoGame.code(), message);
            let head = Answered {
                joined: None,
                unknown: true,
            };
            return request.answer(write(&head, &text_of(&refused)));
        };
        if let Err(barred) = self.may_act(who, Some(&deed)) {
            let refused = refusal(deed.name(), barred.reason.code(), barred.message);
            return answer(request, Some(&refused));
        }
        if let Deed::WatchersChat { text } = &deed {
            let said = self.say_to_watchers(socket, text);
            let refused = said.err().map(|saying| {
                let (code, message) = saying.told();
                counter!("husun_refused_total", "code" => code).increment(1);
                refusal(deed.name(), code, message)
            });
            return answer(request, refused.as_ref());
        }
        let came = request.received.checked_sub(waited);
        let came = self
            .services
            .clock
            .time_of(came.unwrap_or(request.received));
        let received = self.time_at(came).max(self.table.at());
        let at = self.charged_until(received, thought);
        let rematch = match (&deed, who) {
            (Deed::Rematch, Who::Player(side)) => self.table.wants_rematch(side),
            _ => false,
        };
        let lag = whole(lag.min(LAG));
        match self.decide(who, &deed, at, lag) {
            Err(refused) => {
                counter!("husun_refused_total", "code" => refused.code()).increment(1);
                let refused = refusal(deed.name(), refused.code(), refused.to_string());
                answer(request, Some(&refused));
            }
            // Carried out before: the sender may have missed the news.
            Ok(events) if events.is_empty() => {
                let now = Box::new(self.now_message());
                let played = Vec::new();
                answer(request, Some(&ServerMessage::Update { played, now }));
            }
            Ok(events) => {
                // What is not charged does not go by in the game.
                self.since += received - at;
                self.carry_out(events, at).await;
                let took = request.received.elapsed();
                histogram!("husun_action_seconds").record(took.as_secs_f64());
                if self.broken {
                    return;
                }
                let told = match (&deed, who) {
                    (Deed::Appoint { .. }, Who::Player(side)) => self.counsellor_changed(side),
                    _ => None,
                };
                answer(request, told.as_ref());
                if rematch {
                    self.make_rematch().await;
                }
            }
        }
    }

    /// Whether whoever has the seat may act from it: a ban holds whatever opens the seat.
    fn may_act(&self, who: Who, deed: Option<&Deed>) -> Result<(), Refused> {
        let Who::Player(side) = who else {
            return Ok(());
        };
        let Some(person) = self.table.person(side) else {
            return Ok(());
        };
        self.services.bans.may_play(&person.guest)?;
        match deed.is_some_and(Deed::speaks) {
            true => self.services.bans.may_chat(&person.guest),
            false => Ok(()),
        }
    }

    /// One who was Counsellor before watches from now on; the one who appoints is told the invitation.
    fn counsellor_changed(&mut self, side: Side) -> Option<ServerMessage> {
        let former = self.sockets.iter();
        let former = former.filter(|(_, attendant)| attendant.who == Who::Counsellor(side));
        let former: Vec<u64> = former.map(|(number, _)| *number).collect();
        for number in former {
            if let Some(attendant) = self.sockets.get_mut(&number) {
                attendant.who = Who::Watcher;
            }
            let snapshot = Box::new(self.snapshot(Who::Watcher));
            let to = Audience::Socket(number, Who::Watcher);
            self.tell(to, &ServerMessage::Snapshot(snapshot));
        }
        let opener = self.table.counsel_invitation(side)?;
        let seat = self.services.keys.word(opener);
        Some(ServerMessage::CounselLink { seat })
    }

    async fn make_rematch(&mut self) {
        let spec = self.directory.rematch_of(&self.table);
        let now = self.now();
        match self.directory.create(spec).await {
            Ok(Made { id, .. }) => {
                self.enact(vec![Event::Rematched { game: id }], now).await;
            }
            Err(Refused { reason, message }) => {
                tracing::warn!(game = %self.id, %message, "no rematch was made");
                let message = format!("no rematch could be made: {message}");
                let refused = refusal("rematch", reason.code(), message);
                self.tell(Audience::Players, &refused);
                self.enact(vec![Event::RematchFailed], now).await;
            }
        }
    }
}
