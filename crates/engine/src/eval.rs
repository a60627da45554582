//! How good a position is without looking ahead: pieces and their places, mobility, pawns and their way to
//! promotion, threats, danger near the royal piece. The game's special rules (endings, promotion, prisoners)
//! come from the variant; what each feature is worth from [`Values`](crate::values::Values).

use crate::exchange::Exchanges;
use crate::facts::Facts;
use crate::pair::{Pair, pair};
use crate::score::clamp_eval;
use crate::values::Terms;
use husun::pos::Pos;
use husun::set::Set;
use husun::tables::Tables;
use husun::{Kind, Side, Square};
use running::Running;
use std::sync::Arc;

mod build;
mod pawns;
mod running;

pub(crate) use running::Handmade;

/// The highest mobility that is distinguished.
const MOBILITY: usize = 48;
/// Pieces worth less, in centipawns, have outposts.
const ROOK: i32 = 450;
/// Hundredths of units of danger beyond which it no longer grows.
const MOST_UNITS: i32 = 15_500;
/// Steps of the phase of the game: all pieces on the board.
const PHASES: i32 = 256;

/// What a kind is worth.
#[derive(Clone, Debug)]
struct KindWorth {
    kind: Kind,
    value: Pair,
    phase: i32,
    mobility: Vec<Pair>,
    /// Hundredths of a unit of danger in an attack on the royal piece.
    aggression: i32,
    one_colour: bool,
}

/// The features of one side, in centipawns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Features {
    /// Number of squares that pieces reach.
    pub mobility: Pair,
    /// Pawn structure and the way to promotion or release.
    pub pawns: Pair,
    /// Pieces attacked.
    pub threats: Pair,
    /// Attacks near the opponent's royal piece, and shelter of one's own.
    pub safety: Pair,
    /// Several royals, and pieces that complement each other.
    pub set: Pair,
}

impl Features {
    fn total(&self) -> Pair {
        self.mobility + self.pawns + self.threats + self.safety + self.set
    }
}

/// The parts of a hand-made evaluation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// Pieces and squares, White's less Black's.
    pub squares: Pair,
    /// White's and Black's features.
    pub sides: [Features; 2],
    /// Early (256) or late (0) in the game.
    pub phase: i32,
}

/// An evaluation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Evaluation {
    /// The whole for the side to move, in centipawns.
    pub total: i32,
    /// Its parts; a network knows none.
    pub parts: Option<Parts>,
}

impl Evaluation {
    /// An evaluation without parts.
    pub(crate) fn total(total: i32) -> Evaluation {
        Evaluation { total, parts: None }
    }
}

/// The squares that one side attacks.
#[derive(Clone, Copy)]
struct Attacks<S> {
    all: S,
    twice: S,
    pawns: S,
    /// Opposing pieces that a lesser piece attacks.
    lesser: S,
    /// Squares from which a piece that reaches them gives check.
    checks: S,
    /// Hundredths of a unit of danger near the opposing royal piece.
    units: i32,
    attackers: i32,
}

/// Where pawns shelter a royal piece.
#[derive(Clone, Copy, Debug)]
struct Shelter<S> {
    /// The squares before it, at one step.
    near: S,
    /// Those one step further.
    far: S,
    /// Its file and those beside it; empty sets for files that the board does not have.
    files: [S; 3],
}

/// Judges positions of a game by hand-made features.
pub(crate) struct Evaluator<S: Set> {
    facts: Arc<Facts<S>>,
    tables: Arc<Tables<S>>,
    exchanges: Arc<Exchanges<S>>,
    /// By number.
    kinds: Vec<KindWorth>,
    terms: Terms,
    /// Pieces that are neither royal nor pawns, the least first.
    officers: Vec<Kind>,
    /// Those of them worth less than a rook.
    minors: Vec<Kind>,
    royals: Vec<Kind>,
    pawn_kinds: Vec<Kind>,
    /// By kind, side and square; Black's are negative.
    psq: Vec<Pair>,
    phase_total: i32,
    /// By side and square of a royal piece.
    shelter: [Vec<Shelter<S>>; 2],
    /// By side and square: what a pawn that no opposing pawn can stop gains there.
    passed: [Vec<Pair>; 2],
    pawn_facts: pawns::PawnFacts<S>,
    move_rule: i32,
    /// By side and square: steps of a king to a square that draws the game.
    citadel_steps: Option<[Vec<u8>; 2]>,
    /// Whether a small advantage without pawns is not enough to win.
    needs_material: bool,
    /// The squares of one colour.
    dark: S,
}

