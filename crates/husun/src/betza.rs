//! Betza notation: the text of a way of moving, read into steps, rides and bent rides.
//! Deals in directions and vectors only; which squares exist is up to the tables.
//!
//! What is read: the atoms `W F D N A H C L Z J G K Q R B` (`C` and `L`, `Z` and `J` are the same
//! leapers), an atom doubled or followed by a range (`WW`, `NN`, `W3`, `R4`; 0 is unlimited), the
//! directions `f b l r v s h`, the modes `m` and `c`, the hopper `p`, the lame leapers `nD nA nN`,
//! the XBoard chains `afsW`, `yafsF` (step, then go on outward, with `y` as a slide) and the bracket
//! `[N?fR]` (the first leg may end the move) or `[F-fsR]` (it may not).

/// An offset in files (east) and ranks (north), as White sees it.
pub type Vector = (i8, i8);

/// Whether a way of moving captures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mode {
    /// Moves and captures alike.
    Both,
    /// Only moves to empty squares.
    MoveOnly,
    /// Only captures.
    CaptureOnly,
}

impl Mode {
    /// Whether a piece may move this way to an empty square.
    pub const fn moves(self) -> bool {
        !matches!(self, Mode::CaptureOnly)
    }

    /// Whether a piece captures this way.
    pub const fn captures(self) -> bool {
        !matches!(self, Mode::MoveOnly)
    }
}

/// One way of moving, in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Way {
    /// To the square at the offset, whatever stands between.
    Leap(Vector),
    /// Repeated steps by the offset over empty squares, at most `max` times (0: no limit). A hopper must first
    /// jump exactly one piece; the squares before that piece are not destinations.
    Ride {
        /// Offset of a step.
        step: Vector,
        /// Highest number of steps, 0 for no limit.
        max: u8,
        /// Whether exactly one piece must be jumped.
        hop: bool,
        /// Number of leading steps over empty squares on which it may not stop.
        skip: u8,
    },
    /// One step by one offset to an empty square, then repeated steps by another.
    Bent {
        /// The first leg.
        first: Vector,
        /// Whether the move may end on the first leg's square, by a capture too.
        stop: bool,
        /// The second leg's step.
        step: Vector,
        /// Highest number of second-leg steps, 0 for no limit.
        max: u8,
    },
}

/// A way of moving with its mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Part {
    /// Whether it captures.
    pub mode: Mode,
    /// Where it goes.
    pub way: Way,
}

/// Why a text is not Betza notation that is supported here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BetzaError {
    /// Nothing was written.
    #[error("the notation is empty: expected atoms such as K, R or mfWcfF")]
    Empty,
    /// A capital letter that is not an atom.
    #[error(
        "unknown atom `{atom}` at character {at}: expected one of W F D N A H C L Z J G K Q R B"
    )]
    UnknownAtom {
        /// What was read.
        atom: char,
        /// Its place, from 1.
        at: usize,
    },
    /// A lowercase letter that is not a supported modifier.
    #[error(
        "modifier `{modifier}` at character {at} is not understood: expected directions f b l r v s h, modes m c, p, n, or a chain such as yafs"
    )]
    UnknownModifier {
        /// What was read.
        modifier: char,
        /// Its place, from 1.
        at: usize,
    },
    /// Modifiers with no atom after them.
    #[error("modifiers at the end have no atom after them")]
    NoAtom,
    /// The directions do not fit the atom.
    #[error("directions `{directions}` do not apply to atom `{atom}`")]
    Directions {
        /// The direction letters.
        directions: String,
        /// The atom.
        atom: char,
    },
    /// The modifiers cannot be combined.
    #[error("`{modifiers}` cannot be combined with atom `{atom}`: {expected}")]
    Combination {
        /// The modifiers.
        modifiers: String,
        /// The atom.
        atom: char,
        /// What was expected instead.
        expected: &'static str,
    },
    /// A bracket that is not of the form `[N?fR]`.
    #[error("bracket at character {at}: expected a form such as [N?fR] or [F-fsR]")]
    Bracket {
        /// Its place, from 1.
        at: usize,
    },
    /// The range is too large.
    #[error("range {range} of atom `{atom}` is out of bounds: expected 0 (no limit) to 15")]
    Range {
        /// What was read.
        range: u32,
        /// The atom.
        atom: char,
    },
}

