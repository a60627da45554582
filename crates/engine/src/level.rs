//! Levels: weaker in a human way. A lower level overlooks moves that are hard to see, looks less far ahead, thinks
//! hard in fewer of its turns and judges its moves less exactly; it never makes a move for no reason. What each
//! level scores against the next is in docs/levels.md.

use crate::limits::Limits;
use crate::random::Random;
use crate::root::RootMove;
use crate::score::MATE_BOUND;
use crate::search::glance::Glance;
use crate::sight::{Eyes, Sight};

/// A level of strength, 1 to 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Level(u8);

/// What a player of a certain strength does in a turn.
#[derive(Clone, Copy, Debug)]
struct Skill {
    /// Share of the turns in which it searches in earnest; in the others it glances.
    earnest: f64,
    /// Positions visited by a search in earnest.
    nodes: f64,
    /// Share of the glances in which it does not think of the opponent's answer.
    rash: f64,
    /// Half-moves that a glance looks ahead.
    depth: f64,
    /// What a glance sees.
    eyes: Eyes,
    /// Deviation of its judgement, in centipawns.
    noise: f64,
}

/// Number of best moves whose scores a serious search finds; the inaccuracy chooses among them.
const LINES: usize = 2;
/// Captures that a glance follows after its last ply.
const CAPTURES: u32 = 2;
/// Positions visited by a glance.
const GLANCED: u64 = 60_000;
/// How much worse than the best a move may be, in deviations of the judgement.
const MARGIN: f64 = 2.0;
/// A player's form on the day, in levels: the deviation from game to game, and the most.
const FORM: (f64, f64) = (0.9, 1.8);
/// Half-moves after which the course of the game enters into the form.
const COURSE: usize = 8;

const fn skill(
    (earnest, nodes): (f64, f64),
    (rash, depth): (f64, f64),
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

/// By level, with one below the first and the eighth for good days; strengths between are interpolated.
const SKILLS: [Skill; 9] = [
    skill((0.0, 500.0), (1.0, 1.0), (0.95, 0.09), 165.0),
    skill((0.0, 500.0), (0.95, 1.0), (0.735, 0.082), 118.0),
    skill((0.0, 500.0), (0.83, 1.0), (0.33, 0.072), 90.0),
    skill((0.0, 500.0), (0.39, 1.65), (0.097, 0.042), 60.0),
    skill((0.23, 900.0), (0.1, 2.0), (0.04, 0.0165), 34.0),
    skill((0.63, 4800.0), (0.033, 2.0), (0.022, 0.011), 21.0),
    skill((0.885, 28_000.0), (0.012, 2.0), (0.0122, 0.0061), 11.0),
    skill((0.985, 105_000.0), (0.0, 2.0), (0.006, 0.003), 6.0),
    skill((1.0, 300_000.0), (0.0, 2.0), (0.0, 0.0), 4.0),
];

impl Skill {
    /// The skill at a strength between two levels.
    fn at(level: f64) -> Skill {
        let all = &SKILLS;
        let level = level.clamp(0.0, (all.len() - 1) as f64);
        let lower = (level as usize).min(all.len() - 2);
        let (a, b, part) = (all[lower], all[lower + 1], level - lower as f64);
        let between = |a: f64, b: f64| a + (b - a) * part;
        skill(
            (
                between(a.earnest, b.earnest),
                between(a.nodes.ln(), b.nodes.ln()).exp(),
            ),
            (between(a.rash, b.rash), between(a.depth, b.depth)),
            (
                between(a.eyes.near, b.eyes.near),
                between(a.eyes.far, b.eyes.far),
            ),
            between(a.noise, b.noise),
        )
    }
}

impl Level {
    /// The weakest.
    pub const FIRST: Level = Level(1);
    /// Full strength.
    pub const FULL: Level = Level(8);

    /// How strong the level is on the scale of Elo: what lies between two levels is what matches between them have
    /// shown, as a mean over four games (`docs/levels.md`); that the first has 800 is set.
    ///
    /// ```
    /// use husun_engine::Level;
    /// let ratings: Vec<u16> = Level::all().map(Level::rating).collect();
    /// assert!(ratings.is_sorted() && ratings[0] == 800);
    /// ```
    pub const fn rating(self) -> u16 {
        [800, 970, 1180, 1380, 1620, 1860, 2050, 2240][self.0 as usize - 1]
    }

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

    /// How it goes about a turn, by chance; nothing at full strength. Its form on the day is drawn from the seed and
    /// the first moves of the game, `history`; everything else anew for each position.
    pub(crate) fn turn(self, key: u64, history: &[u64], seed: u64) -> Option<Turn> {
        if self == Level::FULL {
            return None;
        }
        let course = history.get(COURSE).copied().unwrap_or(0);
        let form = Random::new(seed ^ course).normal() * FORM.0;
        let skill = Skill::at(f64::from(self.0) + form.clamp(-FORM.1, FORM.1));
        let mut random = Random::new(key ^ seed ^ Random::new(history.len() as u64).next());
        let margin = (MARGIN * skill.noise) as i32;
        let glance = (random.unit() >= skill.earnest).then(|| Glance {
            depth: match random.unit() < skill.rash {
                true => 0,
                // Between two depths sometimes one, sometimes the other.
                false => (skill.depth + random.unit()) as u32,
            },
            captures: CAPTURES,
            sight: Sight::new(skill.eyes, random.next()),
            margin,
        });
        Some(Turn {
            nodes: match glance {
                Some(_) => GLANCED,
                None => skill.nodes as u64,
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
    /// How it glances, unless it searches in earnest.
    pub fn glance(&self) -> Option<&Glance> {
        self.glance.as_ref()
    }

    /// The limits combined with those of the turn.
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
