//! What is answered: findings, and what they come to once the mode is applied.

pub mod decision;
pub mod finding;
pub mod patch;
pub mod rule;
