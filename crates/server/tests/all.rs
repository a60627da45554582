//! The server as players, programs and operators meet it: each file is a part of this one program, so that all of them are
//! linked once. `hostile` is a program of its own: it looks at figures of the whole process.

mod accounts;
mod allowed;
mod archive;
mod bots;
mod common;
mod correspondence;
mod following;
mod full;
mod lobby;
mod moderation;
mod nodes;
mod notices;
mod opponent;
mod own_games;
mod play;
mod ratings;
mod reports;
mod review;
mod rim;
mod shared;
mod tablebase;
mod tournaments;
mod versions;
mod votes;
mod watching;

/// A file that nobody names would be a test that never runs.
#[test]
fn every_file_is_a_part() -> std::io::Result<()> {
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests"))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let Some(part) = name.strip_suffix(".rs") else {
            continue;
        };
        let named = include_str!("all.rs").contains(&format!("\nmod {part};\n"));
        assert!(named || part == "all", "{name} is not named in all.rs");
    }
    Ok(())
}
