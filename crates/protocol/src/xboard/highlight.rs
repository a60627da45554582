//! Answers to `lift`, `hover` and `put`: the squares to which a piece can go, in XBoard's colours.

use husun::{Move, Position, Special, Square};

/// The answer to a piece being picked up: `highlight` with its targets, and `choice` if it may become something else.
pub(crate) fn lifted(position: &Position, from: Square) -> Vec<String> {
    vec![format!("highlight {}", colours(position, from, None))]
}

/// The answer to a piece being held over a target: what an en-passant capture there would take.
pub(crate) fn hovered(position: &Position, from: Square, over: Square) -> Vec<String> {
    let moves = moves_of(position, from).into_iter();
    let mut passing = moves.filter(|m| m.to() == over && m.special() == Special::EnPassant);
    let victim = passing.next().and_then(|m| position.captured(m));
    match victim {
        Some((square, ..)) => vec![format!(
            "highlight {}",
            colours(position, from, Some(square))
        )],
        None => Vec::new(),
    }
}

/// The answer to a piece being put down: what it may become, if there is a choice or no way to avoid it.
pub(crate) fn put(position: &Position, from: Square, to: Square) -> Vec<String> {
    let letters: String = moves_of(position, from)
        .into_iter()
        .filter(|m| m.to() == to && m.changes_kind())
        .map(|m| position.variant().piece(m.placed()).letter)
        .collect();
    match letters.is_empty() {
        true => Vec::new(),
        false => vec![format!("choice {letters}")],
    }
}

fn moves_of(position: &Position, from: Square) -> Vec<Move> {
    let mut moves = position.legal_moves();
    moves.retain(|m| m.from() == from);
    moves
}

/// The colour of a target by the moves that lead there.
fn colour(position: &Position, moves: &[Move]) -> char {
    let changes = moves.iter().filter(|m| m.changes_kind()).count();
    match moves {
        [] => ' ',
        // A single kind to become and no way to decline it.
        [_] if changes == 1 => 'B',
        _ if changes > 0 => 'M',
        [m, ..] if position.is_capture(*m) => 'R',
        _ => 'Y',
    }
}

fn colours(position: &Position, from: Square, victim: Option<Square>) -> String {
    let frame = position.variant().frame();
    let moves = moves_of(position, from);
    let mut text = String::new();
    for rank in (0..frame.ranks()).rev() {
        let mut empty = 0;
        for file in 0..frame.files() {
            let square = frame.at(file.into(), rank.into());
            let to = |m: &&Move| Some(m.to()) == square;
            let here: Vec<Move> = moves.iter().filter(to).copied().collect();
            let mark = match colour(position, &here) {
                ' ' if square.is_some() && square == victim => 'g',
                mark => mark,
            };
            if mark == ' ' {
                empty += 1;
                continue;
            }
            if empty > 0 {
                text += &empty.to_string();
                empty = 0;
            }
            text.push(mark);
        }
        if empty > 0 {
            text += &empty.to_string();
        }
        if rank > 0 {
            text.push('/');
        }
    }
    text
}
