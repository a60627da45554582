//! A model of leases and of the log: nodes that are stopped past their leases and go on, that die, whose messages come late,
//! twice or never, and a database that holds to the rules. Whatever happens, one node writes a game at a time, and what was
//! acknowledged is there once. The same questions in the same order are put to the SQL, whose answers must be those of the rules.
//! `HUSUN_SCHEDULES=100000` asks for more of them, `HUSUN_SEED` for those from another seed on.

mod rules;
mod world;

use super::nodes::{node, of, sign};
use super::{Tested, event, events, folder, made, one};
use crate::nodes::{Beat, Claimed, Nodes, Owned};
use crate::{EventRow, GameWrite, SqlStore, Store, StoreError};
use rules::{Answer, Ask, Missing};
use std::collections::HashMap;
use world::{Recorded, run};

fn number(name: &str, default: u64) -> u64 {
    let asked = std::env::var(name).ok();
    asked.and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn one_node_writes_at_a_time_whatever_happens() {
    let (first, schedules) = (number("HUSUN_SEED", 1), number("HUSUN_SCHEDULES", 2000));
    let (mut acknowledged, mut taken_over, mut refused) = (0, 0, 0);
    for seed in first..first + schedules {
        let (story, result) = run(seed, Missing::Nothing, false);
        if let Err(broken) = result {
            let (story, _) = run(seed, Missing::Nothing, true);
            panic!(
                "HUSUN_SEED={seed} HUSUN_SCHEDULES=1: {broken}\n{}",
                story.told.join("\n")
            );
        }
        acknowledged += story.acknowledged;
        taken_over += story.taken_over;
        refused += story.refused;
    }
    println!(
        "{schedules} schedules from seed {first}: {acknowledged} events acknowledged, {refused} refused, \
         {taken_over} games taken over"
    );
    // What never happens is not tested.
    let many = schedules as usize;
    assert!(acknowledged > 10 * many && taken_over > many && refused > many / 5);
}

/// Each rule is needed: without it what must hold is broken soon, and the model sees that.
#[test]
fn without_the_fence_the_model_breaks() {
    for (missing, said) in [
        (Missing::Epoch, "two writers"),
        (Missing::Lock, "two writers"),
        (Missing::Lease, "after its lease"),
    ] {
        let broken = (1..2000).find_map(|seed| Some((seed, run(seed, missing, false).1.err()?)));
        let Some((seed, broken)) = broken else {
            panic!("without {missing:?} all holds: the model sees nothing");
        };
        println!("without {missing:?}, seed {seed}: {broken}");
        assert!(broken.contains(said), "{missing:?}: {broken}");
    }
}

/// What the SQL answers to the questions of a schedule.
struct Replay<'a> {
    store: &'a SqlStore,
    tag: String,
    /// The database's time when the schedule begins.
    start: i64,
    /// Boots of the model and of the database.
    boots: HashMap<i64, i64>,
}

