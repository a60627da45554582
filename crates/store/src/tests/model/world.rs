//! Nodes, the network between them and the database, and what goes wrong with them, by a seed.

mod nodes;
mod watch;

use super::rules::{Answer, Ask, Database, Missing, Outcome};
use crate::tests::nodes::lease_ms;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};

const NODES: usize = 3;
const GAMES: usize = 2;
/// A heartbeat, and a look for games without an owner, every so many milliseconds.
const TICK: i64 = 1000;
/// A question without an answer is asked again, or given up, after this.
const PATIENCE: i64 = 1000;
/// How long things go wrong.
const STORM: i64 = 15_000;
/// Longest way of a message afterwards.
const CALM_DELAY: i64 = 20;

/// Random numbers from a seed (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: i64) -> i64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % bound.max(1) as u64) as i64
    }

    fn percent(&mut self, chance: i64) -> bool {
        self.below(100) < chance
    }
}

#[derive(Clone, Debug)]
enum Event {
    Tick(usize),
    /// Somebody wants to do something in a game at a node.
    Act(usize, usize),
    Asked(Question),
    /// A write's transaction ends: with a commit or not.
    Ends(Question, bool),
    Answered(usize, u64, u64, Answer),
    Impatient(usize, u64, u64),
    Continues(usize, u64),
    Starts(usize),
    Fault(usize),
}

#[derive(Clone, Debug)]
struct Question {
    node: usize,
    /// Which life of the node's process has asked.
    life: u64,
    id: u64,
    ask: Ask,
    /// What the asker of a write believes to be in the log before it.
    believes: Vec<u64>,
    /// Its place in the record.
    record: usize,
}

#[derive(Clone, Debug, Default)]
struct Held {
    epoch: i64,
    known: Vec<u64>,
    pending: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum State {
    Runs,
    Stopped,
    Dead,
}

#[derive(Clone, Debug)]
struct Node {
    state: State,
    life: u64,
    boot: i64,
    games: BTreeMap<usize, Held>,
    asked: BTreeMap<u64, Question>,
    others: Vec<i64>,
    /// What has come while it was stopped.
    missed: Vec<Event>,
}

/// A question as the database has decided it.
#[derive(Clone, Debug)]
pub struct Recorded {
    pub time: i64,
    pub ask: Ask,
    pub answer: Option<Answer>,
}

/// What has happened in a schedule.
#[derive(Debug, Default)]
pub struct Story {
    pub record: Vec<Recorded>,
    /// Lines for people, if they are wanted.
    pub told: Vec<String>,
    pub acknowledged: usize,
    pub taken_over: usize,
    pub refused: usize,
}

struct World {
    random: Random,
    time: i64,
    number: u64,
    queue: BinaryHeap<Reverse<(i64, u64)>>,
    events: HashMap<u64, Event>,
    database: Database,
    nodes: Vec<Node>,
    waiting: Vec<Question>,
    calm: bool,
    tells: bool,
    story: Story,
    tokens: u64,
    // What is watched.
    /// When the lease of each boot is over, by what it was answered.
    leases: HashMap<i64, i64>,
    /// To whom each epoch of each game was given.
    given: Vec<BTreeMap<i64, i64>>,
    acknowledged: Vec<(usize, u64)>,
}

/// What did not hold.
pub type Broken = String;

/// Runs the schedule of a seed.
pub fn run(seed: u64, missing: Missing, tells: bool) -> (Story, Result<(), Broken>) {
    let mut world = World::new(seed, missing, tells);
    let result = world.run();
    (world.story, result)
}

impl World {
    fn new(seed: u64, missing: Missing, tells: bool) -> World {
        let node = Node {
            state: State::Runs,
            life: 0,
            boot: 0,
            games: BTreeMap::new(),
            asked: BTreeMap::new(),
            others: Vec::new(),
            missed: Vec::new(),
        };
        World {
            random: Random(seed),
            time: 1,
            number: 0,
            queue: BinaryHeap::new(),
            events: HashMap::new(),
            database: Database::new(missing, GAMES),
            nodes: vec![node; NODES],
            waiting: Vec::new(),
            calm: false,
            tells,
            story: Story::default(),
            tokens: 0,
            leases: HashMap::new(),
            given: vec![BTreeMap::new(); GAMES],
            acknowledged: Vec::new(),
        }
    }

