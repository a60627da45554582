//! The engine's UCI output as text.

use crate::board::line_text;
use crate::settings::{EMPTY, Shape};
use engine::Info;
use husun::{Position, Variant};
use std::sync::Arc;

/// Announces an option.
///
/// ```
/// use husun_protocol::settings::Shape;
/// let shape = Shape::Spin { value: 16, min: 1, max: 512 };
/// let line = husun_protocol::uci::option("Hash", &shape);
/// assert_eq!(line, "option name Hash type spin default 16 min 1 max 512");
/// ```
pub fn option(name: &str, shape: &Shape) -> String {
    let what = match shape {
        Shape::Check(value) => format!("check default {value}"),
        Shape::Spin { value, min, max } => format!("spin default {value} min {min} max {max}"),
        Shape::Combo { value, choices } => {
            let all: String = choices.iter().map(|c| format!(" var {c}")).collect();
            format!("combo default {value}{all}")
        }
        Shape::Button => "button".into(),
        Shape::Text | Shape::Folder => format!("string default {EMPTY}"),
    };
    format!("option name {name} type {what}")
}

/// Describes a game in the form that programs for variants read.
///
/// ```
/// let line = husun_protocol::uci::variant(&games::variant("shatranj").unwrap());
/// assert_eq!(
///     line,
///     "info string variant shatranj files 8 ranks 8 pocket 0 template fairy \
///      startpos rnbkqbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR w - - 0 1"
/// );
/// ```
pub fn variant(variant: &Arc<Variant>) -> String {
    let frame = variant.frame();
    format!(
        "info string variant {} files {} ranks {} pocket 0 template fairy startpos {}",
        variant.id(),
        frame.files(),
        frame.ranks(),
        variant.start().fen()
    )
}

/// A line of thinking about a position.
pub fn info(info: &Info, position: &Position, wdl: bool) -> String {
    let millis = info.time.as_millis() as u64;
    let speed = info.nodes as f64 / info.time.as_secs_f64().max(1e-6);
    let mut text = format!(
        "info depth {} seldepth {} multipv {} score {}",
        info.depth, info.seldepth, info.line, info.score
    );
    if wdl {
        let chances = info.wdl;
        text += &format!(" wdl {} {} {}", chances.win, chances.draw, chances.loss);
    }
    text += &format!(
        " nodes {} nps {} hashfull {} tbhits {} time {millis}",
        info.nodes, speed as u64, info.hashfull, info.table_hits
    );
    if !info.pv.is_empty() {
        text += " pv ";
        text += &line_text(position, &info.pv);
    }
    text
}
