//! The ledger's laws, over worlds made at random: whatever order the events come in, the ledger ends the same.
//!
//! `PROPTEST_CASES` sets how many worlds are made.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::match_bool,
    clippy::needless_for_each,
    clippy::needless_pass_by_value,
    reason = "tests fail loudly"
)]

mod files;
mod laws;
mod lines;
mod oracle;
mod relist;
mod round_trip;
mod stream;
mod summary;
mod world;
