//! Messages of the socket at `/api/socket`: one JSON object a text frame.

use super::{
    AnalysisLine, Announcement, Challenge, ChatLine, DeclineReason, Lobby, LobbyChange, Notice,
    Now, Paired, Plan, Played, Snapshot, TournamentChange, WatchedBoards, WatchersLine,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What a client says. `ply` is the number of half-moves played when the client acts; a message that answers
/// an older position is refused, and one that was carried out already changes nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum ClientMessage {
    /// Come to a game, as the first message. Answered by `snapshot`.
    Join {
        /// Id of the game.
        game: String,
        /// Secret of a seat; without it the guest's own seat is found by the cookie.
        #[serde(default)]
        seat: Option<String>,
        /// Name to show, for one who takes a seat.
        #[serde(default)]
        name: Option<String>,
    },
    /// A move, in UCI form or algebraic notation.
    Move {
        /// Half-moves played before it.
        ply: u32,
        /// Number of the last event known, `now.seq`: a move meant for a position that was taken back since is refused.
        #[serde(default)]
        seq: Option<u64>,
        /// The move.
        text: String,
    },
    /// Accept mate or stalemate instead of an optional move.
    Accept {
        /// Half-moves played.
        ply: u32,
        /// Number of the last event known.
        #[serde(default)]
        seq: Option<u64>,
    },
    /// Give up.
    Resign,
    /// Offer a draw, or agree to the opponent's offer.
    Draw {
        /// Half-moves played.
        ply: u32,
        /// Number of the last event known.
        #[serde(default)]
        seq: Option<u64>,
    },
    /// Decline the draw offered.
    DeclineDraw {
        /// Half-moves played.
        ply: u32,
    },
    /// Ask to take the own last move back, or agree to the opponent's wish.
    Takeback {
        /// Half-moves played.
        ply: u32,
        /// Number of the last event known.
        #[serde(default)]
        seq: Option<u64>,
    },
    /// Decline the opponent's wish.
    DeclineTakeback {
        /// Half-moves played.
        ply: u32,
    },
    /// Give the game up before both have moved; no result.
    Abort,
    /// Claim the game whose opponent has left, when `claim_in_ms` of that player has gone by.
    Claim {
        /// As what.
        claim: Claim,
    },
    /// Propose a rematch with sides changed, or agree to it.
    Rematch,
    /// A line for the opponent.
    Chat {
        /// At most 500 characters.
        text: String,
    },
    /// A line for the others who watch the game; its players cannot read it before the game is over.
    WatchersChat {
        /// At most 500 characters.
        text: String,
    },
    /// Answer a question of the match customs.
    Choose {
        /// What is chosen.
        name: String,
        /// The value.
        value: String,
    },
    /// Appoint a Counsellor, before any was asked.
    Appoint {
        /// The engine, or else a person, for whom a link comes back as `counsel_link`.
        engine: bool,
    },
    /// Ask the Counsellor, once, when the choice of Emperors stands and the own clock runs.
    AskCounsel {
        /// Half-moves played.
        ply: u32,
    },
    /// The Counsellor's answer.
    Advise {
        /// At most 500 characters.
        text: String,
    },
    /// Say how the opponent's moves will be answered, in a game with days for each move: played the moment they are made,
    /// and seen by nobody else. Answered by `plan`.
    Plan {
        /// Half-moves played.
        ply: u32,
        /// Number of the last event known.
        #[serde(default)]
        seq: Option<u64>,
        /// Lines from there on: a move of the opponent, the answer, and so on, in UCI form or algebraic notation. 32 lines
        /// and 100 half-moves in all at most; without lines nothing is prepared any more.
        lines: Vec<Vec<String>>,
    },
    /// Ask the engine about a position; an earlier question of this socket ends.
    Analyse(AnalyseQuestion),
    /// End the analysis.
    StopAnalysis,
    /// Come to the lobby: answered by `lobby`; what changes follows. Seeks of games that are not played over days wait as
    /// long as their maker is here.
    EnterLobby,
    /// Leave it.
    LeaveLobby,
    /// Come to a tournament: what changes is told, and `paired`. In an arena only those are paired who are there.
    EnterTournament {
        /// Its id.
        id: String,
    },
    /// Leave it.
    LeaveTournament,
    /// Watch small boards of games that everybody may watch, instead of those watched before: answered by `boards`, which
    /// comes again for each board that changes, once a second at most. Nobody's game is joined by it.
    WatchBoards {
        /// Ids of 12 games at most; none to watch no more.
        games: Vec<String>,
    },
    /// Is anyone there? Answered by `pong`.
    Ping {
        /// Comes back.
        n: u32,
    },
}

