//! A real node: kubelet, containerd and runc, in namespaces of their own.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use crate::lines::Lines;
use crate::objects::object;
use crate::publisher::program;
use crate::{Binaries, Client, ControlPlane, Patch, Publisher, Version, Workspace};
use crate::{bound_token, components, wait_for};

/// Only one node at a time runs on a machine, so that a test may have to wait for another's.
const TURN: Duration = Duration::from_mins(15);
const READY: Duration = Duration::from_mins(4);

/// A running node; dropped means gone, with everything that it ran and made.
pub struct Node {
    name: String,
    version: Version,
    admin: Client,
    lines: Lines,
    // After the node, so that the folder goes last.
    workspace: Workspace,
}

impl Node {
    /// Why no node can run here; `None` where it can.
    pub fn unavailable() -> Option<String> {
        let output = Command::new(script("node.sh")).arg("check").output();
        match output {
            Ok(output) if output.status.success() => None,
            Ok(output) => Some(String::from_utf8_lossy(&output.stdout).trim().to_owned()),
            Err(error) => Some(error.to_string()),
        }
    }

    /// Starts a node of the control plane's version, and waits until it is ready.
    ///
    /// # Panics
    /// When it does not come up; the logs are kept.
    pub fn start(cluster: &ControlPlane, name: &str) -> Node {
        let workspace = Workspace::new().expect("make a temporary folder");
        write_files(cluster, name, &workspace);
        let kubelet = Binaries::kubelet(cluster.version()).expect("the kubelet");
        let mut command = Command::new(script("node.sh"));
        command.args(["run", name]).arg(workspace.path()).arg(kubelet).arg(components::gates(cluster.version(), &[]));
        let lines = Lines::start(&mut command, &workspace.log("node")).expect("start the node");
        let mut node =
            Node { name: name.to_owned(), version: cluster.version(), admin: cluster.admin(), lines, workspace };
        node.wait_said("kubelet started", 1, TURN);
        node.wait_ready();
        node
    }

    /// The node's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The Node object as it is now.
    pub fn object(&self) -> Value {
        self.admin.again(&object("v1", "Node", None, &self.name))
    }

    /// Kills the kubelet; its pods run on.
    pub fn stop_kubelet(&mut self) {
        self.tell("stop-kubelet", "kubelet stopped");
    }

    /// Starts the kubelet again.
    pub fn start_kubelet(&mut self) {
        self.tell("start-kubelet", "kubelet started");
    }

    /// Starts a driver on the real kubelet plugin library, as the service account of `pod`, which
    /// [`driver_pod`](crate::driver_pod()) has put on this node.
    pub fn driver(&self, cluster: &ControlPlane, pod: &Value) -> Publisher {
        let token = bound_token(&self.admin, pod);
        // In the node's mounts, where the kubelet's folders have their usual, short names.
        let mut command = Command::new("nsenter");
        command.args(["--mount", "--target", &self.namespaces()]);
        command.arg(program(self.version.name()));
        command.arg("--kubelet-plugin");
        Publisher::launch(command, cluster, Some(&token))
    }

    fn namespaces(&self) -> String {
        let lines = self.lines.heard();
        let pid = lines.iter().find_map(|line| line.strip_prefix("namespaces of "));
        pid.expect("the node runs").to_owned()
    }

    /// The kubelet's log.
    pub fn log(&self) -> String {
        let bytes = std::fs::read(self.workspace.log("kubelet")).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn tell(&mut self, word: &str, answer: &str) {
        let before = self.said(answer);
        self.lines.say(word);
        self.wait_said(answer, before + 1, READY);
    }

    fn said(&self, line: &str) -> usize {
        self.lines.heard().iter().filter(|l| *l == line).count()
    }

    fn wait_said(&mut self, line: &str, count: usize, timeout: Duration) {
        wait_for(&format!("{line:?}"), timeout, || {
            let ended = self.lines.ended();
            match self.said(line) >= count {
                true => Ok(()),
                false if ended => panic!("the node ended: {:?}", self.lines.heard()),
                false => Err(format!("{:?}", self.lines.heard())),
            }
        });
    }

    /// The controller that takes the first taint away does not run here.
    fn wait_ready(&self) {
        let path = format!("/api/v1/nodes/{}", self.name);
        wait_for("the node to be ready", READY, || {
            let node = self.admin.get(&path).result()?;
            match is_ready(&node) {
                true => Ok(()),
                false => Err(node["status"]["conditions"].to_string()),
            }
        });
        let untaint = json!({ "spec": { "taints": null } });
        self.admin.patch(&path, Patch::Merge, &untaint).must();
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.lines.close(Duration::from_mins(1));
    }
}

/// A pod that runs for real, on the node's own network, and is gone when the kubelet says so.
pub fn runnable(mut pod: Value) -> Value {
    pod["spec"]["hostNetwork"] = json!(true);
    // Without grace the API server would drop it at once.
    pod["spec"]["terminationGracePeriodSeconds"] = json!(2);
    for container in pod["spec"]["containers"].as_array_mut().expect("containers") {
        container["image"] = json!("draguard.test/workload:1");
        container["imagePullPolicy"] = json!("Never");
    }
    pod
}

fn is_ready(node: &Value) -> bool {
    let conditions = node["status"]["conditions"].as_array();
    let ready = |c: &Value| c["type"] == "Ready" && c["status"] == "True";
    conditions.is_some_and(|conditions| conditions.iter().any(ready))
}

fn write_files(cluster: &ControlPlane, name: &str, workspace: &Workspace) {
    let user = format!("system:node:{name}");
    let kubeconfig = cluster.kubeconfig(&user, Some("system:nodes"));
    let config = kubelet_config().to_string();
    for (name, text) in [("kubeconfig", kubeconfig), ("kubelet.yaml", config)] {
        workspace.write(name, &text).expect("write a file");
    }
    let tags = ["draguard.test/pause:1", "draguard.test/workload:1"];
    let made = Command::new(script("image.sh"))
        .arg(program("pause"))
        .arg(workspace.path().join("image.tar"))
        .args(tags)
        .status();
    assert!(made.expect("run image.sh").success(), "no image");
}

/// Settings for a kubelet that changes nothing on its machine and never runs short of anything.
fn kubelet_config() -> Value {
    json!({
        "apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration",
        "containerRuntimeEndpoint": "unix:///run/containerd/containerd.sock",
        "cgroupDriver": "cgroupfs", "cgroupRoot": "/draguard-node", "failCgroupV1": false,
        "makeIPTablesUtilChains": false, "protectKernelDefaults": true, "failSwapOn": false,
        "enableServer": false, "healthzPort": 0, "readOnlyPort": 0,
        "authentication": { "anonymous": { "enabled": false }, "webhook": { "enabled": false } },
        "authorization": { "mode": "AlwaysAllow" },
        "volumePluginDir": "/var/lib/kubelet/volume-plugins", "podLogsDir": "/var/log/pods",
        "resolvConf": "", "clusterDNS": [],
        "nodeStatusUpdateFrequency": "2s", "syncFrequency": "10s",
        "imageGCHighThresholdPercent": 100,
        "evictionHard": { "imagefs.available": "0%", "memory.available": "0%",
            "nodefs.available": "0%", "nodefs.inodesFree": "0%" },
    })
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../node").join(name)
}
