//! The rules of leases and of the log as values: what the database answers, with its time as it is given. What the SQL answers is
//! compared with these, and the schedules run on them.

use crate::tests::nodes::lease_ms;
use std::collections::BTreeMap;

/// What is left out of the rules, to show that it is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    Nothing,
    /// A write is not compared with its game's owner and epoch.
    Epoch,
    /// A write is not refused when the lease of its node is over.
    Lease,
    /// A write does not lock its game until its commit.
    Lock,
}

/// What a node asks of the database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ask {
    Arrive {
        name: usize,
    },
    Beat {
        boot: i64,
    },
    Claim {
        game: usize,
        boot: i64,
    },
    Load {
        game: usize,
    },
    Append {
        game: usize,
        boot: i64,
        epoch: i64,
        seq: i64,
        token: u64,
    },
    Release {
        game: usize,
        boot: i64,
        epoch: i64,
    },
    HandOver {
        game: usize,
        from: i64,
        to: i64,
        epoch: i64,
    },
    Orphans,
    Leave {
        boot: i64,
    },
    Expire {
        boot: i64,
        left: i64,
    },
}

/// What it is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    Boot(i64),
    Alive(Vec<i64>),
    Lost,
    Replaced,
    Yours(i64),
    Of { boot: i64, epoch: i64 },
    Log(Vec<u64>),
    Stored,
    Fenced,
    Conflict,
    Done(bool),
    Games(Vec<usize>),
}

/// What becomes of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Answered(Answer),
    /// A write whose commit is still to come.
    Open,
    /// It waits for the commit of a write to this game.
    Waits(usize),
}

#[derive(Clone, Debug)]
pub struct Lease {
    pub name: usize,
    pub expires: i64,
}

#[derive(Clone, Debug, Default)]
pub struct Game {
    pub owner: i64,
    pub epoch: i64,
    /// Events by their numbers: epoch and content.
    pub log: BTreeMap<i64, (i64, u64)>,
    /// Whether a write to it is under way.
    pub locked: bool,
}

#[derive(Clone, Debug)]
pub struct Database {
    pub missing: Missing,
    boots: i64,
    pub nodes: BTreeMap<i64, Lease>,
    pub games: Vec<Game>,
}

impl Database {
    pub fn new(missing: Missing, games: usize) -> Database {
        Database {
            missing,
            boots: 0,
            nodes: BTreeMap::new(),
            games: vec![Game::default(); games],
        }
    }

    pub fn runs(&self, boot: i64, time: i64) -> bool {
        self.nodes.get(&boot).is_some_and(|n| n.expires > time)
    }

    /// The game that a question changes, whose lock it waits for.
    fn waits_for(&self, ask: &Ask) -> Option<usize> {
        let game = match ask {
            Ask::Claim { game, .. }
            | Ask::Append { game, .. }
            | Ask::Release { game, .. }
            | Ask::HandOver { game, .. } => *game,
            Ask::Leave { boot } => self
                .games
                .iter()
                .position(|g| g.owner == *boot && g.locked)?,
            _ => return None,
        };
        self.games[game].locked.then_some(game)
    }

