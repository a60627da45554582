//! What XBoard is told about a game that it does not know: which letter is which of its pieces, the size of the board,
//! the set-up, and the moves of each piece in the Betza notation that XBoard reads.

use husun::{Kind, Side, Variant};
use std::sync::Arc;

/// XBoard's name for chess, which needs no description.
pub const NORMAL: &str = "normal";
const CHESS: &str = games::ORTHODOX;

/// XBoard's pieces in the order of its table, by the letters that it usually gives them; the pawn comes first and the
/// royal piece last.
const SLOTS: &str = "PNBRQFEACWMOHIJGDVLSUK";

/// The name by which a game is announced.
pub fn name_of(id: &str) -> &str {
    if id == CHESS { NORMAL } else { id }
}

/// The game with a name.
pub fn id_of(name: &str) -> &str {
    if name == NORMAL { CHESS } else { name }
}

/// XBoard's piece, by its usual letter, whose picture shows best how a piece moves.
const PICTURES: [(&str, char); 10] = [
    ("Q", 'Q'),
    ("R", 'R'),
    ("B", 'B'),
    ("N", 'N'),
    ("RN", 'C'),
    ("BN", 'A'),
    ("F", 'F'),
    ("A", 'E'),
    ("pR", 'O'),
    ("K", 'M'),
];

/// The letters of a game in the order of XBoard's table, with `.` for unused slots. Pieces of the set-up choose first.
fn slots(variant: &Variant) -> Vec<char> {
    let mut slots = vec!['.'; SLOTS.len()];
    let last = slots.len() - 1;
    let waits = |kind: &Kind| variant.setup_count(Side::White, *kind) == 0;
    let mut kinds: Vec<Kind> = variant.kinds().collect();
    kinds.sort_by_key(waits);
    let royal = kinds.iter().copied().find(|&k| variant.piece(k).royal);
    let pawn = kinds.iter().copied().find(|&k| variant.piece(k).pawn);
    for kind in kinds {
        let piece = variant.piece(kind);
        let picture = PICTURES.iter().find(|(moves, _)| *moves == piece.betza);
        let wanted = [picture.map(|(_, letter)| *letter), Some(piece.letter)];
        let place = match Some(kind) {
            k if k == royal => Some(last),
            k if k == pawn => Some(0),
            _ => {
                let usual = wanted.into_iter().flatten().filter_map(|c| SLOTS.find(c));
                usual
                    .chain((1..last).rev())
                    .find(|&i| i != 0 && i != last && slots[i] == '.')
            }
        };
        if let Some(i) = place {
            slots[i] = piece.letter;
        }
    }
    slots
}

/// The moves of a piece as XBoard reads them; none if XBoard cannot express them.
///
/// ```
/// use husun_protocol::xboard::piece_moves;
/// let chess = games::variant("chess").unwrap();
/// let king = chess.kind('K').unwrap();
/// assert_eq!(piece_moves(&chess, king).as_deref(), Some("KisO2"));
/// let strike = games::variant("strike80").unwrap();
/// assert_eq!(piece_moves(&strike, strike.kind('P').unwrap()), None);
/// ```
pub fn piece_moves(variant: &Variant, kind: Kind) -> Option<String> {
    let piece = variant.piece(kind);
    if piece.betza.contains('[') {
        return None;
    }
    // XBoard swaps L and J; it reads the older letters as everybody does.
    let betza: String = piece
        .betza
        .chars()
        .map(|c| match c {
            'L' => 'C',
            'J' => 'Z',
            c => c,
        })
        .collect();
    if piece.pawn {
        let rules = variant.rules().initial.iter();
        let own = rules.filter(|i| i.pieces.contains(&kind));
        let steps = own.map(|i| i.steps).max().unwrap_or(1);
        let initial = match steps {
            0 | 1 => String::new(),
            2 => "ifmnD".into(),
            n => format!("ifmW{n}"),
        };
        let passing = if steps > 1 { "fceF" } else { "fcF" };
        return Some(format!("fmW{passing}{initial}"));
    }
    let castling = variant.rules().castling.as_ref();
    let steps = castling.filter(|c| c.piece == kind).and_then(|c| {
        let ways = c.paths[Side::White.index()].iter().flatten();
        let file = |square| i32::from(variant.frame().file(square));
        let mut steps = ways.map(|w| (file(w.to) - file(w.from)).abs());
        let first = steps.next()?;
        steps.all(|s| s == first).then_some(first)
    });
    Some(match steps {
        Some(steps) => format!("{betza}isO{steps}"),
        None => betza,
    })
}

/// The lines that describe a game.
///
/// ```
/// let lines = husun_protocol::xboard::describe(&games::variant("citadel9").unwrap());
/// assert_eq!(
///     lines[0],
///     "setup (PHBWC..GM.S.......RYTKphbwc..gm.s.......rytk) 9x9+0_fairy \
///      whsbkgshw/ppppppppp/9/9/9/9/9/PPPPPPPPP/WHSTKMSHW w KQkq - 0 1"
/// );
/// assert!(lines.contains(&"piece T& ByafsF".into()));
/// ```
pub fn describe(variant: &Arc<Variant>) -> Vec<String> {
    let white: String = slots(variant).into_iter().collect();
    let black = white.to_ascii_lowercase();
    let frame = variant.frame();
    let mut lines = vec![format!(
        "setup ({white}{black}) {}x{}+0_fairy {}",
        frame.files(),
        frame.ranks(),
        without_state(variant, &variant.start().fen())
    )];
    for kind in variant.kinds() {
        if let Some(moves) = piece_moves(variant, kind) {
            lines.push(format!("piece {}& {moves}", variant.piece(kind).letter));
        }
    }
    lines
}

/// A position text without the state field, which only our games have.
fn without_state(variant: &Variant, fen: &str) -> String {
    let mut fields: Vec<&str> = fen.split(' ').collect();
    if !variant.state_flags().is_empty() && fields.len() > 4 {
        fields.remove(4);
    }
    fields.join(" ")
}
