//! One browser's socket: reads messages, keeps to the limits, passes them to the game, and sends what comes
//! back in order. A socket is in at most one game.

mod analysis;
mod boards;
pub(crate) mod game;
mod lobby;
pub(crate) mod outbox;
mod seldom;

use crate::http::Failure;
use crate::http::address::Address;
use crate::limits::{Rate, Ticket};
use crate::lobby::Place;
use crate::moderation::Announced;
use crate::refusal::{Reason, Refused, refused};
use crate::slow::watched;
use crate::state::App;
use crate::task::LAG;
use crate::tournaments;
use crate::visitor::Visitor;
use crate::wire::read::{decode, deed_of};
use crate::wire::{ClientMessage, ServerMessage};
use axum::extract::State;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::response::{IntoResponse, Response};
use boards::Mutes;
use bus::Subscription;
use futures_util::{SinkExt, StreamExt};
use game::{GameGone, GameSide};
use metrics::{counter, gauge};
use outbox::{Item, Outbox, TooSlow};
use play::table::Person;
use seldom::{Endings, Seldom, Standing, Waits};
use serde::Deserialize;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};
use tokio::sync::Notify;
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
const PING: Duration = Duration::from_secs(10);
/// Something that is sent anyway so long after the last time takes the next measuring along, which costs less.
const ALONG: Duration = Duration::from_secs(8);
/// What is sent together goes out at once up to so many bytes.
const WRITE_BUFFER: usize = 4 << 10;
/// A socket from which nothing has come for so long is closed.
const SILENT: Duration = Duration::from_secs(30);
/// Time that a socket which the server closes has to take the reason.
const PARTING: Duration = Duration::from_secs(2);
/// Messages beyond the rate that are refused before the socket is closed.
const PATIENCE: u32 = 50;

/// `GET /api/socket`: the socket of a game or of the analysis board. Messages as in `wire`.
pub async fn open(
    State(app): State<App>,
    visitor: Visitor,
    Address(address): Address,
    upgrade: WebSocketUpgrade,
) -> Response {
    let person = visitor.person.clone();
    let Some(ticket) = app.guard.socket(address, &person.guest) else {
        let message = "too many connections from you at once; close some pages";
        return Failure::of(Reason::Limit, message).into_response();
    };
    let upgrade = upgrade
        .max_message_size(MAX_MESSAGE)
        .max_frame_size(MAX_MESSAGE)
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(WRITE_BUFFER);
    // It listens before it is open, so that no end falls between.
    let endings = Endings {
        told: app.accounts.endings(),
        accounts: app.accounts.clone(),
        session: visitor.opened_by().map(Into::into),
        look_at: None,
    };
    let standing = Standing {
        changes: app.moderation.bans().changes(),
        account: visitor.signed_in.is_some(),
        announced: Announced::default(),
    };
    let mutes = Mutes::of(&app, &person, Arc::default());
    let mutes = match app.directory.services().while_leased(mutes).await {
        Ok(mutes) => mutes,
        Err(refused) => return Failure::from(refused).into_response(),
    };
    let answer = upgrade.on_upgrade(move |socket| {
        let follows = (endings, standing, mutes);
        let served = serve(socket, app, person, address, ticket, follows);
        watched("socket", served)
    });
    (visitor, answer).into_response()
}

struct Session {
    app: App,
    person: Person,
    address: IpAddr,
    outbox: Outbox,
    game: GameSide,
    rate: Option<Rate>,
    over: u32,
    /// Time that messages are on their way, half of there and back.
    lag: Duration,
    analysis: analysis::Analysis,
    /// In the lobby.
    place: Option<Place>,
    /// At a tournament.
    tournament: Option<tournaments::Place>,
    /// Small boards that are watched, by their games.
    boards: HashMap<String, Subscription>,
    /// Something that is told here may have been missed.
    missed: Arc<Notify>,
}

/// A socket as it is counted, however it ends.
struct Counted;

