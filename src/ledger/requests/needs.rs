//! What a pod says of its requests: owned, and small next to its text.

use serde::{Deserialize, Serialize};

use super::amounts::{Amounts, counted, optional, written};
use crate::model::decode::{Amount, Entries, Text};
use crate::model::pod::{Container, ContainerStatus, Needs, Pod, PodSpec, PodStatus};
use crate::model::resource::Kind;

/// All of a pod that its requests depend on, apart from its node-allocatable list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct PodNeeds {
    /// True once it has ended: the scheduler drops it (`kubernetes@1.37.2 pkg/scheduler/scheduler.go:654`).
    pub is_terminal: bool,
    /// True while the kubelet holds a resize for impossible: what the spec asks for then does not count.
    pub is_resize_infeasible: bool,
    /// The containers, and those that run before or beside them in the order in which they start.
    pub containers: Vec<ContainerNeeds>,
    /// What the containers were given, in the order of the status.
    pub statuses: Vec<ContainerGiven>,
    /// What all containers together ask for; only resources that may be asked for so.
    #[serde(serialize_with = "written")]
    pub pod_level: Amounts,
    /// What the pod was given.
    pub given: Given,
    /// What the pod takes beside its containers.
    #[serde(serialize_with = "written")]
    pub overhead: Amounts,
}

/// What one container asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContainerNeeds {
    /// Its name in the pod.
    pub name: String,
    /// When it runs.
    pub role: Role,
    /// The amounts; a limit stands for a request that is absent.
    #[serde(serialize_with = "written")]
    pub requests: Amounts,
}

/// When a container runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Role {
    /// After all init containers have ended or, as sidecars, started.
    Main,
    /// Alone beside the sidecars that stand before it.
    Init,
    /// From its turn to the end: an init container with `restartPolicy: Always`.
    Sidecar,
}

/// What one container was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContainerGiven {
    /// Its name in the pod.
    pub name: String,
    /// The amounts.
    pub given: Given,
}

/// What a container, or a pod, was given. The API stores an empty map as an absent one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Given {
    /// `allocatedResources`: what the kubelet set aside.
    #[serde(serialize_with = "optional")]
    pub allocated: Option<Amounts>,
    /// True when the status has `resources`, even without requests.
    pub has_resources: bool,
    /// `resources.requests`: what it runs with.
    #[serde(serialize_with = "optional")]
    pub actuated: Option<Amounts>,
}

/// True for a resource that a pod may ask for as a whole (`component-helpers@0.37.2 resource/helpers.go:71`).
pub(super) fn is_pod_level(resource: &str) -> bool {
    Kind::of(resource).is_some_and(|kind| kind != Kind::EphemeralStorage)
}

impl From<&Pod<'_>> for PodNeeds {
    fn from(pod: &Pod<'_>) -> Self {
        let mut needs = Self::default();
        if let Some(spec) = &pod.spec {
            needs.read_spec(spec);
        }
        if let Some(status) = &pod.status {
            needs.read_status(status);
        }
        needs
    }
}

impl PodNeeds {
    fn read_spec(&mut self, spec: &PodSpec<'_>) {
        let main = spec.containers.iter().map(|container| asked(container, Role::Main));
        let first = spec.init_containers.iter().map(|container| asked(container, init_role(container)));
        self.containers = main.chain(first).collect();
        self.pod_level = spec.resources.as_ref().map(|whole| counted(&whole.requests)).unwrap_or_default();
        self.pod_level.retain(|resource, _| is_pod_level(resource));
        self.overhead = counted(&spec.overhead);
    }

    fn read_status(&mut self, status: &PodStatus<'_>) {
        self.is_terminal = matches!(status.phase.as_deref(), Some("Succeeded" | "Failed"));
        self.is_resize_infeasible = is_resize_infeasible(status);
        self.statuses = status.containers.iter().chain(&*status.init_containers).map(ContainerGiven::from).collect();
        self.given = given(&status.allocated, status.resources.as_ref());
    }
}

fn asked(container: &Container<'_>, role: Role) -> ContainerNeeds {
    let requests = container.resources.as_ref().map(requests).unwrap_or_default();
    ContainerNeeds { name: owned(container.name.as_ref()), role, requests }
}

/// The server takes a limit for a request that is absent.
fn requests(needs: &Needs<'_>) -> Amounts {
    let mut requests = counted(&needs.limits);
    requests.extend(counted(&needs.requests));
    requests
}

fn init_role(container: &Container<'_>) -> Role {
    if container.restart_policy.as_deref() == Some("Always") { Role::Sidecar } else { Role::Init }
}

/// Only the first condition of its type counts.
fn is_resize_infeasible(status: &PodStatus<'_>) -> bool {
    let pending = status.conditions.iter().find(|condition| condition.kind.as_deref() == Some("PodResizePending"));
    pending.is_some_and(|condition| condition.reason.as_deref() == Some("Infeasible"))
}

impl From<&ContainerStatus<'_>> for ContainerGiven {
    fn from(status: &ContainerStatus<'_>) -> Self {
        Self { name: owned(status.name.as_ref()), given: given(&status.allocated, status.resources.as_ref()) }
    }
}

fn given(allocated: &Entries<'_, Amount<'_>>, resources: Option<&Needs<'_>>) -> Given {
    Given {
        allocated: stated(allocated),
        has_resources: resources.is_some(),
        actuated: resources.and_then(|resources| stated(&resources.requests)),
    }
}

/// Whether a map is there is decided before resources that are not counted are left out.
fn stated(entries: &Entries<'_, Amount<'_>>) -> Option<Amounts> {
    (!entries.is_empty()).then(|| counted(entries))
}

fn owned(text: Option<&Text<'_>>) -> String {
    text.map(|text| (**text).to_owned()).unwrap_or_default()
}
