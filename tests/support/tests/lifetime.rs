//! Programs and folders end with their owner. That nothing outlives a test process, however it ends, `dev_cluster.rs` shows.

use std::path::Path;
use std::time::Duration;

use draguard_testbed::{Process, Workspace, wait_for};

const SOON: Duration = Duration::from_mins(1);

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
    let script = workspace.write("trap.sh", "trap 'exit 7' TERM; echo ready; while :; do sleep 0.1; done");
    let args = [script.expect("a script")];
    let log = workspace.log("sh");
    let mut process = Process::start(Path::new("/bin/sh"), &args, &log).expect("start sh");
    wait_for("the trap to be set", SOON, || if process.log().contains("ready") { Ok(()) } else { Err(process.log()) });
    process.signal("TERM");
    let code = wait_for("the program to end", SOON, || process.exit_code().ok_or_else(|| "still running".to_owned()));
    assert_eq!(code, 7);
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
