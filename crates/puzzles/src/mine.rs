//! Mining: an engine plays weak games against itself, and the positions of them that have a single solution become puzzles, as
//! long as they are unlike those that are there already. The same seed gives the same puzzles, on any number of threads.

use crate::ending;
use crate::proof;
use crate::puzzle::Puzzle;
use crate::solve::{Goal, Solver};
use engine::selfplay::{self, Effort, Seen, Terms};
use engine::values::Values;
use engine::{Engine, Score};
use husun::{Kind, Move, Position, Side, Variant};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::ControlFlow;
use std::sync::Arc;

/// Half-moves of random moves before each game; up to three more are made.
const OPENING: u32 = 8;
/// Half-moves between two puzzles of a game, and how many it has at most.
const APART: usize = 10;
const OF_A_GAME: usize = 2;
/// A win is no puzzle where there are fewer legal moves than the first, a save where there are fewer than the second: few men
/// have few.
const FEWEST_MOVES: u64 = 6;
const FEWEST_TO_SAVE: u64 = 4;
/// Before the id of a puzzle whose game began with few men, so that it stands beside those of other games.
const ENDING: &str = "e";
/// Of so many puzzles one may be solved in a single move, and one have the same pattern.
const SHARE_OF_ONE_MOVE: usize = 5;
const SHARE_OF_A_PATTERN: usize = 12;
/// Every so many games one more puzzle of each pattern is taken, and one more of a single move, so that mining ends.
const PATIENCE: u64 = 200;
/// But never more than so many of a hundred of a single move.
const MOST_OF_ONE_MOVE: usize = 40;

/// What is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// How many puzzles.
    pub count: usize,
    /// Seed of the games.
    pub seed: u64,
    /// Positions that the engine visits for each move: few, so that it makes mistakes.
    pub nodes: u64,
    /// The most moves of a solution.
    pub moves: u32,
    /// Moves within which every position is searched for a win; longer ones are looked for where the engine sees a win in
    /// `moves`.
    pub always: u32,
    /// A win is no puzzle for a side whose army is worth more than so many times the opponent's.
    pub ahead: u32,
    /// The most positions that its proof may take.
    pub proof: u64,
    /// Saves alone.
    pub saves: bool,
    /// If given, games begin with so many men on squares drawn by lot instead of the set-up.
    pub men: Option<u32>,
    /// The most games.
    pub games: u64,
    /// Games at the same time.
    pub threads: usize,
}

impl Wanted {
    /// Whether a game can begin as is wanted. It can't where so many men do not fit the board, or each arrangement of them
    /// ends the game.
    pub fn can_begin(&self, variant: &Arc<Variant>) -> bool {
        self.men
            .is_none_or(|men| ending::draw(variant, men, self.seed).is_some())
    }
}

/// How far mining has come.
#[derive(Clone, Debug, Default)]
pub struct Mined {
    /// The puzzles, in the order of their games.
    pub puzzles: Vec<Puzzle>,
    /// Games played for them.
    pub games: u64,
}

impl Mined {
    /// How far an earlier run had come that found these puzzles, in their order. The last game that had one counts as not
    /// yet played, in case it had another.
    pub fn before(mut puzzles: Vec<Puzzle>) -> Mined {
        let game = |puzzle: &Puzzle| -> Option<u64> {
            let id = puzzle.id();
            let (game, _) = id.strip_prefix(ENDING).unwrap_or(id).split_once('-')?;
            game.parse().ok()
        };
        let games = puzzles.last().and_then(game).unwrap_or(0);
        puzzles.retain(|puzzle| game(puzzle).is_some_and(|game| game < games));
        Mined { puzzles, games }
    }
}

