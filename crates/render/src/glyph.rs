//! A small stroke typeface, so that letters look the same everywhere without any font. Lines of text become SVG paths
//! that are stroked with round ends. Capitals are 70 units high, lowercase letters 48, and the base line is at 70.

use std::fmt::Write;

/// Height of capitals and digits.
pub const CAP_HEIGHT: f64 = 70.0;
/// Free space between two letters, from middle of stroke to middle of stroke.
const GAP: f64 = 22.0;
/// Width of a space.
const SPACE: f64 = 30.0;

/// A letter: its width and its strokes from x = 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Glyph {
    /// Width from the middle of the first stroke to the middle of the last.
    pub width: f64,
    /// SVG path data.
    pub path: &'static str,
}

/// Stands for a character that the typeface does not have.
const BOX: Glyph = Glyph {
    width: 36.0,
    path: "M0 0H36V70H0Z",
};

/// The glyph of a character; a box if there is none.
///
/// ```
/// use husun_render::glyph;
/// assert_eq!(glyph::of('L').path, "M0 0V70H40");
/// assert!(glyph::has('q') && glyph::has('7') && !glyph::has('é'));
/// ```
pub fn of(c: char) -> Glyph {
    find(c).unwrap_or(BOX)
}

/// Whether the typeface has the character.
pub fn has(c: char) -> bool {
    find(c).is_some()
}

fn find(c: char) -> Option<Glyph> {
    let row = GLYPHS.iter().find(|(own, ..)| *own == c);
    row.map(|&(_, width, path)| Glyph { width, path })
}

/// Width of a line of text at a cap height of 70.
pub fn width(text: &str) -> f64 {
    text.chars().map(|c| of(c).width + GAP).sum::<f64>() - GAP
}

/// Where a line of text is relative to its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// It begins there.
    Start,
    /// Its middle is there.
    Middle,
}

/// How a line of text is set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lettering<'a> {
    /// Stroke colour in SVG form.
    pub color: &'a str,
    /// Height of capitals.
    pub height: f64,
    /// Width of strokes at a cap height of 70.
    pub weight: f64,
    /// Where it is relative to its point.
    pub anchor: Anchor,
}

impl Lettering<'_> {
    /// SVG of a text whose capitals are centred on `y`.
    ///
    /// ```
    /// use husun_render::glyph::{Anchor, Lettering};
    /// let line = Lettering { color: "#000000", height: 7.0, weight: 9.0, anchor: Anchor::Start };
    /// let svg = line.svg(10.0, 20.0, "L");
    /// assert!(svg.contains("translate(10 16.5) scale(0.1)") && svg.contains("M0 0V70H40"));
    /// ```
    pub fn svg(&self, x: f64, y: f64, text: &str) -> String {
        let scale = self.height / CAP_HEIGHT;
        let left = match self.anchor {
            Anchor::Start => x,
            Anchor::Middle => x - width(text) * scale / 2.0,
        };
        let mut svg = format!(
            "<g fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" stroke-linecap=\"round\" \
             stroke-linejoin=\"round\" transform=\"translate({} {}) scale({})\">",
            self.color,
            number(self.weight),
            number(left),
            number(y - self.height / 2.0),
            number(scale),
        );
        let mut at = 0.0;
        for c in text.chars() {
            let glyph = of(c);
            // Writing to a String cannot fail.
            let _ = match (glyph.path, at == 0.0) {
                ("", _) => Ok(()),
                (path, true) => write!(svg, "<path d=\"{path}\"/>"),
                (path, false) => {
                    let x = number(at);
                    write!(svg, "<path transform=\"translate({x})\" d=\"{path}\"/>")
                }
            };
            at += glyph.width + GAP;
        }
        svg.push_str("</g>\n");
        svg
    }
}

