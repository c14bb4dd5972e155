//! What the kubelet makes of a running pod's list: limits of its container.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::stage::Stage;

/// What was seen of one container.
pub struct Limits {
    /// The cpu that its cgroup may use, in thousandths of a core.
    pub cpu_millis: u64,
    /// The memory limit of its cgroup, in bytes.
    pub memory: u64,
    /// The pod in whose status the kubelet says what it has set.
    pub pod: Value,
}

/// The limits of a running pod's only container.
pub fn of(stage: &Stage, pod: &Value) -> Limits {
    let pod = stage.runs(pod);
    let id = pod["status"]["containerStatuses"][0]["containerID"].as_str().expect("a container");
    let id = id.rsplit('/').next().expect("an id");
    Limits { cpu_millis: cpu(id), memory: memory(id), pod }
}

fn cpu(id: &str) -> u64 {
    let read = |file: &str| file_of(id, file).map(|path| std::fs::read_to_string(path).expect("a cgroup's file"));
    let (quota, period) = match read("cpu.max") {
        Some(text) => {
            let (quota, period) = text.trim().split_once(' ').expect("two numbers");
            (quota.to_owned(), period.to_owned())
        }
        None => (read("cpu.cfs_quota_us").expect("a quota"), read("cpu.cfs_period_us").expect("a period")),
    };
    let number = |text: &str| text.trim().parse::<u64>().expect("a number");
    number(&quota) * 1000 / number(&period)
}

fn memory(id: &str) -> u64 {
    let path = file_of(id, "memory.max").or_else(|| file_of(id, "memory.limit_in_bytes")).expect("a memory limit");
    std::fs::read_to_string(path).expect("a cgroup's file").trim().parse().expect("a number")
}

/// A file in the container's cgroup, whichever hierarchy holds it.
fn file_of(id: &str, file: &str) -> Option<PathBuf> {
    let root = Path::new("/sys/fs/cgroup");
    let roots = std::fs::read_dir(root).expect("cgroups").flatten().map(|entry| entry.path());
    let mut nodes = roots.chain([root.to_owned()]).map(|root| root.join("draguard-node"));
    nodes.find_map(|node| below(&node, &|path| path.ends_with(id) && path.join(file).exists())).map(|p| p.join(file))
}

fn below(folder: &Path, wanted: &dyn Fn(&Path) -> bool) -> Option<PathBuf> {
    if wanted(folder) {
        return Some(folder.to_owned());
    }
    let folders = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    folders.filter(|path| path.is_dir()).find_map(|path| below(&path, wanted))
}
