//! Three nodes on one PostgreSQL and one NATS and a worker, with games under way at all of them, some against the engine, while
//! one after another is killed, stopped for longer than its lease, or cut off, PostgreSQL and NATS are restarted, and the
//! worker is killed and stopped. Nothing that was acknowledged is lost or
//! doubled, no game has two owners or a result that nobody has played, and clocks agree with the wall's.
//!
//!     scripts/postgres cargo test --workspace --test apart -- --ignored --nocapture --test-threads 1 nodes::
//!
//! `HUSUN_NODES_SECONDS` (60) and `HUSUN_NODES_GAMES` (12) ask for more, `HUSUN_NODES_SEED` for a run that was before,
//! `HUSUN_NODES_FAULT=Kill` for one kind of fault alone, `HUSUN_NODES_STRICT=1` for the bounds that hold on a machine that does nothing else.
//!
//! Then nodes of two versions play together, games moving between them. `HUSUN_BEFORE=PROGRAM` is the program of the version
//! before; without it nodes of this version take the place of each other. What another version may say is tried in
//! `crates/server/tests/versions.rs` and `crates/server/src/forms.rs`.

mod arena;
mod house;
mod machine;
mod players;
#[path = "../../bus/src/tests/proxy.rs"]
mod proxy;
mod referee;
mod traces;

use crate::common::{Fallible, Request, Socket, ask};
use crate::process::asked;
use house::{Fault, House};
use players::Club;
use server::wire::{GameMade, NodeNow, NodeState, ServerMessage};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// A small pseudo-random number generator (splitmix64).
pub struct Random(pub u64);

impl Random {
    /// A number below another.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (((z ^ (z >> 31)) as u128 * n as u128) >> 64) as usize
    }
}

/// Half-moves of each game at least where nodes take each other's place.
const PLAYED: usize = 11;

