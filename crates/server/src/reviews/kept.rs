//! A review as it is stored: the game and what the engine thought of its positions. All else follows from these, so that
//! a better formula serves old reviews, too.

use crate::engines::ThoughtLine;
use crate::pgn::{self, PgnError};
use crate::refusal::{Reason, Refused, refused};
use crate::services::word;
use engine::Score;
use engine::review::Opinion;
use husun::record::Record;
use husun::{Game, Move, Position, Side};
use play::table::{Stage, StoredResult, Table};
use play::{Both, Games, read_move};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Version of the shape.
const VERSION: u32 = 1;
/// Half-moves at most.
pub const MAX_MOVES: usize = 2000;
/// Moves of a line that are kept.
const LINE: usize = 10;
/// Characters of a player's name at most.
const NAME: usize = 60;

/// A review as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    version: u32,
    /// Id of the game.
    pub variant: String,
    /// Position text of the start.
    pub start: String,
    /// The moves in UCI form.
    pub moves: Vec<String>,
    /// Names of the players, if the game was brought in as text. Those of a game played here are its own, which may change.
    pub players: Both<String>,
    /// How it ended, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<StoredResult>,
    /// Of the last position first: what comes later is known when an earlier position is looked at.
    pub opinions: Vec<KeptOpinion>,
}

/// What the engine thought of a position, for the side to move.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KeptOpinion {
    /// Centipawns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cp: Option<i32>,
    /// Moves to a forced win.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mate: Option<i32>,
    /// The expected line in UCI form.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub line: Vec<String>,
}

impl From<ThoughtLine> for KeptOpinion {
    fn from(mut thought: ThoughtLine) -> KeptOpinion {
        thought.uci.truncate(LINE);
        KeptOpinion {
            cp: thought.cp,
            mate: thought.mate,
            line: thought.uci,
        }
    }
}

impl From<Score> for KeptOpinion {
    fn from(score: Score) -> KeptOpinion {
        let (cp, mate) = match score {
            Score::Cp(cp) => (Some(cp), None),
            Score::Mate(n) => (None, Some(n)),
        };
        KeptOpinion {
            cp,
            mate,
            line: Vec::new(),
        }
    }
}

impl KeptOpinion {
    /// With its line as moves of a position, as far as they are legal there.
    pub fn read(&self, position: &Position) -> Opinion {
        let score = match (self.mate, self.cp) {
            (Some(n), _) => Score::Mate(n),
            (None, cp) => Score::Cp(cp.unwrap_or_default()),
        };
        let line = moves_of(position, &self.line);
        Opinion { score, line }
    }
}

/// A line as moves of a position, as far as they are legal there.
pub fn moves_of(position: &Position, line: &[String]) -> Vec<Move> {
    let mut position = position.clone();
    let mut moves = Vec::with_capacity(line.len());
    for text in line {
        let Ok(m) = position.parse_uci(text) else {
            break;
        };
        moves.push(m);
        position = position.play_unchecked(m);
    }
    moves
}

impl Kept {
    /// Of a game that is over.
    pub fn of_table(table: &Table) -> Result<Kept, Refused> {
        let over = table.stage() == Stage::Over;
        let (Some(game), true) = (table.game(), over) else {
            let message = match table.stage() {
                Stage::Aborted => "the game was called off before it counted",
                _ => "the game is not over yet; it can be reviewed when it is",
            };
            return Err(refused(Reason::NotOver, message));
        };
        let mut kept = Kept::of_moves(table.games(), game)?;
        kept.result = table.outcome().map(Into::into);
        Ok(kept)
    }

    /// Of the first game of a PGN text. `charge` is told how many moves there are, and may refuse.
    pub fn of_pgn(
        text: &str,
        games: &Games,
        charge: impl FnOnce(u32) -> bool,
    ) -> Result<Kept, PgnError> {
        let record = pgn::record(text, games, charge)?;
        let mut game = Game::new(record.start.clone());
        for ply in &record.main.plies {
            let played = game.play_on(ply.m);
            played.map_err(|e| PgnError::Wrong(e.to_string()))?;
        }
        let kept = Kept::of_moves(games, &game).map_err(|e| PgnError::Wrong(e.message))?;
        let tag = |name| record.tag(name).unwrap_or_default();
        let name = |side: Side| {
            let name = tag(side.name()).chars().filter(|c| !c.is_control());
            let name: String = name.take(NAME).collect();
            match name.as_str() {
                "" | "?" => side.name().to_owned(),
                _ => name,
            }
        };
        Ok(Kept {
            players: Both::of(name),
            result: game.outcome().map(Into::into).or(told_result(&record)),
            ..kept
        })
    }

