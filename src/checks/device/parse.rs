//! DG102: amounts that cannot be read.

use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use super::super::view::{DeviceView, MappingView};
use super::super::{Context, SLICE};
use crate::model::decode::Amount;
use crate::model::path::Path;
use crate::model::slice::{Capacity, Slice};
use crate::model::text::quoted;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG102",
        kinds: SLICE,
        phase: Phase::Validate,
        effect: Effect::Quarantine,
        fixed: false,
        title: "an amount cannot be read, or has too many digits or too large an exponent",
        detail: "Amounts are Kubernetes quantities: a number and an optional suffix, such as 500m, 64Gi or 1e3; E alone is exa. \
                 Exponents are bounded here, because Go's own parser was seen to hang on 2E6024865272343 (kubernetes pull \
                 131063).",
    },
    checks: &[Check::Mapping(check_mapping), Check::Device(check_device), Check::Slice(check_slice)],
};

fn check_mapping(view: &MappingView<'_>, _: &Context<'_>, faults: &mut Faults) {
    for (role, amount) in view.mapping.amounts() {
        push(amount, || view.amount_path(role), faults);
    }
}

fn check_device(view: &DeviceView<'_>, _: &Context<'_>, faults: &mut Faults) {
    for (name, capacity) in view.body().capacity.iter() {
        check_capacity(capacity, &|| view.path().field("capacity").entry(&**name), faults);
    }
    for (index, consumption) in view.body().consumes.iter().enumerate() {
        for (name, counter) in consumption.counters.iter() {
            let at =
                || view.path().field("consumesCounters").item(index).field("counters").entry(&**name).field("value");
            push_some(counter.value.as_ref(), at, faults);
        }
    }
}

fn check_capacity(capacity: &Capacity<'_>, at: &dyn Fn() -> Path, faults: &mut Faults) {
    push_some(capacity.value.as_ref(), || at().field("value"), faults);
    let Some(policy) = &capacity.policy else { return };
    let policy_at = || at().field("requestPolicy");
    push_some(policy.default.as_ref(), || policy_at().field("default"), faults);
    for (index, amount) in policy.valid_values.iter().enumerate() {
        push(amount, || policy_at().field("validValues").item(index), faults);
    }
    let Some(range) = &policy.range else { return };
    for (name, amount) in [("min", &range.min), ("max", &range.max), ("step", &range.step)] {
        push_some(amount.as_ref(), || policy_at().field("validRange").field(name), faults);
    }
}

fn check_slice(slice: &Slice<'_>, _: &Context<'_>, faults: &mut Faults) {
    let sets = slice.spec.as_ref().map(|spec| &*spec.shared_counters).unwrap_or_default();
    for (index, set) in sets.iter().enumerate() {
        for (name, counter) in set.counters.iter() {
            let set =
                || Path::fields(&["spec", "sharedCounters"]).named(index, set.name.as_deref().unwrap_or_default());
            push_some(counter.value.as_ref(), || set().field("counters").entry(&**name).field("value"), faults);
        }
    }
}

fn push_some(amount: Option<&Amount<'_>>, at: impl Fn() -> Path, faults: &mut Faults) {
    if let Some(amount) = amount {
        push(amount, at, faults);
    }
}

fn push(amount: &Amount<'_>, at: impl Fn() -> Path, faults: &mut Faults) {
    let Err(error) = amount.value else { return };
    faults.push(
        Fault::at(at(), &*amount.text, format!("{}: {error}", quoted(&amount.text)))
            .expected("a quantity such as 2, 500m or 64Gi")
            .mend("write a number with one of the known suffixes"),
    );
}
