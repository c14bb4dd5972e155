//! One resource that a device maps: units, shape, range.

pub mod bytes_unit;
pub mod capacity_key;
pub mod ceiling;
pub mod cpu_unit;
pub mod form;
pub mod pages;
pub mod range;
pub mod resource;
pub mod schema;
pub mod shared;
pub mod sign;
pub mod unknown_field;
