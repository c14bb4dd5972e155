//! What the scheduler counts on each node, as it writes it into its log when it is asked with a signal
//! (`kubernetes@1.37.2 pkg/scheduler/backend/cache/debugger/dumper.go`, the same in 1.36.3).

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::{Process, wait_for};

const SOON: Duration = Duration::from_mins(1);
const BEGIN: &str = "\"Dump of cached NodeInfo\"";
const END: &str = "\"Dump of scheduling queue\"";

/// A node in the scheduler's cache.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CachedNode {
    /// Its name.
    pub name: String,
    /// What all of its pods request, by resource: cpu in thousandths, the rest in bytes. No zeros.
    pub requested: BTreeMap<String, i64>,
    /// The uids of its pods, those that are only assumed included.
    pub pods: BTreeSet<String>,
}

/// Asks for the cache, and waits for the answer.
pub(crate) fn cached_nodes(scheduler: &Process) -> Vec<CachedNode> {
    let before = scheduler.log().len();
    scheduler.signal("USR2");
    wait_for("the scheduler's cache in its log", SOON, || {
        let log = scheduler.log();
        let new = log.get(before..).unwrap_or_default();
        let dump = new.split_once(BEGIN).and_then(|(_, rest)| rest.split_once(END));
        dump.map(|(dump, _)| read(dump)).ok_or_else(|| "nothing yet".to_owned())
    })
}

fn read(dump: &str) -> Vec<CachedNode> {
    let mut nodes: Vec<CachedNode> = Vec::new();
    for line in dump.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix("Node name: ") {
            nodes.push(CachedNode { name: name.to_owned(), ..CachedNode::default() });
        }
        let Some(node) = nodes.last_mut() else { continue };
        if let Some(resources) = line.strip_prefix("Requested Resources: ") {
            node.requested = amounts(resources);
        }
        if let Some((_, rest)) = line.split_once(", uid: ") {
            node.pods.extend(rest.split(',').next().map(str::to_owned));
        }
    }
    nodes
}

/// `&{MilliCPU:1500 Memory:0 EphemeralStorage:0 AllowedPodNumber:0 ScalarResources:map[hugepages-2Mi:4194304]}`
fn amounts(resources: &str) -> BTreeMap<String, i64> {
    let plain = resources.replace("ScalarResources:map[", " ").replace(['&', '{', '}', ']'], " ");
    let pairs = plain.split_whitespace().filter_map(|pair| pair.rsplit_once(':'));
    let amounts = pairs.map(|(name, amount)| (resource(name), amount.parse().expect("an amount")));
    amounts.filter(|(name, amount)| name != "AllowedPodNumber" && *amount != 0).collect()
}

fn resource(field: &str) -> String {
    match field {
        "MilliCPU" => "cpu",
        "Memory" => "memory",
        "EphemeralStorage" => "ephemeral-storage",
        other => other,
    }
    .to_owned()
}
