//! What a move does besides going from one square to another, as far as a lesson can ask for it. Told from the library's moves
//! and ways alone; no game is named.

use husun::variant::StateFlag;
use husun::{Move, Position, Special, Square, Target, Variant};

/// Something that a move does, by which a lesson can ask for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Act {
    /// Castling, whatever the game calls it.
    Castling,
    /// A capture of a pawn-type piece on a square that it passed.
    EnPassant,
    /// A first move of several squares.
    InitialStep,
    /// A move within the castle that goes further than a step.
    Traverse,
    /// All pieces of a kind are promoted instead of a move.
    Crowning,
    /// A prisoner takes the square of the pawn-type piece that arrives.
    Release,
    /// A piece becomes what its player chooses.
    Promotion,
    /// A pawn-type piece becomes what the square says.
    Arrival,
    /// A move over another piece, by one that must jump.
    Hop,
    /// A move that turns on its way.
    Bend,
    /// Mate or stalemate is accepted instead of an optional move.
    Accept,
}

impl Act {
    /// Every act with its name in `lessons.toml`.
    pub const NAMES: [(Act, &'static str); 11] = [
        (Act::Castling, "castling"),
        (Act::EnPassant, "en passant"),
        (Act::InitialStep, "initial step"),
        (Act::Traverse, "traverse"),
        (Act::Crowning, "crowning"),
        (Act::Release, "release"),
        (Act::Promotion, "promotion"),
        (Act::Arrival, "arrival"),
        (Act::Hop, "hop"),
        (Act::Bend, "bend"),
        (Act::Accept, "accept"),
    ];

    /// The act of a name.
    pub fn from_name(name: &str) -> Option<Act> {
        let mut all = Act::NAMES.into_iter();
        all.find(|(_, known)| *known == name).map(|(act, _)| act)
    }

    /// Its name, as `initial step`.
    pub fn name(self) -> &'static str {
        let mut all = Act::NAMES.into_iter();
        all.find(|(act, _)| *act == self)
            .map_or("", |(_, name)| name)
    }
}

/// What a legal move does besides going to its square, as far as a lesson can ask for it.
///
/// ```
/// let chess = games::variant("chess").unwrap();
/// let start = chess.start();
/// let acts = lessons::acts(&start, start.parse_uci("e2e4").unwrap());
/// assert_eq!(acts, [lessons::Act::InitialStep]);
/// ```
pub fn of_move(position: &Position, m: Move) -> Vec<Act> {
    let mut acts = Vec::new();
    match m.special() {
        Special::CastleEast | Special::CastleWest => acts.push(Act::Castling),
        Special::EnPassant => acts.push(Act::EnPassant),
        Special::InitialStep => acts.push(Act::InitialStep),
        Special::Crowning => acts.push(Act::Crowning),
        _ => {}
    }
    if m.is_whole_act() {
        return acts;
    }
    let variant = position.variant();
    let rules = variant.rules();
    let side = position.turn();
    if m.changes_kind() {
        let prisoner = StateFlag::InPrison(side, m.placed());
        let is = |all: &[husun::variant::Arrival]| {
            let here = |s: &Square| *s == m.to();
            let mut all = all.iter();
            all.any(|a| a.piece == m.placed() && a.squares[side.index()].iter().any(here))
        };
        let traverse = rules.traverse.as_ref();
        if position.has_flag(prisoner) && is(&rules.prison) {
            acts.push(Act::Release);
        } else if is(&rules.arrivals) {
            acts.push(Act::Arrival);
        } else if !traverse.is_some_and(|t| t.piece == m.piece() && t.becomes == m.placed()) {
            acts.push(Act::Promotion);
        }
    }
    let standing = |s: Square| position.piece_on(s).map(|(side, _)| side);
    let targets = variant.targets(side, m.piece(), m.from(), standing);
    let target = targets.iter().find(|t| t.to == m.to());
    acts.extend(
        target
            .into_iter()
            .flat_map(|t| of_way(variant, m.from(), t)),
    );
    acts
}

/// What the way to a target does.
pub(crate) fn of_way(variant: &Variant, from: Square, target: &Target) -> Vec<Act> {
    let mut acts = Vec::new();
    if target.over.is_some() {
        acts.push(Act::Hop);
    }
    if target.act == Some(husun::Act::Traverse) {
        acts.push(Act::Traverse);
    }
    if bends(variant, from, target) {
        acts.push(Act::Bend);
    }
    acts
}

/// Whether the squares of the way do not lie on one line.
fn bends(variant: &Variant, from: Square, target: &Target) -> bool {
    let frame = variant.frame();
    let place = |s: Square| (i32::from(frame.file(s)), i32::from(frame.rank(s)));
    let (x, y) = place(from);
    let mut squares = target.path.iter().chain([&target.to]).map(|&s| place(s));
    let Some((a, b)) = squares.next() else {
        return false;
    };
    let (dx, dy) = (a - x, b - y);
    squares.any(|(a, b)| (a - x) * dy != (b - y) * dx)
}
