//! The typed domain: what a request or a manifest says, independent of the API version it was written for.
//!
//! Everything here borrows from the JSON text it was read from. No I/O and no clock.

pub mod access;
pub mod caller;
pub mod request;

pub mod attribute;
pub mod binding;
pub mod claim;
pub mod decode;
pub mod mapping;
pub mod meta;
pub mod node;
pub mod numa;
pub mod pod;
pub mod reach;
pub mod read;
pub mod resource;
pub mod role;
pub mod selector;
pub mod semantic;
pub mod shape;
pub mod slice;
pub mod status_change;
pub mod status_list;
pub mod webhook;

pub mod name;
pub mod near;
pub mod path;
pub mod quantity;
pub mod text;
pub mod version;
