//! A game's text, checked: board, pieces, set-ups, special rules as parameters of named mechanisms, and information for
//! people. Nothing here is derived for making moves: that is the job of [`crate::tables`], which are built from a
//! complete definition.

use crate::clock::TimeControl;
use crate::fen::Notation;
use crate::frame::{Frame, Square};
use crate::mechanisms::crowning::Crowning;
use crate::piece::{Kind, Piece};
use crate::setup::Setup;
use crate::side::{Side, Wing};

mod acts;
pub(crate) mod build;
mod canonical;
pub(crate) mod check;
mod sense;

/// Squares of a mechanism for each side; Black's are White's reflected.
pub type SideSquares = [Vec<Square>; 2];

/// Initial steps: pieces of these kinds may go up to `steps` squares from these squares.
#[derive(Clone, Debug)]
pub struct Initial {
    /// The kinds that have them, all of pawn type.
    pub pieces: Vec<Kind>,
    /// Highest number of squares, 2 or 3 in the games known.
    pub steps: u8,
    /// From where.
    pub squares: SideSquares,
}

/// Squares of one castling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CastlePath {
    /// Home of the royal piece.
    pub from: Square,
    /// Where it arrives.
    pub to: Square,
    /// Home of its partner.
    pub partner_from: Square,
    /// Where the partner arrives.
    pub partner_to: Square,
}

/// Castling.
#[derive(Clone, Debug)]
pub struct Castling {
    /// What the game calls it, such as `Transferring`.
    pub name: String,
    /// The royal piece that castles.
    pub piece: Kind,
    /// The rook-type piece.
    pub partner: Kind,
    /// By side and wing: one for each square that the royal piece may choose; all of a wing begin at the same squares.
    pub paths: [[Vec<CastlePath>; 2]; 2],
}

impl Castling {
    /// The castlings of a wing, one for each square that the royal piece may choose; none if the game does not have it.
    pub fn paths(&self, side: Side, wing: Wing) -> &[CastlePath] {
        &self.paths[side.index()][wing.index()]
    }

    /// Where the royal piece of a side castles from.
    pub fn home(&self, side: Side) -> Option<Square> {
        self.paths[side.index()]
            .iter()
            .flatten()
            .next()
            .map(|p| p.from)
    }
}

/// Promotion by choice on ranks.
#[derive(Clone, Debug)]
pub struct Promotion {
    /// The kinds that promote.
    pub pieces: Vec<Kind>,
    /// Kinds that can always be chosen.
    pub to: Vec<Kind>,
    /// Kinds that can also be chosen while the board has fewer of them than the set-up.
    pub captured: Vec<Kind>,
    /// Like `captured`, but on the optional squares only.
    pub captured_optional: Vec<Kind>,
    /// Squares on which promotion may be declined.
    pub optional: SideSquares,
    /// Squares on which it may not be declined.
    pub mandatory: SideSquares,
}

/// A piece tied to squares: what a pawn-type piece becomes on arrival, or who is released there.
#[derive(Clone, Debug)]
pub struct Arrival {
    /// The kind that stands there afterwards.
    pub piece: Kind,
    /// Where.
    pub squares: SideSquares,
}

/// Moving anywhere within a castle.
#[derive(Clone, Debug)]
pub struct Traverse {
    /// What the game calls it.
    pub name: String,
    /// The royal piece that may, while its side has not castled.
    pub piece: Kind,
    /// What it becomes by going further than one of its own steps.
    pub becomes: Kind,
    /// Each side's castle.
    pub castle: SideSquares,
}

/// What a stalemate is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stalemate {
    /// A draw.
    Draw,
    /// A win for the side that gives it.
    Win,
}

/// How a game ends besides checkmate.
#[derive(Clone, Debug)]
pub struct Endings {
    /// What a stalemate is worth.
    pub stalemate: Stalemate,
    /// Whether a side wins when its opponent has only the royal piece left and it has more itself.
    pub bare_king: bool,
    /// Whether a board with royal pieces alone is a draw.
    pub bare_royals: bool,
    /// Half-moves without capture, pawn move or promotion after which the game is drawn.
    pub move_rule: Option<u32>,
    /// Number of occurrences of a position at which the game is drawn.
    pub repetition: Option<u32>,
    /// Squares on which a side's royal piece draws the game at once.
    pub citadels: Option<SideSquares>,
    /// Squares that royal pieces alone may enter: the citadels of both sides, where the game says so.
    pub closed: Vec<Square>,
}

