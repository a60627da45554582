//! From nothing to a network that plays: a minute's work, the same in every run.

use engine::network::{NetworkError, Origin};
use engine::selfplay::{Effort, Terms, duel, many, play};
use engine::values::{Values, estimate};
use engine::{Engine, Options};
use husun::Variant;
use husun_training::data::GameRecords;
use husun_training::plot;
use husun_training::train::{Collection, Epoch, Settings, TrainError, Trained, run};
use std::error::Error;
use std::ops::ControlFlow;
use std::sync::Arc;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const TINY: Settings = Settings {
    hidden: 16,
    epochs: 10,
    judged_epochs: 0,
    batch: 256,
    rate: 0.004,
    result: 0.5,
    ahead: 0.8,
    scale: None,
    seed: 1,
    threads: 2,
};

fn options() -> Options {
    Options {
        hash: 1,
        ..Options::default()
    }
}

/// Positions of so many games of self-play.
fn positions(game: &Arc<Variant>, games: u64, nodes: u64) -> Result<Collection> {
    let mut engine = Engine::new(game.clone(), options());
    play_for(Collection::new(game), &mut engine, games, nodes)
}

/// Adds the positions of so many games that an engine plays against itself.
fn play_for(
    mut all: Collection,
    engine: &mut Engine,
    games: u64,
    nodes: u64,
) -> Result<Collection> {
    let terms = Terms {
        effort: Effort::About(nodes),
        opening: 6,
    };
    for number in 0..games {
        all.add(&GameRecords::of(number, &play(engine, terms, number)))?;
    }
    Ok(all)
}

fn trained(game: &Variant, all: &Collection, settings: Settings) -> Result<Trained> {
    let origin = Origin {
        game: game.id().into(),
        ..Origin::default()
    };
    let all_epochs = settings.judged_epochs + settings.epochs;
    let mut told = 0;
    let trained = run(game, all, settings, origin, &mut |epoch| {
        told += 1;
        assert_eq!(epoch.number, told);
        ControlFlow::Continue(())
    })?;
    assert_eq!((told, trained.epochs.len()), (all_epochs, all_epochs + 1));
    Ok(trained)
}

/// Learns shatranj from some twenty thousand positions: its error on games that it has not seen is less than half of what
/// it was, and it plays.
#[test]
fn a_tiny_network_learns_and_plays() -> Result<()> {
    let game = games::variant("shatranj").ok_or("no such game")?;
    let all = positions(&game, 200, 60)?;
    let trained = trained(&game, &all, TINY)?;
    let first = trained.epochs[0].held_out;
    let errors = trained.epochs.iter().map(|e| e.held_out);
    let last = errors.fold(first, f64::min);
    println!("{:?} positions, {first:.5}, {last:.5}", all.positions());
    assert!(last < 0.5 * first, "{first} {last}");
    let network = Some(Arc::new(trained.network));
    let mut ours = Engine::with_network(game.clone(), estimate(&game), network, options());
    let mut theirs = Engine::new(game.clone(), options());
    let terms = Terms {
        effort: Effort::Exactly(100),
        opening: 6,
    };
    let mut results = Vec::new();
    for _ in 0..2 {
        results.push(duel([&mut ours, &mut theirs], terms, 1000));
    }
    assert_eq!(results[0], results[1]);
    Ok(())
}

/// What pieces are worth, and nothing else.
fn material(game: &Arc<Variant>) -> Result<Values> {
    let text = estimate(game).to_text();
    let (terms, rest) = text.split_once("\n\n").ok_or("one table")?;
    let zero = |line: &str| match line.split_once(" = ") {
        Some((key, value)) if value.starts_with('[') => format!("{key} = [0, 0]\n"),
        Some((key, _)) => format!("{key} = 0\n"),
        None => format!("{line}\n"),
    };
    let terms: String = terms.lines().map(zero).collect();
    Ok(Values::parse(game, &format!("{terms}\n{rest}"))?)
}

