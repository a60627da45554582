//! From a game's text to a checked [`Definition`]: every value is looked at here once, with an error at
//! its place.

use super::acts::{castling, initial, promotion};
use super::check::{Checker, bounds};
use super::*;
use crate::doc::{ArrivalDoc, At, GameDoc, GameError, PieceDoc, Problem, Sources};
use crate::fen::Notation;
use crate::mechanisms::crowning::Crowning;
use crate::set::{Set, Words};
use std::collections::HashSet;

const MAX_KINDS: usize = <Words<3> as Set>::KINDS;

pub(crate) fn build(doc: &GameDoc, sources: &Sources) -> Result<Definition, GameError> {
    let missing = |key: &str, what| sources.error(0, key, Problem::Missing(what));
    let id = doc
        .id
        .as_ref()
        .ok_or_else(|| missing("id", "a short name of small letters, digits and -"))?;
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let text = id.get_ref();
    if text.is_empty() || text.len() > 40 || !text.chars().all(fits) {
        let problem = bounds(format!("`{text}`"), "1 to 40 small letters, digits and -");
        return Err(sources.error(id.span().start, "id", problem));
    }
    let checker = Checker {
        sources,
        frame: frame(doc, sources)?,
        pieces: pieces(&doc.pieces, sources)?,
    };
    let rules = rules(doc, &checker)?;
    let clock = match &doc.clock {
        None => TimeControl::None,
        Some(text) => text.get_ref().parse().map_err(|e| {
            let e: crate::clock::TimeControlError = e;
            checker.error(text, "clock", Problem::Conflict(e.to_string()))
        })?,
    };
    let regions = checker.regions(doc)?;
    let looks = checker.looks(doc)?;
    let customs = checker.customs(doc)?;
    let about = about(doc, sources)?;
    let state = state_flags(&rules, &checker.pieces);
    super::sense::check(doc, &checker, &rules, &state)?;
    let words =
        |text: &Option<At<String>>| text.as_ref().map_or(String::new(), |t| t.get_ref().clone());
    let Checker { frame, pieces, .. } = checker;
    let notation = Notation {
        frame: &frame,
        pieces: &pieces,
        state: &state,
    };
    let setups = setups(doc, notation, sources)?;
    Ok(Definition {
        id: text.clone(),
        name: doc
            .name
            .as_ref()
            .map_or(text.clone(), |n| n.get_ref().clone()),
        aliases: doc
            .aliases
            .iter()
            .flatten()
            .map(|a| a.get_ref().clone())
            .collect(),
        summary: words(&doc.summary),
        origin: words(&doc.origin),
        clock,
        about,
        frame,
        pieces,
        rules,
        regions,
        looks,
        customs,
        setups,
        state,
    })
}

/// What people who choose a game are told.
fn about(doc: &GameDoc, sources: &Sources) -> Result<About, GameError> {
    let Some(doc) = &doc.about else {
        return Ok(About::default());
    };
    let doc = doc.get_ref();
    let number = |key: &str, value: &Option<At<i64>>, last: u16| {
        let Some(value) = value else {
            return Ok(None);
        };
        u16::try_from(*value.get_ref())
            .ok()
            .filter(|v| (1..=last).contains(v))
            .map(Some)
            .ok_or_else(|| {
                let problem = bounds(value.get_ref(), format!("1 to {last}"));
                sources.error(value.span().start, key, problem)
            })
    };
    let difficulty = number("about.difficulty", &doc.difficulty, 5)?;
    Ok(About {
        family: doc.family.clone(),
        difficulty: difficulty.and_then(|d| u8::try_from(d).ok()),
        minutes: number("about.minutes", &doc.minutes, 10_000)?,
        from_chess: doc.from_chess.clone(),
        first_lesson: doc.first_lesson.clone(),
    })
}

/// The set-ups as they are written, the standard one first.
fn setups(
    doc: &GameDoc,
    notation: Notation<'_>,
    sources: &Sources,
) -> Result<Vec<NamedSetup>, GameError> {
    let texts = doc.setups.as_ref();
    let mut all: Vec<(&String, &At<String>)> = texts.into_iter().flatten().collect();
    all.sort_by_key(|(name, _)| (*name != "standard", *name));
    if all.first().is_none_or(|(name, _)| *name != "standard") {
        let problem = Problem::Missing("the set-up as position text");
        return Err(sources.error(0, "setups.standard", problem));
    }
    let read = |(name, text): (&String, &At<String>)| {
        let setup = crate::fen::read(notation, text.get_ref()).map_err(|e| {
            let problem = Problem::Setup(e.to_string());
            sources.error(text.span().start, format!("setups.{name}"), problem)
        })?;
        Ok(NamedSetup {
            name: name.clone(),
            setup,
        })
    };
    all.into_iter().map(read).collect()
}

