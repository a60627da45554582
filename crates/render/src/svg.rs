//! Pictures as stand-alone SVG 1.1: layout of page, title, coordinates and legend. What stands on the
//! board is in `squares`, the pieces themselves are in `pieces`.
//!
//! Output depends only on picture and style. Ids carry the game's id and the piece set, so that several pictures can
//! be in one HTML page.

use crate::glyph::{self, Anchor, Lettering, number};
use crate::picture::{Mark, Picture};
use crate::style::{PieceSet, Style};
use husun::{Kind, Side, Variant};

mod pieces;
mod squares;

/// Stroke weight of coordinates, title and legend.
const WEIGHT: f64 = 9.5;

/// A picture as SVG.
///
/// ```
/// use husun_render::{Picture, Style};
/// let grand = games::variant("grand").unwrap();
/// let svg = husun_render::svg::board(&Picture::of(&grand.start()).coordinates(false), &Style::default());
/// assert!(svg.contains("width=\"656\" height=\"656\""));
/// ```
pub fn board(picture: &Picture, style: &Style) -> String {
    let layout = Layout::new(picture, style);
    let palette = &style.palette();
    let mut svg = head(layout.width, layout.height, &title_text(picture));
    let ids = Ids::new(&picture.variant, style.set);
    svg.push_str("<defs>\n");
    svg.push_str(&pieces::definitions(picture, style.set, &ids));
    svg.push_str(&squares::definitions(picture, palette, &ids));
    svg.push_str("</defs>\n");
    if style.page {
        svg.push_str(&format!(
            "<rect width=\"{}\" height=\"{}\" fill=\"{}\"/>\n",
            layout.width, layout.height, palette.page
        ));
    }
    svg.push_str(&format!(
        "<g transform=\"translate({} {}) scale({})\">\n",
        layout.left,
        layout.top,
        number(layout.scale()),
    ));
    svg.push_str(&squares::ground(picture, palette, &ids));
    svg.push_str(&pieces::uses(picture, &ids));
    svg.push_str(&squares::marks(picture, palette));
    svg.push_str(&squares::arrows(picture));
    svg.push_str("</g>\n");
    svg.push_str(&layout.lettering(picture, style));
    svg.push_str("</svg>\n");
    svg
}

/// Width and height of the drawing by [`board`], in pixels.
pub fn size(picture: &Picture, style: &Style) -> (u32, u32) {
    let layout = Layout::new(picture, style);
    (layout.width, layout.height)
}

/// The squares of a picture alone, without coordinates or anything around them: the background of a board on which
/// something else moves the pieces. It fills whatever it is put into.
///
/// ```
/// use husun_render::{Picture, Style};
/// let citadel = games::variant("citadel8").unwrap();
/// let svg = husun_render::svg::squares(&Picture::empty(&citadel), &Style::default());
/// assert!(svg.contains("viewBox=\"0 0 900 800\""));
/// ```
pub fn squares(picture: &Picture, style: &Style) -> String {
    let frame = picture.variant.frame();
    let ids = Ids::new(&picture.variant, style.set);
    let palette = &style.palette();
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" preserveAspectRatio=\"none\">\n\
         <defs>\n{}</defs>\n{}{}{}</svg>\n",
        u32::from(frame.files()) * 100,
        u32::from(frame.ranks()) * 100,
        squares::definitions(picture, palette, &ids),
        squares::ground(picture, palette, &ids),
        squares::marks(picture, palette),
        squares::arrows(picture),
    )
}

/// One piece as SVG, alone on a transparent background: for choices, prisoners and lists. `royals` is how many pieces
/// of royal kinds its side has, as for [`crate::images::of`]. A kind that the game does not have gives an empty
/// picture.
///
/// ```
/// use husun::Side;
/// let chess = games::variant("chess").unwrap();
/// let king = chess.kind('K').unwrap();
/// let svg = husun_render::svg::piece(&chess, Side::White, king, 1, &husun_render::Style::default());
/// assert!(svg.contains("<title>King</title>"));
/// ```
pub fn piece(variant: &Variant, side: Side, kind: Kind, royals: usize, style: &Style) -> String {
    let square = style.square.pixels();
    let name = variant.pieces().get(kind.index()).map_or("", |p| &p.name);
    let mut svg = head(square, square, name);
    let ids = Ids::new(variant, style.set);
    svg.push_str(&pieces::alone(
        variant, side, kind, royals, style.set, &ids, square,
    ));
    svg.push_str("</svg>\n");
    svg
}

fn head(width: u32, height: u32, title: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" \
         version=\"1.1\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n\
         <title>{}</title>\n",
        escape(title)
    )
}

fn title_text(picture: &Picture) -> String {
    let game = picture.variant.name();
    match &picture.title {
        Some(title) => format!("{game}: {title}"),
        None => game.to_owned(),
    }
}

/// Text for XML; characters that XML 1.0 forbids are left out.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '\t' | '\n' | '\r' => escaped.push(' '),
            '\u{fffe}' | '\u{ffff}' => (),
            c if c < ' ' => (),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Ids of definitions: all begin with the game's id and the piece set.
struct Ids {
    prefix: String,
}

impl Ids {
    fn new(variant: &Variant, set: PieceSet) -> Ids {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        let game: String = variant.id().chars().map(plain).collect();
        let set = match set {
            PieceSet::Themed => 't',
            PieceSet::Letters => 'l',
        };
        // An id must not begin with a digit.
        Ids {
            prefix: format!("h-{game}-{set}"),
        }
    }

    fn stripes(&self, side: Side) -> String {
        format!("{}-{}-stripes", self.prefix, side.letter())
    }

