//! `ResourceClaim` and `ResourceClaimTemplate`, of every served version.

use super::decode::{Amount, Entries, Field, Items, Text, object};
use super::meta::Meta;
use super::path::Path;
use super::selector::NodeSelector;

/// The API server stores no more (`k8s.io/api resource/v1`, `AllocationResultsMaxSize`), and each is priced beside all others.
const MOST_RESULTS: usize = 32;

object! {
    /// A `ResourceClaim`.
    Claim {
        /// Such as `resource.k8s.io/v1`.
        api_version: Option<Text<'a>> = "apiVersion",
        /// Name, uid.
        meta: Option<Meta<'a>> = "metadata",
        /// What is asked for; it never changes.
        spec: Option<ClaimSpec<'a>> = "spec",
        /// What was given.
        status: Option<ClaimStatus<'a>> = "status",
    }
    known: ["kind"]
}

object! {
    /// A `ResourceClaimTemplate`.
    Template {
        /// Such as `resource.k8s.io/v1`.
        api_version: Option<Text<'a>> = "apiVersion",
        /// Name.
        meta: Option<Meta<'a>> = "metadata",
        /// The claim to be.
        spec: Option<TemplateSpec<'a>> = "spec",
    }
    known: ["kind"]
}

object! {
    /// `spec` of a template.
    TemplateSpec {
        /// The spec of the claims made from it.
        spec: Option<ClaimSpec<'a>> = "spec",
    }
    known: ["metadata"]
}

object! {
    /// `spec` of a claim.
    ClaimSpec {
        /// The requests.
        devices: Option<DeviceClaim<'a>> = "devices",
    }
    known: []
}

object! {
    /// `spec.devices` of a claim.
    DeviceClaim {
        /// One or more kinds of devices.
        requests: Items<Ask<'a>> = "requests",
        /// What the devices must have in common.
        constraints: Items<Constraint<'a>> = "constraints",
    }
    known: ["config"]
}

object! {
    /// One constraint over the devices of several requests.
    Constraint {
        /// The requests; all when empty.
        requests: Items<Text<'a>> = "requests",
        /// The attribute whose value must be the same.
        matches: Option<Text<'a>> = "matchAttribute",
    }
    known: ["distinctAttribute"]
}

object! {
    /// One request. v1beta1 writes its content flat, later versions under `exactly`.
    Ask {
        /// Its name in the claim.
        name: Option<Text<'a>> = "name",
        /// One kind of device.
        exactly: Option<Box<Ask<'a>>> = "exactly",
        /// Several kinds, of which the first that can be had is taken.
        first_available: Items<Ask<'a>> = "firstAvailable",
        /// How much of each device's capacity is asked for.
        capacity: Option<CapacityAsk<'a>> = "capacity",
    }
    known: ["deviceClassName", "selectors", "allocationMode", "count", "adminAccess", "tolerations", "derivedAttributes"]
}

object! {
    /// `capacity` of a request.
    CapacityAsk {
        /// Amounts by capacity.
        requests: Entries<'a, Amount<'a>> = "requests",
    }
    known: []
}

object! {
    /// `status` of a claim.
    ClaimStatus {
        /// The devices given, absent while none are.
        allocation: Option<Allocation<'a>> = "allocation",
        /// Who may use them.
        reserved_for: Items<Consumer<'a>> = "reservedFor",
    }
    known: ["devices", "deallocationRequested"]
}

object! {
    /// `status.allocation`.
    Allocation {
        /// The devices given.
        devices: Option<Results<'a>> = "devices",
        /// The nodes on which they can be used; any when absent.
        nodes: Option<NodeSelector<'a>> = "nodeSelector",
    }
    known: ["allocationTimestamp", "controller"]
}

object! {
    /// `status.allocation.devices`.
    Results {
        /// One entry for each device, or share of a device.
        results: Items<Outcome<'a>, MOST_RESULTS> = "results",
    }
    known: ["config"]
}

object! {
    /// One allocation result.
    Outcome {
        /// The request it answers: `name`, or `name/subrequest`.
        request: Option<Text<'a>> = "request",
        /// Driver, pool and device together name the device.
        driver: Option<Text<'a>> = "driver",
        /// See `driver`.
        pool: Option<Text<'a>> = "pool",
        /// See `driver`.
        device: Option<Text<'a>> = "device",
        /// Which share of a device that several claims use.
        share: Option<Text<'a>> = "shareID",
        /// What the share takes of each capacity.
        consumed: Field<Entries<'a, Amount<'a>>> = "consumedCapacity",
        /// True when it is used beside its owner.
        admin: Option<bool> = "adminAccess",
    }
    known: ["tolerations", "bindingConditions", "bindingFailureConditions", "bindsToNode"]
}

object! {
    /// One entry of `status.reservedFor`.
    Consumer {
        /// Such as `pods`.
        resource: Option<Text<'a>> = "resource",
        /// The user's name.
        name: Option<Text<'a>> = "name",
        /// The user's id.
        uid: Option<Text<'a>> = "uid",
        /// The group of `resource`; empty for pods.
        group: Option<Text<'a>> = "apiGroup",
    }
    known: []
}

/// What is asked of one kind of device, and where it stands in the claim.
#[derive(Debug)]
pub struct Wanted<'c> {
    /// Below the claim's spec.
    pub path: Path,
    /// The content.
    pub ask: &'c Ask<'c>,
}

impl<'a> ClaimSpec<'a> {
    /// Every kind of device asked for, alternatives included. `at` is where the spec stands.
    #[must_use]
    pub fn wanted(&'a self, at: &Path) -> Vec<Wanted<'a>> {
        let requests = self.devices.as_ref().map(|devices| &*devices.requests).unwrap_or_default();
        requests.iter().enumerate().flat_map(|(index, ask)| ask.wanted(at, index)).collect()
    }
}

impl<'a> Ask<'a> {
    fn wanted(&'a self, at: &Path, index: usize) -> Vec<Wanted<'a>> {
        let name = self.name.as_deref().unwrap_or_default();
        let path = at.clone().then(&["devices", "requests"]).named(index, name);
        if let Some(exactly) = self.exactly.as_deref() {
            return vec![Wanted { path: path.field("exactly"), ask: exactly }];
        }
        if self.first_available.is_empty() {
            return vec![Wanted { path, ask: self }];
        }
        let alternative = |(nth, ask): (usize, &'a Self)| {
            let path = path.clone().field("firstAvailable").named(nth, ask.name.as_deref().unwrap_or_default());
            Wanted { path, ask }
        };
        self.first_available.iter().enumerate().map(alternative).collect()
    }

    /// The amounts asked for.
    #[must_use]
    pub fn amounts(&self) -> &[(Text<'a>, Amount<'a>)] {
        self.capacity.as_ref().map(|capacity| &*capacity.requests).unwrap_or_default()
    }
}

impl<'a> Claim<'a> {
    /// The allocation results, none while nothing is allocated.
    #[must_use]
    pub fn results(&self) -> &[Outcome<'a>] {
        let allocation = self.status.as_ref().and_then(|status| status.allocation.as_ref());
        allocation
            .and_then(|allocation| allocation.devices.as_ref())
            .map(|devices| &*devices.results)
            .unwrap_or_default()
    }
}
