//! The options of the engine as both protocols offer them: one list with names, shapes and bounds, used to announce
//! and to set them.

use engine::{Level, MAX_LINES, MAX_THREADS, Options};
use husun::clock::TimeControl;
use std::time::Duration;

/// Lowest and highest value of `UCI_Elo`: the ratings of the first level and the last. Between them the level with the
/// nearest rating plays.
pub const ELO: (i64, i64) = (Level::FIRST.rating() as i64, Level::FULL.rating() as i64);

/// What UCI says for a text that is empty.
pub(crate) const EMPTY: &str = "<empty>";

/// An option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name {
    /// The game.
    Variant,
    /// Mebibytes of the table.
    Hash,
    /// Threads.
    Threads,
    /// Empties the table.
    ClearHash,
    /// Whether the program may let the engine think on the opponent's time.
    Ponder,
    /// Lines reported.
    MultiPv,
    /// Level of strength.
    SkillLevel,
    /// Whether `UCI_Elo` counts.
    LimitStrength,
    /// Strength on a rough scale.
    Elo,
    /// Whether chances of win, draw and loss are reported.
    ShowWdl,
    /// Full strength, regardless of the level.
    AnalyseMode,
    /// Whether a win worth more points is worth more than a mate.
    Points,
    /// Whether the game's network judges positions, if it has one.
    UseNetwork,
    /// Time lost between engine and clock, in milliseconds.
    MoveOverhead,
    /// The clock, if it is one that time left and increments do not describe.
    Clock,
    /// Files of games.
    VariantPath,
    /// Folder of the tables of perfect play.
    TablebasePath,
}

impl Name {
    /// Every option with its name, in the order in which they are announced.
    pub const ALL: [(Name, &'static str); 17] = [
        (Name::Variant, "UCI_Variant"),
        (Name::Hash, "Hash"),
        (Name::Threads, "Threads"),
        (Name::ClearHash, "Clear Hash"),
        (Name::Ponder, "Ponder"),
        (Name::MultiPv, "MultiPV"),
        (Name::SkillLevel, "Skill Level"),
        (Name::LimitStrength, "UCI_LimitStrength"),
        (Name::Elo, "UCI_Elo"),
        (Name::ShowWdl, "UCI_ShowWDL"),
        (Name::AnalyseMode, "UCI_AnalyseMode"),
        (Name::Points, "Points"),
        (Name::UseNetwork, "UseNetwork"),
        (Name::MoveOverhead, "Move Overhead"),
        (Name::Clock, "Clock"),
        (Name::VariantPath, "VariantPath"),
        (Name::TablebasePath, "TablebasePath"),
    ];

    /// The option with a name, ignoring case.
    pub fn find(text: &str) -> Option<Name> {
        let mut all = Name::ALL.iter();
        all.find(|(_, name)| name.eq_ignore_ascii_case(text))
            .map(|(option, _)| *option)
    }

    /// Its name.
    pub fn text(self) -> &'static str {
        let mut all = Name::ALL.iter();
        all.find(|(option, _)| *option == self)
            .map_or("", |(_, name)| name)
    }
}

/// What values an option can have, with its initial one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// True or false.
    Check(bool),
    /// A number.
    Spin {
        /// Initial value.
        value: i64,
        /// Lowest.
        min: i64,
        /// Highest.
        max: i64,
    },
    /// One of several words.
    Combo {
        /// Initial value.
        value: String,
        /// All.
        choices: Vec<String>,
    },
    /// Nothing to set, but something to do.
    Button,
    /// Any text.
    Text,
    /// The name of a folder, or nothing.
    Folder,
}

/// Why an option cannot be set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    /// There is no option with that name.
    #[error("no option `{0}`")]
    Unknown(String),
    /// The value is missing or of the wrong kind.
    #[error("{name}: `{found}`: expected {expected}")]
    Value {
        /// Which option.
        name: &'static str,
        /// What was read.
        found: String,
        /// What was expected.
        expected: String,
    },
}

/// What else must be done once an option is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The engine must be configured.
    Configure,
    /// The table must be emptied.
    Clear,
    /// A game must be chosen.
    Variant(String),
    /// Files of games must be read.
    Files(String),
    /// Tables of perfect play must be opened, or if the text is empty left.
    Tables(String),
}

/// The values of all options that have one.
#[derive(Clone, Debug)]
pub struct Settings {
    options: Options,
    level: i64,
    elo: Option<i64>,
    wanted_elo: i64,
    max_hash: usize,
    /// Whether chances of win, draw and loss are reported.
    pub show_wdl: bool,
    /// Full strength, regardless of the level.
    pub analyse: bool,
    /// The clock, if one was named.
    pub clock: Option<TimeControl>,
}

impl Settings {
    /// Starting values, with the most mebibytes that the table may have.
    pub fn new(max_hash: usize) -> Settings {
        Settings {
            options: Options::default(),
            level: 8,
            elo: None,
            wanted_elo: ELO.1,
            max_hash,
            show_wdl: false,
            analyse: false,
            clock: None,
        }
    }

