//! The cases from the field, each a test named by its id, through the public surface: `draguard review`, or an HTTPS
//! request to `draguard serve`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::format_push_string,
    clippy::needless_pass_by_value,
    reason = "tests fail loudly"
)]

#[path = "../common/mod.rs"]
mod common;
mod made;
mod reviewed;
mod served;
mod told;
mod world;

mod a_real_slices;
mod b_units;
mod c_live_pools;
mod c_pools;
mod d_claims;
mod e_asked;
mod e_pods;
mod e_replayed;
mod e_roles;
mod e_status;
mod e_writers;
mod f_webhooks;
mod g_rollout;
mod h_numa;
mod i_hostile;
mod j_allocations;
mod j_holds;
mod proved;
mod replayed;
