//! Who writes.

pub mod claim;
pub mod drop_list;
pub mod own_driver;
pub mod own_node;
pub mod pod_list;
