//! The sections of a game's text as they are written, each spelt once: what is read, what an heir may leave out and
//! what it takes over all follow from one list.

use super::At;
use crate::mechanisms::crowning::CrowningDoc;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

/// The text with its sections, those that an heir may leave out.
macro_rules! game_doc {
    ($($section:ident: $content:ty,)*) => {
        /// A game's text as read: every key is optional, since another game may supply it.
        #[derive(Clone, Debug, Default, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct GameDoc {
            pub id: Option<At<String>>,
            pub name: Option<At<String>>,
            /// What others call the game; never inherited.
            pub aliases: Option<Vec<At<String>>>,
            /// Whether the file may take the place of a built-in game; never inherited.
            pub replaces: Option<At<bool>>,
            pub inherits: Option<At<String>>,
            /// Inherited sections, setups (`setups.NAME`) and pieces (`pieces.LETTER`) to leave out.
            pub without: Option<Vec<At<String>>>,
            pub summary: Option<At<String>>,
            pub origin: Option<At<String>>,
            pub clock: Option<At<String>>,
            pub board: Option<At<BoardDoc>>,
            #[serde(default)]
            pub pieces: Vec<At<PieceDoc>>,
            $(pub $section: Option<$content>,)*
        }

        impl GameDoc {
            /// The names of the sections.
            pub const SECTIONS: &[&str] = &[$(stringify!($section)),*];

            /// Removes a section and tells whether it was there.
            pub fn leave_out(&mut self, section: &str) -> bool {
                match section {
                    $(stringify!($section) => self.$section.take().is_some(),)*
                    _ => false,
                }
            }

            /// Takes over each section that it lacks.
            pub fn take_over(&mut self, base: &mut GameDoc) {
                $(self.$section = self.$section.take().or(base.$section.take());)*
            }
        }
    };
}

game_doc! {
    about: At<AboutDoc>,
    setups: BTreeMap<String, At<String>>,
    initial: At<OneOrMany<InitialDoc>>,
    castling: At<CastlingDoc>,
    promotion: At<PromotionDoc>,
    arrivals: At<Vec<ArrivalDoc>>,
    prison: At<Vec<ArrivalDoc>>,
    royals: At<RoyalsDoc>,
    citadels: At<CitadelsDoc>,
    traverse: At<TraverseDoc>,
    crowning: At<CrowningDoc>,
    endings: At<EndingsDoc>,
    points: At<PointsDoc>,
    regions: BTreeMap<String, At<RegionDoc>>,
    looks: At<LooksDoc>,
    customs: At<CustomsDoc>,
}

/// A section that may be given once (`[initial]`) or several times (`[[initial]]`).
#[derive(Clone, Debug)]
pub(crate) struct OneOrMany<T>(pub Vec<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OneOrMany<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Either<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Either<T> {
            type Value = OneOrMany<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(|one| OneOrMany(vec![one]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(list)).map(OneOrMany)
            }
        }

        from.deserialize_any(Either(PhantomData))
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BoardDoc {
    pub files: At<i64>,
    pub ranks: At<i64>,
    #[serde(default)]
    pub missing: Vec<At<String>>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PieceDoc {
    pub letter: At<String>,
    pub name: Option<At<String>>,
    pub betza: Option<At<String>>,
    pub royal: Option<bool>,
    pub pawn: Option<bool>,
    pub image: Option<At<String>>,
    /// A picture of its own: the name of a file, or the picture itself.
    pub picture: Option<At<String>>,
    pub text: Option<At<String>>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct InitialDoc {
    /// The pieces that have them; all of pawn type if missing.
    pub pieces: Option<Vec<At<String>>>,
    pub steps: At<i64>,
    pub ranks: Vec<At<i64>>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CastlingDoc {
    pub name: Option<At<String>>,
    pub piece: At<String>,
    pub partner: At<String>,
    pub from: At<String>,
    pub east: Option<CastleDoc>,
    pub west: Option<CastleDoc>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CastleDoc {
    /// A square, or a stretch of them to choose from.
    pub to: At<String>,
    pub partner_from: At<String>,
    pub partner_to: At<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PromotionDoc {
    pub pieces: Vec<At<String>>,
    #[serde(default)]
    pub to: Vec<At<String>>,
    #[serde(default)]
    pub captured: Vec<At<String>>,
    /// Like `captured`, on the optional ranks alone.
    #[serde(default)]
    pub captured_optional: Vec<At<String>>,
    #[serde(default)]
    pub optional_ranks: Vec<At<i64>>,
    #[serde(default)]
    pub mandatory_ranks: Vec<At<i64>>,
}

/// A piece with squares: what a pawn-type piece becomes there, or whom it releases.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ArrivalDoc {
    pub piece: At<String>,
    pub squares: Vec<At<String>>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RoyalsDoc {
    #[serde(default)]
    pub several: bool,
    #[serde(default)]
    pub apart: bool,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CitadelsDoc {
    pub squares: Vec<At<String>>,
    /// Who may enter them: `all` if missing, or `royal`.
    pub entry: Option<At<String>>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TraverseDoc {
    pub name: Option<At<String>>,
    pub piece: At<String>,
    pub becomes: At<String>,
    pub squares: Vec<At<String>>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EndingsDoc {
    pub stalemate: Option<At<String>>,
    #[serde(default)]
    pub bare_king: bool,
    #[serde(default)]
    pub bare_royals: bool,
    pub move_rule: Option<At<i64>>,
    pub repetition: Option<At<i64>>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PointsDoc {
    pub win: Option<At<f64>>,
    pub draw: Option<At<f64>>,
    pub loss: Option<At<f64>>,
    pub green_gem: Option<At<f64>>,
    pub champion: Option<String>,
    pub white: Option<SidePointsDoc>,
    pub black: Option<SidePointsDoc>,
    #[serde(default)]
    pub royal: Vec<RoyalPointsDoc>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SidePointsDoc {
    pub win: Option<At<f64>>,
    pub draw: Option<At<f64>>,
    pub loss: Option<At<f64>>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RoyalPointsDoc {
    pub piece: At<String>,
    pub beaten: At<f64>,
    pub draw: At<f64>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RegionDoc {
    pub name: String,
    pub squares: Vec<At<String>>,
    pub color: At<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LooksDoc {
    pub white: Option<SideLooksDoc>,
    pub black: Option<SideLooksDoc>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SideLooksDoc {
    pub name: Option<String>,
    pub fill: Option<At<String>>,
    pub detail: Option<At<String>>,
    pub accent: Option<At<String>>,
    #[serde(default)]
    pub stripes: bool,
}

/// What people who choose a game are told.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AboutDoc {
    pub family: Option<String>,
    pub difficulty: Option<At<i64>>,
    pub minutes: Option<At<i64>>,
    pub from_chess: Option<String>,
    pub first_lesson: Option<String>,
}

/// What a server offers before a game: which games there are to choose from, and how.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CustomsDoc {
    pub family: At<String>,
    pub method: At<String>,
    #[serde(default)]
    pub choice: BTreeMap<String, String>,
    /// Names of the choices in the order in which they are made; alphabetical if missing.
    #[serde(default)]
    pub order: Vec<At<String>>,
    /// Whether this game is played if nobody chooses.
    #[serde(default)]
    pub default: bool,
    #[serde(default)]
    pub counsellor: bool,
}
