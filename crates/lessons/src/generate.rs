//! The lesson of a kind of piece, made from the game's definition: reach the stars, capture all, avoid attack. Boards are drafted
//! by chance from a seed that depends on the game and the piece alone, so that a lesson is always the same, and the one that
//! shows most of what the piece can do is kept.

mod draft;
mod words;

use crate::course::{About, Lesson};
use crate::scene::{Practice, Scene, changing};
use crate::task::{Goal, Opponent, Task};
use draft::{Draft, Solution};
use husun::betza::{Mode, Part, Way};
use husun::{Kind, Side, Square, Variant};
use std::sync::Arc;
use words::Theme;

/// Boards that are drafted for a task.
const DRAFTS: usize = 40;
/// Moves that a task may take.
const LONGEST: usize = 6;

/// The kinds in the order of the game's file, those that stand on no set-up and come into play by no rule last.
pub(crate) fn in_order(variant: &Variant) -> Vec<Kind> {
    let (mut known, others): (Vec<Kind>, Vec<Kind>) =
        variant.kinds().partition(|&k| comes_into_play(variant, k));
    known.extend(others);
    known
}

fn comes_into_play(variant: &Variant, kind: Kind) -> bool {
    let rules = variant.rules();
    let placed = |side: Side| {
        let mut setups = variant.setups().iter();
        setups.any(|s| s.setup.board.contains(&Some((side, kind))))
    };
    let mut made = rules.arrivals.iter().chain(&rules.prison);
    Side::ALL.into_iter().any(placed)
        || made.any(|a| a.piece == kind)
        || rules.traverse.as_ref().is_some_and(|t| t.becomes == kind)
        || rules.crowning.as_ref().is_some_and(|c| c.becomes == kind)
        || rules
            .promotion
            .as_ref()
            .is_some_and(|p| p.to.contains(&kind))
}

/// The lesson of a kind; none if it cannot move.
pub(crate) fn lesson(variant: &Arc<Variant>, kind: Kind) -> Option<Lesson> {
    let maker = Maker::new(variant, kind);
    let mut tasks = Vec::new();
    for theme in [Theme::Stars, Theme::Capture, Theme::Avoid] {
        tasks.extend(maker.task(theme));
    }
    if tasks.is_empty() {
        return None;
    }
    let name = variant.spoken_name(kind);
    Some(Lesson {
        id: slug(&name),
        title: words::capitalized(&name),
        text: variant.sentence(kind),
        about: About::Piece(kind),
        tasks,
    })
}

/// A name as a word of an address.
fn slug(name: &str) -> String {
    let parts = name.split(|c: char| !c.is_ascii_alphanumeric());
    let parts: Vec<&str> = parts.filter(|p| !p.is_empty()).collect();
    match parts.join("-").to_ascii_lowercase() {
        empty if empty.is_empty() => "piece".into(),
        mut word => {
            word.truncate(40);
            word
        }
    }
}

/// Random numbers from a seed (splitmix64, by Steele, Lea and Flood).
struct Chance(u64);

impl Chance {
    fn seeded(text: &str) -> Chance {
        // FNV-1a
        let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| {
            (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3)
        });
        Chance(hash)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> Option<T> {
        all.get(self.below(all.len())).copied()
    }
}

struct Maker<'a> {
    variant: &'a Arc<Variant>,
    kind: Kind,
    side: Side,
    /// Where it may begin.
    homes: Vec<Square>,
    /// Squares on which it would change or leave the board.
    closed: Vec<Square>,
    /// Enemies that move as they capture, so that what they attack is where they go.
    attackers: Vec<Kind>,
    /// Enemies that only stand there.
    victims: Vec<Kind>,
    /// What stands in the way of nobody but hoppers.
    screen: Option<Kind>,
}

