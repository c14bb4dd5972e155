//! DG403: a driver writes of the devices of its own node.

use super::super::super::fault::{Fault, Faults};
use super::super::super::row::{Check, Row};
use super::driver::{entry_path, is_of, path, role};
use super::place::Place;
use super::write::{ClaimWrite, Standing};
use crate::ledger::object::{DeviceKey, PoolKey, Selected};
use crate::ledger::price::Price;
use crate::ledger::view::Ref;
use crate::model::access::Question;
use crate::model::status_change::{Change, EntryChange};
use crate::model::text::quoted;
use crate::settings::Writer;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG403",
        kinds: &["ResourceClaim"],
        phase: Phase::Validate,
        effect: Effect::Deny,
        fixed: false,
        title: "device entries are changed from another node than the claim's",
        detail: "The right associated-node:update counts only for a service account whose token is bound to a pod of the node \
                 that the allocation names; everybody else needs arbitrary-node:update. A token names its node where the \
                 feature gate ServiceAccountTokenPodNodeInfo is on (by default since v1.30, always since v1.32) and it is the \
                 projected token of a running pod: long-lived tokens and client certificates never do. A driver that the rollout lists as NodeLocal writes \
                 from its claims' nodes only, whatever RBAC says; one that is ClusterWide writes from everywhere. What no API \
                 server checks: a device that its slice places on another node than the writer's is not the writer's, although \
                 the allocation says so; the pool is read again from the API server before this is said. Source: kubernetes \
                 pkg/registry/resource/utils.go.",
    },
    checks: &[Check::ClaimWriter(check)],
};

fn check(write: &ClaimWrite<'_>, faults: &mut Faults) {
    for need in write.needs.iter().filter(|need| need.standing == Standing::Missing) {
        if let Question::Driver { name, .. } = &need.question {
            faults.take(distant(write, &need.question, name));
        }
    }
    let Place::Here(own) = write.place else { return };
    if write.caller.is_master() {
        return;
    }
    let written = write.change.entries.iter().filter(|entry| entry.change != Change::Removed);
    for entry in written.filter(|entry| !is_cluster_wide(write, &entry.key.driver)) {
        faults.take(elsewhere(write, entry, own));
    }
}

fn is_cluster_wide(write: &ClaimWrite<'_>, driver: &str) -> bool {
    is_listed(write, driver, Writer::ClusterWide)
}

fn distant(write: &ClaimWrite<'_>, question: &Question, driver: &str) -> Option<Fault> {
    let who = quoted(&write.caller.username);
    let (node, problem) = match write.place {
        Place::Here(_) | Place::Anywhere => return None,
        Place::Elsewhere(node, own) => (node, format!("the token of {who} belongs to node {}", quoted(own))),
        Place::NoNode(node) => (node, format!("the token of {who} names no node")),
        Place::NoAccount(node) => (node, format!("{who} is no service account and belongs to no node")),
    };
    let problem = format!(
        "{problem}, and it changes the entries of driver {} for a claim that is allocated on node {}",
        quoted(driver),
        quoted(node)
    );
    let fault = Fault::at(path(write, driver), driver, problem).expected(format!(
        "{}, or {}",
        expected(write.place, node),
        right(write, driver)
    ));
    Some(fault.mend(mend(write, question, driver)))
}

fn expected(place: Place<'_>, node: &str) -> String {
    match place {
        Place::Elsewhere(..) => format!("a write from a pod on node {}", quoted(node)),
        _ => format!(
            "a token bound to a pod on node {}, which carries the node's name (feature gate ServiceAccountTokenPodNodeInfo)",
            quoted(node)
        ),
    }
}

fn right(write: &ClaimWrite<'_>, driver: &str) -> String {
    if is_local(write, driver) || !write.is_asked {
        "a driver that the rollout lists as ClusterWide".to_owned()
    } else {
        format!("arbitrary-node:update on resourceclaims/driver named {}", quoted(driver))
    }
}

fn mend(write: &ClaimWrite<'_>, question: &Question, driver: &str) -> String {
    let token = match write.place {
        Place::Elsewhere(..) => "let the driver's pod on that node write",
        _ => "use the projected token of the driver's pod, not a long-lived one or a certificate",
    };
    if is_local(write, driver) || !write.is_asked {
        return format!("{token}; or list the service account with writer: ClusterWide in the rollout");
    }
    format!("{token}; or grant {}", role(question))
}

pub(super) fn is_local(write: &ClaimWrite<'_>, driver: &str) -> bool {
    is_listed(write, driver, Writer::NodeLocal)
}

fn is_listed(write: &ClaimWrite<'_>, driver: &str, writer: Writer) -> bool {
    let driver = write.settings.drivers.get(driver);
    driver.is_some_and(|driver| driver.writer == writer && driver.names(&write.caller.username))
}

/// The device is allocated to the claim, and its slice places it on another node than the writer's.
fn elsewhere(write: &ClaimWrite<'_>, entry: &EntryChange<'_>, own: &str) -> Option<Fault> {
    if !write.claim.results().iter().any(|result| is_of(&entry.key, result)) {
        return None;
    }
    let pool = PoolKey { driver: (*entry.key.driver).into(), pool: (*entry.key.pool).into() };
    let key = DeviceKey { pool, device: (*entry.key.device).into() };
    let (slice, device) = write.scene?.ledger.device(&key, &Selected::Node(own.into()))?;
    let price = Price::of(slice, device, 0);
    let node = price.node().filter(|node| ***node != *own)?;
    let problem = format!(
        "device {} is published by node {}, the token of {} belongs to node {}",
        quoted(&key.to_string()),
        quoted(node),
        quoted(&write.caller.username),
        quoted(own)
    );
    let fault = Fault::at(entry_path(entry), key.to_string(), problem)
        .expected(format!("a device of node {}", quoted(own)))
        .mend("let the driver of the device's node write, or list a writer for all nodes as ClusterWide in the rollout; the allocation names a node that its device is not on: release it");
    Some(fault.rests_on([Ref::Pool(key.pool)]))
}
