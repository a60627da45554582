//! Pictures as PNG: the SVG of [`crate::svg`], rasterised. No fonts, no files.

use crate::picture::Picture;
use crate::style::Style;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg;

/// Longest side of a PNG in pixels.
const LONGEST: u32 = 8192;

/// Why no PNG could be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PngError {
    /// The SVG cannot be read.
    #[error("the SVG cannot be read: {0}")]
    Svg(String),
    /// The picture is too large.
    #[error("a picture of {width} by {height} pixels: expected at most {most} by {most}")]
    TooLarge {
        /// Its width.
        width: u32,
        /// Its height.
        height: u32,
        /// The longest side.
        most: u32,
    },
    /// The PNG cannot be written.
    #[error("the PNG cannot be written: {0}")]
    Encode(String),
}

/// A picture as PNG, as many pixels wide and high as its SVG.
///
/// ```
/// use husun_render::{Picture, Style};
/// let chess = games::variant("chess").unwrap();
/// let png = husun_render::png::board(&Picture::of(&chess.start()), &Style::default()).unwrap();
/// assert!(png.starts_with(b"\x89PNG"));
/// ```
pub fn board(picture: &Picture, style: &Style) -> Result<Vec<u8>, PngError> {
    rasterise(&crate::svg::board(picture, style))
}

/// An SVG of this library as PNG.
pub fn rasterise(svg: &str) -> Result<Vec<u8>, PngError> {
    let tree = usvg::Tree::from_str(svg, &usvg::Options::default())
        .map_err(|e| PngError::Svg(e.to_string()))?;
    let size = tree.size().to_int_size();
    let (width, height) = (size.width(), size.height());
    let too_large = PngError::TooLarge {
        width,
        height,
        most: LONGEST,
    };
    if width > LONGEST || height > LONGEST {
        return Err(too_large);
    }
    let mut pixmap = Pixmap::new(width, height).ok_or(too_large)?;
    resvg::render(&tree, Transform::identity(), &mut pixmap.as_mut());
    pixmap
        .encode_png()
        .map_err(|e| PngError::Encode(e.to_string()))
}
