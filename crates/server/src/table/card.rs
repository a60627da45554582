//! A game as it is listed: written to storage when it leaves memory, so that lists wake nothing.

use super::Table;
use super::show::Presence;
use crate::wire::{Both, GameCard, GameResult, Player, Stage};
use husun::Side;
use serde::{Deserialize, Serialize};

/// A game in a list, without who looks at it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredCard {
    variant: Option<String>,
    name: String,
    fen: Option<String>,
    last: Option<String>,
    players: Both<CardPlayer>,
    clock: String,
    ply: u32,
    stage: Stage,
    turn: Option<Side>,
    result: Option<GameResult>,
}

/// A side's player in a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct CardPlayer {
    name: String,
    guest: Option<String>,
    level: Option<u8>,
    seated: bool,
}

impl StoredCard {
    /// The card of a game.
    pub fn of(table: &Table) -> StoredCard {
        StoredCard {
            variant: table.variant_id().map(Into::into),
            name: table.name(),
            fen: table.game().map(|g| g.position().fen()),
            last: table.played().last().map(|p| p.uci.clone()),
            players: Both::of(|side| CardPlayer {
                name: table.player_name(side),
                guest: table.person(side).map(|p| p.guest.clone()),
                level: table.level(side),
                seated: table.is_there(side),
            }),
            clock: table.spec().control.to_string(),
            ply: table.ply() as u32,
            stage: table.stage(),
            turn: table.turn(),
            result: table.outcome(),
        }
    }

    /// As it is stored, in JSON.
    pub fn to_text(&self) -> String {
        // Names, numbers and texts alone: there is nothing in a card that JSON cannot say.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// A card as it was stored; nothing if it is of another version.
    pub fn read(text: &str) -> Option<StoredCard> {
        serde_json::from_str(text).ok()
    }

    /// As it is told, to `guest` if it is in the list of own games.
    pub fn to_wire(&self, id: &str, guest: Option<&str>, presence: &Presence) -> GameCard {
        let sits =
            |side: &Side| guest.is_some() && self.players.get(*side).guest.as_deref() == guest;
        let own = Side::ALL.into_iter().find(sits);
        GameCard {
            id: id.into(),
            variant: self.variant.clone(),
            name: self.name.clone(),
            fen: self.fen.clone(),
            last: self.last.clone(),
            players: Both::of(|side| {
                let player = self.players.get(side);
                Player {
                    name: player.name.clone(),
                    level: player.level,
                    seated: player.seated,
                    online: player.level.is_some() || *presence.online.get(side),
                }
            }),
            clock: self.clock.clone(),
            ply: self.ply,
            stage: self.stage,
            result: self.result.clone(),
            own: own.map(Into::into),
            to_move: own.is_some() && self.turn == own,
        }
    }
}