impl Counted {
    fn new() -> Counted {
        gauge!("husun_sockets").increment(1.0);
        Counted
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        gauge!("husun_sockets").decrement(1.0);
    }
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

const COME_AGAIN: End = End::Ours(1012, "come again");
const SILENCE: End = End::Ours(1001, "nothing was heard for too long");

/// Sends, within a deadline: a browser that takes nothing is not waited for.
async fn send(socket: &mut WebSocket, message: Message) -> bool {
    send_within(socket.send(message)).await
}

/// Sends a text with a ping behind it, within the deadline.
async fn send_and_ping(socket: &mut WebSocket, text: Utf8Bytes) -> bool {
    send_within(async {
        socket.feed(Message::Text(text)).await?;
        socket.send(Message::Ping("".into())).await
    })
    .await
}

async fn send_within(sends: impl Future<Output = Result<(), axum::Error>>) -> bool {
    let sent = tokio::time::timeout(SENDING, sends).await;
    if sent.is_err() {
        counter!("husun_slow_sockets_total").increment(1);
    }
    matches!(sent, Ok(Ok(())))
}

/// Sends texts one after another.
async fn send_all(socket: &mut WebSocket, texts: Vec<Utf8Bytes>) -> bool {
    for text in texts {
        if !send(socket, Message::Text(text)).await {
            return false;
        }
    }
    true
}

/// Serves a socket. What it is made of goes into the future as it is: of what a function has as its own there would be two.
fn serve(
    mut socket: WebSocket,
    app: App,
    person: Person,
    address: IpAddr,
    ticket: Ticket,
    (endings, mut standing, mut mutes): (Endings, Standing, Mutes),
) -> impl Future<Output = ()> {
    let counted = Counted::new();
    let (outbox, mut outgoing) = Outbox::new(OUTBOX, OUTBOX_BYTES);
    let number = app.sockets.fetch_add(1, Relaxed);
    let mut session = Session {
        rate: app.guard.messages(),
        analysis: analysis::Analysis::new(number, address),
        person,
        address,
        game: GameSide::new(number, &app.directory, outbox.clone()),
        outbox,
        over: 0,
        place: None,
        tournament: None,
        boards: HashMap::new(),
        missed: mutes.missed(),
        lag: Duration::ZERO,
        app,
    };
    standing.changes.mark_changed();
    session.game.mute(mutes.now());
    let mut waits = Waits::new(Seldom {
        closing: session.app.directory.sockets_end(),
        endings,
        standing,
        mutes,
        members: session.game.members(),
        missed: session.missed.clone(),
        anew: None,
    });
    async move {
        let _counted = counted;
        let mut heard = Instant::now();
        let mut pinged: Option<Instant> = None;
        let mut measured = Instant::now();
        let mut pings = tokio::time::interval(PING);
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let end = loop {
            tokio::select! {
                item = outgoing.next() => {
                    let text = match item {
                        Ok(Item::Text(text)) => Ok(Some(text)),
                        Ok(Item::Told(message, came)) => session.game.told(&message, came),
                        Ok(Item::Missed) => session.game.missed().map(|()| None),
                        Err(TooSlow) => break End::Ours(1013, "too slow; come again"),
                    };
                    match text {
                        Ok(Some(text)) => {
                            let sent = match measured.elapsed() >= ALONG {
                                true if heard.elapsed() > SILENT => break SILENCE,
                                true => {
                                    measured = Instant::now();
                                    pinged = Some(measured);
                                    pings.reset();
                                    send_and_ping(&mut socket, text).await
                                }
                                false => send(&mut socket, Message::Text(text)).await,
                            };
                            if !sent {
                                break End::Gone;
                            }
                        }
                        Ok(None) => {}
                        Err(GameGone) => break COME_AGAIN,
                    }
                }
                reply = session.game.answered() => {
                    let Ok(texts) = session.game.take(reply) else { break COME_AGAIN };
                    if !send_all(&mut socket, texts).await {
                        break End::Gone;
                    }
                }
                message = socket.next() => {
                    let Some(Ok(message)) = message else { break End::Gone };
                    heard = Instant::now();
                    // Whatever comes counts, so that nothing can be asked for free.
                    let taken = session.is_within_rate(&message);
                    if session.over >= PATIENCE {
                        break End::Ours(1008, "too many messages");
                    }
                    match message {
                        Message::Text(_) | Message::Binary(_) if !taken => {}
                        Message::Text(text) => session.hear(&text).await,
                        Message::Binary(_) => session.refuse("?", Reason::Malformed, "messages must be text"),
                        Message::Pong(_) => {
                            if let Some(sent) = pinged.take() {
                                session.lag = (sent.elapsed() / 2).min(LAG);
                            }
                        }
                        Message::Ping(_) => {}
                        Message::Close(_) => break End::Theirs,
                    }
                }
                happened = waits.happens() => {
                    if let Some(end) = Box::pin(waits.take(happened, &mut session)).await {
                        break end;
                    }
                }
                _ = pings.tick() => {
                    if heard.elapsed() > SILENT {
                        break SILENCE;
                    }
                    measured = Instant::now();
                    pinged = Some(measured);
                    if !send(&mut socket, Message::Ping("".into())).await {
                        break End::Gone;
                    }
                }
            }
        };
        session.analysis.stop();
        session.game.end();
        session.place = None;
        session.tournament = None;
        session.boards.clear();
        // What still comes is read and dropped for a while: a connection shut with something unread is reset, and
        // what was sent last, the reason, would be lost on its way.
        let part = async {
            match end {
                End::Gone => return,
                End::Theirs => {}
                End::Ours(code, reason) => {
                    while let Some(item) = outgoing.try_next() {
                        // What the game has told is told again to one who comes anew.
                        if let Item::Text(text) = item
                            && socket.send(Message::Text(text)).await.is_err()
                        {
                            return;
                        }
                    }
                    let reason = Utf8Bytes::from_static(reason);
                    let frame = CloseFrame { code, reason };
                    if socket.send(Message::Close(Some(frame))).await.is_err() {
                        return;
                    }
                }
            }
            while let Some(Ok(_)) = socket.next().await {}
        };
        let _ = tokio::time::timeout(PARTING, part).await;
        drop(ticket);
    }
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
    fn refuse(&self, of: &str, reason: Reason, message: &str) {
        self.refuse_with(of, &refused(reason, message));
    }

    fn refuse_with(&self, of: &str, refused: &Refused) {
        let code = refused.reason.code();
        counter!("husun_refused_total", "code" => code).increment(1);
        self.outbox.tell(&ServerMessage::Refused {
            of: of.into(),
            code: code.into(),
            message: refused.message.clone(),
        });
    }

    /// Counts a message, and refuses it if there are too many.
    fn is_within_rate(&mut self, message: &Message) -> bool {
        let within = self.rate.as_ref().is_none_or(|r| r.check().is_ok());
        if !within {
            self.over += 1;
            let message_type = type_of(message);
            self.refuse(
                &message_type,
                Reason::Rate,
                "too many messages; wait a little",
            );
        }
        within
    }

    /// Takes a message.
    async fn hear(&mut self, text: &str) {
        match decode(text) {
            Ok(message) => self.take(message).await,
            Err(error) => {
                let text = format!("this is not a message that the server knows: {error}");
                self.refuse_with("?", &refused(Reason::Malformed, text));
            }
        }
    }

    async fn take(&mut self, message: ClientMessage) {
        match message {
            // What comes seldom is in boxes: its room is not kept in every socket.
            ClientMessage::Join { game, seat, name } => Box::pin(self.join(game, seat, name)).await,
            ClientMessage::EnterLobby => {
                if let Err(refused) = Box::pin(self.enter_lobby()).await {
                    self.refuse_with("enter_lobby", &refused);
                }
            }
            ClientMessage::LeaveLobby => self.place = None,
            ClientMessage::EnterTournament { id } => {
                if let Err(refused) = Box::pin(self.enter_tournament(&id)).await {
                    self.refuse_with("enter_tournament", &refused);
                }
            }
            ClientMessage::LeaveTournament => self.tournament = None,
            ClientMessage::WatchBoards { games } => {
                if let Err(refused) = Box::pin(self.watch_boards(games)).await {
                    self.refuse_with("watch_boards", &refused);
                }
            }
            ClientMessage::Ping { n } => self.outbox.tell(&ServerMessage::Pong { n }),
            ClientMessage::Analyse(question) => {
                let asked = self.analysis.ask(&self.app, question, &self.outbox);
                if let Err(refused) = Box::pin(asked).await {
                    self.refuse_with("analyse", &refused);
                }
            }
            ClientMessage::StopAnalysis => self.analysis.stop(),
            message => {
                if let Some(deed) = deed_of(message) {
                    self.act(deed);
                }
            }
        }
    }
}
