//! Nodes as processes, each behind proxies of its own to PostgreSQL and NATS, and what can happen to them.

use super::Random;
use super::proxy::{Proxy, Way};
use crate::common::{Fallible, Request, ask};
use crate::process::{Process, folder, free_port};
use server::wire::NodesNow;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A node is killed, and started again later.
    Kill,
    /// A node is stopped for longer than its lease, and goes on.
    Stop,
    /// A node is cut off from NATS.
    CutNats,
    /// A node's way to NATS swallows everything.
    StallNats,
    /// A node is cut off from PostgreSQL.
    CutPostgres,
    /// A node's way to PostgreSQL swallows everything.
    StallPostgres,
    /// NATS is killed and started again.
    RestartNats,
    /// PostgreSQL is killed and started again.
    RestartPostgres,
    /// The worker is killed, and started again later.
    KillWorker,
    /// The worker is stopped, and goes on later.
    StopWorker,
}

impl Fault {
    pub const ALL: [Fault; 10] = [
        Fault::Kill,
        Fault::Stop,
        Fault::CutNats,
        Fault::StallNats,
        Fault::CutPostgres,
        Fault::StallPostgres,
        Fault::RestartNats,
        Fault::RestartPostgres,
        Fault::KillWorker,
        Fault::StopWorker,
    ];

    /// Whether it happens to all nodes: then everybody waits for its end.
    pub fn is_everywhere(self) -> bool {
        matches!(self, Fault::RestartNats | Fault::RestartPostgres)
    }
}

/// A lease, as nodes have it if nothing else is said.
const LEASE: Duration = store::nodes::LEASE;

struct Node {
    folder: PathBuf,
    config: PathBuf,
    postgres: Proxy,
    nats: Proxy,
    address: SocketAddr,
    /// Another program than that of the tests.
    program: Option<PathBuf>,
    process: Option<Process>,
}

/// Nodes with what they share.
pub struct House {
    folder: PathBuf,
    url: String,
    nats: Option<Child>,
    nats_port: u16,
    nodes: Vec<Node>,
    /// `husun work`, if there is a worker.
    worker: Option<Child>,
    name: String,
}

