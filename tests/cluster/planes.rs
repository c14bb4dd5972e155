//! The control planes that the facts share: one a version, started when the first fact needs it.

use std::sync::OnceLock;

use draguard_testbed::{ControlPlane, Options, Version};

/// The shared control planes.
#[derive(Default)]
pub struct Planes {
    v1_36: OnceLock<Result<ControlPlane, String>>,
    v1_37: OnceLock<Result<ControlPlane, String>>,
}

impl Planes {
    /// The control plane of a version.
    pub fn of(&self, version: Version) -> &ControlPlane {
        let plane = match version {
            Version::V1_36 => &self.v1_36,
            Version::V1_37 => &self.v1_37,
        };
        // A failure is kept too, so that not every fact waits for the same one.
        let plane = plane.get_or_init(|| ControlPlane::try_start(&Options::new(version)));
        plane.as_ref().unwrap_or_else(|e| panic!("{e}"))
    }
}
