//! All figures of `/metrics`: what each is called and says. Dashboards and alarms are made from these names
//! (`deploy/grafana.json`, docs/operating.md), so that a change of one is a change for operators.

use metrics::{Unit, describe_counter, describe_gauge, describe_histogram};

/// What a figure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Grows from the start on.
    Counter,
    /// What is so now.
    Gauge,
    /// How times are distributed, in seconds.
    Times,
}

use Kind::{Counter, Gauge, Times};

/// All figures.
pub(super) const FIGURES: &[(&str, Kind, &str)] = &[
    (
        "husun_action_seconds",
        Times,
        "From an action's arrival until all are told",
    ),
    (
        "husun_archived_total",
        Counter,
        "Games taken into the archive",
    ),
    ("husun_bus_connected", Gauge, "Whether NATS answers"),
    (
        "husun_bus_dropped_total",
        Counter,
        "Messages lost on their way out, as far as that is known",
    ),
    (
        "husun_bus_gaps_total",
        Counter,
        "Messages between parts of the server that did not arrive",
    ),
    (
        "husun_bus_reconnects_total",
        Counter,
        "Connections to NATS after the first",
    ),
    ("husun_bus_round_trip_seconds", Times, "To NATS and back"),
    (
        "husun_bus_slow_total",
        Counter,
        "Times that messages came faster than they were heard",
    ),
    (
        "husun_bus_subjects",
        Gauge,
        "Subjects that are listened to or served here",
    ),
    ("husun_connections", Gauge, "Connections"),
    (
        "husun_engine_jobs_total",
        Counter,
        "Engine jobs done, by what for, and by own threads or workers",
    ),
    (
        "husun_engine_wait_seconds",
        Times,
        "How long engine jobs wait for a thread",
    ),
    (
        "husun_engine_waiting",
        Gauge,
        "Engine jobs that wait, by what for",
    ),
    ("husun_events_stored_total", Counter, "Events stored"),
    ("husun_faults_total", Counter, "Faults of the server"),
    (
        "husun_games_adopted_total",
        Counter,
        "Games of other nodes that this one has taken over",
    ),
    (
        "husun_games_handed_over_total",
        Counter,
        "Games that this node has handed to others",
    ),
    ("husun_games_made_total", Counter, "Games made"),
    (
        "husun_hand_over_seconds",
        Times,
        "How long it takes to hand a game to another node",
    ),
    (
        "husun_heartbeats_missed_total",
        Counter,
        "Heartbeats of this node that could not be stored in time",
    ),
    (
        "husun_leases_given_up_total",
        Counter,
        "Leases of this node that others have ended for it, since they could reach the database and it could not",
    ),
    (
        "husun_leases_lost_total",
        Counter,
        "Leases of this node that were over before they were extended",
    ),
    (
        "husun_leases_of_others_ended_total",
        Counter,
        "Leases of other nodes that this one has ended, since they gave no sign any more",
    ),
    (
        "husun_limited_total",
        Counter,
        "What limits have stopped, by limit",
    ),
    ("husun_live_games", Gauge, "Games in memory"),
    ("husun_moves_total", Counter, "Moves made"),
    ("husun_nodes", Gauge, "Nodes that are there"),
    (
        "husun_notices_lost_total",
        Counter,
        "Notices that were lost",
    ),
    (
        "husun_notices_total",
        Counter,
        "Notices, by the way on which they were sent",
    ),
    (
        "husun_owners_lost_total",
        Counter,
        "Times that a socket's game was at a node that is gone",
    ),
    ("husun_paired_total", Counter, "Games begun from the lobby"),
    ("husun_pushes_total", Counter, "Pushes, by how they ended"),
    ("husun_rated_total", Counter, "Rated games counted"),
    ("husun_refused_total", Counter, "Refusals, by code"),
    ("husun_reviews", Gauge, "Reviews under way"),
    ("husun_reviews_total", Counter, "Reviews done"),
    (
        "husun_slow_go_seconds",
        Times,
        "Turns that took the processor for more than a millisecond",
    ),
    (
        "husun_slow_goes_total",
        Counter,
        "How many of them, by what took so long",
    ),
    (
        "husun_slow_sockets_total",
        Counter,
        "Sockets closed because their browser did not keep up",
    ),
    ("husun_sockets", Gauge, "Sockets"),
    ("husun_store_errors_total", Counter, "Errors of the storage"),
    ("husun_store_ill", Gauge, "Whether nothing can be stored"),
    (
        "husun_store_seconds",
        Times,
        "How long it takes to store what many games store at once",
    ),
    (
        "husun_work_waiting",
        Gauge,
        "Work that waits for a thread, by weight",
    ),
    (
        "husun_worker_jobs",
        Gauge,
        "Engine jobs that workers are at",
    ),
    (
        "husun_worker_messages_wrong_total",
        Counter,
        "Messages to workers' subjects that were none",
    ),
    (
        "husun_worker_redone_total",
        Counter,
        "Engine jobs that a worker took and somebody else does, by why",
    ),
    (
        "husun_worker_refused_total",
        Counter,
        "Workers that get no more jobs because of wrong or missing answers",
    ),
    ("husun_worker_threads", Gauge, "Threads of workers"),
    ("husun_workers", Gauge, "Workers that are there"),
];

