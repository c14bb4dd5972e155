//! What a pod takes of its node, as the scheduler counts it for pods that are there (`kubernetes@1.37.2
//! pkg/scheduler/framework/types.go:1376`, with the gates that both releases have on and
//! `DRANodeAllocatableResources`).
//!
//! The amounts are exact. The scheduler goes on with whole units of them, rounded up ([`Kind::counted`]).
//!
//! [`Kind::counted`]: crate::model::resource::Kind::counted

mod amounts;
mod claims;
mod life;
mod needs;
mod v136;
mod v137;

pub use amounts::{Amounts, compact, written};
pub use claims::{Charge, ChargedClaim, charged_claims, claims_total};
pub use needs::{ContainerGiven, ContainerNeeds, Given, PodNeeds, Role};

use crate::model::quantity::Quantity;
use crate::model::version::Version;

/// What a pod requests of its node, its claims included. Without a list it is what the scheduler counts while the gate is
/// off. A pod that has ended requests nothing.
#[must_use]
pub fn pod_requests(needs: &PodNeeds, charged: &[ChargedClaim], version: Version) -> Amounts {
    if needs.is_terminal {
        return Amounts::new();
    }
    let claims = claims_total(charged);
    match version {
        Version::V136 => v136::requests(needs, &claims),
        Version::V137 => v137::requests(needs, &needs.given, &claims),
    }
}

/// What the pod would request if it had no claims: what is missing to [`pod_requests`] is what its claims add.
///
/// Leaving the list out is not enough in v1.37, whose kubelet adds the claims to the sums in the pod's status: they are
/// taken off there.
#[must_use]
pub fn pod_requests_without_claims(needs: &PodNeeds, charged: &[ChargedClaim], version: Version) -> Amounts {
    match version {
        _ if needs.is_terminal => Amounts::new(),
        Version::V136 => v136::requests(needs, &Amounts::new()),
        Version::V137 => v137::requests(needs, &given_without(needs, &claims_total(charged)), &Amounts::new()),
    }
}

/// A resource that the pod asks for as a whole has no claims in its sums.
fn given_without(needs: &PodNeeds, claims: &Amounts) -> Given {
    let mut given = needs.given.clone();
    for (resource, taken) in claims.iter().filter(|(resource, _)| !needs.pod_level.contains_key(*resource)) {
        for sums in given.allocated.iter_mut().chain(&mut given.actuated) {
            if let Some(sum) = sums.get_mut(resource) {
                *sum = less(*sum, *taken);
            }
        }
    }
    given
}

fn less(sum: Quantity, taken: Quantity) -> Quantity {
    sum.checked_sub(&taken).unwrap_or(sum).max(Quantity::whole(0))
}
