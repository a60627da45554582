//! Levels: weaker in a human way. A lower level looks less far and is less exact about how good its
//! moves are, but it never takes a move that it sees to lose, nor misses a mate at hand.

use crate::limits::Limits;
use crate::random::Random;
use crate::root::RootMove;
use crate::score::MATE_BOUND;

/// A level of strength, 1 to 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Level(u8);

/// What a level does.
struct Skill {
    depth: u32,
    nodes: u64,
    /// Best moves whose scores are found out; the inaccuracy chooses among them.
    lines: usize,
    /// Deviation of its judgement, in centipawns.
    noise: f64,
    /// How much worse than the best a move may be, in centipawns.
    margin: i32,
}

const SKILLS: [Skill; 7] = [
    Skill {
        depth: 2,
        nodes: 20_000,
        lines: 256,
        noise: 170.0,
        margin: 300,
    },
    Skill {
        depth: 2,
        nodes: 30_000,
        lines: 256,
        noise: 70.0,
        margin: 130,
    },
    Skill {
        depth: 3,
        nodes: 60_000,
        lines: 256,
        noise: 45.0,
        margin: 90,
    },
    Skill {
        depth: 4,
        nodes: 150_000,
        lines: 12,
        noise: 25.0,
        margin: 50,
    },
    Skill {
        depth: 6,
        nodes: 300_000,
        lines: 5,
        noise: 14.0,
        margin: 30,
    },
    Skill {
        depth: 7,
        nodes: 700_000,
        lines: 3,
        noise: 8.0,
        margin: 18,
    },
    Skill {
        depth: 9,
        nodes: 2_000_000,
        lines: 2,
        noise: 4.0,
        margin: 10,
    },
];

impl Level {
    /// Full strength.
    pub const FULL: Level = Level(8);

    /// A level from 1 (a beginner's equal) to 8 (full strength).
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

    fn skill(self) -> Option<&'static Skill> {
        SKILLS.get(usize::from(self.0) - 1)
    }

    /// The limits with those of the level.
    pub(crate) fn limit(self, limits: &Limits) -> Limits {
        let mut limits = limits.clone();
        if let Some(skill) = self.skill() {
            let least = |given: Option<u64>, own: u64| Some(given.map_or(own, |g| g.min(own)));
            limits.depth = Some(limits.depth.map_or(skill.depth, |d| d.min(skill.depth)));
            limits.nodes = least(limits.nodes, skill.nodes);
        }
        limits
    }

    /// How many moves need a score of their own, for a level below full strength.
    pub(crate) fn lines(self, moves: usize) -> Option<usize> {
        self.skill().map(|s| s.lines.min(moves).max(1))
    }

    /// The move that the level prefers; none for the best one.
    pub(crate) fn choose(self, moves: &[RootMove], seed: u64) -> Option<usize> {
        let skill = self.skill()?;
        let best = moves.first()?.known()?;
        if best.abs() > MATE_BOUND {
            return None;
        }
        let mut random = Random::new(seed);
        let mut chosen = (0, f64::MIN);
        for (i, r) in moves.iter().enumerate().take(skill.lines) {
            let Some(score) = r.known().filter(|&s| s >= best - skill.margin) else {
                continue;
            };
            let felt = f64::from(score) + skill.noise * random.normal();
            if felt > chosen.1 {
                chosen = (i, felt);
            }
        }
        Some(chosen.0)
    }
}