/// Nodes of a house.
const NODES: usize = 3;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs PostgreSQL and NATS"]
async fn faults_of_nodes_postgres_and_nats_cost_no_move() -> Fallible<()> {
    let _turn = crate::turn(module_path!());
    let chance = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?;
    let seed = asked("HUSUN_NODES_SEED", chance.as_nanos() as usize & 0xff_ffff);
    let seconds = asked("HUSUN_NODES_SECONDS", 60) as u64;
    println!("HUSUN_NODES_SEED={seed}");
    let mut random = Random(seed as u64);
    let mut house = House::open("faults", NODES).await?;
    house.start_worker()?;
    let sleeper = machine::Sleeper::start();
    let games = asked("HUSUN_NODES_GAMES", 12);
    let engines = (games / 10).max(1);
    let club = Club::open_with_engines(house.addresses(), games, engines, seed as u64).await?;
    let mut lent = 0.0;
    let start = Instant::now();
    let length = Duration::from_secs(seconds);
    let mut kinds: Vec<Fault> = Vec::new();
    while start.elapsed() < length {
        tokio::time::sleep(Duration::from_millis(1000 + random.below(2000) as u64)).await;
        if kinds.is_empty() {
            kinds = Fault::ALL.to_vec();
            let wanted = std::env::var("HUSUN_NODES_FAULT").ok();
            kinds.retain(|kind| wanted.as_ref().is_none_or(|w| *w == format!("{kind:?}")));
            assert!(!kinds.is_empty(), "no such fault: {wanted:?}");
        }
        let fault = kinds.swap_remove(random.below(kinds.len()));
        let at = random.below(NODES);
        println!("{:6.1} s: {fault:?} at {at}", start.elapsed().as_secs_f64());
        let (began, ended) = house.suffer(fault, at, &mut random).await?;
        club.note_fault(fault, began, ended);
        // Everybody comes back, or the test says who does not.
        if let Err(error) = club.all_are_back(Duration::from_secs(60)).await {
            referee::explain(&house, &club.out()).await;
            return Err(error);
        }
        lent = f64::max(lent, house.lent().await?);
    }
    // The worker comes back, too, and has thought for the engines.
    let waits = Instant::now();
    while lent == 0.0 || house.nodes(0)?.workers.is_empty() {
        assert!(waits.elapsed() < Duration::from_secs(60), "no worker");
        tokio::time::sleep(Duration::from_millis(200)).await;
        lent = f64::max(lent, house.lent().await?);
    }
    let played = club.close().await?;
    for (at, by) in sleeper.end() {
        let at = at.saturating_duration_since(start).as_secs_f64();
        println!("{at:6.1} s: the machine was late by {} ms", by.as_millis());
    }
    referee::judge(&house, &played).await?;
    house.close()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs PostgreSQL and NATS"]
async fn a_node_that_is_told_to_go_hands_its_games_over() -> Fallible<()> {
    let _turn = crate::turn(module_path!());
    let mut house = House::open("leaving", 2).await?;
    let refused = house.refused()?;
    assert!(
        refused.contains("cookie.key is not that of the other nodes"),
        "{refused}"
    );
    let games = asked("HUSUN_NODES_GAMES", 6);
    let club = Club::open(house.addresses(), games, 7).await?;
    for at in [0, 1, 0] {
        tokio::time::sleep(Duration::from_secs(2)).await;
        let began = Instant::now();
        house.leave(at).await?;
        club.note_fault(Fault::Kill, began, began);
        club.all_are_back(Duration::from_secs(20)).await?;
        tokio::time::sleep(Duration::from_millis(1500)).await;
        // All games are the other node's, which leads.
        let now = house.nodes(1 - at)?;
        let alive = |node: &&NodeNow| node.state != NodeState::Gone;
        let nodes: Vec<&NodeNow> = now.nodes.iter().filter(alive).collect();
        assert!(
            matches!(nodes[..], [one] if one.leads && one.owned == games as u64 && now.unowned == 0),
            "{now:?}"
        );
        house.start(at).await?;
    }
    // They are played on, however many share the machine.
    club.all_have_played(PLAYED, Duration::from_secs(120))
        .await?;
    let played = club.close().await?;
    referee::judge(&house, &played).await?;
    house.close()
}

/// The program of the version before, if it is at hand.
fn before() -> Option<PathBuf> {
    std::env::var_os("HUSUN_BEFORE").map(Into::into)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs PostgreSQL and NATS"]
async fn a_new_version_takes_the_place_of_the_one_before() -> Fallible<()> {
    let _turn = crate::turn(module_path!());
    let mut random = Random(11);
    let before = before();
    let mut house = House::open_before("rolling", NODES, before.as_deref()).await?;
    let games = asked("HUSUN_NODES_GAMES", 9);
    let club = Club::open(house.addresses(), games, 11).await?;
    let some = Duration::from_millis(1500);
    // Two are replaced one after the other, as the operators' page says: asked to go, and started with the new program.
    for at in [0, 1] {
        tokio::time::sleep(some).await;
        let began = Instant::now();
        house.leave(at).await?;
        club.note_fault(Fault::Kill, began, Instant::now());
        club.all_are_back(Duration::from_secs(60)).await?;
        house.replace(at);
        house.start(at).await?;
    }
    // Two of this version and one of the one before: games go to that one and back, by hand-over and by kill.
    for (at, leaves) in [(0, true), (1, false), (1, true), (0, false)] {
        tokio::time::sleep(some).await;
        let began = Instant::now();
        let ended = match leaves {
            true => {
                house.leave(at).await?;
                let ended = Instant::now();
                house.start(at).await?;
                ended
            }
            false => house.suffer(Fault::Kill, at, &mut random).await?.1,
        };
        club.note_fault(Fault::Kill, began, ended);
        club.all_are_back(Duration::from_secs(60)).await?;
    }
    // The last one of the version before is killed, and comes again as one of this.
    house.replace(2);
    let (began, ended) = house.suffer(Fault::Kill, 2, &mut random).await?;
    club.note_fault(Fault::Kill, began, ended);
    club.all_are_back(Duration::from_secs(60)).await?;
    // They are played on, however many share the machine.
    club.all_have_played(PLAYED, Duration::from_secs(120))
        .await?;
    let played = club.close().await?;
    referee::judge(&house, &played).await?;
    house.close()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs PostgreSQL and NATS"]
async fn without_nats_the_lobby_says_so_at_once_and_comes_back() -> Fallible<()> {
    let _turn = crate::turn(module_path!());
    let house = House::open("lobby", 2).await?;
    let addresses = house.addresses();
    let lobby = async |at: usize| ask(addresses[at], Request::get("/api/lobby")).await;
    for at in 0..2 {
        assert_eq!(lobby(at).await?.status, 200);
    }
    house.cut_nats(1, true);
    let start = Instant::now();
    loop {
        let asked = Instant::now();
        let answer = lobby(1).await?;
        if answer
            .body
            .contains("cannot be reached at the moment; games go on")
        {
            assert_eq!(answer.status, 503);
            assert!(asked.elapsed() < Duration::from_secs(3), "{asked:?}");
            break;
        }
        assert!(start.elapsed() < Duration::from_secs(30), "{}", answer.body);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    // The other node has it for those who are there.
    assert_eq!(lobby(0).await?.status, 200);
    house.cut_nats(1, false);
    let start = Instant::now();
    while lobby(1).await?.status != 200 {
        assert!(start.elapsed() < Duration::from_secs(30));
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    house.close()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs PostgreSQL and NATS"]
async fn a_node_without_its_database_sends_away_who_comes() -> Fallible<()> {
    let _turn = crate::turn(module_path!());
    // Its lease alone would have people wait for longer.
    let house = House::open_with("away", 2, "lease_seconds = 8\n").await?;
    let addresses = house.addresses();
    let me = ask(addresses[0], Request::get("/api/me")).await?;
    let cookie = me.cookie().ok_or("no cookie")?.to_owned();
    let headers = [("cookie", cookie.as_str())];
    let visit = |at: usize| ask(addresses[at], Request::get("/api/me").with(&headers));
    assert_eq!(visit(0).await?.status, 200);
    // It has heard of the other.
    let start = Instant::now();
    while house.figure(0, "husun_nodes", "").await? < 2.0 {
        assert!(start.elapsed() < Duration::from_secs(30));
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    house.stall_postgres(0, true);
    // Who comes while the lease still runs waits no longer than it does, and then nobody waits; a question to the storage alone
    // would wait for 10 s.
    let wait = Duration::from_secs(6);
    for _ in 0..2 {
        let asked = Instant::now();
        let answer = visit(0).await?;
        assert_eq!(answer.status, 503, "{}", answer.body);
        assert!(answer.body.contains("out of touch"), "{}", answer.body);
        assert!(asked.elapsed() < wait, "{:?}", asked.elapsed());
        let asked = Instant::now();
        let socket = Socket::open(addresses[0], &headers).await;
        assert!(socket.is_err(), "a socket was opened");
        assert!(asked.elapsed() < wait, "{:?}", asked.elapsed());
    }
    assert_eq!(visit(1).await?.status, 200, "the other node is well");
    let given_up = house.figure(0, "husun_leases_given_up_total", "").await?;
    assert_eq!(given_up, 1.0, "the other node has ended its lease");
    house.stall_postgres(0, false);
    let start = Instant::now();
    while visit(0).await?.status != 200 {
        assert!(start.elapsed() < Duration::from_secs(30));
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    house.close()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs PostgreSQL and NATS"]
async fn the_lease_of_a_dead_node_is_ended_by_the_others() -> Fallible<()> {
    let _turn = crate::turn(module_path!());
    // Longer than anybody would wait.
    let mut house = House::open_with("silent", 2, "lease_seconds = 60\n").await?;
    let club = Club::open(house.addresses(), 4, 3).await?;
    club.all_have_played(PLAYED, Duration::from_secs(120))
        .await?;
    let began = Instant::now();
    house.kill(0)?;
    club.note_fault(Fault::Kill, began, Instant::now());
    while house
        .figure(1, "husun_leases_of_others_ended_total", "")
        .await?
        < 1.0
    {
        assert!(began.elapsed() < Duration::from_secs(40));
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    club.all_are_back(Duration::from_secs(40)).await?;
    let played = club.close().await?;
    referee::judge(&house, &played).await?;
    house.close()
}

/// Waits until White hears that Black is there, or has left.
async fn until_black_is_there(white: &mut Socket, there: bool) -> Fallible<()> {
    let heard = white.until(|message| match message {
        ServerMessage::Update { now, .. } => (now.players.black.online == there).then_some(()),
        _ => None,
    });
    tokio::time::timeout(Duration::from_secs(30), heard)
        .await
        .map_err(|_| format!("White does not hear of it: {there}"))?
}

/// One who leaves while the way to the game's owner is cut has left when it is open again; otherwise the other could never
/// claim the game.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs PostgreSQL and NATS"]
async fn one_who_leaves_while_nats_is_away_has_left() -> Fallible<()> {
    let _turn = crate::turn(module_path!());
    // Longer than NATS is away: nobody takes the game meanwhile, nor the node for dead.
    let house = House::open_with("leaver", 2, "lease_seconds = 20\n").await?;
    let addresses = house.addresses();
    let wishes = r#"{"variant":"chess","side":"white","clock":"fischer:60m+0s"}"#;
    let made = ask(addresses[0], Request::post("/api/games", wishes)).await?;
    let made: GameMade = made.json()?;
    let friend = made
        .friend_seat
        .as_deref()
        .ok_or("no seat for the friend")?;
    // White is at the owner, Black at the other one.
    let nodes = house.nodes(0)?.nodes;
    let owner = nodes
        .iter()
        .find(|node| node.owned == 1)
        .ok_or("no owner")?;
    let near = usize::from(owner.name == "n1");
    let mut white = Socket::open(addresses[near], &[]).await?;
    white.join(&made.id, Some(&made.seat)).await?;
    let mut black = Socket::open(addresses[1 - near], &[]).await?;
    black.join(&made.id, Some(friend)).await?;
    until_black_is_there(&mut white, true).await?;
    house.cut_nats(1 - near, true);
    // It has noticed, so what it says is lost for now.
    let start = Instant::now();
    while house.figure(1 - near, "husun_bus_connected", "").await? > 0.0 {
        assert!(start.elapsed() < Duration::from_secs(10));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    drop(black);
    tokio::time::sleep(Duration::from_millis(1500)).await;
    house.cut_nats(1 - near, false);
    until_black_is_there(&mut white, false).await?;
    house.close()
}

/// A node that comes under the name of another throws it out, and that one stays away: started again it would throw out the
/// new one in turn, and so on without end.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs PostgreSQL and NATS"]
async fn a_node_makes_way_for_another_of_its_name_for_good() -> Fallible<()> {
    let _turn = crate::turn(module_path!());
    let mut house = House::open("namesake", 2).await?;
    let club = Club::open(house.addresses(), 4, 5).await?;
    club.all_have_played(PLAYED, Duration::from_secs(120))
        .await?;
    let began = Instant::now();
    // Units do not start a program again that ends so.
    assert_eq!(house.namesake(0).await?, Some(3));
    club.note_fault(Fault::Kill, began, Instant::now());
    let states: Vec<NodeNow> = house.nodes(1)?.nodes;
    let alive = |node: &&NodeNow| node.name == "n0" && node.state != NodeState::Gone;
    let of_the_name = states.iter().filter(alive);
    assert_eq!(of_the_name.count(), 1, "{states:?}");
    club.all_have_played(2 * PLAYED, Duration::from_secs(120))
        .await?;
    let played = club.close().await?;
    referee::judge(&house, &played).await?;
    house.close()
}
