//! What moves bring about beyond going from one square to another: rows of a game, a position, a move and its moments.

use husun::Moment;
use std::error::Error;

const ROWS: &[(&str, &str, &str, &str)] = &[
    (
        "chess",
        "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1",
        "e1g1",
        "White castled K",
    ),
    (
        "chess",
        "4k3/P7/8/8/8/8/8/4K3 w - - 0 1",
        "a7a8n",
        "White promoted P N",
    ),
    ("chess", "4k3/8/8/8/8/8/P7/4K3 w - - 0 1", "a2a3", ""),
    // Prisoners: the releasing pawn is replaced by the freed prisoner; on other squares it is promoted.
    (
        "citadel9",
        "k8/3P5/9/9/9/9/9/9/4K4 w - - CY 0 1",
        "d8d9c",
        "White released C",
    ),
    (
        "citadel9",
        "4k4/9/P8/9/9/9/9/9/4K4 w - - CY 0 1",
        "a7a8r",
        "White promoted P R",
    ),
    // One of two Princes is taken.
    (
        "citadel9",
        "w3k4/9/9/9/9/9/9/9/Y3K4 b - - - 0 1",
        "a9a1",
        "White taken Y",
    ),
    // The Traverse, the offer that it makes, and Emperors.
    (
        "strike80",
        "4q5/10/10/10/10/10/10/4Q5 w - - - 0 1",
        "e1g1e",
        "White traversed Q E",
    ),
    (
        "strike80",
        "4q5/10/10/9k/10/10/10/6E3 b - - ! 3 9",
        "e8e8",
        "Black crowned K X",
    ),
];

#[test]
fn moves_bring_about_what_they_are_remembered_by() -> Result<(), Box<dyn Error>> {
    for (id, fen, uci, expected) in ROWS {
        let variant = husun_games::variant(id).ok_or("no game")?;
        let position = variant
            .position(fen)
            .map_err(|e| format!("{id} {fen}: {e}"))?;
        let m = position
            .parse_uci(uci)
            .map_err(|e| format!("{id} {fen}: {e}"))?;
        let letter = |kind| variant.piece(kind).letter;
        let said = |moment: &Moment| match *moment {
            Moment::Released { side, piece } => (side, format!("released {}", letter(piece))),
            Moment::Traversed {
                side,
                piece,
                becomes,
            } => (
                side,
                format!("traversed {} {}", letter(piece), letter(becomes)),
            ),
            Moment::Crowned {
                side,
                piece,
                becomes,
            } => (
                side,
                format!("crowned {} {}", letter(piece), letter(becomes)),
            ),
            Moment::Promoted {
                side,
                piece,
                becomes,
            } => (
                side,
                format!("promoted {} {}", letter(piece), letter(becomes)),
            ),
            Moment::Castled { side, piece } => (side, format!("castled {}", letter(piece))),
            Moment::RoyalTaken { side, piece } => (side, format!("taken {}", letter(piece))),
        };
        let all: Vec<String> = position
            .moments(m)
            .iter()
            .map(|moment| {
                let (side, text) = said(moment);
                format!("{} {text}", side.name())
            })
            .collect();
        assert_eq!(all.join(", "), *expected, "{id} {fen} {uci}");
    }
    Ok(())
}
