//! The results of a match, for people and as JSON, and its games as PGN.

use super::play::{Misdeed, Played};
use super::state::{State, Which};
use super::stats::{Sprt, Verdict};
use husun::pgn::Comment;
use husun::record::Record;
use serde_json::{Value, json};
use std::fmt::Write;

/// What a report is about.
pub struct Subject<'a> {
    pub game: &'a str,
    pub names: [&'a str; 2],
    pub control: String,
    pub sprt: Option<Sprt>,
}

const VERDICTS: [(Verdict, &str); 3] = [
    (Verdict::Higher, "the higher hypothesis is accepted"),
    (Verdict::Lower, "the lower hypothesis is accepted"),
    (Verdict::Open, "not decided yet"),
];

fn verdict_text(verdict: Verdict) -> &'static str {
    let mut all = VERDICTS.iter();
    all.find(|(v, _)| *v == verdict)
        .map_or("", |(_, text)| text)
}

const SIDES: [Which; 2] = [Which::First, Which::Second];

/// The report for people.
pub fn text(state: &State, subject: &Subject) -> String {
    let tally = state.tally();
    let [first, second] = subject.names;
    let mut text = format!(
        "{}: {first} against {second}, {}, {} games\n",
        subject.game,
        subject.control,
        tally.games()
    );
    let (mid, low, high) = tally.elo();
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "{first}: {} won, {} drawn, {} lost: {:.1}%",
        tally.wins,
        tally.draws,
        tally.losses,
        100.0 * tally.score()
    );
    let _ = writeln!(
        text,
        "Elo difference {mid:+.1}, with 95% between {low:+.1} and {high:+.1}; \
         stronger with {:.1}%",
        100.0 * tally.superiority()
    );
    let _ = writeln!(text, "pairs by half-points 0 to 4: {:?}", tally.pairs);
    if let Some(sprt) = &subject.sprt {
        let (lower, upper) = sprt.bounds();
        let _ = writeln!(
            text,
            "SPRT {} against {} Elo: ratio {:.2} ({lower:.2} to {upper:.2}): {}",
            sprt.low,
            sprt.high,
            tally.ratio(sprt),
            verdict_text(sprt.verdict(&tally))
        );
    }
    for (which, name) in SIDES.into_iter().zip(subject.names) {
        let counts = Misdeed::NAMES.map(|(kind, plural)| {
            let n = state.misdeeds(which, kind);
            format!("{n} {plural}")
        });
        let _ = writeln!(text, "{name}: {}", counts.join(", "));
    }
    let endings = state.endings().into_iter();
    let endings: Vec<String> = endings.map(|(reason, n)| format!("{reason} {n}")).collect();
    let _ = writeln!(text, "endings: {}", endings.join(", "));
    for line in state.finished.values() {
        if let Some((which, _, what)) = &line.misdeed {
            let name = match which {
                Which::First => first,
                Which::Second => second,
            };
            let _ = writeln!(text, "game {}: {name}: {what}", line.number + 1);
        }
    }
    text
}

/// The report as JSON.
pub fn json(state: &State, subject: &Subject) -> Value {
    let tally = state.tally();
    let (mid, low, high) = tally.elo();
    let misdeeds = |which| -> Value {
        let counts = Misdeed::NAMES.map(|(kind, plural)| {
            let key = plural.replace(' ', "_");
            (key, Value::from(state.misdeeds(which, kind)))
        });
        Value::Object(counts.into_iter().collect())
    };
    let mut value = json!({
        "game": subject.game,
        "engines": subject.names,
        "control": subject.control,
        "games": tally.games(),
        "won": tally.wins,
        "drawn": tally.draws,
        "lost": tally.losses,
        "score": tally.score(),
        "pairs": tally.pairs,
        "elo": { "difference": mid, "low": low, "high": high },
        "superiority": tally.superiority(),
        "misdeeds": SIDES.map(misdeeds),
        "endings": state.endings(),
    });
    if let Some(sprt) = &subject.sprt {
        value["sprt"] = json!({
            "low": sprt.low,
            "high": sprt.high,
            "ratio": tally.ratio(sprt),
            "verdict": verdict_text(sprt.verdict(&tally)),
        });
    }
    value
}

/// One line for the progress bar.
pub fn brief(state: &State) -> String {
    let tally = state.tally();
    let (mid, low, high) = tally.elo();
    format!(
        "+{} ={} -{}  Elo {mid:+.0} ({low:+.0} to {high:+.0})",
        tally.wins, tally.draws, tally.losses
    )
}

/// A game as PGN, White's name first.
pub fn pgn(played: &Played, names: [&str; 2], round: u32, control: &str) -> String {
    let mut record = Record::of_game(&played.game);
    for (name, value) in [
        ("Event", "husun match"),
        ("Round", &round.to_string()),
        ("White", names[0]),
        ("Black", names[1]),
        ("TimeControl", control),
        ("Termination", &played.reason),
    ] {
        record.set_tag(name, value);
    }
    for (name, value) in &played.dates {
        record.set_tag(name, value);
    }
    let opening = record.main.plies.len().saturating_sub(played.notes.len());
    let plies = record.main.plies.iter_mut().skip(opening);
    for (ply, note) in plies.zip(&played.notes) {
        let seconds = note.spent.as_secs_f64();
        let comment = match note.score {
            Some((score, depth)) => {
                format!("{:+.2}/{depth} {seconds:.3}s", f64::from(score) / 100.0)
            }
            None => format!("{seconds:.3}s"),
        };
        ply.after.push(Comment::new(&comment));
    }
    // A record of a game that was played can always be written.
    let raw = record.to_raw().ok();
    raw.and_then(|raw| raw.to_pgn().ok()).unwrap_or_default()
}
