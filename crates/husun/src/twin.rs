//! The slow twin of the move generator, for tests: legal moves and making them, written straight from
//! the game's data by walking the board square by square. It shares no tables, sets of squares or
//! legality scheme with the fast generator, tries every move on a copy and looks who attacks whom.

use crate::betza::{Vector, Way};
use crate::definition::{CastlePath, Initial, SideSquares, StateFlag};
use crate::fen::HIGHEST_COUNTER;
use crate::frame::Square;
use crate::moves::{Move, Special};
use crate::piece::Kind;
use crate::position::Position;
use crate::setup::Setup;
use crate::side::{Side, Wing};
use crate::variant::Variant;

/// All legal moves of a position, in no particular order: what [`Position::legal_moves`] must give.
///
/// ```
/// # let mini = husun::Variant::parse("t.toml", husun::doctest::MINI).unwrap();
/// let (mut slow, mut fast) = (husun::twin::legal_moves(&mini.start()), mini.start().legal_moves());
/// slow.sort();
/// fast.sort();
/// assert_eq!(slow, fast);
/// ```
pub fn legal_moves(position: &Position) -> Vec<Move> {
    Board::of(position).legal_moves()
}

/// The arrangement after a legal move: what [`Position::play`] must lead to.
pub fn play(position: &Position, m: Move) -> Setup {
    Board::of(position).play(m).now
}

/// Whether the side to move has a royal piece that is attacked: what [`Position::in_check`] must give.
pub fn in_check(position: &Position) -> bool {
    let board = Board::of(position);
    board.royal_is_attacked(board.now.turn)
}

#[derive(Clone)]
struct Board<'a> {
    game: &'a Variant,
    now: Setup,
}

impl<'a> Board<'a> {
    fn of(position: &'a Position) -> Self {
        Board {
            game: position.variant(),
            now: position.setup(),
        }
    }

    fn step(&self, from: Square, side: Side, (dx, dy): Vector) -> Option<Square> {
        let north = if side == Side::White { 1 } else { -1 };
        self.game
            .frame()
            .step(from, dx.into(), north * i32::from(dy))
    }

    /// Whether the square is open to pieces of the kind.
    fn may_enter(&self, kind: Kind, square: Square) -> bool {
        self.game.piece(kind).royal || !self.game.rules().endings.closed.contains(&square)
    }

    fn is_empty(&self, square: Square) -> bool {
        self.now.piece_on(square).is_none()
    }

    fn pieces(&self, side: Side) -> Vec<(Square, Kind)> {
        let squares = self.game.frame().squares();
        squares
            .filter_map(|s| {
                let (whose, kind) = self.now.piece_on(s)?;
                (whose == side).then_some((s, kind))
            })
            .collect()
    }

    /// Squares on the way that a piece of the kind might stop on, whoever stands there.
    fn walk(&self, from: Square, side: Side, kind: Kind, way: Way) -> Vec<Square> {
        let mut stops = Vec::new();
        let go = |at, v| {
            self.step(at, side, v)
                .filter(|&to| self.may_enter(kind, to))
        };
        match way {
            Way::Leap(v) => stops.extend(go(from, v)),
            Way::Ride {
                step,
                max,
                hop,
                skip,
            } => {
                let (mut at, mut steps, mut jumped) = (from, 0, false);
                while let Some(next) = go(at, step) {
                    steps += 1;
                    if max != 0 && steps > max {
                        break;
                    }
                    at = next;
                    if hop && !jumped {
                        jumped = !self.is_empty(at);
                        continue;
                    }
                    if steps > skip {
                        stops.push(at);
                    }
                    if !self.is_empty(at) {
                        break;
                    }
                }
            }
            Way::Bent {
                first,
                stop,
                step,
                max,
            } => {
                let Some(turn) = go(from, first) else {
                    return stops;
                };
                if stop {
                    stops.push(turn);
                }
                let (mut at, mut steps) = (turn, 0);
                while self.is_empty(at) && (max == 0 || steps < max) {
                    let Some(next) = go(at, step) else {
                        break;
                    };
                    steps += 1;
                    at = next;
                    stops.push(at);
                }
            }
        }
        stops
    }

