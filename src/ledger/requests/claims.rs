//! What the claims of a pod take: its node-allocatable list, whatever release wrote it.

use litemap::LiteMap;
use serde::{Deserialize, Serialize};

use super::amounts::{Amounts, plus, written};
use crate::model::decode::{Amount, Text};
use crate::model::pod::Pod;
use crate::model::quantity::Quantity;
use crate::model::resource::Kind;
use crate::model::status_list::Entry;

/// One entry of the list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ChargedClaim {
    /// The claim's name.
    pub claim: String,
    /// How many containers refer to it.
    pub containers: usize,
    /// What it takes, by resource; only node-allocatable ones.
    #[serde(serialize_with = "written")]
    pub charges: LiteMap<String, Charge>,
}

/// What a claim takes of one resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Charge {
    /// What its devices map; in v1.36 all there is.
    pub mapping: Quantity,
    /// Overhead, once.
    pub per_pod: Quantity,
    /// Overhead, for each container that refers to the claim.
    pub per_container: Quantity,
}

impl Default for Charge {
    fn default() -> Self {
        let none = Quantity::whole(0);
        Self { mapping: none, per_pod: none, per_container: none }
    }
}

impl Charge {
    /// What it comes to when so many containers refer to the claim.
    #[must_use]
    pub fn total(&self, containers: usize) -> Quantity {
        let count = Quantity::whole(i64::try_from(containers).unwrap_or(i64::MAX));
        let each = self.per_container.checked_mul(&count).unwrap_or(self.per_container);
        plus(plus(self.mapping, self.per_pod), each)
    }
}

/// What all claims of the list take. Containers that have ended, or not begun, count too
/// (`component-helpers@0.37.2 resource/helpers.go:547`).
#[must_use]
pub fn claims_total(charged: &[ChargedClaim]) -> Amounts {
    let mut sum = Amounts::new();
    for claim in charged {
        for (resource, charge) in &claim.charges {
            let before = sum.entry(resource.clone()).or_insert(Quantity::whole(0));
            *before = plus(*before, charge.total(claim.containers));
        }
    }
    sum
}

/// The pod's list.
#[must_use]
pub fn charged_claims(pod: &Pod<'_>) -> Vec<ChargedClaim> {
    pod.status_lists().flat_map(|list| list.entries).map(ChargedClaim::from).collect()
}

impl From<&Entry<'_>> for ChargedClaim {
    fn from(entry: &Entry<'_>) -> Self {
        let mut claim = Self { claim: entry.claim().to_owned(), containers: entry.containers.len(), ..Self::default() };
        for (name, amount) in entry.resources.get().map(|map| &**map).unwrap_or_default() {
            claim.charge(Some(name), |charge| &mut charge.mapping, Some(amount));
        }
        for one in entry.mapping.get().map(|list| &**list).unwrap_or_default() {
            claim.charge(one.name.as_ref(), |charge| &mut charge.mapping, one.quantity.as_ref());
        }
        for one in entry.overhead.get().map(|list| &**list).unwrap_or_default() {
            claim.charge(one.name.as_ref(), |charge| &mut charge.per_pod, one.per_pod.as_ref());
            claim.charge(one.name.as_ref(), |charge| &mut charge.per_container, one.per_container.as_ref());
        }
        claim
    }
}

impl ChargedClaim {
    /// Adds to what stands there: v1.36 and v1.37 count a resource as often as it is written.
    fn charge(&mut self, name: Option<&Text<'_>>, part: fn(&mut Charge) -> &mut Quantity, amount: Option<&Amount<'_>>) {
        let Some(name) = name.filter(|name| Kind::of(name).is_some()) else { return };
        let Some(amount) = amount.and_then(Amount::quantity) else { return };
        let part = part(self.charges.entry((**name).to_owned()).or_default());
        *part = plus(*part, amount);
    }
}
