//! The one currency of the program: what one rule says of one object.

use std::fmt::{self, Write as _};

use json_patch::PatchOperation;

use super::rule::{Effect, Rule};
use crate::ledger::view::Ref;
use crate::model::path::Path;
use crate::model::text::escaped;

/// How a finding counts once the mode and the overrides are applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Told to the writer; the write goes through.
    Warn,
    /// The write is refused.
    Deny,
}

impl Severity {
    /// `warn` or `deny`, as in the JSON report.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Warn => "warn",
            Self::Deny => "deny",
        }
    }
}

/// What one rule says of one object. Message, cause, warning, log line and report are renderings of it.
#[derive(Debug, Clone)]
pub struct Finding {
    /// The rule that speaks.
    pub rule: &'static Rule,
    /// What it asks for, before the mode is applied.
    pub effect: Effect,
    /// The field.
    pub path: Path,
    /// The value seen, as it was written; not escaped.
    pub value: String,
    /// What is wrong with it.
    pub problem: String,
    /// What was expected instead.
    pub expected: String,
    /// How to mend it.
    pub remedy: String,
    /// What mends it in the mutating phase, for findings whose effect is to mutate.
    pub patch: Vec<PatchOperation>,
    /// The stored objects that it rests on beside the one at hand: they are read again before it refuses anybody.
    pub rests_on: Vec<Ref>,
}

impl Finding {
    /// What is wrong and what was expected, in one line without id, path and remedy.
    #[must_use]
    pub fn message(&self) -> String {
        let mut line = escaped(&self.problem);
        if !self.expected.is_empty() {
            let _ = write!(line, "; expected {}", escaped(&self.expected));
        }
        line
    }

    /// Two findings of one identity say the same of the same thing, wherever it stands in its list.
    #[must_use]
    pub fn identity(&self) -> (&'static str, String, &str, &str) {
        (self.rule.id, self.path.identity(), &self.value, &self.problem)
    }
}

/// The whole finding in one line that can be understood without documentation.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.rule.id, self.path, self.message())?;
        if self.remedy.is_empty() {
            return Ok(());
        }
        write!(f, "; to mend: {}", escaped(&self.remedy))
    }
}