    fn accent(&self, side: Side) -> String {
        format!("{}-{}-accent", self.prefix, side.letter())
    }

    fn blocker(&self, side: Side) -> String {
        format!("{}-{}-blocker", self.prefix, side.letter())
    }

    fn piece(&self, side: Side, kind: Kind) -> String {
        format!("{}-{}{}", self.prefix, side.letter(), kind.index())
    }

    fn check(&self) -> String {
        format!("{}-check", self.prefix)
    }
}

/// Where things are on the page, in pixels.
struct Layout {
    square: u32,
    left: u32,
    top: u32,
    board_width: u32,
    board_height: u32,
    width: u32,
    height: u32,
    legend: Vec<Vec<(Mark, &'static str)>>,
}

impl Layout {
    fn new(picture: &Picture, style: &Style) -> Layout {
        let square = style.square.pixels();
        let frame = picture.variant.frame();
        let part = |percent: u32| (square * percent + 50) / 100;
        let edge = part(12).max(3);
        let below = if picture.coordinates { part(44) } else { edge };
        let margin = match frame.ranks() > 9 {
            true if picture.coordinates => part(54),
            _ => below,
        };
        let top = if picture.title.is_some() {
            part(72)
        } else {
            edge
        };
        let board_width = square * u32::from(frame.files());
        let board_height = square * u32::from(frame.ranks());
        let right = if picture.coordinates { part(20) } else { edge };
        let width = margin + board_width + right;
        let mut layout = Layout {
            square,
            left: margin,
            top,
            board_width,
            board_height,
            width,
            height: top + board_height + below,
            legend: Vec::new(),
        };
        if picture.legend {
            layout.fold_legend(picture.legend_rows());
            let rows = u32::try_from(layout.legend.len()).unwrap_or(0);
            layout.height += rows * part(50) + if rows > 0 { part(12) } else { 0 };
        }
        layout
    }

    fn scale(&self) -> f64 {
        f64::from(self.square) / 100.0
    }

    /// Height of capitals in the legend.
    fn small(&self) -> f64 {
        self.scale() * 18.0
    }

    /// Width of an entry of the legend with the space after it.
    fn entry(&self, label: &str) -> f64 {
        self.scale() * 80.0 + glyph::width(label) * self.small() / glyph::CAP_HEIGHT
    }

    /// Fills rows as wide as the board, wider if an entry is.
    fn fold_legend(&mut self, entries: Vec<(Mark, &'static str)>) {
        let room = f64::from(self.board_width);
        let mut used = 0.0;
        for entry in entries {
            let width = self.entry(entry.1);
            match self.legend.last_mut() {
                Some(row) if used + width <= room => row.push(entry),
                _ => {
                    self.legend.push(vec![entry]);
                    used = 0.0;
                }
            }
            used += width;
            let needed = f64::from(self.left) + width;
            self.width = self.width.max(needed.ceil() as u32);
        }
    }

    /// Title, coordinates and legend.
    fn lettering(&self, picture: &Picture, style: &Style) -> String {
        let ink = style.palette().ink.to_string();
        let mut svg = String::new();
        if let Some(title) = &picture.title {
            svg.push_str(&self.title(title, &ink));
        }
        if picture.coordinates {
            svg.push_str(&self.coordinates(picture, &ink));
        }
        svg.push_str(&self.legend(style, &ink));
        svg
    }

    fn title(&self, title: &str, ink: &str) -> String {
        let full = self.scale() * 27.0;
        let room = f64::from(self.board_width) * glyph::CAP_HEIGHT / glyph::width(title).max(1.0);
        let line = Lettering {
            color: ink,
            height: full.min(room),
            weight: WEIGHT,
            anchor: Anchor::Start,
        };
        line.svg(f64::from(self.left), self.scale() * 36.0, title)
    }

    fn coordinates(&self, picture: &Picture, ink: &str) -> String {
        let line = Lettering {
            color: ink,
            height: self.scale() * 19.0,
            weight: WEIGHT,
            anchor: Anchor::Middle,
        };
        let square = f64::from(self.square);
        let middle = |start: u32, i: usize| f64::from(start) + square * (i as f64 + 0.5);
        let below = f64::from(self.top + self.board_height) + square * 0.24;
        let beside = f64::from(self.left) / 2.0 + square * 0.01;
        let files = picture.file_names().into_iter().enumerate();
        let ranks = picture.rank_names().into_iter().enumerate();
        files
            .map(|(i, name)| line.svg(middle(self.left, i), below, &name))
            .chain(ranks.map(|(i, name)| line.svg(beside, middle(self.top, i), &name)))
            .collect()
    }

    fn legend(&self, style: &Style, ink: &str) -> String {
        let line = Lettering {
            color: ink,
            height: self.small(),
            weight: WEIGHT,
            anchor: Anchor::Start,
        };
        let palette = &style.palette();
        let rows = self.legend.len() as f64;
        let icon = 0.36 * self.scale();
        let mut svg = String::new();
        for (i, row) in self.legend.iter().enumerate() {
            let up = (rows - i as f64) * 50.0 - 16.0;
            let y = f64::from(self.height) - self.scale() * up;
            let mut x = f64::from(self.left);
            for &(mark, label) in row {
                svg.push_str(&format!(
                    "<g transform=\"translate({} {}) scale({})\">",
                    number(x),
                    number(y - icon * 50.0),
                    number(icon),
                ));
                svg.push_str(&squares::legend_icon(mark, palette));
                svg.push_str("</g>\n");
                svg.push_str(&line.svg(x + self.scale() * 48.0, y, label));
                x += self.entry(label);
            }
        }
        svg
    }
}
