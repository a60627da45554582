//! `husun admin` beside a running server and without one: the same acts, the same lists, one log.

use crate::common::{Fallible, Request, ask};
use crate::process::{Process, folder};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Output};

const WORD: &str = "correct horse";

fn admin(data: &Path, arguments: &[&str]) -> Fallible<Output> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_husun"));
    command.arg("admin").arg("--data").arg(data).args(arguments);
    Ok(command.output()?)
}

/// What it prints when all goes well.
fn told(data: &Path, arguments: &[&str]) -> Fallible<String> {
    let output = admin(data, arguments)?;
    let text = String::from_utf8(output.stdout)?;
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {text}{error}");
    Ok(text)
}

fn json_of(data: &Path, arguments: &[&str]) -> Fallible<Value> {
    let with: Vec<&str> = arguments.iter().copied().chain(["--json"]).collect();
    Ok(serde_json::from_str(&told(data, &with)?)?)
}

/// What it complains of.
fn complaint(data: &Path, arguments: &[&str]) -> Fallible<String> {
    let output = admin(data, arguments)?;
    let error = String::from_utf8(output.stderr)?;
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
    Ok(error)
}

async fn post(address: SocketAddr, path: &str, body: Value) -> Fallible<u16> {
    let body = body.to_string();
    Ok(ask(address, Request::post(path, &body)).await?.status)
}

async fn sign_in(address: SocketAddr, name: &str) -> Fallible<u16> {
    post(
        address,
        "/api/session",
        json!({ "name": name, "password": WORD }),
    )
    .await
}

/// What is done in both ways; `names` are two accounts that are there.
fn acts(data: &Path, [one, two]: [&str; 2]) -> Fallible<()> {
    let ban = ["ban", one, "--for", "2h", "--reason", "rude in chat"];
    assert!(told(data, &ban)?.starts_with(&format!("{one} is banned, until 20")));
    let list = told(data, &["accounts"])?;
    assert!(
        list.starts_with("NAME") && list.contains("banned"),
        "{list}"
    );
    let bans = told(data, &["bans"])?;
    assert!(
        bans.contains("rude in chat") && bans.contains("the operator"),
        "{bans}"
    );
    let seen = json_of(data, &["account", one])?;
    assert_eq!(seen["account"]["bans"], json!(["play"]));
    told(data, &["unban", one, "--reason", "sorry"])?;
    let again = complaint(data, &["unban", one])?;
    assert!(again.contains(&format!("no ban of {one} holds")), "{again}");
    told(data, &["ban", one, "--chat", "--reason", "rude"])?;
    told(
        data,
        &[
            "ban",
            "--address",
            "192.0.2.9/24",
            "--only-new",
            "--reason",
            "flood",
        ],
    )?;
    let bans = json_of(data, &["bans"])?;
    assert_eq!(bans[0]["addresses"], json!("192.0.2.0/24"));
    told(data, &["unban", "--address", "192.0.2.0/24"])?;
    let ban = bans[1]["id"].as_str().ok_or("no id")?;
    told(data, &["unban", "--ban", ban])?;
    told(data, &["moderators", "add", two])?;
    let moderators = json_of(data, &["moderators", "list"])?;
    assert_eq!(moderators[0]["name"], json!(two));
    told(data, &["moderators", "remove", two])?;
    assert_eq!(told(data, &["moderators", "list"])?, "No accounts.\n");
    let announced = json_of(data, &["announce", "We stop at noon", "--for", "1d"])?;
    let id = announced["id"].as_str().ok_or("no id")?;
    assert!(told(data, &["announce"])?.contains("We stop at noon"));
    told(data, &["announce", "--end", id])?;
    assert_eq!(told(data, &["announce"])?, "Nothing is announced.\n");
    for (arguments, word) in [
        (
            &["ban", "Nobody_here", "--reason", "x"][..],
            "no account with the name \"Nobody_here\"",
        ),
        (
            &["ban", "--address", "0.0.0.0/0", "--reason", "x"],
            "/8 to /32",
        ),
        (
            &["ban", one, "--for", "soon", "--reason", "x"],
            "as 30m, 12h, 7d, 2w",
        ),
        (&["ban", one], "--reason"),
        (&["ban", one, "--reason", " "], "reason: 0 characters"),
        (&["ban", "--reason", "x"], "NAME"),
        (&["rename", one, two, "--reason", "x"], "is taken"),
        (&["chat", "show", "nosuchgame"], "no such game"),
        (
            &["settle", "nothing", "an answer"],
            "no report with this id",
        ),
        (&["announce", "text"], "--for"),
        (&["account", "Nobody_here"], "nobody with this name"),
    ] {
        let found = complaint(data, arguments)?;
        assert!(found.contains(word), "{arguments:?}: {found}");
    }
    Ok(())
}

