//! draguard: an admission webhook and policy enforcer for node-allocatable resources taken through Dynamic Resource
//! Allocation (KEP-5517).
//!
//! Read the modules in this order and you have read the way of a request:
//!
//! ```text
//! bytes --wire--> Request --model--> typed objects --checks--> findings --verdict--> Decision --wire--> bytes
//! files --files--> documents ------------^                          \--cli/report--> text, JSON
//! API server --cluster--> events --ledger--> what is known beside the object at hand
//! ```

pub mod checks;
pub mod cli;
pub mod cluster;
pub mod files;
pub mod guard;
pub mod journal;
pub mod ledger;
pub mod model;
pub mod observe;
pub mod offers;
pub mod recorded;
pub mod settings;
pub mod standalone;
pub mod verdict;
pub mod wire;
