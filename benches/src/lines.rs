//! Ways to find what sliders reach, measured beside the library's own on three boards: for
//! `docs/speed/lines.md`. All of them count the moves of the rooks, bishops and what else slides of the
//! side to move, in positions of random play, and must agree.

mod board;
mod cpu;
mod fill;
mod lookup;
mod magic;
mod report;
mod scan;
#[cfg(test)]
mod tests;

use crate::stats::timed;
use crate::work::positions;
use anyhow::{Context, Result, ensure};
use board::{Bits, Board, Kind, Random};
use cpu::{Bmi2, Level, Task};
use fill::{Parallel, Plain, Scene, Setwise};
use lookup::{Narrow, Sets, Shapes};
use magic::Magics;
use scan::{Halves, Hyperbola, Obstruction, Rays, Slide};
use std::hint::black_box;
use std::path::Path;
use std::rc::Rc;

/// Positions of each game.
const POSITIONS: usize = 1000;
/// How often a measurement goes through them.
const TIMES: usize = 300;
/// Highest size of the library's table of both diagonals at once.
const DIAGONALS: usize = 384 << 10;

/// What is counted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Rooks,
    Bishops,
    Both,
}

const PARTS: [Part; 3] = [Part::Rooks, Part::Bishops, Part::Both];

/// Something that counts for each scene; none for a part that it cannot count alone.
type Run<B> = Box<dyn Fn(&[Scene<B>], Part) -> Option<u64>>;

/// A method on a kind of processor.
struct Method<B> {
    name: &'static str,
    level: &'static str,
    /// Size of the tables for rooks and for bishops.
    bytes: [usize; 2],
    run: Run<B>,
}

/// One slider after the other.
struct Single<'a, B, R, S> {
    scenes: &'a [Scene<B>],
    part: Part,
    rooks: &'a R,
    bishops: &'a S,
}

macro_rules! count {
    ($method:expr, $sliders:expr, $scene:expr, $n:ident) => {
        for (i, mut word) in [$sliders.low(), $sliders.high()].into_iter().enumerate() {
            while word != 0 {
                let square = 64 * i + word.trailing_zeros() as usize;
                word &= word - 1;
                let reached = $method.reach(square, $scene.occupied);
                $n += u64::from((reached & !$scene.own).count());
            }
        }
    };
}

impl<B: Bits, R: Slide<B>, S: Slide<B>> Task for Single<'_, B, R, S> {
    #[inline(always)]
    fn run(self) -> u64 {
        let mut n = 0;
        for scene in self.scenes {
            if self.part != Part::Bishops {
                count!(self.rooks, scene.rooks, scene, n);
            }
            if self.part != Part::Rooks {
                count!(self.bishops, scene.bishops, scene, n);
            }
        }
        n
    }
}

/// All sliders at once.
struct Together<'a, B, M> {
    scenes: &'a [Scene<B>],
    method: &'a M,
}

impl<B: Bits, M: Setwise<B>> Task for Together<'_, B, M> {
    #[inline(always)]
    fn run(self) -> u64 {
        let mut n = 0;
        for scene in self.scenes {
            n += u64::from(self.method.count(scene));
        }
        n
    }
}

