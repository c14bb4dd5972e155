//! DG103: signs.

use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use super::super::view::{DeviceView, MappingView};
use super::super::{Context, SLICE};
use crate::model::decode::Amount;
use crate::model::mapping::Role;
use crate::model::path::Path;
use crate::model::slice::{Policy, Slice};
use crate::model::text::quoted;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG103",
        kinds: SLICE,
        phase: Phase::Validate,
        effect: Effect::Quarantine,
        fixed: false,
        title: "a multiplier is not positive, or an overhead, capacity or counter is negative",
        detail: "A negative amount gives the node back what nobody returned. Kubernetes checks the sign of multipliers and \
                 overhead, not of capacity and counters: on v1.37 one negative capacity stops every claim that reaches the \
                 device. The sign is decided on the exact decimal, never after rounding. Source: kubernetes \
                 pkg/apis/resource/validation/validation.go; issue 141216.",
    },
    checks: &[Check::Mapping(check_mapping), Check::Device(check_device), Check::Slice(check_slice)],
};

fn check_mapping(view: &MappingView<'_>, _: &Context<'_>, faults: &mut Faults) {
    for (role, amount) in view.mapping.amounts() {
        let Some(quantity) = amount.quantity() else { continue };
        let is_multiplier = matches!(role, Role::Device | Role::Multiplier);
        if is_multiplier && quantity.signum() <= 0 {
            let fault =
                Fault::at(view.amount_path(role), &*amount.text, format!("{} is not positive", quoted(&amount.text)));
            faults.push(fault.expected("an amount above zero").mend("write the amount, or leave the entry out"));
        }
        if !is_multiplier && quantity.signum() < 0 {
            faults.push(negative(view.amount_path(role), amount, "an overhead"));
        }
    }
}

fn check_device(view: &DeviceView<'_>, _: &Context<'_>, faults: &mut Faults) {
    for (name, capacity) in view.body().capacity.iter() {
        let at = || view.path().field("capacity").entry(&**name);
        push_negative(capacity.value.as_ref(), || at().field("value"), "a capacity", faults);
        if let Some(policy) = &capacity.policy {
            check_policy(policy, &|| at().field("requestPolicy"), faults);
        }
    }
    for (index, consumption) in view.body().consumes.iter().enumerate() {
        for (name, counter) in consumption.counters.iter() {
            let at =
                || view.path().field("consumesCounters").item(index).field("counters").entry(&**name).field("value");
            push_negative(counter.value.as_ref(), at, "a counter", faults);
        }
    }
}

fn check_policy(policy: &Policy<'_>, at: &dyn Fn() -> Path, faults: &mut Faults) {
    push_negative(policy.default.as_ref(), || at().field("default"), "a default", faults);
    for (index, amount) in policy.valid_values.iter().enumerate() {
        push_negative(Some(amount), || at().field("validValues").item(index), "a valid value", faults);
    }
    let Some(range) = &policy.range else { return };
    let range_at = |name: &'static str| at().field("validRange").field(name);
    push_negative(range.min.as_ref(), || range_at("min"), "a minimum", faults);
    push_negative(range.max.as_ref(), || range_at("max"), "a maximum", faults);
    let step = range.step.as_ref().filter(|step| step.quantity().is_some_and(|step| step.signum() <= 0));
    if let Some(step) = step {
        let problem = format!("a step of {} never gets from one amount to the next", quoted(&step.text));
        let fault = Fault::at(range_at("step"), &*step.text, problem);
        faults
            .push(fault.expected("a step above zero").mend("write the distance between two amounts, or leave it out"));
    }
}

fn check_slice(slice: &Slice<'_>, _: &Context<'_>, faults: &mut Faults) {
    let sets = slice.spec.as_ref().map(|spec| &*spec.shared_counters).unwrap_or_default();
    for (index, set) in sets.iter().enumerate() {
        for (name, counter) in set.counters.iter() {
            let set_name = set.name.as_deref().unwrap_or_default();
            let at = || {
                let set = Path::fields(&["spec", "sharedCounters"]).named(index, set_name);
                set.field("counters").entry(&**name).field("value")
            };
            push_negative(counter.value.as_ref(), at, "a counter", faults);
        }
    }
}

fn push_negative(amount: Option<&Amount<'_>>, at: impl Fn() -> Path, what: &str, faults: &mut Faults) {
    let Some(amount) = amount else { return };
    if amount.quantity().is_some_and(|quantity| quantity.signum() < 0) {
        faults.push(negative(at(), amount, what));
    }
}

fn negative(path: Path, amount: &Amount<'_>, what: &str) -> Fault {
    Fault::at(
        path,
        &*amount.text,
        format!("{} is negative: it would give the node back what nobody returned", quoted(&amount.text)),
    )
    .expected(format!("{what} of zero or more"))
    .mend("write the amount without the sign, or leave the field out")
}