/// A number in its shortest form with at most four decimals.
pub(crate) fn number(value: f64) -> String {
    let text = format!("{value:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" {
        "0".into()
    } else {
        text.into()
    }
}

/// Character, width, strokes.
const GLYPHS: &[(char, f64, &str)] = &[
    (' ', SPACE - GAP, ""),
    ('A', 54.0, "M0 70L27 0L54 70M9.5 46H44.5"),
    (
        'B',
        44.0,
        "M0 32H25A19 19 0 0 1 25 70H0V0H22A16 16 0 0 1 22 32",
    ),
    ('C', 54.0, "M54 14A30 35 0 1 0 54 56"),
    ('D', 52.0, "M0 0V70H20A32 35 0 0 0 20 0Z"),
    ('E', 40.0, "M40 0H0V70H40M0 34H34"),
    ('F', 40.0, "M40 0H0V70M0 35H34"),
    ('G', 57.0, "M55 14A30 35 0 1 0 57 50V38H34"),
    ('H', 50.0, "M0 0V70M50 0V70M0 34H50"),
    ('I', 0.0, "M0 0V70"),
    ('J', 34.0, "M34 0V50A17 20 0 0 1 0 51"),
    ('K', 46.0, "M0 0V70M46 0L0 44M16 29L46 70"),
    ('L', 40.0, "M0 0V70H40"),
    ('M', 62.0, "M0 70V0L31 46L62 0V70"),
    ('N', 50.0, "M0 70V0L50 70V0"),
    ('O', 60.0, "M30 0A30 35 0 1 0 30 70A30 35 0 1 0 30 0Z"),
    ('P', 44.0, "M0 70V0H24A20 20 0 0 1 24 40H0"),
    (
        'Q',
        60.0,
        "M30 0A30 35 0 1 0 30 70A30 35 0 1 0 30 0ZM36 52L60 76",
    ),
    ('R', 46.0, "M0 70V0H25A19 19 0 0 1 25 38H0M23 38L46 70"),
    (
        'S',
        46.0,
        "M44 13C40 4 33 0 23 0C10 0 2 7 2 17C2 28 11 31 23 34C36 37 46 41 46 53C46 63 37 70 23 70C11 70 3 65 0 56",
    ),
    ('T', 52.0, "M0 0H52M26 0V70"),
    ('U', 50.0, "M0 0V45A25 25 0 0 0 50 45V0"),
    ('V', 54.0, "M0 0L27 70L54 0"),
    ('W', 78.0, "M0 0L20 70L39 6L58 70L78 0"),
    ('X', 50.0, "M0 0L50 70M50 0L0 70"),
    ('Y', 52.0, "M0 0L26 36L52 0M26 36V70"),
    ('Z', 48.0, "M0 0H48L0 70H48"),
    (
        'a',
        38.0,
        "M19 22A19 24 0 1 0 19 70A19 24 0 1 0 19 22ZM38 22V70",
    ),
    (
        'b',
        38.0,
        "M19 22A19 24 0 1 0 19 70A19 24 0 1 0 19 22ZM0 0V70",
    ),
    ('c', 35.0, "M35 31A20 24 0 1 0 35 61"),
    (
        'd',
        38.0,
        "M19 22A19 24 0 1 0 19 70A19 24 0 1 0 19 22ZM38 0V70",
    ),
    ('e', 38.0, "M1 46H38A19 24 0 1 0 33 61"),
    ('f', 24.0, "M26 1C16 -2 10 3 10 14V70M0 25H23"),
    (
        'g',
        38.0,
        "M19 22A19 24 0 1 0 19 70A19 24 0 1 0 19 22ZM38 22V72C38 90 12 94 4 82",
    ),
    ('h', 35.0, "M0 0V70M0 42A17.5 20 0 0 1 35 42V70"),
    ('i', 0.0, "M0 23V70M0 3V5"),
    ('j', 12.0, "M12 23V76C12 85 8 90 0 90M12 3V5"),
    ('k', 35.0, "M0 0V70M33 23L0 52M13 41L35 70"),
    ('l', 0.0, "M0 0V70"),
    (
        'm',
        60.0,
        "M0 22V70M0 40A15 18 0 0 1 30 40V70M30 40A15 18 0 0 1 60 40V70",
    ),
    ('n', 35.0, "M0 22V70M0 42A17.5 20 0 0 1 35 42V70"),
    ('o', 40.0, "M20 22A20 24 0 1 0 20 70A20 24 0 1 0 20 22Z"),
    (
        'p',
        38.0,
        "M19 22A19 24 0 1 0 19 70A19 24 0 1 0 19 22ZM0 22V90",
    ),
    (
        'q',
        38.0,
        "M19 22A19 24 0 1 0 19 70A19 24 0 1 0 19 22ZM38 22V90",
    ),
    ('r', 22.0, "M0 22V70M0 44C0 30 9 21 22 24"),
    (
        's',
        34.0,
        "M32 31C29 25 24 22 17 22C8 22 2 27 2 34C2 41 8 43 17 45C27 47 34 50 34 58C34 66 27 70 17 70C8 70 2 67 0 60",
    ),
    ('t', 25.0, "M10 7V56C10 67 16 71 26 69M0 24H24"),
    ('u', 35.0, "M0 22V50A17.5 20 0 0 0 35 50M35 22V70"),
    ('v', 38.0, "M0 22L19 70L38 22"),
    ('w', 58.0, "M0 22L15 70L29 28L43 70L58 22"),
    ('x', 36.0, "M0 22L36 70M36 22L0 70"),
    ('y', 38.0, "M0 22L19 68M38 22L15 80C12 88 8 90 0 90"),
    ('z', 34.0, "M0 22H34L0 70H34"),
    (
        '0',
        44.0,
        "M22 0C38 0 44 16 44 35S38 70 22 70S0 54 0 35S6 0 22 0Z",
    ),
    ('1', 22.0, "M0 15L20 0V70"),
    (
        '2',
        44.0,
        "M1 17C3 6 11 0 22 0C35 0 43 8 43 19C43 34 22 46 0 70H44",
    ),
    (
        '3',
        44.0,
        "M2 12C6 4 13 0 22 0C34 0 41 7 41 17C41 28 33 33 20 33C34 33 44 39 44 51C44 63 35 70 22 70C11 70 3 66 0 57",
    ),
    ('4', 46.0, "M34 70V0L0 50H46"),
    (
        '5',
        44.0,
        "M40 0H8L4 32C9 28 15 26 22 26C35 26 44 34 44 48C44 61 35 70 22 70C11 70 3 66 0 58",
    ),
    (
        '6',
        44.0,
        "M39 8C35 2 30 0 25 0C9 0 0 16 0 42C0 60 9 70 23 70C36 70 44 61 44 48C44 35 36 27 23 27C12 27 2 34 0 46",
    ),
    ('7', 44.0, "M0 0H44L16 70"),
    (
        '8',
        44.0,
        "M22 33C10 33 3 26 3 17C3 7 11 0 22 0C33 0 41 7 41 17C41 26 34 33 22 33C9 33 0 41 0 51C0 63 9 70 22 70C35 70 44 63 44 51C44 41 35 33 22 33Z",
    ),
    (
        '9',
        44.0,
        "M5 62C9 68 14 70 19 70C35 70 44 54 44 28C44 10 35 0 21 0C8 0 0 9 0 22C0 35 8 43 21 43C32 43 42 36 44 24",
    ),
    ('-', 24.0, "M0 40H24"),
    ('+', 40.0, "M0 38H40M20 18V58"),
    ('=', 36.0, "M0 28H36M0 48H36"),
    ('.', 0.0, "M0 69V70"),
    (',', 6.0, "M6 68C7 74 4 79 0 82"),
    (':', 0.0, "M0 27V28M0 67V68"),
    (';', 6.0, "M6 27V28M6 66C7 74 4 79 0 82"),
    ('!', 0.0, "M0 0V46M0 69V70"),
    ('\'', 0.0, "M0 0V16"),
    ('"', 16.0, "M0 0V16M16 0V16"),
    ('(', 14.0, "M14 -6C-5 18 -5 56 14 80"),
    (')', 14.0, "M0 -6C19 18 19 56 0 80"),
    ('[', 14.0, "M14 -6H0V80H14"),
    (']', 14.0, "M0 -6H14V80H0"),
    (
        '?',
        36.0,
        "M0 14C3 5 10 0 18 0C29 0 36 7 36 17C36 32 18 30 18 48M18 69V70",
    ),
    ('/', 30.0, "M0 78L30 -6"),
    ('*', 34.0, "M17 4V44M0 14L34 34M34 14L0 34"),
    (
        '&',
        56.0,
        "M56 70L10 18C2 6 12 0 21 0C32 0 38 9 32 18C26 27 0 32 0 51C0 76 40 78 52 40",
    ),
    (
        '%',
        58.0,
        "M52 0L6 70M12 2A11 13 0 1 0 12 28A11 13 0 1 0 12 2ZM46 42A11 13 0 1 0 46 68A11 13 0 1 0 46 42Z",
    ),
    ('^', 36.0, "M0 30L18 0L36 30"),
    ('_', 40.0, "M0 80H40"),
    ('<', 38.0, "M38 18L0 38L38 58"),
    ('>', 38.0, "M0 18L38 38L0 58"),
    (
        '@',
        66.0,
        "M46 24V40C46 56 66 54 66 34A33 34 0 1 0 48 64M46 38A13 15 0 1 0 46 38.1",
    ),
];
