//! One manifest: which kind it is, what the rules say of it, and what it contributes to the others.

use super::findings::Findings;
use super::webhook::Asked;
use super::{Context, dispatch, document, request, rollout};
use crate::ledger::inventory::{BoundFacts, ClaimFacts, Facts, NodeFacts, PodFacts, SliceFacts};
use crate::ledger::object::Object;
use crate::model::claim::{Claim, Template};
use crate::model::meta::{Head, Meta};
use crate::model::node::Node;
use crate::model::path::Path;
use crate::model::pod::Pod;
use crate::model::read::{Unreadable, read};
use crate::model::role::{Part, Role, RoleBinding};
use crate::model::slice::Slice;
use crate::model::webhook::{Policy, Webhooks};
use crate::verdict::finding::Finding;

/// The group of webhook configurations and policies.
const HOOKS: &str = "admissionregistration.k8s.io";

/// The object a report speaks of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ObjectRef {
    /// Such as `resource.k8s.io/v1`.
    pub api_version: String,
    /// Such as `ResourceSlice`.
    pub kind: String,
    /// Empty for cluster-scoped objects.
    pub namespace: String,
    /// The name, or the generated name's prefix.
    pub name: String,
}

/// What one manifest came to.
#[derive(Debug, Default)]
pub struct Inspected {
    /// Which object it is.
    pub object: ObjectRef,
    /// What the rules say of it alone.
    pub findings: Vec<Finding>,
    /// What it contributes to the rules that look at several objects; `None` for kinds that none of them reads.
    pub facts: Option<Facts>,
    /// What the ledger keeps of it.
    pub kept: Option<Object>,
}

/// The same under way.
#[derive(Default)]
struct Inspecting {
    object: ObjectRef,
    findings: Findings,
    facts: Option<Facts>,
    kept: Option<Object>,
}

/// Judges one manifest, given as JSON, by every rule that needs nothing else.
#[must_use]
pub fn inspect(json: &str, context: &Context<'_>) -> Inspected {
    let mut inspecting = Inspecting::default();
    let outcome = read::<Head<'_>>(json).and_then(|head| {
        inspecting.object = ObjectRef::from(&head);
        inspecting.judge(json, context)
    });
    if let Err(error) = outcome {
        inspecting.findings.push(document::unreadable(error));
    }
    let Inspecting { object, findings, facts, kept } = inspecting;
    Inspected { object, findings: findings.into_vec(), facts, kept }
}

impl ObjectRef {
    /// The head of an object's text; nothing where that cannot be read.
    #[must_use]
    pub fn read(json: &str) -> Self {
        read::<Head<'_>>(json).map(|head| Self::from(&head)).unwrap_or_default()
    }
}

impl From<&Head<'_>> for ObjectRef {
    fn from(head: &Head<'_>) -> Self {
        let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
        let meta = head.metadata.as_ref();
        Self {
            api_version: text(head.api_version.as_deref()),
            kind: text(head.kind.as_deref()),
            namespace: text(meta.and_then(|meta| meta.namespace.as_deref())),
            name: text(meta.map(Meta::shown_name)),
        }
    }
}

impl Inspecting {
    fn judge(&mut self, json: &str, context: &Context<'_>) -> Result<(), Unreadable> {
        let (group, _) = self.object.api_version.split_once('/').unwrap_or(("", ""));
        match (group, self.object.kind.as_str()) {
            ("resource.k8s.io", "ResourceSlice") => self.slice(&read(json)?, context),
            ("resource.k8s.io", "ResourceClaim") => self.claim(&read(json)?),
            ("resource.k8s.io", "ResourceClaimTemplate") => self.template(&read(json)?),
            ("", "Pod") => self.pod(&read(json)?),
            ("", "Node") => self.node(&read(json)?),
            ("rbac.authorization.k8s.io", "ClusterRole" | "Role") => self.role(&read(json)?, context),
            ("rbac.authorization.k8s.io", "ClusterRoleBinding" | "RoleBinding") => self.bound(&read(json)?),
            (HOOKS, "ValidatingWebhookConfiguration" | "MutatingWebhookConfiguration") => self.webhooks(&read(json)?),
            (HOOKS, "ValidatingAdmissionPolicy" | "MutatingAdmissionPolicy") => self.policy(&read(json)?),
            ("draguard.dev", "NodeAllocatableRollout") => self.findings.extend(rollout::document::judge(json)),
            _ => {}
        }
        Ok(())
    }

    fn slice(&mut self, slice: &Slice<'_>, context: &Context<'_>) {
        dispatch::slice(slice, context, &mut self.findings);
        self.facts = Some(Facts::Slice(SliceFacts::from(slice)));
        self.kept = Some(Object::Slice(slice.into()));
    }

    fn claim(&mut self, claim: &Claim<'_>) {
        if let Some(spec) = &claim.spec {
            dispatch::claim_spec(spec, &Path::fields(&["spec"]), &mut self.findings);
        }
        dispatch::claim_status(claim, &mut self.findings);
        self.facts = Some(Facts::Claim(ClaimFacts::from(claim)));
        self.kept = Some(Object::Claim(claim.into()));
    }

    fn template(&mut self, template: &Template<'_>) {
        request::template_spec(template, &mut self.findings);
        self.facts = Some(Facts::Claim(ClaimFacts::from(template)));
    }

    fn pod(&mut self, pod: &Pod<'_>) {
        dispatch::pod(pod, &mut self.findings);
        dispatch::pod_status(pod, &mut self.findings);
        self.kept = Some(Object::Pod(pod.into()));
        let facts = PodFacts::from(pod);
        self.facts = (!facts.claims.is_empty()).then_some(Facts::Pod(facts));
    }

    fn node(&mut self, node: &Node<'_>) {
        self.facts = Some(Facts::Node(NodeFacts::from(node)));
        self.kept = Some(Object::Node(node.into()));
    }

    fn role(&mut self, role: &Role<'_>, context: &Context<'_>) {
        if role.is_given() {
            return;
        }
        dispatch::role(role, context, &mut self.findings);
        let binds = role.rules.iter().any(|rule| rule.grants(Part::Binding) && rule.names(Part::Binding).is_some());
        self.facts = (role.is_cluster() && binds).then(|| Facts::Binder(self.object.name.clone()));
    }

    fn bound(&mut self, binding: &RoleBinding<'_>) {
        let Some(role) = binding.role.as_ref().filter(|role| role.kind.as_deref() == Some("ClusterRole")) else {
            return;
        };
        let role = role.name.as_deref().unwrap_or_default().to_owned();
        self.facts = Some(match binding.kind.as_deref() {
            Some("ClusterRoleBinding") => Facts::BoundEverywhere(role),
            _ => Facts::Bound(BoundFacts { origin: 0, role }),
        });
    }

    fn webhooks(&mut self, webhooks: &Webhooks<'_>) {
        for (index, webhook) in webhooks.hooks.iter().enumerate() {
            let at = Path::fields(&["webhooks"]).named(index, webhook.name.as_deref().unwrap_or_default());
            dispatch::webhook(webhook, &at, &mut self.findings);
        }
    }

    fn policy(&mut self, policy: &Policy<'_>) {
        let constraints = policy.spec.as_ref().and_then(|spec| spec.constraints.as_ref());
        if let Some(constraints) = constraints {
            dispatch::asked(&Asked::of_policy(constraints), &mut self.findings);
        }
    }
}
