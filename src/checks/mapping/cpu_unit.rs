//! DG104: units of cpu.

use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use super::super::view::{MappingView, shown};
use super::super::{Context, SLICE};
use crate::model::quantity::Quantity;
use crate::model::reach::Reach;
use crate::model::resource::Kind;
use crate::model::text::quoted;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG104",
        kinds: SLICE,
        phase: Phase::Validate,
        effect: Effect::Quarantine,
        fixed: false,
        title: "the unit does not fit cpu: a binary suffix, or finer than a thousandth of a core",
        detail: "cpu is counted in cores and thousandths of a core. 2Gi of cpu is 2147483648 cores: Kubernetes stores it, and \
                 no pod ever fits. Amounts below 1m are rounded up to 1m by the scheduler, so that the device takes more than \
                 it says. With a capacityKey the multiplier is a ratio: only the footprints it reaches are judged. Source: \
                 apimachinery pkg/api/resource, Quantity.MilliValue.",
    },
    checks: &[Check::Mapping(check)],
};

fn check(view: &MappingView<'_>, _: &Context<'_>, faults: &mut Faults) {
    if view.kind != Some(Kind::Cpu) {
        return;
    }
    for (role, amount, quantity) in view.footprints() {
        if amount.text.ends_with('i') {
            let problem =
                format!("{} is {} cores: a binary suffix does not fit cpu", quoted(&amount.text), cores(&quantity));
            let fault = Fault::at(view.amount_path(role), &*amount.text, problem);
            faults.push(fault.expected("cores or thousandths of a core, such as 2 or 500m").mend(mend(&amount.text)));
        }
    }
    for reach in view.reaches.iter().filter(|reach| is_too_fine(reach)) {
        let problem = format!("{} is finer than the scheduler counts", shown(reach, view.mapping.capacity_key));
        let fault = Fault::at(view.amount_path(reach.role), &*reach.written, problem);
        faults.push(
            fault.expected("a multiple of 1m (a thousandth of a core)").mend("round the amount to whole thousandths"),
        );
    }
}

fn is_too_fine(reach: &Reach<'_>) -> bool {
    reach.footprint.is_some_and(|footprint| !footprint.is_whole_milli())
}

fn cores(quantity: &Quantity) -> String {
    quantity.whole_ceil().map_or_else(|| quantity.to_string(), |cores| cores.to_string())
}

fn mend(text: &str) -> String {
    let number = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    format!("write {number} for {number} cores; if bytes are meant, map memory instead of cpu")
}
