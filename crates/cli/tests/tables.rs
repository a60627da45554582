//! `husun tablebase` as users call it, and the engine with the tables that it makes.

use super::run::Done;
use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A small board whose sides are Blue and Red.
const GAME: &str = r#"
id = "small"
name = "Small"
[board]
files = 5
ranks = 5
[setups]
standard = "r1k1r/ppppp/5/PPPPP/R1K1R w - - 0 1"
[promotion]
pieces = ["P"]
to = ["R"]
mandatory_ranks = [5]
[looks]
white = { name = "Blue" }
black = { name = "Red" }
[[pieces]]
letter = "K"
betza = "K"
royal = true
[[pieces]]
letter = "R"
betza = "R"
[[pieces]]
letter = "P"
betza = "mfWcfF"
pawn = true
"#;

/// King and rook against king, the king to move.
const LOST: &str = "2k2/5/2K2/5/4R b - - 0 1";

struct Place(PathBuf);

impl Place {
    fn new() -> std::io::Result<Place> {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = format!("husun-tables-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join("small.toml"), GAME)?;
        Ok(Place(folder))
    }

    /// Starts the program there, with the game.
    fn start(&self, args: &[&str]) -> std::io::Result<Child> {
        Command::new(env!("CARGO_BIN_EXE_husun"))
            .current_dir(&self.0)
            .args(["--game-file", "small.toml"])
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
    }

    fn run(&self, args: &[&str]) -> std::io::Result<Output> {
        self.start(args)?.wait_with_output()
    }

    /// What the engine says of a position up to its move.
    fn engine_on(&self, fen: &str) -> Result<String, Box<dyn Error>> {
        let mut program = self.start(&["uci", "--tablebases", "tablebases"])?;
        let mut pipe = program.stdin.take().ok_or("no input")?;
        let game = "setoption name UCI_Variant value small";
        writeln!(pipe, "{game}\nposition fen {fen}\ngo depth 1")?;
        let out = BufReader::new(program.stdout.take().ok_or("no output")?);
        let mut said = String::new();
        for line in out.lines() {
            let line = line?;
            said += &line;
            said.push('\n');
            if line.starts_with("bestmove") {
                break;
            }
        }
        writeln!(pipe, "quit")?;
        program.wait()?;
        Ok(said)
    }

    fn out(&self, args: &[&str]) -> Result<String, Box<dyn Error>> {
        let run = self.run(args)?;
        let err = String::from_utf8_lossy(&run.stderr);
        assert_eq!(run.status.code(), Some(0), "{args:?}: {err}");
        Ok(String::from_utf8(run.stdout)?)
    }

    fn err(&self, args: &[&str]) -> Result<String, Box<dyn Error>> {
        let run = self.run(args)?;
        assert_eq!(run.status.code(), Some(2), "{args:?}");
        Ok(String::from_utf8(run.stderr)?)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn tables_are_made_shown_and_asked() -> Done {
    let place = Place::new()?;
    let error = place.err(&["tablebase", "probe", "small", LOST])?;
    assert!(error.contains("`husun tablebase build small`"), "{error}");

    let made = place.out(&["tablebase", "build", "small"])?;
    assert!(made.contains(": 5 tables of up to 3 men, "), "{made}");
    let again = place.out(&["tablebase", "build", "small"])?;
    assert!(again.contains("; 5 of them were there before"), "{again}");

    let shown = place.out(&["tablebase", "show", "small"])?;
    let row = shown.lines().find(|row| row.starts_with("KRvK"));
    let row = row.ok_or("no row")?;
    let words: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(words[1], "Blue", "{shown}");
    assert_eq!(shown.lines().count(), 1 + 2 * 5, "{shown}");

    // The sides have the game's names; the line ends with the mate.
    let told = place.out(&["tablebase", "probe", "small", LOST])?;
    let mut lines = told.lines();
    let sentence = lines.next().ok_or("nothing")?;
    let plies = sentence.strip_prefix("Blue wins; the game ends in ");
    let plies = plies.and_then(|rest| rest.strip_suffix(" half-moves"));
    let plies: usize = plies.ok_or(sentence)?.parse()?;
    let line = lines.next().ok_or("no line")?;
    assert_eq!(line.split_whitespace().count(), plies, "{line}");
    assert!(line.ends_with('#'), "{line}");
    let drawn = place.out(&["tablebase", "probe", "small", "2k2/5/2K2/5/5 w - - 0 1"])?;
    assert_eq!(drawn, "draw\n");

    // The engine: the same distance at once, in `husun analyse` and over UCI.
    let mate = format!("#{}", plies / 2);
    let args = ["analyse", "small", "--fen", LOST, "--depth", "1"];
    let with = [&args[..], &["--tablebases", "tablebases"]].concat();
    let text = place.out(&with)?;
    assert!(text.starts_with(&format!("tables: {sentence}\n")), "{text}");
    assert!(text.contains(&mate), "{text}");
    let said = place.engine_on(LOST)?;
    assert!(
        said.contains(&format!("score mate -{}", plies / 2)),
        "{said}"
    );
    assert!(!said.contains(" tbhits 0 "), "{said}");

    let error = place.err(&[&args[..], &["--tablebases", "nowhere"]].concat())?;
    assert!(error.contains("--tablebases: nowhere: "), "{error}");

    // A folder that is there, but is not that of the tables.
    let run = place.run(&[&args[..], &["--tablebases", "tablebases/small"]].concat())?;
    let err = String::from_utf8(run.stderr)?;
    assert_eq!(run.status.code(), Some(0), "{err}");
    let told = "--tablebases: tablebases/small: no tables of perfect play of small: expected them in its folder `small`\n";
    assert_eq!(err.matches(told).count(), 1, "{err}");

    // The terminal game: its computer opens the tables of the game.
    let args = ["play", "small", "--level", "8", "--fen", LOST];
    let with = [&args[..], &["--tablebases", "tablebases"]].concat();
    let text = place.out(&with)?;
    assert!(text.contains("Small"), "{text}");
    let error = place.err(&[&args[..], &["--tablebases", "nowhere"]].concat())?;
    assert!(error.contains("--tablebases: nowhere: "), "{error}");
    let file = place.0.join("tablebases/small/KRvK.husuntable");
    std::fs::write(file, "nothing")?;
    let error = place.err(&with)?;
    assert!(
        error.contains("KRvK.husuntable: it is not a table of Husun"),
        "{error}"
    );
    Ok(())
}

#[test]
fn some_sets_of_men_are_made_within_the_memory_that_is_allowed() -> Done {
    let place = Place::new()?;
    let build = ["tablebase", "build", "small"];
    let with = |more: &[&'static str]| [&build[..], more].concat();
    let made = place.out(&with(&["--only", "KRvK,KRvKR"]))?;
    // They lead to KvKR and KvK.
    assert!(made.contains(": 4 tables, "), "{made}");
    let again = place.out(&with(&["--only", "KRvKR"]))?;
    assert!(again.contains("; 1 of them were there before"), "{again}");
    let shown = place.out(&["tablebase", "show", "small"])?;
    assert!(shown.contains("KRvKR "), "{shown}");
    let won = "2k1r/5/2K2/5/4R w - - 0 1";
    let told = place.out(&["tablebase", "probe", "small", won])?;
    assert!(told.starts_with("Blue wins; the game ends in "), "{told}");
    let error = place.err(&with(&["--only", "KRvR"]))?;
    assert!(
        error.contains("--only: `KRvR` is no set of up to 4 men"),
        "{error}"
    );
    let error = place.err(&with(&["--men", "4", "--memory", "65"]))?;
    assert!(error.contains("needs 67 MiB of memory"), "{error}");
    assert!(error.contains("65 are allowed (--memory)"), "{error}");
    Ok(())
}
