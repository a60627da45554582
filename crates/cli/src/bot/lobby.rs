//! A bot in the lobby: challenges are accepted or declined, games started and resumed, until the bot is told to end.

use super::Own;
use super::game::{Ended, Table, play};
use super::link::{GOOD, Pauses, Socket, Trouble};
use super::rules::{Kind, Rules};
use super::say;
use anyhow::{Result, bail};
use hyper::Method;
use server::wire::{
    Challenge, Challenges, ClientMessage, Decline, DeclineReason, Family, GameCard, GameMade, Me,
    NewGame, NewSeek, Paired, Profile, SeekMade, ServerMessage, Side, Stage, VariantCard,
};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;

/// How often to look for what was not reported, and to start what could not be started.
const LOOK: Duration = Duration::from_secs(30);
/// How long to wait at the end while offers are withdrawn.
const PARTING: Duration = Duration::from_secs(3);
/// Rating assumed for those who have none, as by the server.
const UNRATED: i32 = 1500;

/// Whether the bot is about to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stance {
    /// It plays.
    Open,
    /// It starts nothing new.
    Closing,
}

/// The bot.
pub struct Lobby {
    table: Arc<Table>,
    /// Name of the account.
    name: String,
    rules: Rules,
    own: Own,
    at_once: usize,
    leave: bool,
    stance: Stance,
    running: JoinSet<(String, Ended)>,
    /// Ids of running games, and whether they are over days.
    ids: HashMap<String, bool>,
    /// Games that were left without a result, and are not resumed.
    left: HashSet<String>,
    /// Games that were started, and those of them that are over.
    begun: u32,
    over: u32,
    /// The bot's own waiting offers.
    seeks: Vec<String>,
    /// The games of each of the server's families, and every other game by itself.
    families: HashMap<String, Vec<String>>,
    known: Vec<String>,
}

impl Lobby {
    /// A bot with nothing to do yet.
    pub fn new(table: Arc<Table>, rules: Rules, own: Own, at_once: usize, leave: bool) -> Lobby {
        Lobby {
            table,
            name: String::new(),
            rules,
            own,
            at_once,
            leave,
            stance: Stance::Open,
            running: JoinSet::new(),
            ids: HashMap::new(),
            left: HashSet::new(),
            begun: 0,
            over: 0,
            seeks: Vec::new(),
            families: HashMap::new(),
            known: Vec::new(),
        }
    }

    /// Plays until told to end.
    pub async fn run(mut self) -> Result<()> {
        let (interrupt, mut interrupts) = unbounded_channel();
        tokio::spawn(interruptions(interrupt));
        let mut pauses = Pauses::default();
        loop {
            let since = Instant::now();
            let trouble = match self.come(&mut interrupts).await {
                Ok(()) => return Ok(()),
                Err(trouble) => trouble,
            };
            if !trouble.is_passing() {
                bail!("{trouble}");
            }
            if since.elapsed() > GOOD {
                pauses.reset();
            }
            let pause = pauses.next();
            say(&format!(
                "{trouble}; trying again in {:.0} s",
                pause.as_secs_f64()
            ));
            let until = tokio::time::Instant::now() + pause;
            loop {
                tokio::select! {
                    () = tokio::time::sleep_until(until) => break,
                    Some(()) = interrupts.recv() => {
                        if self.close() {
                            return Ok(());
                        }
                    }
                    Some(ended) = self.running.join_next() => self.count(ended),
                }
            }
        }
    }

