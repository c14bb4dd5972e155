//! draguard in front of a control plane: a process with account, rights and settings as shipped, called through the
//! webhook configurations as shipped.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};
use ureq::Agent;

use crate::objects::{DRA, fixed_device, object};
use crate::{Client, ControlPlane, Identity, Kubectl, Process, Version, Workspace, free_ports, wait_for};

const READY: Duration = Duration::from_mins(2);

/// A running `draguard serve` that an API server can be told to ask; dropped means killed.
pub struct Front {
    kubectl: Kubectl,
    admin: Client,
    version: Version,
    configurations: String,
    process: Process,
    // After the process, so that the folder goes last.
    workspace: Workspace,
}

impl Front {
    /// Starts the binary at `program`; no API server asks it yet.
    pub fn start(cluster: &ControlPlane, program: &Path) -> Result<Front, String> {
        let workspace = Workspace::new().map_err(|e| format!("temporary folder: {e}"))?;
        let kubectl = cluster.kubectl();
        run(&kubectl, &["apply", "-f", "-"], &rendered(program, &["--only", "workload"])?)?;
        let [kubeconfig, settings] = shipped_files(cluster, &workspace)?;
        let [webhook, probes, metrics] = free_ports();
        let certificates = workspace.path().join("certificates").to_string_lossy().into_owned();
        let mut args = vec!["serve".to_owned(), format!("--self-signed={certificates}")];
        args.extend([format!("--kubeconfig={}", kubeconfig), format!("--config={}", settings)]);
        for (flag, port) in [("--listen", webhook), ("--probe-listen", probes), ("--metrics-listen", metrics)] {
            args.push(format!("{flag}=127.0.0.1:{port}"));
        }
        let process = Process::start(program, &args, &workspace.log("draguard"));
        let mut process = process.map_err(|e| format!("{}: {e}", program.display()))?;
        wait_until_ready(&mut process, probes)?;
        let (url, authority) = (format!("https://127.0.0.1:{webhook}"), format!("{certificates}/ca.crt"));
        let configurations = rendered(program, &["--url", &url, "--ca-bundle", &authority])?;
        let (admin, version) = (cluster.admin(), cluster.version());
        Ok(Front { kubectl, admin, version, configurations, process, workspace })
    }

    /// Installs the configurations, and returns once the API server asks.
    pub fn install(&self) -> Result<(), String> {
        run(&self.kubectl, &["apply", "-f", "-"], &self.configurations)?;
        wait_for("draguard to be asked", READY, || match self.refused() {
            Some(_) => Ok(()),
            None => Err("a slice with 2Gi of cpu is still stored".to_owned()),
        });
        Ok(())
    }

    /// Removes the configurations, and returns once the API server does not ask any more.
    pub fn remove(&self) -> Result<(), String> {
        run(&self.kubectl, &["delete", "-f", "-"], &self.configurations)?;
        wait_for("draguard not to be asked", READY, || self.refused().map_or(Ok(()), Err));
        Ok(())
    }

    /// The process, to signal it or to read its log.
    pub fn process(&mut self) -> &mut Process {
        &mut self.process
    }

    /// A folder that is gone after the end.
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// What draguard says of a slice that every API server would store.
    fn refused(&self) -> Option<String> {
        let path = format!("/apis/{DRA}/resourceslices?dryRun=All");
        let answer = self.admin.post(&path, &probe(self.version));
        answer.message().contains("DG104").then(|| answer.message().to_owned())
    }
}

/// The `draguard` of a flag, or else the one that was built beside the running program.
pub fn draguard_program(flag: Option<&str>) -> Result<PathBuf, String> {
    if let Some(path) = flag {
        return Ok(PathBuf::from(path));
    }
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    // Tests and benchmarks lie in `deps`, one folder below.
    let mut beside = program.ancestors().skip(1).take(2).map(|folder| folder.join("draguard"));
    beside.find(|path| path.is_file()).ok_or_else(|| "no draguard beside this program: `cargo build` first".to_owned())
}

fn run(kubectl: &Kubectl, args: &[&str], input: &str) -> Result<(), String> {
    let printed = kubectl.run_with_input(args, input);
    if printed.code == 0 { Ok(()) } else { Err(printed.stderr) }
}

fn rendered(program: &Path, flags: &[&str]) -> Result<String, String> {
    let output = Command::new(program).arg("render").args(flags).output();
    let output = output.map_err(|e| format!("{}: {e}", program.display()))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

/// Writes `kubeconfig`, of draguard's account, and `settings.yaml`, both as shipped, and gives their paths. The workload
/// must have been applied.
pub fn shipped_files(cluster: &ControlPlane, workspace: &Workspace) -> Result<[String; 2], String> {
    let account = Identity::Token(cluster.token("draguard-system", "draguard"));
    let path = r"jsonpath={.data.draguard\.yaml}";
    let settings = cluster.kubectl().run(&["-n", "draguard-system", "get", "configmap", "draguard", "-o", path]);
    if settings.code != 0 {
        return Err(settings.stderr);
    }
    let write = |name: &str, text: &str| workspace.write(name, text).map_err(|e| format!("{name}: {e}"));
    Ok([write("kubeconfig", &cluster.kubeconfig_as(&account))?, write("settings.yaml", &settings.stdout)?])
}

fn wait_until_ready(process: &mut Process, probes: u16) -> Result<(), String> {
    let agent: Agent = Agent::config_builder().proxy(None).build().into();
    let url = format!("http://127.0.0.1:{probes}/readyz");
    wait_for("draguard to be ready", READY, || match process.still_running() {
        Err(end) => Ok(Err(end)),
        Ok(()) => agent.get(&url).call().map(|_| Ok(())).map_err(|e| e.to_string()),
    })
}

/// A slice that draguard refuses; without a node, so that no server looks for one.
fn probe(version: Version) -> Value {
    let mut slice = object(DRA, "ResourceSlice", None, "draguard-testbed-probe");
    slice["spec"] = json!({
        "driver": "probe.example.com", "allNodes": true,
        "pool": { "name": "probe", "generation": 1, "resourceSliceCount": 1 },
        "devices": [fixed_device(version, "dev-0", &[("cpu", "2Gi")])],
    });
    slice
}
