//! DG126: the list in two shapes at once, or in none that is known.

use super::super::POD;
use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use crate::model::path::Path;
use crate::model::pod::Pod;
use crate::model::shape::StatusShape;
use crate::model::status_list::Entry;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG126",
        kinds: POD,
        phase: Phase::Validate,
        effect: Effect::Warn,
        fixed: false,
        title: "a pod's node-allocatable list is in two shapes at once, or in an unknown one",
        detail: "v1.36 writes resources, v1.37 mapping and overhead, under one name; v1.38 plans another name. API servers of two \
                 versions drop each other's fields. What is known is read and counted; what is not is told here.",
    },
    checks: &[Check::PodStatus(check)],
};

fn check(pod: &Pod<'_>, faults: &mut Faults) {
    let mut first: Option<&'static StatusShape> = None;
    for list in pod.status_lists() {
        for (index, entry) in list.entries.iter().enumerate() {
            let at = || Path::fields(&["status"]).field(list.field).named(index, entry.claim());
            for shape in entry.shapes() {
                let known = *first.get_or_insert(shape);
                if known != shape {
                    faults.push(mixed(at(), known, shape));
                }
            }
            check_unknown(entry, &at, faults);
        }
    }
}

fn mixed(path: Path, first: &StatusShape, second: &StatusShape) -> Fault {
    Fault::at(
        path,
        second.mark,
        format!("{} of {} stands beside {} of {}", second.mark, second.name, first.mark, first.name),
    )
    .expected("the shape of one version")
    .mend("let all API servers and schedulers serve one version; draguard counts both")
}

fn check_unknown(entry: &Entry<'_>, at: &dyn Fn() -> Path, faults: &mut Faults) {
    for name in &entry.unknown {
        faults.push(
            Fault::at(at().field((**name).to_owned()), &**name, "the field is of no known shape and is not counted")
                .expected("resources (v1.36), or mapping and overhead (v1.37)")
                .mend("use a draguard that knows the version of this API server"),
        );
    }
}