    fn tell(&mut self, line: impl FnOnce() -> String) {
        if self.tells {
            let line = format!("{:>6} {}", self.time, line());
            self.story.told.push(line);
        }
    }

    fn after(&mut self, wait: i64, event: Event) {
        self.number += 1;
        self.queue.push(Reverse((self.time + wait, self.number)));
        self.events.insert(self.number, event);
    }

    fn run(&mut self) -> Result<(), Broken> {
        for node in 0..NODES {
            let wait = self.random.below(TICK);
            self.after(wait, Event::Tick(node));
            let wait = self.random.below(STORM);
            self.after(wait, Event::Fault(node));
        }
        for _ in 0..200 {
            let (wait, node) = (self.random.below(STORM), self.random.below(NODES as i64));
            let game = self.random.below(GAMES as i64) as usize;
            self.after(wait, Event::Act(node as usize, game));
        }
        self.until(STORM)?;
        self.becalm();
        let deadline = STORM + lease_ms() + TICK + 8 * CALM_DELAY;
        self.until(deadline)?;
        self.all_are_owned()?;
        let before: Vec<usize> = (0..GAMES).map(|game| self.acknowledged_in(game)).collect();
        for n in 0..4 {
            for node in 0..NODES {
                for game in 0..GAMES {
                    self.after(n * 8 * CALM_DELAY, Event::Act(node, game));
                }
            }
        }
        self.until(deadline + 40 * CALM_DELAY)?;
        for (game, before) in before.into_iter().enumerate() {
            if self.acknowledged_in(game) <= before {
                return Err(format!("game {game} does not go on"));
            }
        }
        self.all_acknowledged_are_there()
    }

    fn until(&mut self, end: i64) -> Result<(), Broken> {
        while let Some(Reverse((time, number))) = self.queue.peek().copied() {
            if time > end {
                break;
            }
            self.queue.pop();
            self.time = time;
            if let Some(event) = self.events.remove(&number) {
                self.happens(event)?;
            }
        }
        self.time = end;
        Ok(())
    }

    /// Nothing goes wrong any more: connections are made anew, and all nodes run but one that may be gone for good.
    fn becalm(&mut self) {
        self.calm = true;
        self.tell(|| "calm".into());
        self.events
            .retain(|_, event| !matches!(event, Event::Asked(_) | Event::Fault(_)));
        self.waiting.clear();
        let open: Vec<u64> = self.events.keys().copied().collect();
        for number in open {
            if let Some(Event::Ends(question, commits)) = self.events.get_mut(&number) {
                *commits = false;
                let question = question.clone();
                self.events.remove(&number);
                self.roll_back(&question);
            }
        }
        let gone = self.random.below(2 * NODES as i64) as usize;
        for node in 0..NODES {
            match (&self.nodes[node].state, node == gone) {
                (State::Runs, true) if self.random.percent(50) => self.stop(node),
                (State::Runs, true) => self.kill(node),
                (_, true) => {}
                (State::Stopped, false) => {
                    let life = self.nodes[node].life;
                    self.after(0, Event::Continues(node, life));
                }
                (State::Dead, false) => self.after(0, Event::Starts(node)),
                (State::Runs, false) => {}
            }
        }
        if gone < NODES {
            // Whatever was to wake it does not come.
            self.events.retain(|_, event| {
                !matches!(event, Event::Continues(node, _) | Event::Starts(node) if *node == gone)
            });
        }
    }

    fn happens(&mut self, event: Event) -> Result<(), Broken> {
        let node = match &event {
            Event::Tick(node) | Event::Act(node, _) | Event::Impatient(node, ..) => Some(*node),
            Event::Answered(node, ..) => Some(*node),
            _ => None,
        };
        if let Some(node) = node
            && self.nodes[node].state == State::Stopped
        {
            self.nodes[node].missed.push(event);
            return Ok(());
        }
        match event {
            Event::Tick(node) => self.tick(node),
            Event::Act(node, game) => self.act(node, game),
            Event::Asked(question) => self.asked(question)?,
            Event::Ends(question, commits) => self.ends(question, commits)?,
            Event::Answered(node, life, id, answer) => self.answered(node, life, id, answer)?,
            Event::Impatient(node, life, id) => self.impatient(node, life, id),
            Event::Continues(node, life) => {
                let found = &mut self.nodes[node];
                if found.state == State::Stopped && found.life == life {
                    found.state = State::Runs;
                    let missed = std::mem::take(&mut found.missed);
                    self.tell(|| format!("node {node} continues"));
                    for event in missed {
                        self.after(0, event);
                    }
                }
            }
            Event::Starts(node) => {
                let found = &mut self.nodes[node];
                if found.state == State::Dead {
                    found.state = State::Runs;
                    self.tell(|| format!("node {node} starts"));
                    self.after(0, Event::Tick(node));
                }
            }
            Event::Fault(node) => self.fault(node),
        }
        Ok(())
    }

