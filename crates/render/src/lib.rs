//! Boards and move diagrams as SVG, PNG and terminal text.
//!
//! A [`Picture`] says what to show: pieces, point of view, marks. [`svg`], [`png`] and [`text`] draw it, each with a
//! style of its own. A [`Diagram`] is the picture of how one piece moves; a [`Figure`] is one or several pictures
//! described by a text. Nothing here depends on the machine's fonts or files: all letters are drawn as paths.
//!
//! ```
//! use husun_render::{Picture, Style, TextStyle};
//! let chess = games::variant("chess").unwrap();
//! let start = chess.start();
//! let svg = husun_render::svg::board(&Picture::of(&start), &Style::default());
//! assert!(svg.starts_with("<svg "));
//! let text = husun_render::text::board(&Picture::of(&start), &TextStyle::default());
//! assert!(text.starts_with("8 r n b q k b n r\n7 p p p p p p p p\n6 . . . . . . . ."));
//! ```

pub mod color;
pub mod described;
pub mod diagram;
pub mod figure;
pub mod glyph;
pub mod images;
pub mod picture;
pub mod png;
pub mod style;
pub mod svg;
pub mod text;

pub use color::Rgb;
pub use diagram::Diagram;
pub use figure::{Figure, FigureError};
pub use picture::{Ink, Mark, Occupant, Picture};
pub use style::{BoardColors, PieceSet, SquareSize, Style, Theme};
pub use text::TextStyle;
