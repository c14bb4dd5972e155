//! The rules of v1.37 (`component-helpers@0.37.2 resource/helpers.go:153`).

use std::borrow::Cow;

use super::amounts::{Amounts, add, largest, raise};
use super::life::peak;
use super::needs::{ContainerNeeds, Given, PodNeeds, is_pod_level};

/// What a pod requests when its claims take `claims` and it was given `given`.
pub(super) fn requests(needs: &PodNeeds, given: &Given, claims: &Amounts) -> Amounts {
    let mut sum = containers(needs, given, claims);
    sum.extend(whole(needs, given).into_iter().filter(|(resource, _)| is_pod_level(resource)));
    add(&mut sum, &needs.overhead);
    sum
}

fn containers(needs: &PodNeeds, given: &Given, claims: &Amounts) -> Amounts {
    let mut most = given_to_all(needs, given, claims);
    if !needs.is_resize_infeasible {
        let mut asked = peak(needs, |container| Cow::Borrowed(&container.requests));
        add(&mut asked, claims);
        raise(&mut most, &asked);
    }
    most
}

/// What the containers were given together. The sums that the kubelet writes hold what the claims take; its amounts by
/// container do not.
fn given_to_all(needs: &PodNeeds, given: &Given, claims: &Amounts) -> Amounts {
    if let (Some(allocated), Some(actuated)) = (&given.allocated, &given.actuated) {
        return largest(allocated.clone(), [actuated]);
    }
    let mut allocated = peak(needs, |container| given_to(needs, container, set_aside));
    add(&mut allocated, claims);
    largest(allocated, [&peak(needs, |container| given_to(needs, container, runs_with))])
}

fn given_to<'n>(
    needs: &'n PodNeeds,
    container: &'n ContainerNeeds,
    amounts: fn(&Given) -> Option<&Amounts>,
) -> Cow<'n, Amounts> {
    let status = needs.statuses.iter().find(|status| status.name == container.name);
    match status.and_then(|status| amounts(&status.given)) {
        Some(amounts) => Cow::Borrowed(amounts),
        None if needs.is_resize_infeasible => Cow::Owned(Amounts::new()),
        None => Cow::Borrowed(&container.requests),
    }
}

fn set_aside(given: &Given) -> Option<&Amounts> {
    given.allocated.as_ref()
}

fn runs_with(given: &Given) -> Option<&Amounts> {
    given.actuated.as_ref().or(given.allocated.as_ref())
}

/// What counts in place of the containers where the pod asks as a whole. Once it asks so for one resource, what it was
/// given of every other such resource counts too.
fn whole(needs: &PodNeeds, given: &Given) -> Amounts {
    if needs.pod_level.is_empty() || !given.has_resources {
        return needs.pod_level.clone();
    }
    let asked = if needs.is_resize_infeasible { Amounts::new() } else { needs.pod_level.clone() };
    largest(asked, given.actuated.iter().chain(&given.allocated))
}
