//! `husun datagen` and `husun train` as users call them: a network for a game of one's own, from nothing.

use std::error::Error;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const GAME: &str = r#"
id = "own"
name = "Own"
[board]
files = 5
ranks = 5
[setups]
standard = "rnknr/5/5/5/RNKNR w - - 0 1"
[[pieces]]
letter = "K"
betza = "K"
royal = true
[[pieces]]
letter = "R"
betza = "R"
[[pieces]]
letter = "N"
betza = "N"
"#;

/// A folder that goes with the test.
struct Folder(PathBuf);

impl Folder {
    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn husun(args: &[&str], input: &str) -> Result<Output> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_husun"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let stdin = child.stdin.take();
    stdin.ok_or("no input")?.write_all(input.as_bytes())?;
    Ok(child.wait_with_output()?)
}

/// The output of a call that must succeed.
fn out(args: &[&str], input: &str) -> Result<String> {
    let run = husun(args, input)?;
    let err = String::from_utf8_lossy(&run.stderr);
    assert_eq!(run.status.code(), Some(0), "{args:?}: {err}");
    Ok(String::from_utf8(run.stdout)?)
}

/// What a call that must fail says.
fn refusal(args: &[&str]) -> Result<String> {
    let run = husun(args, "")?;
    assert_eq!(run.status.code(), Some(2), "{args:?}");
    Ok(String::from_utf8(run.stderr)?)
}

