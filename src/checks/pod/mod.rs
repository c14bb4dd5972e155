//! Pods and the list in their status.

pub mod binding;
pub mod disagrees;
pub mod placement;
pub mod preset_node;
pub mod shapes;
pub mod twice_asked;
pub mod uncounted;
