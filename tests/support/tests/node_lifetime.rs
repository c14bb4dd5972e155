//! Nothing of a node outlives it: no process, no container, no cgroup, whoever is killed.
//!
//! The kubelet here is a script that runs one container, so that no control plane is needed.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use draguard_testbed::{Node, Workspace, wait_for};

const SOON: Duration = Duration::from_mins(2);

const KUBELET: &str = r#"#!/bin/sh
ctr="ctr --address /run/containerd/containerd.sock --namespace k8s.io"
box=$(basename "$(dirname "$0")")
$ctr run --detach --snapshotter native --cgroup "/draguard-node/$box" draguard.test/pause:1 "$box"
exec sleep 1000
"#;

#[test]
fn a_node_ends_with_its_input() {
    let Some(mut node) = Bare::start() else { return };
    drop(node.child.stdin.take());
    node.child.wait().expect("wait");
    node.nothing_left();
}

#[test]
fn a_node_ends_with_its_namespaces() {
    let Some(mut node) = Bare::start() else { return };
    kill(&[parent(node.first)]);
    node.child.wait().expect("wait");
    node.nothing_left();
}

#[test]
fn a_node_ends_without_its_supervisor() {
    let Some(mut node) = Bare::start() else { return };
    kill(&[parent(parent(node.first))]);
    node.child.wait().expect("wait");
    drop(node.child.stdin.take());
    wait_for("the processes to be gone", SOON, || node.no_process());
    clean();
    node.nothing_left();
}

#[test]
fn what_nobody_could_clean_is_cleaned_before_the_next_node() {
    let Some(mut node) = Bare::start() else { return };
    let namespaces = parent(node.first);
    kill(&[parent(namespaces), namespaces]);
    node.child.wait().expect("wait");
    clean();
    node.nothing_left();
}

#[test]
fn a_node_that_waits_ends_with_its_owner() {
    if !can_run() {
        return;
    }
    let mut turn = Command::new("flock");
    let turn = turn.args(["/sys/fs/cgroup", "sh", "-c", "echo taken; read -r _"]);
    let mut turn = turn.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("run flock");
    heard(BufReader::new(turn.stdout.take().expect("a pipe")), "taken");
    let mut node = Bare::spawn();
    node.hear("waiting for another node");
    let folder = node.abandon();
    drop(turn.stdin.take());
    turn.wait().expect("wait");
    node.child.wait().expect("wait");
    assert!(!folder.exists());
}

#[test]
fn a_node_that_starts_ends_with_its_owner() {
    if !can_run() {
        return;
    }
    let mut node = Bare::spawn();
    node.hear("namespaces of ");
    let folder = node.abandon();
    node.child.wait().expect("wait");
    wait_for("the folder to be gone", SOON, || if folder.exists() { Err("it is there".to_owned()) } else { Ok(()) });
}

/// False, and a word about it, where no node can run.
fn can_run() -> bool {
    let Some(why) = Node::unavailable() else { return true };
    assert!(std::env::var_os("CI").is_none(), "{why}");
    eprintln!("{why}");
    false
}

/// A running node without a control plane.
struct Bare {
    child: Child,
    /// The first process of its namespaces.
    first: u32,
    workspace: Option<Workspace>,
}

impl Bare {
    /// A node whose container runs; `None` where no node can run.
    fn start() -> Option<Bare> {
        if !can_run() {
            return None;
        }
        let mut node = Self::spawn();
        let line = node.hear("namespaces of ");
        node.first = line.trim_start_matches("namespaces of ").trim().parse().expect("a number");
        wait_for("the container", SOON, || match node.contained().is_empty() {
            true => Err("no process".to_owned()),
            false => Ok(()),
        });
        Some(node)
    }

    /// A node that was just asked for.
    fn spawn() -> Bare {
        let workspace = Workspace::new().expect("a folder");
        image(&workspace);
        let kubelet = workspace.write("kubelet.sh", KUBELET).expect("a script");
        make_executable(&kubelet);
        let child = Command::new(script("node.sh"))
            .args(["run", "bare"])
            .arg(workspace.path())
            .arg(kubelet)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("start a node");
        Bare { child, first: 0, workspace: Some(workspace) }
    }

