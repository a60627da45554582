//! One browser's socket: reads messages, keeps to the limits, passes them to the game, and sends what comes
//! back in order. A socket is in at most one game.

mod analysis;

use crate::guest::Guest;
use crate::hall::{Hall, name_of};
use crate::http::address::Address;
use crate::limits::{Rate, Ticket};
use crate::live::{Command, Handle, LAG, Outbox, Visitor};
use crate::state::App;
use crate::table::{Action, Person};
use crate::wire::{ClientMessage, Refusal, ServerMessage};
use crate::world::secret;
use axum::extract::State;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use futures_util::{SinkExt, StreamExt};
use metrics::{counter, gauge};
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};
use tokio::time::MissedTickBehavior;

/// Bytes of a message at most.
pub const MAX_MESSAGE: usize = 64 << 10;
/// Messages waiting to be sent at most.
const OUTBOX: usize = 64;
/// How often the way to the browser is measured.
const PING: Duration = Duration::from_secs(5);
/// A socket from which nothing has come for so long is closed.
const SILENT: Duration = Duration::from_secs(30);
/// Time that a socket which the server closes has to take the reason.
const PARTING: Duration = Duration::from_secs(2);
/// Messages beyond the rate that are refused before the socket is closed.
const PATIENCE: u32 = 50;

/// `GET /api/socket`: the socket of a game or of the analysis board. Messages as in `wire`.
pub async fn open(
    State(app): State<App>,
    guest: Guest,
    Address(address): Address,
    upgrade: WebSocketUpgrade,
) -> Response {
    let person = guest.person.clone();
    let Some(ticket) = app.guard.socket(address, &person.guest) else {
        let refused = Refusal {
            code: "limit".into(),
            message: "too many connections from you at once; close some pages".into(),
        };
        return (StatusCode::TOO_MANY_REQUESTS, axum::Json(refused)).into_response();
    };
    let upgrade = upgrade
        .max_message_size(MAX_MESSAGE)
        .max_frame_size(MAX_MESSAGE);
    let answer = upgrade.on_upgrade(move |socket| serve(socket, app, person, ticket));
    (guest, answer).into_response()
}

/// Reads a message.
pub fn decode(text: &str) -> Result<ClientMessage, Refusal> {
    serde_json::from_str(text).map_err(|error| Refusal {
        code: "malformed".into(),
        message: format!("no message of this server: {error}"),
    })
}

/// The action that a message asks of a game, with its name; none for messages that are no actions.
pub fn action_of(message: ClientMessage) -> Option<(&'static str, Action)> {
    Some(match message {
        ClientMessage::Join { .. }
        | ClientMessage::Ping { .. }
        | ClientMessage::Analyse(_)
        | ClientMessage::StopAnalysis => return None,
        ClientMessage::Move { ply, text } => ("move", Action::Move { ply, text }),
        ClientMessage::Accept { ply } => ("accept", Action::Accept { ply }),
        ClientMessage::Resign => ("resign", Action::Resign),
        ClientMessage::Draw { ply } => ("draw", Action::Draw { ply }),
        ClientMessage::DeclineDraw { ply } => ("decline_draw", Action::DeclineDraw { ply }),
        ClientMessage::Takeback { ply } => ("takeback", Action::Takeback { ply }),
        ClientMessage::DeclineTakeback { ply } => {
            ("decline_takeback", Action::DeclineTakeback { ply })
        }
        ClientMessage::Abort => ("abort", Action::Abort),
        ClientMessage::Rematch => ("rematch", Action::Rematch),
        ClientMessage::Chat { text } => ("chat", Action::Chat { text }),
        ClientMessage::Choose { name, value } => ("choose", Action::Choose { name, value }),
        ClientMessage::Appoint { engine } => {
            let secret = (!engine).then(|| secret(16));
            ("appoint", Action::Appoint { secret })
        }
        ClientMessage::AskCounsel { ply } => ("ask_counsel", Action::AskCounsel { ply }),
        ClientMessage::Advise { text } => ("advise", Action::Advise { text }),
    })
}

struct Session {
    app: App,
    person: Person,
    number: u64,
    outbox: Outbox,
    game: Option<(String, Handle)>,
    rate: Option<Rate>,
    over: u32,
    /// Time that messages are on their way, half of there and back.
    lag: Duration,
    analysis: analysis::Analysis,
}

