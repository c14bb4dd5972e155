//! A slice as a whole.

pub mod numbers;
pub mod vanished;
