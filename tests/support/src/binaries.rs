//! Where the programs of the control plane are.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::Version;

/// The programs of one version.
#[derive(Clone, Debug)]
pub struct Binaries {
    etcd: PathBuf,
    kubernetes: PathBuf,
}

impl Binaries {
    /// Finds the programs of a version, and builds them first where they are missing (minutes, once).
    pub fn find(version: Version) -> Result<Binaries, String> {
        Ok(Binaries { etcd: folder_of("etcd")?, kubernetes: folder_of(version.name())? })
    }

    /// Finds the kubelet of a version, which only real nodes need, and builds it first where it is missing.
    pub fn kubelet(version: Version) -> Result<PathBuf, String> {
        folder_of(&format!("{version}-kubelet")).map(|folder| folder.join("kubelet"))
    }

    /// The path of a program, such as `kube-apiserver`.
    pub fn path(&self, program: &str) -> PathBuf {
        match program {
            "etcd" => self.etcd.join(program),
            _ => self.kubernetes.join(program),
        }
    }
}

/// Asks the build script, which takes no time for what it has built before.
fn folder_of(name: &str) -> Result<PathBuf, String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../controlplane/build.sh");
    let output = Command::new("bash")
        .arg(&script)
        .arg(name)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|e| format!("cannot run {}: {e}", script.display()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    match text.split_whitespace().nth(1) {
        Some(folder) if output.status.success() => Ok(PathBuf::from(folder)),
        _ => Err(format!("no {name} binaries: run `make control-plane` and see what it says")),
    }
}
