//! A picture of a piece in a game file: an SVG of two paths in a box of 100 by 100, like the pictures that come with
//! Husun. It is parsed here, and only its path data is kept: no script, no style, no reference.

/// The most bytes of a picture.
pub const MOST_BYTES: usize = 32 << 10;

/// The outlines of a piece, in a box of 100 by 100.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawing {
    /// Path data of the silhouette, which takes the side's colour.
    pub body: String,
    /// Path data of the marks upon it, which take the contrasting colour; may be empty.
    pub detail: String,
}

/// Why a text is not a picture of a piece.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DrawingError {
    /// It is too long.
    #[error("a picture of {found} bytes: expected at most {MOST_BYTES}")]
    Bytes {
        /// Its bytes.
        found: usize,
    },
    /// It is not a single `svg` element.
    #[error("no picture: expected <svg viewBox=\"0 0 100 100\"> ... </svg>")]
    NotSvg,
    /// It has another viewBox.
    #[error("viewBox `{0}`: expected `0 0 100 100`")]
    Box(String),
    /// An element that is not allowed there.
    #[error("<{0}> cannot stand in a picture: expected svg, title, desc and path")]
    Element(String),
    /// An attribute that is not allowed there.
    #[error("<{element}> cannot have `{attribute}`: expected {expected}")]
    Attribute {
        /// The element.
        element: &'static str,
        /// What it has.
        attribute: String,
        /// What it may have.
        expected: &'static str,
    },
    /// A path that is neither of the two.
    #[error("a path of class `{0}`: expected body or detail")]
    Class(String),
    /// Invalid path data.
    #[error("path data `{0}`: expected commands and numbers that begin with M")]
    Data(String),
    /// There is no silhouette.
    #[error("a path of class body is missing")]
    NoBody,
}

impl Drawing {
    /// Parses a picture.
    ///
    /// ```
    /// use husun::drawing::Drawing;
    /// let svg = r#"<svg viewBox="0 0 100 100"><path class="body" d="M20 90H80L50 10Z"/></svg>"#;
    /// assert_eq!(Drawing::parse(svg).unwrap().body, "M20 90H80L50 10Z");
    /// let error = Drawing::parse(&svg.replace("path", "script")).unwrap_err().to_string();
    /// assert!(error.starts_with("<script> cannot stand in a picture"));
    /// ```
    pub fn parse(text: &str) -> Result<Drawing, DrawingError> {
        if text.len() > MOST_BYTES {
            return Err(DrawingError::Bytes { found: text.len() });
        }
        let mut drawing = Drawing {
            body: String::new(),
            detail: String::new(),
        };
        let (mut open, mut inside, mut rest) = (Vec::new(), false, text.trim());
        while let Some((words, tag, after)) = next_tag(rest)? {
            let wordy = matches!(open.last(), Some(&"title" | &"desc"));
            if !words.trim().is_empty() && !wordy {
                return Err(DrawingError::NotSvg);
            }
            rest = after;
            if let Some(name) = tag.strip_prefix('/') {
                if open.pop() != Some(name.trim()) {
                    return Err(DrawingError::NotSvg);
                }
                continue;
            }
            let (tag, closed) = match tag.strip_suffix('/') {
                Some(tag) => (tag, true),
                None => (tag, false),
            };
            let (name, attributes) =
                tag.split_at(tag.find(char::is_whitespace).unwrap_or(tag.len()));
            // One svg, outermost, once; all else within it.
            if (name == "svg") != open.is_empty() || (name == "svg" && inside) {
                return Err(DrawingError::NotSvg);
            }
            let name = match name {
                "svg" => {
                    inside = true;
                    frame(attributes)?;
                    "svg"
                }
                "path" => {
                    drawing.add(attributes)?;
                    "path"
                }
                "title" => "title",
                "desc" => "desc",
                other => return Err(DrawingError::Element(shortened(other))),
            };
            if !closed {
                open.push(name);
            }
        }
        if !inside || !open.is_empty() || !rest.trim().is_empty() {
            return Err(DrawingError::NotSvg);
        }
        match drawing.body.is_empty() {
            true => Err(DrawingError::NoBody),
            false => Ok(drawing),
        }
    }

    fn add(&mut self, attributes: &str) -> Result<(), DrawingError> {
        let (mut class, mut data) = (String::new(), String::new());
        for (name, value) in split(attributes)? {
            match name {
                "class" => class = value.into(),
                "d" => data = path_data(value)?,
                other => return Err(foreign("path", other, "class and d")),
            }
        }
        let path = match class.as_str() {
            "body" => &mut self.body,
            "detail" => &mut self.detail,
            _ => return Err(DrawingError::Class(shortened(&class))),
        };
        path.push_str(&data);
        Ok(())
    }
}

fn shortened(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(40).collect()
}

fn foreign(element: &'static str, attribute: &str, expected: &'static str) -> DrawingError {
    DrawingError::Attribute {
        element,
        attribute: shortened(attribute),
        expected,
    }
}

