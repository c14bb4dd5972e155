//! DG208: numbers that are not whole or do not fit.

use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use super::super::{Context, SLICE};
use crate::model::decode::Number;
use crate::model::path::Path;
use crate::model::slice::Slice;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG208",
        kinds: SLICE,
        phase: Phase::Validate,
        effect: Effect::Deny,
        fixed: false,
        title: "a generation, count or other number is not whole or does not fit 64 bits",
        detail: "Generation and resourceSliceCount are whole numbers of 64 bits. An API server refuses anything else before any \
                 webhook; a file may hold it, and other readers may round it.",
    },
    checks: &[Check::Slice(check)],
};

fn check(slice: &Slice<'_>, _: &Context<'_>, faults: &mut Faults) {
    let Some(spec) = &slice.spec else { return };
    if let Some(pool) = &spec.pool {
        let at = |name| Path::fields(&["spec", "pool"]).field(name);
        check_number(pool.generation.as_ref(), at("generation"), faults);
        check_number(pool.slice_count.as_ref(), at("resourceSliceCount"), faults);
    }
    for (index, device) in spec.devices.iter().enumerate() {
        for (name, attribute) in device.body().attributes.iter() {
            let other = attribute.numbers().iter().find(|number| number.whole().is_none());
            if other.is_some() {
                check_number(other, device.path(index).field("attributes").entry(&**name), faults);
            }
        }
    }
}

fn check_number(number: Option<&Number>, path: Path, faults: &mut Faults) {
    let Some(Number::Other(text)) = number else { return };
    faults.push(
        Fault::at(path, &**text, format!("{text} is not a whole number of 64 bits"))
            .expected("a whole number from -9223372036854775808 to 9223372036854775807")
            .mend("write a whole number without a fraction"),
    );
}