/// What the log contains after that, oldest first.
const LOG: [&str; 10] = [
    "ban",
    "unban",
    "ban",
    "ban",
    "unban",
    "unban",
    "add_moderator",
    "remove_moderator",
    "announce",
    "end_announcement",
];

fn log(data: &Path) -> Fallible<Vec<String>> {
    let log = json_of(data, &["log"])?;
    let acts = log.as_array().ok_or("no list")?.iter().rev();
    let acts = acts.map(|entry| entry["act"].as_str().unwrap_or_default().to_owned());
    Ok(acts.collect())
}

#[tokio::test(flavor = "multi_thread")]
async fn it_works_beside_a_server_and_without_one() -> Fallible<()> {
    let data = folder("admin")?;
    let config = data.join("config.toml");
    let plain = "start_grace_seconds = 0\n";
    std::fs::write(&config, plain)?;
    let server = Process::start(&data, &config).await?;
    for name in ["Ann", "Bob", "Rude_1"] {
        let wish = json!({ "name": name, "password": WORD });
        assert_eq!(post(server.address, "/api/account", wish).await?, 201);
    }
    let report = json!({ "person": "Ann", "reason": "stalling", "text": "slow" });
    assert_eq!(post(server.address, "/api/reports", report).await?, 201);
    server.kill()?;
    // The one who runs it asks by number, under whatever names it is known to others.
    std::fs::write(&config, format!("hosts = [\"play.example.org\"]\n{plain}"))?;
    let server = Process::start(&data, &config).await?;
    acts(&data, ["Ann", "Bob"])?;
    // A report, looked at and settled.
    let reports = told(&data, &["reports"])?;
    assert!(
        reports.contains("stalling about Ann") && reports.contains("slow"),
        "{reports}"
    );
    let reports = json_of(&data, &["reports"])?;
    let id = reports[0]["id"].as_str().ok_or("no report")?;
    told(&data, &["settle", id, "we talked"])?;
    assert_eq!(told(&data, &["reports"])?, "No reports.\n");
    assert!(told(&data, &["reports", "--settled"])?.contains("we talked"));
    server.kill()?;

    // Nobody serves: the same in the storage itself.
    acts(&data, ["Ann", "Bob"])?;
    told(&data, &["rename", "Rude_1", "Rose", "--reason", "offends"])?;
    told(&data, &["close", "Bob", "--reason", "asked for it"])?;
    let mut expected: Vec<&str> = LOG.to_vec();
    expected.push("settle");
    expected.extend(LOG);
    expected.extend(["rename", "close"]);
    assert_eq!(log(&data)?, expected);
    assert_eq!(
        json_of(&data, &["log", "Rose"])?[0]["detail"],
        json!("Rude_1 to Rose")
    );

    // And it holds when one serves again.
    std::fs::write(&config, plain)?;
    let server = Process::start(&data, &config).await?;
    assert_eq!(sign_in(server.address, "Bob").await?, 403);
    assert_eq!(sign_in(server.address, "Rude_1").await?, 200);
    assert_eq!(sign_in(server.address, "Rose").await?, 200);
    assert_eq!(log(&data)?, expected);
    server.kill()?;
    std::fs::remove_dir_all(&data)?;
    Ok(())
}

#[test]
fn what_is_no_data_folder_is_told() -> Fallible<()> {
    let data = folder("admin-none")?;
    let found = complaint(&data.join("nowhere"), &["bans"])?;
    assert!(
        found.contains("there is no such folder") && found.contains("--data"),
        "{found}"
    );
    let found = complaint(&data, &["bans"])?;
    assert!(found.contains("no server has used this folder"), "{found}");
    assert!(!data.join("husun.sqlite").exists());
    std::fs::remove_dir_all(&data)?;
    Ok(())
}
