//! The objects of a world as they are now, and what each thing done does to them.

use std::collections::BTreeMap;

use draguard::ledger::object::{
    Claim, Consumer, Device, DeviceKey, Given, Key, Kind, Name, Node, Object, Place, Pod, PodClaim, Rate, Selected,
    Slice, Traits,
};
use draguard::ledger::requests::{Amounts, Charge, ChargedClaim, ContainerNeeds, PodNeeds, Role};
use draguard::model::quantity::Quantity;

use super::layout::{self, DeviceSpec, PoolSpec, quantity};
use super::{Building, Op};

/// What is there.
#[derive(Default)]
pub struct Live {
    nodes: BTreeMap<Key, Name>,
    slices: BTreeMap<Key, Name>,
    generations: BTreeMap<usize, i64>,
    claims: BTreeMap<usize, Claim>,
    pods: BTreeMap<usize, Pod>,
}

impl Building {
    pub fn act(&mut self, op: &Op) {
        match op {
            Op::Node { node, is_ready } => self.node(*node, *is_ready),
            Op::NodeGone { node } => self.node_gone(*node),
            Op::Publish { pool, left_out, is_raised } => self.publish(*pool, *left_out, *is_raised),
            Op::Wipe { pool, slice } => self.wipe(*pool, *slice),
            Op::Claim { claim } => self.create_claim(*claim),
            Op::Allocate { claim, choices } => self.allocate(*claim, choices),
            Op::Deallocate { claim } => self.change_claim(*claim, |claim| {
                (claim.given, claim.selected) = (None, Selected::Any);
                claim.reserved.clear();
            }),
            Op::Reserve { claim, pod, is_group } => self.reserve(*claim, *pod, *is_group),
            Op::Release { claim } => self.change_claim(*claim, |claim| drop(claim.reserved.pop())),
            Op::Leave { claim } => self.change_claim(*claim, |claim| claim.is_leaving = true),
            Op::DeleteClaim { claim } => self.delete_claim(*claim),
            Op::Pod { pod, claims, asks } => self.create_pod(*pod, claims, *asks),
            Op::Bind { pod, elsewhere } => self.bind(*pod, *elsewhere),
            Op::List { pod, is_old, more } => self.list(*pod, *is_old, *more),
            Op::Unlist { pod, is_emptied } => self.change_pod(*pod, |pod| {
                let entries = pod.listed.iter_mut();
                entries.for_each(|entry| entry.charges.clear());
                if !is_emptied {
                    pod.listed.clear();
                }
            }),
            Op::Touch { pod } => self.change_pod(*pod, |_| {}),
            Op::Resize { pod, asks } => self.change_pod(*pod, |pod| pod.needs = needs(*asks)),
            Op::Finish { pod } => self.change_pod(*pod, |pod| pod.needs.is_terminal = true),
            Op::DeletePod { pod } => self.delete_pod(*pod),
        }
    }

    /// Publishes every pool in full.
    pub fn settle(&mut self) {
        for pool in 0..self.layout.pools.len() {
            self.publish(pool, 0, true);
        }
    }

    fn node(&mut self, nth: usize, is_ready: bool) {
        let key = Key::cluster(&layout::node(nth));
        let uid = self.live.nodes.get(&key).cloned().unwrap_or_else(|| self.uid("node"));
        self.live.nodes.insert(key.clone(), uid.clone());
        let allocatable = [("cpu".into(), quantity("16")), ("memory".into(), quantity("64Gi"))].into_iter().collect();
        let stamp = self.stamp(&uid);
        let node = Node { key, stamp, is_ready, allocatable, declared: None, labels: BTreeMap::new() };
        self.apply(Object::Node(node));
    }

    fn node_gone(&mut self, nth: usize) {
        let key = Key::cluster(&layout::node(nth));
        if let Some(uid) = self.live.nodes.remove(&key) {
            self.delete(Kind::Node, key, &uid);
        }
    }

    fn publish(&mut self, nth: usize, left_out: u8, is_raised: bool) {
        let pool = self.layout.pools[nth].clone();
        let generation = self.live.generations.entry(nth).or_insert(1);
        *generation += i64::from(is_raised);
        let generation = *generation;
        for slice in 0..pool.slices {
            let key = slice_key(nth, slice);
            let uid = self.live.slices.get(&key).cloned().unwrap_or_else(|| self.uid("slice"));
            self.live.slices.insert(key.clone(), uid.clone());
            let mine = pool.devices.iter().enumerate().filter(|(device, _)| device % pool.slices == slice);
            let devices =
                mine.filter(|(device, _)| left_out >> device & 1 == 0).map(|(_, spec)| device(spec)).collect();
            let slice = Slice {
                key,
                stamp: self.stamp(&uid),
                pool: pool.key.clone(),
                generation: Some(generation),
                count: Some(pool.slices as i64),
                place: pool.place.clone(),
                faults: Vec::new(),
                devices,
                counters: Vec::new(),
            };
            self.apply(Object::Slice(slice));
        }
    }

