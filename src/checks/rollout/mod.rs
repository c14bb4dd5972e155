//! The rollout: its document, and what it says of nodes.

pub mod document;
pub mod outside_canary;