impl<'a> Maker<'a> {
    fn new(variant: &'a Arc<Variant>, kind: Kind) -> Maker<'a> {
        let has = |side: Side| {
            let mut setups = variant.setups().iter();
            setups.any(|s| s.setup.board.contains(&Some((side, kind))))
        };
        // A kind that only the second side has is learned from that side.
        let side = match (has(Side::White), has(Side::Black)) {
            (false, true) => Side::Black,
            _ => Side::White,
        };
        let foe = side.opponent();
        let on_board = |k: &Kind| variant.setup_count(foe, *k) > 0 && !variant.piece(*k).royal;
        let plain = |k: &Kind| {
            let mut parts = variant.piece(*k).parts.iter();
            parts.all(|p| p.mode == Mode::Both) && !variant.piece(*k).pawn
        };
        let attackers: Vec<Kind> = variant.kinds().filter(on_board).filter(plain).collect();
        let victims: Vec<Kind> = variant.kinds().filter(on_board).collect();
        let pawn = |k: &Kind| variant.piece(*k).pawn && *k != kind;
        let other = |k: &Kind| *k != kind && !variant.piece(*k).royal;
        let screen = variant.kinds().find(pawn);
        Maker {
            variant,
            kind,
            side,
            homes: homes(variant, kind, side),
            closed: changing(variant, side, kind),
            attackers,
            victims,
            screen: screen.or_else(|| variant.kinds().find(other)),
        }
    }

    fn parts(&self) -> &[Part] {
        &self.variant.piece(self.kind).parts
    }

    /// Whether it can do nothing without a piece to jump over.
    fn must_hop(&self) -> bool {
        self.parts()
            .iter()
            .all(|p| matches!(p.way, Way::Ride { hop: true, .. }))
    }

    fn hops(&self) -> bool {
        self.parts()
            .iter()
            .any(|p| matches!(p.way, Way::Ride { hop: true, .. }))
    }

    fn task(&self, theme: Theme) -> Option<Task> {
        let letter = self.variant.piece(self.kind).letter;
        let mut chance = Chance::seeded(&format!("{} {letter} {theme:?}", self.variant.id()));
        let mut best: Option<(i32, Draft<'_>, Solution)> = None;
        for _ in 0..DRAFTS {
            let Some((score, draft, solution)) = self.draft(theme, &mut chance) else {
                continue;
            };
            if best.as_ref().is_none_or(|(most, _, _)| score > *most) {
                best = Some((score, draft, solution));
            }
        }
        best.map(|(_, draft, solution)| self.dressed(theme, &draft, &solution))
    }

    /// A board with how good it is and the way to do it.
    fn draft(&self, theme: Theme, chance: &mut Chance) -> Option<(i32, Draft<'_>, Solution)> {
        let start = chance.one_of(&self.homes)?;
        let mut draft = Draft::new(self, start);
        if self.must_hop() || (self.hops() && theme == Theme::Capture) {
            self.add_screens(&mut draft, chance);
        }
        match theme {
            Theme::Stars => self.stars(draft, chance),
            Theme::Capture => self.victims(draft, chance),
            Theme::Avoid => self.avoid(draft, chance),
        }
    }

    fn add_screens(&self, draft: &mut Draft<'_>, chance: &mut Chance) {
        let Some(screen) = self.screen else { return };
        let closed = changing(self.variant, self.side, screen);
        let squares: Vec<Square> = self.variant.frame().squares().collect();
        let number = self.variant.frame().len() / 14;
        for _ in 0..number.clamp(2, 9) {
            let square = chance.one_of(&squares);
            let free = square.filter(|s| draft.is_free(*s) && !closed.contains(s));
            draft.screens.extend(free.map(|s| (s, screen)));
        }
    }

    /// Three stars on a walk.
    fn stars<'m>(
        &'m self,
        mut draft: Draft<'m>,
        chance: &mut Chance,
    ) -> Option<(i32, Draft<'m>, Solution)> {
        let long = chance.below(2) + 3;
        let walk = draft.walk(long, chance);
        if walk.len() < 2 {
            return None;
        }
        let skip = walk.len().saturating_sub(3);
        draft.stars = walk;
        // One on the way may be without a star.
        if skip > 0 {
            draft.stars.remove(chance.below(3));
        }
        let solution = draft.solve(false, LONGEST)?;
        let planned = solution.moves.len() - draft.stars.len();
        let score = 4 * solution.variety() + 2 * planned.min(1) as i32 + draft.stars.len() as i32;
        Some((score, draft, solution))
    }

    /// Three enemies to be captured one after the other.
    fn victims<'m>(
        &'m self,
        mut draft: Draft<'m>,
        chance: &mut Chance,
    ) -> Option<(i32, Draft<'m>, Solution)> {
        let long = chance.below(2) + 3;
        let places = draft.hunt(long, chance);
        for square in places.into_iter().rev().take(3) {
            let standing = self.victims.iter().copied();
            let closed = |k: &Kind| {
                self.variant.piece(*k).pawn
                    && changing(self.variant, self.side.opponent(), *k).contains(&square)
            };
            let fitting: Vec<Kind> = standing.filter(|k| !closed(k)).collect();
            draft.enemies.push((square, chance.one_of(&fitting)?));
        }
        if draft.enemies.is_empty() {
            return None;
        }
        let solution = draft.solve(false, LONGEST)?;
        let planned = solution.moves.len() - draft.enemies.len();
        let score =
            4 * solution.variety() + 3 * draft.enemies.len() as i32 + 2 * planned.min(2) as i32;
        Some((score, draft, solution))
    }