fn frame(doc: &GameDoc, sources: &Sources) -> Result<Frame, GameError> {
    let board = doc.board.as_ref().ok_or_else(|| {
        let problem = Problem::Missing("a section with files and ranks");
        sources.error(0, "board", problem)
    })?;
    let board = board.get_ref();
    let side = |key: &str, value: &At<i64>| {
        u8::try_from(*value.get_ref())
            .ok()
            .filter(|v| (1..=crate::frame::MAX_SIDE).contains(v))
            .ok_or_else(|| {
                let problem = bounds(value.get_ref(), "1 to 16");
                sources.error(value.span().start, key, problem)
            })
    };
    let files = side("board.files", &board.files)?;
    let ranks = side("board.ranks", &board.ranks)?;
    // Names are read before it is known which squares are missing, so they are parsed by hand.
    let parse = |text: &At<String>, part: &str| {
        let mut letters = part.chars();
        let file = letters
            .next()
            .and_then(|c| (c as u32).checked_sub('a' as u32))
            .filter(|&f| f < u32::from(files));
        let rank = letters
            .as_str()
            .parse::<u8>()
            .ok()
            .filter(|r| (1..=ranks).contains(r));
        file.zip(rank)
            .map(|(f, r)| (f as u8, r - 1))
            .ok_or_else(|| {
                let problem = crate::frame::SquareError::NotASquare {
                    text: part.into(),
                    last_file: Frame::file_letter(files - 1),
                    ranks,
                };
                sources.error(text.span().start, "board.missing", problem)
            })
    };
    let mut gone = HashSet::new();
    for text in &board.missing {
        let whole = text.get_ref().as_str();
        let (from, to) = whole.split_once('-').unwrap_or((whole, whole));
        let (a, b) = (parse(text, from)?, parse(text, to)?);
        for file in a.0.min(b.0)..=a.0.max(b.0) {
            for rank in a.1.min(b.1)..=a.1.max(b.1) {
                gone.insert((file, rank));
            }
        }
    }
    Frame::new(files, ranks, |file, rank| gone.contains(&(file, rank))).ok_or_else(|| {
        let squares = usize::from(files) * usize::from(ranks) - gone.len();
        let problem = bounds(format!("{squares} existing squares"), "1 to 192");
        sources.error(board.files.span().start, "board", problem)
    })
}

fn pieces(docs: &[At<PieceDoc>], sources: &Sources) -> Result<Vec<Piece>, GameError> {
    let mut pieces: Vec<Piece> = Vec::new();
    for whole in docs {
        let (at, doc) = (whole.span().start, whole.get_ref());
        let letter_at = doc.letter.span().start;
        let mut letters = doc.letter.get_ref().chars();
        let (Some(letter @ 'A'..='Z'), None) = (letters.next(), letters.next()) else {
            let found = format!("`{}`", doc.letter.get_ref());
            let problem = bounds(found, "one capital letter A to Z");
            return Err(sources.error(letter_at, "pieces.letter", problem));
        };
        let key = |name: &str| format!("pieces.{letter}.{name}");
        if pieces.iter().any(|p| p.letter == letter) {
            let problem = Problem::Twice(letter.into());
            return Err(sources.error(letter_at, key("letter"), problem));
        }
        let betza = doc.betza.as_ref().ok_or_else(|| {
            let problem = Problem::Missing("its way of moving in Betza notation");
            sources.error(at, key("betza"), problem)
        })?;
        let parts = crate::betza::parse(betza.get_ref())
            .map_err(|e| sources.error(betza.span().start, key("betza"), e))?;
        let (pawn, royal) = (doc.pawn.unwrap_or(false), doc.royal.unwrap_or(false));
        if pawn && royal {
            let problem = "a piece cannot be both royal and of pawn type";
            return Err(sources.error(at, key("pawn"), Problem::Conflict(problem.into())));
        }
        let drawing = match &doc.picture {
            None => None,
            Some(text) => {
                let drawing = crate::doc::drawing(text.get_ref());
                Some(drawing.map_err(|e| sources.error(text.span().start, key("picture"), e))?)
            }
        };
        pieces.push(Piece {
            drawing,
            letter,
            name: doc
                .name
                .as_ref()
                .map_or(letter.to_string(), |n| n.get_ref().clone()),
            betza: betza.get_ref().clone(),
            parts,
            royal,
            pawn,
            image: doc
                .image
                .as_ref()
                .map_or(String::new(), |i| i.get_ref().clone()),
            text: doc
                .text
                .as_ref()
                .map_or(String::new(), |t| t.get_ref().clone()),
        });
    }
    if pieces.is_empty() {
        let problem = Problem::Missing("at least one [[pieces]] section");
        return Err(sources.error(0, "pieces", problem));
    }
    if let Some(beyond) = docs.get(MAX_KINDS) {
        let found = format!("{} kinds of piece", pieces.len());
        let problem = bounds(found, format!("at most {MAX_KINDS}"));
        return Err(sources.error(beyond.span().start, "pieces", problem));
    }
    Ok(pieces)
}

