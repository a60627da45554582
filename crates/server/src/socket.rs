//! One browser's socket: reads messages, keeps to the limits, passes them to the game, and sends what comes
//! back in order. A socket is in at most one game.

mod analysis;

use crate::directory::Payer;
use crate::guest::Guest;
use crate::http::address::Address;
use crate::limits::{Rate, Ticket};
use crate::names::name_of;
use crate::services::secret;
use crate::state::App;
use crate::table::{Action, Person};
use crate::task::{Arrival, Command, Ending, Handle, LAG, Outbox, Visitor};
use crate::wire::{ClientMessage, Refusal, ServerMessage};
use axum::extract::State;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use futures_util::stream::SplitSink;
use futures_util::{SinkExt, StreamExt};
use metrics::{counter, gauge};
use serde::Deserialize;
use std::net::IpAddr;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};
use tokio::time::MissedTickBehavior;

/// Bytes of a message at most.
pub const MAX_MESSAGE: usize = 64 << 10;
/// Messages waiting to be sent at most.
const OUTBOX: usize = 64;
/// Bytes of them at most, unless it is one message alone.
const OUTBOX_BYTES: usize = 256 << 10;
/// Longest wait until a browser takes a message; then its socket is closed.
const SENDING: Duration = Duration::from_secs(10);
/// Bytes read at once: a message is short.
const READ_BUFFER: usize = 2 << 10;
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
        .max_frame_size(MAX_MESSAGE)
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(0);
    let answer = upgrade.on_upgrade(move |socket| serve(socket, app, person, address, ticket));
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
        ClientMessage::Move { ply, seq, text } => ("move", Action::Move { ply, seq, text }),
        ClientMessage::Accept { ply, seq } => ("accept", Action::Accept { ply, seq }),
        ClientMessage::Resign => ("resign", Action::Resign),
        ClientMessage::Draw { ply, seq } => ("draw", Action::Draw { ply, seq }),
        ClientMessage::DeclineDraw { ply } => ("decline_draw", Action::DeclineDraw { ply }),
        ClientMessage::Takeback { ply, seq } => ("takeback", Action::Takeback { ply, seq }),
        ClientMessage::DeclineTakeback { ply } => {
            ("decline_takeback", Action::DeclineTakeback { ply })
        }
        ClientMessage::Abort => ("abort", Action::Abort),
        ClientMessage::Rematch => ("rematch", Action::Rematch),
        ClientMessage::Chat { text } => ("chat", Action::Chat { text }),
        ClientMessage::Choose { name, value } => ("choose", Action::Choose { name, value }),
        ClientMessage::Appoint { engine } => {
            let number = (!engine).then(|| secret(16));
            ("appoint", Action::Appoint { number })
        }
        ClientMessage::AskCounsel { ply } => ("ask_counsel", Action::AskCounsel { ply }),
        ClientMessage::Advise { text } => ("advise", Action::Advise { text }),
    })
}

struct Session {
    app: App,
    person: Person,
    address: IpAddr,
    number: u64,
    outbox: Outbox,
    game: Option<(String, Handle)>,
    rate: Option<Rate>,
    over: u32,
    /// Time that messages are on their way, half of there and back.
    lag: Duration,
    analysis: analysis::Analysis,
}

