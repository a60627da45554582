//! What the play of a game depends on, as a text to compare or to hash: the board, the pieces, the rules and the start.
//! A name, a colour, a clock or game points may change without it.

use super::{Castling, Definition, Endings, Rules, Traverse};
use std::fmt::{Debug, Write};

impl Definition {
    /// What the play depends on, a line for each part, with or without the start. What a game does not have has no
    /// line, so that a new mechanism leaves the texts of all games without it as they are.
    ///
    /// ```
    /// # let mini = husun::Variant::parse("t.toml", husun::doctest::MINI).unwrap();
    /// let renamed = husun::doctest::MINI.replace("Mini", "Small");
    /// let renamed = husun::Variant::parse("t.toml", &renamed).unwrap();
    /// assert_eq!(mini.canonical(true), renamed.canonical(true));
    /// ```
    pub fn canonical(&self, with_start: bool) -> String {
        // A `String` takes whatever is written.
        text(self, with_start).unwrap_or_default()
    }
}

fn text(definition: &Definition, with_start: bool) -> Result<String, std::fmt::Error> {
    let mut text = String::new();
    let frame = definition.frame();
    writeln!(text, "board {} {}", frame.files(), frame.ranks())?;
    for square in frame.squares() {
        write!(text, "{} ", frame.name(square))?;
    }
    writeln!(text)?;
    for p in definition.pieces() {
        let (royal, pawn) = (u8::from(p.royal), u8::from(p.pawn));
        writeln!(text, "piece {} {} {royal} {pawn}", p.letter, p.betza)?;
    }
    if let Some(start) = definition.setups().first().filter(|_| with_start) {
        for square in frame.squares() {
            if let Some((side, kind)) = start.setup.piece_on(square) {
                let letter = side.cased(definition.piece(kind).letter);
                write!(text, "{letter}{} ", frame.name(square))?;
            }
        }
        writeln!(text, "{}", start.setup.turn.letter())?;
        some(&mut text, "rights", Some(start.setup.rights))?;
        some(&mut text, "state", Some(start.setup.state))?;
    }
    for (letter, flag) in definition.state_flags() {
        writeln!(text, "flag {letter} {flag:?}")?;
    }
    rules(&mut text, definition.rules())?;
    Ok(text)
}

/// Every part is named here: one that is added to the rules does not compile until it is decided about.
fn rules(text: &mut String, rules: &Rules) -> std::fmt::Result {
    let Rules {
        initial,
        castling,
        promotion,
        arrivals,
        prison,
        several_royals,
        apart,
        traverse,
        crowning,
        endings,
        points: _,
    } = rules;
    each(text, "initial", initial)?;
    if let Some(castling) = castling {
        let Castling {
            name: _,
            piece,
            partner,
            paths,
        } = castling;
        writeln!(text, "castling {piece:?} {partner:?} {paths:?}")?;
    }
    some(text, "promotion", promotion.as_ref())?;
    each(text, "arrival", arrivals)?;
    each(text, "prison", prison)?;
    some(text, "several royals", several_royals.then_some(()))?;
    some(text, "apart", apart.then_some(()))?;
    if let Some(traverse) = traverse {
        let Traverse {
            name: _,
            piece,
            becomes,
            castle,
        } = traverse;
        writeln!(text, "traverse {piece:?} {becomes:?} {castle:?}")?;
    }
    some(text, "crowning", crowning.as_ref())?;
    let Endings {
        stalemate,
        bare_king,
        bare_royals,
        move_rule,
        repetition,
        citadels,
        closed,
    } = endings;
    writeln!(text, "stalemate {stalemate:?}")?;
    some(text, "bare king", bare_king.then_some(()))?;
    some(text, "bare royals", bare_royals.then_some(()))?;
    some(text, "move rule", *move_rule)?;
    some(text, "repetition", *repetition)?;
    some(text, "citadels", citadels.as_ref())?;
    each(text, "closed", closed)
}

fn some(text: &mut String, name: &str, part: Option<impl Debug>) -> std::fmt::Result {
    match part {
        Some(part) => writeln!(text, "{name} {part:?}"),
        None => Ok(()),
    }
}

fn each(text: &mut String, name: &str, parts: &[impl Debug]) -> std::fmt::Result {
    parts
        .iter()
        .try_for_each(|part| writeln!(text, "{name} {part:?}"))
}