fn rules(doc: &GameDoc, c: &Checker) -> Result<Rules, GameError> {
    let royals = doc.royals.as_ref().map(|r| r.get_ref());
    Ok(Rules {
        initial: initial(doc, c)?,
        castling: castling(doc, c)?,
        promotion: promotion(doc, c)?,
        arrivals: arrivals("arrivals", doc.arrivals.as_ref(), c)?,
        prison: arrivals("prison", doc.prison.as_ref(), c)?,
        several_royals: royals.is_some_and(|r| r.several),
        apart: royals.is_some_and(|r| r.apart),
        traverse: traverse(doc, c)?,
        crowning: Crowning::read(doc, c)?,
        endings: endings(doc, c)?,
        points: points(doc, c)?,
    })
}

fn traverse(doc: &GameDoc, c: &Checker) -> Result<Option<Traverse>, GameError> {
    let Some(traverse) = &doc.traverse else {
        return Ok(None);
    };
    let doc = traverse.get_ref();
    let royal = |key: &str, letter| {
        let kind = c.kind(key, letter)?;
        if c.pieces[kind.index()].royal {
            return Ok(kind);
        }
        Err(c.error(
            letter,
            key,
            Problem::Conflict("must be a royal piece".into()),
        ))
    };
    Ok(Some(Traverse {
        name: act_name(doc.name.as_ref(), "Traverse"),
        piece: royal("traverse.piece", &doc.piece)?,
        becomes: royal("traverse.becomes", &doc.becomes)?,
        castle: c.side_squares("traverse.squares", &doc.squares)?,
    }))
}

/// What the game calls an act, or its usual name.
pub(super) fn act_name(given: Option<&At<String>>, usual: &str) -> String {
    given.map_or(usual, |name| name.get_ref()).to_owned()
}

fn arrivals(
    key: &str,
    docs: Option<&At<Vec<ArrivalDoc>>>,
    c: &Checker,
) -> Result<Vec<Arrival>, GameError> {
    let mut all: Vec<Arrival> = Vec::new();
    for doc in docs.map_or(&[][..], |d| d.get_ref()) {
        let piece_key = format!("{key}.piece");
        let piece = c.kind(&piece_key, &doc.piece)?;
        if all.iter().any(|a| a.piece == piece) {
            let problem = Problem::Twice(doc.piece.get_ref().clone());
            return Err(c.error(&doc.piece, piece_key, problem));
        }
        all.push(Arrival {
            piece,
            squares: c.side_squares(&format!("{key}.squares"), &doc.squares)?,
        });
    }
    Ok(all)
}

fn endings(doc: &GameDoc, c: &Checker) -> Result<Endings, GameError> {
    let endings = doc.endings.as_ref().map(|e| e.get_ref());
    let count = |key: &str, value: Option<&At<i64>>, default: u32| match value {
        None => Ok(Some(default)),
        Some(v) if *v.get_ref() == 0 => Ok(None),
        Some(v) if (2..=10_000).contains(v.get_ref()) => Ok(Some(*v.get_ref() as u32)),
        Some(v) => Err(c.error(v, key, bounds(v.get_ref(), "0 (off) or 2 to 10000"))),
    };
    let stalemate = match endings.and_then(|e| e.stalemate.as_ref()) {
        None => Stalemate::Draw,
        Some(text) => match text.get_ref().as_str() {
            "draw" => Stalemate::Draw,
            "win" => Stalemate::Win,
            found => {
                let problem = Problem::Unknown {
                    found: found.into(),
                    expected: "draw or win".into(),
                };
                return Err(c.error(text, "endings.stalemate", problem));
            }
        },
    };
    let citadels = match &doc.citadels {
        None => None,
        Some(doc) => Some(c.side_squares("citadels.squares", &doc.get_ref().squares)?),
    };
    let closed = closed(doc, citadels.as_ref(), c)?;
    let move_rule = endings.and_then(|e| e.move_rule.as_ref());
    let repetition = endings.and_then(|e| e.repetition.as_ref());
    Ok(Endings {
        stalemate,
        bare_king: endings.is_some_and(|e| e.bare_king),
        bare_royals: endings.is_some_and(|e| e.bare_royals),
        move_rule: count("endings.move_rule", move_rule, 100)?,
        repetition: count("endings.repetition", repetition, 3)?,
        citadels,
        closed,
    })
}

