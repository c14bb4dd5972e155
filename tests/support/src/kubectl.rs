//! The real kubectl, for what its users are shown.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// kubectl with one identity.
pub struct Kubectl {
    pub(crate) program: PathBuf,
    pub(crate) kubeconfig: String,
}

/// What kubectl printed.
#[derive(Clone, Debug)]
pub struct Printed {
    /// The exit code.
    pub code: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Kubectl {
    /// The path of the program.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// The path of its kubeconfig.
    pub fn kubeconfig(&self) -> &str {
        &self.kubeconfig
    }

    /// Where it keeps what servers told it of themselves. Beside the kubeconfig: another server may get the same port.
    pub fn cache(&self) -> PathBuf {
        Path::new(&self.kubeconfig).with_file_name("kubectl-cache")
    }

    /// Runs kubectl.
    pub fn run(&self, args: &[&str]) -> Printed {
        self.run_with_input(args, "")
    }

    /// Runs kubectl with a text on its standard input.
    pub fn run_with_input(&self, args: &[&str], input: &str) -> Printed {
        let mut child = Command::new(&self.program)
            .arg("--kubeconfig")
            .arg(&self.kubeconfig)
            .args(args)
            .env_remove("KUBECONFIG")
            .env("KUBECACHEDIR", self.cache())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("start kubectl");
        let mut pipe = child.stdin.take().expect("a pipe");
        // kubectl may end without reading: what it then prints is what the caller looks at.
        let _ = pipe.write_all(input.as_bytes());
        drop(pipe);
        let output = child.wait_with_output().expect("wait for kubectl");
        Printed {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}