impl<S: Set> Evaluator<S> {
    /// The evaluation for the side to move, with its parts.
    fn parts(&self, pos: &Pos<S>, running: Running) -> Evaluation {
        let mut sides = [Features::default(); 2];
        let pawns = Side::ALL.map(|side| self.tables.pawn_attacks(pos, side, pos.side(side)));
        let royals = Side::ALL.map(|side| self.tables.royal_square(pos, side));
        let attacks = Side::ALL.map(|side| {
            let i = side.index();
            self.attacks(pos, side, pawns, royals[i ^ 1], &mut sides[i])
        });
        for side in Side::ALL {
            let i = side.index();
            self.threats(pos, side, &attacks, &mut sides[i]);
            self.safety(pos, side, royals[i], &attacks, &mut sides[i]);
            self.set(pos, side, &mut sides[i]);
            sides[i].pawns = self.pawns(pos, side, pawns[i], royals);
        }
        let phase = (running.phase * PHASES / self.phase_total.max(1)).clamp(0, PHASES);
        let sum = running.squares + sides[0].total() - sides[1].total();
        let eg = sum.eg * self.scale(pos, sum.eg, royals) / 64 + self.drive(pos, sum.eg, royals);
        let white = (sum.mg * phase + eg * (PHASES - phase)) / PHASES;
        let tempo = (self.terms.tempo.mg * phase + self.terms.tempo.eg * (PHASES - phase)) / PHASES;
        let ours = if pos.turn() == Side::White {
            white
        } else {
            -white
        };
        let idle = pos.halfmove() as i32;
        let fading = (2 * self.move_rule - idle).max(0) * 64 / (2 * self.move_rule);
        Evaluation {
            total: clamp_eval(ours * fading / 64 + tempo),
            parts: Some(Parts {
                squares: running.squares,
                sides,
                phase,
            }),
        }
    }

    /// Mobility of the side, with what it attacks.
    #[inline(always)]
    fn attacks(
        &self,
        pos: &Pos<S>,
        side: Side,
        pawns: [S; 2],
        target: Option<Square>,
        features: &mut Features,
    ) -> Attacks<S> {
        let t = &*self.tables;
        let (own, enemy) = (pos.side(side), pos.side(side.opponent()));
        let occupied = own | enemy;
        let them = side.opponent().index();
        let own_pawns = self.of(pos, &self.pawn_kinds) & own;
        let area = t.board().without(own_pawns | pawns[them]);
        let zone = target.map_or(S::EMPTY, |s| self.facts.geometry.zones[usize::from(s)]);
        let mut a = Attacks {
            all: pawns[side.index()],
            twice: S::EMPTY,
            pawns: pawns[side.index()],
            lesser: S::EMPTY,
            checks: S::EMPTY,
            units: 0,
            attackers: 0,
        };
        // Opposing pieces above the kind looked at.
        let mut above = self.of(pos, &self.officers) & enemy;
        let mut mobility = Pair::default();
        for &kind in &self.officers {
            let worth = &self.kinds[kind.index()];
            let plane = pos.kind(kind);
            above = above.without(plane);
            let pieces = plane & own;
            if pieces.is_empty() {
                continue;
            }
            let giving = match target {
                Some(royal) => t.attack_squares(side, kind, royal, occupied),
                None => S::EMPTY,
            };
            for from in pieces.iter() {
                let (takes, quiet) = t.piece_attacks(side, kind, from, occupied);
                let reach = ((takes | quiet) & area).count() as usize;
                mobility += worth.mobility[reach.min(MOBILITY - 1)];
                a.twice |= a.all & takes;
                a.all |= takes;
                a.lesser |= takes & above;
                a.checks |= takes & giving;
                let hits = (takes & zone).count() as i32;
                if hits > 0 {
                    a.attackers += 1;
                    a.units += worth.aggression * (1 + hits) / 2;
                }
            }
        }
        for &kind in &self.royals {
            for from in pos.pieces(side, kind).iter() {
                let (takes, _) = t.piece_attacks(side, kind, from, occupied);
                a.twice |= a.all & takes;
                a.all |= takes;
            }
        }
        features.mobility = mobility;
        a
    }

    #[inline(always)]
    fn of(&self, pos: &Pos<S>, kinds: &[Kind]) -> S {
        kinds
            .iter()
            .fold(S::EMPTY, |set, &kind| set | pos.kind(kind))
    }

    #[inline(always)]
    fn threats(&self, pos: &Pos<S>, side: Side, attacks: &[Attacks<S>; 2], f: &mut Features) {
        let (a, b) = (&attacks[side.index()], &attacks[side.index() ^ 1]);
        let officers = self.of(pos, &self.officers) & pos.side(side.opponent());
        let terms = &self.terms;
        let all = pos
            .side(side.opponent())
            .without(self.tables.royal_pieces(pos));
        f.threats = terms.pawn_threat * (a.pawns & officers).count() as i32
            + terms.lesser_threat * a.lesser.without(a.pawns).count() as i32
            + terms.hanging * (all & a.all).without(b.all).count() as i32
            + terms.contested * (a.all & b.all).without(b.twice | b.pawns).count() as i32;
        // Squares to which pawns may step unpunished, and what they would attack from there.
        let safe = self
            .tables
            .board()
            .without(pos.occupied() | b.pawns | b.all.without(a.all));
        let ahead = self.tables.pawn_step_attacks(pos, side, safe);
        f.threats += terms.push_threat * (ahead & officers).without(a.pawns).count() as i32;
        let own = pos.side(side);
        let posts = self.of(pos, &self.minors) & own & a.pawns;
        if posts.any() {
            let pawns = self.of(pos, &self.pawn_kinds).without(own);
            let outposts = posts.iter().filter(|&s| {
                let (facts, i, s) = (&self.pawn_facts, side.index(), usize::from(s));
                (facts.span[i][s].without(facts.file[i][s]) & pawns).is_empty()
            });
            f.threats += terms.outpost * outposts.count() as i32;
        }
    }

