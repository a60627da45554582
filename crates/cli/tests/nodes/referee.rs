//! Compares what players were told with what is stored.

use super::house::House;
use super::players::{self, Played, strict};
use crate::common::{Fallible, Request, ask};
use server::wire::{Snapshot, Stage};
use std::collections::HashSet;
use std::process::Command;
use std::time::{Duration, Instant};

/// How much clocks may differ from the referee's.
const NEAR: Duration = Duration::from_millis(100);
/// What of a move's time may be charged to the way to the server at most.
const LAG: Duration = Duration::from_millis(100);
/// How much they may differ where other programs keep the machine busy.
const BUSY: Duration = Duration::from_millis(1000);

fn query(url: &str, sql: &str) -> Fallible<String> {
    let told = Command::new("psql")
        .args([url, "-At", "-F", " ", "-c", sql])
        .output()?;
    match told.status.success() {
        true => Ok(String::from_utf8(told.stdout)?),
        false => Err(format!("{sql}: {}", String::from_utf8_lossy(&told.stderr)).into()),
    }
}

fn count(url: &str, sql: &str) -> Fallible<u64> {
    Ok(query(url, sql)?.trim().parse()?)
}

/// Half-moves of games whose owner was another than that of the event before: in between the clock stood still.
fn moved(url: &str) -> Fallible<HashSet<(String, u32)>> {
    let sql = "SELECT game, ply FROM (SELECT game, epoch, body LIKE '%\"played\"%' AS played, \
               SUM(CASE WHEN body LIKE '%\"played\"%' THEN 1 ELSE 0 END) OVER w - 1 AS ply, \
               LAG(epoch, 1, epoch) OVER w AS before FROM events WINDOW w AS (PARTITION BY game ORDER BY seq)) AS e \
               WHERE played AND epoch <> before";
    let mut moved = HashSet::new();
    for line in query(url, sql)?.lines() {
        let (game, ply) = line.split_once(' ').ok_or("no two columns")?;
        moved.insert((game.to_owned(), ply.parse()?));
    }
    Ok(moved)
}

/// The events of a game, for whoever has to find out what went wrong.
fn events(url: &str, game: &str) -> String {
    let sql = format!(
        "SELECT seq, epoch, at_ms, run, run_ms, wall_ms, LEFT(body, 70) FROM events WHERE game = '{game}' ORDER BY seq"
    );
    query(url, &sql).unwrap_or_else(|error| error.to_string())
}

/// Prints what storage and nodes know of games.
pub async fn explain(house: &House, games: &[String]) {
    let url = house.url();
    let said = |sql: &str| query(url, sql).unwrap_or_else(|error| error.to_string());
    println!(
        "nodes:\n{}",
        said("SELECT * FROM nodes ORDER BY boot DESC LIMIT 12")
    );
    for game in games {
        let row = format!("SELECT owner, epoch, due, over FROM games WHERE id = '{game}'");
        println!("game {game}: {}{}", said(&row), events(url, game));
        for address in house.addresses() {
            let path = format!("/api/games/{game}");
            let answer =
                tokio::time::timeout(Duration::from_secs(5), ask(address, Request::get(&path)));
            match answer.await {
                Ok(Ok(answer)) => println!("{address}: {}: {}", answer.status, answer.body),
                Ok(Err(error)) => println!("{address}: {error}"),
                Err(_) => println!("{address}: no answer"),
            }
        }
    }
}

