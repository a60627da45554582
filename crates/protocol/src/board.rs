//! Positions and moves as both protocols write them: the diagram of `d`, lines of moves, the squares that
//! give check.

use husun::pos::Pos;
use husun::set::Set;
use husun::tables::Tables;
use husun::{Frame, Move, Position, Square, VisitPosition};
use std::fmt::Write;
use std::sync::Arc;

/// The moves of a line as text, starting from the position.
pub fn line_text(position: &Position, line: &[Move]) -> String {
    let texts: Vec<String> = line.iter().map(|&m| position.uci(m).to_string()).collect();
    texts.join(" ")
}

/// Squares of the pieces that give check, in the order of the squares.
///
/// ```
/// let chess = games::variant("chess").unwrap();
/// let position = chess.position("4k3/8/8/8/8/8/8/4R1K1 b - - 0 1").unwrap();
/// let names: Vec<String> = husun_protocol::board::checkers(&position)
///     .into_iter()
///     .map(|s| chess.frame().name(s).to_string())
///     .collect();
/// assert_eq!(names, ["e1"]);
/// ```
pub fn checkers(position: &Position) -> Vec<Square> {
    let turn = position.turn();
    let Some(royal) = position.royal_square(turn).filter(|_| position.in_check()) else {
        return Vec::new();
    };
    position.visit(Attackers(royal))
}

/// The opponent's pieces that attack a square.
struct Attackers(Square);

impl VisitPosition for Attackers {
    type Output = Vec<Square>;

    fn visit<S: Set>(self, tables: &Arc<Tables<S>>, pos: &Pos<S>) -> Vec<Square> {
        let all = tables.attackers(pos, self.0, pos.occupied());
        (all & pos.side(pos.turn().opponent())).iter().collect()
    }
}

/// The board as lines of text, the last rank first; squares that do not exist show `*`.
pub fn diagram(position: &Position) -> String {
    let variant = position.variant();
    let frame = variant.frame();
    let rule = format!(" +{}\n", "---+".repeat(frame.files().into()));
    let mut text = rule.clone();
    for rank in (0..frame.ranks()).rev() {
        text.push(' ');
        for file in 0..frame.files() {
            let square = frame.at(file.into(), rank.into());
            let shown = match square.map(|s| position.piece_on(s)) {
                None => '*',
                Some(None) => ' ',
                Some(Some((side, kind))) => side.cased(variant.piece(kind).letter),
            };
            // Writing to a string cannot fail.
            let _ = write!(text, "| {shown} ");
        }
        let _ = writeln!(text, "| {}", rank + 1);
        text += &rule;
    }
    text.push(' ');
    for file in 0..frame.files() {
        let _ = write!(text, "  {} ", Frame::file_letter(file));
    }
    text
}
