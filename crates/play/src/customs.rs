//! Match customs: the games of a family and the questions by which players settle on one, from the games' own
//! data (`[customs]` in game.toml; games/citadel9/rules.md and games/strike80/rules.md, Match custom).

use husun::Variant;
use husun::variant::Customs;
use std::sync::Arc;

/// How players agree on a game of a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Each names a value; if they differ, a die decides.
    Die,
    /// White makes the first choice, then Black the second.
    Turns,
}

/// A family of games to choose from.
#[derive(Clone, Debug)]
pub struct Family {
    /// Its name.
    pub name: String,
    /// How players agree.
    pub method: Method,
    /// The questions, in order.
    pub questions: Vec<Question>,
    /// The games.
    pub variants: Vec<Arc<Variant>>,
}

/// A question to settle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Its name, such as `ranks`.
    pub name: String,
    /// The values, the default first.
    pub values: Vec<String>,
}

/// How a variant's customs are agreed.
pub fn method(customs: &Customs) -> Method {
    match customs.method.as_str() {
        "die" => Method::Die,
        _ => Method::Turns,
    }
}

/// All families of the built-in games. Games from files are chosen individually.
pub(crate) fn families() -> Vec<Arc<Family>> {
    let mut families: Vec<Family> = Vec::new();
    for variant in ::games::ids().filter_map(::games::variant) {
        let Some(customs) = variant.customs() else {
            continue;
        };
        let at = families.iter().position(|f| f.name == customs.family);
        let at = at.unwrap_or_else(|| {
            families.push(Family {
                name: customs.family.clone(),
                method: method(customs),
                questions: Vec::new(),
                variants: Vec::new(),
            });
            families.len() - 1
        });
        for (name, value) in &customs.choice {
            families[at].note(name, value, customs.default);
        }
        families[at].variants.push(variant);
    }
    families.into_iter().map(Arc::new).collect()
}

impl Family {
    fn note(&mut self, name: &str, value: &str, default: bool) {
        let at = self.questions.iter().position(|q| q.name == name);
        let at = at.unwrap_or_else(|| {
            self.questions.push(Question {
                name: name.into(),
                values: Vec::new(),
            });
            self.questions.len() - 1
        });
        let values = &mut self.questions[at].values;
        values.retain(|v| v != value || !default);
        if default {
            values.insert(0, value.into());
        } else if !values.iter().any(|v| v == value) {
            values.push(value.into());
        }
    }

    /// The game to which values lead, in the order of the questions.
    pub fn variant(&self, values: &[Option<String>]) -> Option<&Arc<Variant>> {
        self.variants.iter().find(|v| {
            let choice = v.customs().into_iter().flat_map(|c| &c.choice);
            choice
                .into_iter()
                .all(|(name, value)| self.settled(values, name) == Some(value))
        })
    }

    fn settled<'a>(&self, values: &'a [Option<String>], name: &str) -> Option<&'a String> {
        let at = self.questions.iter().position(|q| q.name == name)?;
        values.get(at)?.as_ref()
    }

    /// Whether players of its games may appoint a Counsellor.
    pub fn has_counsellors(&self) -> bool {
        let mut customs = self.variants.iter().filter_map(|v| v.customs());
        customs.any(|c| c.counsellor)
    }
}

/// The value that a die decides on: even for the lower number, odd for the higher, as with `8` and `9`.
pub fn by_die(values: &[String], die: u8) -> String {
    let mut values: Vec<&String> = values.iter().collect();
    values.sort_by_key(|v| (v.len(), v.as_str()));
    let value = values.get(usize::from(die % 2)).or(values.first());
    value.map(|v| v.to_string()).unwrap_or_default()
}