/// The citadels of both sides, if royal pieces alone enter them.
fn closed(
    doc: &GameDoc,
    citadels: Option<&SideSquares>,
    c: &Checker,
) -> Result<Vec<Square>, GameError> {
    let entry = doc
        .citadels
        .as_ref()
        .and_then(|d| d.get_ref().entry.as_ref());
    let Some(entry) = entry else {
        return Ok(Vec::new());
    };
    match entry.get_ref().as_str() {
        "all" => Ok(Vec::new()),
        "royal" => {
            let leaps = |p: &crate::betza::Part| matches!(p.way, crate::betza::Way::Leap(_));
            let far = |p: &&Piece| p.royal && !p.parts.iter().all(leaps);
            if let Some(piece) = c.pieces.iter().find(far) {
                let problem = format!(
                    "the royal piece {} goes further than a leap, which `royal` does not allow",
                    piece.letter
                );
                return Err(c.error(entry, "citadels.entry", Problem::Conflict(problem)));
            }
            let mut closed: Vec<Square> =
                citadels.into_iter().flatten().flatten().copied().collect();
            closed.sort_unstable();
            closed.dedup();
            Ok(closed)
        }
        found => {
            let problem = Problem::Unknown {
                found: found.into(),
                expected: "all or royal".into(),
            };
            Err(c.error(entry, "citadels.entry", problem))
        }
    }
}

fn points(doc: &GameDoc, c: &Checker) -> Result<Points, GameError> {
    let none = Default::default();
    let doc = doc.points.as_ref().map_or(&none, |p| p.get_ref());
    let value = |key: &str, own: Option<&At<f64>>, both: Option<&At<f64>>, default: f64| {
        own.or(both).map_or(Ok(default), |v| c.number(key, v))
    };
    let of_side = |own: Option<&crate::doc::SidePointsDoc>| {
        Ok::<_, GameError>(SidePoints {
            win: value(
                "points.win",
                own.and_then(|o| o.win.as_ref()),
                doc.win.as_ref(),
                1.0,
            )?,
            draw: value(
                "points.draw",
                own.and_then(|o| o.draw.as_ref()),
                doc.draw.as_ref(),
                0.5,
            )?,
            loss: value(
                "points.loss",
                own.and_then(|o| o.loss.as_ref()),
                doc.loss.as_ref(),
                0.0,
            )?,
        })
    };
    let mut royal = Vec::new();
    for entry in &doc.royal {
        royal.push((
            c.kind("points.royal.piece", &entry.piece)?,
            c.number("points.royal.beaten", &entry.beaten)?,
            c.number("points.royal.draw", &entry.draw)?,
        ));
    }
    let green_gem = match &doc.green_gem {
        None => None,
        Some(v) => Some(c.number("points.green_gem", v)?),
    };
    Ok(Points {
        side: [of_side(doc.white.as_ref())?, of_side(doc.black.as_ref())?],
        green_gem,
        royal,
        champion: doc.champion.clone(),
    })
}

/// The flags of the state field in their order: prisoners of White and Black, who has castled, the
/// crowning and its offer.
fn state_flags(rules: &Rules, pieces: &[Piece]) -> Vec<(char, StateFlag)> {
    let mut flags = Vec::new();
    for side in Side::ALL {
        for prisoner in &rules.prison {
            let letter = side.cased(pieces[prisoner.piece.index()].letter);
            flags.push((letter, StateFlag::InPrison(side, prisoner.piece)));
        }
    }
    if rules.traverse.is_some() {
        for side in Side::ALL {
            flags.push((side.cased('S'), StateFlag::Castled(side)));
        }
    }
    if rules.crowning.is_some() {
        flags.extend(Crowning::LETTERS);
    }
    flags
}
