//! Where a piece could go from a square, with the way to each target: the squares that it passes, the piece that it
//! jumps, what it becomes. For people who ask what a piece does; it walks square by square, so no search uses it.

use crate::betza::{Vector, Way};
use crate::definition::StateFlag;
use crate::frame::Square;
use crate::moves::{Move, Special};
use crate::piece::Kind;
use crate::position::Position;
use crate::side::Side;
use crate::variant::Variant;

/// What is out of the ordinary about going to a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// A rook-type piece moves as well.
    Castling,
    /// It captures on the square that a pawn passed.
    EnPassant,
    /// It goes anywhere within its castle.
    Traverse,
}

/// A square to which a piece can go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The square.
    pub to: Square,
    /// Squares that it passes, in order; none for a leap.
    pub path: Vec<Square>,
    /// The piece that it jumps over.
    pub over: Option<Square>,
    /// Whether it captures.
    pub capture: bool,
    /// Whether the rules let it go there now. The geometry of a piece alone does not know.
    pub legal: bool,
    /// What is special about it.
    pub act: Option<Act>,
    /// What it may become or release there.
    pub becomes: Vec<Kind>,
}

impl Variant {
    /// The targets of a piece on a board with blockers, by its way of moving alone, with initial steps and moves within
    /// a castle; castling and en passant are left out. A kind or a square that the game does not have has none.
    ///
    /// ```
    /// use husun::Side;
    /// # let mini = husun::Variant::parse("t.toml", husun::doctest::MINI).unwrap();
    /// let (rook, a1) = (mini.kind('R').unwrap(), mini.frame().parse("a1").unwrap());
    /// let targets = mini.targets(Side::White, rook, a1, |_| None);
    /// let far = targets.iter().find(|t| t.to == mini.frame().parse("a4").unwrap()).unwrap();
    /// assert_eq!(far.path.len(), 2);
    /// ```
    pub fn targets(
        &self,
        side: Side,
        kind: Kind,
        from: Square,
        blockers: impl Fn(Square) -> Option<Side>,
    ) -> Vec<Target> {
        if !self.frame().has(from) || kind.index() >= self.pieces().len() {
            return Vec::new();
        }
        let mut walker = Walker {
            game: self,
            side,
            kind,
            from,
            on: |square| blockers(square).filter(|_| square != from),
            found: Vec::new(),
        };
        for part in &self.piece(kind).parts {
            walker.part(part.way, part.mode.moves(), part.mode.captures());
        }
        walker.initial();
        walker.castle();
        walker.found
    }
}

struct Walker<'a, F> {
    game: &'a Variant,
    side: Side,
    kind: Kind,
    from: Square,
    on: F,
    found: Vec<Target>,
}

impl<F: Fn(Square) -> Option<Side>> Walker<'_, F> {
    fn step(&self, from: Square, (dx, dy): Vector) -> Option<Square> {
        let north = if self.side == Side::White { 1 } else { -1 };
        let dy = north * i32::from(dy);
        let to = self.game.frame().step(from, dx.into(), dy)?;
        let closed = &self.game.rules().endings.closed;
        (!closed.contains(&to) || self.game.piece(self.kind).royal).then_some(to)
    }

    fn empty(&self, square: Square) -> bool {
        (self.on)(square).is_none()
    }

    /// Notes a target unless it is known already or cannot be one.
    fn add(
        &mut self,
        to: Square,
        path: &[Square],
        over: Option<Square>,
        (moves, captures): (bool, bool),
    ) {
        let capture = match (self.on)(to) {
            None if moves => false,
            Some(whose) if whose != self.side && captures => true,
            _ => return,
        };
        if self.found.iter().any(|t| t.to == to) {
            return;
        }
        self.found.push(Target {
            to,
            path: path.to_vec(),
            over,
            capture,
            legal: true,
            act: None,
            becomes: Vec::new(),
        });
    }

    fn part(&mut self, way: Way, moves: bool, captures: bool) {
        let mode = (moves, captures);
        match way {
            Way::Leap(v) => {
                if let Some(to) = self.step(self.from, v) {
                    self.add(to, &[], None, mode);
                }
            }
            Way::Ride {
                step,
                max,
                hop,
                skip,
            } => self.ride(step, max, hop, skip, mode),
            Way::Bent {
                first,
                stop,
                step,
                max,
            } => {
                let Some(turn) = self.step(self.from, first) else {
                    return;
                };
                if stop {
                    self.add(turn, &[], None, mode);
                }
                let (mut path, mut at, mut steps) = (vec![], turn, 0);
                while self.empty(at) && (max == 0 || steps < max) {
                    path.push(at);
                    let Some(next) = self.step(at, step) else {
                        break;
                    };
                    steps += 1;
                    at = next;
                    self.add(at, &path, None, mode);
                }
            }
        }
    }

    fn ride(&mut self, step: Vector, max: u8, hop: bool, skip: u8, mode: (bool, bool)) {
        let (mut path, mut at, mut steps, mut over) = (vec![], self.from, 0, None);
        while let Some(next) = self.step(at, step) {
            steps += 1;
            if max != 0 && steps > max {
                break;
            }
            at = next;
            if hop && over.is_none() {
                over = (!self.empty(at)).then_some(at);
            } else {
                if steps > skip {
                    self.add(at, &path, over, mode);
                }
                if !self.empty(at) {
                    break;
                }
            }
            path.push(at);
        }
    }

    /// Initial steps of a pawn-type piece.
    fn initial(&mut self) {
        let most = self.game.initial_steps(self.side, self.kind, self.from);
        let piece = self.game.piece(self.kind);
        for part in piece.parts.iter().filter(|p| p.mode.moves()) {
            let Way::Leap(v) = part.way else { continue };
            let (mut path, mut at) = (vec![], self.from);
            for steps in 1..=most {
                match self.step(at, v).filter(|&s| self.empty(s)) {
                    Some(next) => at = next,
                    None => break,
                }
                if steps > 1 {
                    self.add(at, &path, None, (true, false));
                }
                path.push(at);
            }
        }
    }

    /// The other squares of the castle, where the piece may go anywhere in it.
    fn castle(&mut self) {
        let (game, from) = (self.game, self.from);
        let Some(traverse) = &game.rules().traverse else {
            return;
        };
        let castle = &traverse.castle[self.side.index()];
        let may = self.kind == traverse.piece || self.kind == traverse.becomes;
        if !may || !castle.contains(&from) {
            return;
        }
        let becomes = (self.kind == traverse.piece).then_some(traverse.becomes);
        for &to in castle.iter().filter(|s| **s != from) {
            let before = self.found.len();
            self.add(to, &[], None, (true, true));
            for target in &mut self.found[before..] {
                target.act = Some(Act::Traverse);
                target.becomes = becomes.into_iter().collect();
            }
        }
    }
}

