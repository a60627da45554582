//! The rules of a game as its data give them, in Markdown: for a user's own game, which has no page written for
//! players.

use husun::variant::{Arrival, SideSquares, Stalemate};
use husun::{Frame, Kind, Side, Square, Variant, Wing};
use std::fmt::Write;

/// Everything that the data of a game say.
pub fn rules(variant: &Variant) -> String {
    let teller = Teller { variant };
    let mut text = format!("# {}\n\n", variant.name());
    if !variant.summary().is_empty() {
        text += &paragraph(variant.summary());
    }
    if !variant.origin().is_empty() {
        text += &paragraph(&format!("Origin: {}", variant.origin()));
    }
    text += "## Board and set-up\n\n";
    text += &paragraph(&format!(
        "Board: {} squares. Usual clock: {}.",
        board_size(variant),
        variant.clock()
    ));
    text += &teller.setups();
    text += "## Pieces\n\n";
    text += &teller.pieces();
    text += "## Special rules\n\n";
    let special = teller.special();
    match special.is_empty() {
        true => text += "None.\n\n",
        false => text += &list(&special),
    }
    text += "## Endings\n\n";
    text += &list(&teller.endings());
    text += "## Points\n\n";
    text += &list(&teller.points());
    text
}

/// Files by ranks, and the number of squares if some are missing.
///
/// ```
/// use husun_render::described::board_size;
/// assert_eq!(board_size(&games::variant("grand").unwrap()), "10x10");
/// assert_eq!(board_size(&games::variant("alhusun").unwrap()), "104 of 12x12");
/// ```
pub fn board_size(variant: &Variant) -> String {
    let frame = variant.frame();
    let whole = usize::from(frame.files()) * usize::from(frame.ranks());
    let size = format!("{}x{}", frame.files(), frame.ranks());
    match frame.len() {
        all if all == whole => size,
        some => format!("{some} of {size}"),
    }
}

fn paragraph(text: &str) -> String {
    format!("{text}\n\n")
}

fn list(items: &[String]) -> String {
    let mut text = String::new();
    for item in items {
        let _ = writeln!(text, "- {item}");
    }
    text + "\n"
}

struct Teller<'a> {
    variant: &'a Variant,
}

