//! What a kind of piece can do, in plain English: a sentence about its moves, made from its parts, and one about each
//! special act that the game's rules give it. Which moves it has in a position is for [`crate::targets`].

use crate::betza::{Mode, Part, Vector, Way};
use crate::definition::{Arrival, Definition, Initial, SideSquares};
use crate::frame::Square;
use crate::piece::Kind;
use crate::side::{Side, Wing};

mod letters;

pub use letters::{StateLetter, WholeAct};

impl Definition {
    /// The moves of a kind in one sentence: what the game's file says, or else what its notation means.
    ///
    /// ```
    /// # let mini = husun::Variant::parse("t.toml", husun::doctest::MINI).unwrap();
    /// let rook = mini.kind('R').unwrap();
    /// assert_eq!(mini.sentence(rook), "Goes any number of squares along a rank or file.");
    /// ```
    pub fn sentence(&self, kind: Kind) -> String {
        let piece = self.piece(kind);
        if !piece.text.is_empty() {
            return piece.text.clone();
        }
        let clauses = |mode| {
            let parts = piece.parts.iter().filter(|p| p.mode == mode);
            clauses(parts.map(|p| p.way)).join(", or ")
        };
        let both = clauses(Mode::Both);
        let mut quiet = clauses(Mode::MoveOnly);
        let captures = clauses(Mode::CaptureOnly);
        if let Some(initial) = self.first_move(kind) {
            quiet += &initial;
        }
        let text = match [&both, &quiet, &captures].map(|t| t.is_empty()) {
            [false, true, true] => both,
            [true, false, false] => format!("{quiet}, but to capture it {captures}"),
            [true, false, true] => format!("{quiet}, and never captures"),
            [true, true, false] => format!("{captures}, but only to capture"),
            [false, false, true] => format!("{both}; without capturing it also {quiet}"),
            [false, true, false] => format!("{both}; to capture it also {captures}"),
            [false, false, false] => {
                format!("{both}; without capturing it also {quiet}, and to capture {captures}")
            }
            [true, true, true] => "does not move".into(),
        };
        capitalized(&text) + "."
    }

    /// What a kind's first move adds, such as `, or two squares from its second rank`.
    fn first_move(&self, kind: Kind) -> Option<String> {
        let leaps = |p: &Part| p.mode.moves() && matches!(p.way, Way::Leap(_));
        if !self.piece(kind).parts.iter().any(leaps) {
            return None;
        }
        let own = |i: &&Initial| i.pieces.contains(&kind);
        let rules = self.rules().initial.iter().filter(own);
        let all = rules.map(|initial| {
            let mut ranks: Vec<u8> = initial.squares[Side::White.index()]
                .iter()
                .map(|&s| self.frame().rank(s))
                .collect();
            ranks.dedup();
            let ranks: Vec<String> = ranks.iter().map(|&r| ordinal(r + 1)).collect();
            let steps = match initial.steps {
                3.. => "two or three",
                _ => "two",
            };
            let ranks = joined(&ranks, "or");
            format!(", or {steps} squares from its {ranks} rank")
        });
        Some(all.collect())
    }

    /// A kind as it is spoken of: `younger Prince` where it is called `Prince, younger`.
    ///
    /// ```
    /// # let mini = husun::Variant::parse("t.toml", husun::doctest::MINI).unwrap();
    /// assert_eq!(mini.spoken_name(mini.kind('R').unwrap()), "R");
    /// ```
    pub fn spoken_name(&self, kind: Kind) -> String {
        let name = &self.piece(kind).name;
        match name.split_once(", ") {
            Some((noun, which)) => format!("{which} {noun}"),
            None => name.clone(),
        }
    }