    /// Where a piece may go by its own way of moving, not counting initial steps.
    fn targets(&self, from: Square, side: Side, kind: Kind) -> Vec<Square> {
        let mut targets = Vec::new();
        for part in &self.game.piece(kind).parts {
            for to in self.walk(from, side, kind, part.way) {
                let fits = match self.now.piece_on(to) {
                    None => part.mode.moves(),
                    Some((whose, _)) => whose != side && part.mode.captures(),
                };
                if fits && !targets.contains(&to) {
                    targets.push(to);
                }
            }
        }
        targets
    }

    /// Targets of a pawn-type piece's initial steps.
    fn initial_steps(&self, from: Square, side: Side, kind: Kind) -> Vec<Square> {
        let mut targets = Vec::new();
        let own =
            |i: &&Initial| i.pieces.contains(&kind) && i.squares[side.index()].contains(&from);
        let Some(initial) = self.game.rules().initial.iter().find(own) else {
            return targets;
        };
        let open = |s: &Square| self.is_empty(*s) && self.may_enter(kind, *s);
        for v in self.quiet_leaps(kind) {
            let mut at = from;
            for steps in 1..=initial.steps {
                match self.step(at, side, v).filter(open) {
                    Some(next) => at = next,
                    None => break,
                }
                if steps > 1 {
                    targets.push(at);
                }
            }
        }
        targets
    }

    fn quiet_leaps(&self, kind: Kind) -> Vec<Vector> {
        let parts = self.game.piece(kind).parts.iter();
        parts
            .filter(|p| p.mode.moves())
            .filter_map(|p| match p.way {
                Way::Leap(v) => Some(v),
                _ => None,
            })
            .collect()
    }

    /// The royal piece of a side, unless it has several.
    fn royal(&self, side: Side) -> Option<(Square, Kind)> {
        let mut royals = self.pieces(side);
        royals.retain(|&(_, kind)| self.game.piece(kind).royal);
        match royals[..] {
            [one] => Some(one),
            [first, ..] if !self.game.rules().several_royals => Some(first),
            _ => None,
        }
    }

    fn flag(&self, flag: StateFlag) -> bool {
        self.now.state & self.game.flag_bit(flag) != 0
    }

    fn set_flag(&mut self, flag: StateFlag, on: bool) {
        let bit = self.game.flag_bit(flag);
        self.now.state = if on {
            self.now.state | bit
        } else {
            self.now.state & !bit
        };
    }

    /// The castle within which a royal piece of the kind on the square may go anywhere.
    fn castle(&self, side: Side, kind: Kind, from: Square) -> &[Square] {
        let Some(traverse) = &self.game.rules().traverse else {
            return &[];
        };
        let castle = &traverse.castle[side.index()];
        let may = kind == traverse.becomes
            || (kind == traverse.piece && !self.flag(StateFlag::Castled(side)));
        if may && castle.contains(&from) {
            castle
        } else {
            &[]
        }
    }

    /// Whether a piece of the side could capture what stands on the square.
    fn attacks(&self, side: Side, square: Square) -> bool {
        self.pieces(side).into_iter().any(|(from, kind)| {
            from != square
                && (self.targets(from, side, kind).contains(&square)
                    || self.castle(side, kind, from).contains(&square))
        })
    }

    fn royal_is_attacked(&self, side: Side) -> bool {
        self.royal(side)
            .is_some_and(|(square, _)| self.attacks(side.opponent(), square))
    }

    fn royals_touch(&self) -> bool {
        let royals = |side| {
            let mut all = self.pieces(side);
            all.retain(|&(_, kind)| self.game.piece(kind).royal);
            all
        };
        let frame = self.game.frame();
        let near = |a: u8, b: u8| a.abs_diff(b) <= 1;
        royals(Side::White).iter().any(|&(a, _)| {
            royals(Side::Black).iter().any(|&(b, _)| {
                near(frame.file(a), frame.file(b)) && near(frame.rank(a), frame.rank(b))
            })
        })
    }

