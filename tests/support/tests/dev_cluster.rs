//! The cluster to play with: what it prints works, and nothing is left of it.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use draguard_testbed::{Workspace, wait_for};

const SOON: Duration = Duration::from_mins(1);

#[test]
fn the_printed_commands_work_and_ctrl_c_leaves_nothing() {
    let mut cluster = Cluster::start("1.37");
    let [refused, counted, warned] = cluster.commands().map(|command| cluster.run(&command));
    assert!(!refused.status.success());
    let text = said(&refused);
    assert!(text.contains("DG104") && text.contains("write 2 for 2 cores"), "{text}");
    assert!(said(&counted).contains("two-cores"), "{}", said(&counted));
    let text = said(&warned);
    assert!(text.contains("Warning: ") && text.contains("DG601") && text.contains("created"), "{text}");
    cluster.end_with("INT");
    cluster.nothing_left();
}

#[test]
fn sigterm_leaves_nothing() {
    let mut cluster = Cluster::start("1.36");
    cluster.end_with("TERM");
    cluster.nothing_left();
}

#[test]
fn kill_9_leaves_nothing() {
    let mut cluster = Cluster::start("1.36");
    cluster.end_with("KILL");
    cluster.nothing_left();
}

#[test]
fn ctrl_c_while_it_starts_leaves_nothing() {
    let mut cluster = Cluster::spawn("1.37");
    wait_for("the first program", SOON, || match processes_of(&cluster.temporary).len() {
        0 => Err("none yet".to_owned()),
        _ => Ok(()),
    });
    cluster.end_with("INT");
    cluster.nothing_left();
}

/// A running `draguard-dev`, all of whose temporary folders are in one of the test's.
struct Cluster {
    child: Child,
    printed: Vec<String>,
    /// Empty until it is printed.
    server: String,
    temporary: PathBuf,
    _workspace: Workspace,
}

impl Cluster {
    /// A cluster that is ready.
    fn start(version: &str) -> Cluster {
        let mut cluster = Self::spawn(version);
        let output = BufReader::new(cluster.child.stdout.take().expect("a pipe"));
        // The pipe closes where the cluster does not come up.
        for line in output.lines().map(|line| line.expect("text")) {
            let last = line.contains("Ctrl-C");
            cluster.printed.push(line);
            if last {
                break;
            }
        }
        cluster.server = server(&cluster.printed);
        cluster
    }

    /// A cluster that has just been asked for.
    fn spawn(version: &str) -> Cluster {
        let workspace = Workspace::new().expect("a folder");
        let temporary = workspace.path().join("temporary");
        std::fs::create_dir(&temporary).expect("a folder");
        // What runs in the background of a shell is told to pass over Ctrl-C.
        let child = Command::new("env")
            .args(["--default-signal=INT", env!("CARGO_BIN_EXE_draguard-dev"), "--kube-version", version])
            .env("TMPDIR", &temporary)
            .stdout(Stdio::piped())
            .spawn()
            .expect("start a cluster");
        Cluster { child, printed: Vec::new(), server: String::new(), temporary, _workspace: workspace }
    }

    fn commands(&self) -> [String; 3] {
        let commands = self.printed.iter().filter(|line| line.contains("/kubectl "));
        let commands: Vec<String> = commands.cloned().collect();
        commands.try_into().unwrap_or_else(|_| panic!("three commands: {:#?}", self.printed))
    }

    /// Types a command as a user would.
    fn run(&self, command: &str) -> Output {
        let typed = format!("{}\n{command}", self.printed[0]);
        Command::new("sh").args(["-c", &typed]).output().expect("run sh")
    }

    fn end_with(&mut self, signal: &str) {
        let pid = self.child.id().to_string();
        let kill = Command::new("sh").args(["-c", "kill -s $0 $1", signal, &pid]).status();
        assert!(kill.expect("kill").success());
        self.child.wait().expect("wait");
    }

    fn nothing_left(&self) {
        wait_for("everything to be gone", SOON, || {
            let processes = processes_of(&self.temporary);
            let folders = std::fs::read_dir(&self.temporary).expect("the folder").count();
            let answers = TcpStream::connect(&self.server).is_ok();
            match processes.is_empty() && folders == 0 && !answers {
                true => Ok(()),
                false => Err(format!("{processes:?}, folders: {folders}, port: {answers}")),
            }
        });
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // It has ended already, unless the test failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Host and port of the API server, from the kubeconfig.
fn server(printed: &[String]) -> String {
    let first = printed.first().expect("the cluster did not come up: see above, or `cargo build` first");
    let path = first.split_whitespace().find_map(|word| word.strip_prefix("KUBECONFIG=")).expect("a kubeconfig");
    let config = std::fs::read_to_string(path).expect("read the kubeconfig");
    let config: serde_json::Value = serde_json::from_str(&config).expect("JSON");
    let server = config["clusters"][0]["cluster"]["server"].as_str().expect("a server");
    server.trim_start_matches("https://").to_owned()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// The command lines of all processes that name the folder.
fn processes_of(folder: &Path) -> Vec<String> {
    let folder = folder.to_string_lossy();
    let entries = std::fs::read_dir("/proc").expect("/proc").flatten();
    let lines = entries.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    let lines = lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " "));
    lines.filter(|line| line.contains(&*folder)).collect()
}