/// What a player claims whose opponent has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Claim {
    /// The game is won.
    Win,
    /// It is a draw.
    Draw,
}

/// A position to be analysed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AnalyseQuestion {
    /// Number of the question; answers carry it.
    pub n: u32,
    /// Id of the game.
    pub variant: String,
    /// Position text to start from; the standard set-up if missing.
    #[serde(default)]
    pub fen: Option<String>,
    /// Moves from there, in UCI form.
    #[serde(default)]
    pub moves: Vec<String>,
    /// How many lines, 1 to 5.
    #[serde(default)]
    pub lines: Option<u8>,
}

/// What the server says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ServerMessage {
    /// The whole game; answers `join`, and comes anew when the customs are settled.
    Snapshot(Box<Snapshot>),
    /// Something has changed. Cut the moves to `now.ply - played.len()`, add `played`, take over `now`.
    Update {
        /// Moves added.
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        played: Vec<Played>,
        /// What is so now.
        now: Box<Now>,
    },
    /// The server cannot store at the moment, and the clocks stand still, or (without text) it can again.
    Trouble {
        /// What is out of order.
        #[serde(skip_serializing_if = "Option::is_none")]
        trouble: Option<String>,
    },
    /// A line of chat.
    Chat(ChatLine),
    /// What those who watch have said so far, in the place of what was told before: for them, and for the players when the
    /// game is over.
    WatchersChat {
        /// The last lines.
        lines: Vec<WatchersLine>,
    },
    /// A line of it.
    WatchersLine(WatchersLine),
    /// Link for the person appointed as Counsellor.
    CounselLink {
        /// Secret of the Counsellor's seat: `/game/{id}#{seat}`.
        seat: String,
    },
    /// The Counsellor says, to the player alone.
    Counsel {
        /// The advice.
        text: String,
    },
    /// The player asks this Counsellor now.
    CounselAsked,
    /// Lines of the analysis.
    Analysis {
        /// Number of the question.
        n: u32,
        /// Depth reached.
        depth: u32,
        /// Positions searched.
        nodes: u64,
        /// The lines, best first.
        lines: Vec<AnalysisLine>,
        /// Whether nothing more comes.
        done: bool,
    },
    /// What one has prepared, for oneself alone.
    Plan(Plan),
    /// Small boards; answers `watch_boards`.
    Boards(WatchedBoards),
    /// The whole lobby; answers `enter_lobby`.
    Lobby(Lobby),
    /// What has changed in it.
    LobbyChange(LobbyChange),
    /// A game has come of a seek or a challenge of one who is in the lobby, or of a tournament's pairing.
    Paired(Paired),
    /// Something has changed in a tournament; answers `enter_tournament`, too.
    TournamentChange(TournamentChange),
    /// Somebody has challenged one who is in the lobby.
    Challenged(Challenge),
    /// A challenge from or to one who is in the lobby is open no more.
    ChallengeGone {
        /// Its id.
        id: String,
        /// Why it was declined, if it was.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        declined: Option<DeclineReason>,
    },
    /// Something has happened that concerns one who is in the lobby or at a tournament, and is not seen there: a move in
    /// another game, little time left, a tournament that starts.
    Notice(Notice),
    /// What those who run the server announce now, in the place of what was told before; told when one comes, if there is
    /// anything, and when it changes.
    Announcements {
        /// Lines for the top of the page.
        announcements: Vec<Announcement>,
    },
    /// Answers `ping`.
    Pong {
        /// As sent.
        n: u32,
    },
    /// The message was not carried out.
    Refused {
        /// Its type, as far as it could be read.
        of: String,
        /// A word for programs.
        code: String,
        /// Why, for people.
        message: String,
    },
    /// The server goes down; come again.
    Closing,
}
