//! Nothing outlives the test process: no program, no folder, however it ends.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use draguard_testbed::{Process, Workspace, wait_for};

const SOON: Duration = Duration::from_secs(30);

#[test]
fn dropped_processes_are_gone() {
    let workspace = Workspace::new().expect("a folder");
    let folder = workspace.path().to_owned();
    let process = sleeper(&workspace);
    wait_for("the program to run", SOON, || running(&folder, 1));
    drop(process);
    drop(workspace);
    nothing_left(&folder);
}

#[test]
fn signals_reach_the_program_itself() {
    let workspace = Workspace::new().expect("a folder");
    let script = workspace.write("trap.sh", "trap 'exit 7' TERM; while :; do sleep 0.1; done");
    let args = [script.expect("a script")];
    let log = workspace.log("sh");
    let mut process = Process::start(Path::new("/bin/sh"), &args, &log).expect("start sh");
    std::thread::sleep(Duration::from_millis(300));
    process.signal("TERM");
    let code = wait_for("the program to end", SOON, || process.exit_code().ok_or_else(|| "still running".to_owned()));
    assert_eq!(code, 7);
}

#[test]
fn a_control_plane_ends_with_kill_9() {
    let (mut cluster, folder) = dev_cluster();
    cluster.kill().expect("kill");
    cluster.wait().expect("wait");
    nothing_left(&folder);
}

#[test]
fn a_control_plane_ends_with_ctrl_c() {
    let (mut cluster, folder) = dev_cluster();
    let pid = cluster.id().to_string();
    let kill = Command::new("sh").args(["-c", "kill -INT $0", &pid]).status();
    assert!(kill.expect("kill").success());
    cluster.wait().expect("wait");
    nothing_left(&folder);
}

/// A process with a control plane, and the temporary folder that all of its programs work in.
fn dev_cluster() -> (Child, PathBuf) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_dev-cluster"))
        .arg("v1.36")
        .stdout(Stdio::piped())
        .spawn()
        .expect("start a cluster");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let first = lines.next().expect("a line").expect("text");
    let kubeconfig = first.trim_start_matches("export KUBECONFIG=");
    let folder = Path::new(kubeconfig).parent().expect("a folder").to_owned();
    wait_for("four programs and a sweeper", SOON, || running(&folder, 5));
    (child, folder)
}

fn sleeper(workspace: &Workspace) -> Process {
    let script = workspace.write("sleep.sh", "while :; do sleep 0.1; done");
    let args = [script.expect("a script")];
    Process::start(Path::new("/bin/sh"), &args, &workspace.log("sh")).expect("start sh")
}

fn nothing_left(folder: &Path) {
    wait_for("everything to be gone", SOON, || {
        let left = processes_of(folder);
        match left.is_empty() && !folder.exists() {
            true => Ok(()),
            false => Err(format!("{left:?}, folder: {}", folder.exists())),
        }
    });
}

fn running(folder: &Path, at_least: usize) -> Result<(), String> {
    let now = processes_of(folder);
    if now.len() >= at_least { Ok(()) } else { Err(format!("{now:?}")) }
}

/// The command lines of all processes that name the folder.
fn processes_of(folder: &Path) -> Vec<String> {
    let folder = folder.to_string_lossy();
    let entries = std::fs::read_dir("/proc").expect("/proc").flatten();
    let lines = entries.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    let lines = lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " "));
    lines.filter(|line| line.contains(&*folder)).collect()
}
