//! `Pod`, as far as what it takes of a node is concerned.

use super::decode::{Amount, Entries, Field, Items, Text, object};
use super::meta::Meta;
use super::status_list::Entry;

object! {
    /// A `Pod`.
    Pod {
        /// Name, uid.
        meta: Option<Meta<'a>> = "metadata",
        /// What runs and what it asks for.
        spec: Option<PodSpec<'a>> = "spec",
        /// What it was given.
        status: Option<PodStatus<'a>> = "status",
    }
    known: ["apiVersion", "kind"]
}

object! {
    /// `spec` of a pod.
    PodSpec {
        /// The containers.
        containers: Items<Container<'a>> = "containers",
        /// The containers that run before them, or beside them.
        init_containers: Items<Container<'a>> = "initContainers",
        /// The claims it uses.
        claims: Items<PodClaim<'a>> = "resourceClaims",
        /// What all containers together ask for.
        resources: Option<Needs<'a>> = "resources",
        /// What the pod takes beside its containers.
        overhead: Entries<'a, Amount<'a>> = "overhead",
        /// The node it is bound to.
        node_name: Option<Text<'a>> = "nodeName",
    }
    known: []
}

object! {
    /// One container.
    Container {
        /// Its name in the pod.
        name: Option<Text<'a>> = "name",
        /// What it asks for.
        resources: Option<Needs<'a>> = "resources",
        /// `Always` makes an init container a sidecar.
        restart_policy: Option<Text<'a>> = "restartPolicy",
    }
    known: []
}

object! {
    /// `resources` of a container or of a pod, in the spec or in the status.
    Needs {
        /// Amounts by resource.
        requests: Entries<'a, Amount<'a>> = "requests",
        /// Amounts by resource, which the server also takes for requests that are absent.
        limits: Entries<'a, Amount<'a>> = "limits",
        /// The claims it refers to, by their names in the pod.
        claims: Items<ClaimUse<'a>> = "claims",
    }
    known: []
}

object! {
    /// One claim that a container refers to.
    ClaimUse {
        /// The name of an entry of `spec.resourceClaims`.
        name: Option<Text<'a>> = "name",
        /// One request of that claim; absent for all.
        request: Option<Text<'a>> = "request",
    }
    known: []
}

object! {
    /// One claim that the pod uses.
    PodClaim {
        /// Its name in the pod.
        name: Option<Text<'a>> = "name",
        /// The claim it is.
        claim: Option<Text<'a>> = "resourceClaimName",
        /// The template it is made from.
        template: Option<Text<'a>> = "resourceClaimTemplateName",
    }
    known: []
}

object! {
    /// `status` of a pod. The list is kept under each name that a release gives it.
    PodStatus {
        /// v1.36 and v1.37.
        claims: Field<Items<Entry<'a>>> = "nodeAllocatableResourceClaimStatuses",
        /// v1.38, as planned.
        additional: Field<Items<Entry<'a>>> = "additionalNodeAllocatableResources",
        /// How far its life has come.
        phase: Option<Text<'a>> = "phase",
        /// What its containers were given.
        containers: Items<ContainerStatus<'a>> = "containerStatuses",
        /// What its init containers were given.
        init_containers: Items<ContainerStatus<'a>> = "initContainerStatuses",
        /// What the kubelet set aside for the pod.
        allocated: Entries<'a, Amount<'a>> = "allocatedResources",
        /// What the pod runs with.
        resources: Option<Needs<'a>> = "resources",
        /// The state of a resize, among others.
        conditions: Items<Condition<'a>> = "conditions",
    }
    known: []
}

object! {
    /// The status of one container.
    ContainerStatus {
        /// The container.
        name: Option<Text<'a>> = "name",
        /// What the kubelet set aside for it.
        allocated: Entries<'a, Amount<'a>> = "allocatedResources",
        /// What it runs with.
        resources: Option<Needs<'a>> = "resources",
    }
    known: []
}

object! {
    /// One condition of a pod.
    Condition {
        /// What it is about.
        kind: Option<Text<'a>> = "type",
        /// Why it is so.
        reason: Option<Text<'a>> = "reason",
    }
    known: []
}

impl<'a> Pod<'a> {
    /// Every container, those that run first included, with the field they stand in.
    pub fn containers(&self) -> impl Iterator<Item = (&'static str, usize, &Container<'a>)> {
        let spec = self.spec.as_ref();
        let first = spec.map(|spec| &*spec.init_containers).unwrap_or_default();
        let main = spec.map(|spec| &*spec.containers).unwrap_or_default();
        listed("initContainers", first).chain(listed("containers", main))
    }

    /// The claims the pod uses.
    #[must_use]
    pub fn claims(&self) -> &[PodClaim<'a>] {
        self.spec.as_ref().map(|spec| &*spec.claims).unwrap_or_default()
    }
}

fn listed<'p, 'a>(
    field: &'static str,
    list: &'p [Container<'a>],
) -> impl Iterator<Item = (&'static str, usize, &'p Container<'a>)> {
    list.iter().enumerate().map(move |(nth, container)| (field, nth, container))
}