    /// Joins the lobby and stays for as long as the connection holds; returns when the bot is to end.
    async fn come(&mut self, interrupts: &mut UnboundedReceiver<()>) -> Result<(), Trouble> {
        let table = self.table.clone();
        let me: Me = table.link.get("/api/me").await?;
        if !me.bot {
            return Err(Trouble::Refused {
                status: 409,
                code: "not_bot".into(),
                message: format!("{} is not the account of a program", me.name),
            });
        }
        self.name = me.name;
        self.learn_games().await?;
        let mut socket = table.link.socket().await?;
        socket.say(&ClientMessage::EnterLobby).await?;
        loop {
            // What was waiting before is known once the lobby is.
            if let ServerMessage::Lobby(lobby) = socket.hear().await? {
                self.seeks = lobby.own;
                break;
            }
        }
        say(&format!(
            "{} is in the lobby and plays with {}",
            self.name,
            table.engine.name()
        ));
        self.take_up().await?;
        let mut looks = tokio::time::interval(LOOK);
        looks.tick().await;
        loop {
            if self.stance == Stance::Open {
                self.begin_own().await?;
            }
            if self.is_done() {
                self.withdraw().await;
                return Ok(());
            }
            tokio::select! {
                heard = socket.hear() => self.hear(heard?, &mut socket).await?,
                Some(ended) = self.running.join_next() => self.count(ended),
                Some(()) = interrupts.recv() => {
                    let ends = self.close();
                    self.withdraw().await;
                    if ends {
                        return Ok(());
                    }
                }
                _ = looks.tick() => self.take_up().await?,
            }
        }
    }

    /// Learns which games the server has.
    async fn learn_games(&mut self) -> Result<(), Trouble> {
        let link = &self.table.link;
        let cards: Vec<VariantCard> = link.get("/api/variants").await?;
        let families: Vec<Family> = link.get("/api/families").await?;
        self.known = cards.into_iter().map(|card| card.id).collect();
        self.families = families.into_iter().map(|f| (f.name, f.variants)).collect();
        Ok(())
    }

    /// Whether this program and the engine both play a game.
    fn plays(&self, id: &str) -> bool {
        self.table.engine.plays(id) && self.table.games.variant(id).is_some()
    }

    /// Games that the server reported and that the bot plays and wants.
    fn wanted(&self) -> Vec<String> {
        let wanted = self
            .known
            .iter()
            .filter(|id| self.rules.wants(id) && self.plays(id));
        wanted.cloned().collect()
    }

    fn has_room(&self) -> bool {
        self.stance == Stance::Open
            && self.ids.len() < self.at_once
            && self.own.count.is_none_or(|most| self.begun < most)
    }

    fn is_done(&self) -> bool {
        if self.own.count.is_some_and(|most| self.over >= most) {
            return true;
        }
        // Games over days are never waited for.
        self.stance == Stance::Closing && (self.leave || self.ids.values().all(|slow| *slow))
    }

    /// Starts to end; true if it ends at once.
    fn close(&mut self) -> bool {
        if self.stance == Stance::Closing {
            say("ends; games under way stay as they are");
            return true;
        }
        self.stance = Stance::Closing;
        let board = self.ids.values().filter(|slow| !**slow).count();
        if board > 0 && !self.leave {
            say(&format!(
                "begins nothing any more and ends after {board} games at the board; Ctrl+C again ends it at once"
            ));
        }
        self.is_done()
    }

    /// Withdraws its offers.
    async fn withdraw(&mut self) {
        for id in std::mem::take(&mut self.seeks) {
            let path = format!("/api/lobby/seeks/{id}");
            let gone = self.table.link.tell(Method::DELETE, &path, &());
            // An offer that has become a game is resumed like any other game; the end is not delayed for long.
            let _ = tokio::time::timeout(PARTING, gone).await;
        }
    }

    fn count(&mut self, ended: Result<(String, Ended), tokio::task::JoinError>) {
        match ended {
            Ok((id, ended)) => {
                self.ids.remove(&id);
                match ended {
                    Ended::Over(how) => {
                        self.over += 1;
                        say(&format!("game {id}: {how}"));
                    }
                    Ended::Without(why) => {
                        self.begun = self.begun.saturating_sub(1);
                        say(&format!("game {id}: {why}"));
                        self.left.insert(id);
                    }
                }
            }
            Err(error) => say(&format!("a game ended by a fault of this program: {error}")),
        }
    }

