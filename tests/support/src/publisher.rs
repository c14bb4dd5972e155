//! Drivers on the real publishing library of Kubernetes, as a process that a test tells what to do.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::lines::Lines;
use crate::{ControlPlane, Version, Workspace, wait_for};

/// A process that publishes slices with the library of one version; dropped means killed.
pub struct Publisher {
    lines: Lines,
    // After the process, so that the folder goes last.
    _workspace: Workspace,
}

impl Publisher {
    /// Starts the process with the library of `library` and the rights of an administrator.
    pub fn start(cluster: &ControlPlane, library: Version) -> Publisher {
        Self::launch(Command::new(program(library.name())), cluster, None)
    }

    /// Like [`Publisher::start`], with a variable in the environment, such as `KUBE_FEATURE_…`.
    pub fn start_with(cluster: &ControlPlane, library: Version, name: &str, value: &str) -> Publisher {
        let mut command = Command::new(program(library.name()));
        command.env(name, value);
        Self::launch(command, cluster, None)
    }

    /// Starts the process with a token, such as that of a driver's pod.
    pub fn start_as(cluster: &ControlPlane, library: Version, token: &str) -> Publisher {
        Self::launch(Command::new(program(library.name())), cluster, Some(token))
    }

    /// Starts the process by a command, to which cluster and user are added.
    pub(crate) fn launch(mut command: Command, cluster: &ControlPlane, token: Option<&str>) -> Publisher {
        let workspace = Workspace::new().expect("make a temporary folder");
        let write = |name, text: &str| workspace.write(name, text).expect("write a file");
        let kubeconfig = write("kubeconfig", &cluster.admin_kubeconfig());
        command.args(["--kubeconfig", &kubeconfig]);
        if let Some(token) = token {
            command.args(["--token-file", &write("token", token)]);
        }
        let log = workspace.log("publisher");
        Publisher { lines: Lines::start(&mut command, &log).expect("start the publisher"), _workspace: workspace }
    }

    /// Publishes pools for a driver on a node: starts the driver, or updates what it wants.
    pub fn publish(&mut self, driver: &str, node: &str, pools: Value) {
        self.send(json!({ "do": "publish", "driver": driver, "node": node, "pools": pools }));
    }

    /// Stops a driver and starts it again with what it wanted.
    pub fn restart(&mut self, driver: &str, node: &str) {
        self.send(json!({ "do": "restart", "driver": driver, "node": node }));
    }

    /// Stops a driver.
    pub fn stop(&mut self, driver: &str, node: &str) {
        self.send(json!({ "do": "stop", "driver": driver, "node": node }));
    }

    /// Sends a command as it is; the program's source tells what is in one.
    pub fn send(&mut self, command: Value) {
        self.lines.say(&command.to_string());
    }

    /// Everything that the drivers did and met so far.
    pub fn events(&self) -> Vec<Value> {
        let lines = self.lines.heard();
        let events = lines.iter().map(|line| serde_json::from_str(line));
        events.map(|event| event.expect("an event")).collect()
    }

    /// Every write so far that the API server answered.
    pub fn writes(&self) -> Vec<Value> {
        self.of_kind("write")
    }

    /// Every error so far that the library told its driver.
    pub fn errors(&self) -> Vec<Value> {
        self.of_kind("error")
    }

    /// The events of one kind.
    pub fn of_kind(&self, kind: &str) -> Vec<Value> {
        let mut events = self.events();
        events.retain(|event| event["event"] == kind);
        events
    }

    /// Waits until there are at least `count` events of a kind, and gives all of the kind.
    ///
    /// # Panics
    /// When it takes too long, with all that was heard.
    pub fn wait_of_kind(&mut self, kind: &str, count: usize, timeout: Duration) -> Vec<Value> {
        let what = format!("{count} events {kind:?} of the publisher");
        wait_for(&what, timeout, || {
            let found = self.of_kind(kind);
            match found.len() >= count {
                true => Ok(found),
                false => Err(format!("{:#?}", self.lines.heard())),
            }
        })
    }
}

impl Drop for Publisher {
    fn drop(&mut self) {
        self.lines.kill();
    }
}

/// Pools with one pool in it, of slices with these devices.
pub fn pool(name: &str, slices: &[&[Value]]) -> Value {
    let slices: Vec<Value> = slices.iter().map(|d| json!({ "devices": d })).collect();
    json!({ name: { "slices": slices } })
}

/// The program of a name, built first where it is missing.
pub(crate) fn program(name: &str) -> PathBuf {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../publisher/build.sh");
    let output =
        Command::new("bash").arg(&script).arg(name).stderr(Stdio::inherit()).output().expect("run the build script");
    let text = String::from_utf8_lossy(&output.stdout);
    let path = text.split_whitespace().nth(1).map(PathBuf::from);
    path.unwrap_or_else(|| panic!("no program {name}: see what {} says", script.display()))
}
