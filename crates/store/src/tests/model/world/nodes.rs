//! What nodes do: heartbeats, games that they want, what people do in them, and what befalls the nodes.

use super::{Broken, Event, Held, Node, STORM, State, TICK, World};
use crate::tests::model::rules::{Answer, Ask};
use crate::tests::nodes::lease_ms;

impl World {
    pub(super) fn fault(&mut self, node: usize) {
        if self.nodes[node].state == State::Runs {
            let wait = self.random.below(3 * lease_ms());
            match self.random.below(5) {
                0 => {
                    self.kill(node);
                    self.after(wait, Event::Starts(node));
                }
                1 => {
                    // A clean end.
                    let boot = self.nodes[node].boot;
                    self.nodes[node].games.clear();
                    self.question(node, Ask::Leave { boot }, Vec::new());
                    self.kill(node);
                    self.after(wait, Event::Starts(node));
                }
                2 if !self.nodes[node].others.is_empty() => {
                    // The lease of another is ended, which need not know of it.
                    let others = &self.nodes[node].others;
                    let boot = others[self.random.below(others.len() as i64) as usize];
                    let ask = match self.random.below(2) {
                        0 => Ask::Leave { boot },
                        _ => Ask::Expire {
                            boot,
                            left: self.random.below(lease_ms()),
                        },
                    };
                    self.question(node, ask, Vec::new());
                }
                _ => {
                    self.stop(node);
                    let life = self.nodes[node].life;
                    self.after(wait, Event::Continues(node, life));
                }
            }
        }
        let wait = self.random.below(STORM / 2);
        self.after(wait, Event::Fault(node));
    }

    pub(super) fn stop(&mut self, node: usize) {
        self.nodes[node].state = State::Stopped;
        self.tell(|| format!("node {node} is stopped"));
    }

    pub(super) fn kill(&mut self, node: usize) {
        let found = &mut self.nodes[node];
        found.state = State::Dead;
        found.life += 1;
        found.boot = 0;
        found.games.clear();
        found.asked.clear();
        found.missed.clear();
        self.tell(|| format!("node {node} is dead"));
    }

    pub(super) fn tick(&mut self, node: usize) {
        if self.nodes[node].state != State::Runs {
            return;
        }
        match self.nodes[node].boot {
            0 => {
                let mut asked = self.nodes[node].asked.values();
                if !asked.any(|question| matches!(question.ask, Ask::Arrive { .. })) {
                    self.question(node, Ask::Arrive { name: node }, Vec::new());
                }
            }
            boot => {
                self.question(node, Ask::Beat { boot }, Vec::new());
                self.question(node, Ask::Orphans, Vec::new());
            }
        }
        self.after(TICK, Event::Tick(node));
    }

    pub(super) fn act(&mut self, node: usize, game: usize) {
        let Node { state, boot, .. } = &self.nodes[node];
        if *state != State::Runs || *boot == 0 {
            return;
        }
        let boot = *boot;
        let Some(held) = self.nodes[node].games.get(&game).cloned() else {
            return self.claim(node, game);
        };
        if held.pending {
            return;
        }
        let epoch = held.epoch;
        let chance = self.random.below(if self.calm { 8 } else { 12 });
        match chance {
            10 => {
                self.nodes[node].games.remove(&game);
                self.question(node, Ask::Release { game, boot, epoch }, Vec::new());
            }
            11 if !self.nodes[node].others.is_empty() => {
                let others = &self.nodes[node].others;
                let to = others[self.random.below(others.len() as i64) as usize];
                self.nodes[node].games.remove(&game);
                let from = boot;
                let ask = Ask::HandOver {
                    game,
                    from,
                    to,
                    epoch,
                };
                self.question(node, ask, Vec::new());
            }
            _ => {
                self.tokens += 1;
                let ask = Ask::Append {
                    game,
                    boot,
                    epoch,
                    seq: held.known.len() as i64 + 1,
                    token: self.tokens,
                };
                if let Some(held) = self.nodes[node].games.get_mut(&game) {
                    held.pending = true;
                }
                self.question(node, ask, held.known);
            }
        }
    }

    fn claim(&mut self, node: usize, game: usize) {
        let found = &self.nodes[node];
        let boot = found.boot;
        let asks = found.asked.values().any(|question| {
            matches!(question.ask, Ask::Claim { game: of, .. } | Ask::Load { game: of } if of == game)
        });
        if boot != 0 && !asks && !found.games.contains_key(&game) {
            self.question(node, Ask::Claim { game, boot }, Vec::new());
        }
    }

    /// A write that was asked for is asked for again until there is an answer; everything else is given up.
    pub(super) fn impatient(&mut self, node: usize, life: u64, id: u64) {
        if self.nodes[node].life != life {
            return;
        }
        let Some(question) = self.nodes[node].asked.get(&id).cloned() else {
            return;
        };
        match question.ask {
            Ask::Append { .. } => self.send(question),
            _ => drop(self.nodes[node].asked.remove(&id)),
        }
    }

    pub(super) fn answered(
        &mut self,
        node: usize,
        life: u64,
        id: u64,
        answer: Answer,
    ) -> Result<(), Broken> {
        if self.nodes[node].life != life {
            return Ok(());
        }
        let Some(question) = self.nodes[node].asked.remove(&id) else {
            return Ok(());
        };
        let boot = self.nodes[node].boot;
        match (question.ask, answer) {
            (Ask::Arrive { .. }, Answer::Boot(boot)) if self.nodes[node].boot == 0 => {
                self.nodes[node].boot = boot;
                self.question(node, Ask::Orphans, Vec::new());
            }
            (Ask::Beat { .. }, Answer::Alive(nodes)) => {
                self.nodes[node].others = nodes.into_iter().filter(|n| *n != boot).collect();
            }
            (Ask::Beat { boot: asked }, Answer::Lost | Answer::Replaced) if asked == boot => {
                // It drops all games and begins anew.
                let found = &mut self.nodes[node];
                found.boot = 0;
                found.games.clear();
                found.asked.clear();
                self.question(node, Ask::Arrive { name: node }, Vec::new());
            }
            (Ask::Orphans, Answer::Games(games)) => {
                for game in games {
                    self.claim(node, game);
                }
            }
            (Ask::Claim { game, boot: asked }, Answer::Yours(epoch)) if asked == boot => {
                let held = vec![epoch as u64];
                self.question(node, Ask::Load { game }, held);
            }
            (Ask::Load { game }, Answer::Log(known)) => {
                let epoch = question.believes[0] as i64;
                let held = Held {
                    epoch,
                    known,
                    pending: false,
                };
                self.nodes[node].games.insert(game, held);
            }
            (
                Ask::Append {
                    game, token, epoch, ..
                },
                answer,
            ) => {
                let stored = answer == Answer::Stored;
                if stored {
                    self.acknowledged.push((game, token));
                    self.story.acknowledged += 1;
                    self.is_there(game, token)?;
                } else {
                    self.story.refused += 1;
                }
                let games = &mut self.nodes[node].games;
                if let Some(held) = games.get_mut(&game)
                    && held.epoch == epoch
                {
                    match stored {
                        true => {
                            held.known.push(token);
                            held.pending = false;
                        }
                        false => drop(games.remove(&game)),
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }
}