impl Teller<'_> {
    fn name(&self, kind: Kind) -> String {
        let piece = self.variant.piece(kind);
        format!("{} (`{}`)", piece.name, piece.letter)
    }

    fn names(&self, kinds: &[Kind]) -> String {
        let names: Vec<String> = kinds.iter().map(|&k| self.name(k)).collect();
        names.join(", ")
    }

    fn squares(&self, squares: &[Square]) -> String {
        let frame = self.variant.frame();
        let names: Vec<String> = squares.iter().map(|&s| frame.name(s).to_string()).collect();
        names.join(" ")
    }

    /// White's squares; Black's are the same reflected.
    fn white(&self, squares: &SideSquares) -> String {
        let squares = &squares[Side::White.index()];
        match self.whole_ranks(squares) {
            Some(ranks) => ranks,
            None => self.squares(squares),
        }
    }

    fn whole_ranks(&self, squares: &[Square]) -> Option<String> {
        let frame = self.variant.frame();
        let on = |rank: u8| frame.squares().filter(move |&s| frame.rank(s) == rank);
        let ranks: Vec<u8> = (0..frame.ranks())
            .filter(|&rank| on(rank).next().is_some() && on(rank).all(|s| squares.contains(&s)))
            .collect();
        let covered: usize = ranks.iter().map(|&rank| on(rank).count()).sum();
        (!ranks.is_empty() && covered == squares.len()).then(|| {
            let names: Vec<String> = ranks.iter().map(|r| format!("rank {}", r + 1)).collect();
            names.join(", ")
        })
    }

    fn setups(&self) -> String {
        let variant = self.variant;
        let frame = variant.frame();
        let mut text = String::new();
        for named in variant.setups() {
            let _ = writeln!(text, "Set-up `{}`:\n\n```text", named.name);
            for rank in (0..frame.ranks()).rev() {
                let _ = write!(text, "{:2} ", rank + 1);
                for file in 0..frame.files() {
                    let c = match frame.at(file.into(), rank.into()) {
                        None => ' ',
                        Some(square) => match named.setup.piece_on(square) {
                            None => '.',
                            Some((side, kind)) => side.cased(variant.piece(kind).letter),
                        },
                    };
                    let _ = write!(text, " {c}");
                }
                text.push('\n');
            }
            let files: String = (0..frame.files())
                .map(|f| format!(" {}", Frame::file_letter(f)))
                .collect();
            let _ = writeln!(text, "\n   {files}\n```\n");
        }
        text
    }

    fn pieces(&self) -> String {
        let mut text =
            String::from("| Letter | Piece | Betza | Remarks |\n| --- | --- | --- | --- |\n");
        for piece in self.variant.pieces() {
            let remarks = match (piece.royal, piece.pawn) {
                (true, _) => "royal",
                (_, true) => "of pawn type",
                _ => "",
            };
            let _ = writeln!(
                text,
                "| `{}` | {} | `{}` | {remarks} |",
                piece.letter, piece.name, piece.betza
            );
        }
        text + "\n"
    }

    fn special(&self) -> Vec<String> {
        let rules = self.variant.rules();
        let mut items = Vec::new();
        for initial in &rules.initial {
            items.push(format!(
                "First move: from {} a {} may go up to {} squares straight forward; it \
                 can be captured en passant then.",
                self.white(&initial.squares),
                self.names(&initial.pieces),
                initial.steps
            ));
        }
        items.extend(self.castling());
        if let Some(promotion) = &rules.promotion {
            items.push(self.promotion(promotion));
        }
        let arrival = |what: &str, a: &Arrival| {
            format!(
                "{what} {} on {}.",
                self.name(a.piece),
                self.white(&a.squares)
            )
        };
        items.extend(
            rules
                .arrivals
                .iter()
                .map(|a| arrival("A pawn-type piece becomes", a)),
        );
        items.extend(rules.prison.iter().map(|a| {
            arrival(
                "While its prisoner is in prison, a pawn-type piece releases",
                a,
            )
        }));
        if rules.several_royals {
            items.push("A side may have several royal pieces; none of them is royal then.".into());
        }
        if rules.apart {
            items.push("Opposing royal pieces never stand next to each other.".into());
        }
        if let Some(traverse) = &rules.traverse {
            items.push(format!(
                "Until it has castled, the {} may go anywhere within {}; going further than a step it \
                 becomes {}.",
                self.name(traverse.piece),
                self.white(&traverse.castle),
                self.name(traverse.becomes)
            ));
        }
        if let Some(crowning) = &rules.crowning {
            items.push(format!(
                "A side offered it by a Traverse may, in lieu of a move, promote every {} of both \
                 sides to {}.",
                self.name(crowning.piece),
                self.name(crowning.becomes)
            ));
        }
        items
    }

    fn promotion(&self, promotion: &husun::variant::Promotion) -> String {
        let mut text = format!("Promotion of {}", self.names(&promotion.pieces));
        if !promotion.to.is_empty() {
            let _ = write!(text, " to {}", self.names(&promotion.to));
        }
        if !promotion.captured.is_empty() {
            let _ = write!(
                text,
                "; to {} while fewer of them stand on the board than at the start",
                self.names(&promotion.captured)
            );
        }
        for (squares, how) in [
            (&promotion.optional, "if wanted"),
            (&promotion.mandatory, "always"),
        ] {
            if !squares[0].is_empty() {
                let _ = write!(text, "; {how} on {}", self.white(squares));
            }
        }
        text + "."
    }

    fn castling(&self) -> Vec<String> {
        let Some(castling) = &self.variant.rules().castling else {
            return Vec::new();
        };
        let frame = self.variant.frame();
        let paths = Wing::ALL
            .iter()
            .flat_map(|&w| castling.paths(Side::White, w));
        paths
            .map(|p| {
                format!(
                    "Castling: {} {} to {}, {} {} to {}.",
                    self.name(castling.piece),
                    frame.name(p.from),
                    frame.name(p.to),
                    self.name(castling.partner),
                    frame.name(p.partner_from),
                    frame.name(p.partner_to)
                )
            })
            .collect()
    }

    fn endings(&self) -> Vec<String> {
        let endings = &self.variant.rules().endings;
        let mut items = Vec::new();
        if let Some(citadels) = &endings.citadels {
            items.push(format!(
                "A royal piece on an opposite citadel ({}) draws.",
                self.white(citadels)
            ));
        }
        if endings.bare_king {
            items.push(
                "A side left with its royal piece alone has lost, unless it bares the other."
                    .into(),
            );
        }
        items.push("Checkmate wins.".into());
        items.push(match endings.stalemate {
            Stalemate::Draw => "Stalemate draws.".into(),
            Stalemate::Win => "Stalemate wins for the side that gives it.".into(),
        });
        if endings.bare_royals {
            items.push("Royal pieces alone on the board: draw.".into());
        }
        if let Some(n) = endings.repetition {
            items.push(format!("Occurrence {n} of the same position: draw."));
        }
        if let Some(n) = endings.move_rule {
            items.push(format!(
                "{n} half-moves without capture, move of a pawn-type piece or change of a piece: draw."
            ));
        }
        items
    }

    fn points(&self) -> Vec<String> {
        let points = &self.variant.rules().points;
        let mut items: Vec<String> = Side::ALL
            .iter()
            .map(|side| {
                let p = points.side[side.index()];
                format!(
                    "{}: win {}, draw {}, loss {}.",
                    side.name(),
                    p.win,
                    p.draw,
                    p.loss
                )
            })
            .collect();
        if let Some(gem) = points.green_gem {
            items.push(format!(
                "Checkmate by the capture of one of two royal pieces: {gem}."
            ));
        }
        for &(kind, beaten, draw) in &points.royal {
            items.push(format!(
                "{}: {beaten:+} for beating it, {draw:+} to one's own draw with it.",
                self.name(kind)
            ));
        }
        items
    }
}
