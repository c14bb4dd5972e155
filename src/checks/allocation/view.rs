//! What the rules of allocations get to see.

use std::collections::BTreeSet;

use crate::ledger::charge::{self, Charges};
use crate::ledger::excerpt::Scope;
use crate::ledger::object::{Claim, Consumer, Device, Given, Name, Pod, Selected, Slice};
use crate::ledger::price::{Price, Priced};
use crate::ledger::view::{Ref, Scene};
use crate::model::path::Path;
use crate::settings::Settings;

/// A claim before and after a write of its status, and the ledger beside it.
#[derive(Debug, Clone)]
pub struct AllocationView<'a> {
    /// As it would be stored.
    pub claim: &'a Claim,
    /// As it is stored.
    pub old: &'a Claim,
    /// The ledger.
    pub scene: Scene<'a>,
    /// What the operator decided.
    pub settings: &'a Settings,
    /// The results, each with its device.
    pub results: Vec<ResultView<'a>>,
}

/// One allocation result.
#[derive(Debug, Clone, Copy)]
pub struct ResultView<'a> {
    /// Its place in the list.
    pub index: usize,
    /// As written.
    pub given: &'a Given,
    /// The device as it is published now, and its slice.
    pub device: Option<(&'a Slice, &'a Device)>,
}

impl<'a> AllocationView<'a> {
    /// The view of one write.
    #[must_use]
    pub fn of(claim: &'a Claim, old: &'a Claim, scene: Scene<'a>, settings: &'a Settings) -> Self {
        let given = claim.given.as_deref().unwrap_or_default();
        let results = given.iter().enumerate().map(|(index, given)| {
            let device = scene.ledger.device(&given.key, &claim.selected);
            ResultView { index, given, device }
        });
        Self { claim, old, scene, settings, results: results.collect() }
    }

    /// True when the write allocates.
    #[must_use]
    pub const fn is_new(&self) -> bool {
        self.old.given.is_none() && self.claim.given.is_some()
    }

    /// True when a device takes from its node, or from the pods that use it.
    #[must_use]
    pub fn is_mapped(&self) -> bool {
        let devices = self.results.iter().filter_map(|result| result.device);
        devices.into_iter().any(|(_, device)| !device.mapped.is_empty())
    }

    /// The users that the write adds.
    pub fn added(&self) -> impl Iterator<Item = (usize, &'a Consumer)> {
        let old = self.old;
        let users = self.claim.reserved.iter().enumerate();
        users.filter(move |(_, user)| !old.reserved.iter().any(|known| known.uid == user.uid))
    }

    /// The pods that would use the claim.
    #[must_use]
    pub fn users(&self) -> Vec<&'a Pod> {
        self.scene.ledger.users(self.claim).collect()
    }

    /// What the allocation takes, under the mappings that are published now.
    #[must_use]
    pub fn charges(&self) -> Charges {
        let price =
            |result: &ResultView<'_>| result.device.map(|(slice, device)| Price::of(slice, device, self.scene.now));
        let priced = Priced { results: self.results.iter().map(price).collect() };
        charge::of(self.claim, &priced, &self.users())
    }

    /// The nodes that it touches: those of its devices, of its selector and of its pods.
    #[must_use]
    pub fn nodes(&self) -> BTreeSet<Name> {
        let devices = self.results.iter().filter_map(|result| result.device);
        let on = devices.filter_map(|(slice, device)| Price::of(slice, device, 0).node().cloned());
        let selected = match &self.claim.selected {
            Selected::Node(node) => Some(node.clone()),
            Selected::Any | Selected::Selector => None,
        };
        on.chain(selected).chain(self.users().into_iter().filter_map(|pod| pod.node.clone())).collect()
    }

    /// All that bears on it.
    #[must_use]
    pub fn scope(&self) -> Scope {
        let pools = self.results.iter().map(|result| result.given.key.pool.clone()).collect();
        Scope { pools, nodes: self.nodes(), claim: Some(self.claim.key.clone()), ..Scope::default() }
    }

    /// The path of a result.
    #[must_use]
    pub fn path(&self, result: &ResultView<'_>) -> Path {
        let results = Path::fields(&["status", "allocation", "devices", "results"]);
        results.named(result.index, &*result.given.request)
    }
}

impl ResultView<'_> {
    /// The device's pool, to be read again.
    #[must_use]
    pub fn pool(&self) -> Ref {
        Ref::Pool(self.given.key.pool.clone())
    }

    /// True when one claim has the device for itself.
    #[must_use]
    pub fn is_exclusive(&self) -> bool {
        !self.given.is_admin && self.device.map_or(self.given.share.is_none(), |(_, device)| !device.is_shared)
    }
}