    fn is_over(&self) -> bool {
        let endings = &self.game.rules().endings;
        let on_citadel = |squares: &SideSquares| {
            Side::ALL.iter().any(|&side| {
                self.pieces(side).iter().any(|&(square, kind)| {
                    self.game.piece(kind).royal && squares[side.index()].contains(&square)
                })
            })
        };
        let bared = self.pieces(self.now.turn.opponent()).len() == 1
            && self.pieces(self.now.turn).len() > 1;
        endings.citadels.as_ref().is_some_and(on_citadel) || (endings.bare_king && bared)
    }

    /// What promotion may choose now for a piece of the kind, on a square where it must become another or may.
    fn promotions(&self, from: Kind, may: bool) -> Vec<Kind> {
        let Some(promotion) = &self.game.rules().promotion else {
            return Vec::new();
        };
        let side = self.now.turn;
        let mut kinds = promotion.to.clone();
        let also = promotion.captured_optional.iter().filter(|_| may);
        for &kind in promotion.captured.iter().chain(also) {
            let crowned = self
                .game
                .rules()
                .crowning
                .filter(|c| c.piece == kind && self.flag(StateFlag::Crowned));
            let placed = crowned.map_or(kind, |c| c.becomes);
            let standing = self.pieces(side).iter().filter(|p| p.1 == placed).count();
            let other = placed != from || promotion.captured.contains(&kind);
            if other && standing < self.game.setup_count(side, kind) as usize {
                kinds.push(placed);
            }
        }
        kinds
    }

    /// What a piece may be after arriving on a square.
    fn placed(&self, kind: Kind, to: Square) -> Vec<Kind> {
        let (rules, side) = (self.game.rules(), self.now.turn.index());
        let piece = self.game.piece(kind);
        if let Some(p) = &rules.promotion
            && p.pieces.contains(&kind)
            && !piece.royal
        {
            let (must, may) = (
                p.mandatory[side].contains(&to),
                p.optional[side].contains(&to),
            );
            if must || may {
                let stays = if must { Vec::new() } else { vec![kind] };
                return [stays, self.promotions(kind, may)].concat();
            }
        }
        if piece.pawn {
            let here = |a: &&crate::variant::Arrival| a.squares[side].contains(&to);
            if let Some(arrival) = rules.arrivals.iter().find(here) {
                return vec![arrival.piece];
            }
            let waits = |a: &&crate::variant::Arrival| {
                here(a) && self.flag(StateFlag::InPrison(self.now.turn, a.piece))
            };
            if let Some(prisoner) = rules.prison.iter().find(waits) {
                return vec![prisoner.piece];
            }
        }
        vec![kind]
    }

    fn legal_moves(&self) -> Vec<Move> {
        if self.is_over() {
            return Vec::new();
        }
        let us = self.now.turn;
        let mut moves = Vec::new();
        for (from, kind) in self.pieces(us) {
            let new =
                |to: Square, placed: Kind, special| Move::new(from, to, kind.0, placed.0, special);
            let targets = self.targets(from, us, kind);
            let pawn = self.game.piece(kind).pawn;
            for &to in &targets {
                let placed = self.placed(kind, to).into_iter();
                moves.extend(placed.map(|p| new(to, p, Special::None)));
            }
            if pawn {
                for to in self.initial_steps(from, us, kind) {
                    let placed = self.placed(kind, to).into_iter();
                    moves.extend(placed.map(|p| new(to, p, Special::InitialStep)));
                }
                for &to in &self.now.en_passant {
                    if self.strikes(from, us, kind, to) {
                        let placed = self.placed(kind, to).into_iter();
                        moves.extend(placed.map(|p| new(to, p, Special::EnPassant)));
                    }
                }
            }
            if self.royal(us) == Some((from, kind))
                && let Some(traverse) = &self.game.rules().traverse
            {
                let own = |s: Square| self.now.piece_on(s).is_some_and(|p| p.0 == us);
                let castle = self.castle(us, kind, from).iter();
                let far = castle.filter(|&&s| !own(s) && !targets.contains(&s));
                moves.extend(far.map(|&to| new(to, traverse.becomes, Special::None)));
            }
        }
        self.add_castlings(&mut moves);
        if let Some((royal, kind)) = self.royal(us)
            && self.flag(StateFlag::Offer)
        {
            let crowning = Special::Crowning;
            moves.push(Move::new(royal, royal, kind.0, kind.0, crowning));
        }
        moves.retain(|&m| self.is_safe(m));
        moves
    }

