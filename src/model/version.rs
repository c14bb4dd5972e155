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
    /// Every release that is known.
    pub const ALL: [Self; 2] = [Self::V136, Self::V137];

    /// The release, as Kubernetes writes it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V136 => "v1.36",
            Self::V137 => "v1.37",
        }
    }

    /// The release of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|version| version.as_str() == name)
    }

    /// The release that a schema is served by; the newest one where that is not known.
    #[must_use]
    pub fn of_schema(name: Option<&str>) -> Self {
        if name == Some("v1.36") { Self::V136 } else { Self::V137 }
    }
}
