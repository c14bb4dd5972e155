//! What a control plane consists of.

use crate::{ControlPlane, Version};

/// What to start.
#[derive(Clone, Debug)]
pub struct Options {
    pub(crate) version: Version,
    pub(crate) gates: Vec<(String, bool)>,
    pub(crate) api_gates: Vec<(String, bool)>,
    pub(crate) scheduler: bool,
    pub(crate) controllers: bool,
    pub(crate) etcd: Option<String>,
    pub(crate) api_flags: Vec<String>,
    pub(crate) in_a_hurry: bool,
}

impl Options {
    /// Everything, with the gates of the fixtures on.
    pub fn new(version: Version) -> Options {
        Options {
            version,
            gates: Vec::new(),
            api_gates: Vec::new(),
            scheduler: true,
            controllers: true,
            etcd: None,
            api_flags: Vec::new(),
            in_a_hurry: false,
        }
    }

    /// Only etcd and the API server.
    pub fn api_only(mut self) -> Options {
        (self.scheduler, self.controllers) = (false, false);
        self
    }

    /// No scheduler.
    pub fn without_scheduler(mut self) -> Options {
        self.scheduler = false;
        self
    }

    /// Sets a gate in every program.
    pub fn gate(mut self, name: &str, on: bool) -> Options {
        self.gates.push((name.to_owned(), on));
        self
    }

    /// Sets a gate in the API server alone.
    pub fn api_gate(mut self, name: &str, on: bool) -> Options {
        self.api_gates.push((name.to_owned(), on));
        self
    }

    /// Adds a flag of the API server.
    pub fn api_flag(mut self, flag: &str) -> Options {
        self.api_flags.push(flag.to_owned());
        self
    }

    /// Lets scheduler and controllers write as often as they like, for tests with many pods.
    pub fn in_a_hurry(mut self) -> Options {
        self.in_a_hurry = true;
        self
    }

    /// Uses the etcd of another control plane, which has to outlive this one.
    pub fn on_etcd_of(mut self, other: &ControlPlane) -> Options {
        self.etcd = Some(other.etcd_url().to_owned());
        self
    }
}
