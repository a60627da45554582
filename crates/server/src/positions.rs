//! Positions described for the analysis board: nothing is kept of them.

use crate::refusal::{Reason, Refused, refused};
use crate::wire::show::captured;
use crate::wire::{LegalMove, Played, PositionAnswer, PositionRequest};
use husun::Game;
use play::{Games, check, read_move};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// Moves of a line at most.
pub const MAX_MOVES: usize = 2000;

/// The game of a start without moves.
fn start(games: &Games, variant: &str, fen: Option<&str>) -> Result<Game, Refused> {
    let variant = games
        .find(variant)
        .map_err(|e| refused(Reason::Variant, e.to_string()))?;
    let start = match fen {
        Some(fen) => variant
            .position(fen)
            .map_err(|e| refused(Reason::Fen, e.to_string()))?,
        None => variant.start(),
    };
    Ok(Game::new(start))
}

/// Lines that were asked for last, kept since who steps through a game or adds to a line asks for nearly the same again.
#[derive(Debug, Default)]
pub struct LineCache {
    /// The one asked for last at the end.
    kept: Mutex<VecDeque<KeptLine>>,
    games: Arc<Games>,
}

#[derive(Debug)]
struct KeptLine {
    variant: String,
    fen: Option<String>,
    moves: Vec<String>,
    game: Game,
}

/// Bytes of a move's text at most.
const LONGEST_MOVE: usize = 32;
/// Bytes of a position text at most.
const LONGEST_FEN: usize = 1000;
/// Positions that all kept lines have together at most.
const KEPT: usize = 20_000;

impl LineCache {
    /// A cache for lines of these games.
    pub fn new(games: Arc<Games>) -> LineCache {
        LineCache {
            kept: Mutex::default(),
            games,
        }
    }

    /// Looks at the game that a start and moves make. It goes on past draws, as analysis does.
    pub fn with<T>(
        &self,
        variant: &str,
        fen: Option<&str>,
        moves: &[String],
        look: impl FnOnce(&Game) -> T,
    ) -> Result<T, Refused> {
        if moves.len() > MAX_MOVES {
            let message = format!("{} moves, expected at most {MAX_MOVES}", moves.len());
            return Err(refused(Reason::Moves, message));
        }
        // What is kept is kept as it was written.
        if let Some(at) = moves.iter().position(|text| text.len() > LONGEST_MOVE) {
            let found: String = moves[at].chars().take(LONGEST_MOVE).collect();
            let message = format!("move {}: {found:?}... is too long for a move", at + 1);
            return Err(refused(Reason::IllegalMove, message));
        }
        if let Some(length) = fen.map(str::len).filter(|&length| length > LONGEST_FEN) {
            let message =
                format!("{length} bytes of position text, expected at most {LONGEST_FEN}");
            return Err(refused(Reason::Fen, message));
        }
        let mut line = match self.take(variant, fen, moves) {
            Some(line) => line,
            None => KeptLine {
                variant: variant.into(),
                fen: fen.map(Into::into),
                moves: Vec::new(),
                game: start(&self.games, variant, fen)?,
            },
        };
        let played = line.extend(moves);
        let seen = played.map(|()| look(&line.game));
        self.keep(line);
        seen
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, VecDeque<KeptLine>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The line that shares most moves, cut to what it shares.
    fn take(&self, variant: &str, fen: Option<&str>, moves: &[String]) -> Option<KeptLine> {
        let mut kept = self.lock();
        let same = |line: &KeptLine| line.variant == variant && line.fen.as_deref() == fen;
        let lines = kept.iter().enumerate().filter(|(_, line)| same(line));
        let (at, shared) = lines
            .map(|(at, line)| (at, shared(&line.moves, moves)))
            .max_by_key(|&(_, shared)| shared)?;
        // One that shares little is left to those who asked for it.
        let line = (shared * 2 >= kept[at].moves.len()).then(|| kept.remove(at))??;
        drop(kept);
        line.cut(shared)
    }

    fn keep(&self, line: KeptLine) {
        let mut kept = self.lock();
        kept.push_back(line);
        let mut all: usize = kept.iter().map(|line| line.moves.len() + 1).sum();
        while all > KEPT {
            let Some(oldest) = kept.pop_front() else {
                return;
            };
            all -= oldest.moves.len() + 1;
        }
    }
}

fn shared(a: &[String], b: &[String]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

impl KeptLine {
    fn cut(mut self, to: usize) -> Option<KeptLine> {
        while self.moves.len() > to {
            self.game.take_back().ok()?;
            self.moves.pop();
        }
        Some(self)
    }

    fn extend(&mut self, moves: &[String]) -> Result<(), Refused> {
        for (at, text) in moves.iter().enumerate().skip(self.moves.len()) {
            let position = self.game.position();
            let bad = |e: String| refused(Reason::IllegalMove, format!("move {}: {e}", at + 1));
            let m = read_move(position, text).map_err(|e| bad(e.to_string()))?;
            self.game.play_on(m).map_err(|e| bad(e.to_string()))?;
            self.moves.push(text.clone());
            debug_assert!(text.len() <= LONGEST_MOVE);
        }
        Ok(())
    }
}

/// Describes a position.
pub fn describe(lines: &LineCache, request: &PositionRequest) -> Result<PositionAnswer, Refused> {
    let PositionRequest {
        variant,
        fen,
        moves,
    } = request;
    lines.with(variant, fen.as_deref(), moves, describe_game)
}

fn describe_game(game: &Game) -> PositionAnswer {
    let position = game.position();
    let legal = position.legal_moves();
    let played = game.moves().iter().enumerate().filter_map(|(ply, &m)| {
        let (before, after) = (game.position_at(ply)?, game.position_at(ply + 1)?);
        Some(Played {
            uci: before.uci(m).to_string(),
            san: before.san(m).ok()?,
            fen: after.fen(),
            check: check(after),
            spent_ms: None,
        })
    });
    PositionAnswer {
        start: game.start().fen(),
        played: played.collect(),
        fen: position.fen(),
        turn: position.turn().into(),
        legal: legal
            .iter()
            .map(|&m| LegalMove {
                uci: position.uci(m).to_string(),
                san: position.san_among(m, &legal).unwrap_or_default(),
            })
            .collect(),
        check: check(position),
        can_accept: position.can_accept(),
        result: game.outcome().map(Into::into),
        captured: captured(game),
    }
}
