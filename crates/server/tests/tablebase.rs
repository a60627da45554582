//! Tables of perfect play over HTTP: what is known of a position, and how questions are refused.

use crate::common::{Fallible, Request, TestServer};
use ::tablebase::{Builder, Men, Outcome, Tablebase};
use games::Catalogue;
use husun::{Side, Variant};
use server::Config;
use server::wire::{Refusal, TableOutcome, TablebaseAnswer, VariantDetail};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const ROOK: &str = "KRvK.husuntable";

/// The tables of king and rook against king in chess, and a folder of shatranj with those of chess.
fn made(name: &str) -> Fallible<(PathBuf, Arc<Variant>)> {
    let folder = std::env::temp_dir().join(format!("husun-{name}-{}", std::process::id()));
    let chess = games::variant("chess").ok_or("no chess")?;
    let man = |side, letter| Some((side, chess.kind(letter)?));
    let men = [(Side::White, 'K'), (Side::White, 'R'), (Side::Black, 'K')];
    let men = men.map(|(side, letter)| man(side, letter));
    let men = men.into_iter().collect::<Option<Vec<_>>>().ok_or("a man")?;
    let builder = Builder::new(&chess, 2).kept_in(&folder.join("chess"));
    builder.these(&[Men::new(men)], &mut |_| ())?;
    let other = folder.join("shatranj");
    std::fs::create_dir_all(&other)?;
    std::fs::copy(folder.join("chess").join(ROOK), other.join(ROOK))?;
    Ok((folder, chess))
}

async fn served(name: &str, folder: &Path) -> Fallible<TestServer> {
    TestServer::start(name, |config| config.tablebases = Some(folder.into())).await
}

fn path(game: &str, fen: &str) -> String {
    format!("/api/tablebase/{game}?fen={}", fen.replace(' ', "%20"))
}

#[tokio::test]
async fn positions_and_moves_are_told_as_the_tables_have_them() -> Fallible<()> {
    let (folder, chess) = made("asked-tables")?;
    let tables = Tablebase::open(&chess, &folder.join("chess"))?;
    let server = served("tables-told", &folder).await?;
    for (fen, late) in [
        ("8/8/8/3k4/8/8/8/KR6 w - - 0 1", false),
        ("8/8/3k4/8/8/8/1R6/K7 b - - 3 1", false),
        ("8/8/8/8/8/8/2k5/KR6 b - - 0 1", false),
        ("7k/8/6K1/8/8/8/8/R7 w - - 99 80", false),
        ("8/8/8/3k4/8/8/8/KR6 w - - 80 80", true),
    ] {
        let position = chess.position(fen)?;
        let known = tables.probe(&position)?;
        let answer: TablebaseAnswer = server.get(&path("chess", fen)).await?;
        let told = answer.position.ok_or("nothing is known")?;
        let outcome = |outcome| match outcome {
            Outcome::Won => TableOutcome::Won,
            Outcome::Drawn => TableOutcome::Drawn,
            Outcome::Lost => TableOutcome::Lost,
        };
        assert_eq!(told.outcome, outcome(known.outcome), "{fen}");
        assert_eq!((told.distance, told.late), (known.distance, late), "{fen}");
        assert_eq!(answer.moves.len(), position.legal_moves().len(), "{fen}");
        // The best move keeps what the position has, and no move is better than one before it.
        assert_eq!(answer.moves[0].outcome, told.outcome, "{fen}");
        assert_eq!(answer.moves[0].distance, told.distance, "{fen}");
        for m in &answer.moves {
            let played = position.parse_uci(&m.uci)?;
            assert_eq!(position.san(played)?, m.san, "{fen}");
            let next = tables.probe(&position.play(played)?)?;
            assert_eq!(outcome(next.outcome.turned()), m.outcome, "{fen} {}", m.san);
            let longer = u16::from(next.outcome != Outcome::Drawn);
            assert_eq!(next.distance + longer, m.distance, "{fen} {}", m.san);
        }
    }
    // Two rooks are not in the tables, but what is left when one is taken is.
    let answer: TablebaseAnswer = server
        .get(&path("chess", "8/8/8/8/8/2k5/8/KR5R b - - 0 1"))
        .await?;
    assert_eq!(answer.position, None);
    let taken: Vec<&str> = answer.moves.iter().map(|m| m.san.as_str()).collect();
    assert_eq!(taken, [] as [&str; 0]);
    let answer: TablebaseAnswer = server
        .get(&path("chess", "7K/8/8/8/8/2k5/1R6/7R b - - 0 1"))
        .await?;
    let taken: Vec<&str> = answer.moves.iter().map(|m| m.san.as_str()).collect();
    assert_eq!((answer.position, taken), (None, vec!["Kxb2"]));
    let start = chess.start().fen();
    let answer: TablebaseAnswer = server.get(&path("chess", &start)).await?;
    assert_eq!((answer.position, answer.moves.len()), (None, 0));
    let detail: VariantDetail = server.get("/api/variants/chess").await?;
    assert_eq!(detail.table_men, 3);
    let detail: VariantDetail = server.get("/api/variants/citadel9").await?;
    assert_eq!(detail.table_men, 0);
    server.end().await?;
    Ok(std::fs::remove_dir_all(folder)?)
}

#[tokio::test]
async fn what_cannot_be_told_is_refused_with_the_reason() -> Fallible<()> {
    let (folder, _) = made("refused-tables")?;
    // Damage that shows only when the block is read.
    let file = folder.join("chess").join(ROOK);
    let mut bytes = std::fs::read(&file)?;
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    std::fs::write(&file, bytes)?;
    let server = served("tables-refused", &folder).await?;
    let rook = "8/8/8/3k4/8/8/8/KR6 w - - 0 1";
    let damaged = "R6K/8/8/8/8/2k5/8/8 b - - 0 1";
    for (path, status, code) in [
        (path("nothing", rook), 404, "no_such_variant"),
        (path("citadel9", rook), 404, "no_tables"),
        // Its tables are those of another game: the server has said so, and plays it without.
        (path("shatranj", rook), 404, "no_tables"),
        (path("chess", "8/8 w"), 422, "fen"),
        ("/api/tablebase/chess".into(), 400, "query"),
        (path("chess", damaged), 500, "damaged"),
    ] {
        let answer = server.ask(Request::get(&path)).await?;
        assert_eq!(answer.status, status, "{path}: {}", answer.body);
        let refusal: Refusal = answer.json()?;
        assert_eq!(refusal.code, code, "{path}");
        assert!(!refusal.message.contains("husuntable"), "{path}");
    }
    server.end().await?;
    std::fs::remove_dir_all(&folder)?;
    let config = Config {
        tablebases: Some(folder),
        ..Config::default()
    };
    let config = Config {
        data: std::env::temp_dir().join(format!("husun-tables-none-{}", std::process::id())),
        listen: ([127, 0, 0, 1], 0).into(),
        ..config
    };
    let error = server::bind(&config, Catalogue::default()).await.err();
    let error = error.ok_or("it serves")?.to_string();
    assert!(error.starts_with("settings: tablebases: "), "{error}");
    Ok(std::fs::remove_dir_all(config.data)?)
}