    /// What else the rules let pieces of a kind and side do, a sentence each.
    ///
    /// ```
    /// # let mini = husun::Variant::parse("t.toml", husun::doctest::MINI).unwrap();
    /// let king = mini.kind('K').unwrap();
    /// assert_eq!(mini.acts(husun::Side::White, king), ["It must never be left under attack: its checkmate loses the game."]);
    /// ```
    pub fn acts(&self, side: Side, kind: Kind) -> Vec<String> {
        let teller = Teller { game: self, side };
        let mut all = Vec::new();
        all.extend(teller.royal(kind));
        all.extend(teller.castling(kind));
        all.extend(teller.traverse(kind));
        all.extend(teller.crowning(kind));
        if self.piece(kind).pawn {
            all.extend(teller.arrivals());
        }
        all.extend(teller.promotion(kind));
        all.extend(teller.prisoner(kind));
        all
    }

    /// What a Traverse changes for good, for those who are about to do their first.
    pub fn traverse_warning(&self) -> Option<String> {
        let rules = self.rules();
        let traverse = rules.traverse.as_ref()?;
        let teller = Teller {
            game: self,
            side: Side::White,
        };
        let (piece, becomes) = (teller.name(traverse.piece), teller.name(traverse.becomes));
        let mut text = format!(
            "By this {} the {piece} becomes {} for the rest of the game",
            traverse.name,
            with_article(&becomes)
        );
        if rules.points.royal.iter().any(|r| r.0 == traverse.becomes) {
            text += ", with whom a loss or a draw counts differently";
        }
        if let Some(crowning) = &rules.crowning {
            let (from, to) = (teller.name(crowning.piece), teller.name(crowning.becomes));
            text += &format!(
                "; the opponent may then turn every {from} into {}",
                with_article(&to)
            );
        }
        Some(text + ".")
    }
}

struct Teller<'a> {
    game: &'a Definition,
    side: Side,
}