/// Mines until there are enough puzzles, or the games are over. `before` is what an earlier run with the same wishes has found,
/// which comes to the same as a run that was not interrupted. `make` makes an engine of the game; `report` is told after each
/// game how far it is, and breaks off.
pub fn mine(
    wanted: Wanted,
    before: Mined,
    make: impl Fn() -> Engine + Sync,
    report: &mut dyn FnMut(&Mined) -> ControlFlow<()>,
) -> Mined {
    let terms = Terms {
        effort: Effort::Exactly(wanted.nodes),
        opening: wanted.men.map_or(OPENING, |_| 0),
    };
    let mut shelf = Shelf::new(wanted.count);
    for puzzle in &before.puzzles {
        shelf.count(puzzle);
    }
    let first = before.games;
    shelf.mined = before;
    if shelf.is_full() {
        return shelf.mined;
    }
    // Games end in any order, and are looked at in that of their numbers.
    let mut early: BTreeMap<u64, Vec<Puzzle>> = BTreeMap::new();
    selfplay::many(
        wanted.threads,
        first..wanted.games,
        make,
        |engine, number| {
            let seed = wanted.seed.wrapping_mul(1 << 32).wrapping_add(number);
            let start = match wanted.men {
                None => Some(engine.variant().start()),
                Some(men) => ending::draw(engine.variant(), men, seed),
            };
            let Some(start) = start else {
                return Vec::new();
            };
            let played = selfplay::play_out(engine, start, terms, seed);
            found_in(number, &played.seen, engine.values(), &wanted)
        },
        &mut |number, found| {
            early.insert(number, found);
            while let Some(found) = early.remove(&shelf.mined.games) {
                shelf.take(found);
                if shelf.is_full() || report(&shelf.mined).is_break() {
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        },
    );
    shelf.mined
}

/// The puzzles in the positions of a game, far enough apart.
fn found_in(number: u64, seen: &[Seen], values: &Values, wanted: &Wanted) -> Vec<Puzzle> {
    let mut found = Vec::new();
    let mut next = 1;
    for (ply, pair) in (1..).zip(seen.windows(2)) {
        let [before, now] = pair else { continue };
        if ply < next || found.len() >= OF_A_GAME {
            continue;
        }
        let ending = if wanted.men.is_some() { ENDING } else { "" };
        let id = format!("{ending}{number}-{ply}");
        if let Some(puzzle) = puzzle(&id, before, now, values, wanted) {
            found.push(puzzle);
            next = ply + APART;
        }
    }
    found
}

/// A puzzle in a position of a game, if there is one: `before` is the one before it.
fn puzzle(id: &str, before: &Seen, now: &Seen, values: &Values, wanted: &Wanted) -> Option<Puzzle> {
    let position = anew(&now.position)?;
    if position.can_accept() {
        return None;
    }
    let choices = position.count_moves();
    let turn = position.turn();
    let score = match (now.thought(), turn) {
        (score, Side::White) => score,
        (Score::Cp(cp), Side::Black) => Score::Cp(-cp),
        (Score::Mate(n), Side::Black) => Score::Mate(-n),
    };
    let mut solver = Solver::new(wanted.proof);
    let sees = |moves: u32| matches!(score, Score::Mate(n) if n > 0 && n <= moves as i32);
    let moves = match sees(wanted.moves) {
        true => wanted.moves,
        false => wanted.moves.min(wanted.always),
    };
    let even = {
        let [own, other] = [turn, turn.opponent()].map(|side| army(&position, side, values));
        own <= i64::from(wanted.ahead) * other
    };
    let won = match even && choices >= FEWEST_MOVES && !wanted.saves {
        true => proof::win(&position, moves, &mut solver).ok()?,
        false => None,
    };
    let line = match won {
        Some(line) => line,
        // Who is winning has nothing to save.
        None if score > Score::Cp(0) || choices < FEWEST_TO_SAVE => return None,
        None => proof::save(&position, moves, &mut solver).ok()??,
    };
    if takes_back(&before.position, &position, *line.first()?) {
        return None;
    }
    let puzzle = Puzzle::new(id, position, &line).ok()?;
    // What the miner found the proof must find, too: a save whose best defence loses is neither.
    let mut again = Solver::new(wanted.proof);
    puzzle.prove(&mut again).ok()?;
    Some(puzzle)
}

/// The position without a past: its counters begin anew.
fn anew(position: &Position) -> Option<Position> {
    let mut setup = position.setup();
    setup.halfmove = 0;
    setup.fullmove = 1;
    Position::from_setup(position.variant(), &setup).ok()
}

/// What the pieces of a side are worth together, in centipawns.
fn army(position: &Position, side: Side, values: &Values) -> i64 {
    let variant = position.variant();
    let pieces = variant.frame().squares();
    let own = pieces.filter_map(|s| position.piece_on(s).filter(|(whose, _)| *whose == side));
    let worth = |kind: Kind| match variant.piece(kind).royal {
        true => 0,
        false => i64::from(values.piece(variant, kind).mg),
    };
    own.map(|(_, kind)| worth(kind)).sum()
}

/// Whether a move captures what has just captured.
fn takes_back(before: &Position, now: &Position, m: Move) -> bool {
    let own = |position: &Position| position.piece_on(m.to()).map(|(side, _)| side);
    own(before) == Some(now.turn()) && own(now) == Some(now.turn().opponent())
}

/// The puzzles that are taken, and how many there are of each pattern.
struct Shelf {
    mined: Mined,
    wanted: usize,
    patterns: HashMap<Pattern, usize>,
    keys: HashSet<u64>,
    short: usize,
}

/// What makes puzzles alike: goal and length, the kinds that make the first move and the last, and whether the first captures
/// or gives check.
type Pattern = (Goal, u32, Kind, Kind, bool, bool);

impl Shelf {
    fn new(wanted: usize) -> Shelf {
        Shelf {
            mined: Mined::default(),
            wanted,
            patterns: HashMap::new(),
            keys: HashSet::new(),
            short: 0,
        }
    }

    fn is_full(&self) -> bool {
        self.mined.puzzles.len() >= self.wanted
    }

    /// Takes what is new of the puzzles of the next game.
    fn take(&mut self, found: Vec<Puzzle>) {
        let more = (self.mined.games / PATIENCE) as usize;
        self.mined.games += 1;
        for puzzle in found {
            let Some(pattern) = pattern(&puzzle) else {
                continue;
            };
            let short = is_short(&puzzle);
            let count = self.patterns.get(&pattern).copied().unwrap_or(0);
            let alike = count > self.wanted / SHARE_OF_A_PATTERN + more;
            let most = (self.wanted * MOST_OF_ONE_MOVE).div_ceil(100);
            let too_short = self.short >= most.min(self.wanted.div_ceil(SHARE_OF_ONE_MOVE) + more);
            let known = self.keys.contains(&puzzle.position().key());
            if self.is_full() || alike || short && too_short || known {
                continue;
            }
            self.count(&puzzle);
            self.mined.puzzles.push(puzzle);
        }
    }

    /// Counts a puzzle that is taken.
    fn count(&mut self, puzzle: &Puzzle) {
        if let Some(pattern) = pattern(puzzle) {
            *self.patterns.entry(pattern).or_default() += 1;
        }
        self.short += usize::from(is_short(puzzle));
        self.keys.insert(puzzle.position().key());
    }
}

fn is_short(puzzle: &Puzzle) -> bool {
    puzzle.moves() == 1
}

fn pattern(puzzle: &Puzzle) -> Option<Pattern> {
    let (first, last) = (*puzzle.line().first()?, *puzzle.line().last()?);
    let position = puzzle.position();
    let check = position.play_unchecked(first).in_check();
    let captures = position.is_capture(first);
    let kinds = (first.piece(), last.placed());
    Some((
        puzzle.goal(),
        puzzle.moves(),
        kinds.0,
        kinds.1,
        captures,
        check,
    ))
}