    pub fn ask(&mut self, time: i64, ask: &Ask) -> Outcome {
        if let Some(game) = self.waits_for(ask) {
            return Outcome::Waits(game);
        }
        Outcome::Answered(match *ask {
            Ask::Arrive { name } => Answer::Boot(self.arrive(time, name)),
            Ask::Beat { boot } => self.beat(time, boot),
            Ask::Claim { game, boot } => self.claim(time, game, boot),
            Ask::Load { game } => {
                Answer::Log(self.games[game].log.values().map(|(_, t)| *t).collect())
            }
            Ask::Append {
                game,
                boot,
                epoch,
                seq,
                token,
            } => match self.append(time, game, boot, epoch, seq, token) {
                Some(answer) => answer,
                None => return Outcome::Open,
            },
            Ask::Release { game, boot, epoch } => {
                let runs = self.runs(boot, time);
                let game = &mut self.games[game];
                let done = runs && (game.owner, game.epoch) == (boot, epoch);
                if done {
                    (game.owner, game.epoch) = (0, epoch + 1);
                }
                Answer::Done(done)
            }
            Ask::HandOver {
                game,
                from,
                to,
                epoch,
            } => {
                let run = self.runs(from, time) && self.runs(to, time);
                let game = &mut self.games[game];
                let done = run && (game.owner, game.epoch) == (from, epoch);
                if done {
                    (game.owner, game.epoch) = (to, epoch + 1);
                }
                Answer::Done(done)
            }
            Ask::Orphans => {
                let free = (0..).zip(&self.games);
                let free = free.filter(|(_, game)| !self.runs(game.owner, time));
                Answer::Games(free.map(|(n, _)| n).collect())
            }
            Ask::Leave { boot } => {
                if self.runs(boot, time) {
                    for game in self.games.iter_mut().filter(|g| g.owner == boot) {
                        (game.owner, game.epoch) = (0, game.epoch + 1);
                    }
                }
                // The row of one whose lease is over stays for as long as it has games.
                if self.games.iter().all(|game| game.owner != boot) {
                    self.nodes.remove(&boot);
                }
                Answer::Done(true)
            }
            Ask::Expire { boot, left } => {
                if let Some(node) = self.nodes.get_mut(&boot)
                    && node.expires > time
                    && node.expires - time <= left
                {
                    node.expires = time;
                }
                Answer::Done(!self.runs(boot, time))
            }
        })
    }

    fn arrive(&mut self, time: i64, name: usize) -> i64 {
        self.boots += 1;
        for node in self.nodes.values_mut().filter(|node| node.name == name) {
            node.expires = node.expires.min(time);
        }
        let expires = time + lease_ms();
        self.nodes.insert(self.boots, Lease { name, expires });
        self.boots
    }

    fn beat(&mut self, time: i64, boot: i64) -> Answer {
        if !self.runs(boot, time) {
            let newer = self.nodes.get(&boot).is_some_and(|node| {
                let mut later = self.nodes.range(boot + 1..);
                later.any(|(_, other)| other.name == node.name)
            });
            return match newer {
                true => Answer::Replaced,
                false => Answer::Lost,
            };
        }
        if let Some(node) = self.nodes.get_mut(&boot) {
            node.expires = time + lease_ms();
        }
        let alive = self.nodes.iter().filter(|(_, node)| node.expires > time);
        Answer::Alive(alive.map(|(boot, _)| *boot).collect())
    }

    fn claim(&mut self, time: i64, game: usize, boot: i64) -> Answer {
        if !self.runs(boot, time) {
            return Answer::Lost;
        }
        let Game { owner, epoch, .. } = self.games[game];
        if owner != boot && self.runs(owner, time) {
            return Answer::Of { boot: owner, epoch };
        }
        let game = &mut self.games[game];
        (game.owner, game.epoch) = (boot, epoch + 1);
        Answer::Yours(epoch + 1)
    }

    /// Looks at a write; without an answer it is to be committed.
    fn append(
        &mut self,
        time: i64,
        game: usize,
        boot: i64,
        epoch: i64,
        seq: i64,
        token: u64,
    ) -> Option<Answer> {
        let lease = self.runs(boot, time) || self.missing == Missing::Lease;
        let game = &mut self.games[game];
        if let Some(stored) = game.log.get(&seq) {
            return Some(match *stored == (epoch, token) {
                true => Answer::Stored,
                false => Answer::Conflict,
            });
        }
        let owns = (game.owner, game.epoch) == (boot, epoch) || self.missing == Missing::Epoch;
        if !(owns && lease) {
            return Some(Answer::Fenced);
        }
        game.locked = self.missing != Missing::Lock;
        None
    }

    /// Ends a write.
    pub fn commit(&mut self, game: usize, epoch: i64, seq: i64, token: u64) -> Answer {
        let game = &mut self.games[game];
        game.locked = false;
        match *game.log.entry(seq).or_insert((epoch, token)) == (epoch, token) {
            true => Answer::Stored,
            false => Answer::Conflict,
        }
    }
}
