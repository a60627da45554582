//! Small checks that the sections of a game's text share: squares, letters, ranks, colours.

use super::*;
use crate::doc::{At, GameDoc, GameError, Problem, Sources};

/// All that is known while a text is being checked.
pub(crate) struct Checker<'a> {
    pub sources: &'a Sources,
    pub frame: Frame,
    pub pieces: Vec<Piece>,
}

pub(super) fn bounds(found: impl ToString, expected: impl Into<String>) -> Problem {
    Problem::Bounds {
        found: found.to_string(),
        expected: expected.into(),
    }
}

impl Checker<'_> {
    /// A piece that would become another of its own kind.
    pub fn becomes_itself(&self, at: &At<String>, key: &str, kind: Kind) -> GameError {
        let letter = self.pieces[kind.index()].letter;
        let problem = format!("{letter} would become {letter}: expected another piece");
        self.error(at, key, Problem::Conflict(problem))
    }

    pub fn error<T>(
        &self,
        at: &At<T>,
        key: impl Into<String>,
        problem: impl Into<Problem>,
    ) -> GameError {
        self.sources.error(at.span().start, key, problem)
    }

    pub fn square(&self, key: &str, text: &At<String>) -> Result<Square, GameError> {
        let square = self.frame.parse(text.get_ref());
        square.map_err(|e| self.error(text, key, e))
    }

    pub fn kind(&self, key: &str, letter: &At<String>) -> Result<Kind, GameError> {
        let mut letters = self.pieces.iter().map(|p| p.letter);
        let found = letters.position(|l| letter.get_ref().chars().eq([l]));
        found.map(|i| Kind(i as u8)).ok_or_else(|| {
            let letters: Vec<String> = self.pieces.iter().map(|p| p.letter.to_string()).collect();
            let problem = Problem::Unknown {
                found: letter.get_ref().clone(),
                expected: format!("the letter of a piece, one of {}", letters.join(" ")),
            };
            self.error(letter, key, problem)
        })
    }

    pub fn kinds(&self, key: &str, letters: &[At<String>]) -> Result<Vec<Kind>, GameError> {
        let mut kinds = Vec::new();
        for letter in letters {
            let kind = self.kind(key, letter)?;
            if kinds.contains(&kind) {
                let problem = Problem::Twice(letter.get_ref().clone());
                return Err(self.error(letter, key, problem));
            }
            kinds.push(kind);
        }
        Ok(kinds)
    }

    /// Squares given for White, with those of Black.
    pub fn side_squares(&self, key: &str, texts: &[At<String>]) -> Result<SideSquares, GameError> {
        let mut squares: SideSquares = Default::default();
        for text in texts {
            for white in self.range(key, text)? {
                let name = self.frame.name(white).to_string();
                if squares[0].contains(&white) {
                    return Err(self.error(text, key, Problem::Twice(name)));
                }
                let black = self.frame.mirror(white).ok_or_else(|| {
                    let problem = format!("the reflection of {name} for Black does not exist");
                    self.error(text, key, Problem::Conflict(problem))
                })?;
                squares[0].push(white);
                squares[1].push(black);
            }
        }
        Ok(squares)
    }

    /// The existing squares of `a1` or of the rectangle `a1-c3`.
    pub fn range(&self, key: &str, text: &At<String>) -> Result<Vec<Square>, GameError> {
        let Some((from, to)) = text.get_ref().split_once('-') else {
            return Ok(vec![self.square(key, text)?]);
        };
        let corner = |part: &str| {
            let square = self.frame.parse(part);
            square.map_err(|e| self.error(text, key, e))
        };
        let (from, to) = (corner(from)?, corner(to)?);
        let span = |a: u8, b: u8| i32::from(a.min(b))..=i32::from(a.max(b));
        let files = span(self.frame.file(from), self.frame.file(to));
        let ranks = span(self.frame.rank(from), self.frame.rank(to));
        Ok(ranks
            .flat_map(|rank| files.clone().map(move |file| (file, rank)))
            .filter_map(|(file, rank)| self.frame.at(file, rank))
            .collect())
    }

    /// All squares of White's ranks, with those of Black.
    pub fn rank_squares(&self, key: &str, ranks: &[At<i64>]) -> Result<SideSquares, GameError> {
        let mut squares: SideSquares = Default::default();
        for rank in ranks {
            let limit = i64::from(self.frame.ranks());
            if !(1..=limit).contains(rank.get_ref()) {
                let problem = bounds(rank.get_ref(), format!("a rank from 1 to {limit}"));
                return Err(self.error(rank, key, problem));
            }
            let white = *rank.get_ref() as u8 - 1;
            let black = self.frame.ranks() - 1 - white;
            for (side, rank) in squares.iter_mut().zip([white, black]) {
                let there = |&s: &Square| self.frame.rank(s) == rank;
                side.extend(self.frame.squares().filter(there));
            }
        }
        Ok(squares)
    }

    pub fn number(&self, key: &str, value: &At<f64>) -> Result<f64, GameError> {
        let v = *value.get_ref();
        if v.is_finite() && (v * 2.0).fract() == 0.0 && v.abs() <= 1000.0 {
            return Ok(v);
        }
        let problem = bounds(v, "a multiple of 0.5 from -1000 to 1000");
        Err(self.error(value, key, problem))
    }

    fn color(&self, key: &str, text: &At<String>) -> Result<String, GameError> {
        let hex = text.get_ref().strip_prefix('#').unwrap_or_default();
        if hex.len() == 6 && hex.chars().all(|c| c.is_ascii_hexdigit()) {
            return Ok(text.get_ref().clone());
        }
        let found = format!("`{}`", text.get_ref());
        Err(self.error(text, key, bounds(found, "a colour as #rrggbb")))
    }

    pub fn regions(&self, doc: &GameDoc) -> Result<Vec<Region>, GameError> {
        let mut all = Vec::new();
        for (id, region) in doc.regions.iter().flatten() {
            let region = region.get_ref();
            let mut squares = Vec::new();
            for text in &region.squares {
                squares.extend(self.range(&format!("regions.{id}.squares"), text)?);
            }
            all.push(Region {
                id: id.clone(),
                name: region.name.clone(),
                squares,
                color: self.color(&format!("regions.{id}.color"), &region.color)?,
            });
        }
        Ok(all)
    }

    pub fn looks(&self, doc: &GameDoc) -> Result<[SideLooks; 2], GameError> {
        let doc = doc.looks.as_ref().map(|l| l.get_ref());
        let side =
            |side: Side, own: Option<&crate::doc::SideLooksDoc>, fill: &str, detail: &str| {
                let paint = |text: Option<&At<String>>, default: &str| match text {
                    None => Ok(default.to_string()),
                    Some(text) => self.color("looks", text),
                };
                let accent = own.and_then(|o| o.accent.as_ref());
                let accent = accent.map(|text| self.color("looks", text));
                Ok::<_, GameError>(SideLooks {
                    accent: accent.transpose()?,
                    name: own
                        .and_then(|o| o.name.clone())
                        .unwrap_or_else(|| side.name().into()),
                    fill: paint(own.and_then(|o| o.fill.as_ref()), fill)?,
                    detail: paint(own.and_then(|o| o.detail.as_ref()), detail)?,
                    stripes: own.is_some_and(|o| o.stripes),
                })
            };
        let (white, black) = doc.map_or((None, None), |d| (d.white.as_ref(), d.black.as_ref()));
        Ok([
            side(Side::White, white, "#ffffff", "#202020")?,
            side(Side::Black, black, "#3a3a3a", "#f0f0f0")?,
        ])
    }

    pub fn customs(&self, doc: &GameDoc) -> Result<Option<Customs>, GameError> {
        let Some(customs) = &doc.customs else {
            return Ok(None);
        };
        let doc = customs.get_ref();
        let method = doc.method.get_ref();
        if !["die", "turns"].contains(&method.as_str()) {
            let problem = Problem::Unknown {
                found: method.clone(),
                expected: "die or turns".into(),
            };
            return Err(self.error(&doc.method, "customs.method", problem));
        }
        let mut choice: Vec<(String, String)> = doc.choice.clone().into_iter().collect();
        for name in &doc.order {
            if !doc.choice.contains_key(name.get_ref()) {
                let problem = Problem::Unknown {
                    found: name.get_ref().clone(),
                    expected: "a name of customs.choice".into(),
                };
                return Err(self.error(name, "customs.order", problem));
            }
        }
        let place = |name: &str| doc.order.iter().position(|n| n.get_ref() == name);
        choice.sort_by_key(|(name, _)| place(name).unwrap_or(usize::MAX));
        Ok(Some(Customs {
            family: doc.family.get_ref().clone(),
            method: method.clone(),
            choice,
            default: doc.default,
            counsellor: doc.counsellor,
        }))
    }
}
