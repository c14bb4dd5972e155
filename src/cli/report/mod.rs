//! What a review came to, in the words of one format.

mod json;
mod text;

use std::io;
use std::rc::Rc;

pub(super) use json::Json;
pub(super) use text::Text;

use crate::checks::ObjectRef;
use crate::files::lines::{Lines, Place};
use crate::verdict::decision::Ruling;
use crate::verdict::finding::Severity;

/// A finding in its place.
pub(super) struct Entry<'f> {
    /// The finding and how it counts.
    pub(super) ruling: Ruling,
    /// The object it is about.
    pub(super) object: Rc<ObjectRef>,
    /// The file's name, not escaped.
    pub(super) file: &'f str,
    /// Where in the file.
    pub(super) place: Place,
    /// The file's lines.
    pub(super) lines: &'f Lines<'f>,
}

/// The numbers below a report.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Summary {
    /// Files read.
    pub(super) files: usize,
    /// Objects judged.
    pub(super) objects: usize,
    /// Findings of severity deny.
    pub(super) deny: usize,
    /// Findings of severity warn.
    pub(super) warn: usize,
}

impl Summary {
    /// Counts a finding.
    pub(super) const fn count(&mut self, severity: Severity) {
        match severity {
            Severity::Deny => self.deny += 1,
            Severity::Warn => self.warn += 1,
        }
    }

    /// The gravest severity that was counted.
    pub(super) const fn worst(&self) -> Option<Severity> {
        match (self.deny, self.warn) {
            (0, 0) => None,
            (0, _) => Some(Severity::Warn),
            _ => Some(Severity::Deny),
        }
    }
}

/// A writer of findings, one after the other.
pub(super) trait Report {
    /// Writes one finding.
    fn entry(&mut self, entry: &Entry<'_>) -> io::Result<()>;
    /// Writes what stands below all findings.
    fn end(&mut self, summary: &Summary) -> io::Result<()>;
}
