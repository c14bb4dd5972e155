//! DG306: devices that share counters draw more than there is.

use std::collections::{BTreeMap, BTreeSet};

use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use super::proof::on_claims;
use super::view::{AllocationView, ResultView};
use crate::ledger::object::{Counters, Device, Key, Name, PoolKey, Slice};
use crate::ledger::view::Ref;
use crate::model::quantity::Quantity;
use crate::model::text::quoted;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG306",
        kinds: &["ResourceClaim"],
        phase: Phase::Validate,
        effect: Effect::Deny,
        fixed: false,
        title: "the devices in use draw more from shared counters than there is",
        detail: "Partitions of one physical device draw on the counters of its pool. A device draws once, however many shares of \
                 it are out (kubernetes pull 139040); administration draws nothing. Counted is what the newest generation of \
                 driver and pool publishes. Pool and holders are read again from the API server before this is said.",
    },
    checks: &[Check::Allocation(check)],
};

fn check(view: &AllocationView<'_>, faults: &mut Faults) {
    if !view.is_new() {
        return;
    }
    let drawing = view.results.iter().filter(|result| result.device.is_some_and(|(_, one)| !one.consumes.is_empty()));
    let pools: BTreeSet<&PoolKey> = drawing.map(|result| &result.given.key.pool).collect();
    for pool in pools {
        Pool::of(view, pool).check(view, faults);
    }
}

/// One pool and what is in use of it.
struct Pool<'l> {
    key: &'l PoolKey,
    newest: Vec<&'l Slice>,
    /// The devices of other claims, by name.
    used: BTreeMap<&'l Name, BTreeSet<&'l Key>>,
}

impl<'l> Pool<'l> {
    fn of(view: &AllocationView<'l>, key: &'l PoolKey) -> Self {
        let ledger = view.scene.ledger;
        let generation = ledger.pool(key).filter_map(|slice| slice.generation).max();
        let mut used: BTreeMap<&Name, BTreeSet<&Key>> = BTreeMap::new();
        for holder in ledger.holders_in(key).filter(|holder| holder.stamp.uid != view.claim.stamp.uid) {
            let given = holder.given.iter().flatten().filter(|given| given.key.pool == *key && !given.is_admin);
            for given in given {
                used.entry(&given.key.device).or_default().insert(&holder.key);
            }
        }
        Self { key, newest: ledger.pool(key).filter(|slice| slice.generation == generation).collect(), used }
    }

    fn check(&self, view: &AllocationView<'_>, faults: &mut Faults) {
        let taken = view.taken();
        let added = taken.iter().filter(|(key, _)| key.pool == *self.key && !self.used.contains_key(&key.device));
        let added: BTreeMap<&Name, &ResultView<'_>> = added.map(|(key, result)| (&key.device, *result)).collect();
        let mut seen = BTreeSet::new();
        for (name, result) in &added {
            let consumes = self.device(name).map(|device| &*device.consumes).unwrap_or_default();
            for (set, counter) in consumes.iter().flat_map(|one| one.counters.iter().map(|(name, _)| (&one.set, name)))
            {
                if seen.insert((set, counter)) {
                    faults.found.extend(self.exceeded(result, &added, (set, counter)));
                }
            }
        }
    }

    fn exceeded(
        &self,
        result: &ResultView<'_>,
        added: &BTreeMap<&Name, &ResultView<'_>>,
        counter: (&Name, &Name),
    ) -> Option<Fault> {
        let there = amount(self.set(counter.0)?, counter.1)?;
        let in_use: BTreeSet<&Name> = self.used.keys().chain(added.keys()).copied().collect();
        let draws = in_use.into_iter().filter_map(|name| Some((name, self.draw(name, counter)?)));
        let draws: BTreeMap<&Name, Quantity> = draws.collect();
        let sum = draws.values().copied().reduce(|sum, draw| sum.checked_add(&draw).unwrap_or(sum))?;
        if sum <= there {
            return None;
        }
        let holders: BTreeSet<&Key> = draws.keys().filter_map(|name| self.used.get(*name)).flatten().copied().collect();
        let problem = format!(
            "counter {} of set {} in pool {} has {there}, and the devices in use would draw {sum}: {}",
            quoted(counter.1),
            quoted(counter.0),
            quoted(&self.key.to_string()),
            shown(&draws),
        );
        let device = &result.given.key.device;
        let fault = Fault::at(result.path().field("device"), &**device, problem)
            .expected("devices that fit the counters together")
            .mend("allocate a device that draws on other counters, or wait until one of these is released")
            .rests_on([Ref::Pool(self.key.clone())]);
        Some(on_claims(fault, &holders))
    }

    /// A set or a device that stands there twice says nothing certain.
    fn set(&self, name: &Name) -> Option<&'l Counters> {
        let mut sets = self.newest.iter().flat_map(|slice| &slice.counters).filter(|(set, _)| set == name);
        sets.next().filter(|_| sets.next().is_none()).map(|(_, counters)| counters)
    }

    fn device(&self, name: &str) -> Option<&'l Device> {
        let mut devices = self.newest.iter().filter_map(|slice| slice.device(name));
        devices.next().filter(|_| devices.next().is_none())
    }

    fn draw(&self, device: &str, (set, counter): (&Name, &Name)) -> Option<Quantity> {
        let consumes = self.device(device)?.consumes.iter().find(|one| one.set == *set)?;
        amount(&consumes.counters, counter).filter(|draw| draw.signum() > 0)
    }
}

fn amount(counters: &Counters, name: &Name) -> Option<Quantity> {
    counters.iter().find(|(counter, _)| counter == name).map(|(_, amount)| *amount)
}

fn shown(draws: &BTreeMap<&Name, Quantity>) -> String {
    const MOST: usize = 4;
    let mut words: Vec<String> = draws.iter().take(MOST).map(|(name, draw)| format!("{name} {draw}")).collect();
    if draws.len() > MOST {
        words.push(format!("and {} more", draws.len() - MOST));
    }
    words.join(", ")
}
