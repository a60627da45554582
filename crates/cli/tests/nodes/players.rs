//! Players at all nodes: each plays at random, comes again at another node when its own does not answer, and notes what it was
//! told and when.

use super::Random;
use super::house::Fault;
use crate::common::{Fallible, Request, Socket, ask};
use server::wire::{ClientMessage, GameMade, Now, ServerMessage, Stage};
use std::collections::BTreeMap;
use std::fmt;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::task::JoinHandle;

const CLOCK: &str = "fischer:60m+1s";
const VARIANT: &str = "citadel9";
/// A server that says nothing for so long is asked whether it is there, and left if it is not for as long again.
const SILENT: Duration = Duration::from_millis(1000);
/// Longest that one may be out after what has happened is over.
pub fn back() -> Duration {
    Duration::from_secs(match strict() {
        true => 5,
        false => 20,
    })
}

/// Whether nothing else keeps the machine busy.
pub fn strict() -> bool {
    std::env::var("HUSUN_NODES_STRICT").is_ok()
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A move that its player was told to be played.
#[derive(Clone, Debug)]
pub struct Acknowledged {
    pub text: String,
    /// When its player had heard that it was his turn, sent the move, and heard that it was played.
    pub heard: Instant,
    pub sent: Instant,
    pub told: Instant,
}

/// A game as its players know it.
#[derive(Debug)]
pub struct Played {
    pub id: String,
    pub moves: BTreeMap<u32, Acknowledged>,
    /// When players of it were out.
    pub outages: Vec<(Instant, Instant)>,
    /// How often that was for longer than it may be.
    pub late: usize,
    /// Whether all of its players have sat down to it: the test may end before they do.
    pub sat: bool,
    /// All faults, with when each began and ended.
    pub faults: Arc<[(Fault, Instant, Instant)]>,
}

impl Played {
    /// The fault before a time, for whoever has to find out what happened from then to another.
    pub fn beside(&self, from: Instant, to: Instant) -> Beside<'_> {
        let last = self.faults.iter().rfind(|(_, began, _)| *began < to);
        Beside(from, to, last)
    }
}

/// What a player notes for the test.
#[derive(Debug, Default)]
struct State {
    /// Whether he has yet to sit down.
    awaited: bool,
    out: Option<Instant>,
    outages: Vec<(Instant, Instant)>,
    /// What must not be.
    wrong: Option<String>,
    /// What he does now, and since when, for whoever has to find out why he is not back.
    does: Option<(String, Instant)>,
    /// What he has done since he is out, with the milliseconds after that.
    meanwhile: Vec<String>,
    /// The same of outages that were too long, by when they began.
    accounts: BTreeMap<Instant, Vec<String>>,
}

#[derive(Debug, Default)]
struct Table {
    moves: Mutex<BTreeMap<u32, Acknowledged>>,
    players: [Mutex<State>; 2],
}

/// All games that were begun, also those that are over.
type Games = Arc<Mutex<Vec<(String, Arc<Table>)>>>;

/// Games under way.
pub struct Club {
    end: Arc<AtomicBool>,
    games: Games,
    players: Vec<JoinHandle<Fallible<()>>>,
    faults: Mutex<Vec<(Fault, Instant, Instant)>>,
}

/// Level of engines: it thinks about some of its moves in earnest.
const LEVEL: u8 = 5;

/// Where one game is played after the other.
struct Place {
    n: usize,
    /// Whether the opponent is the engine.
    engine: bool,
    addresses: Vec<SocketAddr>,
    /// By which the players are known, as browsers are: what a seat's word opened stays theirs if they do not hear of it.
    cookies: [String; 2],
    seed: u64,
    end: Arc<AtomicBool>,
    games: Games,
}

/// A new visitor's cookie.
async fn cookie(address: SocketAddr) -> Fallible<String> {
    let me = ask(address, Request::get("/api/me")).await?;
    Ok(me.cookie().ok_or("no cookie")?.to_owned())
}