/// Reads a notation into its parts, without duplicates, in the order written.
///
/// ```
/// use husun::betza::{parse, Mode, Part, Way};
/// assert_eq!(parse("fR").unwrap().len(), 1);
/// assert_eq!(parse("mfWcfF").unwrap()[0], Part { mode: Mode::MoveOnly, way: Way::Leap((0, 1)) });
/// assert_eq!(parse("RyafsW").unwrap().len(), 12);
/// assert!(parse("mfX").is_err());
/// ```
pub fn parse(text: &str) -> Result<Vec<Part>, BetzaError> {
    if text.is_empty() {
        return Err(BetzaError::Empty);
    }
    let mut reader = Reader {
        chars: text.chars().collect(),
        at: 0,
    };
    let mut parts = Vec::new();
    while reader.peek().is_some() {
        for part in reader.term()? {
            if !parts.contains(&part) {
                parts.push(part);
            }
        }
    }
    Ok(parts)
}

/// Offsets of an atom's first step, and whether the atom by itself is a rider.
fn atom_vectors(atom: char) -> Option<(Vec<Vector>, bool)> {
    let (vectors, rides): (&[(i8, i8)], bool) = match atom {
        'W' => (&[(0, 1)], false),
        'F' => (&[(1, 1)], false),
        'D' => (&[(0, 2)], false),
        'N' => (&[(1, 2)], false),
        'A' => (&[(2, 2)], false),
        'H' => (&[(0, 3)], false),
        'C' | 'L' => (&[(1, 3)], false),
        'Z' | 'J' => (&[(2, 3)], false),
        'G' => (&[(3, 3)], false),
        'K' => (&[(0, 1), (1, 1)], false),
        'R' => (&[(0, 1)], true),
        'B' => (&[(1, 1)], true),
        'Q' => (&[(0, 1), (1, 1)], true),
        _ => return None,
    };
    let mut all = Vec::new();
    for &(a, b) in vectors {
        for (x, y) in [(a, b), (b, a)] {
            for v in [(x, y), (x, -y), (-x, y), (-x, -y)] {
                if !all.contains(&v) {
                    all.push(v);
                }
            }
        }
    }
    Some((all, rides))
}

/// Whether a vector lies on the side of the board that one letter names.
fn lies(v: Vector, letter: char) -> bool {
    match letter {
        'f' => v.1 > 0,
        'b' => v.1 < 0,
        'l' => v.0 < 0,
        'r' => v.0 > 0,
        _ => false,
    }
}

/// The vectors that the direction letters pick; `None` if they pick nothing or make no sense.
fn choose(all: &[Vector], letters: &str) -> Option<Vec<Vector>> {
    if letters.is_empty() {
        return Some(all.to_vec());
    }
    let mut chosen = Vec::new();
    let mut rest: Vec<char> = letters.chars().collect();
    let oblique = all
        .iter()
        .any(|&(x, y)| x != 0 && y != 0 && x.abs() != y.abs());
    let diagonal = all.iter().any(|&(x, y)| x != 0 && x.abs() == y.abs());
    while !rest.is_empty() {
        let take = direction_length(&rest, oblique, diagonal);
        let word: String = rest.drain(..take).collect();
        let picked: Vec<Vector> = all.iter().copied().filter(|&v| in_word(v, &word)).collect();
        if picked.is_empty() {
            return None;
        }
        for v in picked {
            if !chosen.contains(&v) {
                chosen.push(v);
            }
        }
    }
    Some(chosen)
}

/// How many letters make the next direction: `fl` is one for diagonal and oblique atoms, two for
/// orthogonal ones.
fn direction_length(letters: &[char], oblique: bool, diagonal: bool) -> usize {
    let Some(&second) = letters.get(1) else {
        return 1;
    };
    let first = letters[0];
    let vertical = |c| matches!(c, 'f' | 'b' | 'v');
    let sideways = |c| matches!(c, 'l' | 'r' | 's');
    let pair = (vertical(first) && sideways(second))
        || (sideways(first) && vertical(second))
        || (oblique && (second == 'h' || second == first));
    usize::from((oblique || diagonal) && pair) + 1
}

fn in_word(v: Vector, word: &str) -> bool {
    let letters: Vec<char> = word.chars().collect();
    let (wide, tall) = (v.0.abs() > v.1.abs(), v.1.abs() > v.0.abs());
    let oblique = v.0 != 0 && v.1 != 0 && (wide || tall);
    let expand = |c| match c {
        'v' => vec!['f', 'b'],
        's' => vec!['l', 'r'],
        c => vec![c],
    };
    match letters[..] {
        [c, 'h'] => expand(c).into_iter().any(|c| lies(v, c)),
        [c] if oblique => {
            let narrow = matches!(c, 'f' | 'b' | 'v') == tall;
            narrow && expand(c).into_iter().any(|c| lies(v, c))
        }
        // `ff` is the narrow pair; `fl` is whichever of the two left-hand leaps, wide and narrow, leans as the
        // first letter says.
        [c, d] if oblique => {
            let lean = matches!(c, 'f' | 'b' | 'v') == tall;
            // `fs` and `bs` name the wide pair by tradition.
            let lean = if d == 's' { wide } else { lean };
            lean && expand(c).into_iter().any(|c| lies(v, c))
                && expand(d).into_iter().any(|d| lies(v, d))
        }
        [c] => expand(c).into_iter().any(|c| lies(v, c)),
        [c, d] => {
            expand(c).into_iter().any(|c| lies(v, c)) && expand(d).into_iter().any(|d| lies(v, d))
        }
        _ => false,
    }
}

