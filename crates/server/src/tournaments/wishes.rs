//! A tournament as it is wished for over the wire, read or refused.

use super::AHEAD_MS;
use crate::lobby::wishes::{clock_of, games_of};
use crate::refusal::{Reason, Refused, refused};
use crate::wire::{self, NewTournament};
use husun::Variant;
use husun::clock::TimeControl;
use play::lobby::Wanted;
use play::rating::Speed;
use play::tournament::{
    BREAK, GAMES, Kind, MINUTES, MOST, MOST_ROUND_ROBIN, MOST_SWISS, Plan, ROUNDS, Scoring,
    TieBreak,
};
use play::{Both, Games};
use std::sync::Arc;

/// Characters of a name.
const NAME: [usize; 2] = [2, 60];
/// Seconds between rounds, unless others are wished for.
const USUAL_BREAK: u32 = 15;
/// A begin that is a little past is one at once: the browser's clock may be slow.
const SLACK_MS: i64 = 24 * 3_600_000;

fn between(what: &str, value: u32, [least, most]: [u32; 2]) -> Result<u32, Refused> {
    match (least..=most).contains(&value) {
        true => Ok(value),
        false => {
            let message = format!("{what}: {value}, expected {least} to {most}");
            Err(refused(Reason::Tournament, message))
        }
    }
}

/// What is settled of a tournament that is wished for.
pub(super) fn plan_of(games: &Games, wish: &NewTournament, now_ms: i64) -> Result<Plan, Refused> {
    let name = wish.name.split_whitespace().collect::<Vec<_>>().join(" ");
    let (length, [least, most]) = (name.chars().count(), NAME);
    if !(least..=most).contains(&length) || name.chars().any(char::is_control) {
        let message = format!("name: {length} characters, expected {least} to {most}");
        return Err(refused(Reason::Name, message));
    }
    let kind = match wish.kind {
        wire::TournamentKind::Arena { minutes } => Kind::Arena {
            minutes: between("minutes", minutes, MINUTES)?,
        },
        wire::TournamentKind::Swiss { rounds } => Kind::Swiss {
            rounds: between("rounds", rounds, ROUNDS)?,
        },
        wire::TournamentKind::RoundRobin { twice } => Kind::RoundRobin { twice },
    };
    let wanted = games_of(games, &wish.games, &wish.families)?;
    if !(1..=GAMES).contains(&wanted.len()) {
        let message = format!("{} games, expected 1 to {GAMES}", wanted.len());
        return Err(refused(Reason::Variant, message));
    }
    let control = clock_of(&wish.clock)?;
    let days = matches!(control, TimeControl::Correspondence { .. });
    if Speed::of(&control).is_none() {
        return Err(refused(Reason::Clock, "a tournament must have a clock"));
    }
    if days && matches!(kind, Kind::Arena { .. }) {
        let message =
            "clock: an arena is played at the board; days for a move are for the other kinds";
        return Err(refused(Reason::Clock, message));
    }
    if !(now_ms - SLACK_MS..=now_ms + AHEAD_MS).contains(&wish.starts_ms) {
        let message = format!(
            "starts_ms: {}, expected milliseconds of Unix time from now to a year ahead",
            wish.starts_ms
        );
        return Err(refused(Reason::Tournament, message));
    }
    let level = match wish.level {
        Some(level @ 1..=8) => Some(level),
        Some(level) => {
            let message = format!("level {level}, expected 1 to 8");
            return Err(refused(Reason::Level, message));
        }
        None => None,
    };
    let bound = match kind {
        Kind::RoundRobin { .. } => MOST_ROUND_ROBIN,
        Kind::Swiss { .. } => MOST_SWISS,
        Kind::Arena { .. } => MOST,
    };
    let mut ties: Vec<TieBreak> = Vec::new();
    for tie in wish.tie_breaks.iter().flatten() {
        if !ties.contains(&tie_of(*tie)) {
            ties.push(tie_of(*tie));
        }
    }
    Ok(Plan {
        name,
        kind,
        wins: wanted.iter().map(|w| wins(games, w)).collect(),
        champion: champion(games, &wanted),
        games: wanted,
        control,
        rated: wish.rated,
        scoring: match wish.scoring {
            wire::TournamentScoring::Standard => Scoring::Standard,
            wire::TournamentScoring::GamePoints => Scoring::GamePoints,
        },
        tie_breaks: match wish.tie_breaks {
            Some(_) => ties,
            None => TieBreak::usual(&kind),
        },
        starts_ms: wish.starts_ms.max(now_ms),
        break_s: match days {
            true => 0,
            false => between("break_s", wish.break_s.unwrap_or(USUAL_BREAK), [0, BREAK])?,
        },
        level,
        most: between("most", wish.most.unwrap_or(bound), [2, bound])?,
    })
}

fn tie_of(tie: wire::TieBreak) -> TieBreak {
    match tie {
        wire::TieBreak::Buchholz => TieBreak::Buchholz,
        wire::TieBreak::BuchholzCut1 => TieBreak::BuchholzCut1,
        wire::TieBreak::SonnebornBerger => TieBreak::SonnebornBerger,
        wire::TieBreak::DirectEncounter => TieBreak::DirectEncounter,
        wire::TieBreak::Wins => TieBreak::Wins,
        wire::TieBreak::Blacks => TieBreak::Blacks,
    }
}

/// The games that may be played: of a family all of its.
fn variants(games: &Games, wanted: &Wanted) -> Vec<Arc<Variant>> {
    match wanted {
        Wanted::Variant(name) => games.stored(name).into_iter().collect(),
        Wanted::Family(name) => games
            .family(name)
            .map_or_else(Vec::new, |f| f.variants.to_vec()),
    }
}

/// Game points of a plain win; the least where customs decide which game it is.
fn wins(games: &Games, wanted: &Wanted) -> Both<f64> {
    let least = |index: usize| {
        let all = variants(games, wanted);
        let wins = all
            .iter()
            .filter_map(|v| Some(v.rules().points.side.get(index)?.win));
        wins.min_by(f64::total_cmp).unwrap_or(1.0)
    };
    Both {
        white: least(0),
        black: least(1),
    }
}

/// The title of the winner, if all that is played gives the same one.
fn champion(games: &Games, wanted: &[Wanted]) -> Option<String> {
    let all = wanted.iter().flat_map(|w| variants(games, w));
    let mut titles = all.map(|v| v.rules().points.champion.clone());
    let first = titles.next()??;
    titles
        .all(|title| title.as_ref() == Some(&first))
        .then_some(first)
}