async fn serve(socket: WebSocket, app: App, person: Person, ticket: Ticket) {
    gauge!("husun_sockets").increment(1.0);
    let (outbox, mut outgoing) = Outbox::new(OUTBOX);
    let number = app.sockets.fetch_add(1, Relaxed);
    let mut session = Session {
        rate: app.guard.messages(),
        analysis: analysis::Analysis::new(number),
        person,
        number,
        outbox,
        game: None,
        over: 0,
        lag: Duration::ZERO,
        app,
    };
    let (mut sink, mut stream) = socket.split();
    let mut heard = Instant::now();
    let mut pinged: Option<Instant> = None;
    let mut pings = tokio::time::interval(PING);
    pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let reason = loop {
        tokio::select! {
            text = outgoing.recv() => {
                let Some(text) = text else { break None };
                if sink.send(Message::Text(text)).await.is_err() {
                    break None;
                }
            }
            message = stream.next() => {
                let Some(Ok(message)) = message else { break None };
                heard = Instant::now();
                match message {
                    Message::Text(text) => {
                        if !session.hear(&text, heard).await {
                            break Some((1008, "too many messages"));
                        }
                    }
                    Message::Binary(_) => session.refuse("?", "malformed", "messages are text"),
                    Message::Pong(_) => {
                        if let Some(sent) = pinged.take() {
                            session.lag = (sent.elapsed() / 2).min(LAG);
                        }
                    }
                    Message::Ping(_) => {}
                    Message::Close(_) => break None,
                }
            }
            _ = pings.tick() => {
                if heard.elapsed() > SILENT {
                    break Some((1001, "nothing was heard for too long"));
                }
                pinged = Some(Instant::now());
                if sink.send(Message::Ping("".into())).await.is_err() {
                    break None;
                }
            }
        }
        if session.outbox.has_lost() {
            break Some((1013, "too slow; come again"));
        }
    };
    session.analysis.stop();
    session.leave().await;
    if let Some((code, reason)) = reason {
        let frame = CloseFrame {
            code,
            reason: reason.into(),
        };
        // What still comes is read and dropped for a while: a connection shut with something unread is reset, and
        // what was sent last, the reason, would be lost on its way.
        let part = async {
            while let Ok(text) = outgoing.try_recv() {
                sink.send(Message::Text(text)).await?;
            }
            sink.send(Message::Close(Some(frame))).await?;
            while let Some(Ok(_)) = stream.next().await {}
            Ok::<(), axum::Error>(())
        };
        let _ = tokio::time::timeout(PARTING, part).await;
    }
    drop(ticket);
    gauge!("husun_sockets").decrement(1.0);
}

impl Session {
    fn refuse(&self, of: &str, code: &str, message: &str) {
        counter!("husun_refused_total", "code" => code.to_owned()).increment(1);
        self.outbox.tell(&ServerMessage::Refused {
            of: of.into(),
            code: code.into(),
            message: message.into(),
        });
    }

    fn refuse_with(&self, of: &str, refusal: &Refusal) {
        self.refuse(of, &refusal.code, &refusal.message);
    }

    /// Takes a message. False if there are too many of them.
    async fn hear(&mut self, text: &str, came: Instant) -> bool {
        if self.rate.as_ref().is_some_and(|r| r.check().is_err()) {
            self.over += 1;
            self.refuse("?", "rate", "too many messages; wait a little");
            return self.over < PATIENCE;
        }
        match decode(text) {
            Ok(message) => self.take(message, came).await,
            Err(refusal) => self.refuse_with("?", &refusal),
        }
        true
    }

    async fn take(&mut self, message: ClientMessage, came: Instant) {
        match message {
            ClientMessage::Join { game, seat, name } => self.join(game, seat, name).await,
            ClientMessage::Ping { n } => self.outbox.tell(&ServerMessage::Pong { n }),
            ClientMessage::Analyse(question) => {
                let brains = &self.app.hall.world().brains;
                if let Err(refusal) = self.analysis.ask(brains, &question, &self.outbox) {
                    self.refuse_with("analyse", &refusal);
                }
            }
            ClientMessage::StopAnalysis => self.analysis.stop(),
            message => {
                if let Some((of, action)) = action_of(message) {
                    self.act(of, action, came);
                }
            }
        }
    }

    fn act(&self, of: &'static str, action: Action, came: Instant) {
        let Some((_, handle)) = &self.game else {
            return self.refuse(of, "no_game", "come to a game first, by a join message");
        };
        let command = Command::Act {
            socket: self.number,
            of,
            action,
            came,
            lag: self.lag,
        };
        if handle.commands.try_send(command).is_err() {
            self.refuse(of, "busy", "the game does not take this now; try again");
        }
    }

    async fn join(&mut self, game: String, seat: Option<String>, name: Option<String>) {
        self.leave().await;
        let hall: &Hall = &self.app.hall;
        for _ in 0..3 {
            let handle = match hall.get(&game).await {
                Ok(Some(handle)) => handle,
                Ok(None) => return self.refuse("join", "no_such_game", "there is no such game"),
                Err(refusal) => return self.refuse_with("join", &refusal),
            };
            let mut person = self.person.clone();
            if let Some(name) = name.as_deref().and_then(name_of) {
                person.name = name;
            }
            let visitor = Visitor {
                socket: self.number,
                outbox: self.outbox.clone(),
                person,
                seat: seat.clone(),
            };
            if handle.commands.send(Command::Join(visitor)).await.is_ok() {
                self.game = Some((game, handle));
                return;
            }
        }
        self.refuse("join", "busy", "the game does not answer; try again");
    }

    async fn leave(&mut self) {
        if let Some((_, handle)) = self.game.take() {
            let socket = self.number;
            let _ = handle.commands.send(Command::Leave { socket }).await;
        }
    }
}
