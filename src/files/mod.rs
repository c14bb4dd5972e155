//! Manifests: from paths to documents, and from a field path back to its place. Knows no rule.
//!
//! ```text
//! PATH --walk--> Input --source--> bytes --split, read--> Part --yaml | json--> JSON text --list--> Document
//! (Origin, Path) --locate--> byte --lines--> line, column and text
//! ```

pub mod document;
pub mod lines;
pub mod locate;
pub mod source;
pub mod walk;

mod json;
mod list;
mod mapping;
mod number;
mod read;
mod scalar;
mod split;
mod writer;
mod yaml;

pub use document::{Broken, Document, Form, Origin, Part, Read};
pub use read::{documents, single, yaml_to_json};
