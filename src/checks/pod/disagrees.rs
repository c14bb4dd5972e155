//! DG406: a binder's list that does not say what the ledger charges.

use std::collections::BTreeSet;

use super::super::fault::{Fault, Faults};
use super::super::row::{Check, PodChange, Row};
use super::super::{Context, POD};
use super::placement::{Taken, taken};
use crate::ledger::amounts::add;
use crate::ledger::object::{self, Key};
use crate::ledger::requests::ChargedClaim;
use crate::ledger::view::Scene;
use crate::model::path::Path;
use crate::model::pod::Pod;
use crate::model::request::Caller;
use crate::model::status_list::Entry;
use crate::model::text::quoted;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG406",
        kinds: POD,
        phase: Phase::Validate,
        effect: Effect::Warn,
        fixed: false,
        title: "a binder's node-allocatable list disagrees with the ledger",
        detail: "The list is compared with what the claim's devices take under the mapping with which the allocation was first \
                 seen, rounded as the scheduler rounds. A difference is a claim that the pod does not use, a container that does \
                 not refer to it, other amounts, or an entry that a list of one release loses when it is patched by a client of \
                 the other (v1.36 replaces the list, v1.37 merges it). Nothing is said while the claim is not known to be \
                 allocated and reserved for the pod: the watch may be behind. A binder's write is never refused: the allocation \
                 would stay behind. What the list says counts from then on. Source: upstream.md, sections 3.3 and 3.4.",
    },
    checks: &[Check::PodWriter(check)],
};

/// What the scheduler calls the claim of extended resources before it is made.
const EXTENDED: &str = "<extended-resources>";

fn check(caller: &Caller, change: &PodChange<'_>, context: &Context<'_>, faults: &mut Faults) {
    let Some(scene) = context.scene.filter(|_| context.settings.binders.contains(&caller.username)) else { return };
    let pod = object::Pod::from(change.new);
    let (old, new) = (change.old.charges(), change.new.charges());
    for list in change.new.status_lists() {
        for (index, entry) in list.entries.iter().enumerate() {
            if old.get(entry.claim()) != new.get(entry.claim()) {
                let path = Path::fields(&["status"]).field(list.field).named(index, entry.claim());
                faults.found.extend(differs(entry, change.new, &pod, scene, path));
            }
        }
        // A list that is cleared as a whole gives back a binding that failed.
        for claim in old.keys().filter(|claim| !new.contains_key(*claim)) {
            faults.found.extend(lost(claim, &pod, scene, Path::fields(&["status"]).field(list.field)));
        }
    }
}

fn differs(entry: &Entry<'_>, written: &Pod<'_>, pod: &object::Pod, scene: Scene<'_>, path: Path) -> Option<Fault> {
    let claim = entry.claim();
    let names: Vec<&str> =
        pod.claims.iter().filter(|one| one.claim.as_deref() == Some(claim)).map(|one| &*one.name).collect();
    if names.is_empty() {
        return (claim != EXTENDED).then(|| unknown(claim, pod, path));
    }
    if !names.contains(&EXTENDED) {
        let stranger = entry.containers.iter().find(|name| !refers(written, name, &names));
        if let Some(container) = stranger {
            return Some(foreign(claim, container, path));
        }
    }
    let expected = expected(claim, pod, scene)?;
    let listed = listed(&ChargedClaim::from(entry));
    (expected.agrees(&listed) == Some(false)).then(|| amounts(claim, &listed, &expected, path))
}

/// What the ledger charges for a claim, without a look at the list.
fn expected(claim: &str, pod: &object::Pod, scene: Scene<'_>) -> Option<Taken> {
    let key = Key { namespace: pod.key.namespace.clone(), name: claim.into() };
    taken(scene.ledger.claim(&key)?, pod, scene)
}

fn listed(entry: &ChargedClaim) -> Taken {
    let mut taken = Taken::default();
    for (resource, charge) in &entry.charges {
        add(&mut taken.mapping, resource, &charge.mapping);
        let on_top = charge.total(entry.containers).checked_sub(&charge.mapping);
        add(&mut taken.overhead, resource, &on_top.unwrap_or(charge.per_pod));
    }
    taken.overhead.retain(|_, amount| !amount.is_zero());
    taken
}

fn refers(pod: &Pod<'_>, container: &str, claims: &[&str]) -> bool {
    let mut containers = pod.containers().filter(|(.., one)| one.name.as_deref() == Some(container));
    containers.any(|(.., one)| {
        let uses = one.resources.as_ref().map(|needs| &*needs.claims).unwrap_or_default();
        uses.iter().any(|one| one.name.as_deref().is_some_and(|name| claims.contains(&name)))
    })
}

fn unknown(claim: &str, pod: &object::Pod, path: Path) -> Fault {
    let known: BTreeSet<&str> = pod.claims.iter().filter_map(|claim| claim.claim.as_deref()).collect();
    let known: Vec<&str> = known.into_iter().take(8).collect();
    Fault::at(path, claim, format!("claim {} is none of the pod's", quoted(claim)))
        .expected(format!("one of the pod's claims: {}", known.join(", ")))
        .mend("list the claims that the pod uses, by the names of the claims themselves")
}

fn foreign(claim: &str, container: &str, path: Path) -> Fault {
    let problem = format!("container {} does not refer to claim {}", quoted(container), quoted(claim));
    Fault::at(path.field("containers"), container, problem)
        .expected("the containers whose resources.claims name the claim: overhead is counted for each")
        .mend("list those containers, each once")
}

fn amounts(claim: &str, listed: &Taken, expected: &Taken, path: Path) -> Fault {
    let problem = format!("claim {} is written with {listed}; its devices come to {expected}", quoted(claim));
    Fault::at(path, listed.to_string(), problem)
        .expected(expected.to_string())
        .mend(
            "see whether the slice changed after the allocation, or another scheduler counts in its own way; delete the pod to \
             have it counted anew",
        )
}

fn lost(claim: &str, pod: &object::Pod, scene: Scene<'_>, path: Path) -> Option<Fault> {
    let taken = expected(claim, pod, scene).filter(|taken| !taken.is_nothing())?;
    let problem = format!("claim {} is left out, and still takes {taken} for this pod", quoted(claim));
    let fault = Fault::at(path, "absent", problem).expected("an entry for every claim that is allocated for the pod");
    Some(fault.mend("write the complete list: a v1.36 server replaces it, even where the patch says one entry"))
}
