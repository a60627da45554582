//! Levels: weaker in a human way. A lower level overlooks moves that are hard to see, looks less far, thinks hard in fewer
//! of its turns and is less exact about how good its moves are; it never makes a move for no reason. What each of them
//! scores against the next is in docs/levels.md.

use crate::limits::Limits;
use crate::random::Random;
use crate::root::RootMove;
use crate::score::MATE_BOUND;
use crate::search::glance::Glance;
use crate::sight::{Eyes, Sight};

/// A level of strength, 1 to 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Level(u8);

/// What a level does in a turn.
#[derive(Clone, Copy, Debug)]
struct Skill {
    /// Share of the turns in which it searches in earnest; in the others it glances.
    earnest: f64,
    /// Positions visited by a search in earnest.
    nodes: u64,
    /// Share of the glances in which it does not think of the opponent's answer.
    rash: f64,
    /// Half-moves that a glance looks ahead.
    depth: u32,
    /// What a glance sees.
    eyes: Eyes,
    /// Deviation of its judgement, in centipawns.
    noise: f64,
}

/// Best moves whose scores are found out in earnest; the inaccuracy chooses among them.
const LINES: usize = 3;
/// Captures that a glance follows after its last ply.
const CAPTURES: u32 = 2;
/// Positions visited by a glance.
const GLANCED: u64 = 60_000;
/// How much worse than the best a move may be, in deviations of the judgement.
const MARGIN: f64 = 2.0;

const fn skill(
    (earnest, nodes): (f64, u64),
    (rash, depth): (f64, u32),
    (near, far): (f64, f64),
    noise: f64,
) -> Skill {
    Skill {
        earnest,
        nodes,
        rash,
        depth,
        eyes: Eyes { near, far },
        noise,
    }
}

const SKILLS: [Skill; 7] = [
    skill((0.0, 0), (0.5, 1), (0.40, 0.06), 100.0),
    skill((0.0, 0), (0.2, 1), (0.20, 0.03), 80.0),
    skill((0.0, 0), (0.1, 2), (0.10, 0.02), 50.0),
    skill((0.3, 1000), (0.05, 2), (0.05, 0.01), 30.0),
    skill((0.7, 4000), (0.0, 2), (0.04, 0.01), 20.0),
    skill((0.85, 15_000), (0.0, 2), (0.03, 0.01), 12.0),
    skill((0.95, 60_000), (0.0, 2), (0.02, 0.01), 6.0),
];

impl Level {
    /// Full strength.
    pub const FULL: Level = Level(8);

    /// A level from 1 (loses to a beginner) to 8 (full strength).
    ///
    /// ```
    /// use husun_engine::Level;
    /// assert_eq!(Level::new(8), Some(Level::FULL));
    /// assert_eq!(Level::new(9), None);
    /// assert_eq!(Level::new(3).map(Level::number), Some(3));
    /// ```
    pub const fn new(number: u8) -> Option<Level> {
        match number {
            1..=8 => Some(Level(number)),
            _ => None,
        }
    }

    /// All levels, the weakest first.
    pub fn all() -> impl Iterator<Item = Level> {
        (1..=8).map(Level)
    }

    /// 1 to 8.
    pub const fn number(self) -> u8 {
        self.0
    }

    /// How it goes about a turn, by chance from the seed; nothing at full strength.
    pub(crate) fn turn(self, seed: u64) -> Option<Turn> {
        let skill = skills().get(usize::from(self.0) - 1)?;
        let mut random = Random::new(seed);
        let margin = (MARGIN * skill.noise) as i32;
        let glance = (random.unit() >= skill.earnest).then(|| Glance {
            depth: match random.unit() < skill.rash {
                true => 0,
                false => skill.depth,
            },
            captures: CAPTURES,
            sight: Sight::new(skill.eyes, random.next()),
            margin,
        });
        Some(Turn {
            nodes: match glance {
                Some(_) => GLANCED,
                None => skill.nodes,
            },
            glance,
            noise: skill.noise,
            margin,
            random,
        })
    }
}

/// How a level below full strength goes about one turn.
pub(crate) struct Turn {
    nodes: u64,
    glance: Option<Glance>,
    noise: f64,
    margin: i32,
    random: Random,
}

impl Turn {
    /// How it looks, unless it searches in earnest.
    pub fn glance(&self) -> Option<&Glance> {
        self.glance.as_ref()
    }

    /// The limits with those of the turn.
    pub fn limit(&self, limits: &Limits) -> Limits {
        Limits {
            nodes: Some(limits.nodes.map_or(self.nodes, |n| n.min(self.nodes))),
            ..limits.clone()
        }
    }

    /// How many moves need a score of their own.
    pub fn lines(&self, moves: usize) -> usize {
        LINES.min(moves).max(1)
    }

    /// The move that it prefers; none for the best one.
    pub fn choose(&mut self, moves: &[RootMove]) -> Option<usize> {
        let best = moves.first()?.known()?;
        if best.abs() > MATE_BOUND {
            return None;
        }
        let mut chosen = (0, f64::MIN);
        for (i, r) in moves.iter().enumerate() {
            let Some(score) = r.known().filter(|&s| s >= best - self.margin) else {
                continue;
            };
            let felt = f64::from(score) + self.noise * self.random.normal();
            if felt > chosen.1 {
                chosen = (i, felt);
            }
        }
        Some(chosen.0)
    }
}

fn skills() -> &'static [Skill] {
    static OWN: std::sync::OnceLock<Vec<Skill>> = std::sync::OnceLock::new();
    OWN.get_or_init(|| {
        let mut all = SKILLS.to_vec();
        if let Ok(text) = std::env::var("HUSUN_SKILLS") {
            for (skill_, line) in all.iter_mut().zip(text.split(';')) {
                let n: Vec<f64> = line
                    .split_whitespace()
                    .map(|w| w.parse().unwrap())
                    .collect();
                if n.len() == 7 {
                    *skill_ = skill((n[0], n[1] as u64), (n[2], n[3] as u32), (n[4], n[5]), n[6]);
                }
            }
        }
        all
    })
}
