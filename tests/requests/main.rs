//! What a pod requests of its node: the rules one by one, and against Kubernetes' own library of both releases
//! (`k8s.io/component-helpers/resource`).

// The lints forbid these in the program; in a test they are how it fails.
#![allow(clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod go_row;
mod live;
mod pods;
mod recorded;
mod resizes;
mod rules;
mod shown;
mod table;