/// Game points of one side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SidePoints {
    /// For a win.
    pub win: f64,
    /// For a draw.
    pub draw: f64,
    /// For a loss.
    pub loss: f64,
}

/// Game points.
#[derive(Clone, Debug)]
pub struct Points {
    /// By side.
    pub side: [SidePoints; 2],
    /// For a win by a Green Gem.
    pub green_gem: Option<f64>,
    /// Royal kinds that change the points: what is added for beating one, and for drawing with one's own.
    pub royal: Vec<(Kind, f64, f64)>,
    /// What the winner of a tournament is called.
    pub champion: Option<String>,
}

/// All rules beyond the pieces' moves.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Initial steps; no two for the same kind and square.
    pub initial: Vec<Initial>,
    /// Castling.
    pub castling: Option<Castling>,
    /// Promotion.
    pub promotion: Option<Promotion>,
    /// What pawn-type pieces become on a square, without choice.
    pub arrivals: Vec<Arrival>,
    /// Prisoners that a pawn-type piece releases by arriving.
    pub prison: Vec<Arrival>,
    /// Whether a side may have several royals, in which case none of them is royal.
    pub several_royals: bool,
    /// Whether opposing royal kinds may never stand next to each other.
    pub apart: bool,
    /// Traversing a castle.
    pub traverse: Option<Traverse>,
    /// Promotion in lieu of a move.
    pub crowning: Option<Crowning>,
    /// Endings.
    pub endings: Endings,
    /// Game points.
    pub points: Points,
}

/// A region of the board, for painting.
#[derive(Clone, Debug)]
pub struct Region {
    /// Key in the game file.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// Its squares.
    pub squares: Vec<Square>,
    /// Colour as `#rrggbb`.
    pub color: String,
}

/// How a side's pieces are painted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SideLooks {
    /// Name of the side, such as `South`.
    pub name: String,
    /// Colour of the body, `#rrggbb`.
    pub fill: String,
    /// Colour of outline and details, `#rrggbb`.
    pub detail: String,
    /// Colour of small accents, `#rrggbb`.
    pub accent: Option<String>,
    /// Whether the body is striped.
    pub stripes: bool,
}

/// What people who choose a game are told; every value may be missing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// The family that it is shown in, such as `Citadel`.
    pub family: Option<String>,
    /// How hard it is to learn, 1 to 5.
    pub difficulty: Option<u8>,
    /// Minutes that a game usually takes.
    pub minutes: Option<u16>,
    /// How far it is from chess, in a short sentence.
    pub from_chess: Option<String>,
    /// The lesson for people who know none of the games; the game that has one is offered to them first.
    pub first_lesson: Option<String>,
}

/// What the players agree on before a game of a family.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Customs {
    /// The family of games to choose from.
    pub family: String,
    /// How: `die` (each names one, a die decides) or `turns` (one chooses, then the other).
    pub method: String,
    /// The choices that lead to this game, name and value, in the order in which they are made.
    pub choice: Vec<(String, String)>,
    /// Whether this game is played if nobody chooses.
    pub default: bool,
    /// Whether players may appoint a Counsellor.
    pub counsellor: bool,
}

/// A named set-up.
#[derive(Clone, Debug)]
pub struct NamedSetup {
    /// Name, `standard` for the game's own.
    pub name: String,
    /// The arrangement.
    pub setup: Setup,
}

/// A flag of the state field of position text. A mechanism may add to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StateFlag {
    /// The side's prisoner of a kind is still in prison.
    InPrison(Side, Kind),
    /// The side has castled in a game where that rules out a Traverse.
    Castled(Side),
    /// All pieces of the crowning's kind have been promoted.
    Crowned,
    /// The side to move may crown now.
    Offer,
}

/// A game's text, checked. It never changes; a [`Variant`](crate::Variant) is a definition with its tables.
#[derive(Clone, Debug)]
pub struct Definition {
    id: String,
    name: String,
    aliases: Vec<String>,
    summary: String,
    origin: String,
    clock: TimeControl,
    about: About,
    frame: Frame,
    /// By [`Kind`].
    pieces: Vec<Piece>,
    rules: Rules,
    regions: Vec<Region>,
    looks: [SideLooks; 2],
    customs: Option<Customs>,
    /// The standard one first.
    setups: Vec<NamedSetup>,
    /// The state field's flags with their characters, in order; empty: no such field.
    state: Vec<(char, StateFlag)>,
}

