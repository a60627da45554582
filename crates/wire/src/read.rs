//! A message of the socket, read, and the deed that it asks of a game.

use crate::ClientMessage;
use play::{Claim, Deed};

/// Reads a message.
///
/// # Errors
///
/// If the text is not JSON, or not a message that there is.
pub fn decode(text: &str) -> Result<ClientMessage, serde_json::Error> {
    serde_json::from_str(text)
}

/// The deed that a message asks of a game; none for messages that ask nothing of a game.
pub fn deed_of(message: ClientMessage) -> Option<Deed> {
    Some(match message {
        ClientMessage::Join { .. }
        | ClientMessage::Ping { .. }
        | ClientMessage::EnterLobby
        | ClientMessage::LeaveLobby
        | ClientMessage::EnterTournament { .. }
        | ClientMessage::LeaveTournament
        | ClientMessage::WatchBoards { .. }
        | ClientMessage::Analyse(_)
        | ClientMessage::StopAnalysis => return None,
        ClientMessage::Move { ply, seq, text } => Deed::Move { ply, seq, text },
        ClientMessage::Accept { ply, seq } => Deed::Accept { ply, seq },
        ClientMessage::Resign => Deed::Resign,
        ClientMessage::Draw { ply, seq } => Deed::Draw { ply, seq },
        ClientMessage::DeclineDraw { ply } => Deed::DeclineDraw { ply },
        ClientMessage::Takeback { ply, seq } => Deed::Takeback { ply, seq },
        ClientMessage::DeclineTakeback { ply } => Deed::DeclineTakeback { ply },
        ClientMessage::Abort => Deed::Abort,
        ClientMessage::Claim { claim } => Deed::Claim {
            claim: match claim {
                crate::Claim::Win => Claim::Win,
                crate::Claim::Draw => Claim::Draw,
            },
        },
        ClientMessage::Rematch => Deed::Rematch,
        ClientMessage::Chat { text } => Deed::Chat { text },
        ClientMessage::WatchersChat { text } => Deed::WatchersChat { text },
        ClientMessage::Choose { name, value } => Deed::Choose { name, value },
        ClientMessage::Appoint { engine } => Deed::Appoint { engine },
        ClientMessage::AskCounsel { ply } => Deed::AskCounsel { ply },
        ClientMessage::Advise { text } => Deed::Advise { text },
        ClientMessage::Plan { ply, seq, lines } => Deed::Plan { ply, seq, lines },
    })
}