/// The steps of a second leg, relative to the first: `f` the nearest direction, `fs` the two nearest.
fn outward(first: Vector, steps: &[Vector], letters: &str) -> Option<Vec<Vector>> {
    let cosine = |v: Vector| {
        let dot = f32::from(v.0) * f32::from(first.0) + f32::from(v.1) * f32::from(first.1);
        let length = f32::from(v.0).hypot(f32::from(v.1));
        dot / length
    };
    let mut near: Vec<Vector> = steps.to_vec();
    near.sort_by(|&a, &b| cosine(b).total_cmp(&cosine(a)));
    let same = |a: Vector, b: Vector| (cosine(a) - cosine(b)).abs() < 1e-3;
    match letters {
        "f" => Some(near.iter().copied().filter(|&v| same(v, near[0])).collect()),
        "fs" => {
            // Straight on is not outward to the side.
            let parallel = |v: Vector| {
                i32::from(v.0) * i32::from(first.1) == i32::from(v.1) * i32::from(first.0)
            };
            let side: Vec<Vector> = near.iter().copied().filter(|&v| !parallel(v)).collect();
            Some(side.into_iter().take(2).collect())
        }
        _ => None,
    }
}

/// The orthogonal or the diagonal unit steps.
fn unit_steps(diagonal: bool) -> Vec<Vector> {
    let (all, _) = atom_vectors(if diagonal { 'F' } else { 'W' }).unwrap_or_default();
    all
}

#[derive(Default)]
struct Modifiers {
    text: String,
    directions: String,
    moves: bool,
    captures: bool,
    hop: bool,
    lame: bool,
    /// Second-leg directions of a chain, and whether it slides.
    chain: Option<(String, bool)>,
}

impl Modifiers {
    fn mode(&self) -> Mode {
        match (self.moves, self.captures) {
            (true, false) => Mode::MoveOnly,
            (false, true) => Mode::CaptureOnly,
            _ => Mode::Both,
        }
    }
}

struct Reader {
    chars: Vec<char>,
    at: usize,
}

impl Reader {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn modifiers(&mut self) -> Result<Modifiers, BetzaError> {
        let mut m = Modifiers::default();
        let mut slides = false;
        while let Some(c) = self.peek().filter(char::is_ascii_lowercase) {
            self.at += 1;
            m.text.push(c);
            let in_chain = m.chain.is_some();
            match c {
                'm' => m.moves = true,
                'c' => m.captures = true,
                'p' if !in_chain => m.hop = true,
                'n' if !in_chain => m.lame = true,
                'y' if !in_chain => slides = true,
                'a' if !in_chain => m.chain = Some((String::new(), slides)),
                'f' | 'b' | 'l' | 'r' | 'v' | 's' | 'h' => match &mut m.chain {
                    Some((second, _)) => second.push(c),
                    None => m.directions.push(c),
                },
                modifier => {
                    return Err(BetzaError::UnknownModifier {
                        modifier,
                        at: self.at,
                    });
                }
            }
        }
        if slides && m.chain.is_none() {
            return Err(BetzaError::UnknownModifier {
                modifier: 'y',
                at: self.at,
            });
        }
        Ok(m)
    }

    fn atom(&mut self) -> Result<(char, Vec<Vector>, bool), BetzaError> {
        let atom = self.peek().ok_or(BetzaError::NoAtom)?;
        self.at += 1;
        let (vectors, rides) =
            atom_vectors(atom).ok_or(BetzaError::UnknownAtom { atom, at: self.at })?;
        Ok((atom, vectors, rides))
    }

    fn range(&mut self, atom: char) -> Result<Option<u8>, BetzaError> {
        let mut range: Option<u32> = None;
        while let Some(d) = self.peek().and_then(|c| c.to_digit(10)) {
            self.at += 1;
            range = Some(range.unwrap_or(0).saturating_mul(10).saturating_add(d));
        }
        match range {
            None => Ok(None),
            Some(r @ 0..=15) => Ok(Some(r as u8)),
            Some(range) => Err(BetzaError::Range { range, atom }),
        }
    }

