//! The ledger's files: what [`crate::ledger::journal`] makes of a ledger, on disk and over HTTP.
//!
//! ```text
//! events --Journal, a thread of its own--> DIR/ledger-000001.jsonl, ... --open--> ledger
//! ledger --endpoint--> GET /ledger --fetch--> standard output
//! manifests --manifests--> ledger
//! ```
//!
//! Each file is complete in itself: it starts with an export, and events follow. A file that grows too large is followed
//! by a new one, and only the newest few are kept. Lines are handed to the operating system after every batch of events,
//! and made durable (`fdatasync`) once a second and before an older file is deleted.

pub mod endpoint;
pub mod fetch;
pub mod manifests;

mod disk;
mod folder;
mod read;
mod writer;

pub use folder::{Opened, open};
pub use read::{ReadError, read, read_file};
pub use writer::{Counts, Journal, Options};
