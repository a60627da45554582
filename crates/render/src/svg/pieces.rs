//! Pieces as SVG: images painted in the side's colours, or letters in shapes. Each piece is defined once and used
//! wherever it stands.

use super::Ids;
use crate::glyph::{Anchor, Lettering, number};
use crate::images::{self, Image};
use crate::picture::{Occupant, Picture};
use crate::style::PieceSet;
use husun::variant::SideLooks;
use husun::{Kind, Side, Variant};

/// Width of a piece's outline.
const OUTLINE: f64 = 2.5;
/// How much of the square an image takes, in hundredths.
const IMAGE_PERCENT: f64 = 96.0;

/// Definitions of everything on the board, in a box of 100 by 100.
pub(super) fn definitions(picture: &Picture, set: PieceSet, ids: &Ids) -> String {
    let variant = &picture.variant;
    let stands = |o: Occupant| picture.occupants.contains(&Some(o));
    let mut svg = String::new();
    for side in Side::ALL {
        let looks = &variant.looks()[side.index()];
        let of_side = |o: &Occupant| match *o {
            Occupant::Piece(own, _) | Occupant::Blocker(own) => own == side,
        };
        if looks.stripes && picture.occupants.iter().flatten().any(of_side) {
            svg.push_str(&stripes(looks, &ids.stripes(side)));
        }
        if let Some(accent) = &looks.accent {
            svg.push_str(&band(accent, &ids.accent(side)));
        }
        let royals = picture.royals(side);
        for kind in variant
            .kinds()
            .filter(|k| stands(Occupant::Piece(side, *k)))
        {
            let drawing = drawing(variant, side, kind, royals, set, ids);
            let id = ids.piece(side, kind);
            svg.push_str(&format!("<g id=\"{id}\">{drawing}</g>\n"));
        }
        if stands(Occupant::Blocker(side)) {
            let id = ids.blocker(side);
            svg.push_str(&format!("<g id=\"{id}\">{}</g>\n", disc(looks)));
        }
    }
    svg
}

/// Everything on the board, in its place.
pub(super) fn uses(picture: &Picture, ids: &Ids) -> String {
    let mut svg = String::new();
    for square in picture.variant.frame().squares() {
        let (Some(occupant), Some((column, row))) =
            (picture.occupant(square), picture.place(square))
        else {
            continue;
        };
        let id = match occupant {
            Occupant::Piece(side, kind) => ids.piece(side, kind),
            Occupant::Blocker(side) => ids.blocker(side),
        };
        let (x, y) = (u32::from(column) * 100, u32::from(row) * 100);
        svg.push_str(&format!(
            "<use xlink:href=\"#{id}\" x=\"{x}\" y=\"{y}\"/>\n"
        ));
    }
    svg
}

/// A piece with the definitions it needs, scaled to a size in pixels.
pub(super) fn alone(
    variant: &Variant,
    side: Side,
    kind: Kind,
    royals: usize,
    set: PieceSet,
    ids: &Ids,
    pixels: u32,
) -> String {
    if kind.index() >= variant.pieces().len() {
        return String::new();
    }
    let looks = &variant.looks()[side.index()];
    let mut defined = String::new();
    if looks.stripes {
        defined += &stripes(looks, &ids.stripes(side));
    }
    if let Some(accent) = &looks.accent {
        defined += &band(accent, &ids.accent(side));
    }
    let mut svg = match defined.is_empty() {
        true => defined,
        false => format!("<defs>\n{defined}</defs>\n"),
    };
    svg.push_str(&format!(
        "<g transform=\"scale({})\">{}</g>\n",
        number(f64::from(pixels) / 100.0),
        drawing(variant, side, kind, royals, set, ids),
    ));
    svg
}

fn drawing(
    variant: &Variant,
    side: Side,
    kind: Kind,
    royals: usize,
    set: PieceSet,
    ids: &Ids,
) -> String {
    let looks = &variant.looks()[side.index()];
    let fill = match looks.stripes {
        true => format!("url(#{})", ids.stripes(side)),
        false => looks.fill.clone(),
    };
    let accent = ids.accent(side);
    match images::of(variant, kind, royals).filter(|_| set == PieceSet::Themed) {
        Some(image) => painted(&image, looks, &fill, &accent),
        None => lettered(variant, side, kind, &fill),
    }
}

