//! Allocations among all others: what a claim is given, and who may use it. Only what a write adds is looked at.

pub mod alignment;
pub mod capacity;
pub mod counters;
pub mod double;
pub mod gone;
pub mod held;
pub mod overcommit;
mod proof;
pub mod second_pod;
pub mod selector;
pub mod stale_user;
pub mod unpriced;
pub mod view;
pub mod zone_full;
