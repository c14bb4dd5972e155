//! DG105: units of memory, storage and hugepages.

use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use super::super::view::{MappingView, shown};
use super::super::{Context, SLICE};
use crate::model::decode::Amount;
use crate::model::mapping::Role;
use crate::model::quantity::{Format, Quantity};
use crate::model::resource::Kind;
use crate::model::text::quoted;
use crate::verdict::rule::{Effect, Phase, Rule};

/// Below this many bytes a plain number has more likely lost its unit.
const SMALLEST: Quantity = Quantity::whole(1024);

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG105",
        kinds: SLICE,
        phase: Phase::Validate,
        effect: Effect::Quarantine,
        fixed: false,
        title: "the unit does not fit bytes: a fraction of a byte, or a number that lost its unit",
        detail: "memory, ephemeral-storage and hugepages are counted in bytes. The suffix m is a thousandth: 400m is less than \
                 one byte, where 400Mi or 400M was meant. Kubernetes stores it. A plain number below 1Ki and a decimal \
                 exponent are only warned about. With a capacityKey the multiplier is a ratio: only the footprints it reaches \
                 are judged. Source: kubernetes issues 79950, 49442, 103761.",
    },
    checks: &[Check::Mapping(check)],
};

fn check(view: &MappingView<'_>, _: &Context<'_>, faults: &mut Faults) {
    if !view.kind.is_some_and(Kind::is_bytes) {
        return;
    }
    for reach in view.reaches {
        if reach.footprint.is_some_and(|footprint| !footprint.is_whole()) {
            let problem = format!("{} is not a whole number of bytes", shown(reach, view.mapping.capacity_key));
            let fault = Fault::at(view.amount_path(reach.role), &*reach.written, problem);
            faults.push(fault.expected("whole bytes, such as 400Mi or 400M").mend(mend(&reach.written)));
        }
    }
    for (role, amount, quantity) in view.footprints() {
        if let Some(fault) = doubtful(view, role, amount, &quantity) {
            faults.push(fault.warn());
        }
    }
}

fn doubtful(view: &MappingView<'_>, role: Role, amount: &Amount<'_>, quantity: &Quantity) -> Option<Fault> {
    let text = &*amount.text;
    let is_defaulted = role == Role::Device && view.mapping.shape.default_multiplier.is_some() && {
        view.mapping.raw.allocation_multiplier.is_none()
    };
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    let at = |problem: String| Fault::at(view.amount_path(role), text, problem);
    if is_plain && !is_defaulted && quantity.signum() > 0 && *quantity < SMALLEST {
        return Some(
            at(format!("{} is only {text} bytes: the unit may be missing", quoted(text)))
                .expected("an amount with a unit, such as 64Mi")
                .mend(format!("did you mean {text}Mi or {text}Gi?")),
        );
    }
    if quantity.format() == Format::DecimalExponent {
        return Some(
            at(format!("{} is {quantity} with a decimal exponent: an unusual way to write bytes", quoted(text)))
                .expected("an amount with a unit, such as 1Gi or 1G")
                .mend("write it with a suffix; note that 1E alone is an exabyte"),
        );
    }
    None
}

fn mend(text: &str) -> String {
    match text.strip_suffix('m') {
        Some(number) => format!("did you mean {number}Mi or {number}M?"),
        None => "write whole bytes with a unit, such as 64Mi".to_owned(),
    }
}
