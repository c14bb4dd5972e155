//! The rules of v1.36 (`component-helpers@0.36.3 resource/helpers.go:151`).

use std::borrow::Cow;

use super::amounts::{Amounts, add, largest};
use super::life::peak;
use super::needs::{ContainerNeeds, Given, PodNeeds, Role};
use crate::model::quantity::Quantity;

/// What a pod requests when its claims take `claims`.
pub(super) fn requests(needs: &PodNeeds, claims: &Amounts) -> Amounts {
    let mut sum = peak(needs, |container| effective(needs, container));
    add(&mut sum, claims);
    for (resource, asked) in &needs.pod_level {
        sum.insert(resource.clone(), whole(needs, resource, *asked));
    }
    add(&mut sum, &needs.overhead);
    sum
}

/// The most of what a container asks for, was set aside and runs with. An init container that ends counts as asked.
fn effective<'n>(needs: &'n PodNeeds, container: &'n ContainerNeeds) -> Cow<'n, Amounts> {
    let status = needs.statuses.iter().rev().find(|status| status.name == container.name);
    match status.map(|status| &status.given).filter(|given| given.has_resources) {
        Some(given) if container.role != Role::Init => Cow::Owned(most(needs, &container.requests, given)),
        _ => Cow::Borrowed(&container.requests),
    }
}

/// What counts in place of the containers where the pod asks as a whole.
fn whole(needs: &PodNeeds, resource: &str, asked: Quantity) -> Quantity {
    if !needs.given.has_resources {
        return asked;
    }
    let most = most(needs, &needs.pod_level, &needs.given);
    most.get(resource).copied().unwrap_or(Quantity::whole(0))
}

fn most(needs: &PodNeeds, asked: &Amounts, given: &Given) -> Amounts {
    let asked = if needs.is_resize_infeasible { Amounts::new() } else { asked.clone() };
    largest(asked, given.actuated.iter().chain(&given.allocated))
}
