//! What is known of the cluster beside the object at hand.
//!
//! Read in this order: what is kept of each object ([`object`]) and told of it ([`event`]), what an allocation takes
//! ([`footprint`], [`price`]) and where it is charged ([`charge`]), one node's account ([`account`]), and how events
//! change it all ([`apply`]).

pub mod event;
pub mod object;

pub mod amounts;
pub mod footprint;
pub mod price;

pub mod charge;
pub mod contribution;

pub mod account;
pub mod requests;

pub mod apply;
pub mod state;

pub mod features;
pub mod holds;
pub mod pools;
pub mod zones;

pub mod excerpt;
pub mod reservation;
pub mod view;

pub mod book;

pub mod drift;
pub mod invariant;
pub mod journal;

mod gone;
mod groups;
mod since;
mod store;

pub mod inventory;
