//! The values of pieces: derived from their moves, compared with those an inventor printed, and the files of
//! tuned values.

use husun_engine::values;
use std::error::Error;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The values printed on the inventor's page of the 2020 forms.
const PRINTED: [(&str, f64); 16] = [
    ("P", 1.0),
    ("L", 1.5),
    ("M", 2.5),
    ("V", 3.0),
    ("E", 3.0),
    ("N", 3.0),
    ("C", 3.5),
    ("S", 4.0),
    ("B", 4.0),
    ("H", 4.0),
    ("R", 5.5),
    ("I", 6.0),
    ("A", 7.5),
    ("D", 7.5),
    ("O", 9.5),
    ("Q", 11.0),
];

#[test]
fn estimates_agree_with_the_printed_values() -> Result<()> {
    let game = games::variant("citadelir2020").ok_or("no such game")?;
    let values = values::estimate(&game);
    let pairs: Vec<(f64, f64)> = PRINTED
        .iter()
        .map(|(letter, printed)| (f64::from(values.pieces[*letter].mg) / 100.0, *printed))
        .collect();
    for ((letter, _), (ours, printed)) in PRINTED.iter().zip(&pairs) {
        println!("{letter} {ours:.2} printed {printed}");
    }
    let n = pairs.len() as f64;
    let mean = |f: fn(&(f64, f64)) -> f64| pairs.iter().map(f).sum::<f64>() / n;
    let (a, b) = (mean(|p| p.0), mean(|p| p.1));
    let sum =
        |f: &dyn Fn(f64, f64) -> f64| -> f64 { pairs.iter().map(|p| f(p.0 - a, p.1 - b)).sum() };
    let correlation = sum(&|x, y| x * y) / (sum(&|x, _| x * x) * sum(&|_, y| y * y)).sqrt();
    println!("correlation {correlation:.3}");
    assert!(correlation > 0.9, "{correlation}");
    Ok(())
}

#[test]
fn tuned_values_fit_their_games() -> Result<()> {
    let mut tuned = 0;
    for id in games::ids() {
        let game = games::variant(id).ok_or("no such game")?;
        if let Some(text) = games::values(id) {
            values::Values::parse(&game, text).map_err(|e| format!("{id}: {e}"))?;
            tuned += 1;
        }
    }
    assert!(tuned > 0);
    Ok(())
}

/// What a game takes over from one whose piece it changes fits it, and the piece has its estimate.
#[test]
fn inherited_values_fit() -> Result<()> {
    let folder = std::env::temp_dir().join(format!("husun-heirs-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let file = folder.join("heir.toml");
    let catalogue = games::Catalogue::default();
    for game in games::ids().filter_map(games::variant) {
        let (id, piece) = (
            game.id(),
            game.pieces().iter().find(|p| !p.royal && !p.pawn),
        );
        let letter = piece.ok_or("no piece")?.letter.to_string();
        let head = format!("id = \"heir\"\ninherits = \"{id}\"\n");
        let piece = format!("[[pieces]]\nletter = \"{letter}\"\nbetza = \"WAD\"\n");
        std::fs::write(&file, head + &piece)?;
        let heir = catalogue.read(&file).map_err(|e| format!("{id}: {e}"))?;
        let text = heir.values().ok_or("no values")?;
        let values = values::Values::parse(heir.variant(), text)
            .map_err(|e| format!("{id} with another {letter}: {e}"))?;
        let estimates = values::estimate(heir.variant());
        assert_eq!(values.pieces.get(&letter), estimates.pieces.get(&letter));
        assert_ne!(values.pieces, estimates.pieces, "{id}");
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

#[test]
fn values_that_do_not_fit_are_refused() -> Result<()> {
    let chess = games::variant("chess").ok_or("no such game")?;
    for (text, told) in [
        (
            "[terms]\nweak = 2000000000",
            "terms.weak: 2000000000 is out of bounds: expected -5000 to 5000",
        ),
        (
            "[weights.X]\nattack = 90",
            "weights.X: no such piece here: expected one of B, N, Q, R",
        ),
        (
            "[weights.P]\nattack = 90",
            "weights.P: no such piece here: expected one of B, N, Q, R",
        ),
        (
            "[weights.Q]\nattack = 9000",
            "weights.Q.attack: 9000 is out of bounds: expected -5000 to 5000",
        ),
        (
            "[passed]\nranks = [[0, 0]]\nfiles = [[0, 0], [0, 0], [0, 0], [0, 0]]",
            "passed.ranks: 1 entries: expected 8",
        ),
        (
            "[places.N]\nranks = []\nfiles = []",
            "places.N.ranks: 0 entries: expected 8",
        ),
        (
            "[pieces]\nZ = [1, 1]",
            "pieces.Z: no such piece here: expected one of B, K, N, P, Q, R",
        ),
    ] {
        let refused = values::Values::parse(&chess, text);
        assert_eq!(
            refused.map_err(|e| e.to_string()),
            Err(told.into()),
            "{text}"
        );
    }
    let known = "[weights.Q]\nmobility = [90, 110]\nattack = 120\n";
    let values = values::Values::parse(&chess, known)?;
    assert_eq!(values.weights["Q"].attack, 120);
    assert_eq!(values.weights["R"], values::Weights::default());
    assert_eq!(values::Values::parse(&chess, &values.to_text())?, values);
    Ok(())
}