    /// The engine's options that follow from them.
    ///
    /// ```
    /// use husun_protocol::settings::{Name, Settings};
    /// let mut settings = Settings::new(1024);
    /// settings.set(Name::LimitStrength, Some("true"), &[]).unwrap();
    /// settings.set(Name::Elo, Some("1200"), &[]).unwrap();
    /// assert_eq!(settings.options().level.number(), 3);
    /// let error = settings.set(Name::Hash, Some("0"), &[]).unwrap_err();
    /// assert_eq!(error.to_string(), "Hash: `0`: expected a number from 1 to 1024");
    /// ```
    pub fn options(&self) -> Options {
        let numbered = |number: i64| u8::try_from(number).ok().and_then(Level::new);
        let level = match self.elo {
            _ if self.analyse => None,
            Some(elo) => Level::all().min_by_key(|level| elo.abs_diff(level.rating().into())),
            None => numbered(self.level),
        };
        Options {
            level: level.unwrap_or(Level::FULL),
            ..self.options.clone()
        }
    }

    /// What values an option can have; `ids` are the available games.
    pub fn shape(&self, name: Name, ids: &[String]) -> Shape {
        let start = Options::default();
        let spin = |value: usize, max: usize| Shape::Spin {
            value: value as i64,
            min: 1,
            max: max as i64,
        };
        match name {
            Name::Variant => Shape::Combo {
                value: games::ORTHODOX.into(),
                choices: ids.to_vec(),
            },
            Name::Hash => spin(start.hash, self.max_hash),
            Name::Threads => spin(start.threads, MAX_THREADS),
            Name::MultiPv => spin(start.lines, MAX_LINES),
            Name::SkillLevel => spin(8, 8),
            Name::Elo => Shape::Spin {
                value: ELO.1,
                min: ELO.0,
                max: ELO.1,
            },
            Name::MoveOverhead => Shape::Spin {
                value: start.overhead.as_millis() as i64,
                min: 0,
                max: 5000,
            },
            Name::ClearHash => Shape::Button,
            Name::VariantPath | Name::Clock => Shape::Text,
            Name::TablebasePath => Shape::Folder,
            Name::UseNetwork => Shape::Check(start.network),
            Name::Ponder
            | Name::LimitStrength
            | Name::ShowWdl
            | Name::AnalyseMode
            | Name::Points => Shape::Check(false),
        }
    }

    /// Sets an option and says what else must be done.
    pub fn set(
        &mut self,
        name: Name,
        value: Option<&str>,
        ids: &[String],
    ) -> Result<Effect, OptionError> {
        let text = value.unwrap_or("").trim();
        let wrong = |expected: String| OptionError::Value {
            name: name.text(),
            found: text.chars().take(40).collect(),
            expected,
        };
        match self.shape(name, ids) {
            Shape::Button => Ok(Effect::Clear),
            Shape::Folder => Ok(Effect::Tables(text.replace(EMPTY, ""))),
            Shape::Text => {
                let text = if text == EMPTY { "" } else { text };
                if name != Name::Clock {
                    return Ok(Effect::Files(text.into()));
                }
                self.clock = match text {
                    "" => None,
                    _ => Some(text.parse().map_err(|_| {
                        wrong(
                            "a clock such as tiger:2m+1s, delay:2m+1s, byoyomi:1m+3x5s or days:1"
                                .into(),
                        )
                    })?),
                };
                Ok(Effect::Configure)
            }
            Shape::Combo { choices, .. } => {
                let known = choices.iter().find(|c| c.eq_ignore_ascii_case(text));
                let known = known.ok_or_else(|| wrong(format!("one of {}", choices.join(", "))))?;
                Ok(Effect::Variant(known.clone()))
            }
            Shape::Check(_) => {
                let on = match text {
                    "true" | "1" => true,
                    "false" | "0" => false,
                    _ => return Err(wrong("true or false".into())),
                };
                self.set_check(name, on);
                Ok(Effect::Configure)
            }
            Shape::Spin { min, max, .. } => {
                let number = text.parse().ok().filter(|n| (min..=max).contains(n));
                let number =
                    number.ok_or_else(|| wrong(format!("a number from {min} to {max}")))?;
                self.set_number(name, number);
                Ok(Effect::Configure)
            }
        }
    }

    fn set_check(&mut self, name: Name, on: bool) {
        match name {
            Name::LimitStrength => self.elo = on.then_some(self.wanted_elo),
            Name::ShowWdl => self.show_wdl = on,
            Name::AnalyseMode => self.analyse = on,
            Name::Points => self.options.points = on,
            Name::UseNetwork => self.options.network = on,
            // Each `go ponder` asks for pondering itself.
            _ => {}
        }
    }

    fn set_number(&mut self, name: Name, number: i64) {
        let size = number as usize;
        match name {
            Name::Hash => self.options.hash = size,
            Name::Threads => self.options.threads = size,
            Name::MultiPv => self.options.lines = size,
            Name::SkillLevel => self.level = number,
            Name::MoveOverhead => self.options.overhead = Duration::from_millis(number as u64),
            Name::Elo => {
                self.wanted_elo = number;
                self.elo = self.elo.map(|_| number);
            }
            _ => {}
        }
    }

    /// Sets the seed for the choices of the lower levels.
    pub fn set_seed(&mut self, seed: u64) {
        self.options.seed = seed;
    }
}
