//! The charges of a world, counted by hand: from the last state of its objects and what its devices map, without the
//! ledger. Only for claims of which no pod's status says anything.

use std::collections::BTreeMap;

use draguard::ledger::object::{Claim, DeviceKey, Key, Kind, Name, Object, Place, Pod, Selected};
use draguard::ledger::state::Ledger;
use draguard::model::quantity::Quantity;

use super::world::{World, amount};

/// Node, device, share, resource, and the pod's uid for overhead.
type Line = (Name, DeviceKey, Option<Name>, Name, Option<Name>);

/// Claims by name, each with the amounts that it takes.
pub type Charges = BTreeMap<Key, BTreeMap<Line, Quantity>>;

/// What the claims of a world take at its end.
pub fn expected(world: &World) -> Charges {
    let end = world.history.len();
    let pods: Vec<Pod> = world.objects(Kind::Pod, end).into_iter().filter_map(pod).collect();
    let claims = world.objects(Kind::Claim, end).into_iter().filter_map(claim);
    let charged = claims.filter_map(|claim| {
        let users: Vec<&Pod> = pods.iter().filter(|pod| uses(pod, &claim)).collect();
        let is_listed = users.iter().any(|pod| pod.listed.iter().any(|entry| *entry.claim == *claim.key.name));
        (!is_listed).then(|| (claim.key.clone(), charges(world, &claim, &users)))
    });
    charged.collect()
}

/// What the ledger says of the same claims.
pub fn found(ledger: &Ledger, claims: impl Iterator<Item = Key>) -> Charges {
    let mut charges: Charges = claims.map(|claim| (claim, BTreeMap::new())).collect();
    for (node, account) in ledger.accounts() {
        for (entry, line) in account.contributions() {
            if let Some(charges) = charges.get_mut(&entry.claim) {
                let device = entry.device.clone().unwrap();
                let key = (node.clone(), device, entry.share.clone(), entry.resource.clone(), entry.pod.clone());
                charges.insert(key, line.amount);
            }
        }
    }
    charges
}

fn charges(world: &World, claim: &Claim, users: &[&Pod]) -> BTreeMap<Line, Quantity> {
    let mut lines = BTreeMap::new();
    let mut put = |node: &Name, given: &draguard::ledger::object::Given, resource: &Name, pod, amount: Quantity| {
        if amount.signum() > 0 {
            let line = (node.clone(), given.key.clone(), given.share.clone(), resource.clone(), pod);
            lines.entry(line).or_insert(amount);
        }
    };
    for given in claim.given.iter().flatten() {
        let (pool, device) = world.layout.find(claim, given).unwrap();
        let place = pool.place_of(device);
        for mapped in &device.mapped {
            if let Some(amount) = amount(mapped.rate.as_ref(), given) {
                nodes(place, claim, users).iter().for_each(|node| put(node, given, &mapped.resource, None, amount));
            }
            for user in users {
                let node = user.node.as_ref().or(match place {
                    Place::Node(node) => Some(node),
                    Place::Many => None,
                });
                let referring = user.claims.iter().filter(|used| used.claim.as_ref() == Some(&claim.key.name));
                let containers: u32 = referring.map(|used| used.containers).sum();
                let each = mapped.per_container.unwrap_or(Quantity::whole(0));
                let each = each.checked_mul(&Quantity::whole(i64::from(containers))).unwrap();
                let on_top = mapped.per_pod.unwrap_or(Quantity::whole(0)).checked_add(&each).unwrap();
                if let Some(node) = node {
                    put(node, given, &mapped.resource, Some(user.stamp.uid.clone()), on_top);
                }
            }
        }
    }
    lines
}

fn nodes(place: &Place, claim: &Claim, users: &[&Pod]) -> Vec<Name> {
    if let Place::Node(node) = place {
        return vec![node.clone()];
    }
    let bound: Vec<Name> = users.iter().filter_map(|user| user.node.clone()).collect();
    match &claim.selected {
        Selected::Node(node) if bound.is_empty() => vec![node.clone()],
        _ => bound,
    }
}

fn uses(pod: &Pod, claim: &Claim) -> bool {
    let is_named = pod.claims.iter().any(|used| used.claim.as_ref() == Some(&claim.key.name));
    let is_served = claim.reserved.iter().any(|consumer| match consumer.is_pod {
        true => consumer.uid == pod.stamp.uid,
        false => pod.node.is_some(),
    });
    is_named && is_served && !pod.needs.is_terminal
}

fn pod(object: Object) -> Option<Pod> {
    if let Object::Pod(pod) = object { Some(pod) } else { None }
}

fn claim(object: Object) -> Option<Claim> {
    if let Object::Claim(claim) = object { Some(claim) } else { None }
}
