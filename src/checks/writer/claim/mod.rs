//! Who writes which part of a claim's status.

pub mod binding;
pub mod driver;
pub mod node;
pub mod place;
pub mod several;
pub mod write;