#[test]
fn an_inventor_has_a_network_by_two_commands() -> Result<()> {
    let folder = std::env::temp_dir().join(format!("husun-network-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let folder = Folder(folder);
    let (file, beside) = (folder.path("own.toml"), folder.path("own.network.bin"));
    let (data, plot) = (folder.path("own.positions"), folder.path("plot.svg"));
    std::fs::write(&file, GAME)?;
    let datagen = |positions: &str| {
        let own = ["datagen", "own", "--game-file", &file, "--out", &data];
        let how = ["--nodes", "40", "--threads", "2", "--positions", positions];
        out(&[&own[..], &how].concat(), "")
    };
    let told = datagen("600")?;
    assert!(told.starts_with(&format!("{data}: ")), "{told}");
    let number = |told: &str| -> Result<u64> {
        let word = told
            .rsplit(": ")
            .next()
            .and_then(|rest| rest.split(' ').next());
        Ok(word.ok_or("no number")?.parse()?)
    };
    let first = number(&told)?;
    assert!(first >= 600, "{told}");
    // More positions are added to those that there are.
    let size = std::fs::metadata(&data)?.len();
    assert!(number(&datagen("1200")?)? >= 1200);
    assert!(std::fs::metadata(&data)?.len() > size);
    let other = [
        "datagen",
        "own",
        "--game-file",
        &file,
        "--out",
        &data,
        "--nodes",
        "41",
    ];
    let err = refusal(&other)?;
    assert!(err.contains("it was begun with 40 nodes"), "{err}");
    for plies in ["60-8", "201", "8-", "many"] {
        let err = refusal(&["datagen", "own", "--game-file", &file, "--opening", plies])?;
        assert!(err.contains("half-moves from 0 to 200"), "{plies}: {err}");
    }

    let own = ["train", "own", "--game-file", &file, "--data", &data];
    let how = [
        "--hidden", "16", "--epochs", "3", "--batch", "64", "--plot", &plot,
    ];
    let train = [&own[..], &how].concat();
    assert_eq!(out(&train, "")?.trim(), beside);
    let bytes = std::fs::read(&beside)?;
    assert!(std::fs::read_to_string(&plot)?.starts_with("<svg "));
    // The same positions give the same network.
    out(&train, "")?;
    assert!(std::fs::read(&beside)? == bytes);
    let game = games::parse(&file, GAME)?;
    let network = engine::network::Network::read(&game, &bytes)?;
    assert!(network.origin().settings.contains("40 nodes a move"));
    assert_eq!(
        (network.origin().game.as_str(), network.hidden()),
        ("own", 16)
    );

    // What cannot be written is said before anything is read.
    let nowhere = ["train", "own", "--game-file", &file, "--data", "nowhere"];
    for (option, path) in [
        ("--plot", folder.path("own.toml/plot.svg")),
        ("--out", folder.path("")),
    ] {
        let err = refusal(&[&nowhere[..], &[option, &path]].concat())?;
        assert!(err.contains(&format!("{path}: cannot write")), "{err}");
    }
    for twice in [
        ["--plot", &beside],
        ["--plot", &data],
        ["--out", &data],
        ["--plot", &folder.path("./own.network.bin")],
    ] {
        let err = refusal(&[&own[..], &twice].concat())?;
        assert!(err.contains("it is asked for twice"), "{twice:?}: {err}");
    }
    assert!(std::fs::read(&beside)? == bytes);

    // One that judges alone learns first what the values say, unless that is not wanted.
    let alone = folder.path("alone.bin");
    let of = |imitate: &[&str]| {
        let args = [&train[..], &["--alone", "--out", &alone], imitate].concat();
        let run = husun(&args, "")?;
        assert_eq!(run.status.code(), Some(0), "{imitate:?}");
        let network = engine::network::Network::read(&game, &std::fs::read(&alone)?)?;
        assert!(!network.corrects());
        let origin = network.origin().settings.clone();
        Result::Ok((String::from_utf8(run.stderr)?, origin))
    };
    let (told, origin) = of(&[])?;
    assert!(told.contains("judged by the values"), "{told}");
    assert!(origin.contains("first what the values say"), "{origin}");
    let (told, origin) = of(&["--imitate", "0"])?;
    assert!(!told.contains("judged by the values"), "{told}");
    assert!(!origin.contains("first what the values say"), "{origin}");
    let err = refusal(&[&train[..], &["--imitate", "2"]].concat())?;
    assert!(err.contains("--alone"), "{err}");

    // A game with the same rules that begins elsewhere learns from the same positions.
    let (moved, network) = (folder.path("moved.toml"), folder.path("moved.network.bin"));
    let text = GAME.replace("id = \"own\"", "id = \"moved\"");
    std::fs::write(&moved, text.replace("RNKNR w", "NRKRN w"))?;
    let files = ["--game-file", &moved, "--game-file", &file];
    let other = [
        "train", "moved", "--data", &data, "--hidden", "16", "--epochs", "1",
    ];
    assert_eq!(out(&[&other[..], &files].concat(), "")?.trim(), network);
    let err = refusal(&[&other[..], &files[..2]].concat())?;
    assert!(
        err.contains("its games are of another game, or of `moved`"),
        "{err}"
    );

    // With the network another judges the positions than those that the file has: they are not mixed.
    let more = ["datagen", "own", "--game-file", &file, "--out", &data];
    let more = [&more[..], &["--nodes", "40", "--positions", "1250"]].concat();
    let err = refusal(&more)?;
    assert!(
        err.contains("own.positions: its positions were judged by"),
        "{err}"
    );
    let values = [&more[..], &["--no-network"]].concat();
    assert!(number(&out(&values, "")?)? >= 1250);

    // It is found beside its game, and can be switched off.
    let uci = |option: &str| {
        let input = format!(
            "setoption name UCI_Variant value own\n{option}\nposition startpos\neval\nquit\n"
        );
        out(&["uci", "--game-file", &file], &input)
    };
    let judged = uci("")?;
    assert!(judged.contains("a network judges this game"), "{judged}");
    let judged = uci("setoption name UseNetwork value false")?;
    assert!(judged.contains("mobility: "), "{judged}");

    // A changed game refuses its old network, and the positions of its games.
    std::fs::write(&file, GAME.replace("betza = \"N\"", "betza = \"NW\""))?;
    let err = refusal(&["show", "own", "--game-file", &file])?;
    let told = format!("{beside}: it was trained for another game, or for `own` before its rules");
    assert!(err.contains(&told), "{err}");
    std::fs::remove_file(&beside)?;
    let err = refusal(&train)?;
    assert!(
        err.contains(&format!("{data}: its games are of another game")),
        "{err}"
    );
    Ok(())
}
