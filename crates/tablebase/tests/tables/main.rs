//! Whole tables against a slow twin and against what has been published; single entries against search.

mod four;
mod twin;

use engine::Endings;
use husun::{Kind, Position, Side, Square, Status, Variant};
use husun_tablebase::{
    BuildError, Builder, Counts, FileError, Men, ProbeError, Table, Tablebase, Tablebases, Told,
};
use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;
use twin::{Twin, positions};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Kings, a rook and a pawn on a small board with few ways to end.
const SMALL: &str = r#"
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

fn game(id: &str) -> Result<Arc<Variant>> {
    games::variant(id).ok_or_else(|| format!("no game {id}").into())
}

fn built(variant: &Arc<Variant>) -> Result<Tablebase> {
    Ok(Builder::new(variant, 2).all(3, &mut |_| ())?)
}

fn men(variant: &Variant, white: &str, black: &str) -> Result<Men> {
    let of = |side: Side, letters: &str| {
        let kinds = letters.chars().map(|c| variant.kind(c));
        kinds
            .map(|k| Some((side, k?)))
            .collect::<Option<Vec<_>>>()
            .ok_or("no such piece")
    };
    let (white, black) = (of(Side::White, white)?, of(Side::Black, black)?);
    Ok(Men::new([white, black].concat()))
}

#[test]
fn every_entry_of_chess_equals_the_twin_and_what_is_published() -> Result<()> {
    let chess = game("chess")?;
    let tables = built(&chess)?;
    let from = ["Kk", "KkP", "KkQ", "KkR", "KkB", "KkN"];
    let from = from.into_iter().flat_map(|m| positions(&chess, m));
    assert_eq!(Twin::new(&chess, from.collect())?.equals(&tables)?, 6);
    let counts = |white: &str, side| -> Result<Counts> {
        Ok(tables.table(&men(&chess, white, "K")?)?.counts(side))
    };
    // Ten moves, and sixteen.
    assert_eq!(counts("KQ", Side::White)?.longest, 2 * 10 - 1);
    assert_eq!(counts("KR", Side::White)?.longest, 2 * 16 - 1);
    // The pawn wins within 28 moves, with 111,282 wins on the files a to d as Stockfish's own bitbase has them.
    let (white, black) = (counts("KP", Side::White)?, counts("KP", Side::Black)?);
    assert_eq!((white.all(), black.all()), (163_328, 168_024));
    assert_eq!((white.won, black.lost), (124_960, 97_604));
    assert_eq!(white.won + black.lost, 2 * 111_282);
    assert_eq!(white.longest, 2 * 28 - 1);
    // One bishop or knight does nothing.
    for weak in ["KB", "KN"] {
        assert_eq!(counts(weak, Side::White)?.won, 0);
        assert_eq!(counts(weak, Side::Black)?.lost, 0);
    }
    // Black's tables are White's turned round.
    for strong in ["KQ", "KR", "KB", "KN", "KP"] {
        let turned = tables.table(&men(&chess, "K", strong)?)?;
        assert_eq!(turned.counts(Side::Black), counts(strong, Side::White)?);
        assert_eq!(turned.counts(Side::White), counts(strong, Side::Black)?);
    }
    lines_are_as_long_as_their_distances(&chess, &tables)
}

fn lines_are_as_long_as_their_distances(chess: &Arc<Variant>, tables: &Tablebase) -> Result<()> {
    for fen in [
        "8/8/8/3k4/8/8/8/KQ6 w - - 0 1",
        "4k3/8/4K3/4P3/8/8/8/8 w - - 0 1",
        "8/8/8/8/4r3/2k5/8/K7 w - - 0 1",
    ] {
        let mut position = chess.position(fen)?;
        let distance = tables.probe(&position)?.distance;
        let line = tables.line(&position)?;
        assert!(distance > 0 && line.len() == usize::from(distance), "{fen}");
        for m in line {
            position = position.play(m)?;
        }
        assert_eq!(position.status(), Status::Checkmate);
    }
    let drawn = chess.position("8/8/8/3k4/8/8/8/KB6 w - - 0 1")?;
    assert_eq!(tables.line(&drawn)?, []);
    Ok(())
}

