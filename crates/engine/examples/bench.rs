//! `bench [DEPTH] [GAME..]`: nodes and speed of the engine over the built-in games.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let depth = args.next().map_or(Ok(engine::BENCH_DEPTH), |d| d.parse())?;
    let mut ids: Vec<String> = args.collect();
    if ids.is_empty() {
        ids = games::ids().map(String::from).collect();
    }
    let games: Vec<_> = ids.iter().filter_map(|id| games::variant(id)).collect();
    let speed = |b: engine::Bench| b.nodes as f64 / b.time.as_secs_f64() / 1000.0;
    let all = engine::bench(&games, depth, &mut |game, b| {
        println!("{:22} {:>10} nodes {:>8.0} k/s", game.id, b.nodes, speed(b));
    });
    println!(
        "{:22} {:>10} nodes {:>8.0} k/s",
        "all",
        all.nodes,
        speed(all)
    );
    Ok(())
}
