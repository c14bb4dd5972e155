//! The rollout: its document, and what it says of nodes.

pub mod canary_allocation;
pub mod document;
pub mod outside_canary;
pub mod undeclared;