    /// Plays a game, unless it is being played already.
    fn start(&mut self, id: String, clock: &str) {
        if self.ids.contains_key(&id) || self.left.contains(&id) {
            return;
        }
        self.begun += 1;
        self.ids.insert(id.clone(), clock.starts_with("days"));
        let table = self.table.clone();
        self.running.spawn(async move {
            let ended = play(table, id.clone()).await;
            (id, ended)
        });
    }

    /// Resumes running games and takes up open challenges.
    async fn take_up(&mut self) -> Result<(), Trouble> {
        let games: Vec<GameCard> = self.table.link.get("/api/me/games").await?;
        for game in games {
            let players = &game.players;
            let runs = match game.stage {
                Stage::Playing | Stage::Customs => true,
                // A game against the engine begins when the bot comes.
                Stage::Waiting => players.white.level.or(players.black.level).is_some(),
                Stage::Over | Stage::Aborted => false,
            };
            if runs && game.own.is_some() {
                self.start(game.id, &game.clock);
            }
        }
        let open: Challenges = self.table.link.get("/api/me/challenges").await?;
        for challenge in open.received {
            self.answer(challenge).await?;
        }
        Ok(())
    }

    async fn hear(&mut self, message: ServerMessage, socket: &mut Socket) -> Result<(), Trouble> {
        match message {
            ServerMessage::Challenged(challenge) => self.answer(challenge).await?,
            ServerMessage::Paired(paired) => {
                self.paired(paired);
                // An offer paired at the board withdraws all others, and one paired at once was never reported.
                let lobby: server::wire::Lobby = self.table.link.get("/api/lobby").await?;
                self.seeks = lobby.own;
            }
            ServerMessage::Lobby(lobby) => self.seeks = lobby.own,
            ServerMessage::LobbyChange(change) => {
                self.seeks.retain(|id| !change.gone.contains(id));
            }
            ServerMessage::Refused { of, message, .. } => {
                say(&format!("{of}: {message}"));
                if of == "enter_lobby" {
                    tokio::time::sleep(Duration::from_secs(1)).await;
                    socket.say(&ClientMessage::EnterLobby).await?;
                }
            }
            ServerMessage::Closing => return Err(Trouble::Network("the server goes down".into())),
            _ => {}
        }
        Ok(())
    }

    fn paired(&mut self, paired: Paired) {
        self.start(paired.game, &paired.clock);
    }

    /// Accepts a challenge or declines it.
    async fn answer(&mut self, challenge: Challenge) -> Result<(), Trouble> {
        // The bot's own challenges are reported, too.
        if challenge.declined.is_some() || challenge.from == self.name {
            return Ok(());
        }
        let games = match (&challenge.game.variant, &challenge.game.family) {
            (Some(id), _) => vec![id.clone()],
            (None, Some(family)) => self.families.get(family).cloned().unwrap_or_default(),
            (None, None) => Vec::new(),
        };
        let strength = self.strength(&challenge, &games).await?;
        let against = self
            .rules
            .against(&challenge, &games, |id| self.plays(id), strength);
        let against = against.map(|d| (d.0, d.1)).or_else(|| {
            (!self.has_room())
                .then_some((DeclineReason::Later, "there is no room for another game"))
        });
        let what = format!(
            "{} challenges to {}, {}{}",
            challenge.from,
            challenge.game.name,
            challenge.clock,
            if challenge.rated { ", rated" } else { "" }
        );
        let path = format!("/api/challenges/{}", challenge.id);
        let link = &self.table.link;
        let done = match against {
            Some((reason, why)) => {
                say(&format!("{what}: declined, {why}"));
                let decline = Decline { reason };
                link.tell(Method::POST, &format!("{path}/decline"), &decline)
                    .await
            }
            None => {
                let path = format!("{path}/accept");
                match link.post::<Paired>(&path, &()).await {
                    Ok(paired) => {
                        say(&format!("{what}: accepted"));
                        self.paired(paired);
                        Ok(())
                    }
                    Err(trouble) => Err(trouble),
                }
            }
        };
        match done {
            // Withdrawn meanwhile, or refused for a lasting reason: the others are answered all the same.
            Err(trouble) if !trouble.is_passing() && trouble.code() != "token" => {
                say(&format!("{what}: {trouble}"));
                Ok(())
            }
            done => done,
        }
    }

