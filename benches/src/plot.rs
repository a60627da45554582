//! Horizontal bars as SVG.

use std::fmt::Write;

/// A bar.
pub struct Bar {
    /// What it stands for.
    pub label: String,
    /// Its length, in the unit of the title.
    pub value: f64,
    /// Number of its colour.
    pub color: usize,
}

const COLORS: [&str; 7] = [
    "#2f6f9f", "#c8702a", "#7a8f3c", "#8a5a9e", "#5d5d5d", "#3f9f95", "#b0a030",
];
const ROW: f64 = 18.0;
const WIDTH: f64 = 520.0;

/// A picture with a title and a legend of the colours.
pub fn bars(title: &str, legend: &[&str], bars: &[Bar]) -> String {
    let longest = bars.iter().map(|b| b.value).fold(1.0, f64::max);
    let letters = bars.iter().map(|b| b.label.len()).max().unwrap_or(0);
    let left = f64::max(250.0, 6.2 * letters as f64 + 16.0);
    let width = left + WIDTH + 70.0;
    // Where the names of the legend begin, in as many rows as they need.
    let (mut x, mut row) = (10.0, 0.0);
    let mut places = Vec::new();
    for name in legend {
        let needed = 40.0 + 7.5 * name.len() as f64;
        if x + needed > width && x > 10.0 {
            (x, row) = (10.0, row + ROW);
        }
        places.push((name, x, 32.0 + row));
        x += needed;
    }
    let top = 56.0 + row;
    let height = top + 14.0 + ROW * bars.len() as f64;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n\
         <text x=\"10\" y=\"20\" font-size=\"14\">{title}</text>\n"
    );
    for ((name, x, y), color) in places.into_iter().zip(COLORS) {
        let _ = writeln!(
            svg,
            "<rect x=\"{x}\" y=\"{y}\" width=\"12\" height=\"12\" fill=\"{color}\"/>\
             <text x=\"{}\" y=\"{}\">{name}</text>",
            x + 16.0,
            y + 10.0
        );
    }
    for (i, bar) in bars.iter().enumerate() {
        let y = top + ROW * i as f64;
        let length = WIDTH * bar.value / longest;
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\
             <rect x=\"{left}\" y=\"{y}\" width=\"{length:.1}\" height=\"{}\" fill=\"{}\"/>\
             <text x=\"{:.1}\" y=\"{}\">{:.0}</text>",
            left - 6.0,
            y + 11.0,
            bar.label,
            ROW - 4.0,
            COLORS[bar.color % COLORS.len()],
            left + length + 4.0,
            y + 11.0,
            bar.value
        );
    }
    svg.push_str("</svg>\n");
    svg
}
