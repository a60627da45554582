//! A NATS server of a test's own, which can be killed and comes back on the same port.

use super::port::free_port;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

pub struct Server {
    pub port: u16,
    folder: PathBuf,
    config: String,
    process: Option<Child>,
}

impl Server {
    /// Starts it, with lines of its configuration.
    pub async fn start(config: &str) -> Result<Server, Box<dyn Error>> {
        let port = free_port()?;
        let folder = std::env::temp_dir().join(format!("nats-{}-{port}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        let mut server = Server {
            port,
            config: config.replace("FOLDER", &folder.display().to_string()),
            folder,
            process: None,
        };
        if server.config.contains("server.key") {
            server.make_certificate()?;
        }
        server.again().await?;
        Ok(server)
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Kills it at once.
    pub fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            let _ = process.kill();
            let _ = process.wait();
        }
    }

    /// Starts it again, and waits until it can be reached.
    pub async fn again(&mut self) -> Result<(), Box<dyn Error>> {
        let file = self.folder.join("config");
        std::fs::write(&file, &self.config)?;
        let child = Command::new("nats-server")
            .args(["-a", "127.0.0.1", "-p"])
            .arg(self.port.to_string())
            .arg("-c")
            .arg(file)
            .stdout(Stdio::null())
            .stderr(std::fs::File::create(self.folder.join("log"))?)
            .spawn()
            .map_err(|error| format!("nats-server: {error}; scripts/nats installs it"))?;
        self.process = Some(child);
        let start = Instant::now();
        while tokio::net::TcpStream::connect(("127.0.0.1", self.port))
            .await
            .is_err()
        {
            if start.elapsed() > Duration::from_secs(5) {
                let log = std::fs::read_to_string(self.folder.join("log"))?;
                return Err(format!("nats-server does not start: {log}").into());
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        Ok(())
    }

    fn make_certificate(&self) -> Result<(), Box<dyn Error>> {
        let made = Command::new("openssl")
            .args("req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost".split(' '))
            .args(["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"])
            // What is signed by itself is no authority, as the client sees it.
            .args(["-addext", "basicConstraints=critical,CA:FALSE"])
            .arg("-keyout")
            .arg(self.folder.join("server.key"))
            .arg("-out")
            .arg(self.folder.join("server.crt"))
            .output()?;
        match made.status.success() {
            true => Ok(()),
            false => Err(String::from_utf8_lossy(&made.stderr).into()),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