/// Added to what counting material says, a network learns from games of a better engine half of what that misses.
#[test]
fn a_network_learns_what_the_values_miss() -> Result<()> {
    let game = games::variant("chess").ok_or("no such game")?;
    let values = material(&game)?;
    let counter = Engine::with_values(game.clone(), values.clone(), options());
    let start = counter.evaluate(&game.start());
    assert_eq!(start.ok_or("not judged")?.total, 0);
    let mut teacher = Engine::new(game.clone(), options());
    let all = play_for(Collection::correcting(counter), &mut teacher, 600, 60)?;
    let settings = Settings {
        batch: 512,
        rate: 0.002,
        result: 0.0,
        ..TINY
    };
    let trained = trained(&game, &all, settings)?;
    let first = trained.epochs[0].held_out;
    let errors = trained.epochs.iter().map(|e| e.held_out);
    let last = errors.fold(first, f64::min);
    assert!(last < 0.6 * first, "{first} {last}");
    // It is the same when the engine asks it: nearer to what the teacher thinks.
    let network = Some(Arc::new(trained.network));
    let both = Engine::with_network(game.clone(), values.clone(), network, options());
    let counter = Engine::with_values(game.clone(), values, options());
    let terms = Terms {
        effort: Effort::About(60),
        opening: 6,
    };
    let mut off = [0.0, 0.0];
    for number in 20_000..20_020 {
        for seen in play(&mut teacher, terms, number).seen {
            let position = &seen.position;
            let thought = teacher.evaluate(position).ok_or("not judged")?.total;
            for (off, engine) in off.iter_mut().zip([&counter, &both]) {
                let said = engine.evaluate(position).ok_or("not judged")?.total;
                *off += f64::from((said - thought).clamp(-500, 500)).powi(2);
            }
        }
    }
    assert!(off[1] < 0.7 * off[0], "{off:?}");
    Ok(())
}

/// A minute's work from nothing: a network that judges alone beats counting material, though it has only seen positions of
/// fast games. They begin with many random moves, so that it knows what a search may meet.
#[test]
fn a_tiny_network_beats_counting_material() -> Result<()> {
    let game = games::variant("chess").ok_or("no such game")?;
    let terms = Terms {
        effort: Effort::About(60),
        opening: 20,
    };
    let make = || Engine::new(game.clone(), options());
    let one = |engine: &mut Engine, number| GameRecords::of(number, &play(engine, terms, number));
    let mut records = Vec::new();
    many(2, 0..5000, make, one, &mut |_, game| {
        records.push(game);
        ControlFlow::Continue(())
    });
    records.sort_by_key(|game| game.number);
    let mut all = Collection::new(&game);
    for game in &records {
        all.add(game)?;
    }
    let settings = Settings {
        batch: 512,
        rate: 0.003,
        ..TINY
    };
    let network = trained(&game, &all, settings)?.network;
    let mut ours = Engine::with_network(
        game.clone(),
        estimate(&game),
        Some(Arc::new(network)),
        options(),
    );
    let mut counter = Engine::with_values(game.clone(), material(&game)?, options());
    let terms = Terms {
        effort: Effort::Exactly(200),
        opening: 6,
    };
    let (games, mut points) = (200, 0.0);
    for seed in 0..games / 2 {
        points += duel([&mut ours, &mut counter], terms, seed);
        points += 1.0 - duel([&mut counter, &mut ours], terms, seed);
    }
    println!(
        "{points} of {games} points, {:?} positions",
        all.positions()
    );
    assert!(points > 0.53 * games as f64, "{points} of {games} points");
    Ok(())
}

/// What the values know is learned from themselves sooner than from games: with as many games, a network that has imitated
/// them first comes nearer to what they say, and wins.
#[test]
fn a_network_that_imitates_first_wins() -> Result<()> {
    let game = games::variant("chess").ok_or("no such game")?;
    let terms = Terms {
        effort: Effort::About(30),
        opening: 12,
    };
    let make = || Engine::new(game.clone(), options());
    let one = |engine: &mut Engine, number| GameRecords::of(number, &play(engine, terms, number));
    let mut records = Vec::new();
    many(2, 0..1000, make, one, &mut |_, game| {
        records.push(game);
        ControlFlow::Continue(())
    });
    records.sort_by_key(|game| game.number);
    let mut engines = Vec::new();
    for each in [0, 4] {
        let mut all = Collection::imitating(&game, make, 2, each);
        for game in &records {
            all.add(game)?;
        }
        let [learn, _] = all.positions();
        assert!(all.judged() <= each * learn && all.judged() >= each * learn * 3 / 4);
        let settings = Settings {
            judged_epochs: each,
            batch: 512,
            ..TINY
        };
        let network = Some(Arc::new(trained(&game, &all, settings)?.network));
        let estimated = estimate(&game);
        engines.push(Engine::with_network(
            game.clone(),
            estimated,
            network,
            options(),
        ));
    }
    let [plain, imitating] = &mut engines[..] else {
        return Err("two engines".into());
    };
    let terms = Terms {
        effort: Effort::Exactly(100),
        opening: 6,
    };
    let (games, mut points) = (200, 0.0);
    for seed in 0..games / 2 {
        points += duel([imitating, plain], terms, seed);
        points += 1.0 - duel([plain, imitating], terms, seed);
    }
    println!("{points} of {games} points");
    assert!(points > 0.55 * games as f64, "{points} of {games} points");
    Ok(())
}

