//! Objects from files, judged as if each allocation had been written after all that stands before it, and each pod after
//! them all.

use std::collections::BTreeSet;

use super::allocation::view::AllocationView;
use super::findings::Findings;
use super::pod::placement::Placement;
use super::{Context, dispatch, inspect};
use crate::ledger::event::{Change, Event};
use crate::ledger::object::{Claim, Name, Object, Pod};
use crate::ledger::state::Ledger;
use crate::ledger::view::{Freshness, Ref, Scene};
use crate::model::access::Rights;
use crate::model::version::Version;
use crate::settings::Settings;
use crate::verdict::finding::Finding;
use crate::verdict::rule::Effect;

/// The ledger of these objects.
#[must_use]
pub fn ledger(objects: impl IntoIterator<Item = Object>, version: Version) -> Ledger {
    let mut ledger = Ledger::new(version);
    for object in objects {
        put(&mut ledger, object);
    }
    ledger
}

/// Judges the allocated claims among these objects, each beside all that is no claim and the claims before it, and the
/// pods that were never stored. The number comes back with every finding. What would be held is a warning: nobody waits for a file.
#[must_use]
pub fn allocations(objects: Vec<(usize, Object)>, version: Version, settings: &Settings) -> Vec<(usize, Finding)> {
    let (claims, others): (Vec<_>, Vec<_>) =
        objects.into_iter().partition(|(_, object)| matches!(object, Object::Claim(_)));
    let pods: Vec<_> = others.iter().filter_map(|(number, object)| Some((*number, new_pod(object)?))).collect();
    let mut ledger = ledger(others.into_iter().map(|(_, object)| object), version);
    let mut all = Vec::new();
    for (number, object) in claims {
        if let Object::Claim(claim) = &object {
            all.extend(judge(claim, &ledger, settings).map(|finding| (number, finding)));
        }
        put(&mut ledger, object);
    }
    for (number, pod) in pods {
        all.extend(place(&pod, &ledger).map(|finding| (number, finding)));
    }
    all
}

/// A stored pod was bound by whoever it was: only one that is to be created is judged.
fn new_pod(object: &Object) -> Option<Pod> {
    match object {
        Object::Pod(pod) if pod.stamp.version == 0 && pod.node.is_some() && !pod.is_over() => Some(pod.clone()),
        _ => None,
    }
}

fn place(pod: &Pod, ledger: &Ledger) -> impl Iterator<Item = Finding> + use<> {
    let scene = Scene { ledger, freshness: Freshness::Fresh, now: 0 };
    let mut findings = Findings::default();
    if let Some(node) = &pod.node {
        dispatch::placement(&Placement { pod, node, scene }, &mut findings);
    }
    findings.into_vec().into_iter()
}

/// The ids of the rules that refuse what a stored slice maps. It may have been there before draguard, or have come past
/// it: its pool takes no new mapped allocation.
#[must_use]
pub fn faults(slice: &str) -> Vec<Name> {
    let context = Context {
        settings: &Settings::default(),
        target: None,
        inventory: None,
        scene: None,
        rights: Rights::Settings,
    };
    let refuses = |finding: &Finding| matches!(finding.effect, Effect::Quarantine | Effect::Deny);
    let found = inspect(slice, &context).findings;
    let rules: BTreeSet<&str> =
        found.iter().filter(|finding| refuses(finding)).map(|finding| finding.rule.id).collect();
    rules.into_iter().map(Name::from).collect()
}

fn judge(claim: &Claim, ledger: &Ledger, settings: &Settings) -> impl Iterator<Item = Finding> + use<> {
    let old = Claim { given: None, reserved: Vec::new(), ..claim.clone() };
    let scene = Scene { ledger, freshness: Freshness::Fresh, now: 0 };
    let mut findings = Findings::default();
    if claim.given.is_some() {
        dispatch::allocation(&AllocationView::of(claim, &old, scene, settings), &mut findings);
    }
    let findings = findings.into_vec().into_iter().filter(|finding| is_shown(finding, ledger));
    let findings = findings.map(|finding| match finding.effect {
        Effect::Hold => Finding { effect: Effect::Warn, ..finding },
        _ => finding,
    });
    findings.collect::<Vec<_>>().into_iter()
}

/// A pool of which no file shows a slice may well be there in the cluster.
fn is_shown(finding: &Finding, ledger: &Ledger) -> bool {
    let mut rests_on = finding.rests_on.iter();
    rests_on.all(|one| !matches!(one, Ref::Pool(pool) if ledger.pool(pool).next().is_none()))
}

fn put(ledger: &mut Ledger, object: Object) {
    ledger.apply(Event { at: 0, change: Change::Applied(object) });
}
