//! What the rollout says of nodes.

pub mod outside_canary;
