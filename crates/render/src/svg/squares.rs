//! The board itself as SVG: squares, regions, highlights, marks and arrows, in units of a hundredth of
//! a square from the board's upper left corner.

use super::Ids;
use crate::glyph::number;
use crate::picture::{Ink, Mark, Picture};
use crate::style::Palette;
use husun::Square;
use std::collections::BTreeSet;

/// Definitions that the squares refer to.
pub(super) fn definitions(picture: &Picture, palette: &Palette, ids: &Ids) -> String {
    if picture.check.is_none() {
        return String::new();
    }
    let color = palette.check;
    format!(
        "<radialGradient id=\"{}\"><stop offset=\"0\" stop-color=\"{color}\"/>\
         <stop offset=\"0.45\" stop-color=\"{color}\" stop-opacity=\"0.85\"/>\
         <stop offset=\"1\" stop-color=\"{color}\" stop-opacity=\"0.1\"/></radialGradient>\n",
        ids.check()
    )
}

/// Squares, regions and everything that colours squares.
pub(super) fn ground(picture: &Picture, palette: &Palette, ids: &Ids) -> String {
    let frame = picture.variant.frame();
    let all: Vec<Square> = frame.squares().collect();
    let dark = |s: &Square| (frame.file(*s) + frame.rank(*s)).is_multiple_of(2);
    let (dark, light): (Vec<Square>, Vec<Square>) = all.iter().partition(|s| dark(s));
    let mut svg = format!(
        "<path stroke=\"{0}\" stroke-width=\"8\" stroke-linejoin=\"round\" fill=\"none\" d=\"{1}\"/>\n",
        palette.border,
        outline(picture, &all)
    );
    let [light_color, dark_color] = palette.squares;
    svg.push_str(&cells(picture, light, &light_color.to_string(), 100));
    svg.push_str(&cells(picture, dark, &dark_color.to_string(), 100));
    if picture.regions {
        svg.push_str(&regions(picture, palette));
    }
    let (last, selected) = (palette.last_move.to_string(), palette.selected.to_string());
    let moved = all.iter().copied().filter(|s| picture.was_moved(*s));
    svg.push_str(&cells(picture, moved, &last, 62));
    for (square, ink) in &picture.highlights {
        svg.push_str(&cells(picture, [*square], &ink.color().to_string(), 55));
    }
    svg.push_str(&cells(picture, picture.selected, &selected, 50));
    let check = format!("url(#{})", ids.check());
    svg.push_str(&cells(picture, picture.check, &check, 100));
    svg
}

/// Squares filled with a colour at an opacity in hundredths.
fn cells(
    picture: &Picture,
    squares: impl IntoIterator<Item = Square>,
    fill: &str,
    opacity: u32,
) -> String {
    let corners = squares.into_iter().filter_map(|s| corner(picture, s));
    let data: String = corners
        .map(|(x, y)| format!("M{x} {y}h100v100h-100z"))
        .collect();
    let opacity = match opacity {
        100 => String::new(),
        o => format!(" fill-opacity=\"{}\"", number(f64::from(o) / 100.0)),
    };
    match data.is_empty() {
        true => String::new(),
        false => format!("<path fill=\"{fill}\"{opacity} d=\"{data}\"/>\n"),
    }
}

fn corner(picture: &Picture, square: Square) -> Option<(u32, u32)> {
    let (column, row) = picture.place(square)?;
    Some((u32::from(column) * 100, u32::from(row) * 100))
}

fn middle(picture: &Picture, square: Square) -> Option<(f64, f64)> {
    let (x, y) = corner(picture, square)?;
    Some((f64::from(x) + 50.0, f64::from(y) + 50.0))
}