#[test]
fn every_entry_of_shatranj_equals_the_twin() -> Result<()> {
    let shatranj = game("shatranj")?;
    let sets = [men(&shatranj, "KR", "K")?, men(&shatranj, "KQ", "K")?];
    let folder = Folder::new("shatranj")?;
    let builder = Builder::new(&shatranj, 2).kept_in(&folder.0);
    let tables = builder.these(&sets, &mut |_| ())?;
    let from = ["Kk", "KkR", "KkQ"];
    let from = from.into_iter().flat_map(|m| positions(&shatranj, m));
    let twin = Twin::new(&shatranj, from.collect())?;
    assert_eq!(twin.equals(&tables)?, 3);
    // Block by block from files, too, with several threads.
    let read = Tablebase::open(&shatranj, &folder.0)?;
    let asked = || twin.equals(&read).map_err(|e| e.to_string());
    let all = std::thread::scope(|scope| {
        let threads = [scope.spawn(asked), scope.spawn(asked)];
        threads.map(|thread| thread.join().unwrap_or(Ok(0)))
    });
    assert_eq!(all, [Ok(3), Ok(3)]);
    Ok(())
}

#[test]
fn every_entry_of_citadel_equals_the_twin() -> Result<()> {
    // A bent rider; and two Princes of one side, neither of whom is royal while both are there.
    let citadel = game("citadel8")?;
    let sets = [("KT", "K"), ("KY", "K"), ("Y", "K")];
    let sets = sets.map(|(white, black)| men(&citadel, white, black));
    let sets = sets.into_iter().collect::<Result<Vec<_>>>()?;
    let tables = Builder::new(&citadel, 2).these(&sets, &mut |_| ())?;
    let from = ["Kk", "Yk", "KkT", "KkY"];
    let from = from.into_iter().flat_map(|m| positions(&citadel, m));
    assert_eq!(Twin::new(&citadel, from.collect())?.equals(&tables)?, 4);
    Ok(())
}

#[test]
fn every_entry_of_a_small_game_equals_the_twin() -> Result<()> {
    let small = Variant::parse("small.toml", SMALL)?;
    let tables = built(&small)?;
    let from = ["Kk", "KkR", "Kkr", "KkP", "Kkp"];
    let from = from.into_iter().flat_map(|m| positions(&small, m));
    assert_eq!(Twin::new(&small, from.collect())?.equals(&tables)?, 5);
    Ok(())
}

#[test]
fn a_citadel_saves_and_a_stalemate_wins_as_the_game_has_it() -> Result<()> {
    let husun = game("alhusun")?;
    let tables = Builder::new(&husun, 2).all(2, &mut |_| ())?;
    let twin = Twin::new(&husun, positions(&husun, "Kk"))?;
    assert_eq!(twin.equals(&tables)?, 1);
    Ok(())
}

#[test]
fn what_no_table_can_have_is_refused_with_the_reason() -> Result<()> {
    let chess = game("chess")?;
    for most in [0, 1, 5] {
        let refused = Builder::new(&chess, 1).all(most, &mut |_| ());
        assert!(matches!(refused, Err(BuildError::Men { found, .. }) if found == most));
    }
    let folder = Folder::new("no-tables")?;
    let tables = Tablebase::open(&chess, &folder.0)?;
    let castling = chess.position("4k3/8/8/8/8/8/8/4K2R w K - 0 1")?;
    let error = tables.probe(&castling).err().ok_or("castling")?;
    assert!(error.to_string().contains("castling rights"), "{error}");
    let error = tables.probe(&chess.start()).err().ok_or("start")?;
    assert!(matches!(error, ProbeError::Men { found: 32, most: 4 }));
    let plain = chess.position("4k3/8/8/8/8/8/8/4K2R w - - 0 1")?;
    let error = tables.probe(&plain).err().ok_or("no file")?;
    assert!(matches!(&error, ProbeError::NoTable { .. }));
    assert!(error.to_string().contains("KRvK.husuntable"), "{error}");
    let citadel = game("citadel8")?;
    let captive = citadel.position("4k4/9/9/9/9/9/9/W3K4 w - - C 0 1")?;
    let tables = Tablebase::open(&citadel, &folder.0)?;
    let error = tables.probe(&captive).err().ok_or("prisoner")?;
    assert!(error.to_string().contains("prisoners"), "{error}");
    let other = tables.probe(&plain).err().ok_or("other game")?;
    assert!(matches!(other, ProbeError::OtherGame { .. }));
    Ok(())
}

/// The men of a position and where they stand.
fn standing(position: &Position) -> Vec<(Side, Kind, Square)> {
    let squares = position.variant().frame().squares();
    let setup = position.setup();
    let men = squares.filter_map(|square| {
        let (side, kind) = setup.piece_on(square)?;
        Some((side, kind, square))
    });
    men.collect()
}