fn single<B, R, S>(name: &'static str, levels: &[Level], rooks: R, bishops: S) -> Vec<Method<B>>
where
    B: Bits,
    R: Slide<B> + 'static,
    S: Slide<B> + 'static,
{
    let bytes = [rooks.bytes(), bishops.bytes()];
    let both = Rc::new((rooks, bishops));
    let at = |&level: &Level| {
        let both = both.clone();
        let run: Run<B> = Box::new(move |scenes, part| {
            let (rooks, bishops) = &*both;
            Some(level.run(Single {
                scenes,
                part,
                rooks,
                bishops,
            }))
        });
        Method {
            name,
            level: level.name(),
            bytes,
            run,
        }
    };
    levels.iter().map(at).collect()
}

fn setwise<B, M>(name: &'static str, levels: &[Level], method: M) -> Vec<Method<B>>
where
    B: Bits,
    M: Setwise<B> + 'static,
{
    let bytes = [size_of::<M>(), 0];
    let method = Rc::new(method);
    let at = |&level: &Level| {
        let method = method.clone();
        let run: Run<B> = Box::new(move |scenes, part| {
            let method = &*method;
            (part == Part::Both).then(|| level.run(Together { scenes, method }))
        });
        Method {
            name,
            level: level.name(),
            bytes,
            run,
        }
    };
    levels.iter().map(at).collect()
}

/// What the library does on the board, first of all methods.
fn in_use<B: Bits>(cpu: Bmi2, board: &Board) -> Vec<Method<B>> {
    let level = [Level::Bmi2(cpu)];
    let rooks = Shapes::new(cpu, board, Kind::Rook);
    let whole = Sets::<B, 1>::new(cpu, board, Kind::Bishop);
    if whole.bytes() <= DIAGONALS {
        return single(
            "in use: rooks by line, shared; bishops whole",
            &level,
            rooks,
            whole,
        );
    }
    let bishops = Shapes::new(cpu, board, Kind::Bishop);
    single("in use: both by line, shared", &level, rooks, bishops)
}

/// All methods that the processor can do, for a board of `FILES` files in sets of `W` words.
fn methods<B: Bits, const FILES: u32, const W: usize, const LONG: bool>(
    board: &Board,
) -> Result<Vec<Method<B>>> {
    let (bmi2, wide) = cpu::levels();
    let bmi2 = bmi2.context("the library's fast way needs BMI2 and AVX2")?;
    let (fast, both) = ([Level::Bmi2(bmi2)], [Level::Plain, Level::Bmi2(bmi2)]);
    let mut all = in_use(bmi2, board);
    macro_rules! add {
        ($name:literal, $levels:expr, $make:expr) => {
            all.extend(single(
                $name,
                &$levels,
                $make(Kind::Rook),
                $make(Kind::Bishop),
            ))
        };
    }
    add!("pext, by line, shared shapes", fast, |k| Shapes::<B>::new(
        bmi2, board, k
    ));
    add!("pext, by line, sets", fast, |k| Sets::<B, 2>::new(
        bmi2, board, k
    ));
    add!("pext, whole, sets", fast, |k| Sets::<B, 1>::new(
        bmi2, board, k
    ));
    add!("pext, whole, 32 bits", fast, |k| Narrow::<B>::new(
        bmi2, board, k
    ));
    add!("magic, by line", both, |k| Magics::<B, 2>::new(board, k));
    if !B::WIDE {
        add!("magic, whole", both, |k| Magics::<B, 1>::new(board, k));
    }
    add!("classical rays", both, |k| Rays::<B>::new(board, k));
    add!("half lines (portable twin in use)", both, |k| {
        Halves::<B>::new(board, k)
    });
    add!("obstruction difference", both, |k| Obstruction::<B>::new(
        board, k
    ));
    add!("hyperbola quintessence", both, |k| Hyperbola::<B>::new(
        board, k
    ));
    let plain = Plain::<B, FILES, LONG>::new(board);
    all.extend(setwise(
        "Kogge-Stone, one direction at a time",
        &both,
        plain,
    ));
    let lanes = Parallel::<[u64; 8], W, LONG>::new::<B>((), board);
    let widest = wide.map(Level::Avx512);
    let levels: Vec<Level> = both.into_iter().chain(widest).collect();
    all.extend(setwise(
        "Kogge-Stone, eight lanes by the compiler",
        &levels,
        lanes,
    ));
    let two = Parallel::<cpu::Two, W, LONG>::new::<B>(bmi2, board);
    all.extend(setwise("Kogge-Stone, two vectors", &fast, two));
    if let Some(wide) = wide {
        let one = Parallel::<cpu::One, W, LONG>::new::<B>(wide, board);
        let level = [Level::Avx512(wide)];
        all.extend(setwise("Kogge-Stone, one vector", &level, one));
    }
    Ok(all)
}

/// The scene of a position's text; all that slides as a rook or a bishop by its letter.
fn scene<B: Bits>(board: &Board, fen: &str) -> Option<Scene<B>> {
    let mut fields = fen.split_whitespace();
    let (placement, turn) = (fields.next()?, fields.next()?);
    let mut scene = Scene {
        own: B::EMPTY,
        occupied: B::EMPTY,
        rooks: B::EMPTY,
        bishops: B::EMPTY,
    };
    for (i, rank) in placement.split('/').rev().enumerate() {
        let (mut file, mut empty) = (0, 0);
        for c in rank.chars() {
            if let Some(digit) = c.to_digit(10) {
                empty = 10 * empty + digit as u8;
                continue;
            }
            file += std::mem::take(&mut empty);
            let square = B::bit(i as u8 * board.files + file);
            file += 1;
            scene.occupied = scene.occupied | square;
            if c.is_uppercase() != (turn == "w") {
                continue;
            }
            scene.own = scene.own | square;
            if "RQC".contains(c.to_ascii_uppercase()) {
                scene.rooks = scene.rooks | square;
            }
            if "BQA".contains(c.to_ascii_uppercase()) {
                scene.bishops = scene.bishops | square;
            }
        }
    }
    Some(scene)
}

fn scenes<B: Bits>(board: &Board, id: &str, number: usize) -> Result<Vec<Scene<B>>> {
    let game = games::variant(id).context("no such game")?;
    let scene = |p: &husun::Position| scene(board, &p.fen()).context("a position's text");
    positions(&game, number).iter().map(scene).collect()
}

/// Scenes in which a count tells whether a set holds a square: one slider, and one square of all that
/// is not an own piece's.
fn probes<B: Bits>(board: &Board, number: usize) -> impl Iterator<Item = (Scene<B>, u64)> {
    let mut random = Random(0xd6e8_feb8_6659_fd93);
    let n = u64::from(board.squares);
    let squares = B::bit(board.squares - 1).through_first();
    (0..number).map(move |i| {
        let mut pieces = B::of(random.next(), random.next()) & squares;
        for _ in 0..i % 4 {
            pieces = pieces & B::of(random.next(), random.next());
        }
        let (from, to) = ((random.next() % n) as u8, (random.next() % n) as u8);
        let (slider, occupied) = (B::bit(from), pieces | B::bit(from));
        let own = squares & !B::bit(to);
        let (kind, rooks, bishops) = if i % 2 == 0 {
            (Kind::Rook, slider, B::EMPTY)
        } else {
            (Kind::Bishop, B::EMPTY, slider)
        };
        let reached = board.reach(from, &kind.lines(), occupied).has(to);
        let scene = Scene {
            own,
            occupied,
            rooks,
            bishops,
        };
        (scene, u64::from(reached))
    })
}

/// Compares every method with the slow twin, and all of them on the scenes.
fn check<B: Bits>(board: &Board, methods: &[Method<B>], scenes: &[Scene<B>]) -> Result<()> {
    let probes: Vec<(Scene<B>, u64)> = probes(board, 40_000).collect();
    let total = (methods[0].run)(scenes, Part::Both);
    for m in methods {
        let right = |(scene, n): &(Scene<B>, u64)| (m.run)(&[*scene], Part::Both) == Some(*n);
        ensure!(
            probes.iter().all(right),
            "{}, {}: a wrong set",
            m.name,
            m.level
        );
        ensure!(
            (m.run)(scenes, Part::Both) == total,
            "{}, {}: a wrong count",
            m.name,
            m.level
        );
    }
    Ok(())
}

/// Nanoseconds for all positions, by method, part and round.
fn on_board<B: Bits>(
    name: &'static str,
    rounds: usize,
    methods: &[Method<B>],
    scenes: &[Scene<B>],
) -> report::Figures {
    let mut nanos = vec![[const { Vec::new() }; 3]; methods.len()];
    for _ in 0..rounds {
        for (m, nanos) in methods.iter().zip(&mut nanos) {
            for (part, nanos) in PARTS.into_iter().zip(nanos) {
                let pass = || (m.run)(black_box(scenes), part);
                let (counted, time) = timed(|| (0..TIMES).all(|_| black_box(pass()).is_some()));
                if counted {
                    nanos.push(time.as_nanos() as f64 / TIMES as f64);
                }
            }
        }
    }
    let sliders = |set: fn(&Scene<B>) -> B| scenes.iter().map(|s| f64::from(set(s).count())).sum();
    let rows = methods.iter().zip(nanos).map(|(m, nanos)| report::Row {
        name: m.name,
        level: m.level,
        bytes: m.bytes,
        nanos,
    });
    report::Figures {
        board: name,
        positions: scenes.len() as f64,
        sliders: [sliders(|s| s.rooks), sliders(|s| s.bishops)],
        rows: rows.collect(),
    }
}

fn one<B: Bits, const FILES: u32, const W: usize, const LONG: bool>(
    rounds: usize,
    ranks: u8,
    (id, name): (&str, &'static str),
) -> Result<report::Figures> {
    let board = Board::new(FILES as u8, ranks);
    let methods = methods::<B, FILES, W, LONG>(&board)?;
    let scenes = scenes(&board, id, POSITIONS)?;
    check(&board, &methods, &scenes)?;
    Ok(on_board(name, rounds, &methods, &scenes))
}

/// Measures on three boards and writes a page and a plot into the folder.
pub fn measure(rounds: usize, out: &Path) -> Result<()> {
    let figures = [
        one::<u64, 8, 1, false>(rounds, 8, ("chess", "8x8, 64 bits, chess"))?,
        one::<u128, 10, 2, true>(rounds, 8, ("capablanca", "10x8, 128 bits, capablanca"))?,
        one::<u128, 10, 2, true>(rounds, 10, ("grand", "10x10, 128 bits, grand"))?,
    ];
    report::write(&figures, out)
}