/// Path of the lines between squares of the set and everything else.
fn outline(picture: &Picture, squares: &[Square]) -> String {
    let places: BTreeSet<(i32, i32)> = squares
        .iter()
        .filter_map(|s| picture.place(*s))
        .map(|(c, r)| (i32::from(c), i32::from(r)))
        .collect();
    let mut data = String::new();
    for &(c, r) in &places {
        let (x, y) = (c * 100, r * 100);
        let edges = [
            ((c, r - 1), format!("M{x} {y}h100")),
            ((c, r + 1), format!("M{x} {}h100", y + 100)),
            ((c - 1, r), format!("M{x} {y}v100")),
            ((c + 1, r), format!("M{} {y}v100", x + 100)),
        ];
        let open = edges.iter().filter(|(next, _)| !places.contains(next));
        data.extend(open.map(|(_, line)| line.as_str()));
    }
    data
}

fn regions(picture: &Picture, palette: &Palette) -> String {
    let mut svg = String::new();
    for region in picture.variant.regions() {
        let color = palette.region(region).to_string();
        svg.push_str(&cells(picture, region.squares.iter().copied(), &color, 38));
        svg.push_str(&format!(
            "<path fill=\"none\" stroke=\"{color}\" stroke-width=\"6\" stroke-linecap=\"round\" \
             d=\"{}\"/>\n",
            outline(picture, &region.squares)
        ));
    }
    svg
}

/// All marks on squares, kind by kind.
pub(super) fn marks(picture: &Picture, palette: &Palette) -> String {
    let mut svg = String::new();
    for (mark, _) in Mark::LEGEND {
        for occupied in [false, true] {
            let on = |s: &Square| picture.occupant(*s).is_some() == occupied;
            let squares = picture.marks.iter();
            let centres: Vec<(f64, f64)> = squares
                .filter(|(s, m)| **m == mark && on(s))
                .filter_map(|(s, _)| middle(picture, *s))
                .collect();
            if !centres.is_empty() {
                svg.push_str(&drawn(mark, occupied, &centres, palette));
                svg.push('\n');
            }
        }
    }
    svg
}

/// A mark as the legend shows it, on a square of 100.
pub(super) fn legend_icon(mark: Mark, palette: &Palette) -> String {
    let ground = palette.squares[0];
    let mark = drawn(mark, false, &[(50.0, 50.0)], palette);
    format!(
        "<rect width=\"100\" height=\"100\" rx=\"10\" fill=\"{ground}\"/>\
         <g transform=\"translate(-7.5 -7.5) scale(1.15)\">{mark}</g>"
    )
}

fn drawn(mark: Mark, occupied: bool, centres: &[(f64, f64)], palette: &Palette) -> String {
    let (target, attack) = (palette.target, palette.attack);
    let (style, radius) = match (mark, occupied) {
        (Mark::Move | Mark::Quiet, true) => (stroke(target, 6, ""), 43),
        (Mark::Move, false) => (format!("fill=\"{target}\" fill-opacity=\"0.85\""), 15),
        (Mark::Quiet, false) => (stroke(target, 7, ""), 13),
        (Mark::Capture, true) => (stroke(attack, 8, ""), 43),
        (Mark::Capture, false) => (stroke(attack, 8, ""), 30),
        (Mark::Attack, true) => (stroke(attack, 5, " stroke-dasharray=\"11 11.5\""), 43),
        (Mark::Attack, false) => return crosses(centres, palette),
    };
    let circles: String = centres
        .iter()
        .map(|(x, y)| {
            let (x, y) = (number(*x), number(*y));
            format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"/>")
        })
        .collect();
    format!("<g {style}>{circles}</g>")
}

fn stroke(color: crate::Rgb, width: u32, more: &str) -> String {
    format!(
        "fill=\"none\" stroke=\"{color}\" stroke-width=\"{width}\" stroke-opacity=\"0.85\"{more}"
    )
}

fn crosses(centres: &[(f64, f64)], palette: &Palette) -> String {
    let data: String = centres
        .iter()
        .map(|(x, y)| {
            let (x, y) = (number(x - 14.0), number(y - 14.0));
            format!("M{x} {y}l28 28m0 -28l-28 28")
        })
        .collect();
    let stroke = stroke(palette.attack, 8, " stroke-linecap=\"round\"");
    format!("<path {stroke} d=\"{data}\"/>")
}

