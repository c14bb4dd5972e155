//! DG125: a mapping that claims are charged for is gone.

use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use super::super::{Context, SLICE};
use crate::ledger::object::{self, Claim, Device, DeviceKey, PoolKey};
use crate::ledger::price::Price;
use crate::ledger::view::Scene;
use crate::model::path::Path;
use crate::model::slice::Slice;
use crate::model::text::quoted;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG125",
        kinds: SLICE,
        phase: Phase::Validate,
        effect: Effect::Warn,
        fixed: false,
        title: "a mapping vanishes from a device that claims were charged for",
        detail: "API servers of two versions drop each other's fields, a server with the feature gate off drops both, and so does \
                 a driver that is set back. Pods that run keep what they were charged, but the next claim on the device would \
                 cost nothing. Refusing the slice would only keep the old one, so it passes; once it is seen stored, the pool \
                 is held (MappingVanished) until the mapping is back or the claims are gone. Source: upstream.md, sections 1.3 \
                 and 1.5.",
    },
    checks: &[Check::Slice(check)],
};

/// The most devices, and claims of a device, that are named.
const MOST: usize = 4;

fn check(slice: &Slice<'_>, context: &Context<'_>, faults: &mut Faults) {
    let Some(scene) = context.scene else { return };
    let Some(spec) = &slice.spec else { return };
    let is_bare = spec.devices.iter().any(|device| device.mappings().next().is_none());
    if !is_bare || !is_used(slice, scene) {
        return;
    }
    let written = object::Slice::from(slice);
    let devices = spec.devices.iter().enumerate().filter(|(_, device)| device.mappings().next().is_none());
    let lost: Vec<(usize, &str, Vec<String>)> = devices
        .filter_map(|(index, device)| Some((index, written.device(device.shown_name())?)))
        .map(|(index, device)| (index, &*device.name, charged(&written, device, scene)))
        .filter(|(.., claims)| !claims.is_empty())
        .collect();
    if let [(index, device, _), ..] = lost.as_slice() {
        faults.push(vanished(*index, device, &lost));
    }
}

/// Most pools that are written have no claims at all.
fn is_used(slice: &Slice<'_>, scene: Scene<'_>) -> bool {
    scene.ledger.holders_in(&PoolKey::from(slice)).next().is_some()
}

/// The claims that were charged for a mapping of this device in this place.
fn charged(slice: &object::Slice, device: &Device, scene: Scene<'_>) -> Vec<String> {
    let key = DeviceKey { pool: slice.pool.clone(), device: device.name.clone() };
    let place = Price::of(slice, device, 0).place;
    let was_mapped = |claim: &&Claim| {
        let prices = scene.ledger.priced(&claim.key).map(|priced| &*priced.results).unwrap_or_default();
        let mine = claim.given.iter().flatten().zip(prices).filter(|(given, _)| given.key == key);
        let mut prices = mine.filter_map(|(_, price)| price.as_ref());
        prices.any(|price| price.place == place && !price.mapped.is_empty())
    };
    scene.ledger.holders(&key).filter(was_mapped).map(|claim| claim.key.to_string()).collect()
}

fn vanished(index: usize, first: &str, lost: &[(usize, &str, Vec<String>)]) -> Fault {
    let devices: Vec<String> = lost.iter().take(MOST).map(|(_, device, claims)| one(device, claims)).collect();
    let problem =
        format!("devices without a mapping, for which claims were charged: {}{}", devices.join("; "), more(lost.len()));
    Fault::at(Path::fields(&["spec", "devices"]).named(index, first), first, problem)
        .expected("the mapping for as long as claims use the device")
        .mend(
            "publish the mapping again, and check that every API server has the feature gate DRANodeAllocatableResources on and \
             serves one version; until then the pool takes no new mapped allocation",
        )
}

fn one(device: &str, claims: &[String]) -> String {
    let named: Vec<String> = claims.iter().take(MOST).map(|claim| quoted(claim)).collect();
    format!("{} (claims {}{})", quoted(device), named.join(", "), more(claims.len()))
}

fn more(count: usize) -> String {
    match count.saturating_sub(MOST) {
        0 => String::new(),
        more => format!(" and {more} more"),
    }
}