    fn of_moves(games: &Games, game: &Game) -> Result<Kept, Refused> {
        let moves = game.moves().len();
        if !(1..=MAX_MOVES).contains(&moves) {
            let message = format!("{moves} half-moves, expected 1 to {MAX_MOVES} for a review");
            return Err(refused(Reason::Moves, message));
        }
        let played = game.moves().iter().enumerate();
        let uci = |(ply, &m): (usize, &Move)| Some(game.position_at(ply)?.uci(m).to_string());
        Ok(Kept {
            version: VERSION,
            variant: games.name(game.variant()),
            start: game.start().fen(),
            moves: played.filter_map(uci).collect(),
            players: nobody(),
            result: None,
            opinions: Vec::new(),
        })
    }

    /// The id of a game that was brought in: the same text has the same.
    pub fn own_id(&self) -> String {
        let mut hash = Sha256::new();
        for text in [
            &self.variant,
            &self.start,
            &self.players.white,
            &self.players.black,
        ] {
            hash.update(text);
            hash.update([0]);
        }
        for text in &self.moves {
            hash.update(text);
            hash.update([0]);
        }
        // One that says how it ended is another game than one that does not.
        if let Some(result) = &self.result {
            hash.update(serde_json::to_vec(result).unwrap_or_default());
        }
        word(&hash.finalize()[..10])
    }

    /// Reads what is stored.
    pub fn parse(id: &str, body: &str) -> Result<Kept, Refused> {
        let damaged = |problem: String| {
            let message = format!("review {id} in the storage is damaged: {problem}");
            refused(Reason::Damaged, message)
        };
        let kept: Kept = serde_json::from_str(body).map_err(|e| damaged(e.to_string()))?;
        match kept.version {
            VERSION => Ok(kept),
            other => Err(damaged(format!("it is of version {other}"))),
        }
    }

    /// Without the names that reviews of games played here had before.
    pub fn without_names(self) -> Kept {
        Kept {
            players: nobody(),
            ..self
        }
    }

    /// How many positions there are.
    pub fn positions(&self) -> usize {
        self.moves.len() + 1
    }

    /// Whether all positions have been looked at.
    pub fn is_complete(&self) -> bool {
        self.opinions.len() >= self.positions()
    }

    /// The game.
    pub fn game(&self, games: &Games) -> Result<Game, Refused> {
        let wrong = |problem: String| {
            refused(
                Reason::Damaged,
                format!("a review in the storage is damaged: {problem}"),
            )
        };
        let variant = games.stored(&self.variant);
        let variant = variant.ok_or_else(|| wrong(format!("no game {:?}", self.variant)))?;
        let start = variant.position(&self.start);
        let mut game = Game::new(start.map_err(|e| wrong(e.to_string()))?);
        for text in &self.moves {
            let m = read_move(game.position(), text).map_err(|e| wrong(e.to_string()))?;
            game.play_on(m).map_err(|e| wrong(e.to_string()))?;
        }
        Ok(game)
    }
}

/// The players where their names are not kept.
fn nobody() -> Both<String> {
    Both::of(|side| side.name().to_owned())
}

/// How a game ended by what its text says, where the board does not say it.
fn told_result(record: &Record) -> Option<StoredResult> {
    use husun::pgn::GameResult;
    let winner = match record.result {
        GameResult::WhiteWins => Some(Side::White),
        GameResult::BlackWins => Some(Side::Black),
        GameResult::Draw => None,
        GameResult::Unknown => return None,
    };
    let points = |tag| {
        record
            .tag(tag)?
            .parse::<f64>()
            .ok()
            .filter(|p| p.is_finite())
    };
    Some(StoredResult {
        winner,
        reason: husun::Reason::from_name(record.tag("Termination")?)?
            .name()
            .into(),
        points: Both {
            white: points("WhitePoints")?,
            black: points("BlackPoints")?,
        },
    })
}
