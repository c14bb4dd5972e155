//! DG123: mappings that the API server drops.

use super::super::SLICE;
use super::super::fault::Fault;
use super::super::row::Row;
use crate::model::path::Path;
use crate::model::text::quoted;
use crate::offers::Publication;
use crate::verdict::finding::Finding;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG123",
        kinds: SLICE,
        phase: Phase::Validate,
        effect: Effect::Warn,
        fixed: false,
        title: "mappings are gone between the mutating and the validating phase",
        detail: "An API server whose feature gate DRANodeAllocatableResources is off drops mappings after the mutating webhooks \
                 and before the validating ones, without an error: the driver publishes in vain, and its devices take nothing \
                 of the node in anybody's book. Found by what both phases show of one slice, so it speaks in a cluster only, \
                 and only where both webhooks are installed. Told once per driver, until a mapping of it arrives; the metric \
                 draguard_drivers_unmapped counts the drivers. Source: upstream.md, section 1.5.",
    },
    checks: &[],
};

/// What is said of a driver whose mappings do not arrive.
#[must_use]
pub fn finding(publication: &Publication) -> Finding {
    let driver = quoted(&publication.pool.driver);
    let problem = format!("driver {driver} sends mappings, and none of them is left when the slice is to be stored");
    Fault::at(Path::fields(&["spec", "devices"]), &*publication.pool.driver, problem)
        .expected("an API server that knows the field and has its feature gate on")
        .mend(
            "switch on DRANodeAllocatableResources on every API server (and look for a mutating webhook that removes mappings), \
             or switch the mappings off in the driver; until then its devices are charged to nobody",
        )
        .of(&ROW.rule)
}
