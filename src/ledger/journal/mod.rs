//! The ledger as text: one JSON document a line, the format's version in the first.
//!
//! ```text
//! header    {"draguard":"ledger","format":1,"kubernetes":"v1.37"}
//! export    listed* accepted(relisted) for each kind, deleted for each kind, unpublished*, priced*, held*, whole
//! journal   accepted* (a relist as listed* accepted(relisted))
//! ```
//!
//! An export is a header and a complete state. A journal file is an export with the accepted events since then, so that
//! each file can be read alone.

mod decode;
mod encode;
mod header;
mod replay;
mod restore;

pub use decode::{Record, Whole};
pub use encode::{Versions, event, export, versions};
pub use header::{FORMAT, Header};
pub use replay::{Broken, Mismatch, Refused, Replay, Replayed, replay};
