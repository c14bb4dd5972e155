//! The ledger at scale: events taken in, verdicts on allocations beside 100 to 15,000 nodes, and a cold start.
//!
//! Prints figures of one run, and their ratios; it never fails by time.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    missing_docs,
    reason = "a benchmark fails loudly"
)]

mod cold;
mod verdicts;
mod world;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    verdicts::run();
    cold::run();
}
