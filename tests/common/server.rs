//! The real binary, started on free ports.

use std::fs;
use std::io::{BufRead, BufReader, Read as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustls::ClientConfig;
use serde_json::Value;

use super::client::{self, Answer, Client};

/// A running `draguard serve`; killed when dropped.
pub struct Server {
    pub webhook: SocketAddr,
    pub probes: SocketAddr,
    pub metrics: SocketAddr,
    pub dir: Folder,
    child: Child,
    log: Option<JoinHandle<String>>,
    config: Arc<ClientConfig>,
}

/// A folder for one test, gone afterwards.
pub struct Folder(PathBuf);

impl Folder {
    /// A new, empty folder.
    pub fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("draguard-test-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl Server {
    /// Starts with a certificate of its own.
    pub fn start(flags: &[&str]) -> Self {
        let dir = Folder::new();
        let certs = dir.path().to_str().unwrap().to_owned();
        let ca = dir.path().join("ca.crt");
        Self::with(dir, &[&["--self-signed", &certs], flags].concat(), &ca)
    }

    /// Starts with any flags; the client trusts `ca`.
    pub fn with(dir: Folder, flags: &[&str], ca: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_draguard"))
            .args(["serve", "--listen=127.0.0.1:0", "--probe-listen=127.0.0.1:0", "--metrics-listen=127.0.0.1:0"])
            .arg("--log-format=json")
            .args(flags)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap());
        let line = listening(&mut log);
        let address = |key: &str| line[key].as_str().unwrap().parse().unwrap();
        Self {
            webhook: address("webhook"),
            probes: address("probes"),
            metrics: address("metrics"),
            dir,
            log: Some(thread::spawn(move || rest(log))),
            config: client::config(ca),
            child,
        }
    }

    /// A new connection.
    pub fn client(&self) -> Client {
        self.try_client().unwrap()
    }

    /// A new connection, if the server takes it.
    pub fn try_client(&self) -> std::io::Result<Client> {
        Client::connect(self.webhook, self.config.clone())
    }

    /// One review over a connection of its own.
    pub fn post(&self, path: &str, body: &[u8]) -> Answer {
        self.client().post(path, body).unwrap()
    }

    /// `/readyz`.
    pub fn ready(&self) -> Answer {
        client::get(self.probes, "/readyz")
    }

    /// The value of one metric line, 0 when it is not there.
    pub fn metric(&self, start: &str) -> f64 {
        let text = client::get(self.metrics, "/metrics").text();
        let line = text.lines().find(|line| line.starts_with(start));
        line.map_or(0.0, |line| line.rsplit(' ').next().unwrap().parse().unwrap())
    }

    /// Sends SIGTERM.
    pub fn terminate(&self) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    }

    /// Waits for the end, and gives the log too.
    pub fn wait(&mut self, longest: Duration) -> (ExitStatus, String) {
        let until = Instant::now() + longest;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return (status, self.log.take().unwrap().join().unwrap());
            }
            assert!(Instant::now() < until, "the server did not end within {longest:?}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Ends the server at once, and gives the log.
    pub fn kill(&mut self) -> String {
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.log.take().unwrap().join().unwrap()
    }

    /// The most memory that was ever resident, in bytes.
    pub fn resident(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        line.trim().trim_end_matches(" kB").trim().parse::<u64>().unwrap() * 1024
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn listening(log: &mut BufReader<ChildStderr>) -> Value {
    let mut seen = String::new();
    loop {
        let mut line = String::new();
        assert!(log.read_line(&mut line).unwrap() > 0, "the server did not start: {seen}");
        if line.contains("\"listening\"") {
            return serde_json::from_str(&line).unwrap();
        }
        seen.push_str(&line);
    }
}

fn rest(mut log: BufReader<ChildStderr>) -> String {
    let mut text = String::new();
    let _ = log.read_to_string(&mut text);
    text
}
