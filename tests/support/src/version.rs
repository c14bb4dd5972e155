//! The Kubernetes versions under test.

use std::fmt;

/// A Kubernetes minor version that the tests run against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// Kubernetes v1.36.
    V1_36,
    /// Kubernetes v1.37.
    V1_37,
}

impl Version {
    /// Every version under test, oldest first.
    pub const ALL: [Version; 2] = [Version::V1_36, Version::V1_37];

    /// The name of the version's folder under `tests/controlplane`.
    pub fn name(self) -> &'static str {
        match self {
            Version::V1_36 => "v1.36",
            Version::V1_37 => "v1.37",
        }
    }

    /// The field of a ResourceSlice device that holds its mapping.
    pub fn slice_field(self) -> &'static str {
        match self {
            Version::V1_36 => "nodeAllocatableResourceMappings",
            Version::V1_37 => "nodeAllocatableResources",
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
