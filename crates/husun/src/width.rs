//! The three widths of a set of squares behind one interface: which of them a game needs is decided here and
//! nowhere else. Code that is generic over the width is handed tables and positions by a visitor.

use crate::definition::Definition;
use crate::pos::Pos;
use crate::set::{Set, Words};
use crate::tables::Tables;
use std::any::Any;
use std::sync::Arc;

/// What is done with a game's tables, whatever their width: see [`Variant::visit`](crate::Variant::visit).
pub trait VisitTables {
    /// The result.
    type Output;
    /// Called once, with the tables at their width.
    fn visit<S: Set>(self, tables: &Arc<Tables<S>>) -> Self::Output;
}

/// What is done with a position, whatever its width: see [`Position::visit`](crate::Position::visit).
pub trait VisitPosition {
    /// The result.
    type Output;
    /// Called once, with the position and its tables at their width.
    fn visit<S: Set>(self, tables: &Arc<Tables<S>>, pos: &Pos<S>) -> Self::Output;
}

/// Tables at the width that a game needs.
#[derive(Clone, Debug)]
pub(crate) enum AnyTables {
    /// Up to 64 squares and 8 kinds.
    W64(Arc<Tables<Words<1>>>),
    /// Up to 128 squares and 16 kinds.
    W128(Arc<Tables<Words<2>>>),
    /// Up to 192 squares and 24 kinds.
    W192(Arc<Tables<Words<3>>>),
}

/// A position at one of the widths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::large_enum_variant)] // positions are copied to make a move; a box would cost more
pub(crate) enum AnyPos {
    /// See [`AnyTables::W64`].
    W64(Pos<Words<1>>),
    /// See [`AnyTables::W128`].
    W128(Pos<Words<2>>),
    /// See [`AnyTables::W192`].
    W192(Pos<Words<3>>),
}

impl AnyTables {
    /// The tables of a definition, at the least width that has room for its squares and kinds.
    pub fn new(definition: &Definition) -> AnyTables {
        match (definition.frame().len(), definition.pieces().len()) {
            (0..=64, 0..=8) => AnyTables::W64(Arc::new(Tables::new(definition))),
            (0..=128, 0..=16) => AnyTables::W128(Arc::new(Tables::new(definition))),
            _ => AnyTables::W192(Arc::new(Tables::new(definition))),
        }
    }

    /// The tables, if they have this width.
    pub fn get<S: Set>(&self) -> Option<&Arc<Tables<S>>> {
        let tables: &dyn Any = match self {
            AnyTables::W64(t) => t,
            AnyTables::W128(t) => t,
            AnyTables::W192(t) => t,
        };
        tables.downcast_ref()
    }

    /// Tables that use only what every processor has.
    pub fn portable(&self) -> AnyTables {
        match self {
            AnyTables::W64(t) => AnyTables::W64(Arc::new(t.portable())),
            AnyTables::W128(t) => AnyTables::W128(Arc::new(t.portable())),
            AnyTables::W192(t) => AnyTables::W192(Arc::new(t.portable())),
        }
    }

    pub fn visit<V: VisitTables>(&self, v: V) -> V::Output {
        match self {
            AnyTables::W64(t) => v.visit(t),
            AnyTables::W128(t) => v.visit(t),
            AnyTables::W192(t) => v.visit(t),
        }
    }
}

impl From<Pos<Words<1>>> for AnyPos {
    fn from(pos: Pos<Words<1>>) -> AnyPos {
        AnyPos::W64(pos)
    }
}

impl From<Pos<Words<2>>> for AnyPos {
    fn from(pos: Pos<Words<2>>) -> AnyPos {
        AnyPos::W128(pos)
    }
}

impl From<Pos<Words<3>>> for AnyPos {
    fn from(pos: Pos<Words<3>>) -> AnyPos {
        AnyPos::W192(pos)
    }
}

impl AnyPos {
    /// The position, if it has this width.
    pub fn get<S: Set>(&self) -> Option<&Pos<S>> {
        let pos: &dyn Any = match self {
            AnyPos::W64(p) => p,
            AnyPos::W128(p) => p,
            AnyPos::W192(p) => p,
        };
        pos.downcast_ref()
    }
}

/// Runs an expression with a position's tables and itself at their width: [`VisitPosition`] for expressions.
macro_rules! at_width {
    ($position:expr, |$t:ident, $p:ident| $body:expr) => {{
        use $crate::width::{AnyPos, AnyTables};
        match ($position.variant.tables(), &$position.pos) {
            (AnyTables::W64($t), AnyPos::W64($p)) => $body,
            (AnyTables::W128($t), AnyPos::W128($p)) => $body,
            (AnyTables::W192($t), AnyPos::W192($p)) => $body,
            _ => unreachable!("a position is made at the width of its variant"),
        }
    }};
}
pub(crate) use at_width;
