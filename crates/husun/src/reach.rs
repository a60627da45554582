//! Where a single piece could go on a board with any blockers, ignoring kings and turns: for move diagrams,
//! piece values and the rules pages.

use crate::cpu::Portable;
use crate::frame::Square;
use crate::movegen::Scene;
use crate::piece::Kind;
use crate::set::Set;
use crate::side::Side;
use crate::tables::Tables;
use crate::variant::Variant;
use crate::width::VisitTables;
use std::sync::Arc;

/// What a piece reaches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// Empty squares that it can go to, including initial steps.
    pub moves: Vec<Square>,
    /// Squares of enemy pieces that it can capture.
    pub captures: Vec<Square>,
    /// All squares that it attacks: on which it could capture, whatever stands there now.
    pub attacks: Vec<Square>,
}

impl Variant {
    /// What a piece of the kind and side on `from` reaches, where `blockers` tells whose piece stands
    /// on a square. Castling, en passant and moves within a castle are left out. A kind
    /// or a square that the game does not have reaches nothing.
    ///
    /// ```
    /// use husun::Side;
    /// # let mini = husun::Variant::parse("t.toml", husun::doctest::MINI).unwrap();
    /// let rook = mini.kind('R').unwrap();
    /// let a1 = mini.frame().parse("a1").unwrap();
    /// let b1 = mini.frame().parse("b1").unwrap();
    /// let reach = mini.reach(Side::White, rook, a1, |s| (s == b1).then_some(Side::Black));
    /// assert_eq!((reach.moves.len(), reach.captures), (3, vec![b1]));
    /// ```
    pub fn reach(
        &self,
        side: Side,
        kind: Kind,
        from: Square,
        blockers: impl Fn(Square) -> Option<Side>,
    ) -> Reach {
        let standing: Vec<Option<Side>> = self
            .frame()
            .squares()
            .map(|s| blockers(s).filter(|_| s != from))
            .collect();
        if !self.frame().has(from) || kind.index() >= self.pieces().len() {
            return Reach::default();
        }
        self.visit(Reaching {
            side,
            kind,
            from,
            standing,
        })
    }
}

struct Reaching {
    side: Side,
    kind: Kind,
    from: Square,
    /// By square: whose piece stands there.
    standing: Vec<Option<Side>>,
}

impl VisitTables for Reaching {
    type Output = Reach;

    fn visit<S: Set>(self, tables: &Arc<Tables<S>>) -> Reach {
        reach(tables, self)
    }
}

fn reach<S: Set>(t: &Tables<S>, of: Reaching) -> Reach {
    let Reaching {
        side,
        kind,
        from,
        standing,
    } = of;
    let of = |who: Side| {
        let squares = standing.iter().enumerate();
        S::from_squares(
            squares
                .filter(|(_, s)| **s == Some(who))
                .map(|(i, _)| Square(i as u8)),
        )
    };
    let bit = S::bit(from);
    let scene = |own: S, enemy: S| Scene::of(t, Portable, side, own | bit, enemy);
    let (own, enemy) = (of(side), of(side.opponent()));
    let now = scene(own, enemy);
    let mut targets = t.targets(kind.0, side, from, &now);
    // What it could capture if every blocker were an enemy, or every empty square held one alone.
    let all_enemies = scene(S::EMPTY, own | enemy);
    let mut attacks = t.targets(kind.0, side, from, &all_enemies) & all_enemies.occupied;
    for to in now.empty.iter() {
        let with = scene(S::EMPTY, own | enemy | S::bit(to));
        attacks |= t.targets(kind.0, side, from, &with) & S::bit(to);
    }
    for pawn in t.pawns.iter().filter(|p| p.kind == kind.0) {
        let (quiet, takes) = t.pawn_reach(pawn, bit, side, &now);
        targets |= quiet | (takes & enemy);
        attacks |= takes;
    }
    let list = |set: S| set.iter().collect();
    Reach {
        moves: list(targets & now.empty),
        captures: list(targets & enemy),
        attacks: list(attacks),
    }
}
