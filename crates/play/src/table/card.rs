//! A game as it is listed: written to storage when the game leaves memory, so that lists need not load it.

use super::{Stage, Table};
use crate::Both;
use husun::{Outcome, Side};
use serde::{Deserialize, Serialize};

/// How a game ended, as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredResult {
    /// Who won; missing for a draw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub winner: Option<Side>,
    /// Why, such as `green gem`.
    pub reason: String,
    /// Game points.
    pub points: Both<f64>,
}

/// A game in a list, regardless of who looks at it. Old cards can be read for ever, or are made anew.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredCard {
    /// Id of the variant; missing while customs are being settled.
    pub variant: Option<String>,
    /// Name of the variant or the family.
    pub name: String,
    /// Position text.
    pub fen: Option<String>,
    /// Last move in UCI form.
    pub last: Option<String>,
    /// Who plays.
    pub players: Both<CardPlayer>,
    /// Its clock.
    pub clock: String,
    /// Half-moves played.
    pub ply: u32,
    /// Its stage.
    pub stage: Stage,
    /// Whose turn it is.
    pub turn: Option<Side>,
    /// How it ended.
    pub result: Option<StoredResult>,
}

/// A side's player in a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CardPlayer {
    /// Name to show.
    pub name: String,
    /// Number of the guest.
    pub guest: Option<String>,
    /// Whether the name is an account's.
    #[serde(default)]
    pub account: bool,
    /// Whether the account is a program's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bot: bool,
    /// Level of the engine, if it is the engine.
    pub level: Option<u8>,
    /// Whether the seat is taken.
    pub seated: bool,
}

impl From<Outcome> for StoredResult {
    fn from(outcome: Outcome) -> StoredResult {
        StoredResult {
            winner: outcome.winner,
            reason: outcome.reason.name().into(),
            points: Both {
                white: outcome.points[0],
                black: outcome.points[1],
            },
        }
    }
}

impl StoredCard {
    /// The card of a game.
    pub fn of(table: &Table) -> StoredCard {
        StoredCard {
            variant: table.variant_name(),
            name: table.name().into(),
            fen: table.game().map(|g| g.position().fen()),
            last: table.played().last().map(|p| p.uci.clone()),
            players: Both::of(|side| CardPlayer {
                name: table.player_name(side),
                guest: table.person(side).map(|p| p.guest.clone()),
                account: table.person(side).is_some_and(|p| p.account),
                bot: table.person(side).is_some_and(|p| p.bot),
                level: table.level(side),
                seated: table.is_there(side),
            }),
            clock: table.spec().control.to_string(),
            ply: table.ply() as u32,
            stage: table.stage(),
            turn: table.turn(),
            result: table.outcome().map(Into::into),
        }
    }

    /// Its stored form, in JSON.
    pub fn to_text(&self) -> String {
        // Only names, numbers and texts: everything in a card can be written as JSON.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// A card from its stored form; nothing if it is of another version.
    pub fn read(text: &str) -> Option<StoredCard> {
        serde_json::from_str(text).ok()
    }

    /// The side at which a guest sits.
    pub fn side_of(&self, guest: &str) -> Option<Side> {
        let sits = |side: &Side| self.players.get(*side).guest.as_deref() == Some(guest);
        Side::ALL.into_iter().find(sits)
    }
}