/// The text before the next tag, the tag without its brackets, and the text after it; comments and the head of an XML
/// file are skipped.
fn next_tag(text: &str) -> Result<Option<(&str, &str, &str)>, DrawingError> {
    let mut rest = text;
    loop {
        let Some((words, after)) = rest.split_once('<') else {
            return Ok(None);
        };
        let skipped = [("!--", "-->"), ("?xml", "?>")];
        let skipped = skipped.iter().find(|(begin, _)| after.starts_with(begin));
        let Some((_, end)) = skipped else {
            let (tag, after) = after.split_once('>').ok_or(DrawingError::NotSvg)?;
            return Ok(Some((words, tag, after)));
        };
        if !words.trim().is_empty() {
            return Err(DrawingError::NotSvg);
        }
        rest = after.split_once(end).ok_or(DrawingError::NotSvg)?.1;
    }
}

/// The attributes of a tag.
fn split(attributes: &str) -> Result<Vec<(&str, &str)>, DrawingError> {
    let (mut all, mut rest) = (Vec::new(), attributes.trim());
    while !rest.is_empty() {
        let (name, after) = rest.split_once('=').ok_or(DrawingError::NotSvg)?;
        let after = after.trim_start();
        let quote = after.chars().next().filter(|c| "\"'".contains(*c));
        let quote = quote.ok_or(DrawingError::NotSvg)?;
        let (value, after) = after[1..].split_once(quote).ok_or(DrawingError::NotSvg)?;
        all.push((name.trim(), value));
        rest = after.trim_start();
    }
    Ok(all)
}

/// The attributes of the outermost element.
fn frame(attributes: &str) -> Result<(), DrawingError> {
    let mut seen = false;
    for (name, value) in split(attributes)? {
        match name {
            "viewBox" if value == "0 0 100 100" => seen = true,
            "viewBox" => return Err(DrawingError::Box(shortened(value))),
            "xmlns" | "width" | "height" | "version" => {}
            other => {
                return Err(foreign(
                    "svg",
                    other,
                    "viewBox, xmlns, width, height and version",
                ));
            }
        }
    }
    match seen {
        true => Ok(()),
        false => Err(DrawingError::NotSvg),
    }
}

fn path_data(value: &str) -> Result<String, DrawingError> {
    let fits =
        |c: char| "MmLlHhVvCcSsQqTtAaZz0123456789 .,-+eE".contains(c) || c.is_ascii_whitespace();
    let data = value.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
    match data.starts_with('M') && data.chars().all(fits) {
        true => Ok(data),
        false => Err(DrawingError::Data(shortened(value))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contents of `<svg viewBox="0 0 100 100">`, and the error.
    const REFUSED: [(&str, &str); 10] = [
        ("<script>alert(1)</script>", "<script> cannot stand"),
        ("<image href=\"http://x/\"/>", "<image> cannot stand"),
        ("<style>*{}</style>", "<style> cannot stand"),
        ("<use xlink:href=\"#a\"/>", "<use> cannot stand"),
        (
            "<path class=\"body\" d=\"M0 0\" onclick=\"a\"/>",
            "<path> cannot have `onclick`",
        ),
        (
            "<path class=\"body\" d=\"url(#x)\"/>",
            "path data `url(#x)`",
        ),
        ("<path class=\"sky\" d=\"M0 0\"/>", "a path of class `sky`"),
        (
            "<path class=\"detail\" d=\"M0 0\"/>",
            "a path of class body is missing",
        ),
        ("words", "no picture"),
        ("<svg viewBox=\"0 0 100 100\"></svg>", "no picture"),
    ];

    #[test]
    fn nothing_but_paths_is_taken() {
        for (inner, message) in REFUSED {
            let text = format!("<svg viewBox=\"0 0 100 100\">{inner}</svg>");
            let error = Drawing::parse(&text).map_err(|e| e.to_string());
            assert!(
                error.as_ref().is_err_and(|e| e.starts_with(message)),
                "{inner}: {error:?}"
            );
        }
        let odd = [
            "",
            "<",
            "<svg",
            "<svg>",
            "</svg>",
            "<!-- ",
            "<!DOCTYPE svg>",
            "<svg viewBox=>",
        ];
        for text in odd {
            assert!(Drawing::parse(text).is_err(), "{text}");
        }
        let long = " ".repeat(MOST_BYTES + 1);
        assert_eq!(
            Drawing::parse(&long),
            Err(DrawingError::Bytes {
                found: MOST_BYTES + 1
            })
        );
    }

    #[test]
    fn what_editors_write_around_it_is_passed_over() {
        let text = "<?xml version='1.0'?>\n<!-- a boat -->\n<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 100 100'>\n\
                    <title>Boat</title><path d='M10 60\n L90 60Z' class='body'/><path class='detail' d='M1 1H2'></path></svg>\n";
        let drawing = Drawing::parse(text).map(|d| (d.body, d.detail));
        assert_eq!(drawing, Ok(("M10 60 L90 60Z".into(), "M1 1H2".into())));
    }
}
