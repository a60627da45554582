//! The file of positions: what is written is read, what is cut off goes on, what is damaged is refused.

use engine::selfplay::{Effort, Terms, play};
use engine::values::estimate;
use engine::{Engine, JudgeHash, Options};
use husun::Variant;
use husun_training::data::{DataError, GameRecords, Openings, Reader, Settings, Writer};
use husun_training::datagen::{Wanted, run};
use std::error::Error;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const SETTINGS: Settings = Settings {
    nodes: 60,
    opening: Openings::new(4, 9),
    seed: 5,
};

/// Bytes of a file before its games.
const HEADER: usize = 94;

const JUDGE: JudgeHash = JudgeHash([7; 32]);

/// A folder that goes with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Result<Folder> {
        let path = std::env::temp_dir().join(format!("husun-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path)?;
        Ok(Folder(path))
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn engine(game: &Arc<Variant>) -> Engine {
    let options = Options {
        hash: 1,
        ..Options::default()
    };
    Engine::new(game.clone(), options)
}

fn records(game: &Arc<Variant>, number: u64) -> GameRecords {
    let terms = Terms {
        effort: Effort::About(SETTINGS.nodes),
        opening: 6,
    };
    GameRecords::of(number, &play(&mut engine(game), terms, number))
}

fn read(file: &Path, game: &Variant) -> std::result::Result<Vec<GameRecords>, DataError> {
    let mut reader = Reader::new(std::fs::File::open(file)?, game)?;
    let mut all = Vec::new();
    while let Some(game) = reader.next_game()? {
        all.push(game);
    }
    Ok(all)
}

/// What the file says judged its positions.
fn judge(file: &Path, game: &Variant) -> std::result::Result<Option<JudgeHash>, DataError> {
    Ok(Reader::new(std::fs::File::open(file)?, game)?.judge())
}

#[test]
fn every_game_comes_back_as_it_was() -> Result<()> {
    let folder = Folder::new("data")?;
    for game in games::ids().filter_map(games::variant) {
        let played = records(&game, 1);
        assert!(!played.records.is_empty(), "{}", game.id());
        for record in &played.records {
            assert!(record.scene.pieces.len() > 1, "{}", game.id());
        }
        let empty = GameRecords {
            number: 2,
            result: 1,
            records: Vec::new(),
        };
        let file = folder.file(game.id());
        let (mut writer, had) = Writer::open(&file, &game, SETTINGS, JUDGE)?;
        assert_eq!((had.games.len(), had.positions), (0, 0));
        writer.add(&played)?;
        writer.add(&empty)?;
        assert_eq!(read(&file, &game)?, [played, empty], "{}", game.id());
    }
    Ok(())
}

#[test]
fn a_file_that_was_cut_off_goes_on_as_if_it_had_not_been() -> Result<()> {
    let folder = Folder::new("cut")?;
    let game = games::variant("shatranj").ok_or("no such game")?;
    let (whole, cut) = (folder.file("whole"), folder.file("cut"));
    let wanted = |positions| Wanted {
        settings: SETTINGS,
        positions,
        threads: 1,
    };
    let go_on = |file: &Path, positions: u64, most: usize| {
        let mut told = 0;
        run(
            file,
            &game,
            wanted(positions),
            || engine(&game),
            &mut |_| {
                told += 1;
                match told > most {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            },
        )
    };
    let had = go_on(&whole, 600, usize::MAX)?;
    assert!(had.positions >= 600 && had.games.len() > 3, "{had:?}");
    let expected = std::fs::read(&whole)?;
    // Broken off by the caller after two games, then in the middle of a game, twice.
    assert_eq!(go_on(&cut, 600, 2)?.games, [0, 1]);
    for shorter in [1, 30] {
        let bytes = std::fs::read(&cut)?;
        std::fs::write(&cut, &bytes[..bytes.len() - shorter])?;
        go_on(&cut, 600, 1)?;
    }
    assert_eq!(go_on(&cut, 600, usize::MAX)?, had);
    assert_eq!(std::fs::read(&cut)?, expected);
    // Nothing more is to be done.
    assert_eq!(go_on(&cut, 600, usize::MAX)?, had);
    assert_eq!(std::fs::read(&cut)?, expected);
    Ok(())
}

#[test]
fn several_threads_play_the_same_games() -> Result<()> {
    let folder = Folder::new("threads")?;
    let game = games::variant("citadel8").ok_or("no such game")?;
    let sorted = |threads: usize| -> Result<Vec<GameRecords>> {
        let file = folder.file(&threads.to_string());
        let wanted = Wanted {
            settings: SETTINGS,
            positions: 250,
            threads,
        };
        run(&file, &game, wanted, || engine(&game), &mut |_| {
            ControlFlow::Continue(())
        })?;
        let mut all = read(&file, &game)?;
        all.sort_by_key(|game| game.number);
        Ok(all)
    };
    let (one, three) = (sorted(1)?, sorted(3)?);
    let mut common = 0;
    for game in &one {
        for other in three.iter().filter(|other| other.number == game.number) {
            assert_eq!(game, other);
            common += 1;
        }
    }
    assert!(common > 0);
    Ok(())
}

/// Where all games begin with as many random moves, a file is the same in older versions of the format, but for its header.
#[test]
fn files_of_older_versions_are_read_and_go_on() -> Result<()> {
    let folder = Folder::new("older")?;
    let file = folder.file("positions");
    let game = games::variant("chess").ok_or("no such game")?;
    let settings = Settings {
        opening: Openings::new(6, 6),
        ..SETTINGS
    };
    let (first, second) = (records(&game, 1), records(&game, 2));
    let (mut writer, _) = Writer::open(&file, &game, settings, JUDGE)?;
    writer.add(&first)?;
    let bytes = std::fs::read(&file)?;
    assert_eq!(bytes[8..10], [4, 0]);
    assert_eq!(judge(&file, &game)?, Some(JUDGE));
    assert_eq!([&bytes[58..60], &bytes[92..94]], [[6, 6]; 2]);
    for (version, ends, judged) in [(1, 59, None), (2, 60, None), (3, 92, Some(JUDGE))] {
        let older = folder.file(&format!("older-{version}"));
        let mut bytes = bytes.clone();
        bytes[8] = version;
        bytes.drain(ends..94);
        std::fs::write(&older, &bytes)?;
        assert_eq!(judge(&older, &game)?, judged, "{version}");
        let (mut writer, had) = Writer::open(&older, &game, settings, JUDGE)?;
        assert_eq!(had.games, [1], "{version}");
        writer.add(&second)?;
        let both = [first.clone(), second.clone()];
        assert_eq!(read(&older, &game)?, both, "{version}");
        let error = Writer::open(&older, &game, SETTINGS, JUDGE).map(|_| ());
        let error = error.err().map_or(String::new(), |e| e.to_string());
        assert!(
            error.contains("60 nodes, 6 opening plies and seed 5"),
            "{error}"
        );
    }
    Ok(())
}

#[test]
fn openings_are_written_as_they_are_read() -> Result<()> {
    for text in ["0", "8", "8-60", "2-8,8-60", "200,0-7"] {
        let openings: Openings = text.parse()?;
        assert_eq!(openings.to_string(), text);
    }
    assert_eq!("5-5,5".parse(), Ok(Openings::new(5, 5)));
    for text in [
        "", "-", "8-", "9-8", "201", "2-8,", "2-8,60-8", "1,2,3", "x",
    ] {
        let found = text.parse::<Openings>();
        assert!(found.is_err_and(|e| e.contains("2-8,8-60")), "{text}");
    }
    // Half of the games of each range, and each number of both.
    let both: Openings = "2-4,10-12".parse()?;
    let mut times = [0; 13];
    for seed in 0..6000 {
        times[both.of(seed) as usize] += 1;
    }
    for (plies, times) in times.into_iter().enumerate() {
        let wanted = matches!(plies, 2..=4 | 10..=12);
        assert_eq!(wanted, times != 0, "{plies}: {times}");
        assert!(!wanted || (850..1150).contains(&times), "{plies}: {times}");
    }
    Ok(())
}

#[test]
fn another_judge_does_not_go_on() -> Result<()> {
    let folder = Folder::new("judges")?;
    let game = games::variant("shatranj").ok_or("no such game")?;
    let file = folder.file("positions");
    let wanted = |positions| Wanted {
        settings: SETTINGS,
        positions,
        threads: 1,
    };
    let mut values = estimate(&game);
    let go_on = |positions, make: &(dyn Fn() -> Engine + Sync)| {
        run(&file, &game, wanted(positions), make, &mut |_| {
            ControlFlow::Continue(())
        })
    };
    let had = go_on(60, &|| engine(&game))?;
    let more = had.positions + 40;
    let bytes = std::fs::read(&file)?;
    let rook = values.pieces.get_mut("R").ok_or("no rook")?;
    rook.mg += 1;
    let options = engine(&game).options().clone();
    let other = || Engine::with_values(game.clone(), values.clone(), options.clone());
    let refused = go_on(more, &other);
    assert!(matches!(refused, Err(DataError::OtherJudge)), "{refused:?}");
    assert_eq!(std::fs::read(&file)?, bytes);
    assert!(go_on(more, &|| engine(&game))?.positions >= more);
    Ok(())
}

#[test]
fn openings_have_every_length_that_is_asked_for() {
    let count = |openings: Openings| {
        let mut counts = vec![0; 256];
        (0..1200).for_each(|seed| counts[openings.of(seed) as usize] += 1);
        counts
    };
    let counts = count(Openings::new(9, 4));
    let other = counts[..4].iter().chain(&counts[10..]);
    assert_eq!(other.sum::<i32>(), 0, "{counts:?}");
    assert!(counts[4..10].iter().all(|n| (150..250).contains(n)));
    assert_eq!(count(Openings::new(0, 0))[0], 1200);
    assert!(count(Openings::new(0, 255))[255] > 0);
}

#[test]
fn what_does_not_belong_together_is_refused() -> Result<()> {
    let folder = Folder::new("refused")?;
    let file = folder.file("positions");
    let game = games::variant("chess").ok_or("no such game")?;
    let (mut writer, _) = Writer::open(&file, &game, SETTINGS, JUDGE)?;
    writer.add(&records(&game, 3))?;
    let other = games::variant("shatranj").ok_or("no such game")?;
    let told = |error: Option<DataError>| error.map_or(String::new(), |e| e.to_string());
    let error = told(Writer::open(&file, &other, SETTINGS, JUDGE).err());
    assert!(
        error.starts_with("its games are of another game, or of `shatranj`"),
        "{error}"
    );
    let more = Settings {
        nodes: 61,
        ..SETTINGS
    };
    let error = told(Writer::open(&file, &game, more, JUDGE).err());
    assert!(
        error.contains("60 nodes, 4-9 opening plies and seed 5"),
        "{error}"
    );
    let bytes = std::fs::read(&file)?;
    let changed = |at: usize, to: u8| {
        let mut bytes = bytes.clone();
        bytes[at] = to;
        let mut reader = Reader::new(&bytes[..], &game)?;
        while reader.next_game()?.is_some() {}
        Ok::<_, DataError>(())
    };
    assert!(matches!(changed(0, b'X'), Err(DataError::Magic)));
    assert!(matches!(
        changed(8, 9),
        Err(DataError::Version { found: 9 })
    ));
    let first = HEADER + 13;
    let damaged = |found: std::result::Result<(), DataError>| {
        let expected = DataError::Damaged {
            game: 3,
            position: 1,
        };
        assert_eq!(told(found.err()), expected.to_string());
    };
    // More pieces than squares, a right that does not exist, a flag that the game does not have.
    damaged(changed(first + 1, 65));
    damaged(changed(first, 0xff));
    damaged(changed(first + 2, 1));
    assert!(matches!(
        changed(HEADER + 8, 3),
        Err(DataError::Damaged { position: 0, .. })
    ));
    // A damaged length is a file that ends early.
    assert!(changed(HEADER + 12, 0xff).is_ok());
    for n in 0..HEADER {
        assert!(
            matches!(Reader::new(&bytes[..n], &game), Err(DataError::Magic)),
            "{n}"
        );
    }
    Ok(())
}

/// Whatever the bytes are, reading comes to an end.
#[test]
fn no_bytes_do_harm() -> Result<()> {
    let folder = Folder::new("bytes")?;
    let file = folder.file("positions");
    let game = games::variant("citadel9").ok_or("no such game")?;
    let (mut writer, _) = Writer::open(&file, &game, SETTINGS, JUDGE)?;
    writer.add(&records(&game, 1))?;
    writer.add(&records(&game, 2))?;
    let bytes = std::fs::read(&file)?;
    let mut random = engine::Random::new(1);
    let mut refused = 0;
    for _ in 0..3000 {
        let mut bytes = bytes.clone();
        for _ in 0..1 + random.below(3) {
            let at = HEADER + random.below(bytes.len() as u64 - HEADER as u64) as usize;
            bytes[at] = random.below(256) as u8;
        }
        bytes.truncate(HEADER + random.below(bytes.len() as u64 + 1 - HEADER as u64) as usize);
        let mut reader = Reader::new(&bytes[..], &game)?;
        loop {
            match reader.next_game() {
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(_) => {
                    refused += 1;
                    break;
                }
            }
        }
    }
    assert!(refused > 100, "{refused}");
    Ok(())
}