    /// Whether a pawn-type piece captures by a leap on the square, were an enemy there.
    fn strikes(&self, from: Square, side: Side, kind: Kind, to: Square) -> bool {
        self.game.piece(kind).parts.iter().any(|p| {
            p.mode.captures()
                && matches!(p.way, Way::Leap(v) if self.step(from, side, v) == Some(to))
                && self.may_enter(kind, to)
        })
    }

    fn is_safe(&self, m: Move) -> bool {
        let us = self.now.turn;
        let after = self.made(m);
        // games/citadel9/rules.md: a move is judged by the mover's status before it.
        let royal = self.royal(us).map(|(square, _)| match square == m.from() {
            true => m.to(),
            false => square,
        });
        let attacked = royal.is_some_and(|square| after.attacks(us.opponent(), square));
        let touching = self.game.rules().apart && after.royals_touch();
        !attacked && !touching
    }

    fn add_castlings(&self, moves: &mut Vec<Move>) {
        let us = self.now.turn;
        let Some(castling) = &self.game.rules().castling else {
            return;
        };
        for wing in Wing::ALL {
            if !self.now.rights.has(us, wing) || self.royal_is_attacked(us) {
                continue;
            }
            for &path in castling.paths(us, wing) {
                let way = self.straight(path.from, path.partner_from);
                if way.iter().any(|&s| !self.is_empty(s)) || !self.passes_safely(path, us) {
                    continue;
                }
                let special = match wing {
                    Wing::East => Special::CastleEast,
                    Wing::West => Special::CastleWest,
                };
                let king = castling.piece.0;
                moves.push(Move::new(path.from, path.to, king, king, special));
            }
        }
    }

    fn passes_safely(&self, path: CastlePath, us: Side) -> bool {
        self.straight(path.from, path.to).into_iter().all(|square| {
            let mut there = self.clone();
            there.now.board[square.index()] = there.now.board[path.from.index()].take();
            !there.royal_is_attacked(us)
        })
    }

    /// The squares between two of a rank.
    fn straight(&self, from: Square, to: Square) -> Vec<Square> {
        (from.0.min(to.0) + 1..from.0.max(to.0))
            .map(Square)
            .collect()
    }

    /// The pawn-type piece that has just gone over the square.
    fn victim(&self, passed: Square) -> Option<Square> {
        let them = self.now.turn.opponent();
        let pawns = self.game.kinds().filter(|&k| self.game.piece(k).pawn);
        let mut ways = pawns.flat_map(|k| self.quiet_leaps(k).into_iter().map(move |v| (k, v)));
        ways.find_map(|(kind, v)| {
            let mut at = self.step(passed, them, v)?;
            while self.is_empty(at) {
                at = self.step(at, them, v)?;
            }
            (self.now.piece_on(at) == Some((them, kind))).then_some(at)
        })
    }

