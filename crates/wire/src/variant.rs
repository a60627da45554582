//! Games as they are offered: cards, details, piece moves.

use super::{Both, Side};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A game in the list.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct VariantCard {
    /// Its id, as `citadel9`.
    pub id: String,
    /// Its name.
    pub name: String,
    /// A sentence about it.
    pub summary: String,
    /// Who made it, or where it comes from.
    pub origin: String,
    /// Files of the frame.
    pub files: u8,
    /// Ranks of the frame.
    pub ranks: u8,
    /// The clock it is usually played with, as `tiger:120m+60s`.
    pub clock: String,
    /// Names of the sides.
    pub sides: Both<String>,
    /// What those are told who choose a game.
    pub about: About,
    /// What players agree on before a game of the family, if there is a family.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub customs: Option<Customs>,
}

/// What those are told who choose a game; what its file does not say is missing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct About {
    /// The family that it is shown in, as `Citadel`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub family: Option<String>,
    /// How hard it is to learn, 1 to 5.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difficulty: Option<u8>,
    /// Minutes that a game usually takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minutes: Option<u16>,
    /// How far it is from chess, in a short sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_chess: Option<String>,
    /// The lesson with which those begin who know none of the games; the game that has one is offered to them first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_lesson: Option<String>,
}

/// What the players agree on before a game of a family.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Customs {
    /// The family, as `Citadel`. A friend's game can be made for the family instead of one variant.
    pub family: String,
    /// How they agree.
    pub method: CustomsMethod,
    /// The choices that lead to this game.
    pub choice: Vec<Choice>,
    /// Whether players may appoint a Counsellor.
    pub counsellor: bool,
}

/// How players agree on a game of a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum CustomsMethod {
    /// Each names a value; where they differ, a die decides.
    Die,
    /// White makes the first choice, then Black the second.
    Turns,
}

/// A value chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Choice {
    /// What is chosen, as `ranks`.
    pub name: String,
    /// The value, as `9`.
    pub value: String,
}

/// A game with everything needed to show it. Squares are named as `a1` to `l12`.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct VariantDetail {
    /// As in the list.
    #[serde(flatten)]
    pub card: VariantCard,
    /// Squares of the frame that do not exist.
    pub missing: Vec<String>,
    /// The kinds of piece.
    pub pieces: Vec<PieceInfo>,
    /// Regions to be shaded.
    pub regions: Vec<Region>,
    /// Set-ups, the standard one first.
    pub setups: Vec<SetupInfo>,
    /// Colours of the sides.
    pub looks: Both<Looks>,
    /// What the game calls castling, if it has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub castling: Option<String>,
    /// Moves of pieces other than pawns that change the piece for good.
    pub lasting: Vec<LastingAct>,
    /// What the letters of the state field say, the fifth field of a position text that has seven.
    pub state: Vec<StateLetter>,
    /// The move that no piece makes, written as a square twice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub whole_act: Option<WholeAct>,
    /// Whether players may accept mate or stalemate instead of an optional move.
    pub accept: bool,
    /// The most men of a position that tables of perfect play know, kings among them; 0 if there are no tables.
    pub table_men: u32,
}

/// A kind of piece.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct PieceInfo {
    /// Its capital letter in position texts and move notation.
    pub letter: String,
    /// Its name.
    pub name: String,
    /// Its moves in Betza notation.
    pub betza: String,
    /// Whether it is a royal kind.
    pub royal: bool,
    /// Whether it moves as a pawn does.
    pub pawn: bool,
    /// Its moves in a sentence.
    pub sentence: String,
    /// What it is worth in pawns, to the nearest half; of a royal kind only where a side may have several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worth: Option<f64>,
}

/// What a letter of the state field says.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct StateLetter {
    /// The letter.
    pub letter: String,
    /// The piece that is kept off the board as long as the letter stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held: Option<HeldPiece>,
    /// What holds as long as it stands.
    pub stands: String,
    /// What is told when it comes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comes: Option<String>,
    /// What is told when it goes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goes: Option<String>,
}

/// A piece that is kept off the board.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct HeldPiece {
    /// Whose it is.
    pub side: Side,
    /// Letter of its kind.
    pub piece: String,
}

