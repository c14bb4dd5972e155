//! The releases whose behaviour differs where draguard must know it.

/// A release of Kubernetes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// v1.36.
    V136,
    /// v1.37.
    V137,
}

impl Version {
    /// The release that a schema is served by; the newest one where that is not known.
    #[must_use]
    pub fn of_schema(name: Option<&str>) -> Self {
        if name == Some("v1.36") { Self::V136 } else { Self::V137 }
    }
}
