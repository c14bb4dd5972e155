//! A slice among the others: pools, generations, and what a node has.

pub mod counts;
pub mod device_twice;
pub mod generation;
pub mod incomplete;
pub mod node_fits;
pub mod node_total;
pub mod two_nodes;