impl Replay<'_> {
    fn game(&self, game: usize) -> String {
        format!("{}{game}", self.tag)
    }

    fn boot(&self, boot: i64) -> i64 {
        match boot {
            0 => 0,
            // One that nobody has had.
            boot => self.boots.get(&boot).copied().unwrap_or(i64::MAX),
        }
    }

    fn of_model(&self, boot: i64) -> Option<i64> {
        let mut boots = self.boots.iter();
        boots.find(|(_, b)| **b == boot).map(|(model, _)| *model)
    }

    fn owned(&self, game: usize, epoch: i64) -> Owned {
        Owned {
            game: self.game(game),
            epoch,
        }
    }

    async fn ask(&mut self, recorded: &Recorded) -> Result<Answer, StoreError> {
        self.store.set_time(self.start + recorded.time);
        let (store, ms) = (self.store, recorded.time);
        Ok(match recorded.ask {
            Ask::Arrive { name } => {
                let new = node(&format!("{}node{name}", self.tag), 1, ms);
                let boot = store.arrive(&new).await?;
                let model = self.boots.len() as i64 + 1;
                self.boots.insert(model, boot);
                Answer::Boot(model)
            }
            Ask::Beat { boot } => match store.beat(self.boot(boot), sign(ms)).await? {
                Beat::Alive(nodes) => {
                    Answer::Alive(nodes.iter().filter_map(|n| self.of_model(n.boot)).collect())
                }
                Beat::Lost => Answer::Lost,
                Beat::Replaced => Answer::Replaced,
            },
            Ask::Claim { game, boot } => {
                match store.claim(&self.game(game), self.boot(boot), ms).await? {
                    Claimed::Yours { epoch } => Answer::Yours(epoch),
                    Claimed::Of { boot, epoch, .. } => Answer::Of {
                        boot: self.of_model(boot).unwrap_or(i64::MAX),
                        epoch,
                    },
                    Claimed::Lost => Answer::Lost,
                    Claimed::NoSuchGame | Claimed::Beyond { .. } => Answer::Done(false),
                }
            }
            Ask::Load { game } => {
                let stored = store.load(&self.game(game)).await?;
                let events = stored.map(|stored| stored.events).unwrap_or_default();
                Answer::Log(events.iter().filter_map(|e| e.body.parse().ok()).collect())
            }
            Ask::Append {
                game,
                boot,
                epoch,
                seq,
                token,
            } => {
                let row = EventRow {
                    body: token.to_string(),
                    guest: None,
                    ..event(seq)
                };
                let write = GameWrite {
                    events: vec![row],
                    ..events(&self.game(game), [])
                };
                match one(store, of(self.boot(boot), epoch, write)).await? {
                    Ok(()) => Answer::Stored,
                    Err(StoreError::Conflict { .. }) => Answer::Conflict,
                    Err(StoreError::Fenced { .. }) => Answer::Fenced,
                    Err(error) => return Err(error),
                }
            }
            Ask::Release { game, boot, epoch } => {
                let games = [self.owned(game, epoch)];
                Answer::Done(store.release(&games, self.boot(boot), ms).await?.len() == 1)
            }
            Ask::HandOver {
                game,
                from,
                to,
                epoch,
            } => {
                let (game, to) = (self.owned(game, epoch), self.boot(to));
                Answer::Done(store.hand_over(&game, self.boot(from), to, ms).await?)
            }
            Ask::Orphans => {
                let found = store.orphans(1, 1000).await?;
                let ours = found.iter().filter_map(|id| id.strip_prefix(&self.tag));
                let mut games: Vec<usize> = ours.filter_map(|id| id.parse().ok()).collect();
                games.sort_unstable();
                Answer::Games(games)
            }
            Ask::Leave { boot } => {
                store.leave(self.boot(boot), ms).await?;
                Answer::Done(true)
            }
            Ask::Expire { boot, left } => Answer::Done(store.expire(self.boot(boot), left).await?),
        })
    }
}

/// Puts the questions of schedules to a database.
pub async fn replay(store: &SqlStore, first: u64, schedules: u64) -> Tested {
    let mut asked = 0;
    for seed in first..first + schedules {
        let (story, result) = run(seed, Missing::Nothing, false);
        result?;
        let mut replay = Replay {
            store,
            tag: format!("s{seed}x"),
            start: 1_000_000 + seed as i64 * 1_000_000,
            boots: HashMap::new(),
        };
        for game in 0..2 {
            one(store, made(&replay.game(game))).await??;
        }
        for recorded in &story.record {
            let Some(expected) = &recorded.answer else {
                continue;
            };
            let answer = replay.ask(recorded).await?;
            assert_eq!(answer, *expected, "HUSUN_SEED={seed}, {recorded:?}");
            asked += 1;
        }
        // They are out of the way of the next.
        store.set_time(replay.start + 500_000);
        let last = store.arrive(&node("last", 1, 0)).await?;
        for game in 0..2 {
            let id = replay.game(game);
            let Claimed::Yours { epoch } = store.claim(&id, last, 0).await? else {
                return Err("the last cannot have it".into());
            };
            let over = GameWrite {
                over: true,
                ..events(&id, [])
            };
            one(store, of(last, epoch, over)).await??;
        }
    }
    store.set_time(0);
    println!("{asked} questions of {schedules} schedules answered alike");
    Ok(())
}

#[tokio::test]
async fn sqlite_answers_as_the_model() -> Tested {
    let folder = folder("model")?;
    let store = SqlStore::file(&folder.join("games.sqlite")).await?;
    store.be_careless().await?;
    replay(&store, number("HUSUN_SEED", 1), number("HUSUN_REPLAYS", 40)).await?;
    store.close().await;
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}
