//! A playable game: what its text says, and the tables that moves are made from, built once.

use crate::doc::{GameDoc, GameError, Library, NoLibrary, Problem, Sources};
use crate::legality::PawnSquares;
use crate::status::Status;
use crate::width::{AnyTables, VisitTables};
use std::ops::Deref;
use std::sync::Arc;

pub use crate::definition::{
    About, Arrival, CastlePath, Castling, Customs, Definition, Endings, Initial, NamedSetup,
    Points, Promotion, Region, Rules, SideLooks, SidePoints, SideSquares, Stalemate, StateFlag,
    Traverse,
};
pub use crate::mechanisms::crowning::Crowning;
pub use crate::piece::{Kind, Piece};
pub use crate::words::{StateLetter, WholeAct};

/// A game: its [`Definition`], whose methods it has by `Deref`, and its tables.
#[derive(Clone, Debug)]
pub struct Variant {
    definition: Definition,
    tables: AnyTables,
    pawn_squares: PawnSquares,
}

impl Deref for Variant {
    type Target = Definition;

    #[inline(always)]
    fn deref(&self) -> &Definition {
        &self.definition
    }
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
        let variant = Variant::new(crate::definition::build::build(&doc, &sources)?);
        variant.check_setups(&doc, &sources)?;
        Ok(Arc::new(variant))
    }

    fn new(definition: Definition) -> Variant {
        Variant {
            tables: AnyTables::new(&definition),
            pawn_squares: PawnSquares::new(&definition),
            definition,
        }
    }

    /// Every set-up is a position in which the game goes on.
    fn check_setups(&self, doc: &GameDoc, sources: &Sources) -> Result<(), GameError> {
        for named in self.setups() {
            let wrong = |problem: String| {
                let text = doc.setups.as_ref().and_then(|all| all.get(&named.name));
                let at = text.map_or(0, |s| s.span().start);
                let key = format!("setups.{}", named.name);
                sources.error(at, key, Problem::Setup(problem))
            };
            let status = self.status_of(&named.setup);
            let status = status.map_err(|e| wrong(e.to_string()))?;
            if status != Status::Ongoing {
                let name = status.name();
                return Err(wrong(format!("the game is over before it begins: {name}")));
            }
        }
        Ok(())
    }

    /// What the game's text says.
    pub fn definition(&self) -> &Definition {
        &self.definition
    }

    pub(crate) fn pawn_squares(&self) -> &PawnSquares {
        &self.pawn_squares
    }

    /// Hands the tables of moves to code that is generic over their width.
    pub fn visit<V: VisitTables>(&self, v: V) -> V::Output {
        self.tables.visit(v)
    }

    /// The tables at a width, if that is their own.
    pub fn at_width<S: crate::set::Set>(&self) -> Option<&Arc<crate::tables::Tables<S>>> {
        self.tables.get()
    }

    pub(crate) fn tables(&self) -> &AnyTables {
        &self.tables
    }

    /// This game with tables that use only what every processor has: for tests and measurements that compare
    /// the two.
    #[doc(hidden)]
    pub fn portable(&self) -> Arc<Variant> {
        Arc::new(Variant {
            tables: self.tables.portable(),
            ..self.clone()
        })
    }
}