impl Teller<'_> {
    fn name(&self, kind: Kind) -> String {
        self.game.spoken_name(kind)
    }

    fn names(&self, kinds: &[Kind]) -> Vec<String> {
        kinds.iter().map(|&k| self.name(k)).collect()
    }

    fn square(&self, square: Square) -> String {
        self.game.frame().name(square).to_string()
    }

    /// Squares by name, or as a rank or a region where they are one.
    fn squares(&self, squares: &[Square]) -> String {
        let frame = self.game.frame();
        let same = |others: &[Square]| {
            others.len() == squares.len() && others.iter().all(|s| squares.contains(s))
        };
        if let Some(region) = self.game.regions().iter().find(|r| same(&r.squares)) {
            return region.name.clone();
        }
        let ranks = (0..frame.ranks()).filter(|&rank| {
            let all: Vec<Square> = frame.squares().filter(|&s| frame.rank(s) == rank).collect();
            !all.is_empty() && all.iter().all(|s| squares.contains(s))
        });
        let ranks: Vec<u8> = ranks.collect();
        let covered = squares.iter().all(|&s| ranks.contains(&frame.rank(s)));
        if covered && !ranks.is_empty() {
            let numbers: Vec<String> = ranks.iter().map(|r| (r + 1).to_string()).collect();
            let word = if numbers.len() == 1 { "rank" } else { "ranks" };
            return format!("{word} {}", joined(&numbers, "and"));
        }
        let names: Vec<String> = squares.iter().map(|&s| self.square(s)).collect();
        joined(&names, "or")
    }

    fn royal(&self, kind: Kind) -> Option<String> {
        if !self.game.piece(kind).royal {
            return None;
        }
        let other = |k: &Kind| *k != kind && self.game.piece(*k).royal;
        let others: Vec<Kind> = self.game.kinds().filter(other).collect();
        let rules = self.game.rules();
        Some(match rules.several_royals && !others.is_empty() {
            true => format!(
                "As long as its side has {} as well, it may be captured like any piece; alone it must never be left under \
                 attack, and its checkmate loses the game.",
                with_article(&joined(&self.names(&others), "or"))
            ),
            false => "It must never be left under attack: its checkmate loses the game.".to_owned(),
        })
    }

    fn castling(&self, kind: Kind) -> Option<String> {
        let castling = self.game.rules().castling.as_ref()?;
        let partner = self.name(castling.partner);
        let name = &castling.name;
        let paths: Vec<_> = Wing::ALL
            .iter()
            .flat_map(|&wing| castling.paths(self.side, wing))
            .collect();
        let from = self.square(castling.home(self.side)?);
        let to: Vec<String> = paths.iter().map(|p| self.square(p.to)).collect();
        let to = joined(&to, "or");
        (kind == castling.piece).then(|| {
            format!(
                "{name}: it goes from {from} to {to}, and the {partner} of that side comes to stand beside it, if neither has \
                 moved, nothing stands between them and no attack prevents it."
            )
        })
    }

    fn traverse(&self, kind: Kind) -> Option<String> {
        let traverse = self.game.rules().traverse.as_ref()?;
        let castle = self.squares(&traverse.castle[self.side.index()]);
        let anywhere = format!(
            "on a square of {castle} it may go to any other of them, or capture there, whatever stands between"
        );
        if kind == traverse.becomes {
            return Some(format!("Standing {anywhere}."));
        }
        let unless = match &self.game.rules().castling {
            Some(castling) => format!(", as long as its side has not used {}", castling.name),
            None => String::new(),
        };
        (kind == traverse.piece).then(|| {
            format!(
                "{}: standing {anywhere}{unless}; by going further than one step it becomes {} for the rest of the game.",
                traverse.name,
                with_article(&self.name(traverse.becomes))
            )
        })
    }

    fn crowning(&self, kind: Kind) -> Option<String> {
        let rules = self.game.rules();
        let (crowning, traverse) = (rules.crowning.as_ref()?, rules.traverse.as_ref()?);
        (kind == crowning.piece).then(|| {
            format!(
                "When the opponent has just done a {}, a side may, once in the game and instead of moving, turn every {} of both \
                 sides into {}.",
                traverse.name,
                self.name(kind),
                with_article(&self.name(crowning.becomes))
            )
        })
    }

    fn arrivals(&self) -> Vec<String> {
        let rules = self.game.rules();
        let on = |a: &Arrival| self.squares(&a.squares[self.side.index()]);
        let becomes = rules.arrivals.iter().map(|a| {
            let what = with_article(&self.name(a.piece));
            format!("On {} it becomes {what}.", on(a))
        });
        let releases = rules.prison.iter().map(|a| {
            let who = self.name(a.piece);
            format!(
                "On {} it releases the {who} from prison, who takes its place.",
                on(a)
            )
        });
        becomes.chain(releases).collect()
    }

    fn promotion(&self, kind: Kind) -> Option<String> {
        let promotion = self.game.rules().promotion.as_ref()?;
        if !promotion.pieces.contains(&kind) {
            return None;
        }
        let mut what = Vec::new();
        if !promotion.to.is_empty() {
            what.push(joined(&self.names(&promotion.to), "or"));
        }
        // Only what its side has at the start can have been captured.
        let had = |k: &Kind| self.game.setup_count(self.side, *k) > 0;
        let captured: Vec<Kind> = promotion.captured.iter().copied().filter(had).collect();
        if !captured.is_empty() {
            let captured = joined(&self.names(&captured), "or");
            what.push(format!("captured {captured}"));
        }
        let sometimes = promotion.captured_optional.iter().copied();
        let sometimes: Vec<Kind> = sometimes.filter(|k| *k != kind && had(k)).collect();
        let what = with_article(&joined(&what, "or a"));
        let here = |squares: &SideSquares| match &squares[self.side.index()] {
            none if none.is_empty() => None,
            some => Some(self.squares(some)),
        };
        let mut text = match (here(&promotion.mandatory), here(&promotion.optional)) {
            (Some(must), Some(may)) => {
                format!("On {may} it may, and on {must} it must, become {what}.")
            }
            (Some(must), None) => format!("On {must} it becomes {what}."),
            (None, may) => format!("On {} it may become {what}.", may.unwrap_or_default()),
        };
        if let Some(may) = here(&promotion.optional)
            && !sometimes.is_empty()
        {
            let names = with_article(&format!(
                "captured {}",
                joined(&self.names(&sometimes), "or")
            ));
            text += &format!(" On {may} it may become {names} as well.");
        }
        Some(text)
    }

    fn prisoner(&self, kind: Kind) -> Option<String> {
        let prison = &self.game.rules().prison;
        let own = prison.iter().find(|a| a.piece == kind)?;
        let pawn = |k: &Kind| self.game.piece(*k).pawn;
        let pawns: Vec<Kind> = self.game.kinds().filter(pawn).collect();
        Some(format!(
            "It begins the game in prison: its own {} releases it on {}.",
            joined(&self.names(&pawns), "or"),
            self.squares(&own.squares[self.side.index()])
        ))
    }
}

