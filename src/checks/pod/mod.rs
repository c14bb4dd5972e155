//! Pods and the list in their status.

pub mod shapes;
pub mod twice_asked;