/// Why a socket ends.
enum End {
    /// The browser ends it: what it still sends is read until it is gone.
    Theirs,
    /// It is gone.
    Gone,
    /// The server ends it, with a code and a reason.
    Ours(u16, &'static str),
}

type Sink = SplitSink<WebSocket, Message>;

/// Sends, within a deadline: a browser that takes nothing is not waited for.
async fn send(sink: &mut Sink, message: Message) -> bool {
    let sent = tokio::time::timeout(SENDING, sink.send(message)).await;
    if sent.is_err() {
        counter!("husun_slow_sockets_total").increment(1);
    }
    matches!(sent, Ok(Ok(())))
}

async fn serve(socket: WebSocket, app: App, person: Person, address: IpAddr, ticket: Ticket) {
    gauge!("husun_sockets").increment(1.0);
    let (outbox, mut outgoing) = Outbox::new(OUTBOX, OUTBOX_BYTES);
    let number = app.sockets.fetch_add(1, Relaxed);
    let mut session = Session {
        rate: app.guard.messages(),
        analysis: analysis::Analysis::new(number, address),
        person,
        address,
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
    let end = loop {
        tokio::select! {
            text = outgoing.next() => match text {
                Ok(text) => {
                    if !send(&mut sink, Message::Text(text)).await {
                        break End::Gone;
                    }
                }
                Err(Ending::TooSlow) => break End::Ours(1013, "too slow; come again"),
                Err(Ending::GameGone) => break End::Ours(1012, "come again"),
            },
            message = stream.next() => {
                let Some(Ok(message)) = message else { break End::Gone };
                heard = Instant::now();
                // Whatever comes counts, so that nothing can be asked for free.
                if !session.is_within_rate(&message) {
                    break End::Ours(1008, "too many messages");
                }
                match message {
                    Message::Text(text) => session.hear(&text, heard).await,
                    Message::Binary(_) => session.refuse("?", "malformed", "messages are text"),
                    Message::Pong(_) => {
                        if let Some(sent) = pinged.take() {
                            session.lag = (sent.elapsed() / 2).min(LAG);
                        }
                    }
                    Message::Ping(_) => {}
                    Message::Close(_) => break End::Theirs,
                }
            }
            _ = pings.tick() => {
                if heard.elapsed() > SILENT {
                    break End::Ours(1001, "nothing was heard for too long");
                }
                pinged = Some(Instant::now());
                if !send(&mut sink, Message::Ping("".into())).await {
                    break End::Gone;
                }
            }
        }
    };
    session.analysis.stop();
    session.leave().await;
    // What still comes is read and dropped for a while: a connection shut with something unread is reset, and
    // what was sent last, the reason, would be lost on its way.
    let part = async {
        match end {
            End::Gone => return,
            End::Theirs => {}
            End::Ours(code, reason) => {
                while let Some(text) = outgoing.try_next() {
                    if sink.send(Message::Text(text)).await.is_err() {
                        return;
                    }
                }
                let reason = Utf8Bytes::from_static(reason);
                let frame = CloseFrame { code, reason };
                if sink.send(Message::Close(Some(frame))).await.is_err() {
                    return;
                }
            }
        }
        while let Some(Ok(_)) = stream.next().await {}
    };
    let _ = tokio::time::timeout(PARTING, part).await;
    drop(ticket);
    gauge!("husun_sockets").decrement(1.0);
}

/// The type of a message, where no more of it is of use.
#[derive(Deserialize)]
struct Typed {
    r#type: String,
}

/// The name of a message that is refused unread.
fn type_of(message: &Message) -> String {
    const LONGEST: usize = 2000;
    let text = match message {
        Message::Text(text) if text.len() <= LONGEST => text.as_str(),
        _ => "",
    };
    let typed = serde_json::from_str::<Typed>(text).map(|typed| typed.r#type);
    typed.unwrap_or_else(|_| "?".into())
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

    /// Counts a message. False if there are so many that the socket is closed.
    fn is_within_rate(&mut self, message: &Message) -> bool {
        if self.rate.as_ref().is_some_and(|r| r.check().is_err()) {
            self.over += 1;
            self.refuse(
                &type_of(message),
                "rate",
                "too many messages; wait a little",
            );
        }
        self.over < PATIENCE
    }

    /// Takes a message.
    async fn hear(&mut self, text: &str, came: Instant) {
        match decode(text) {
            Ok(message) => self.take(message, came).await,
            Err(refusal) => self.refuse_with("?", &refusal),
        }
    }

    async fn take(&mut self, message: ClientMessage, came: Instant) {
        match message {
            ClientMessage::Join { game, seat, name } => self.join(game, seat, name).await,
            ClientMessage::Ping { n } => self.outbox.tell(&ServerMessage::Pong { n }),
            ClientMessage::Analyse(question) => {
                let asked = self.analysis.ask(&self.app, question, &self.outbox);
                if let Err(refusal) = asked.await {
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
        // A rematch is a game made, like any other.
        if action == Action::Rematch && !self.app.guard.game(self.address) {
            let message = "too many games from your address; wait a minute";
            return self.refuse(of, "rate", message);
        }
        let command = Command::Act {
            socket: self.number,
            outbox: self.outbox.clone(),
            of,
            action,
            came: Arrival {
                at: self.app.directory.services().clock.now(),
                instant: came,
                lag: self.lag,
            },
        };
        if handle.commands.try_send(command).is_err() {
            self.refuse(of, "busy", "the game does not take this now; try again");
        }
    }

    async fn join(&mut self, game: String, seat: Option<String>, name: Option<String>) {
        self.leave().await;
        let payer = Payer::Address(&self.app.guard, self.address);
        let handle = match self.app.directory.get(&game, payer).await {
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
            seat,
        };
        // While the handle is held the game stays.
        match handle.commands.send(Command::Join(visitor)).await {
            Ok(()) => self.game = Some((game, handle)),
            Err(_) => self.refuse("join", "busy", "the game does not answer; try again"),
        }
    }

    async fn leave(&mut self) {
        if let Some((_, handle)) = self.game.take() {
            let socket = self.number;
            let _ = handle.commands.send(Command::Leave { socket }).await;
        }
    }
}
