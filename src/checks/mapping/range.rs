//! DG109: what 64 bits can count.

use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use super::super::view::{MappingView, shown};
use super::super::{Context, SLICE};
use crate::model::decode::Amount;
use crate::model::mapping::Role;
use crate::model::quantity::{Format, Quantity, QuantityError};
use crate::model::reach::Reach;
use crate::model::resource::Kind;
use crate::model::text::quoted;
use crate::settings::Action;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The rule that refuses amounts that cannot be read.
const UNREADABLE: &str = "DG102";

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG109",
        kinds: SLICE,
        phase: Phase::Validate,
        effect: Effect::Quarantine,
        fixed: true,
        title: "an amount is larger than the scheduler can count",
        detail: "The scheduler counts in 64 bits: thousandths of a core, and whole bytes. Kubernetes stores larger amounts and \
                 then reads them wrong: memory 10E and cpu 10P count as nothing, and cpu 8Ei gives the node one core back, so \
                 that one mapping makes a device free or a node larger than it is. The charges of a claim's results and of a \
                 pod's containers are added up in the same 64 bits, so that amounts from 1Ei (or its like in cores) are refused: \
                 a few of them would do the same. Seen on v1.36.3 and v1.37.2. This rule \
                 cannot be switched off; in a pool of several slices it warns, since refusing one of them makes the \
                 library delete the others. Source: apimachinery pkg/api/resource/quantity.go.",
    },
    checks: &[Check::Mapping(check)],
};

fn check(view: &MappingView<'_>, context: &Context<'_>, faults: &mut Faults) {
    let Some(kind) = counted_as(view) else { return };
    if matches!(context.settings.action(UNREADABLE), Some(Action::Off | Action::Warn)) {
        faults.found.extend(unreadable(view, kind));
    }
    let before = faults.found.len();
    for reach in view.reaches.iter().filter(|reach| !fits(kind, reach.footprint)) {
        faults.push(too_large(view, kind, reach));
    }
    if faults.found.len() == before && !fits(kind, sum(view.reaches)) {
        faults.push(sum_too_large(view, kind));
    }
    if let Some(fault) = bytes_times_bytes(view, kind) {
        faults.push(fault);
    }
}

/// Amounts too large even to be read here. DG102 refuses them; where it is switched off, this rule does.
fn unreadable(view: &MappingView<'_>, kind: Kind) -> Vec<Fault> {
    let beyond = |error: &QuantityError| matches!(error, QuantityError::Exponent | QuantityError::Digits);
    let amounts = view.mapping.amounts().filter(|(_, amount)| amount.value.as_ref().is_err_and(beyond));
    let fault = |(role, amount): (Role, &Amount<'_>)| {
        let problem = format!("{} is beyond every bound", quoted(&amount.text));
        Fault::at(view.amount_path(role), &*amount.text, problem).expected(expected(kind)).mend("write the real amount")
    };
    amounts.map(fault).collect()
}

/// A claim has up to 32 results and a pod any number of containers, whose charges are added up in the same 64 bits: two
/// devices of 5Ei together credit the node. Eight of the largest amount let through still fit; no machine has any.
const LARGEST: i64 = i64::MAX / 8;

/// What the resource is counted in; pages of an unreadable size, which DG101 tells, are bytes all the same.
fn counted_as(view: &MappingView<'_>) -> Option<Kind> {
    view.kind.or_else(|| view.mapping.resource.starts_with("hugepages-").then_some(Kind::Memory))
}

fn fits(kind: Kind, footprint: Option<Quantity>) -> bool {
    let counted = footprint.and_then(|footprint| kind.counted(&footprint));
    counted.is_some_and(|counted| (-LARGEST..=LARGEST).contains(&counted))
}

fn sum(reaches: &[Reach<'_>]) -> Option<Quantity> {
    let alone = reaches.iter().filter(|reach| reach.consumed.is_none()).filter_map(|reach| reach.footprint);
    let consumed = reaches.iter().filter(|reach| reach.consumed.is_some()).filter_map(|reach| reach.footprint).max();
    alone.chain(consumed).try_fold(Quantity::whole(0), |sum, part| sum.checked_add(&part))
}

fn too_large(view: &MappingView<'_>, kind: Kind, reach: &Reach<'_>) -> Fault {
    let problem = format!(
        "{} leaves the 64 bits in which the scheduler counts {}, alone or added to a few like it: the node would seem to \
         get it back",
        shown(reach, view.mapping.capacity_key),
        unit(kind)
    );
    Fault::at(view.amount_path(reach.role), &*reach.written, problem)
        .expected(expected(kind))
        .mend("write the real amount")
}

fn sum_too_large(view: &MappingView<'_>, kind: Kind) -> Fault {
    let sum = sum(view.reaches).map_or_else(|| "more than can be told".to_owned(), |sum| sum.to_string());
    let problem = format!(
        "mapping and overhead together ({sum}) leave the 64 bits in which the scheduler counts {}, alone or added to a few \
         like them",
        unit(kind)
    );
    Fault::at(view.path(), view.mapping.resource, problem).expected(expected(kind)).mend("write the real amounts")
}

/// An amount of bytes times an amount of bytes is no amount of bytes, whatever it comes to.
fn bytes_times_bytes(view: &MappingView<'_>, kind: Kind) -> Option<Fault> {
    let is_size = |text: &str| Quantity::parse(text).is_ok_and(|one| one.format() == Format::BinarySi);
    let reach = view.reaches.iter().find(|reach| {
        let consumes_bytes = reach.consumed.as_ref().is_some_and(|consumed| is_size(consumed.written));
        kind.is_bytes() && consumes_bytes && is_size(&reach.written)
    })?;
    let problem = format!("{} multiplies bytes by bytes", shown(reach, view.mapping.capacity_key));
    let fault = Fault::at(view.amount_path(Role::Multiplier), &*reach.written, problem);
    Some(fault.expected("a plain ratio, such as 1").mend(format!(
        "write \"1\" to map each consumed byte of {} to one byte of {}",
        quoted(view.mapping.capacity_key.unwrap_or_default()),
        view.mapping.resource
    )))
}

const fn unit(kind: Kind) -> &'static str {
    match kind {
        Kind::Cpu => "thousandths of a core",
        _ => "bytes",
    }
}

const fn expected(kind: Kind) -> &'static str {
    match kind {
        Kind::Cpu => "at most 1152921504606 thousand cores",
        _ => "less than 1Ei (an eighth of what 64 bits hold)",
    }
}