    fn wipe(&mut self, pool: usize, slice: usize) {
        let key = slice_key(pool, slice);
        if let Some(uid) = self.live.slices.remove(&key) {
            self.delete(Kind::Slice, key, &uid);
        }
    }

    fn create_claim(&mut self, nth: usize) {
        if self.live.claims.contains_key(&nth) {
            return;
        }
        let claim = Claim {
            key: claim_key(nth),
            stamp: self.stamp(&self.uid("claim")),
            is_leaving: false,
            given: None,
            selected: Selected::Any,
            reserved: Vec::new(),
            constraints: Vec::new(),
        };
        self.live.claims.insert(nth, claim.clone());
        self.apply(Object::Claim(claim));
    }

    /// As the scheduler does it: all devices can be used from one node. That one is taken twice is not prevented.
    fn allocate(&mut self, nth: usize, choices: &[(usize, usize, u8, u8)]) {
        if self.live.claims.get(&nth).is_none_or(|claim| claim.given.is_some()) {
            return;
        }
        let (mut given, mut node) = (Vec::new(), None);
        for (pool, device, share, amount) in choices {
            let spec = &self.layout.pools[*pool];
            let device = &spec.devices[device % spec.devices.len()];
            if let Place::Node(own) = spec.place_of(device)
                && node.get_or_insert(own) != &own
            {
                continue;
            }
            given.push(one_given(spec, device, *share, *amount));
        }
        let selected = node.cloned().map_or(Selected::Any, Selected::Node);
        self.change_claim(nth, |claim| (claim.given, claim.selected) = (Some(given), selected));
    }

    fn reserve(&mut self, nth: usize, pod: usize, is_group: bool) {
        let Some(pod) = self.live.pods.get(&pod) else { return };
        let consumer = match is_group {
            true => Consumer { is_pod: false, name: "group".into(), uid: "group".into() },
            false => Consumer { is_pod: true, name: pod.key.name.clone(), uid: pod.stamp.uid.clone() },
        };
        if self.live.claims.get(&nth).is_some_and(|claim| claim.given.is_some() && !claim.reserved.contains(&consumer))
        {
            self.change_claim(nth, |claim| claim.reserved.push(consumer));
        }
    }

    fn change_claim(&mut self, nth: usize, change: impl FnOnce(&mut Claim)) {
        let version = self.version();
        let Some(claim) = self.live.claims.get_mut(&nth) else { return };
        change(claim);
        claim.stamp.version = version;
        let claim = claim.clone();
        self.apply(Object::Claim(claim));
    }

    fn delete_claim(&mut self, nth: usize) {
        if let Some(claim) = self.live.claims.remove(&nth) {
            self.delete(Kind::Claim, claim.key, &claim.stamp.uid);
        }
    }

    fn create_pod(&mut self, nth: usize, claims: &[(usize, u32)], asks: u8) {
        if self.live.pods.contains_key(&nth) {
            return;
        }
        let uses = |(nth, containers): &(usize, u32)| PodClaim {
            name: format!("use-{nth}").into(),
            claim: Some(claim_key(*nth).name),
            containers: *containers,
        };
        let pod = Pod {
            key: Key::new("default", &format!("pod-{nth}")),
            stamp: self.stamp(&self.uid("pod")),
            node: None,
            claims: claims.iter().map(uses).collect(),
            listed: Vec::new(),
            needs: needs(asks),
        };
        self.live.pods.insert(nth, pod.clone());
        self.apply(Object::Pod(pod));
    }

    fn bind(&mut self, nth: usize, elsewhere: Option<usize>) {
        let Some(pod) = self.live.pods.get(&nth).filter(|pod| pod.node.is_none()) else { return };
        let claims = pod.claims.iter().filter_map(|used| self.claim_of(used));
        let node = claims.into_iter().find_map(|claim| match &claim.selected {
            Selected::Node(node) => Some(node.clone()),
            _ => None,
        });
        let node = elsewhere.map(layout::node).or(node).unwrap_or_else(|| layout::node(nth));
        self.change_pod(nth, |pod| pod.node = Some(node));
    }

    fn claim_of(&self, used: &PodClaim) -> Option<&Claim> {
        self.live.claims.values().find(|claim| Some(&claim.key.name) == used.claim.as_ref())
    }

    /// The amounts that the scheduler writes, in the shape of either release.
    fn list(&mut self, nth: usize, is_old: bool, more: u8) {
        let Some(pod) = self.live.pods.get(&nth) else { return };
        let mut listed = Vec::new();
        for used in &pod.claims {
            let Some(claim) = self.claim_of(used) else { continue };
            let mut entry = ChargedClaim {
                claim: claim.key.name.to_string(),
                containers: used.containers as usize,
                ..ChargedClaim::default()
            };
            for given in claim.given.iter().flatten() {
                self.layout.list(claim, given, is_old, &mut entry);
            }
            for (_, charge) in &mut entry.charges {
                charge.mapping = charge.mapping.checked_add(&Quantity::whole(i64::from(more))).unwrap();
            }
            listed.push(entry);
        }
        self.change_pod(nth, |pod| pod.listed = listed);
    }

