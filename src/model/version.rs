//! The releases whose behaviour differs where draguard must know it.

/// A release of Kubernetes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// v1.36.
    V136,
    /// v1.37.
    V137,
}
