//! DG206: a node's slices are written from that node.

use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use super::super::{Context, SLICE};
use crate::model::path::Path;
use crate::model::request::Caller;
use crate::model::slice::Slice;
use crate::model::text::quoted;
use crate::settings::{Driver, Writer};
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG206",
        kinds: SLICE,
        phase: Phase::Validate,
        effect: Effect::Deny,
        fixed: false,
        title: "a slice is written from another node than its own",
        detail: "Kubernetes lets any service account with rights on resourceslices write the slices of any node. A token that is \
                 bound to a pod names that pod's node; where the slice names another node, the write is refused. Controllers \
                 that publish for other nodes are configured as ClusterWide; system:masters are exempt. A slice without \
                 spec.nodeName may belong to a node by its ownerReferences. Source: kubernetes plugin/pkg/admission/\
                 noderestriction, which binds kubelets only; kubernetes-sigs/dra-example-driver's sample policy.",
    },
    checks: &[Check::SliceWriter(check)],
};

fn check(caller: &Caller, slice: &Slice<'_>, context: &Context<'_>, faults: &mut Faults) {
    let Some(spec) = &slice.spec else { return };
    let driver = spec.driver.as_deref().and_then(|name| context.settings.drivers.get(name));
    let node = spec.node_name.as_deref().filter(|node| !node.is_empty());
    if caller.is_master() {
        return;
    }
    if let Some(own) = caller.kubelet() {
        if node != Some(own) {
            faults.push(other_node(node.unwrap_or_default(), own, "the kubelet"));
        }
        return;
    }
    if is_cluster_wide(caller, driver) {
        return;
    }
    let is_local = driver.is_some_and(|driver| driver.writer == Writer::NodeLocal);
    match (node, caller.node()) {
        (Some(node), Some(own)) if node != own => faults.push(other_node(node, own, "the writer's token")),
        (Some(_), Some(_)) => {}
        (_, None) => {
            if is_local {
                faults.push(no_node_in_token(caller, node));
            }
        }
        (None, Some(own)) => faults.found.extend(no_node_in_slice(slice, own, is_local)),
    }
}

fn is_cluster_wide(caller: &Caller, driver: Option<&Driver>) -> bool {
    driver.is_some_and(|driver| driver.writer == Writer::ClusterWide && driver.admits(&caller.username))
}

fn other_node(node: &str, own: &str, who: &str) -> Fault {
    Fault::at(path(), node, format!("{who} belongs to node {}, the slice to {}", quoted(own), quoted(node)))
        .expected(format!("spec.nodeName {}", quoted(own)))
        .mend("publish from a pod on that node, or list the writer's driver with writer: ClusterWide in the rollout")
}

fn no_node_in_token(caller: &Caller, node: Option<&str>) -> Fault {
    let problem =
        format!("the token of {} names no node, and the driver is configured as NodeLocal", quoted(&caller.username));
    Fault::at(path(), node.unwrap_or_default(), problem)
        .expected("a token bound to a pod, which carries the node's name (feature gate ServiceAccountTokenPodNodeInfo)")
        .mend("use the projected token of the driver's pod, not a long-lived one; or configure writer: ClusterWide")
}

/// Every bound token names a node, those of cluster-wide controllers too: without configuration it is only a warning.
fn no_node_in_slice(slice: &Slice<'_>, own: &str, is_local: bool) -> Option<Fault> {
    let owner = slice.meta.as_ref().and_then(|meta| meta.owner_node());
    if owner == Some(own) {
        return None;
    }
    let problem = match owner {
        Some(owner) => {
            format!("the writer's token belongs to node {}, the slice's owner is {}", quoted(own), quoted(owner))
        }
        None => format!("the slice belongs to no node, the writer's token to node {}", quoted(own)),
    };
    let fault = Fault::at(path(), "", problem)
        .expected(format!("spec.nodeName {}, or an ownerReference to that node", quoted(own)))
        .mend("set spec.nodeName, or list the driver with writer: ClusterWide in the rollout");
    Some(if is_local { fault } else { fault.warn() })
}

fn path() -> Path {
    Path::fields(&["spec", "nodeName"])
}
