//! The real Kubernetes control plane, started for a test and gone with it.
//!
//! Everything is blocking and takes and gives plain JSON, so that a test reads like the story it tells.
//! Read in this order: [`ControlPlane`], [`Client`], [`objects`], [`Webhook`].

#![forbid(unsafe_code)]

mod answer;
mod binaries;
mod cache;
mod client;
mod components;
mod control_plane;
mod driver_pod;
mod front;
mod kubeconfig;
mod kubectl;
mod lines;
mod node;
pub mod objects;
mod options;
mod pki;
mod ports;
mod process;
mod publisher;
mod review;
mod version;
mod wait;
mod webhook;
mod webhook_config;
mod workspace;
mod wrong_scheduler;

pub use answer::Answer;
pub use binaries::Binaries;
pub use cache::CachedNode;
pub use client::{Client, Identity, Patch, path_of};
pub use control_plane::ControlPlane;
pub use driver_pod::{bound_token, driver_pod};
pub use front::{Front, draguard_program, shipped_files};
pub use kubectl::{Kubectl, Printed};
pub use node::{Node, runnable};
pub use options::Options;
pub use pki::{Authority, Pair};
pub use ports::free_ports;
pub use process::Process;
pub use publisher::{Publisher, pool};
pub use review::{Review, Verdict};
pub use version::Version;
pub use wait::{wait_for, wait_until};
pub use webhook::Webhook;
pub use webhook_config::{Hook, Phase, Rule};
pub use workspace::Workspace;
pub use wrong_scheduler::{Ground, Wrong, WrongScheduler};
