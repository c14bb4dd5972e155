//! A slice as a whole.

pub mod dropped;
pub mod numbers;
pub mod vanished;