    /// The board after a move, with all that follows but en passant and an offer.
    fn made(&self, m: Move) -> Board<'a> {
        let mut next = self.clone();
        let us = self.now.turn;
        let now = &mut next.now;
        now.turn = us.opponent();
        now.halfmove = (now.halfmove + 1).min(HIGHEST_COUNTER);
        now.fullmove = (now.fullmove + u32::from(us == Side::Black)).min(HIGHEST_COUNTER);
        now.en_passant.clear();
        let piece = now.board[m.from().index()].take();
        let taken = match m.special() {
            Special::EnPassant => self.victim(m.to()),
            Special::CastleEast | Special::CastleWest => None,
            _ => Some(m.to()),
        };
        if let Some(square) = taken
            && now.board[square.index()].take().is_some()
        {
            now.halfmove = 0;
        }
        let is_pawn = self.game.piece(m.piece()).pawn;
        if is_pawn || m.changes_kind() {
            now.halfmove = 0;
        }
        now.board[m.to().index()] = piece.map(|(side, _)| (side, m.placed()));
        next.set_flag(StateFlag::Offer, false);
        match m.special() {
            Special::CastleEast => next.move_partner(us, Wing::East, m.to()),
            Special::CastleWest => next.move_partner(us, Wing::West, m.to()),
            Special::Crowning => next.crown(),
            _ => {}
        }
        if is_pawn && m.changes_kind() {
            let freed = self
                .game
                .rules()
                .prison
                .iter()
                .any(|a| a.piece == m.placed() && a.squares[us.index()].contains(&m.to()));
            if freed {
                next.set_flag(StateFlag::InPrison(us, m.placed()), false);
            }
        }
        if let Some(castling) = &self.game.rules().castling
            && !m.is_whole_act()
        {
            for side in Side::ALL {
                for wing in Wing::ALL {
                    let touched = castling.paths(side, wing).iter().any(|p| {
                        [m.from(), m.to()]
                            .iter()
                            .any(|s| [p.from, p.partner_from].contains(s))
                    });
                    if touched {
                        next.now.rights.remove(side, wing);
                    }
                }
            }
        }
        next
    }

    fn move_partner(&mut self, us: Side, wing: Wing, to: Square) {
        let castling = self.game.rules().castling.as_ref();
        let path = castling.and_then(|c| c.paths(us, wing).iter().find(|p| p.to == to));
        if let Some(&path) = path {
            // The royal piece may have arrived where its partner stood.
            if path.partner_from != path.to {
                self.now.board[path.partner_from.index()] = None;
            }
            self.now.board[path.partner_to.index()] = castling.map(|c| (us, c.partner));
        }
        self.set_flag(StateFlag::Castled(us), true);
    }

    fn crown(&mut self) {
        let Some(crowning) = self.game.rules().crowning else {
            return;
        };
        self.now.halfmove = 0;
        self.set_flag(StateFlag::Crowned, true);
        for (_, kind) in self.now.board.iter_mut().flatten() {
            if *kind == crowning.piece {
                *kind = crowning.becomes;
            }
        }
    }

    fn play(&self, m: Move) -> Board<'a> {
        let us = self.now.turn;
        let mut next = self.made(m);
        if m.special() == Special::InitialStep {
            let mut passed = self.passed(us, m);
            passed.retain(|&s| next.can_strike(s));
            passed.sort();
            next.now.en_passant = passed;
        }
        let rules = self.game.rules();
        if let (Some(traverse), Some(_)) = (&rules.traverse, rules.crowning)
            && m.piece() == traverse.piece
            && m.changes_kind()
            && !next.flag(StateFlag::Crowned)
        {
            let mut crowned = next.clone();
            crowned.crown();
            let them = us.opponent();
            if !next.royal_is_attacked(them) && !crowned.royal_is_attacked(them) {
                next.set_flag(StateFlag::Offer, true);
            }
        }
        next
    }

    /// Squares that an initial step passed over.
    fn passed(&self, us: Side, m: Move) -> Vec<Square> {
        for v in self.quiet_leaps(m.piece()) {
            let mut passed = Vec::new();
            let mut at = m.from();
            while let Some(next) = self.step(at, us, v) {
                if next == m.to() {
                    return passed;
                }
                passed.push(next);
                at = next;
            }
        }
        Vec::new()
    }

    /// Whether the side to move has a legal en-passant capture on the passed square.
    fn can_strike(&self, passed: Square) -> bool {
        let us = self.now.turn;
        self.pieces(us).into_iter().any(|(from, kind)| {
            self.game.piece(kind).pawn
                && self.strikes(from, us, kind, passed)
                && self.placed(kind, passed).into_iter().any(|placed| {
                    let special = Special::EnPassant;
                    let m = Move::new(from, passed, kind.0, placed.0, special);
                    self.is_safe(m)
                })
        })
    }
}
