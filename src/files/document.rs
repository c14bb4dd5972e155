//! What a file holds.

use crate::model::path::Path;

/// How a stretch of a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// YAML, and JSON where YAML files hold it.
    Yaml,
    /// JSON alone.
    Json,
}

/// A stretch of a file, in bytes, that holds one document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// The first byte.
    pub start: usize,
    /// The byte behind the last one.
    pub end: usize,
    /// How it is written.
    pub form: Form,
}

/// Where a document stands in its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The stretch of the file.
    pub part: Part,
    /// The way to the document inside it: an item of a `List`.
    pub prefix: Path,
    /// True for a recorded `AdmissionReview`, whose object lies at `request.object`.
    pub review: bool,
}

impl Origin {
    /// The way from the stretch's root to a field of the object.
    #[must_use]
    pub fn resolve(&self, path: &Path) -> Path {
        use crate::model::path::Step;
        let base = if self.review { self.prefix.clone().then(&["request", "object"]) } else { self.prefix.clone() };
        path.steps().iter().fold(base, |base, step| match step {
            Step::Field(name) => base.field(name.clone()),
            Step::Entry(key) => base.entry(key.clone()),
            Step::Item(index, _) => base.item(*index),
        })
    }
}

/// One manifest.
#[derive(Debug)]
pub struct Document<'a> {
    /// Its JSON text, well formed.
    pub json: &'a str,
    /// Where it stands.
    pub origin: Origin,
}

/// A stretch of a file that cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub struct Broken {
    /// The byte of the file that is at fault.
    pub at: usize,
    /// What is wrong.
    pub problem: String,
}

/// What a file gives, in its order.
#[derive(Debug)]
pub enum Read<'a> {
    /// A manifest.
    Document(Document<'a>),
    /// A fault; what follows is read all the same.
    Broken(Broken),
}
