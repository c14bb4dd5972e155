//! DG001: documents that cannot be read.

use super::fault::Fault;
use super::row::Row;
use crate::model::path::Path;
use crate::model::read::Unreadable;
use crate::verdict::finding::Finding;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG001",
        kinds: &["any"],
        phase: Phase::Validate,
        effect: Effect::Deny,
        fixed: true,
        title: "the document cannot be read",
        detail: "It is not well-formed YAML or JSON, or a field has another type than the API gives it: an API server would refuse \
                 it too. The rest of the file, and the other files, are still reviewed. Files are read as kubectl reads them, \
                 in YAML 1.1: nodeName: n is a boolean there.",
    },
    checks: &[],
};

/// The finding of an object that has another form than its kind.
#[must_use]
pub fn unreadable(error: Unreadable) -> Finding {
    let remedy = "write the field with the type that the API gives it; quote strings such as \"n\", \"5\" or \"1e3\"";
    Fault::at(error.path, "", error.problem).mend(remedy).of(&ROW.rule)
}

/// The finding of a request that writes nothing.
#[must_use]
pub fn absent() -> Finding {
    let fault = Fault::at(Path::fields(&["request", "object"]), "null", "the request carries no object");
    fault.expected("the object to be stored").mend("send what an API server sends").of(&ROW.rule)
}

/// The finding of a text that is no document at all.
#[must_use]
pub fn broken(problem: impl Into<String>) -> Finding {
    Fault::at(Path::root(), "", problem).mend("mend the syntax; the rest was reviewed").of(&ROW.rule)
}
