//! What is known of the cluster beside the object at hand.

pub mod event;
pub mod inventory;
pub mod object;
pub mod requests;