/// A folder that goes with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Result<Folder> {
        let path = std::env::temp_dir().join(format!("husun-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path)?;
        Ok(Folder(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn files_are_read_again_and_damage_is_named() -> Result<()> {
    let small = Variant::parse("small.toml", SMALL)?;
    let folder = Folder::new("tables")?;
    let build = |read: &mut usize| {
        let mut told = 0;
        let builder = Builder::new(&small, 1).kept_in(&folder.0);
        let tables = builder.all(3, &mut |t| {
            if let Told::Made { read: before, .. } = t {
                told += 1;
                *read += usize::from(before);
            }
        })?;
        assert_eq!(told, 5);
        Ok::<_, BuildError>(tables)
    };
    let mut read = 0;
    let fresh = build(&mut read)?;
    assert_eq!(read, 0);
    let again = build(&mut read)?;
    assert_eq!(read, 5);
    let lazy = Tablebase::open(&small, &folder.0)?;
    let rook = men(&small, "KR", "K")?;
    assert_eq!(fresh.table(&rook)?, again.table(&rook)?);
    assert_eq!(fresh.table(&rook)?, lazy.table(&rook)?);

    let path = folder.0.join("KRvK.husuntable");
    let bytes = std::fs::read(&path)?;
    // Whatever byte is changed, and wherever the file is cut, it is refused.
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x10;
        assert!(Table::read(&small, &rook, &damaged).is_err(), "byte {at}");
        assert!(Table::read(&small, &rook, &bytes[..at]).is_err(), "{at}");
    }
    let longer = [&bytes[..], &[0]].concat();
    let error = Table::read(&small, &rook, &longer).err();
    assert!(matches!(error, Some(FileError::Length { found, expected }) if found == expected + 1));
    let of_pawn = men(&small, "KP", "K")?;
    let error = Table::read(&small, &of_pawn, &bytes).err().ok_or("read")?;
    assert_eq!(error.to_string(), "it is the table of KRvK: expected KPvK");
    // The engine's way leads to the same, whatever the order of the men.
    let won = small.position("2k2/5/2K2/5/4R w - - 0 1")?;
    let mut men_of = standing(&won);
    for _ in 0..3 {
        men_of.rotate_left(1);
        assert_eq!(lazy.verdict(Side::White, &men_of, 0), lazy.probe(&won).ok());
    }
    assert_eq!(lazy.most_men(), 3);

    let other = Variant::parse(
        "small.toml",
        &SMALL.replace("\"R\"\nbetza = \"R\"", "\"R\"\nbetza = \"RF\""),
    )?;
    let error = Table::read(&other, &men(&other, "KR", "K")?, &bytes).err();
    assert!(matches!(error, Some(FileError::OtherGame { .. })));
    let error = Tablebase::open(&other, &folder.0).err().ok_or("opened")?;
    assert!(matches!(error.problem, FileError::OtherGame { .. }));
    let of_all = folder.0.join("all");
    std::fs::create_dir_all(of_all.join("small"))?;
    std::fs::copy(&path, of_all.join("small").join("KRvK.husuntable"))?;
    let all = Tablebases::new(&of_all)?;
    let of_small = all.of(&small)?.ok_or("no folder of the game")?;
    assert_eq!(of_small.probe(&won)?, lazy.probe(&won)?);
    assert!(Arc::ptr_eq(&of_small, &all.of(&small)?.ok_or("gone")?));
    assert!(all.of(&other).is_err() && all.of(&other).is_err());
    assert!(all.of(&game("chess")?)?.is_none());

    let mut damaged = bytes.clone();
    let last = damaged.len() - 1;
    damaged[last] ^= 1;
    std::fs::write(&path, damaged)?;
    // Its head is whole: what is damaged is found where it is needed, and the engine is told nothing.
    let opened = Tablebase::open(&small, &folder.0)?;
    let won = small.position("2k2/5/2K2/5/4R w - - 0 1")?;
    for _ in 0..2 {
        let error = opened.probe(&won).err().ok_or("probed")?.to_string();
        assert!(error.contains("block 1 is damaged"), "{error}");
        assert_eq!(opened.verdict(Side::White, &standing(&won), 0), None);
    }
    let error = build(&mut read).err().ok_or("built")?.to_string();
    assert!(
        error.contains("KRvK.husuntable: block 1 is damaged, at byte "),
        "{error}"
    );
    Ok(())
}
