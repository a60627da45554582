//! The program husun as people and scripts run it: each file is a part of this one program, so that all of them are linked
//! once. What must not be disturbed is in `apart.rs`.

#[path = "../../server/tests/common/mod.rs"]
mod common;
#[path = "common/house.rs"]
mod house;
#[path = "common/process.rs"]
mod process;
#[path = "common/run.rs"]
mod run;

mod admin;
mod analysis;
mod bot;
mod contest;
mod inventor;
mod program;
mod puzzles;
mod serve_log;
mod tables;
mod upgrade;
mod vectors;

/// A file that nobody names would be a test that never runs.
#[test]
fn every_file_is_a_part() -> std::io::Result<()> {
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests"))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let Some(part) = name.strip_suffix(".rs") else {
            continue;
        };
        let line = format!("\nmod {part};\n");
        let named =
            include_str!("all.rs").contains(&line) || include_str!("apart.rs").contains(&line);
        assert!(
            named || ["all", "apart"].contains(&part),
            "{name} is named in neither all.rs nor apart.rs"
        );
    }
    Ok(())
}
