//! Allocations among all others: what a claim is given, and who may use it. Only what a write adds is looked at.

pub mod double;
pub mod held;
pub mod view;
