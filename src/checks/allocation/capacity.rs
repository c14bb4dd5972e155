//! DG305: more of a device is handed out than it has.

use std::collections::BTreeSet;

use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use super::proof::on_claims;
use super::view::{AllocationView, ResultView};
use crate::ledger::object::{Claim, DeviceKey, Key};
use crate::model::quantity::Quantity;
use crate::model::text::quoted;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG305",
        kinds: &["ResourceClaim"],
        phase: Phase::Validate,
        effect: Effect::Deny,
        fixed: false,
        title: "the shares of a device consume more than its capacity",
        detail: "A device with allowMultipleAllocations is shared by capacity: what consumedCapacity says in every share, those \
                 for administration aside, must fit what the device publishes. The API server does not add them up. Pool and \
                 holders are read again from the API server before this is said.",
    },
    checks: &[Check::Allocation(check)],
};

fn check(view: &AllocationView<'_>, faults: &mut Faults) {
    if !view.is_new() {
        return;
    }
    for (key, result) in view.taken() {
        let Some((_, device)) = result.device.filter(|(_, device)| device.is_shared) else { continue };
        for (capacity, full) in device.capacity.iter() {
            if let Some(use_) = Use::of(view, key, capacity).filter(|use_| use_.all > *full) {
                faults.push(use_.exceeds(result, capacity, *full));
            }
        }
    }
}

/// What is taken of one capacity.
struct Use<'l> {
    own: Quantity,
    all: Quantity,
    holders: BTreeSet<&'l Key>,
}

impl<'l> Use<'l> {
    /// `None` where the claim itself takes nothing.
    fn of(view: &AllocationView<'l>, device: &DeviceKey, capacity: &str) -> Option<Self> {
        let own = taken(view.claim, device, capacity)?;
        let mut all = Self { own, all: own, holders: BTreeSet::new() };
        let others = view.scene.ledger.holders(device).filter(|holder| holder.stamp.uid != view.claim.stamp.uid);
        for holder in others {
            let Some(amount) = taken(holder, device, capacity) else { continue };
            all.all = plus(all.all, amount);
            all.holders.insert(&holder.key);
        }
        Some(all)
    }

    fn exceeds(&self, result: &ResultView<'_>, capacity: &str, full: Quantity) -> Fault {
        let problem = format!(
            "device {} has {full} of capacity {}; with this claim's {} its {} shares would consume {}",
            quoted(&result.given.key.to_string()),
            quoted(capacity),
            self.own,
            self.holders.len() + 1,
            self.all,
        );
        let path = result.path().field("consumedCapacity").entry(capacity);
        let fault = Fault::at(path, self.own.to_string(), problem)
            .expected("shares that fit the device together")
            .mend("allocate another device, or less of this one, or wait until one of its claims is released")
            .rests_on([result.pool()]);
        on_claims(fault, &self.holders)
    }
}

/// What the shares of one claim take, administration aside. Negative amounts (DG301) give nothing back.
fn taken(claim: &Claim, device: &DeviceKey, capacity: &str) -> Option<Quantity> {
    let shares = claim.given.iter().flatten().filter(|given| given.key == *device && !given.is_admin);
    let consumed = shares.filter_map(|given| given.consumed.as_ref()?.iter().find(|(key, _)| **key == *capacity));
    consumed.map(|(_, amount)| *amount).filter(|amount| amount.signum() > 0).reduce(plus)
}

/// Beyond 128 bits the sum stays where it is: no such amount passes DG301.
fn plus(one: Quantity, other: Quantity) -> Quantity {
    one.checked_add(&other).unwrap_or(one)
}