async fn look(house: &House, id: &str) -> Fallible<Snapshot> {
    let path = format!("/api/games/{id}");
    let start = Instant::now();
    loop {
        for address in house.addresses() {
            let answer = ask(address, Request::get(&path)).await;
            if let Ok(answer) = answer
                && answer.status == 200
            {
                return answer.json();
            }
        }
        if start.elapsed() > Duration::from_secs(20) {
            return Err(format!("game {id} cannot be looked at").into());
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// Judges all games.
pub async fn judge(house: &House, played: &[Played]) -> Fallible<()> {
    let (mut moves, mut off, mut farthest) = (0, 0, Duration::ZERO);
    let moved = moved(house.url())?;
    for game in played {
        let stored = look(house, &game.id).await?;
        moves += stored.moves.len();
        for (ply, told) in &game.moves {
            let at = stored.moves.get(*ply as usize).map(|played| &played.uci);
            if at != Some(&told.text) {
                let id = &game.id;
                return Err(format!("game {id}: move {ply}, {}, is {at:?}", told.text).into());
            }
        }
        if let Some(result) = &stored.now.result {
            let board = ["time", "resign", "abort", "abandon", "agree"];
            assert!(
                !board.iter().any(|word| result.reason.contains(word)),
                "game {} has ended: {result:?}",
                game.id
            );
        }
        let begun = matches!(stored.now.stage, Stage::Playing | Stage::Over);
        assert!(
            begun || !game.sat,
            "game {} is {:?}",
            game.id,
            stored.now.stage
        );
        let (far, beyond) = clocks(game, &stored, &moved, house.url())?;
        farthest = farthest.max(far);
        off += beyond;
    }
    println!(
        "{} games, {moves} half-moves, {} of them after the game had changed hands; clocks at most {} ms from the referee's",
        played.len(),
        moved.len(),
        farthest.as_millis()
    );
    assert!(moves > 0, "nothing was played");
    // Events of a game are numbered without a gap, and no former owner writes after a later one.
    let url = house.url();
    let gaps = "SELECT COUNT(*) FROM (SELECT game, MAX(seq) - COUNT(*) AS gap, MIN(seq) AS first FROM events \
                GROUP BY game) AS g WHERE gap <> 0 OR first <> 1";
    assert_eq!(count(url, gaps)?, 0, "games with gaps");
    let back = "SELECT COUNT(*) FROM events a JOIN events b ON b.game = a.game AND b.seq = a.seq + 1 \
                WHERE b.epoch < a.epoch";
    assert_eq!(
        count(url, back)?,
        0,
        "events of an owner after those of the next"
    );
    assert_eq!(off, 0, "clocks farther from the referee's than they may be");
    match played.iter().map(|game| game.late).sum::<usize>() {
        0 => Ok(()),
        late => {
            let most = players::back();
            Err(format!("{late} times a player was out for more than {most:?}").into())
        }
    }
}

/// What was charged for each move, compared with when its player had heard that it was his turn, and sent it. Nobody is
/// charged more than went by from the sending of the move before to when this one was told; and what he thought, unless
/// something happened meanwhile (clocks also stand still while a commit takes long, as on a busy machine). Tells the
/// farthest of the undisturbed, and how many are farther than they may be.
fn clocks(
    game: &Played,
    stored: &Snapshot,
    moved: &HashSet<(String, u32)>,
    url: &str,
) -> Fallible<(Duration, usize)> {
    let near = if strict() { NEAR } else { BUSY };
    let (mut farthest, mut beyond) = (Duration::ZERO, 0);
    for (ply, told) in game.moves.range(2..) {
        let Some(before) = game.moves.get(&(ply - 1)) else {
            continue;
        };
        let spent = stored.moves.get(*ply as usize).and_then(|m| m.spent_ms);
        let spent = Duration::from_millis(spent.ok_or("no clock")?);
        let most = told.told.saturating_duration_since(before.sent);
        let thought = told.sent.saturating_duration_since(told.heard);
        let id = &game.id;
        if spent > most + NEAR + LAG {
            eprintln!("{}", events(url, id));
            return Err(format!("game {id}, move {ply}: {spent:?} of at most {most:?}").into());
        }
        let disturbed = game
            .outages
            .iter()
            .any(|(from, to)| *from < told.told && *to > before.sent)
            || moved.contains(&(game.id.clone(), *ply));
        if disturbed {
            continue;
        }
        let differ = spent.abs_diff(thought);
        if differ > near + LAG {
            beyond += 1;
            println!(
                "game {id}, move {ply}: {spent:?}, thought {thought:?}{}",
                game.beside(told.heard, told.told)
            );
        }
        farthest = farthest.max(differ);
    }
    Ok((farthest, beyond))
}
