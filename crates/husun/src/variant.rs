//! A game, checked: board, pieces, set-ups, special rules as parameters of named mechanisms, and what
//! people want to know of it. Built from a [game text](crate::doc); the tables that moves are made
//! from are derived in [`crate::tables`].

use crate::betza::Part;
use crate::clock::TimeControl;
use crate::doc::{GameError, Library, NoLibrary};
use crate::frame::{Frame, Square};
use crate::setup::Setup;
use crate::side::{Side, Wing};
use crate::width::{AnyTables, VisitTables};
use std::sync::Arc;

mod build;
mod check;
mod sense;

/// Number of a kind of piece within a variant: its place in [`Variant::pieces`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Kind(pub(crate) u8);

impl Kind {
    /// The number, from 0.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A kind of piece.
#[derive(Clone, Debug)]
pub struct Piece {
    /// Capital letter in position and move text.
    pub letter: char,
    /// Name, as `White Tiger-Rider`.
    pub name: String,
    /// Its way of moving in Betza notation, as written in the game file.
    pub betza: String,
    /// The same, read.
    pub parts: Vec<Part>,
    /// Whether it is royal (if several royals are switched on: while its side has just one).
    pub royal: bool,
    /// Whether it is of pawn type: its moves reset the move rule's clock.
    pub pawn: bool,
    /// Name of its picture.
    pub image: String,
}

/// Squares of a mechanism for each side; Black's are White's reflected.
pub type SideSquares = [Vec<Square>; 2];

/// Initial steps: from these squares pawn-type pieces may go up to so many squares.
#[derive(Clone, Debug)]
pub struct Initial {
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
    /// The royal piece that castles.
    pub piece: Kind,
    /// The rook-type piece.
    pub partner: Kind,
    /// By side and wing.
    pub paths: [[Option<CastlePath>; 2]; 2],
}

impl Castling {
    /// The squares of a castling, if the game has it.
    pub fn path(&self, side: Side, wing: Wing) -> Option<CastlePath> {
        self.paths[side.index()][wing.index()]
    }
}

/// Promotion by choice on ranks.
#[derive(Clone, Debug)]
pub struct Promotion {
    /// Who promotes.
    pub pieces: Vec<Kind>,
    /// To what, always.
    pub to: Vec<Kind>,
    /// To what besides, while fewer of the kind stand on the board than in the set-up.
    pub captured: Vec<Kind>,
    /// Squares on which promotion may be declined.
    pub optional: SideSquares,
    /// Squares on which it may not.
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
    /// The royal piece that may, while its side has not castled.
    pub piece: Kind,
    /// What it becomes by going further than a step of its own.
    pub becomes: Kind,
    /// Each side's castle.
    pub castle: SideSquares,
}

/// Promotion of all pieces of a kind, of both sides, in lieu of a move, offered by a Traverse.
#[derive(Clone, Copy, Debug)]
pub struct Crowning {
    /// Who is promoted.
    pub piece: Kind,
    /// To what.
    pub becomes: Kind,
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
    /// Whether a side whose opponent has only its royal piece, and which has more itself, has won.
    pub bare_king: bool,
    /// Whether a board with royal pieces alone is a draw.
    pub bare_royals: bool,
    /// Half-moves without capture, pawn move or promotion after which the game is drawn.
    pub move_rule: Option<u32>,
    /// Occurrence of a position at which the game is drawn.
    pub repetition: Option<u32>,
    /// Squares on which a side's royal piece draws the game at once.
    pub citadels: Option<SideSquares>,
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
    /// Royal kinds that change the points: added for beating one, added to one's own draw with it.
    pub royal: Vec<(Kind, f64, f64)>,
}

/// All rules beyond the pieces' moves.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Initial steps.
    pub initial: Option<Initial>,
    /// Castling.
    pub castling: Option<Castling>,
    /// Promotion.
    pub promotion: Option<Promotion>,
    /// What pawn-type pieces become on a square, without choice.
    pub arrivals: Vec<Arrival>,
    /// Prisoners that a pawn-type piece releases by arriving.
    pub prison: Vec<Arrival>,
    /// Whether a side may have several royals, none of which is royal then.
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
    /// Name of the side, as `South`.
    pub name: String,
    /// Colour of the body, `#rrggbb`.
    pub fill: String,
    /// Colour of outline and details, `#rrggbb`.
    pub detail: String,
    /// Whether the body is striped.
    pub stripes: bool,
}

/// What the players agree on before a game of a family.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Customs {
    /// Family of games that are chosen between.
    pub family: String,
    /// How: `die` (each names one, a die decides) or `turns` (one chooses, then the other).
    pub method: String,
    /// The choices that lead to this game, name and value, in the order in which they are made.
    pub choice: Vec<(String, String)>,
    /// Whether this game is played where nobody chooses.
    pub default: bool,
    /// Whether players may appoint a Counsellor.
    pub counsellor: bool,
}

