//! A server with its own folder, the accounts of people and programs on it, and `husun bot` as a process.

#![allow(dead_code)] // each test uses its part

use super::common::Fallible;
use super::common::browser::Browser;
use super::process::{Process, folder};
use serde_json::json;
use server::wire::TokenMade;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

pub const WORD: &str = "correct horse";
/// How long to wait for something to happen.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// A new account at a server.
pub async fn account(address: SocketAddr, name: &str) -> Fallible<Browser> {
    let mut browser = Browser {
        address,
        from: None,
        cookies: BTreeMap::new(),
    };
    let made = browser.register(name, WORD).await?;
    assert_eq!(made.status, 201, "{}", made.body);
    Ok(browser)
}

/// A server process with its own folder.
pub struct House {
    pub data: PathBuf,
    config: PathBuf,
    process: Option<Process>,
    pub address: SocketAddr,
}

impl House {
    pub async fn open(name: &str) -> Fallible<House> {
        House::open_with(name, "").await
    }

    /// A server with other limits.
    pub async fn open_with(name: &str, limits: &str) -> Fallible<House> {
        let data = folder(name)?;
        let config = data.join("config.toml");
        std::fs::write(
            &config,
            format!("start_grace_seconds = 0\nengine_pause = false\n[limits]\n{limits}"),
        )?;
        let process = Process::start(&data, &config).await?;
        Ok(House {
            address: process.address,
            process: Some(process),
            data,
            config,
        })
    }

    pub fn kill(&mut self) -> Fallible<()> {
        self.process.take().map_or(Ok(()), Process::kill)
    }

    /// Asks the server to end; the folder stays.
    pub fn end(&mut self) -> Fallible<()> {
        self.process.take().map_or(Ok(()), Process::end)
    }

    pub async fn open_again(&mut self) -> Fallible<()> {
        let process = Process::start_at(self.address, &self.data, &self.config);
        self.process = Some(process.await?);
        Ok(())
    }

    pub fn close(mut self) -> Fallible<()> {
        self.kill()?;
        Ok(std::fs::remove_dir_all(&self.data)?)
    }

    pub async fn account(&self, name: &str) -> Fallible<Browser> {
        account(self.address, name).await
    }

    /// An account of a program, its token, and the file with it.
    pub async fn bot(&self, name: &str) -> Fallible<(Browser, TokenMade, PathBuf)> {
        use std::os::unix::fs::PermissionsExt;
        let mut owner = self.account(name).await?;
        let word = json!({ "password": WORD });
        let marked = owner.ask("PUT", "/api/account/bot", word).await?;
        assert_eq!(marked.status, 204, "{}", marked.body);
        let wish = json!({ "name": "test" });
        let made: TokenMade = owner
            .ask("POST", "/api/account/tokens", wish)
            .await?
            .json()?;
        let file = self.data.join(format!("{name}.token"));
        std::fs::write(&file, format!("{}\n", made.token))?;
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600))?;
        Ok((owner, made, file))
    }
}

/// `husun bot` as a process, with its output.
pub struct Bot {
    pub child: Child,
    said: Arc<Mutex<Vec<String>>>,
}

impl Bot {
    pub fn start(house: &House, token: &Path, args: &[&str]) -> Fallible<Bot> {
        Bot::start_at(&format!("http://{}", house.address), token, args, &[])
    }

    pub fn start_at(
        server: &str,
        token: &Path,
        args: &[&str],
        with: &[(&str, &Path)],
    ) -> Fallible<Bot> {
        let mut child = Command::new(env!("CARGO_BIN_EXE_husun"))
            .args(["bot", "--server", server])
            .envs(with.iter().copied())
            .arg("--token")
            .arg(token)
            .args(args)
            .stderr(Stdio::piped())
            .spawn()?;
        let said: Arc<Mutex<Vec<String>>> = Arc::default();
        let (lines, keeps) = (child.stderr.take().ok_or("no pipe")?, said.clone());
        std::thread::spawn(move || {
            for line in BufReader::new(lines).lines().map_while(Result::ok) {
                let mut said = keeps.lock().unwrap_or_else(PoisonError::into_inner);
                said.push(line);
            }
        });
        Ok(Bot { child, said })
    }

    pub fn said(&self) -> Vec<String> {
        let said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        said.clone()
    }

    /// Waits until its output contains these words.
    pub async fn says(&mut self, words: &str) -> Fallible<()> {
        let start = Instant::now();
        while !self.said().iter().any(|line| line.contains(words)) {
            if self.child.try_wait()?.is_some() {
                // Its last output is being read.
                tokio::time::sleep(Duration::from_millis(200)).await;
                if self.said().iter().any(|line| line.contains(words)) {
                    return Ok(());
                }
                return Err(format!("it has ended: {:#?}", self.said()).into());
            }
            if start.elapsed() > PATIENCE {
                return Err(format!("{words:?} is not said: {:#?}", self.said()).into());
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Ok(())
    }

    pub fn signal(&self) -> Fallible<()> {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args(["-TERM", &pid]).status()?;
        assert!(sent.success());
        Ok(())
    }

    /// Waits until it has ended by itself.
    pub async fn ends(&mut self) -> Fallible<ExitStatus> {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            if start.elapsed() > PATIENCE {
                return Err(format!("it does not end: {:#?}", self.said()).into());
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

impl Drop for Bot {
    fn drop(&mut self) {
        // Gone already, if it has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
