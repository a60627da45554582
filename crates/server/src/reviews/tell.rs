//! Reviews as they are told: from what is kept, by the formulas of the engine's crate, to the shapes of the wire.

use super::kept::{Kept, KeptOpinion, moves_of};
use super::{Rules, nodes};
use crate::engines::Job;
use crate::refusal::{Reason, Refused, refused};
use crate::wire::{
    self, Both, FaultKind, FaultSize, Played, ReviewFault, ReviewLine, ReviewMoment, ReviewMove,
    TryAnswer, TryVerdict,
};
use engine::Score;
use engine::review::{self, Fault, Opinion, Size};
use engine::values::{Values, estimate};
use husun::{Game, Moment, Move, Position, Side, Variant};
use play::{Games, check};
use std::sync::Arc;

/// The engine's values of a game, as its threads have them.
fn values_of(games: &Games, variant: &Arc<Variant>) -> Values {
    let tuned = games.catalogue().values(variant);
    let tuned = tuned.and_then(|text| Values::parse(variant, text).ok());
    tuned.unwrap_or_else(|| estimate(variant))
}

/// What is said of a game all of whose positions have been looked at.
pub fn whole(kept: &Kept, games: &Games, until_ms: Option<i64>) -> Result<wire::Review, Refused> {
    let game = kept.game(games)?;
    let opinions = opinions(kept, &game);
    let found = review::review(&game, &opinions, &values_of(games, game.variant()));
    let found =
        found.ok_or_else(|| refused(Reason::Damaged, "a review in the storage is damaged"))?;
    let mut moves = Vec::with_capacity(found.moves.len());
    let mut moments = Vec::new();
    for (ply, (&m, said)) in game.moves().iter().zip(&found.moves).enumerate() {
        let (Some(before), Some(after)) = (game.position_at(ply), game.position_at(ply + 1)) else {
            break;
        };
        let over = ply + 1 == game.moves().len() && game.outcome().is_some();
        let (cp, mate) = score(after.turn(), opinions[ply + 1].score, over);
        moments.extend(
            before
                .moments(m)
                .into_iter()
                .map(|one| moment(ply, one, before.variant())),
        );
        moves.push(ReviewMove {
            played: played(before, m, after),
            chance: tenth(said.chance),
            cp,
            mate,
            loss: tenth(said.loss),
            best: said.best,
            fault: said.fault.map(|f| fault(f, before.variant())),
            better: said.fault.map(|_| line(before, &opinions[ply].line)),
        });
    }
    let start = game.start();
    Ok(wire::Review {
        variant: games.shown(&kept.variant),
        start: start.fen(),
        check: check(start),
        players: kept.players.clone().into(),
        result: kept.result.clone().map(Into::into),
        chance: tenth(found.start),
        moves,
        accuracy: Both::of(|side| found.accuracy[side.index()].map(tenth)),
        turning: found.turning.into_iter().map(|ply| ply as u32).collect(),
        moments,
        until_ms,
    })
}

/// The opinions of a game's positions, the start first.
fn opinions(kept: &Kept, game: &Game) -> Vec<Opinion> {
    let backwards = kept.opinions.iter().rev().enumerate();
    let read = |(ply, kept): (usize, &KeptOpinion)| Some(kept.read(game.position_at(ply)?));
    backwards.filter_map(read).collect()
}

