//! What is wrong with one field of the settings document.

use std::fmt::{self, Write as _};

use crate::model::near::nearest;
use crate::model::path::Path;
use crate::model::text::{escaped, quoted};

/// One fault of the settings document, in the parts that a finding has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The field.
    pub path: Path,
    /// The value seen; empty when it is missing.
    pub value: String,
    /// What is wrong with it.
    pub problem: String,
    /// What was expected instead.
    pub expected: String,
    /// How to mend it.
    pub remedy: String,
}

impl Problem {
    /// A fault that needs no further word.
    #[must_use]
    pub fn new(path: Path, value: &str, problem: impl Into<String>) -> Self {
        let problem = problem.into();
        Self { path, value: value.to_owned(), problem, expected: String::new(), remedy: String::new() }
    }

    /// This fault, and what was expected.
    #[must_use]
    pub fn expected(mut self, expected: impl Into<String>) -> Self {
        self.expected = expected.into();
        self
    }

    /// This fault, and how to mend it.
    #[must_use]
    pub fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = remedy.into();
        self
    }

    /// A word that is none of `known`, with the nearest of them as the remedy.
    #[must_use]
    pub fn unknown(path: Path, what: &str, given: &str, known: &[&str]) -> Self {
        Self::new(path, given, format!("unknown {what} {}", quoted(given)))
            .expected(listed(known))
            .remedy(nearest(given, known).map(|name| format!("did you mean `{name}`?")).unwrap_or_default())
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = escaped(&self.problem);
        if !self.expected.is_empty() {
            let _ = write!(line, "; expected {}", escaped(&self.expected));
        }
        if !self.remedy.is_empty() {
            let _ = write!(line, "; to mend: {}", escaped(&self.remedy));
        }
        match self.path.steps() {
            [] => f.write_str(&line),
            _ => write!(f, "{}: {line}", self.path),
        }
    }
}

/// `one of a, b, c`, or nothing where the list would be longer than the reader's patience.
fn listed(known: &[&str]) -> String {
    const LONGEST: usize = 12;
    match known {
        [] => String::new(),
        [only] => (*only).to_owned(),
        many if many.len() <= LONGEST => format!("one of {}", many.join(", ")),
        _ => String::new(),
    }
}
