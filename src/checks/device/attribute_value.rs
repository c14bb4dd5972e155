//! DG114: attributes without a value.

use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use super::super::view::DeviceView;
use super::super::{Context, SLICE};
use crate::model::slice::Attribute;
use crate::model::text::quoted;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG114",
        kinds: SLICE,
        phase: Phase::Validate,
        effect: Effect::Quarantine,
        fixed: false,
        title: "an attribute has no value",
        detail: "Exactly one of int, bool, string, version or a list of them must be set; an empty string is a value. A server \
                 whose DRAListTypeAttributes gate is off drops lists before any webhook, and the attribute is left without a \
                 value: publish a scalar there.",
    },
    checks: &[Check::Device(check)],
};

fn check(view: &DeviceView<'_>, _: &Context<'_>, faults: &mut Faults) {
    for (name, _) in view.body().attributes.iter().filter(|(_, one)| *one == Attribute::Unset) {
        let path = view.path().field("attributes").entry(&**name);
        faults.push(
            Fault::at(path, "{}", format!("the attribute {} has no value", quoted(name)))
                .expected("one of int, bool, string, version, or a list where the server has list attributes on")
                .mend("set a value; where it was a list, this server has list attributes off: publish a scalar"),
        );
    }
}