async fn start_nats(port: u16) -> Fallible<Child> {
    let child = Command::new("nats-server")
        .args(["-a", "127.0.0.1", "-p", &port.to_string()])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    for _ in 0..200 {
        if tokio::net::TcpStream::connect(("127.0.0.1", port))
            .await
            .is_ok()
        {
            return Ok(child);
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Err("the NATS server does not start".into())
}

fn postgres(act: &str) -> Fallible<()> {
    let control = std::env::var("HUSUN_TEST_POSTGRES_CTL")?;
    let command = format!("{control} {act}");
    let done = Command::new("sh")
        .args(["-c", &command])
        .stdout(Stdio::null())
        .status()?;
    match done.success() {
        true => Ok(()),
        false => Err(format!("PostgreSQL: {act}").into()),
    }
}

/// A database of its own on the server of the tests: nodes of another test have other keys.
fn own_database(url: &str, name: &str) -> Fallible<String> {
    let own = format!("husun_{}", name.replace('-', "_"));
    for act in ["DROP DATABASE IF EXISTS", "CREATE DATABASE"] {
        let sql = format!("{act} {own}");
        let done = Command::new("psql").args([url, "-qc", &sql]).status()?;
        if !done.success() {
            return Err(format!("PostgreSQL: {sql}").into());
        }
    }
    let (server, _) = url.rsplit_once('/').ok_or("the URL names no database")?;
    Ok(format!("{server}/{own}"))
}

impl House {
    pub async fn open(name: &str, nodes: usize) -> Fallible<House> {
        House::open_as(name, nodes, None, "").await
    }

    /// The same with more settings.
    pub async fn open_with(name: &str, nodes: usize, more: &str) -> Fallible<House> {
        House::open_as(name, nodes, None, more).await
    }

    /// The same with nodes of the version before, if there is a program of it.
    pub async fn open_before(name: &str, nodes: usize, before: Option<&Path>) -> Fallible<House> {
        House::open_as(name, nodes, before, "").await
    }

    async fn open_as(
        name: &str,
        nodes: usize,
        before: Option<&Path>,
        more: &str,
    ) -> Fallible<House> {
        let url = std::env::var("HUSUN_TEST_POSTGRES")
            .map_err(|_| "HUSUN_TEST_POSTGRES: run it with scripts/postgres")?;
        let url = own_database(&url, name)?;
        let port: u16 = url
            .rsplit(':')
            .next()
            .and_then(|rest| rest.split('/').next()?.parse().ok())
            .ok_or("the URL has no port")?;
        let folder = folder(&format!("nodes-{name}"))?;
        let nats_port = free_port()?;
        let mut house = House {
            nats: Some(start_nats(nats_port).await?),
            nats_port,
            url: url.clone(),
            folder: folder.clone(),
            nodes: Vec::new(),
            worker: None,
            name: name.into(),
        };
        for n in 0..nodes {
            let own = folder.join(format!("node{n}"));
            std::fs::create_dir_all(&own)?;
            let to = |error: Box<dyn std::error::Error>| error.to_string();
            let postgres = Proxy::to(port).await.map_err(to)?;
            let nats = Proxy::to(nats_port).await.map_err(to)?;
            let config = own.join("config.toml");
            let database = url.replace(&port.to_string(), &postgres.port.to_string());
            let keys = folder.join("keys");
            std::fs::create_dir_all(&keys)?;
            let settings = settings(&database, n, name, &nats.url(), &keys);
            std::fs::write(&config, format!("{settings}{more}"))?;
            house.nodes.push(Node {
                folder: own,
                config,
                postgres,
                nats,
                address: SocketAddr::from(([127, 0, 0, 1], free_port()?)),
                program: before.map(Into::into),
                process: None,
            });
        }
        for n in 0..nodes {
            house.start(n).await?;
        }
        Ok(house)
    }

    /// From now on a node is of this version.
    pub fn replace(&mut self, n: usize) {
        self.nodes[n].program = None;
    }

    pub fn addresses(&self) -> Vec<SocketAddr> {
        self.nodes.iter().map(|node| node.address).collect()
    }

    /// URL of the database, past all proxies.
    pub fn url(&self) -> &str {
        &self.url
    }

    pub async fn start(&mut self, n: usize) -> Fallible<()> {
        let node = &mut self.nodes[n];
        let (folder, config) = (&node.folder, &node.config);
        let started = match &node.program {
            Some(program) => Process::start_program(program, node.address, folder, config).await?,
            None => Process::start_at(node.address, folder, config).await?,
        };
        node.process = Some(started);
        Ok(())
    }

    /// Kills a node without warning.
    pub fn kill(&mut self, n: usize) -> Fallible<()> {
        let process = self.nodes[n].process.take();
        process.map_or(Ok(()), Process::kill)
    }

    /// Starts a worker that works for all nodes.
    pub fn start_worker(&mut self) -> Fallible<()> {
        let nats = format!("nats://127.0.0.1:{}", self.nats_port);
        let worker = Command::new(env!("CARGO_BIN_EXE_husun"))
            .args(["work", "--threads", "1", "--hash", "1", "--nats", &nats])
            .args(["--prefix", &self.name, "--name", "worker"])
            .stderr(Stdio::null())
            .spawn()?;
        self.worker = Some(worker);
        Ok(())
    }

    /// Engine jobs that workers have done for nodes, as the nodes' processes know.
    pub async fn lent(&self) -> Fallible<f64> {
        let mut lent = 0.0;
        for at in 0..self.nodes.len() {
            lent += self
                .figure(at, "husun_engine_jobs_total", "by=\"worker\"")
                .await?;
        }
        Ok(lent)
    }

    /// The sum of a node's figures of this name with a label.
    pub async fn figure(&self, n: usize, name: &str, label: &str) -> Fallible<f64> {
        let address = self.nodes[n].address;
        let metrics = ask(address, Request::get("/metrics")).await?.body;
        let figures = metrics
            .lines()
            .filter(|line| line.starts_with(name) && line.contains(label));
        Ok(figures
            .filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok())
            .sum())
    }

    fn signal_worker(&self, signal: &str) -> Fallible<()> {
        let worker = self.worker.as_ref().ok_or("no worker")?;
        let pid = worker.id().to_string();
        let sent = Command::new("kill").args([signal, &pid]).status()?;
        match sent.success() {
            true => Ok(()),
            false => Err(format!("the worker cannot be sent {signal}").into()),
        }
    }

    fn kill_worker(&mut self) {
        if let Some(mut worker) = self.worker.take() {
            let _ = worker.kill();
            let _ = worker.wait();
        }
    }

    /// Cuts a node off from NATS, or lets it back.
    pub fn cut_nats(&self, n: usize, cut: bool) {
        self.nodes[n].nats.set(match cut {
            true => Way::Cut,
            false => Way::Open,
        });
    }

    /// Has a node's database not answer any more, or answer again.
    pub fn stall_postgres(&self, n: usize, stalled: bool) {
        self.nodes[n].postgres.set(match stalled {
            true => Way::Stalled,
            false => Way::Open,
        });
    }

    /// What `husun nodes` says beside a node.
    pub fn nodes(&self, n: usize) -> Fallible<NodesNow> {
        let told = Command::new(env!("CARGO_BIN_EXE_husun"))
            .args(["nodes", "--json", "--data"])
            .arg(&self.nodes[n].folder)
            .output()?;
        match told.status.success() {
            true => Ok(serde_json::from_slice(&told.stdout)?),
            false => Err(String::from_utf8(told.stderr)?.into()),
        }
    }

    /// What a node says that has keys of its own, when it ends since they are not those of the others.
    pub fn refused(&self) -> Fallible<String> {
        let folder = self.folder.join("stranger");
        std::fs::create_dir_all(&folder)?;
        let config = folder.join("config.toml");
        let nats = format!("nats://127.0.0.1:{}", self.nats_port);
        std::fs::write(&config, settings(&self.url, 9, "x", &nats, &folder))?;
        let told = Command::new(env!("CARGO_BIN_EXE_husun"))
            .args(["serve", "--listen", "127.0.0.1:0", "--data"])
            .arg(&folder)
            .arg("--config")
            .arg(&config)
            .output()?;
        match told.status.success() {
            true => Err("it was not refused".into()),
            false => Ok(String::from_utf8(told.stderr)?),
        }
    }

    /// Starts another node of the same name, which takes the place of the first; tells with which status that one ends.
    pub async fn namesake(&mut self, n: usize) -> Fallible<Option<i32>> {
        let folder = self.folder.join(format!("namesake{n}"));
        std::fs::create_dir_all(&folder)?;
        let node = &mut self.nodes[n];
        let first = node.process.take().ok_or("no process")?;
        let other = SocketAddr::from(([127, 0, 0, 1], free_port()?));
        let second = Process::start_at(other, &folder, &node.config).await?;
        let ended = tokio::task::spawn_blocking(move || first.wait()).await??;
        // Those who played at the first come to the second as they would behind a proxy.
        node.address = other;
        node.folder = folder;
        node.process = Some(second);
        Ok(ended)
    }

    /// Asks a node to end, and waits until it has.
    pub async fn leave(&mut self, n: usize) -> Fallible<()> {
        if let Some(process) = self.nodes[n].process.take() {
            tokio::task::spawn_blocking(move || process.end()).await??;
        }
        Ok(())
    }

    /// Has a fault happen, from its beginning to its end; tells from when to when.
    pub async fn suffer(
        &mut self,
        fault: Fault,
        n: usize,
        random: &mut Random,
    ) -> Fallible<(Instant, Instant)> {
        let mut some = |least: u64| Duration::from_millis(least + random.below(1500) as u64);
        let began = Instant::now();
        let node = &mut self.nodes[n];
        match fault {
            Fault::Kill => {
                self.kill(n)?;
                tokio::time::sleep(some(1000)).await;
                self.start(n).await?;
            }
            Fault::Stop => {
                let process = node.process.as_ref().ok_or("no process")?;
                process.signal("STOP")?;
                tokio::time::sleep(LEASE + some(500)).await;
                process.signal("CONT")?;
            }
            Fault::CutNats | Fault::StallNats => {
                node.nats.set(match fault {
                    Fault::CutNats => Way::Cut,
                    _ => Way::Stalled,
                });
                tokio::time::sleep(some(5000)).await;
                node.nats.set(Way::Open);
            }
            Fault::CutPostgres | Fault::StallPostgres => {
                node.postgres.set(match fault {
                    Fault::CutPostgres => Way::Cut,
                    _ => Way::Stalled,
                });
                tokio::time::sleep(some(5000)).await;
                node.postgres.set(Way::Open);
            }
            Fault::RestartNats => {
                if let Some(mut nats) = self.nats.take() {
                    nats.kill()?;
                    nats.wait()?;
                }
                tokio::time::sleep(some(200)).await;
                self.nats = Some(start_nats(self.nats_port).await?);
            }
            Fault::RestartPostgres => {
                tokio::task::spawn_blocking(|| postgres("-m immediate stop")).await??;
                tokio::time::sleep(some(200)).await;
                tokio::task::spawn_blocking(|| postgres("start")).await??;
            }
            Fault::KillWorker => {
                self.kill_worker();
                tokio::time::sleep(some(1000)).await;
                self.start_worker()?;
            }
            Fault::StopWorker => {
                self.signal_worker("-STOP")?;
                tokio::time::sleep(some(2000)).await;
                self.signal_worker("-CONT")?;
            }
        }
        Ok((began, Instant::now()))
    }

    pub fn close(mut self) -> Fallible<()> {
        for node in &mut self.nodes {
            node.process = None;
        }
        let _ = std::fs::remove_dir_all(&self.folder);
        Ok(())
    }
}

impl Drop for House {
    fn drop(&mut self) {
        self.kill_worker();
        if let Some(nats) = &mut self.nats {
            let _ = nats.kill();
            let _ = nats.wait();
        }
    }
}

fn settings(database: &str, n: usize, prefix: &str, nats: &str, keys: &Path) -> String {
    format!(
        "database = {database:?}\nstart_grace_seconds = 0\nengine_threads = 2\nengine_hash = 1\nengine_pause = false\n\
         [limits]\nrequests_per_second = 0\npositions_per_second = 0\ngames_per_minute = 0\nsockets_per_address = 0\n\
         connections_per_address = 0\nsockets_per_guest = 0\nmessages_per_second = 0\n\
         accounts_per_hour = 0\nsign_ins_per_minute = 0\n\
         [node]\nname = \"n{n}\"\nprefix = {prefix:?}\nnats = {nats:?}\nkeys = {keys:?}\n"
    )
}