    /// The challenger's rating, if it matters.
    async fn strength(&self, challenge: &Challenge, games: &[String]) -> Result<i32, Trouble> {
        let ([id], true) = (games, self.rules.asks_for_ratings()) else {
            return Ok(UNRATED);
        };
        let speed = challenge.clock.parse().ok();
        let speed = speed.and_then(|clock| play::rating::Speed::of(&clock));
        let path = format!("/api/people/{}", challenge.from);
        let profile: Profile = self.table.link.get(&path).await?;
        let of_game = |r: &&server::wire::ProfileRating| {
            r.variant == *id && Some(r.speed.as_str()) == speed.map(play::rating::Speed::name)
        };
        let rating = profile.ratings.iter().find(of_game);
        Ok(rating.map_or(UNRATED, |r| r.now.rating))
    }

    /// Makes the bot's own offers and starts its own games, while there is room.
    async fn begin_own(&mut self) -> Result<(), Trouble> {
        if self.own.seek && self.seeks.is_empty() && self.has_room() {
            self.seek().await?;
        }
        while let Some(level) = self.own.level.filter(|_| self.has_room()) {
            self.play_level(level).await?;
        }
        Ok(())
    }

    fn rated(&self) -> bool {
        self.rules.only != Some(Kind::Casual)
    }

    async fn seek(&mut self) -> Result<(), Trouble> {
        let (games, range) = (self.wanted(), self.rules.ratings());
        // An offer without games would welcome any.
        if games.is_empty() {
            say("offers nothing: the server has no game that the engine plays and that is wanted");
            self.own.seek = false;
            return Ok(());
        }
        let seek = NewSeek {
            games,
            clocks: self.own.clock.iter().map(ToString::to_string).collect(),
            rated: self.rated(),
            min_rating: range.map(|(least, _)| least),
            max_rating: range.map(|(_, most)| most),
            opponents: self.rules.opponents(),
            ..NewSeek::default()
        };
        let made: SeekMade = self.table.link.post("/api/lobby/seeks", &seek).await?;
        self.seeks.extend(made.id);
        if let Some(paired) = made.paired {
            self.paired(paired);
        }
        Ok(())
    }

    async fn play_level(&mut self, level: u8) -> Result<(), Trouble> {
        let turn = self.begun as usize;
        let (games, clocks) = (&self.rules.game, &self.own.clock);
        let of = |n: usize| n / 2;
        let side = if turn.is_multiple_of(2) {
            Side::White
        } else {
            Side::Black
        };
        let clock = clocks[of(turn) % clocks.len()].to_string();
        let wish = NewGame {
            variant: Some(games[of(turn) % games.len()].clone()),
            level: Some(level),
            side: Some(side),
            clock: Some(clock.clone()),
            rated: self.rated(),
            ..NewGame::default()
        };
        let made: GameMade = self.table.link.post("/api/games", &wish).await?;
        self.start(made.id, &clock);
        Ok(())
    }
}

/// Reports each Ctrl+C, and the system's request to end.
async fn interruptions(told: UnboundedSender<()>) {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let signals = (
            signal(SignalKind::interrupt()),
            signal(SignalKind::terminate()),
        );
        if let (Ok(mut interrupt), Ok(mut terminate)) = signals {
            loop {
                tokio::select! {
                    _ = interrupt.recv() => {}
                    _ = terminate.recv() => {}
                }
                if told.send(()).is_err() {
                    return;
                }
            }
        }
    }
    while tokio::signal::ctrl_c().await.is_ok() && told.send(()).is_ok() {}
}