/// Has `/metrics` say what each is.
pub(super) fn describe() {
    for &(name, kind, says) in FIGURES {
        match kind {
            Counter => describe_counter!(name, says),
            Gauge => describe_gauge!(name, says),
            Times => describe_histogram!(name, Unit::Seconds, says),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::error::Error;
    use std::path::{Path, PathBuf};

    type Tested = Result<(), Box<dyn Error>>;

    fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
    }

    /// All names of figures in a text.
    fn names(text: &str) -> impl Iterator<Item = &str> {
        let is_of_name = |c: char| c.is_ascii_lowercase() || c == '_';
        let starts = text.match_indices("husun_").map(|(at, _)| &text[at..]);
        starts.map(move |rest| {
            let end = rest.find(|c| !is_of_name(c)).unwrap_or(rest.len());
            &rest[..end]
        })
    }

    fn sources(folder: &Path, found: &mut Vec<PathBuf>) -> Tested {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                sources(&path, found)?;
            } else if path.extension().is_some_and(|end| end == "rs") {
                found.push(path);
            }
        }
        Ok(())
    }

    /// Every figure that is gathered is in the list as what it is, and every one in the list is gathered.
    #[test]
    fn the_list_is_complete() -> Tested {
        let mut files = Vec::new();
        for part in ["server", "store", "bus"] {
            sources(&root().join("crates").join(part).join("src"), &mut files)?;
        }
        let mut gathered = BTreeSet::new();
        // This file names them without gathering any.
        files.retain(|file| !file.ends_with("figures.rs"));
        for file in files {
            let text = std::fs::read_to_string(&file)?;
            for (word, kind) in [
                ("counter!(", Counter),
                ("gauge!(", Gauge),
                ("histogram!(", Times),
            ] {
                for (at, _) in text.match_indices(word) {
                    let rest = text[at + word.len()..].trim_start();
                    let Some(name) = rest.strip_prefix('"').and_then(|r| r.split('"').next())
                    else {
                        continue;
                    };
                    assert!(
                        FIGURES.iter().any(|f| (f.0, f.1) == (name, kind)),
                        "{name} of {} is not in the list as a {kind:?}",
                        file.display()
                    );
                    gathered.insert(name.to_owned());
                }
            }
        }
        for (name, ..) in FIGURES {
            assert!(gathered.contains(*name), "nobody gathers {name}");
        }
        assert!(FIGURES.is_sorted_by_key(|figure| figure.0));
        Ok(())
    }

    /// What the dashboard and the operators' pages name exists.
    #[test]
    fn what_is_shown_exists() -> Tested {
        for (file, least) in [
            ("deploy/grafana.json", 20),
            ("docs/operating.md", 5),
            ("docs/server.md", 10),
        ] {
            let text = std::fs::read_to_string(root().join(file))?;
            let mut seen = 0;
            for name in names(&text) {
                seen += 1;
                let known = FIGURES.iter().any(|&(figure, kind, _)| {
                    let parts = ["_bucket", "_sum", "_count"];
                    let part = parts
                        .iter()
                        .any(|end| name.strip_suffix(end) == Some(figure));
                    name == figure || kind == Times && part
                });
                assert!(known, "{file} names {name}, which nobody gathers");
            }
            assert!(seen >= least, "{file} names {seen}");
        }
        let dashboard = std::fs::read_to_string(root().join("deploy/grafana.json"))?;
        let _: serde_json::Value = serde_json::from_str(&dashboard)?;
        Ok(())
    }
}
