//! draguard in front of a control plane: the real process, and all that is shipped, applied with the real kubectl.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;

use draguard_testbed::{Kubectl, Process, Workspace, free_ports, shipped_files, wait_for};
use serde_json::Value;

use crate::bed::{Bed, SOON};

const PROGRAM: &str = env!("CARGO_BIN_EXE_draguard");
const READ_AGAIN: &str = "settings read again";

/// A running draguard that the API server calls; dropped means killed.
pub struct Guard {
    process: Process,
    listening: Value,
    starts: usize,
    // After the process, so that the folder goes last.
    workspace: Workspace,
}

impl Guard {
    /// Installs draguard with the settings as shipped; the node of `bed` must be there.
    pub fn before(bed: &Bed) -> Guard {
        let kubectl = bed.cluster.kubectl();
        apply(&kubectl, &["--only", "workload"]);
        let workspace = Workspace::new().expect("make a temporary folder");
        let [_, settings] = shipped_files(bed.cluster, &workspace).expect("write kubeconfig and settings");
        let settings = std::fs::read_to_string(settings).expect("read the settings");
        assert!(settings.contains("mode: Enforce"), "{settings}");
        // A port that nobody is given while draguard is down.
        let [port] = free_ports();
        let (process, listening) = start(&workspace, 0, &format!("127.0.0.1:{port}"));
        let guard = Guard { process, listening, starts: 1, workspace };
        let url = format!("https://{}", guard.address("webhook"));
        let authority = guard.workspace.path().join("certs/ca.crt");
        apply(&kubectl, &["--url", &url, "--ca-bundle", &authority.to_string_lossy()]);
        guard.wait_until_called(bed);
        guard
    }

    /// Kills draguard the hard way.
    pub fn kill(&mut self) {
        self.process.signal("KILL");
        wait_for("draguard to be gone", SOON, || self.process.exit_code().ok_or_else(|| "it runs".to_owned()));
    }

    /// Starts draguard again, at the same address and with the same files.
    pub fn start_again(&mut self) {
        let address = self.address("webhook").to_owned();
        (self.process, self.listening) = start(&self.workspace, self.starts, &address);
        self.starts += 1;
    }

    /// Rewrites the settings by `change` and waits until they are in use.
    pub fn change_settings(&mut self, change: impl FnOnce(String) -> String) {
        let file = self.workspace.path().join("settings.yaml");
        let changed = change(std::fs::read_to_string(&file).expect("read the settings"));
        let before = self.process.log().matches(READ_AGAIN).count();
        std::fs::write(file, changed).expect("write the settings");
        wait_for("the settings to be read again", SOON, || {
            let log = self.process.log();
            if log.matches(READ_AGAIN).count() > before { Ok(()) } else { Err(log) }
        });
    }

    /// How many reviews were answered whose metric carries all of these labels, such as `endpoint="mutate"`.
    pub fn requests(&self, labels: &[&str]) -> u64 {
        let lines = self.metric("draguard_requests_total{");
        let counted = lines.iter().filter(|line| labels.iter().all(|label| line.contains(label)));
        counted.map(|line| value(line)).sum()
    }

    /// Requires that no rule found anything, and that everything asked was judged and allowed.
    pub fn must_be_content(&self) {
        let seen = self.objections();
        assert!(seen.is_empty(), "{seen:#?}\n{}", self.process.log());
    }

    /// Every metric that counts a finding, or a review that was not judged and allowed.
    pub fn objections(&self) -> Vec<String> {
        let denied = self.metric("draguard_requests_total{").into_iter().filter(|l| !l.contains("verdict=\"allowed\""));
        let others = ["draguard_findings_total{", "draguard_shed_total{", "draguard_refused_total{"];
        denied.chain(others.into_iter().flat_map(|name| self.metric(name))).collect()
    }