    fn change_pod(&mut self, nth: usize, change: impl FnOnce(&mut Pod)) {
        let version = self.version();
        let Some(pod) = self.live.pods.get_mut(&nth) else { return };
        change(pod);
        pod.stamp.version = version;
        let pod = pod.clone();
        self.apply(Object::Pod(pod));
    }

    fn delete_pod(&mut self, nth: usize) {
        if let Some(pod) = self.live.pods.remove(&nth) {
            self.delete(Kind::Pod, pod.key, &pod.stamp.uid);
        }
    }
}

impl layout::Layout {
    /// The pool and device that an allocation means.
    pub fn find(&self, claim: &Claim, given: &Given) -> Option<(&PoolSpec, &DeviceSpec)> {
        let pools = self.pools.iter().filter(|pool| pool.key == given.key.pool);
        let found =
            pools.filter_map(|pool| Some((pool, pool.devices.iter().find(|one| one.name == given.key.device)?)));
        found.into_iter().find(|(pool, device)| match (pool.place_of(device), &claim.selected) {
            (Place::Node(own), Selected::Node(node)) => own == node,
            _ => true,
        })
    }

    fn list(&self, claim: &Claim, given: &Given, is_old: bool, entry: &mut ChargedClaim) {
        let Some((_, device)) = self.find(claim, given) else { return };
        for mapped in &device.mapped {
            let charge: &mut Charge = entry.charges.entry(mapped.resource.to_string()).or_default();
            let parts = [
                (&mut charge.mapping, amount(mapped.rate.as_ref(), given)),
                (&mut charge.per_pod, mapped.per_pod.filter(|_| !is_old)),
                (&mut charge.per_container, mapped.per_container.filter(|_| !is_old)),
            ];
            for (part, amount) in parts {
                *part = amount.and_then(|amount| part.checked_add(&amount)).unwrap_or(*part);
            }
        }
    }
}

/// What a device takes, after the text of the feature: a fixed amount, or what is consumed times a factor.
pub fn amount(rate: Option<&Rate>, given: &Given) -> Option<Quantity> {
    match rate? {
        Rate::Device(amount) => Some(*amount),
        Rate::Capacity { key, factor } => {
            let (_, consumed) = given.consumed.as_ref()?.iter().find(|(name, _)| name == key)?;
            consumed.checked_mul(factor)
        }
    }
}

fn one_given(pool: &PoolSpec, device: &DeviceSpec, share: u8, amount: u8) -> Given {
    let capacities = ["a", "b", "c"].into_iter().take(usize::from(amount % 4));
    let consumed = capacities.map(|name| (name.into(), Quantity::whole(i64::from(amount)))).collect();
    Given {
        request: "request".into(),
        key: DeviceKey { pool: pool.key.clone(), device: device.name.clone() },
        share: device.is_shared.then(|| format!("share-{}", share % 8).into()),
        is_admin: share % 16 == 15,
        consumed: (!amount.is_multiple_of(16)).then_some(consumed),
    }
}

fn device(spec: &DeviceSpec) -> Device {
    let traits = Traits {
        place: spec.place.clone(),
        zone: spec.zone,
        is_shared: spec.is_shared,
        mapped: spec.mapped.clone().into(),
        capacity: Vec::new().into(),
        consumes: Vec::new(),
        attributes: Vec::new(),
    };
    Device { name: spec.name.clone(), traits: traits.into() }
}

/// What a pod asks for: a container, sometimes an init container, sometimes something as a whole, sometimes overhead.
fn needs(asks: u8) -> PodNeeds {
    let cpu = |amount: u8| Amounts::from_iter([("cpu".to_owned(), Quantity::whole(i64::from(amount)))]);
    let container = |name: &str, role, amount| ContainerNeeds { name: name.to_owned(), role, requests: cpu(amount) };
    let mut needs = PodNeeds { containers: vec![container("main", Role::Main, asks % 4)], ..PodNeeds::default() };
    if asks & 4 != 0 {
        needs.containers.push(container("init", Role::Init, asks % 8));
    }
    if asks & 0b1_1000 == 0b1000 {
        needs.pod_level = cpu(asks % 32);
    }
    if asks & 32 != 0 {
        needs.overhead = cpu(1);
    }
    if asks & 0b1100_0000 == 0b100_0000 {
        needs.given.has_resources = true;
        (needs.given.allocated, needs.given.actuated) = (Some(cpu(asks % 64)), Some(cpu(asks % 16)));
    }
    needs
}

fn slice_key(pool: usize, slice: usize) -> Key {
    Key::cluster(&format!("pool-{pool}-{slice}"))
}

pub fn claim_key(nth: usize) -> Key {
    Key::new("default", &format!("claim-{nth}"))
}