/// The network and the errors on the way, which tell of every pass even where none makes it better.
#[test]
fn the_number_of_threads_changes_nothing() -> Result<()> {
    let game = games::variant("citadel8").ok_or("no such game")?;
    let all = positions(&game, 21, 40)?;
    let done = |all: &Collection, settings| -> Result<(Vec<u8>, Vec<Epoch>)> {
        let trained = trained(&game, all, settings)?;
        Ok((trained.network.to_bytes(&game)?, trained.epochs))
    };
    let few = Settings { epochs: 2, ..TINY };
    let expected = done(&all, few)?;
    for threads in [1, 3, 100] {
        assert!(
            done(&all, Settings { threads, ..few })? == expected,
            "{threads}"
        );
    }
    assert!(done(&all, Settings { seed: 2, ..few })? != expected);
    let imitating = |threads| {
        let make = || Engine::new(game.clone(), options());
        let none = Collection::imitating(&game, make, threads, 3);
        let all = play_for(none, &mut make(), 21, 40)?;
        let settings = Settings {
            judged_epochs: 2,
            ..few
        };
        done(&all, settings)
    };
    let once = imitating(1)?;
    assert!(once == imitating(3)? && once != expected);
    Ok(())
}

/// Where results have nothing to do with scores, the scale stays one at which half a pawn is something; and it is known how many games
/// were drawn.
#[test]
fn results_that_tell_nothing_do_not_stretch_the_scale() -> Result<()> {
    let game = games::variant("chess").ok_or("no such game")?;
    let mut engine = Engine::new(game.clone(), options());
    let terms = Terms {
        effort: Effort::About(30),
        opening: 12,
    };
    let mut all = Collection::new(&game);
    for number in 0..80 {
        let mut played = GameRecords::of(number, &play(&mut engine, terms, number));
        played.result = [0, 1, 1, 2][number as usize % 4];
        all.add(&played)?;
    }
    assert!((all.decided() - 0.5).abs() < 1e-9);
    let few = Settings { epochs: 1, ..TINY };
    for (scale, expected) in [(None, 400.0), (Some(200.0), 200.0)] {
        let found = trained(&game, &all, Settings { scale, ..few })?.scale;
        assert!((found - expected).abs() < 1e-3, "{found}");
    }
    Ok(())
}

#[test]
fn what_cannot_be_trained_is_refused() -> Result<()> {
    let game = games::variant("chess").ok_or("no such game")?;
    let ready = |all: &Collection, settings| {
        let done = run(&game, all, settings, Origin::default(), &mut |_| {
            ControlFlow::Break(())
        });
        done.map(|_| ())
    };
    let none = Collection::new(&game);
    let error = TrainError::TooFew { learn: 0, check: 0 };
    assert_eq!(ready(&none, TINY), Err(error));
    let some = positions(&game, 2, 20)?;
    assert_eq!(ready(&some, TINY), Err(TrainError::BrokenOff));
    let odd = Settings { hidden: 20, ..TINY };
    let error = NetworkError::Hidden { found: 20 };
    assert_eq!(ready(&some, odd), Err(error.into()));
    let large = games::variant("citadelir2020").ok_or("no such game")?;
    let wide = Settings {
        hidden: 256,
        ..TINY
    };
    let some = positions(&large, 2, 20)?;
    let found = run(&large, &some, wide, Origin::default(), &mut |_| {
        ControlFlow::Break(())
    });
    let long = matches!(found, Err(TrainError::Network(NetworkError::Long { .. })));
    assert!(long, "a network of more than a mebibyte");
    Ok(())
}

#[test]
fn the_plot_has_both_curves() {
    let epoch = |number: usize, error: f64| Epoch {
        number,
        learned: (number > 0).then_some(error),
        held_out: error + 0.01,
        rate: 0.001,
    };
    let epochs = [
        epoch(0, 0.2),
        epoch(1, 0.09),
        epoch(2, 0.07),
        epoch(3, 0.06),
    ];
    let svg = plot::svg("a < b & c", &epochs);
    assert!(
        svg.starts_with("<svg ") && svg.ends_with("</svg>\n"),
        "{svg}"
    );
    assert!(svg.contains("a &lt; b &amp; c"), "{svg}");
    let curves: Vec<&str> = svg.lines().filter(|l| l.starts_with("<polyline")).collect();
    assert_eq!(curves.len(), 2);
    for curve in curves {
        let points = curve.split('"').nth(1).unwrap_or_default();
        assert_eq!(points.split(' ').count(), 3, "{curve}");
    }
    // One epoch, or none, is drawn, too.
    for some in [&epochs[..1], &epochs[..2]] {
        let svg = plot::svg("few", some);
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}
