//! What is known of the cluster beside the object at hand.

pub mod inventory;
pub mod requests;