    fn hear(&mut self, start: &str) -> String {
        heard(BufReader::new(self.child.stdout.take().expect("a pipe")), start)
    }

    /// What the kernel does for an owner that is killed: pipes close, and the sweeper removes the folder.
    fn abandon(&mut self) -> PathBuf {
        drop(self.child.stdin.take());
        let workspace = self.workspace.take().expect("a folder");
        workspace.path().to_owned()
    }

    /// The cgroups of the processes in the node's container, which is named like the folder.
    fn contained(&self) -> Vec<String> {
        let name = self.folder().file_name().expect("a name").to_string_lossy().into_owned();
        all_of("cgroup", |groups| groups.contains(&name))
    }

    fn folder(&self) -> &Path {
        self.workspace.as_ref().expect("an owner").path()
    }

    fn no_process(&self) -> Result<(), String> {
        let folder = self.folder().to_string_lossy().into_owned();
        let ours = all_of("cmdline", |line| line.contains(&folder) && !line.starts_with("sh\0-c"));
        let contained = self.contained();
        match ours.is_empty() && contained.is_empty() {
            true => Ok(()),
            false => Err(format!("{ours:?} {contained:?}")),
        }
    }

    /// Looks while no other node can start, which would make the same cgroups.
    fn nothing_left(&self) {
        let look = "! ls -d /sys/fs/cgroup/draguard-node /sys/fs/cgroup/*/draguard-node 2>/dev/null";
        let mut flock = Command::new("flock");
        let seen = flock.args(["/sys/fs/cgroup", "sh", "-c", look]).output().expect("run flock");
        assert!(seen.status.success(), "{}", String::from_utf8_lossy(&seen.stdout));
        wait_for("the processes to be gone", SOON, || self.no_process());
    }
}

/// The first line with this beginning. Reads on in a thread, so that the node never writes into a closed pipe.
fn heard(mut output: BufReader<ChildStdout>, start: &str) -> String {
    let mut line = String::new();
    while !line.starts_with(start) {
        line.clear();
        assert!(output.read_line(&mut line).expect("a line") > 0, "the node has ended");
    }
    std::thread::spawn(move || output.lines().map_while(Result::ok).for_each(drop));
    line
}

fn image(workspace: &Workspace) {
    let built = Command::new(script("../publisher/build.sh")).arg("pause").output().expect("build");
    let line = String::from_utf8_lossy(&built.stdout).into_owned();
    let program = line.split_whitespace().nth(1).expect("a program");
    let archive = workspace.path().join("image.tar");
    let mut image = Command::new(script("image.sh"));
    let made = image.arg(program).arg(archive).arg("draguard.test/pause:1").status();
    assert!(made.expect("run image.sh").success());
}

fn clean() {
    let cleaned = Command::new(script("node.sh")).arg("clean").status();
    assert!(cleaned.expect("run node.sh").success());
}

fn kill(pids: &[u32]) {
    let mut kill = Command::new("sh");
    kill.args(["-c", r#"kill -9 "$@""#, "kill"]).args(pids.iter().map(u32::to_string));
    assert!(kill.status().expect("kill").success());
}

fn parent(pid: u32) -> u32 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("a process");
    let line = status.lines().find_map(|line| line.strip_prefix("PPid:"));
    line.expect("a parent").trim().parse().expect("a number")
}

/// Files of that name of all processes whose content is of interest.
fn all_of(file: &str, interesting: impl Fn(&str) -> bool) -> Vec<String> {
    let entries = std::fs::read_dir("/proc").expect("/proc").flatten();
    let texts = entries.filter_map(|entry| std::fs::read(entry.path().join(file)).ok());
    let texts = texts.map(|text| String::from_utf8_lossy(&text).into_owned());
    texts.filter(|text| interesting(text)).collect()
}

fn make_executable(path: &str) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("chmod");
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../node").join(name)
}