    fn term(&mut self) -> Result<Vec<Part>, BetzaError> {
        let m = self.modifiers()?;
        if self.peek() == Some('[') {
            return self.bracket(&m);
        }
        let (atom, vectors, rides) = self.atom()?;
        let doubled = self.peek() == Some(atom) && !rides;
        if doubled {
            self.at += 1;
        }
        let range = self.range(atom)?;
        let max = match (range, rides || doubled) {
            (Some(range), _) => range,
            (None, true) => 0,
            (None, false) => 1,
        };
        let chosen = choose(&vectors, &m.directions).ok_or(BetzaError::Directions {
            directions: m.directions.clone(),
            atom,
        })?;
        let mode = m.mode();
        let part = |way| Part { mode, way };
        let refused = |expected| BetzaError::Combination {
            modifiers: m.text.clone(),
            atom,
            expected,
        };
        if let Some((second, slides)) = &m.chain {
            if second != "fs" {
                return Err(refused("after `a` expected fs"));
            }
            if !matches!(atom, 'W' | 'F') || max != 1 || m.hop || m.lame {
                return Err(refused("a chain starts with a plain W or F step"));
            }
            let max = u8::from(!slides);
            return bends(&chosen, false, atom == 'W', second, max)
                .map(|ways| ways.into_iter().map(part).collect())
                .ok_or_else(|| refused("after `a` expected fs"));
        }
        if m.lame {
            return lame(atom, &chosen, max)
                .map(|ways| ways.into_iter().map(part).collect())
                .ok_or_else(|| refused("n is for D, A and N"));
        }
        if m.hop && max == 1 {
            return Err(refused("p is for sliders and riders"));
        }
        Ok(chosen
            .into_iter()
            .map(|step| match max {
                1 => part(Way::Leap(step)),
                max => part(Way::Ride {
                    step,
                    max,
                    hop: m.hop,
                    skip: 0,
                }),
            })
            .collect())
    }

    fn bracket(&mut self, m: &Modifiers) -> Result<Vec<Part>, BetzaError> {
        let at = self.at + 1;
        let wrong = || BetzaError::Bracket { at };
        self.at += 1;
        let first = self.modifiers()?;
        let (_, vectors, rides) = self.atom()?;
        let stop = match self.peek() {
            Some('?') => true,
            Some('-') => false,
            _ => return Err(wrong()),
        };
        self.at += 1;
        let second = self.modifiers()?;
        let (atom, _, _) = self.atom()?;
        let range = self.range(atom)?;
        let diagonal = matches!(atom, 'B' | 'F');
        let plain =
            |m: &Modifiers| !(m.hop || m.lame || m.moves || m.captures || m.chain.is_some());
        let fits =
            !rides && plain(&first) && plain(&second) && matches!(atom, 'R' | 'B' | 'W' | 'F');
        let outer = m.directions.is_empty() && !m.hop && !m.lame && m.chain.is_none();
        if !fits || !outer || self.peek() != Some(']') {
            return Err(wrong());
        }
        self.at += 1;
        let chosen = choose(&vectors, &first.directions).ok_or_else(wrong)?;
        let max = range.unwrap_or(u8::from(matches!(atom, 'W' | 'F')));
        let mode = m.mode();
        bends(&chosen, stop, diagonal, &second.directions, max)
            .map(|ways| ways.into_iter().map(|way| Part { mode, way }).collect())
            .ok_or_else(wrong)
    }
}

/// Every first step with every outward second one. `diagonal`: whether the second leg is diagonal.
fn bends(
    firsts: &[Vector],
    stop: bool,
    diagonal: bool,
    letters: &str,
    max: u8,
) -> Option<Vec<Way>> {
    let steps = unit_steps(diagonal);
    let mut ways = Vec::new();
    for &first in firsts {
        for step in outward(first, &steps, letters)? {
            ways.push(Way::Bent {
                first,
                stop,
                step,
                max,
            });
        }
    }
    Some(ways)
}

/// Leapers that can be blocked on the square that they pass over.
fn lame(atom: char, vectors: &[Vector], max: u8) -> Option<Vec<Way>> {
    if max != 1 {
        return None;
    }
    let half = |&(x, y): &Vector| Way::Ride {
        step: (x / 2, y / 2),
        max: 2,
        hop: false,
        skip: 1,
    };
    match atom {
        'D' | 'A' => Some(vectors.iter().map(half).collect()),
        'N' => Some(
            vectors
                .iter()
                .map(|&(x, y)| Way::Bent {
                    first: (x / 2, y / 2),
                    stop: false,
                    step: (x - x / 2, y - y / 2),
                    max: 1,
                })
                .collect(),
        ),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
