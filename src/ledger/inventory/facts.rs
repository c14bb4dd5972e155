//! What each object contributes: owned, and small next to its text.

use std::collections::BTreeMap;

use crate::ledger::object::PoolKey;
use crate::model::quantity::Quantity;
use crate::model::shape::SliceShape;

/// What one object contributes.
#[derive(Debug, Clone)]
pub enum Facts {
    /// A `ResourceSlice`.
    Slice(SliceFacts),
    /// A `ResourceClaim`, or the claim to be of a `ResourceClaimTemplate`.
    Claim(ClaimFacts),
    /// A `Pod` that uses claims.
    Pod(PodFacts),
    /// A `Node`.
    Node(NodeFacts),
    /// A `ClusterRole` that grants `resourceclaims/binding` by name: its name.
    Binder(String),
    /// A `RoleBinding` of a `ClusterRole`.
    Bound(BoundFacts),
    /// A `ClusterRoleBinding`: the name of its role.
    BoundEverywhere(String),
}

/// A `ClusterRole` that is bound in one namespace.
#[derive(Debug, Clone)]
pub struct BoundFacts {
    /// Which document it came from; set when it is added.
    pub origin: usize,
    /// The role's name.
    pub role: String,
}

/// A slice, for the rules that compare it with others.
#[derive(Debug, Clone, Default)]
pub struct SliceFacts {
    /// Which document or object it came from; set when it is added.
    pub origin: usize,
    /// The object's name, or the prefix of a generated one.
    pub name: String,
    /// True when the name is the object's own, and so tells it from others.
    pub is_named: bool,
    /// The publisher; with `pool` it names the pool.
    pub driver: String,
    /// The pool's name.
    pub pool: String,
    /// The pool's generation, when it is a whole number.
    pub generation: Option<i64>,
    /// How many slices the pool is said to have.
    pub count: Option<i64>,
    /// The node it belongs to.
    pub node: Option<String>,
    /// True when it was ever stored: a mix of generations may then be a moment of an update.
    pub is_stored: bool,
    /// For how long it has been seen with its generation, in milliseconds, where it is watched.
    pub age: Option<i64>,
    /// The devices.
    pub devices: Vec<DeviceFacts>,
}

impl SliceFacts {
    /// The pool it is part of.
    #[must_use]
    pub fn pool_key(&self) -> PoolKey {
        PoolKey { driver: self.driver.as_str().into(), pool: self.pool.as_str().into() }
    }
}

/// A device of a slice.
#[derive(Debug, Clone)]
pub struct DeviceFacts {
    /// The name, unique in the pool.
    pub name: String,
    /// True when it draws on counters that other devices draw on too.
    pub shares_counters: bool,
    /// What it maps.
    pub mapped: Vec<MappedFacts>,
}

/// One mapped resource of a device.
#[derive(Debug, Clone)]
pub struct MappedFacts {
    /// The resource.
    pub resource: String,
    /// How it was written.
    pub shape: &'static SliceShape,
    /// The mapped capacity and what its amount is multiplied with.
    pub capacity: Option<(String, Quantity)>,
    /// What an allocation of the whole device takes, without overhead.
    pub device: Option<Quantity>,
    /// The least that a pod with the device is charged, where that is fixed.
    pub smallest: Option<Quantity>,
    /// The most that all claims on the device take together, without overhead.
    pub largest: Option<Quantity>,
}

/// A claim, for the rules that compare it with others.
#[derive(Debug, Clone, Default)]
pub struct ClaimFacts {
    /// Which document or object it came from; set when it is added.
    pub origin: usize,
    /// True for the claim to be of a template.
    pub is_template: bool,
    /// The namespace; empty where none is written.
    pub namespace: String,
    /// The name.
    pub name: String,
    /// The object's id, once stored.
    pub uid: Option<String>,
    /// A text that differs when the content differs.
    pub content: String,
    /// The capacity asked for by requests without alternatives.
    pub asked: Vec<(String, Quantity)>,
    /// The devices given.
    pub given: Vec<GivenFacts>,
}

/// A device, or a share of one, that a claim was given.
#[derive(Debug, Clone)]
pub struct GivenFacts {
    /// Together with `pool` and `device` it names the device.
    pub driver: String,
    /// See `driver`.
    pub pool: String,
    /// See `driver`.
    pub device: String,
    /// The capacity consumed.
    pub consumed: Vec<(String, Quantity)>,
}

/// A pod, for the rules that compare it with its claims.
#[derive(Debug, Clone, Default)]
pub struct PodFacts {
    /// Which document or object it came from; set when it is added.
    pub origin: usize,
    /// The namespace; empty where none is written.
    pub namespace: String,
    /// Its claims: name in the pod, name of the object, and whether that is a template.
    pub claims: Vec<(String, String, bool)>,
    /// The containers that refer to claims.
    pub containers: Vec<ContainerFacts>,
}

/// A container that refers to claims.
#[derive(Debug, Clone)]
pub struct ContainerFacts {
    /// The list it stands in.
    pub field: &'static str,
    /// Its place there.
    pub index: usize,
    /// Its name.
    pub name: String,
    /// What it asks for, by resource.
    pub requests: Vec<(String, Quantity)>,
    /// The claims it refers to, by their names in the pod.
    pub claims: Vec<String>,
}

/// A node, for the rules that compare amounts with what it has.
#[derive(Debug, Clone, Default)]
pub struct NodeFacts {
    /// Its name.
    pub name: String,
    /// Its labels.
    pub labels: BTreeMap<String, String>,
    /// What pods can take, by resource.
    pub allocatable: BTreeMap<String, Quantity>,
}