impl Definition {
    /// Its id, such as `citadel8`.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Its name, such as `Citadel - 8 ranks`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What other programs and servers call it.
    pub fn aliases(&self) -> &[String] {
        &self.aliases
    }

    /// A sentence about it.
    pub fn summary(&self) -> &str {
        &self.summary
    }

    /// Who made it, or where it comes from.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// The clock that it is usually played with.
    pub fn clock(&self) -> TimeControl {
        self.clock
    }

    /// What people who choose a game are told.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// The board.
    #[inline(always)]
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// The kinds of piece, by [`Kind`].
    #[inline(always)]
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// All rules beyond the pieces' moves.
    #[inline(always)]
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Regions of the board, for painting.
    pub fn regions(&self) -> &[Region] {
        &self.regions
    }

    /// How the sides' pieces are painted, by side.
    pub fn looks(&self) -> &[SideLooks; 2] {
        &self.looks
    }

    /// What is agreed before a game.
    pub fn customs(&self) -> Option<&Customs> {
        self.customs.as_ref()
    }

    /// What reading and writing position text needs.
    pub(crate) fn notation(&self) -> Notation<'_> {
        Notation {
            frame: &self.frame,
            pieces: &self.pieces,
            state: &self.state,
        }
    }

    /// Set-ups, the standard one first.
    pub fn setups(&self) -> &[NamedSetup] {
        &self.setups
    }

    /// Whether `name` is the game's id, its name or one of its aliases; case, spaces and punctuation do not matter.
    ///
    /// ```
    /// # let mini = husun::Variant::parse("t.toml", husun::doctest::MINI).unwrap();
    /// assert!(mini.is_called("MINI") && mini.is_called("M-i-n-i") && !mini.is_called(""));
    /// ```
    pub fn is_called(&self, name: &str) -> bool {
        let wanted = folded(name);
        let own = [&self.id, &self.name].into_iter().chain(&self.aliases);
        !wanted.is_empty() && own.into_iter().any(|known| folded(known) == wanted)
    }

    /// How many squares a piece of the kind and side may go at once from a square by its initial steps; 1 if it has
    /// none there.
    pub fn initial_steps(&self, side: Side, kind: Kind, from: Square) -> u8 {
        let here =
            |i: &&Initial| i.pieces.contains(&kind) && i.squares[side.index()].contains(&from);
        self.rules.initial.iter().find(here).map_or(1, |i| i.steps)
    }

    /// The kind with a capital letter.
    pub fn kind(&self, letter: char) -> Option<Kind> {
        self.pieces
            .iter()
            .position(|p| p.letter == letter)
            .map(|i| Kind(i as u8))
    }

    /// All kinds.
    pub fn kinds(&self) -> impl DoubleEndedIterator<Item = Kind> + use<> {
        (0..self.pieces.len() as u8).map(Kind)
    }

    /// What a kind is.
    ///
    /// # Panics
    ///
    /// If the kind comes from a game with more kinds.
    pub fn piece(&self, kind: Kind) -> &Piece {
        &self.pieces[kind.index()]
    }

    /// The set-up with a name.
    pub fn setup(&self, name: &str) -> Option<&Setup> {
        self.setups
            .iter()
            .find(|s| s.name == name)
            .map(|s| &s.setup)
    }

    /// The state field's flags with their characters, in their order; empty if the game has no such
    /// field.
    pub fn state_flags(&self) -> &[(char, StateFlag)] {
        &self.state
    }

    /// How many pieces of a kind the side has in the standard set-up.
    pub fn setup_count(&self, side: Side, kind: Kind) -> u32 {
        let standard = self.setups.first().map(|s| &s.setup.board);
        let pieces = standard.into_iter().flatten().flatten();
        pieces.filter(|&&piece| piece == (side, kind)).count() as u32
    }

    /// Bit of a state flag in a position's flags.
    pub(crate) fn flag_bit(&self, flag: StateFlag) -> u16 {
        self.state
            .iter()
            .position(|&(_, f)| f == flag)
            .map_or(0, |i| 1 << i)
    }
}

/// Letters and digits only, in lowercase: `Citadel - 8 ranks` and `citadel 8 Ranks` are the same.
fn folded(name: &str) -> String {
    let kept = name.chars().filter(|c| c.is_alphanumeric());
    kept.flat_map(char::to_lowercase).collect()
}
