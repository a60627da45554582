//! Games read from files on the server: found, explained and played as built-in ones, and gone on with when the file has
//! changed or is not there any more.

use crate::common::browser::Browser;
use crate::common::{Fallible, Request, TestServer};
use games::Catalogue;
use serde_json::json;
use server::wire::{
    Chapter, RulesText, RunningPage, Side, Snapshot, Stage, TournamentGames, TournamentMade,
    TournamentNow, TournamentPhase, VariantCard, VariantDetail,
};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A folder with a game's file and its rules.
struct Files(PathBuf);

impl Files {
    fn new(name: &str) -> Fallible<Files> {
        let folder = std::env::temp_dir().join(format!("husun-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        Ok(Files(folder))
    }

    fn games(&self) -> Fallible<Catalogue> {
        let mut games = Catalogue::default();
        games.insert(games.read(&self.0.join("lagoon.toml"))?);
        Ok(games)
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

async fn lists_lagoon(server: &TestServer) -> Fallible<bool> {
    let all: Vec<VariantCard> = server.get("/api/variants").await?;
    Ok(all.iter().any(|v| v.id == "lagoon"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_of_a_file_goes_on_whatever_becomes_of_the_file() -> Fallible<()> {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/examples/lagoon.toml");
    let text = std::fs::read_to_string(example)?;
    let files = Files::new("own-files")?;
    std::fs::write(files.0.join("lagoon.toml"), &text)?;
    std::fs::write(
        files.0.join("lagoon.rules.md"),
        "# Lagoon\n\n## In short\n\nNobody swims.\n",
    )?;

    let server = TestServer::start_with("own", files.games()?, |_| ()).await?;
    assert!(lists_lagoon(&server).await?);
    let rules: RulesText = server.get("/api/variants/lagoon/rules").await?;
    let swims = |chapter: &Chapter| chapter.html.contains("Nobody swims.");
    assert!(rules.chapters.iter().any(swims));
    let made = server
        .make(r#"{"variant":"lagoon","side":"white","level":1}"#)
        .await?;
    let (mut white, snapshot) = server.join(&made.id, Some(&made.seat)).await?;
    assert_eq!(snapshot.variant.as_deref(), Some("lagoon"));
    let first = snapshot.now.legal.first().ok_or("no move")?.clone();
    white.play(0, &first).await?;
    assert_eq!(white.ply(2).await?.turn, Some(Side::White));
    let start = snapshot.start;
    server.stop().await?;

    // Without the file.
    let server = TestServer::start("own", |_| ()).await?;
    assert!(!lists_lagoon(&server).await?);
    let refused = server.ask(Request::get("/api/variants/lagoon")).await?;
    assert_eq!(refused.status, 404);
    let refused = server
        .ask(Request::post("/api/games", r#"{"variant":"lagoon"}"#))
        .await?;
    assert_eq!(refused.status, 422, "{}", refused.body);
    let (mut white, snapshot) = server.join(&made.id, Some(&made.seat)).await?;
    assert_eq!(snapshot.now.stage, Stage::Playing);
    assert_eq!(snapshot.start, start);
    let name = snapshot.variant.ok_or("no variant")?;
    assert!(name.starts_with("lagoon_"), "{name}");
    let detail: VariantDetail = server.get(&format!("/api/variants/{name}")).await?;
    assert_eq!(detail.card.id, name);
    let next = snapshot.now.legal.first().ok_or("no move")?.clone();
    white.play(2, &next).await?;
    assert_eq!(white.ply(4).await?.turn, Some(Side::White));
    server.stop().await?;

    // With a file that has changed: both games are played, each as it began.
    let changed = text.replacen("name = \"Lagoon\"", "name = \"Lagoon, revised\"", 1);
    assert_ne!(changed, text);
    std::fs::write(files.0.join("lagoon.toml"), changed)?;
    let server = TestServer::start_with("own", files.games()?, |_| ()).await?;
    let snapshot: Snapshot = server.get(&format!("/api/games/{}", made.id)).await?;
    assert_eq!(snapshot.variant.as_deref(), Some(name.as_str()));
    assert_eq!(
        (snapshot.name.as_str(), snapshot.moves.len()),
        ("Lagoon", 4)
    );
    let other = server
        .make(r#"{"variant":"lagoon","side":"white","level":1}"#)
        .await?;
    let snapshot: Snapshot = server.get(&format!("/api/games/{}", other.id)).await?;
    assert_eq!(snapshot.variant.as_deref(), Some("lagoon"));
    assert_eq!(snapshot.name, "Lagoon, revised");
    let named: RunningPage = server.get("/api/running?game=lagoon").await?;
    drop(named);
    server.stop().await?;

    // With the first file again.
    std::fs::write(files.0.join("lagoon.toml"), &text)?;
    let server = TestServer::start_with("own", files.games()?, |_| ()).await?;
    let snapshot: Snapshot = server.get(&format!("/api/games/{}", made.id)).await?;
    assert_eq!(snapshot.variant.as_deref(), Some("lagoon"));
    server.end().await
}

/// Damages the rules that a tournament of that name refers to, in the files of a storage that is closed.
fn damage(folder: &Path, tournament: &str) -> Fallible<()> {
    let path = folder.join("husun.sqlite");
    let mut bytes = std::fs::read(&path)?;
    let find = |from: usize, text: &str| {
        let windows = bytes.get(from..).unwrap_or_default();
        let at = windows
            .windows(text.len())
            .position(|w| w == text.as_bytes());
        at.map(|at| from + at).ok_or(format!("no {text}"))
    };
    let name = find(0, tournament)?;
    let hash = find(name, "lagoon_")? + "lagoon_".len();
    bytes[hash] = match bytes[hash] {
        b'0' => b'1',
        _ => b'0',
    };
    Ok(std::fs::write(path, bytes)?)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tournament_has_the_rules_that_it_was_announced_with() -> Fallible<()> {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/examples/lagoon.toml");
    let text = std::fs::read_to_string(example)?;
    let files = Files::new("own-cup-files")?;
    std::fs::write(files.0.join("lagoon.toml"), &text)?;
    let server = TestServer::start_with("own-cup", files.games()?, |_| ()).await?;
    let (mut ann, mut bob) = (Browser::new(&server), Browser::new(&server));
    for (browser, name) in [(&mut ann, "Ann"), (&mut bob, "Bob")] {
        assert_eq!(browser.register(name, "correct horse").await?.status, 201);
    }
    let starts = SystemTime::now() + Duration::from_secs(4);
    let starts_ms = starts.duration_since(UNIX_EPOCH)?.as_millis() as i64;
    let mut ids = Vec::new();
    for name in ["The whole one", "The damaged one"] {
        let wish = json!({
            "name": name, "kind": { "round_robin": {} }, "games": ["lagoon"], "clock": "fischer:5m+3s",
            "starts_ms": starts_ms, "break_s": 0,
        });
        let made = ann.ask("POST", "/api/tournaments", wish).await?;
        assert_eq!(made.status, 201, "{}", made.body);
        let id = made.json::<TournamentMade>()?.id;
        for browser in [&mut ann, &mut bob] {
            let path = format!("/api/tournaments/{id}/me");
            assert_eq!(browser.ask("PUT", &path, json!({})).await?.status, 204);
        }
        ids.push(id);
    }
    let folder = server.stop().await?;
    damage(&folder, "The damaged one")?;
    let changed = text.replacen("name = \"Lagoon\"", "name = \"Lagoon, revised\"", 1);
    std::fs::write(files.0.join("lagoon.toml"), changed)?;

    let server = TestServer::start_with("own-cup", files.games()?, |_| ()).await?;
    let mut over = false;
    for _ in 0..600 {
        let now: TournamentNow = server.get(&format!("/api/tournaments/{}", ids[1])).await?;
        over = now.card.phase == TournamentPhase::Over;
        if over {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(over, "what cannot be played does not stand in the way");
    let path = format!("/api/tournaments/{}/games", ids[0]);
    let games: TournamentGames = server.get(&path).await?;
    let game = games.games.first().ok_or("no game")?;
    let mut shown = server
        .ask(Request::get(&format!("/api/games/{}", game.game)))
        .await?;
    for _ in 0..100 {
        if shown.status == 200 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
        shown = server
            .ask(Request::get(&format!("/api/games/{}", game.game)))
            .await?;
    }
    let snapshot: Snapshot = shown.json()?;
    assert_eq!(snapshot.name, "Lagoon");
    server.end().await
}
