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
        title: "a mapping, or the device itself, vanishes while claims are charged for it",
        detail: "API servers of two versions drop each other's fields, a server with the feature gate off drops both, and so does \
                 a driver that is set back. Pods that run keep what they were charged, but the next claim on the device would \
                 cost nothing. Refusing the slice would only keep the old one, so it passes; once it is seen stored, the pool \
                 is held (MappingVanished) until the mapping is back or the claims are gone. A device that is left out of a pool \
                 of one slice is told too: hardware may go at any time, and its claims stay charged. Source: upstream.md, sections 1.3 \
                 and 1.5.",
    },
    checks: &[Check::Slice(check)],
};

/// The most devices, and claims of a device, that are named.
const MOST: usize = 4;

fn check(slice: &Slice<'_>, context: &Context<'_>, faults: &mut Faults) {
    let Some(scene) = context.scene else { return };
    let Some(spec) = &slice.spec else { return };
    if !is_used(slice, scene) {
        return;
    }
    let written = object::Slice::from(slice);
    gone(&written, scene, faults);
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

/// Devices that were published by this slice alone and are left out now.
fn gone(written: &object::Slice, scene: Scene<'_>, faults: &mut Faults) {
    let stored = scene.ledger.pool(&written.pool).find(|slice| slice.key == written.key);
    let Some(stored) = stored.filter(|stored| written.count == Some(1) && stored.place == written.place) else {
        return;
    };
    let missing = stored.devices.iter().filter(|device| written.device(&device.name).is_none());
    let used: Vec<(usize, &str, Vec<String>)> = missing
        .map(|device| (0, &*device.name, charged(stored, device, scene)))
        .filter(|(.., claims)| !claims.is_empty())
        .collect();
    if let [(_, device, _), ..] = used.as_slice() {
        let problem = format!("devices are left out for which claims are charged: {}", listed(&used));
        let fault = Fault::at(Path::fields(&["spec", "devices"]), *device, problem)
            .expected("the devices for as long as claims use them")
            .mend("nothing, if the hardware is gone: the claims stay charged until they are released");
        faults.push(fault);
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
    let problem = format!("devices without a mapping, for which claims were charged: {}", listed(lost));
    Fault::at(Path::fields(&["spec", "devices"]).named(index, first), first, problem)
        .expected("the mapping for as long as claims use the device")
        .mend(
            "publish the mapping again, and check that every API server has the feature gate DRANodeAllocatableResources on and \
             serves one version; until then the pool takes no new mapped allocation",
        )
}

fn listed(devices: &[(usize, &str, Vec<String>)]) -> String {
    let named: Vec<String> = devices.iter().take(MOST).map(|(_, device, claims)| one(device, claims)).collect();
    named.join("; ") + &more(devices.len())
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