    fn question(&mut self, node: usize, ask: Ask, believes: Vec<u64>) {
        self.number += 1;
        let question = Question {
            node,
            life: self.nodes[node].life,
            id: self.number,
            ask,
            believes,
            record: usize::MAX,
        };
        self.nodes[node].asked.insert(question.id, question.clone());
        self.send(question);
    }

    fn delay(&mut self) -> i64 {
        if self.calm {
            return 1 + self.random.below(CALM_DELAY - 1);
        }
        match self.random.below(100) {
            0..90 => 1 + self.random.below(20),
            90..98 => self.random.below(1000),
            _ => self.random.below(2 * lease_ms()),
        }
    }

    fn is_lost(&mut self) -> bool {
        !self.calm && self.random.percent(4)
    }

    fn send(&mut self, question: Question) {
        let Question { node, life, id, .. } = question;
        self.after(PATIENCE, Event::Impatient(node, life, id));
        if !self.is_lost() {
            let delay = self.delay();
            self.after(delay, Event::Asked(question));
        }
    }

    fn reply(&mut self, question: &Question, answer: Answer) {
        if !self.is_lost() {
            let delay = self.delay();
            let Question { node, life, id, .. } = *question;
            self.after(delay, Event::Answered(node, life, id, answer));
        }
    }

    fn asked(&mut self, mut question: Question) -> Result<(), Broken> {
        let time = self.time;
        let owner = match question.ask {
            Ask::Claim { game, .. } => self.database.games[game].owner,
            _ => 0,
        };
        let reads_open =
            matches!(question.ask, Ask::Load { game } if self.database.games[game].locked);
        match self.database.ask(time, &question.ask) {
            Outcome::Waits(game) => {
                self.tell(|| format!("{:?} waits for game {game}", question.ask));
                self.waiting.push(question);
            }
            Outcome::Open => {
                question.record = self.story.record.len();
                self.note(&question.ask, Some(Answer::Stored));
                self.tell(|| format!("{:?} is open", question.ask));
                self.watch_write(&question)?;
                let (delay, commits) = match self.random.below(100) {
                    _ if self.calm => (1, true),
                    0..90 => (1 + self.random.below(5), true),
                    90..97 => (self.random.below(lease_ms()), true),
                    _ => (self.random.below(lease_ms()), false),
                };
                self.after(delay, Event::Ends(question, commits));
            }
            Outcome::Answered(answer) => {
                self.tell(|| format!("{:?}: {answer:?}", question.ask));
                if !reads_open {
                    self.note(&question.ask, Some(answer.clone()));
                }
                self.watch(&question.ask, &answer, owner)?;
                self.reply(&question, answer);
            }
        }
        Ok(())
    }

    fn note(&mut self, ask: &Ask, answer: Option<Answer>) {
        self.story.record.push(Recorded {
            time: self.time,
            ask: ask.clone(),
            answer,
        });
    }

    fn ends(&mut self, question: Question, commits: bool) -> Result<(), Broken> {
        if !commits {
            self.roll_back(&question);
        } else if let Ask::Append {
            game,
            epoch,
            seq,
            token,
            ..
        } = question.ask
        {
            self.watch_commit(&question)?;
            let answer = self.database.commit(game, epoch, seq, token);
            self.tell(|| format!("{:?} is committed: {answer:?}", question.ask));
            self.reply(&question, answer);
        }
        // Whoever has waited is next.
        for question in std::mem::take(&mut self.waiting) {
            self.asked(question)?;
        }
        Ok(())
    }

    fn roll_back(&mut self, question: &Question) {
        if let Ask::Append { game, .. } = question.ask {
            self.database.games[game].locked = false;
            self.tell(|| format!("{:?} is rolled back", question.ask));
            if let Some(recorded) = self.story.record.get_mut(question.record) {
                recorded.answer = None;
            }
        }
    }
}