    /// Danger that the side creates, less its own lack of shelter.
    #[inline(always)]
    fn safety(
        &self,
        pos: &Pos<S>,
        side: Side,
        royal: Option<Square>,
        attacks: &[Attacks<S>; 2],
        f: &mut Features,
    ) {
        let (a, b) = (&attacks[side.index()], &attacks[side.index() ^ 1]);
        if let Some(target) = self.tables.royal_square(pos, side.opponent()) {
            let zone = self.facts.geometry.zones[usize::from(target)];
            // Squares that only the royal piece itself protects.
            let weak = (zone & a.all).without(b.twice | b.pawns).count() as i32;
            let safe = a.checks.without(pos.side(side) | b.all);
            let shaky = (a.checks & a.twice & b.all).without(pos.side(side) | b.twice | b.pawns);
            let checks = (safe | shaky).count().min(4) as i32;
            let terms = &self.terms;
            let units = a.units
                + terms.weak * weak
                + terms.attacker * a.attackers
                + 100 * terms.check * checks;
            if units > 1200 {
                let units = units.min(MOST_UNITS);
                let danger = (units * units / 200_000).min(1200);
                f.safety += pair(
                    danger * self.terms.danger.mg / 100,
                    danger * self.terms.danger.eg / 100,
                );
            }
        }
        if let Some(royal) = royal {
            let pawns = self.of(pos, &self.pawn_kinds) & pos.side(side);
            let shelter = &self.shelter[side.index()][usize::from(royal)];
            f.safety += self.terms.shield * (shelter.near & pawns).count() as i32
                + self.terms.far_shield * (shelter.far & pawns).count() as i32;
            let open = shelter
                .files
                .iter()
                .filter(|&&file| file.any() && (file & pawns).is_empty());
            f.safety += self.terms.open_file * open.count() as i32;
        }
    }

    #[inline(always)]
    fn set(&self, pos: &Pos<S>, side: Side, f: &mut Features) {
        let own = pos.side(side);
        if self.facts.several_royals && (self.tables.royal_pieces(pos) & own).many() {
            f.set += self.terms.second_royal;
        }
        if self.facts.bare_loses {
            let enemy = pos.side(side.opponent());
            let left = enemy.without(self.tables.royal_pieces(pos)).count();
            // One piece left counts in full, two by half, three by a quarter.
            if (1..=3).contains(&left) {
                f.set += pair(
                    self.terms.nearly_bare.mg >> (left - 1),
                    self.terms.nearly_bare.eg >> (left - 1),
                );
            }
        }
        for worth in self.kinds.iter().filter(|k| k.one_colour) {
            let pieces = pos.kind(worth.kind) & own;
            if (pieces & self.dark).any() && pieces.without(self.dark).any() {
                let part = worth.value.mg.min(400);
                f.set += pair(
                    self.terms.both_colours.mg * part / 400,
                    self.terms.both_colours.eg * part / 400,
                );
            }
        }
    }

    /// How much of a late advantage counts, in 64ths.
    fn scale(&self, pos: &Pos<S>, eg: i32, royals: [Option<Square>; 2]) -> i32 {
        let strong = if eg >= 0 { Side::White } else { Side::Black };
        let weak = strong.opponent();
        let mut scale = 64;
        if let (Some(steps), Some(royal)) = (&self.citadel_steps, royals[weak.index()]) {
            // A king on the way to a citadel saves the game.
            let steps = i32::from(steps[weak.index()][usize::from(royal)]);
            scale = (16 + 8 * steps).min(64);
        }
        if self.needs_material {
            let pawns = self.of(pos, &self.pawn_kinds);
            if (pawns & pos.side(strong)).is_empty() {
                let (ours, theirs) = (
                    self.exchanges.officers_worth(pos, strong),
                    self.exchanges.officers_worth(pos, weak),
                );
                if ours < 400 {
                    return 4;
                }
                if ours - theirs < 420 {
                    return scale.min(20);
                }
            }
        }
        scale
    }

    /// In a won ending: drive the lone royal piece to the edge and come near.
    fn drive(&self, pos: &Pos<S>, eg: i32, royals: [Option<Square>; 2]) -> i32 {
        let (strong, sign) = if eg >= 0 {
            (Side::White, 1)
        } else {
            (Side::Black, -1)
        };
        let weak = strong.opponent();
        if eg.abs() < 300 || pos.side(weak).count() > 3 {
            return 0;
        }
        let (Some(ours), Some(theirs)) = (royals[strong.index()], royals[weak.index()]) else {
            return 0;
        };
        let apart = self.facts.geometry.apart(ours, theirs);
        sign * (12 * self.facts.geometry.from_middle[usize::from(theirs)] + 6 * (16 - apart))
    }
}
