//! Recorded reviews, judged as files.

use crate::checks::{self, Context, Inspected, ObjectRef, document};
use crate::wire::review;

/// Judges one recorded review by the rules of both phases, as one manifest among others. It contributes no facts: a
/// recording shows an object at several times, not several objects side by side.
#[must_use]
pub fn inspect(json: &str, context: &Context<'_>) -> Inspected {
    let mut inspected = Inspected::default();
    match review::read(json.as_bytes()) {
        Err(fault) => inspected.findings.push(document::broken(fault.problem.to_string())),
        Ok(request) => {
            let object = request.object.or(request.old_object).unwrap_or_default();
            inspected.object = ObjectRef::read(object);
            inspected.findings = checks::judge(&request, context).findings;
        }
    }
    inspected
}