fn painted(image: &Image<'_>, looks: &SideLooks, fill: &str, accent: &str) -> String {
    let detail = &looks.detail;
    let margin = (100.0 - IMAGE_PERCENT) / 2.0;
    let band = match looks.accent {
        Some(_) => format!("<path fill=\"url(#{accent})\" d=\"{}\"/>", image.body),
        None => String::new(),
    };
    format!(
        "<g transform=\"translate({} {}) scale({})\">\
         <path fill=\"{fill}\" stroke=\"{detail}\" stroke-width=\"{}\" stroke-linejoin=\"round\" \
         d=\"{}\"/>{band}<path fill=\"{detail}\" d=\"{}\"/></g>",
        number(margin),
        number(margin),
        number(IMAGE_PERCENT / 100.0),
        number(OUTLINE),
        image.body,
        image.detail,
    )
}

/// The letter in a disc for White, in a square for Black; pawn-type pieces are smaller, royal ones have
/// a second rim.
fn lettered(variant: &Variant, side: Side, kind: Kind, fill: &str) -> String {
    let piece = variant.piece(kind);
    let looks = &variant.looks()[side.index()];
    let detail = &looks.detail;
    let size = if piece.pawn { 0.76 } else { 1.0 };
    let stroked = |fill: &str, width: f64| {
        let width = number(width);
        format!("fill=\"{fill}\" stroke=\"{detail}\" stroke-width=\"{width}\"")
    };
    let mut svg = shape(side, 41.0 * size, &stroked(fill, 3.5));
    if looks.stripes {
        // A plain background, on which the letter is readable.
        let ground = format!("fill=\"{}\"", looks.fill);
        svg.push_str(&shape(side, 31.0 * size, &ground));
    }
    if piece.royal {
        svg.push_str(&shape(side, 34.0, &stroked("none", 2.5)));
    }
    let line = Lettering {
        color: detail,
        height: if piece.royal { 36.0 } else { 42.0 } * size,
        weight: 12.0,
        anchor: Anchor::Middle,
    };
    svg.push_str(line.svg(50.0, 50.0, &piece.letter.to_string()).trim_end());
    svg
}

fn shape(side: Side, radius: f64, attributes: &str) -> String {
    match side {
        Side::White => format!(
            "<circle cx=\"50\" cy=\"50\" r=\"{}\" {attributes}/>",
            number(radius)
        ),
        Side::Black => {
            // Visually as large as the disc.
            let half = radius * 0.91;
            format!(
                "<rect x=\"{0}\" y=\"{0}\" width=\"{1}\" height=\"{1}\" rx=\"{2}\" {attributes}/>",
                number(50.0 - half),
                number(half * 2.0),
                number(half * 0.3),
            )
        }
    }
}

/// Diagonal stripes of the side's colour and a lighter one.
fn stripes(looks: &SideLooks, id: &str) -> String {
    let fill = crate::Rgb::parse(&looks.fill).unwrap_or(crate::Rgb::WHITE);
    let light = fill.mix(crate::Rgb::WHITE, 58);
    format!(
        "<pattern id=\"{id}\" width=\"13\" height=\"13\" patternUnits=\"userSpaceOnUse\" \
         patternTransform=\"rotate(45)\"><rect width=\"13\" height=\"13\" fill=\"{fill}\"/>\
         <rect width=\"6\" height=\"13\" fill=\"{light}\"/></pattern>\n"
    )
}

/// A band of the side's third colour across the foot of a piece.
fn band(accent: &str, id: &str) -> String {
    let stop = |offset: &str, opacity: u8| {
        format!("<stop offset=\"{offset}\" stop-color=\"{accent}\" stop-opacity=\"{opacity}\"/>")
    };
    let stops = [
        stop("0.76", 0),
        stop("0.76", 1),
        stop("0.9", 1),
        stop("0.9", 0),
    ]
    .concat();
    format!(
        "<linearGradient id=\"{id}\" x1=\"0\" y1=\"0\" x2=\"0\" y2=\"1\">{stops}</linearGradient>\n"
    )
}

fn disc(looks: &SideLooks) -> String {
    format!(
        "<circle cx=\"50\" cy=\"50\" r=\"27\" fill=\"{0}\" stroke=\"{1}\" stroke-width=\"3\"/>\
         <circle cx=\"50\" cy=\"50\" r=\"17\" fill=\"none\" stroke=\"{1}\" stroke-width=\"2.5\"/>",
        looks.fill, looks.detail
    )
}
