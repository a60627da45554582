//! The log of `husun serve`: it tells much when asked to, but never what opens a seat or identifies a guest.

use crate::common::{Fallible, Request, Socket, ask};
use server::wire::GameMade;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Command, Stdio};

#[tokio::test(flavor = "multi_thread")]
async fn the_log_holds_no_seats_and_no_colours() -> Fallible<()> {
    let folder = std::env::temp_dir().join(format!("husun-log-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let log = folder.join("log");
    let mut child = Command::new(env!("CARGO_BIN_EXE_husun"))
        .args(["serve", "--listen", "127.0.0.1:0", "--data"])
        .arg(folder.join("data"))
        .env("HUSUN_LOG", "trace,tungstenite=trace,hyper=trace")
        .stdout(Stdio::piped())
        .stderr(File::create(&log)?)
        .spawn()?;
    let mut line = String::new();
    BufReader::new(child.stdout.take().ok_or("no output")?).read_line(&mut line)?;
    let address = line
        .split("http://")
        .nth(1)
        .and_then(|l| l.split('/').next());
    let address: SocketAddr = address.ok_or(format!("no address in {line:?}"))?.parse()?;
    let played = async {
        let made = ask(
            address,
            Request::post("/api/games", r#"{"variant":"chess","side":"white"}"#),
        );
        let made = made.await?;
        let cookie = made.cookie().ok_or("no cookie")?.to_owned();
        let game: GameMade = made.json()?;
        let mut socket = Socket::open(address, &[("cookie", &cookie)]).await?;
        socket.join(&game.id, Some(&game.seat)).await?;
        socket.play(0, "e2e4").await?;
        socket.refusal().await?;
        Fallible::Ok((game, cookie))
    };
    let played = played.await;
    child.kill()?;
    child.wait()?;
    let (game, cookie) = played?;
    let text = std::fs::read_to_string(&log)?;
    assert!(text.contains("serving"), "{text}");
    let friend = game.friend_seat.ok_or("no seat for the friend")?;
    let value = cookie.split_once('=').ok_or("no value")?.1.to_owned();
    for secret in [game.seat, friend, value] {
        assert!(!text.contains(&secret), "{secret} in {text}");
    }
    assert!(!text.contains('\u{1b}'), "{text}");
    std::fs::remove_dir_all(folder)?;
    Ok(())
}

#[test]
fn a_folder_without_tables_of_perfect_play_is_told() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::temp_dir().join(format!("husun-no-tables-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("tables"))?;
    let mut child = Command::new(env!("CARGO_BIN_EXE_husun"))
        .args(["serve", "--listen", "127.0.0.1:0", "--data"])
        .arg(folder.join("data"))
        .arg("--tablebases")
        .arg(folder.join("tables"))
        .env_remove("HUSUN_LOG")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()?;
    let log = BufReader::new(child.stderr.take().ok_or("no log")?);
    let mut told = String::new();
    for line in log.lines() {
        let line = line?;
        told += &line;
        if line.contains("serving") {
            break;
        }
    }
    child.kill()?;
    child.wait()?;
    let none = "no tables of perfect play of any game";
    assert_eq!(told.matches(none).count(), 1, "{told}");
    std::fs::remove_dir_all(folder)?;
    Ok(())
}