impl Position {
    /// The targets of the piece on a square, whoever is to move: all that its way of moving leads to on this board, and
    /// which of them the rules allow. For the side not to move, this is what it could do if it were; if it could not be
    /// (the other side is in check), the way of moving alone decides.
    ///
    /// ```
    /// # let mini = husun::Variant::parse("t.toml", husun::doctest::MINI).unwrap();
    /// let start = mini.start();
    /// let targets = start.targets(mini.frame().parse("a1").unwrap());
    /// assert!(targets.iter().any(|t| t.legal));
    /// ```
    pub fn targets(&self, from: Square) -> Vec<Target> {
        let Some((side, kind)) = self.piece_on(from) else {
            return Vec::new();
        };
        let variant = self.variant();
        let standing = |square| self.piece_on(square).map(|(side, _)| side);
        let mut all = variant.targets(side, kind, from, standing);
        let of_piece = variant.rules().traverse.as_ref().map(|t| t.piece);
        if of_piece == Some(kind) && self.has_flag(StateFlag::Castled(side)) {
            all.retain(|t| t.act != Some(Act::Traverse));
        }
        let Some(position) = self.with_turn(side) else {
            return all;
        };
        for target in &mut all {
            target.legal = false;
            target.becomes.clear();
        }
        for m in position.legal_moves() {
            if m.from() == from && !m.is_whole_act() {
                note(&mut all, &position, m);
            }
        }
        all
    }

    /// The same pieces with a side to move; `None` where that could not be.
    fn with_turn(&self, side: Side) -> Option<Position> {
        if self.turn() == side {
            return Some(self.clone());
        }
        let mut setup = self.setup();
        setup.turn = side;
        setup.en_passant.clear();
        setup.state &= !self.variant().flag_bit(StateFlag::Offer);
        Position::from_setup(self.variant(), &setup).ok()
    }
}

/// Records a legal move among the targets.
fn note(all: &mut Vec<Target>, position: &Position, m: Move) {
    let known = all.iter().position(|t| t.to == m.to());
    let place = match known {
        Some(place) => place,
        None => {
            all.push(Target {
                to: m.to(),
                path: Vec::new(),
                over: None,
                capture: position.is_capture(m),
                legal: true,
                act: None,
                becomes: Vec::new(),
            });
            all.len() - 1
        }
    };
    let target = &mut all[place];
    target.legal = true;
    match m.special() {
        // Where it may also go by a move of its own, that is what is shown.
        Special::CastleEast | Special::CastleWest if known.is_none() => {
            target.act = Some(Act::Castling);
        }
        Special::EnPassant => target.act = Some(Act::EnPassant),
        _ => {}
    }
    if m.changes_kind() && !target.becomes.contains(&m.placed()) {
        target.becomes.push(m.placed());
    }
}