fn tenth(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// A score from White's side, in centipawns or moves to a win; none where the game is over.
fn score(turn: Side, score: Score, over: bool) -> (Option<i32>, Option<i32>) {
    let sign = match turn {
        Side::White => 1,
        Side::Black => -1,
    };
    match score {
        _ if over => (None, None),
        Score::Cp(cp) => (Some(sign * cp), None),
        Score::Mate(n) => (None, Some(sign * n)),
    }
}

fn played(before: &Position, m: Move, after: &Position) -> Played {
    Played {
        uci: before.uci(m).to_string(),
        san: before.san(m).unwrap_or_default(),
        fen: after.fen(),
        check: check(after),
        spent_ms: None,
    }
}

fn line(position: &Position, moves: &[Move]) -> ReviewLine {
    let mut position = position.clone();
    let mut line = ReviewLine::default();
    for &m in moves {
        let Ok(san) = position.san(m) else { break };
        line.uci.push(position.uci(m).to_string());
        line.san.push(san);
        position = position.play_unchecked(m);
    }
    line
}

fn fault(fault: Fault, variant: &Variant) -> ReviewFault {
    use review::FaultKind as Kind;
    let letter = |kind| variant.piece(kind).letter.to_string();
    let size = match fault.size {
        Size::Inaccuracy => FaultSize::Inaccuracy,
        Size::Mistake => FaultSize::Mistake,
        Size::Blunder => FaultSize::Blunder,
    };
    let (kind, moves, piece, ending) = match fault.kind {
        Kind::AllowedWin(n) => (FaultKind::AllowedWin, Some(n), None, None),
        Kind::MissedWin(n) => (FaultKind::MissedWin, Some(n), None, None),
        Kind::MissedDraw(by) => (FaultKind::MissedDraw, None, None, Some(by.name().into())),
        Kind::LostPiece(kind) => (FaultKind::LostPiece, None, Some(letter(kind)), None),
        Kind::MissedPiece(kind) => (FaultKind::MissedPiece, None, Some(letter(kind)), None),
        Kind::LetSlip => (FaultKind::LetSlip, None, None, None),
        Kind::LostHold => (FaultKind::LostHold, None, None, None),
        Kind::Worse => (FaultKind::Worse, None, None, None),
    };
    ReviewFault {
        size,
        kind,
        moves,
        piece,
        ending,
    }
}

fn moment(ply: usize, moment: Moment, variant: &Variant) -> ReviewMoment {
    use wire::MomentKind as Kind;
    let rules = variant.rules();
    let traverse = || rules.traverse.as_ref().map(|t| t.name.clone());
    let castling = || rules.castling.as_ref().map(|c| c.name.clone());
    let (kind, side, piece, becomes, name) = match moment {
        Moment::Released { side, piece } => (Kind::Released, side, piece, None, None),
        Moment::Traversed {
            side,
            piece,
            becomes,
        } => (Kind::Traversed, side, piece, Some(becomes), traverse()),
        Moment::Crowned {
            side,
            piece,
            becomes,
        } => (Kind::Crowned, side, piece, Some(becomes), None),
        Moment::Promoted {
            side,
            piece,
            becomes,
        } => (Kind::Promoted, side, piece, Some(becomes), None),
        Moment::Castled { side, piece } => (Kind::Castled, side, piece, None, castling()),
        Moment::RoyalTaken { side, piece } => (Kind::RoyalTaken, side, piece, None, None),
    };
    let letter = |kind| variant.piece(kind).letter.to_string();
    ReviewMoment {
        ply: ply as u32,
        kind,
        side: side.into(),
        piece: letter(piece),
        becomes: becomes.map(letter),
        name,
    }
}

/// A move that is tried instead of one of the game.
pub struct Trial {
    rules: Rules,
    before: Position,
    m: Move,
    after: Position,
    thought: Opinion,
    /// What is known of the position after it without the engine.
    known: Option<KeptOpinion>,
    history: Vec<u64>,
    nodes: u64,
}

impl Trial {
    /// Of a game all of whose positions have been looked at.
    pub fn of(kept: &Kept, games: &Games, ply: u32, uci: &str) -> Result<Trial, Refused> {
        let mut game = kept.game(games)?;
        let all = game.moves().len();
        let place = ply as usize;
        if place >= all {
            let message = format!(
                "ply {ply}: expected a half-move of the game, 0 to {}",
                all - 1
            );
            return Err(refused(Reason::Moves, message));
        }
        let opinion = |place: usize| kept.opinions.get(all - place).cloned().unwrap_or_default();
        let made = kept.moves.get(place).cloned();
        let history = (0..=place).filter_map(|ply| game.position_at(ply));
        let history: Vec<u64> = history.map(Position::key).collect();
        while game.moves().len() > place {
            let taken = game.take_back();
            taken.map_err(|e| refused(Reason::Fault, e.to_string()))?;
        }
        let before = game.position().clone();
        let m = before.parse_uci(uci);
        let m = m.map_err(|e| refused(Reason::IllegalMove, e.to_string()))?;
        let outcome = game.play_on(m);
        let outcome = outcome.map_err(|e| refused(Reason::IllegalMove, e.to_string()))?;
        let after = game.position().clone();
        let end = outcome.map(|end| Opinion::of_end(after.turn(), end.winner).score.into());
        let same = made.is_some_and(|made| made == before.uci(m).to_string());
        Ok(Trial {
            rules: Rules::of(&kept.variant, games),
            thought: opinion(place).read(&before),
            known: end.or_else(|| same.then(|| opinion(place + 1))),
            nodes: nodes(kept.positions()),
            before,
            m,
            after,
            history,
        })
    }

    /// What is known of the position after the move without the engine.
    pub fn known(&self) -> Option<KeptOpinion> {
        self.known.clone()
    }

    /// What the engine is to be asked.
    pub fn job(&self, asker: &str) -> Job {
        let fen = self.after.fen();
        let position = (fen.as_str(), self.after.key());
        self.rules.job(asker, position, &self.history, self.nodes)
    }

    /// What is said of the move.
    pub fn answer(&self, told: &KeptOpinion) -> TryAnswer {
        let after = Opinion {
            line: moves_of(&self.after, &told.line),
            ..told.read(&self.after)
        };
        let chance = review::win_chance(after.score);
        let best = self.thought.line.first() == Some(&self.m);
        let loss = match best {
            true => 0.0,
            false => (review::win_chance(self.thought.score) - (100.0 - chance)).max(0.0),
        };
        let verdict = match Size::of(loss) {
            _ if best => TryVerdict::Best,
            None => TryVerdict::Good,
            Some(_) => TryVerdict::Worse,
        };
        TryAnswer {
            played: played(&self.before, self.m, &self.after),
            verdict,
            loss: tenth(loss),
            chance: tenth(match self.after.turn() {
                Side::White => chance,
                Side::Black => 100.0 - chance,
            }),
            answer: line(&self.after, &after.line),
        }
    }
}