impl Place {
    /// Makes a game at a node.
    async fn make(&self, at: usize) -> Fallible<GameMade> {
        let address = self.addresses[at % self.addresses.len()];
        let level = match self.engine {
            true => format!(r#","level":{LEVEL}"#),
            false => String::new(),
        };
        let wishes =
            format!(r#"{{"variant":"{VARIANT}","side":"white","clock":"{CLOCK}"{level}}}"#);
        let headers = [("cookie", self.cookies[0].as_str())];
        let made = ask(address, Request::post("/api/games", &wishes).with(&headers));
        tokio::time::timeout(SILENT * 3, made).await??.json()
    }

    /// Has games played, the next when one is over, until the end of the test.
    async fn keep(self, mut made: GameMade) -> Fallible<()> {
        let mut random = Random(self.seed ^ ((self.n as u64) << 32));
        loop {
            let table = Arc::new(Table::default());
            let seats = [Some(made.seat), made.friend_seat];
            for (state, seat) in table.players.iter().zip(&seats) {
                lock(state).awaited = seat.is_some();
            }
            lock(&self.games).push((made.id.clone(), table.clone()));
            let mut players = Vec::new();
            for (side, word) in seats.into_iter().enumerate() {
                let Some(word) = word else { continue };
                let player = Player {
                    game: made.id.clone(),
                    table: table.clone(),
                    side,
                    word,
                    cookie: self.cookies[side].clone(),
                    // The two of a game are seldom at one node.
                    at: self.n + side,
                    addresses: self.addresses.clone(),
                    end: self.end.clone(),
                    random: Random(random.below(usize::MAX) as u64),
                    pending: None,
                    heard: Instant::now(),
                };
                players.push(tokio::spawn(player.play()));
            }
            for player in players {
                player.await?;
            }
            let mut at = self.n;
            made = loop {
                if self.end.load(Relaxed) {
                    return Ok(());
                }
                match self.make(at).await {
                    Ok(made) => break made,
                    // The node has a fault: another makes it.
                    Err(_) => at += 1,
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            };
        }
    }
}

impl Club {
    /// Has games made at all nodes, and players sit down to them.
    pub async fn open(addresses: Vec<SocketAddr>, games: usize, seed: u64) -> Fallible<Club> {
        Club::open_with_engines(addresses, games, 0, seed).await
    }

    /// The same, where some of the opponents are engines.
    pub async fn open_with_engines(
        addresses: Vec<SocketAddr>,
        games: usize,
        engines: usize,
        seed: u64,
    ) -> Fallible<Club> {
        let mut club = Club {
            end: Arc::default(),
            games: Games::default(),
            players: Vec::new(),
            faults: Mutex::default(),
        };
        for n in 0..games {
            let place = Place {
                n,
                engine: n + engines >= games,
                addresses: addresses.clone(),
                cookies: [cookie(addresses[0]).await?, cookie(addresses[0]).await?],
                seed,
                end: club.end.clone(),
                games: club.games.clone(),
            };
            let made = place.make(n).await?;
            club.players.push(tokio::spawn(place.keep(made)));
        }
        Ok(club)
    }

    pub fn note_fault(&self, fault: Fault, began: Instant, ended: Instant) {
        lock(&self.faults).push((fault, began, ended));
    }

    fn tables(&self) -> Vec<(String, Arc<Table>)> {
        lock(&self.games).clone()
    }

    /// The games of those who are out.
    pub fn out(&self) -> Vec<String> {
        let tables = self.tables().into_iter();
        let out = tables.filter(|(_, table)| table.players.iter().any(|s| lock(s).out.is_some()));
        out.map(|(id, _)| id).collect()
    }

    /// Waits until all players are in their games.
    pub async fn all_are_back(&self, patience: Duration) -> Fallible<()> {
        let start = Instant::now();
        loop {
            let mut out = Vec::new();
            for (id, table) in self.tables() {
                for state in &table.players {
                    let state = lock(state);
                    if let Some(wrong) = &state.wrong {
                        return Err(format!("game {id}: {wrong}").into());
                    }
                    if let Some(since) = state.out {
                        let does = state.does.as_ref();
                        let does =
                            does.map(|(what, from)| format!("{what} for {:?}", from.elapsed()));
                        let does = does.unwrap_or_default();
                        out.push(format!("{id}, out for {:?}: {does}", since.elapsed()));
                    }
                }
            }
            if out.is_empty() {
                return Ok(());
            }
            if start.elapsed() > patience {
                return Err(format!("players of these games are not back: {out:#?}").into());
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Waits until as many half-moves have been played in each game.
    pub async fn all_have_played(&self, least: usize, patience: Duration) -> Fallible<()> {
        let start = Instant::now();
        loop {
            let tables = self.tables();
            let (id, fewest) = tables
                .iter()
                .map(|(id, table)| (id, lock(&table.moves).len()))
                .min_by_key(|(_, played)| *played)
                .ok_or("no games")?;
            if fewest >= least {
                return Ok(());
            }
            if start.elapsed() > patience {
                return Err(format!("game {id}: {fewest} half-moves, {least} expected").into());
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// Ends play; what was played.
    pub async fn close(mut self) -> Fallible<Vec<Played>> {
        self.all_are_back(Duration::from_secs(60)).await?;
        self.end.store(true, Relaxed);
        for place in std::mem::take(&mut self.players) {
            place.await??;
        }
        let faults: Arc<[_]> = lock(&self.faults).clone().into();
        let mut longest = BTreeMap::new();
        let mut played = Vec::new();
        for (id, table) in &self.tables() {
            let (mut outages, mut late, mut sat) = (Vec::new(), 0, true);
            for state in &table.players {
                let state = lock(state);
                sat &= !state.awaited;
                if let Some(wrong) = &state.wrong {
                    return Err(format!("game {id}: {wrong}").into());
                }
                for (from, to) in &state.outages {
                    // Where everything stood still, one comes back afterwards.
                    let everywhere = faults.iter().filter(|(fault, began, ended)| {
                        fault.is_everywhere() && began < to && ended > from
                    });
                    let since = everywhere.map(|(.., ended)| *ended).max();
                    let since = since.map_or(*from, |ended| ended.max(*from));
                    let took = to.saturating_duration_since(since);
                    let of = faults.iter().rfind(|(_, began, _)| began < to);
                    if took > back() {
                        late += 1;
                        println!(
                            "game {id}: its player was out for {took:?}{}",
                            Beside(*from, *to, of)
                        );
                        println!("{:?}", state.accounts.get(from));
                    }
                    let of = of.map_or("none".into(), |(fault, ..)| format!("{fault:?}"));
                    let most = longest.entry(of).or_insert(took);
                    *most = took.max(*most);
                    outages.push((*from, *to));
                }
            }
            // While NATS is stalled what is told comes late, and one who waits for his turn does not know of it.
            outages.extend(faults.iter().map(|(_, began, ended)| (*began, *ended)));
            played.push(Played {
                id: id.clone(),
                moves: lock(&table.moves).clone(),
                outages,
                late,
                sat,
                faults: faults.clone(),
            });
        }
        for (of, took) in longest {
            println!("longest until a player was back: {took:?}, {of}");
        }
        Ok(played)
    }
}

/// A span of time beside a fault.
pub struct Beside<'a>(Instant, Instant, Option<&'a (Fault, Instant, Instant)>);

impl fmt::Display for Beside<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Beside(from, to, Some((fault, began, ended))) = self else {
            return Ok(());
        };
        let after = |time: &Instant| time.saturating_duration_since(*began).as_millis();
        let (from, to, lasted) = (after(from), after(to), after(ended));
        write!(
            f,
            ", from {from} to {to} ms after the beginning of {fault:?}, which lasted {lasted} ms"
        )
    }
}

struct Player {
    game: String,
    table: Arc<Table>,
    side: usize,
    word: String,
    cookie: String,
    at: usize,
    addresses: Vec<SocketAddr>,
    end: Arc<AtomicBool>,
    random: Random,
    /// A move that was sent and may have been played, with when it was sent first.
    pending: Option<(u32, String, Instant)>,
    /// When something came last.
    heard: Instant,
}

/// Why a player goes to another node.
struct Lost;

impl Player {
    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.table.players[self.side])
    }

    fn out(&self, since: Instant) {
        self.state().out.get_or_insert(since);
    }

    fn does(&self, what: String) {
        let mut state = self.state();
        if let Some(since) = state.out {
            let line = format!("{} {what}", since.elapsed().as_millis());
            state.meanwhile.push(line);
        }
        state.does = Some((what, Instant::now()));
    }

    fn is_back(&self) {
        let mut state = self.state();
        if let Some(since) = state.out.take() {
            state.outages.push((since, Instant::now()));
            let meanwhile = std::mem::take(&mut state.meanwhile);
            if since.elapsed() > back() {
                state.accounts.insert(since, meanwhile);
            }
        }
    }

    fn wrong(&self, what: String) {
        self.state().wrong.get_or_insert(what);
        self.end.store(true, Relaxed);
    }

    async fn play(mut self) {
        // Until he sits for the first time: nobody is to be judged before.
        self.out(Instant::now());
        while !self.end.load(Relaxed) {
            if self.sit().await.is_ok() {
                // Also from an end that was told together with trouble.
                break;
            }
            self.does("is lost".into());
            self.out(Instant::now());
            self.at += 1;
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        self.is_back();
    }

    /// Plays at one node, to the end of the test or of the game.
    async fn sit(&mut self) -> Result<(), Lost> {
        let node = self.at % self.addresses.len();
        let address = self.addresses[node];
        self.does(format!("comes to node {node}"));
        let came = async {
            let mut socket = Socket::open(address, &[("cookie", &self.cookie)]).await?;
            let snapshot = socket.join(&self.game, Some(&self.word)).await?;
            Fallible::Ok((socket, snapshot))
        };
        let came = tokio::time::timeout(SILENT * 3, came).await;
        let Ok(Ok((mut socket, snapshot))) = came else {
            return Err(Lost);
        };
        self.heard = Instant::now();
        self.state().awaited = false;
        self.is_back();
        if let Some(word) = snapshot.seat {
            self.word = word;
        }
        let own = snapshot.own;
        let mut now = snapshot.now;
        while !self.end.load(Relaxed) {
            if now.stage == Stage::Over {
                return Ok(());
            }
            now = match now.turn.is_some() && now.turn == own && !now.legal.is_empty() {
                true => self.make_move(&mut socket, now).await?,
                false => self.wait(&mut socket, now).await?,
            };
        }
        Ok(())
    }

    /// The next message; one who hears nothing asks whether anybody is there.
    async fn hear(&mut self, socket: &mut Socket) -> Result<Option<ServerMessage>, Lost> {
        for asks in [true, false] {
            match tokio::time::timeout(SILENT, socket.hear()).await {
                Ok(Ok(message)) => {
                    self.heard = Instant::now();
                    match &message {
                        ServerMessage::Trouble { trouble: Some(_) } => self.out(self.heard),
                        ServerMessage::Update { now, .. } => self.told(now),
                        ServerMessage::Snapshot(snapshot) => self.told(&snapshot.now),
                        ServerMessage::Pong { .. } => return Ok(None),
                        _ => {}
                    }
                    return Ok(Some(message));
                }
                Ok(Err(_)) => return Err(Lost),
                Err(_) if asks => {
                    let ping = ClientMessage::Ping { n: 1 };
                    if socket.say(&ping).await.is_err() {
                        return Err(Lost);
                    }
                }
                Err(_) => {
                    self.out(self.heard);
                    return Err(Lost);
                }
            }
        }
        Err(Lost)
    }

    fn told(&self, now: &Now) {
        match now.trouble {
            Some(_) => self.out(self.heard),
            None => self.is_back(),
        }
    }

    async fn wait(&mut self, socket: &mut Socket, now: Now) -> Result<Now, Lost> {
        let (node, ply) = (self.at % self.addresses.len(), now.ply);
        self.does(format!("waits at node {node}, {ply} half-moves played"));
        Ok(match self.hear(socket).await? {
            Some(ServerMessage::Update { now, .. }) => *now,
            Some(ServerMessage::Snapshot(snapshot)) => snapshot.now,
            _ => now,
        })
    }

    async fn make_move(&mut self, socket: &mut Socket, now: Now) -> Result<Now, Lost> {
        let heard = self.heard;
        let think = Duration::from_millis(100 + self.random.below(400) as u64);
        tokio::time::sleep(think).await;
        // One that was sent before it was lost is sent again: it may have been played, or may still be.
        let (text, first) = match self.pending.take() {
            Some((ply, text, first)) if ply == now.ply => (text, first),
            _ => {
                let text = now.legal[self.random.below(now.legal.len())].clone();
                (text, Instant::now())
            }
        };
        self.pending = Some((now.ply, text.clone(), first));
        let (node, ply) = (self.at % self.addresses.len(), now.ply);
        self.does(format!(
            "plays {text} at node {node}, {ply} half-moves played"
        ));
        let sent = Instant::now();
        if socket.play(now.ply, &text).await.is_err() {
            return Err(Lost);
        }
        loop {
            let message = match self.hear(socket).await {
                Ok(message) => message,
                Err(Lost) => {
                    self.out(sent);
                    return Err(Lost);
                }
            };
            if sent.elapsed() > SILENT {
                self.out(sent);
            }
            let (played, next) = match message {
                Some(ServerMessage::Update { played, now: next }) if next.ply > now.ply => {
                    (played.first().map(|played| played.uci.clone()), *next)
                }
                Some(ServerMessage::Snapshot(snapshot)) if snapshot.now.ply > now.ply => {
                    let played = snapshot.moves.get(now.ply as usize);
                    (played.map(|played| played.uci.clone()), snapshot.now)
                }
                Some(ServerMessage::Refused { code, message, .. }) => {
                    // The game as it is then says what has become of it.
                    if code != "busy" && code != "storage" {
                        println!("game {}: refused: {code}: {message}", self.game);
                    }
                    return Err(Lost);
                }
                _ => continue,
            };
            self.is_back();
            if played.as_deref() != Some(&text) {
                self.wrong(format!(
                    "{text} was sent at {}, {played:?} was played",
                    now.ply
                ));
            }
            let acknowledged = Acknowledged {
                text,
                heard,
                sent: first,
                told: Instant::now(),
            };
            lock(&self.table.moves).insert(now.ply, acknowledged);
            return Ok(next);
        }
    }
}