/// All arrows; one from a square to itself is a circle.
pub(super) fn arrows(picture: &Picture) -> String {
    let mut svg = String::new();
    for &(from, to, ink) in &picture.arrows {
        let (Some(from), Some(to)) = (middle(picture, from), middle(picture, to)) else {
            continue;
        };
        let color = ink.color();
        svg.push_str(&match from == to {
            true => format!(
                "<circle cx=\"{}\" cy=\"{}\" r=\"44\" fill=\"none\" stroke=\"{color}\" \
                 stroke-width=\"9\" stroke-opacity=\"0.8\"/>\n",
                number(from.0),
                number(from.1)
            ),
            false => format!(
                "<path fill=\"{color}\" fill-opacity=\"0.8\" d=\"{}\"/>\n",
                arrow(from, to)
            ),
        });
    }
    svg.extend(picture.paths.iter().map(|(squares, ink)| {
        let middles = squares.iter().filter_map(|s| middle(picture, *s));
        path(&middles.collect::<Vec<_>>(), *ink)
    }));
    svg
}

/// A bent line through points with an arrowhead at its last.
fn path(points: &[(f64, f64)], ink: Ink) -> String {
    const HEAD: f64 = 34.0;
    const HALF_HEAD: f64 = 21.0;
    const BESIDE: f64 = 34.0;
    let [.., before, end] = points else {
        return String::new();
    };
    let (dx, dy) = (end.0 - before.0, end.1 - before.1);
    let length = dx.hypot(dy).max(1.0);
    let (ux, uy) = (dx / length, dy / length);
    let back = |along: f64, left: f64| {
        let (x, y) = (end.0 - ux * along, end.1 - uy * along);
        format!("{} {}", number(x + uy * left), number(y - ux * left))
    };
    // It begins beside the piece, not on top of it.
    let (begin, turn) = (points[0], points[1]);
    let (bx, by) = (turn.0 - begin.0, turn.1 - begin.1);
    let first = bx.hypot(by).max(1.0);
    let begin = (begin.0 + bx / first * BESIDE, begin.1 + by / first * BESIDE);
    let inner = points[1..points.len() - 1].iter().copied();
    let mut line: Vec<String> = std::iter::once(begin)
        .chain(inner)
        .map(|(x, y)| format!("{} {}", number(x), number(y)))
        .collect();
    line.push(back(HEAD - 4.0, 0.0));
    let color = ink.color();
    let head = [
        back(HEAD, HALF_HEAD),
        back(-6.0, 0.0),
        back(HEAD, -HALF_HEAD),
    ];
    format!(
        "<g opacity=\"0.85\"><path fill=\"none\" stroke=\"{color}\" stroke-width=\"11\" stroke-linejoin=\"round\" \
         stroke-linecap=\"round\" d=\"M{}\"/><path fill=\"{color}\" d=\"M{}z\"/></g>\n",
        line.join("L"),
        head.join("L")
    )
}

/// Outline of an arrow from near the middle of one square to the middle of another.
fn arrow(from: (f64, f64), to: (f64, f64)) -> String {
    const HALF_SHAFT: f64 = 8.0;
    const HALF_HEAD: f64 = 25.0;
    const HEAD: f64 = 42.0;
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = (dx * dx + dy * dy).sqrt();
    let (ux, uy) = (dx / length, dy / length);
    // Along the arrow and to its left.
    let at = |along: f64, left: f64| {
        let x = from.0 + ux * along + uy * left;
        let y = from.1 + uy * along - ux * left;
        format!("{} {}", number(x), number(y))
    };
    let neck = length - HEAD;
    let points = [
        at(14.0, HALF_SHAFT),
        at(neck, HALF_SHAFT),
        at(neck, HALF_HEAD),
        at(length + 4.0, 0.0),
        at(neck, -HALF_HEAD),
        at(neck, -HALF_SHAFT),
        at(14.0, -HALF_SHAFT),
    ];
    format!("M{}z", points.join("L"))
}
