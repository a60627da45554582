//! The piece images of `pieces/`, embedded, and which of them a piece gets. Painting them is up to [`crate::svg`].

use husun::{Kind, Side, Variant};

/// A piece image: two paths in a view box of 100 by 100, as `pieces/NOTICE.md` describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Image<'a> {
    /// Its name, as in [`husun::variant::Piece::image`]; for a picture from the game file, the file's word for it.
    pub name: &'a str,
    /// Path data of the silhouette: the side's colour with an outline in the contrasting one.
    pub body: &'a str,
    /// Path data of the marks upon it: the contrasting colour.
    pub detail: &'a str,
}

/// Sorted by name.
const IMAGES: &[Image<'static>] = include!(concat!(env!("OUT_DIR"), "/images.rs"));

/// All images in the order of their names.
pub fn all() -> &'static [Image<'static>] {
    IMAGES
}

/// The image with a name.
///
/// ```
/// assert!(husun_render::images::find("lion").is_some());
/// assert!(husun_render::images::find("unicorn").is_none());
/// ```
pub fn find(name: &str) -> Option<&'static Image<'static>> {
    let at = IMAGES.binary_search_by(|i| i.name.cmp(name)).ok()?;
    IMAGES.get(at)
}

/// The images that a game names and that do not exist, each with the letter of its piece; letters are drawn instead.
pub fn missing(variant: &Variant) -> Vec<(char, &str)> {
    let pieces = variant.pieces().iter();
    let named = pieces.filter(|p| p.drawing.is_none() && !p.image.is_empty());
    let missing = named.filter(|p| find(&p.image).is_none());
    missing.map(|p| (p.letter, p.image.as_str())).collect()
}

/// The image of a piece: if several royals are in play and this one is royal now because it is the only one of its
/// side, the image `NAME-royal` if there is one. A picture of the game's own takes precedence. `royals` is how many
/// pieces of royal kinds its side has. `None` if the game names an image that does not exist.
///
/// ```
/// use husun::Side;
/// let citadel = games::variant("citadel8").unwrap();
/// let prince = citadel.kind('K').unwrap();
/// let name = |royals| husun_render::images::of(&citadel, prince, royals).unwrap().name;
/// assert_eq!((name(1), name(2)), ("prince-elder-royal", "prince-elder"));
/// ```
pub fn of(variant: &Variant, kind: Kind, royals: usize) -> Option<Image<'_>> {
    let piece = variant.pieces().get(kind.index())?;
    if let Some(own) = &piece.drawing {
        return Some(Image {
            name: &piece.image,
            body: &own.body,
            detail: &own.detail,
        });
    }
    let royal = variant.rules().several_royals && piece.royal && royals == 1;
    let special = royal
        .then(|| find(&format!("{}-royal", piece.image)))
        .flatten();
    special.or_else(|| find(&piece.image)).copied()
}

/// Chess symbols of Unicode by image: White's and Black's.
const SYMBOLS: [(&str, [char; 2]); 6] = [
    ("king", ['♔', '♚']),
    ("queen", ['♕', '♛']),
    ("rook", ['♖', '♜']),
    ("bishop", ['♗', '♝']),
    ("knight", ['♘', '♞']),
    ("pawn", ['♙', '♟']),
];

/// The Unicode chess symbol of an image, if there is one that terminals have.
///
/// ```
/// use husun::Side;
/// assert_eq!(husun_render::images::symbol("knight", Side::White), Some('♘'));
/// assert_eq!(husun_render::images::symbol("ram", Side::White), None);
/// ```
pub fn symbol(image: &str, side: Side) -> Option<char> {
    let (_, symbols) = SYMBOLS.iter().find(|(name, _)| *name == image)?;
    symbols.get(side.index()).copied()
}