    /// Takes draguard's configurations away, and returns once the API server calls it no more.
    pub fn withdraw(&self, bed: &Bed) {
        for kind in ["mutating", "validating"] {
            let path = format!("/apis/admissionregistration.k8s.io/v1/{kind}webhookconfigurations/draguard");
            bed.admin.delete(&path).must();
        }
        wait_for("draguard to be called no more", SOON, || {
            let before = self.requests(&[]);
            bed.admin.post("/apis/resource.k8s.io/v1/resourceslices?dryRun=All", &probe(bed)).result()?;
            let after = self.requests(&[]);
            if after == before { Ok(()) } else { Err(format!("{after} calls")) }
        });
    }

    /// The lines of a metric.
    pub fn metric(&self, start: &str) -> Vec<String> {
        let text = get(self.address("metrics"), "/metrics");
        text.lines().filter(|line| line.starts_with(start)).map(str::to_owned).collect()
    }

    fn address(&self, of: &str) -> &str {
        self.listening[of].as_str().expect("an address")
    }

    /// A slice with a mapping passes both configurations; on v1.37 only once the server has noticed its node.
    fn wait_until_called(&self, bed: &Bed) {
        wait_for("the webhook configurations to be in force", SOON, || {
            let answer = bed.admin.post("/apis/resource.k8s.io/v1/resourceslices?dryRun=All", &probe(bed));
            let calls = ["mutate", "validate"].map(|name| self.requests(&[&format!("endpoint=\"{name}\"")]));
            let called = answer.ok() && !calls.contains(&0);
            if called { Ok(()) } else { Err(format!("{calls:?} calls; {} {}", answer.code, answer.message())) }
        });
    }
}

/// A slice of a pool that nobody else publishes.
fn probe(bed: &Bed) -> Value {
    let mut slice = bed.slice(&[bed.device()]);
    slice["spec"]["pool"]["name"] = "probe".into();
    slice
}

/// What an administrator of a first installation does.
pub fn apply(kubectl: &Kubectl, flags: &[&str]) {
    let rendered = Command::new(PROGRAM).arg("render").args(flags).output().expect("run draguard render");
    let printed = kubectl.run_with_input(&["apply", "-f", "-"], &String::from_utf8_lossy(&rendered.stdout));
    assert_eq!(printed.code, 0, "{}", printed.stderr);
    assert!(!printed.stderr.contains("Warning"), "{}", printed.stderr);
}

fn start(workspace: &Workspace, number: usize, address: &str) -> (Process, Value) {
    let path = |name: &str| -> PathBuf { workspace.path().join(name) };
    let mut args: Vec<String> =
        ["serve", "--probe-listen=127.0.0.1:0", "--metrics-listen=127.0.0.1:0"].map(str::to_owned).into();
    args.extend(["--log-format=json".to_owned(), format!("--listen={address}")]);
    args.push(format!("--self-signed={}", path("certs").display()));
    args.push(format!("--config={}", path("settings.yaml").display()));
    args.push(format!("--kubeconfig={}", path("kubeconfig").display()));
    let log = workspace.log(&format!("draguard-{number}"));
    let mut process = Process::start(Path::new(PROGRAM), &args, &log).expect("start draguard");
    let listening = wait_for("draguard to listen", SOON, || {
        if let Err(end) = process.still_running() {
            return Ok(Err(end));
        }
        let log = process.log();
        let line = log.lines().find(|line| line.contains("\"listening\"")).ok_or_else(|| log.clone())?;
        Ok(Ok(serde_json::from_str(line).map_err(|e| e.to_string())?))
    });
    let listening: Value = listening.unwrap_or_else(|end| panic!("{end}"));
    // A Service asks nobody before.
    let probes = listening["probes"].as_str().expect("an address").to_owned();
    wait_for("draguard to be ready", SOON, || match get(&probes, "/readyz") {
        answer if answer.starts_with("HTTP/1.1 200") => Ok(()),
        answer => Err(answer),
    });
    (process, listening)
}

fn get(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("connect");
    stream.set_read_timeout(Some(SOON)).expect("a time-out");
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").expect("ask");
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("an answer");
    text
}

fn value(line: &str) -> u64 {
    line.rsplit(' ').next().and_then(|number| number.parse().ok()).expect("a number")
}
