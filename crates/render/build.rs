//! Lists the piece images of pieces/ with their two paths, so that adding an image is adding a file.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("pieces");
    println!("cargo:rerun-if-changed={}", folder.display());
    let mut images = Vec::new();
    for entry in fs::read_dir(&folder)? {
        let path = entry?.path();
        if path.extension().is_none_or(|e| e != "svg") {
            continue;
        }
        println!("cargo:rerun-if-changed={}", path.display());
        let text = fs::read_to_string(&path)?;
        let name = path.file_stem().and_then(|n| n.to_str()).unwrap_or("");
        let part = |class: &str| {
            path_data(&text, class).ok_or(format!("{}: no path of class {class}", path.display()))
        };
        images.push((name.to_string(), part("body")?, part("detail")?));
    }
    images.sort();
    let mut list = String::from("&[\n");
    for (name, body, detail) in images {
        writeln!(
            list,
            "Image {{ name: {name:?}, body: {body:?}, detail: {detail:?} }},"
        )?;
    }
    list.push(']');
    fs::write(Path::new(&env::var("OUT_DIR")?).join("images.rs"), list)?;
    Ok(())
}

/// The path data of the element `<path class="CLASS" d="..."/>`.
fn path_data(text: &str, class: &str) -> Option<String> {
    let (_, rest) = text.split_once(&format!("<path class=\"{class}\" d=\""))?;
    let (data, _) = rest.split_once('"')?;
    let plain = |c: char| c.is_ascii_alphanumeric() || " .,-".contains(c);
    (!data.is_empty() && data.chars().all(plain)).then(|| data.into())
}
