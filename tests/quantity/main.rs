//! The exact quantity against Go's own library (`k8s.io/apimachinery/pkg/api/resource`) and against its own laws.

// The lints forbid these in the program; in a test they are how it fails.
#![allow(clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod bounds;
mod differences;
mod go_row;
mod laws;
mod live;
mod table;
