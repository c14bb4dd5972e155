//! DG311: one amount asked for in the claim and again in the container.

use super::super::POD;
use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use crate::ledger::inventory::{ClaimFacts, ContainerFacts, Inventory, PodFacts};
use crate::model::path::Path;
use crate::model::quantity::Quantity;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG311",
        kinds: POD,
        phase: Phase::Together,
        effect: Effect::Warn,
        fixed: false,
        title: "a container asks again for what its claim already takes",
        detail: "Claims add to requests: cpu 4 in the claim and cpu 4 in the container are 8 on the node. Before the feature, pods \
                 had to ask twice; once the mapping is published, the container's request is usually to go. Speaks of files, \
                 where the claim and the slices lie beside the pod.",
    },
    checks: &[Check::Pods(check)],
};

fn check(pod: &PodFacts, inventory: &Inventory, faults: &mut Faults) {
    for container in &pod.containers {
        let claims = container.claims.iter().filter_map(|name| inventory.claim_of(pod, name));
        let claims: Vec<&ClaimFacts> = claims.collect();
        for (resource, asked) in &container.requests {
            if claims.iter().any(|claim| takes(claim, resource, asked, inventory)) {
                faults.push(twice(container, resource, asked));
            }
        }
    }
}

/// True when the claim alone comes to this amount of the resource.
fn takes(claim: &ClaimFacts, resource: &str, asked: &Quantity, inventory: &Inventory) -> bool {
    inventory.footprints(claim, resource).iter().any(|footprint| footprint == asked && footprint.signum() > 0)
}

fn twice(container: &ContainerFacts, resource: &str, asked: &Quantity) -> Fault {
    let path = Path::fields(&["spec"]).field(container.field).named(container.index, &*container.name);
    let path = path.then(&["resources", "requests"]).entry(resource);
    Fault::at(
        path,
        asked.to_string(),
        format!("{resource} requested twice: {asked} by the claim and {asked} by the container"),
    )
    .expected("each amount once; the node counts both")
    .mend(format!("remove {resource} from the container's requests, unless it needs both"))
}
