//! The features that an engine announces, as the program at the other end reads them.

use std::collections::BTreeMap;

/// What an engine has announced so far.
///
/// ```
/// use husun_protocol::xboard::Features;
/// let mut features = Features::default();
/// features.read(r#"feature ping=1 myname="A B" variants="normal,shatranj" done=1"#);
/// assert!(features.has("ping") && features.has("done"));
/// assert_eq!(features.text("myname"), Some("A B"));
/// assert!(features.plays("shatranj") && !features.plays("shogi"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Features {
    all: BTreeMap<String, String>,
    options: Vec<String>,
}

impl Features {
    /// Reads a `feature` line and returns the names of its features; none for any other line.
    pub fn read(&mut self, line: &str) -> Vec<String> {
        let read = features(line);
        for (name, value) in &read {
            if name == "option" {
                self.options.push(value.clone());
            } else {
                self.all.insert(name.clone(), value.clone());
            }
        }
        read.into_iter().map(|(name, _)| name).collect()
    }

    /// Whether the feature is on.
    pub fn has(&self, name: &str) -> bool {
        self.text(name) == Some("1")
    }

    /// The value of the feature.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.all.get(name).map(String::as_str)
    }

    /// Whether the engine plays a game; one that names no games plays all.
    pub fn plays(&self, variant: &str) -> bool {
        let listed = self.text("variants");
        listed.is_none_or(|all| all.split(',').any(|v| v.trim() == variant))
    }

    /// Whether the engine has an option with the name.
    pub fn has_option(&self, name: &str) -> bool {
        self.options.iter().any(|o| {
            o.rsplit_once(" -").is_some_and(|(n, _)| n == name)
                || o.starts_with(&format!("{name} -"))
        })
    }
}

/// The features of a line, with their values; none for any other line.
pub fn features(line: &str) -> Vec<(String, String)> {
    let mut all = Vec::new();
    let Some(mut rest) = line.strip_prefix("feature ") else {
        return all;
    };
    loop {
        rest = rest.trim_start();
        let Some((name, after)) = rest.split_once('=') else {
            return all;
        };
        let (value, after) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => after.split_once(' ').unwrap_or((after, "")),
        };
        all.push((name.to_owned(), value.to_owned()));
        rest = after;
    }
}