    /// Stars behind squares that enemies look at.
    fn avoid<'m>(
        &'m self,
        mut draft: Draft<'m>,
        chance: &mut Chance,
    ) -> Option<(i32, Draft<'m>, Solution)> {
        let walk = draft.walk(4, chance);
        draft.stars.push(*walk.last()?);
        if draft.stars[0] == draft.start {
            return None;
        }
        let squares: Vec<Square> = self.variant.frame().squares().collect();
        for _ in 0..2 + chance.below(2) {
            let square = chance.one_of(&squares)?;
            if draft.is_free(square) && !draft.stars.contains(&square) {
                draft
                    .enemies
                    .push((square, chance.one_of(&self.attackers)?));
            }
        }
        if draft.is_attacked(draft.start) || draft.is_attacked(draft.stars[0]) {
            return None;
        }
        draft.spared = true;
        let careless = draft.solve(false, LONGEST)?;
        let solution = draft.solve(true, LONGEST)?;
        let (near, far) = (careless.moves.len(), solution.moves.len());
        let caught = draft.dangers();
        if caught == 0 || far < 2 {
            return None;
        }
        let score = 4 * (far as i32 - near as i32).min(2) + caught.min(4) + (far as i32).min(4);
        Some((score, draft, solution))
    }

    fn dressed(&self, theme: Theme, draft: &Draft<'_>, solution: &Solution) -> Task {
        let frame = self.variant.frame();
        let texts = solution.moves.iter().map(|m| {
            let mut text = format!("{}{}", frame.name(m.from), frame.name(m.to));
            if let Some(kind) = m.becomes {
                text.push(self.variant.piece(kind).letter.to_ascii_lowercase());
            }
            text
        });
        let capture = match theme {
            Theme::Capture => draft.enemies.iter().map(|(s, _)| *s).collect(),
            _ => Vec::new(),
        };
        let words = words::of(self.variant, self.kind, theme, draft.stars.len());
        Task {
            text: words.text,
            learned: words.learned,
            hint: words.hint,
            goal: Goal {
                stars: draft.stars.clone(),
                capture,
                ..Goal::default()
            },
            opponent: match theme {
                Theme::Avoid => Opponent::Captures,
                _ => Opponent::Still,
            },
            solution: texts.collect(),
            within: 2 * solution.moves.len() + 2,
            scene: Scene::Practice(Practice {
                variant: self.variant.clone(),
                setup: draft.setup(),
                piece: Some(self.kind),
            }),
        }
    }
}

/// Where a kind may begin: at home where its moves depend on that, behind the middle where it only goes forward.
fn homes(variant: &Variant, kind: Kind, side: Side) -> Vec<Square> {
    let (rules, frame) = (variant.rules(), variant.frame());
    let piece = variant.piece(kind);
    let own = rules.initial.iter().filter(|i| i.pieces.contains(&kind));
    let first: Vec<Square> = own.flat_map(|i| i.squares[side.index()].clone()).collect();
    if !first.is_empty() {
        return first;
    }
    if let Some(traverse) = &rules.traverse
        && (kind == traverse.piece || kind == traverse.becomes)
    {
        let castling = rules.castling.as_ref();
        let home = castling.and_then(|c| c.home(side));
        let castle = &traverse.castle[side.index()];
        let home = home.filter(|h| castle.contains(h));
        return home.map_or_else(|| castle.clone(), |h| vec![h]);
    }
    let forward = |p: &Part| match p.way {
        Way::Leap(v) => v.1 > 0,
        Way::Ride { step, .. } => step.1 > 0,
        Way::Bent { first, .. } => first.1 > 0,
    };
    let closed = changing(variant, side, kind);
    let low = |s: &Square| {
        let rank = frame.rank(*s);
        let from_home = match side {
            Side::White => rank,
            Side::Black => frame.ranks() - 1 - rank,
        };
        (1..=frame.ranks() / 3).contains(&from_home)
    };
    let only_forward = !piece.parts.is_empty() && piece.parts.iter().all(forward);
    frame
        .squares()
        .filter(|s| !closed.contains(s) && (!only_forward || low(s)))
        .collect()
}
