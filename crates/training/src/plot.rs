//! A plot of the errors by epoch, as SVG.

use crate::train::Epoch;
use std::fmt::Write;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 360.0;
/// Room for the numbers.
const LEFT: f64 = 70.0;
const EDGE: f64 = 36.0;
/// Lines across.
const LINES: usize = 5;

/// The plot; both curves are named in it.
pub fn svg(title: &str, epochs: &[Epoch]) -> String {
    let learned = epochs.iter().filter_map(|e| Some((e.number, e.learned?)));
    // The state before training would flatten all the rest.
    let held_out = epochs.iter().filter(|e| e.number > 0);
    let held_out = held_out.map(|e| (e.number, e.held_out));
    let all = learned
        .clone()
        .chain(held_out.clone())
        .map(|(_, error)| error);
    let low = all.clone().fold(f64::INFINITY, f64::min);
    let high = all.fold(f64::NEG_INFINITY, f64::max);
    let (low, high) = match high > low {
        true => (low, high),
        false => (0.0, 1.0),
    };
    let last = epochs.iter().map(|e| e.number).max().unwrap_or(1).max(2);
    let x =
        |epoch: usize| LEFT + (epoch.max(1) - 1) as f64 / (last - 1) as f64 * (WIDTH - LEFT - EDGE);
    let y = |error: f64| EDGE + (high - error) / (high - low) * (HEIGHT - 2.0 * EDGE);
    let line = |points: &mut dyn Iterator<Item = (usize, f64)>| {
        let points = points.map(|(epoch, error)| format!("{:.1},{:.1}", x(epoch), y(error)));
        points.collect::<Vec<_>>().join(" ")
    };
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
         <text x=\"{LEFT}\" y=\"20\" font-size=\"14\">{}</text>\n",
        escaped(title)
    );
    for i in 0..=LINES {
        let error = low + (high - low) * i as f64 / LINES as f64;
        let (at, right) = (y(error), WIDTH - EDGE);
        // Writing to a text cannot fail.
        let _ = writeln!(
            svg,
            "<path d=\"M{LEFT} {at:.1}H{right}\" stroke=\"#ccc\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{error:.5}</text>",
            LEFT - 6.0,
            at + 4.0,
        );
    }
    for (name, colour, at, points) in [
        ("learned from", "#1565c0", 0.0, line(&mut { learned })),
        ("held out", "#c62828", 110.0, line(&mut { held_out })),
    ] {
        let _ = writeln!(
            svg,
            "<polyline points=\"{points}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" fill=\"{colour}\">{name}</text>",
            LEFT + at,
            HEIGHT - 10.0,
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">epochs 1 to {last}</text>\n</svg>",
        WIDTH - EDGE,
        HEIGHT - 10.0
    );
    svg
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}
