//! Lists the files of `migrations/`, so that the program contains them: `sqlx::migrate!` would do the same, at the price of
//! building all of sqlx and SQLite a second time for the compiler's use.

use std::error::Error;
use std::fmt::Write;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=migrations");
    let folder = Path::new(&std::env::var("CARGO_MANIFEST_DIR")?).join("migrations");
    let mut list = String::from("[\n");
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let (version, description) = name
            .split_once('_')
            .ok_or_else(|| format!("{}: a migration is named 0001_what.sql", path.display()))?;
        let (version, description) = (version.parse::<i64>()?, description.replace('_', " "));
        let sql = std::fs::read_to_string(&path)?;
        writeln!(list, "({version}, {description:?}, {sql:?}),")?;
    }
    list.push(']');
    let out = Path::new(&std::env::var("OUT_DIR")?).join("migrations.rs");
    Ok(std::fs::write(out, list)?)
}
