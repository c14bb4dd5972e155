//! DG302: one claim, share or user named twice.

use std::collections::{BTreeMap, BTreeSet};

use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use crate::ledger::inventory::{ClaimFacts, Inventory};
use crate::model::claim::{Claim, Outcome};
use crate::model::path::Path;
use crate::model::pod::Pod;
use crate::model::text::quoted;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG302",
        kinds: &["ResourceClaim", "Pod"],
        phase: Phase::Validate,
        effect: Effect::Deny,
        fixed: false,
        title: "a claim, a share or a user is named twice",
        detail: "v1.36 sums a claim that stands twice in a pod's node-allocatable list; v1.37 refuses the list, and a container \
                 that refers to one claim twice keeps its pod pending for ever. One share id with two contents, or one user \
                 reserved twice, makes the count depend on the reader. Source: kubernetes \
                 pkg/apis/core/validation/validation.go; upstream.md, section 3.2.",
    },
    checks: &[
        Check::ClaimStatus(check_status),
        Check::Pod(check_pod),
        Check::PodStatus(check_list),
        Check::Claims(check_uid),
    ],
};

fn check_status(claim: &Claim<'_>, faults: &mut Faults) {
    let users = claim.status.as_ref().map(|status| &*status.reserved_for).unwrap_or_default();
    let mut seen = BTreeSet::new();
    for (index, user) in users.iter().enumerate() {
        let Some(uid) = user.uid.as_deref() else { continue };
        if !seen.insert(uid) {
            let path = Path::fields(&["status", "reservedFor"]).named(index, uid).field("uid");
            faults
                .push(twice(path, uid, "is reserved twice").expected("each user once").mend("remove the second entry"));
        }
    }
    check_shares(claim, faults);
}

fn check_shares(claim: &Claim<'_>, faults: &mut Faults) {
    let mut seen: BTreeMap<&str, String> = BTreeMap::new();
    for (index, result) in claim.results().iter().enumerate() {
        let Some(share) = result.share.as_deref() else { continue };
        let content = content(result);
        if seen.get(share).is_some_and(|first| *first != content) {
            let path =
                Path::fields(&["status", "allocation", "devices", "results"]).named(index, share).field("shareID");
            let fault = twice(path, share, "is the share of two different results");
            faults.push(fault.expected("an id of its own for each share").mend("write a new share id"));
        }
        seen.entry(share).or_insert(content);
    }
}

fn content(result: &Outcome<'_>) -> String {
    let part = |part: &Option<crate::model::decode::Text<'_>>| part.as_deref().unwrap_or_default().to_owned();
    let consumed = result.consumed.get().map(|map| &**map).unwrap_or_default();
    let amounts: BTreeMap<&str, &str> = consumed.iter().map(|(name, amount)| (&**name, &*amount.text)).collect();
    format!("{:?}", (part(&result.driver), part(&result.pool), part(&result.device), amounts))
}

fn check_list(pod: &Pod<'_>, faults: &mut Faults) {
    for list in pod.status_lists() {
        let mut seen = BTreeSet::new();
        for (index, entry) in list.entries.iter().enumerate() {
            let claim = entry.claim();
            if !seen.insert(claim) {
                let path = Path::fields(&["status"]).field(list.field).named(index, claim);
                let fault = twice(path, claim, "stands twice in the list: it would be counted twice");
                faults.push(fault.expected("one entry for each claim").mend("merge the two entries"));
            }
        }
    }
}

fn check_pod(pod: &Pod<'_>, faults: &mut Faults) {
    let mut seen: BTreeMap<&str, &str> = BTreeMap::new();
    for (index, claim) in pod.claims().iter().enumerate() {
        let (Some(name), Some(target)) = (claim.name.as_deref(), claim.claim.as_deref()) else { continue };
        if let Some(first) = seen.insert(target, name) {
            let path = Path::fields(&["spec", "resourceClaims"]).named(index, name).field("resourceClaimName");
            let fault =
                twice(path, target, &format!("is used under two names, {} and {}", quoted(first), quoted(name)));
            faults.push(fault.expected("one name for each claim").mend("use the first name in every container").warn());
        }
    }
    check_containers(pod, faults);
}

fn check_containers(pod: &Pod<'_>, faults: &mut Faults) {
    for (field, index, container) in pod.containers() {
        let uses = container.resources.as_ref().map(|needs| &*needs.claims).unwrap_or_default();
        let mut seen = BTreeSet::new();
        for (nth, claim) in uses.iter().enumerate() {
            let name = claim.name.as_deref().unwrap_or_default();
            if !seen.insert(name) {
                let container = container.name.as_deref().unwrap_or_default();
                let path = Path::fields(&["spec"]).field(field).named(index, container);
                let path = path.then(&["resources", "claims"]).item(nth).field("name");
                let fault = twice(
                    path,
                    name,
                    "is referred to twice by one container: a v1.37 scheduler can never bind the pod",
                );
                faults.push(
                    fault
                        .expected("each claim once for each container")
                        .mend("refer to the whole claim, without request")
                        .warn(),
                );
            }
        }
    }
}

fn check_uid(claim: &ClaimFacts, inventory: &Inventory, faults: &mut Faults) {
    let Some(uid) = claim.uid.as_deref() else { return };
    let mut others = inventory.claims_of_uid(uid);
    let other = others.find(|other| other.origin < claim.origin && other.content != claim.content);
    if let Some(other) = other {
        let problem = format!("is the uid of {} too, with other content", quoted(&other.name));
        let fault = twice(Path::fields(&["metadata", "uid"]), uid, &problem);
        faults.push(fault.expected("one object for each uid").mend("keep the newer of the two"));
    }
}

fn twice(path: Path, value: &str, problem: &str) -> Fault {
    Fault::at(path, value, format!("{} {problem}", quoted(value)))
}