/// Ways of the same kind, which differ only in direction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Leap,
    Ride { max: u8, hop: bool, skip: u8 },
    Bent { stop: bool, max: u8 },
}

/// A shape with the size of its (first) step, whether a second leg is diagonal, and the steps in all directions.
struct Group {
    shape: Shape,
    size: Vector,
    second: Option<bool>,
    steps: Vec<Vector>,
}

fn size((x, y): Vector) -> Vector {
    (x.abs().min(y.abs()), x.abs().max(y.abs()))
}

fn groups(ways: impl Iterator<Item = Way>) -> Vec<Group> {
    let mut all: Vec<Group> = Vec::new();
    for way in ways {
        let (shape, step, second) = match way {
            Way::Leap(step) => (Shape::Leap, step, None),
            Way::Ride {
                step,
                max,
                hop,
                skip,
            } => (Shape::Ride { max, hop, skip }, step, None),
            Way::Bent {
                first,
                stop,
                step,
                max,
            } => (Shape::Bent { stop, max }, first, Some(size(step) == (1, 1))),
        };
        let like = |g: &&mut Group| (g.shape, g.size, g.second) == (shape, size(step), second);
        match all.iter_mut().find(like) {
            Some(group) if group.steps.contains(&step) => {}
            Some(group) => group.steps.push(step),
            None => all.push(Group {
                shape,
                size: size(step),
                second,
                steps: vec![step],
            }),
        }
    }
    all
}

/// What ways make a piece do, a clause each: `jumps two squares one way and one to the side`.
fn clauses(ways: impl Iterator<Item = Way>) -> Vec<String> {
    let mut groups = groups(ways);
    let mut clauses = Vec::new();
    while !groups.is_empty() {
        let one = groups.remove(0);
        let pair = |g: &Group| {
            let straight = |g: &Group| matches!(g.size, (0, 1) | (1, 1)) && g.steps.len() == 4;
            let lines = one.second.is_none() && straight(&one) && straight(g) && g.size != one.size;
            let legs = one.second.is_some() && g.size == one.size && g.second != one.second;
            g.shape == one.shape && (lines || legs)
        };
        let other = groups.iter().position(pair).map(|i| groups.remove(i));
        clauses.push(clause(&one, other.is_some()));
    }
    clauses
}

/// One clause; `whole` where the straight and the diagonal form of it come together.
fn clause(group: &Group, whole: bool) -> String {
    let where_to = || match whole {
        true => "in a straight line in any direction".to_owned(),
        false => direction(group),
    };
    match group.shape {
        Shape::Leap => match group.size {
            (0, 1) | (1, 1) if whole => "goes one square in any direction".into(),
            (0, 1) | (1, 1) => format!("goes one square {}", direction(group)),
            (a, b) if a == 0 || a == b => {
                format!("jumps exactly {} squares {}", count(b), direction(group))
            }
            (a, b) => format!(
                "jumps {} squares one way and {} to the side{}",
                count(b),
                count(a),
                only(group)
            ),
        },
        Shape::Ride {
            max: 2, skip: 1, ..
        } => format!(
            "goes exactly two squares {}, if the one between is empty",
            where_to()
        ),
        Shape::Ride { max, hop, .. } if matches!(group.size, (0, 1) | (1, 1)) => {
            let far = match max {
                0 => "any number of squares".to_owned(),
                max => format!("up to {} squares", count(max as i8)),
            };
            let hops = match hop {
                true => ", jumping over exactly one piece on the way and landing beyond it",
                false => "",
            };
            format!("goes {far} {}{hops}", where_to())
        }
        Shape::Ride { .. } => {
            let leap = Group {
                shape: Shape::Leap,
                size: group.size,
                second: None,
                steps: group.steps.clone(),
            };
            format!(
                "{}, and again in the same direction as long as the squares on which it lands are empty",
                clause(&leap, false)
            )
        }
        Shape::Bent { stop, max } => bent(group, stop, max, whole),
    }
}