/// A named set-up.
#[derive(Clone, Debug)]
pub struct NamedSetup {
    /// Name, `standard` for the game's own.
    pub name: String,
    /// The pieces and all else.
    pub setup: Setup,
}

/// A flag of the state field of position text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateFlag {
    /// The side's prisoner of a kind is still in prison.
    InPrison(Side, Kind),
    /// The side has castled in a game where that forbids to Traverse.
    Castled(Side),
    /// All pieces of the crowning's kind have been promoted.
    Crowned,
    /// The side to move may crown now.
    Offer,
}

/// A game, checked.
#[derive(Clone, Debug)]
pub struct Variant {
    /// Its id, as `citadel8`.
    pub id: String,
    /// Its name, as `Citadel - 8 ranks`.
    pub name: String,
    /// What other programs and servers call it.
    pub aliases: Vec<String>,
    /// A sentence about it.
    pub summary: String,
    /// Who made it, or where it comes from.
    pub origin: String,
    /// The clock that it is usually played with.
    pub clock: TimeControl,
    /// The board.
    pub frame: Frame,
    /// The kinds of piece, by [`Kind`].
    pub pieces: Vec<Piece>,
    /// All rules.
    pub rules: Rules,
    /// Regions, for painting.
    pub regions: Vec<Region>,
    /// By side.
    pub looks: [SideLooks; 2],
    /// What is agreed before a game.
    pub customs: Option<Customs>,
    /// Set-ups, the standard one first.
    pub setups: Vec<NamedSetup>,
    /// The state field's flags with their characters, in order; empty: no such field.
    pub(crate) state: Vec<(char, StateFlag)>,
    /// How many of each kind stand in the standard set-up, by side.
    pub(crate) setup_counts: [Vec<u32>; 2],
    /// Squares on which a pawn-type piece can ever stand, by kind and side.
    pub(crate) pawn_squares: Vec<[Vec<bool>; 2]>,
    pub(crate) tables: AnyTables,
}

impl Variant {
    /// Reads a game file that inherits from nothing. `file` names it in errors.
    ///
    /// ```
    /// let text = r#"
    ///     id = "mini"
    ///     name = "Mini"
    ///     [board]
    ///     files = 4
    ///     ranks = 4
    ///     [setups]
    ///     standard = "1k1r/4/4/R1K1 w - - 0 1"
    ///     [[pieces]]
    ///     letter = "K"
    ///     betza = "K"
    ///     royal = true
    ///     [[pieces]]
    ///     letter = "R"
    ///     betza = "R"
    /// "#;
    /// let mini = husun::Variant::parse("mini.toml", text).unwrap();
    /// assert_eq!(mini.start().legal_moves().len(), 7);
    /// ```
    pub fn parse(file: &str, text: &str) -> Result<Arc<Variant>, GameError> {
        Self::parse_with(file, text, &NoLibrary)
    }

    /// Reads a game file that may inherit from the games of a library.
    pub fn parse_with(
        file: &str,
        text: &str,
        library: &dyn Library,
    ) -> Result<Arc<Variant>, GameError> {
        let (doc, sources) = crate::doc::read(file, text, library)?;
        build::build(doc, &sources).map(Arc::new)
    }

    /// Whether the game goes by a name: its id, its name or one of its aliases, whatever the capitals and the signs
    /// between the words.
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

    /// The kind of a capital letter.
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
    /// If the kind is of a game with more kinds.
    pub fn piece(&self, kind: Kind) -> &Piece {
        &self.pieces[kind.index()]
    }

    /// The set-up of a name.
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
        let counts = &self.setup_counts[side.index()];
        counts.get(kind.index()).copied().unwrap_or(0)
    }

    /// Hands the tables of moves to code that is generic over their width.
    pub fn visit<V: VisitTables>(&self, v: V) -> V::Output {
        self.tables.visit(v)
    }

    pub(crate) fn tables(&self) -> &AnyTables {
        &self.tables
    }

    /// The same game with tables that use nothing that not every processor has: for tests and
    /// measurements that compare the two.
    #[doc(hidden)]
    pub fn portable(&self) -> Arc<Variant> {
        let mut variant = self.clone();
        variant.tables = match &self.tables {
            AnyTables::W64(t) => AnyTables::W64(Arc::new(t.portable())),
            AnyTables::W128(t) => AnyTables::W128(Arc::new(t.portable())),
            AnyTables::W192(t) => AnyTables::W192(Arc::new(t.portable())),
        };
        Arc::new(variant)
    }

    /// Bit of a state flag in a position's flags.
    pub(crate) fn flag_bit(&self, flag: StateFlag) -> u16 {
        self.state
            .iter()
            .position(|&(_, f)| f == flag)
            .map_or(0, |i| 1 << i)
    }
}

/// Letters and digits alone, in small letters: `Citadel - 8 ranks` and `citadel 8 Ranks` are the same.
fn folded(name: &str) -> String {
    let kept = name.chars().filter(|c| c.is_alphanumeric());
    kept.flat_map(char::to_lowercase).collect()
}
