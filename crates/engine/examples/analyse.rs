//! `analyse GAME LIMIT [FEN]`: what the engine finds in a position, line by line. LIMIT is `d` and a
//! depth, a time as `500ms`, `m` and the moves of a mate, or a number of nodes.

use engine::{Engine, Limits, Options};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [id, limit, fen @ ..] = &args[..] else {
        return Err("usage: analyse GAME LIMIT [FEN]".into());
    };
    let game = games::variant(id).ok_or("no such game")?;
    let position = match fen {
        [] => game.start(),
        words => game.position(&words.join(" "))?,
    };
    let mate = limit.strip_prefix('m').map(str::parse).transpose()?;
    let limits = match (limit.strip_suffix("ms"), limit.strip_prefix('d')) {
        _ if mate.is_some() => Limits {
            mate,
            ..Limits::default()
        },
        (Some(ms), _) => Limits::movetime(Duration::from_millis(ms.parse()?)),
        (_, Some(depth)) => Limits::depth(depth.parse()?),
        _ => Limits::nodes(limit.parse()?),
    };
    let mut engine = Engine::new(game, Options::default());
    println!("{:?}", engine.evaluate(&position));
    let stop = AtomicBool::new(false);
    engine.search(&position, &[], &limits, &stop, &mut |info| {
        let mut line = String::new();
        let mut at = position.clone();
        for &m in &info.pv {
            line += &format!(" {}", at.uci(m));
            at = at.play(m);
        }
        let speed = info.nodes as f64 / info.time.as_secs_f64() / 1000.0;
        println!(
            "depth {}/{} {} nodes {} {:.0} k/s{line}",
            info.depth, info.seldepth, info.score, info.nodes, speed
        );
    });
    Ok(())
}