/// A move that no piece makes, in words.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct WholeAct {
    /// What is done.
    pub offer: String,
    /// What it means, for those who are about to do it.
    pub question: String,
    /// How one says that it is meant.
    pub agree: String,
}

/// A move that changes the piece that makes it for good.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct LastingAct {
    /// Letter of the kind that changes.
    pub piece: String,
    /// Letter of what it becomes.
    pub becomes: String,
    /// What the game calls it.
    pub name: String,
    /// What it means, for those who do it for the first time.
    pub warning: String,
}

/// The rules of a game for players.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct RulesText {
    /// In their order; what comes before the first heading is a chapter without id and title.
    pub chapters: Vec<Chapter>,
    /// An arrangement for each kind of piece that shows what it can do.
    pub examples: Vec<Example>,
}

/// A board on which a piece shows what it can do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Example {
    /// The piece's capital letter.
    pub letter: String,
    /// Where White's stands.
    pub from: String,
    /// Squares with pieces of its own side.
    pub own: Vec<String>,
    /// Squares with pieces of the other side.
    pub enemy: Vec<String>,
}

/// A chapter of the rules.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct Chapter {
    /// For links, as `in-short`; no two headings of a game have the same.
    pub id: String,
    /// Its heading.
    pub title: String,
    /// Its text, as HTML made from our own Markdown.
    pub html: String,
}

/// A region of the board.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Region {
    /// Its key.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its squares.
    pub squares: Vec<String>,
    /// Its colour as `#rrggbb`.
    pub color: String,
}

/// A named set-up.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct SetupInfo {
    /// `standard` for the game's own.
    pub name: String,
    /// Position text.
    pub fen: String,
}

/// How a side's pieces look.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Looks {
    /// Colour of the body, `#rrggbb`.
    pub fill: String,
    /// Colour of outline and details, `#rrggbb`.
    pub detail: String,
    /// Whether the body is striped.
    pub stripes: bool,
}

/// A question: where could this piece go?
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ReachRequest {
    /// The piece's capital letter.
    #[schema(pattern = "^[A-Z]$")]
    pub letter: String,
    /// Whose it is.
    pub side: Side,
    /// Where it stands.
    #[schema(pattern = "^[a-p][1-9][0-9]?$")]
    pub from: String,
    /// Squares with pieces of its own side.
    #[serde(default)]
    pub own: Vec<String>,
    /// Squares with pieces of the other side.
    #[serde(default)]
    pub enemy: Vec<String>,
}

/// Where a piece can go with those blockers; castling and en passant are left out.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ReachAnswer {
    /// Empty squares that it can go to, moves within a castle left out.
    pub moves: Vec<String>,
    /// Enemies that it can capture, moves within a castle left out.
    pub captures: Vec<String>,
    /// All targets with the way to each.
    pub targets: Vec<Target>,
    /// What the rules let it do besides, a sentence each.
    pub acts: Vec<String>,
}

/// A question: what can the piece on this square do?
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct TargetsRequest {
    /// Position text; of a practice board too, on which royal pieces may be missing.
    #[schema(max_length = 1000)]
    pub fen: String,
    /// The square.
    #[schema(pattern = "^[a-p][1-9][0-9]?$")]
    pub from: String,
}

/// What a piece can do on a board as it stands, whoever is to move.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct TargetsAnswer {
    /// Where its way of moving leads.
    pub targets: Vec<Target>,
    /// What the rules let it do besides, a sentence each.
    pub acts: Vec<String>,
}

/// A square to which a piece can go.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Target {
    /// The square.
    pub to: String,
    /// Squares that it passes, in order; of a leap none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<String>,
    /// The square of the piece that it jumps over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over: Option<String>,
    /// Whether it captures.
    pub capture: bool,
    /// Whether the rules let it go there now.
    pub legal: bool,
    /// What is special about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub act: Option<Act>,
    /// Letters of what it may become or release there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub becomes: Vec<String>,
}

/// What is special about going to a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// A rook-type piece moves as well.
    Castling,
    /// It captures on the square that a pawn passed.
    EnPassant,
    /// It goes anywhere within its castle.
    Traverse,
}

impl From<husun::Act> for Act {
    fn from(act: husun::Act) -> Act {
        match act {
            husun::Act::Castling => Act::Castling,
            husun::Act::EnPassant => Act::EnPassant,
            husun::Act::Traverse => Act::Traverse,
        }
    }
}