fn bent(group: &Group, stop: bool, max: u8, whole: bool) -> String {
    let lines = match (whole, group.second) {
        (true, _) => "a rank, file or diagonal",
        (_, Some(true)) => "a diagonal",
        _ => "a rank or file",
    };
    let first = match group.size {
        (0, 1) => format!("takes one step {}", direction(group)),
        (1, 1) => format!("takes one step {}", direction(group)),
        _ => {
            let leap = Group {
                shape: Shape::Leap,
                size: group.size,
                second: None,
                steps: group.steps.clone(),
            };
            clause(&leap, false)
        }
    };
    let far = match max {
        0 => format!("any number of squares along {lines}"),
        1 => format!("one square along {lines}"),
        max => format!("up to {} squares along {lines}", count(max as i8)),
    };
    let away = "away from where it came";
    match stop {
        true => format!("{first}, and from an empty square there may go on {far}, {away}"),
        false => format!("{first} to an empty square and goes on {far}, {away}"),
    }
}

/// Where the steps of a straight or diagonal group lead.
fn direction(group: &Group) -> String {
    let has = |x: i8, y: i8| {
        group
            .steps
            .iter()
            .any(|s| s.0.signum() == x && s.1.signum() == y)
    };
    if group.size.0 == 0 {
        let [forward, back, left, right] = [has(0, 1), has(0, -1), has(-1, 0), has(1, 0)];
        return match [forward, back, left || right] {
            [true, true, true] => "along a rank or file",
            [true, true, false] => "along its file",
            [true, false, false] => "straight forward",
            [false, true, false] => "straight back",
            [true, false, true] => "straight forward or sideways",
            [false, true, true] => "straight back or sideways",
            [false, false, true] if left && right => "sideways",
            [false, false, _] if left => "to the left",
            [false, false, _] => "to the right",
        }
        .into();
    }
    let forward = has(1, 1) || has(-1, 1);
    let back = has(1, -1) || has(-1, -1);
    match (forward, back) {
        (true, false) => "diagonally forward",
        (false, true) => "diagonally back",
        _ => "diagonally",
    }
    .into()
}

/// What restricts an oblique leaper, if it does not leap in all eight directions.
fn only(group: &Group) -> &'static str {
    let all = |f: fn(&Vector) -> bool| group.steps.iter().all(f);
    match group.steps.len() {
        8.. => "",
        _ if all(|s| s.1 > 0) => ", forward only",
        _ if all(|s| s.1 < 0) => ", backward only",
        _ => ", in some directions only",
    }
}

fn count(n: i8) -> String {
    const WORDS: [&str; 6] = ["no", "one", "two", "three", "four", "five"];
    let word = usize::try_from(n).ok().and_then(|n| WORDS.get(n));
    word.map_or_else(|| n.to_string(), |w| (*w).to_owned())
}

fn ordinal(n: u8) -> String {
    const WORDS: [&str; 7] = [
        "first", "second", "third", "fourth", "fifth", "sixth", "seventh",
    ];
    let word = WORDS.get(usize::from(n).saturating_sub(1));
    word.map_or_else(|| format!("{n}th"), |w| (*w).to_owned())
}

fn with_article(name: &str) -> String {
    let vowel = name.starts_with(['A', 'E', 'I', 'O', 'a', 'e', 'i', 'o']);
    format!("{} {name}", if vowel { "an" } else { "a" })
}

/// `a, b or c`.
fn joined(words: &[String], last: &str) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [all @ .., end] => format!("{} {last} {end}", all.join(", ")),
    }
}

fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}
