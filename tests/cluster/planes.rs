//! The control planes that the facts share: one a version, started when the first fact needs it.

use std::panic::{AssertUnwindSafe, catch_unwind};
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
        let plane = plane.get_or_init(|| kept(|| ControlPlane::start(&Options::new(version))));
        plane.as_ref().unwrap_or_else(|e| panic!("{e}"))
    }
}

/// What is made once for many tests, or why it could not be: not every one of them waits for the same failure.
pub fn kept<T>(make: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(make)).map_err(|panic| match panic.downcast::<String>() {
        Ok(text) => *text,
        Err(_) => "see the first test that asked".to_owned(),
    })
}
