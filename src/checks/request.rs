//! One admission request: which rules look at it, and what of it this write adds.

use std::collections::BTreeSet;

use super::allocation::view::AllocationView;
use super::findings::Findings;
use super::pod::placement::Placement;
use super::row::PodChange;
use super::writer::claim::write::ClaimWrite;
use super::{Context, dispatch, document, rollout};
use crate::ledger::excerpt::Scope;
use crate::ledger::inventory::{AT_HAND, Inventory, PodFacts, SliceFacts};
use crate::ledger::object::{self, Key, PoolKey};
use crate::ledger::view::Scene;
use crate::model::access::Question;
use crate::model::binding::Binding;
use crate::model::claim::{Claim, Template};
use crate::model::meta::Meta;
use crate::model::path::Path;
use crate::model::pod::Pod;
use crate::model::read::read;
use crate::model::request::{Operation, Request, Resource};
use crate::model::slice::Slice;
use crate::model::status_change::StatusChange;
use crate::offers::Publication;
use crate::verdict::decision::Pool;
use crate::verdict::finding::Finding;
use crate::verdict::rule::Effect;

/// What the rules say of a request, and the pool it concerns.
#[derive(Debug)]
pub struct Judged {
    /// What was found.
    pub findings: Vec<Finding>,
    /// Whether refusing one slice would tear a pool apart.
    pub pool: Pool,
    /// What a slice publishes; nothing on a dry run.
    pub publication: Option<Publication>,
    /// What a claim would hold, where the ledger was asked.
    pub allocation: Option<Allocation>,
    /// All that bears on any other object.
    pub scope: Scope,
    /// What has to be asked of the writer's rights first.
    pub questions: BTreeSet<Question>,
}

/// A claim as a write would leave it.
#[derive(Debug, Clone)]
pub struct Allocation {
    /// The claim.
    pub claim: object::Claim,
    /// The version that the write replaces.
    pub replaced: u64,
    /// All that bears on it.
    pub scope: Scope,
    /// True when the write allocates.
    pub is_new: bool,
}

/// The same under way.
struct Judging {
    findings: Findings,
    pool: Pool,
    publication: Option<Publication>,
    allocation: Option<Allocation>,
    scope: Scope,
    questions: BTreeSet<Question>,
}

impl From<Judging> for Judged {
    fn from(judging: Judging) -> Self {
        let Judging { findings, pool, publication, allocation, scope, questions } = judging;
        Self { findings: findings.into_vec(), pool, publication, allocation, scope, questions }
    }
}

/// Judges one admission request by the rules of both phases. Deletes, releases and kinds that no rule reads pass without a look at the object.
#[must_use]
pub fn judge(request: &Request<'_>, context: &Context<'_>) -> Judged {
    let mut judging = Judging {
        findings: Findings::default(),
        pool: Pool::Whole,
        publication: None,
        allocation: None,
        scope: Scope::default(),
        questions: BTreeSet::new(),
    };
    if matches!(request.operation, Operation::Delete | Operation::Connect) || request.resource == Resource::Other {
        return judging.into();
    }
    let Some(object) = request.object else {
        judging.findings.push(document::absent());
        return judging.into();
    };
    let outcome = match request.resource {
        Resource::Slice => slice(object, request, context, &mut judging),
        Resource::Claim => claim(object, request, &mut judging.findings),
        Resource::ClaimStatus => claim_status(object, request, context, &mut judging),
        Resource::Template => template(object, request, &mut judging.findings),
        Resource::Pod => pod(object, request, context, &mut judging),
        Resource::PodStatus => pod_status(object, request, context, &mut judging.findings),
        Resource::Binding => binding(object, request, context, &mut judging),
        Resource::Rollout => {
            judging.findings.extend(rollout::document::judge(object));
            Ok(())
        }
        Resource::Other => Ok(()),
    };
    if let Err(error) = outcome {
        judging.findings.push(document::unreadable(error));
    }
    judging.into()
}

type Outcome = Result<(), crate::model::read::Unreadable>;

fn slice(object: &str, request: &Request<'_>, context: &Context<'_>, judging: &mut Judging) -> Outcome {
    let slice: Slice<'_> = read(object)?;
    if slice.pool_size() > 1 {
        judging.pool = Pool::Parted;
    }
    judging.publication = (!request.dry_run).then(|| Publication::of(&slice));
    if context.scene.is_some() {
        judging.scope.pools.insert(PoolKey::from(&slice));
    }
    let findings = &mut judging.findings;
    content(&slice, context, findings);
    only_added(findings, request, |old: &Slice<'_>, before| content(old, context, before));
    if !is_untouched(request) {
        dispatch::slice_writer(&request.caller, &slice, context, findings);
    }
    Ok(())
}

/// What is to be said of a slice whoever writes it, alone and among the others.
fn content(slice: &Slice<'_>, context: &Context<'_>, findings: &mut Findings) {
    dispatch::slice(slice, context, findings);
    let facts = || SliceFacts { origin: AT_HAND, ..SliceFacts::from(slice) };
    match (context.inventory, context.scene) {
        (Some(inventory), _) => dispatch::pools(&facts(), inventory, findings),
        (None, Some(scene)) => {
            // Of stored slices the node is known by spec.nodeName only.
            let node = slice.spec.as_ref().and_then(|spec| spec.node_name.as_deref()).filter(|node| !node.is_empty());
            let facts = SliceFacts { node: node.map(str::to_owned), ..facts() };
            dispatch::pools(&facts, &Inventory::live(&facts, scene), findings);
        }
        (None, None) => {}
    }
}

/// True when an update leaves the content alone: a finalizer or an owner goes, which is everybody's right.
fn is_untouched(request: &Request<'_>) -> bool {
    let old = request.old_object.and_then(spec_text);
    old.is_some() && old == request.object.and_then(spec_text)
}

/// The text of an object's content, as the server writes it.
fn spec_text(object: &str) -> Option<&str> {
    #[derive(serde::Deserialize)]
    struct Spec<'a> {
        #[serde(borrow)]
        spec: Option<&'a serde_json::value::RawValue>,
    }
    let object: Spec<'_> = serde_json::from_str(object).ok()?;
    object.spec.map(serde_json::value::RawValue::get)
}

/// The spec of a claim never changes: an update of its metadata is not judged.
fn claim(object: &str, request: &Request<'_>, findings: &mut Findings) -> Outcome {
    if request.operation != Operation::Create {
        return Ok(());
    }
    let claim: Claim<'_> = read(object)?;
    if let Some(spec) = &claim.spec {
        dispatch::claim_spec(spec, &Path::fields(&["spec"]), findings);
    }
    Ok(())
}

fn claim_status(object: &str, request: &Request<'_>, context: &Context<'_>, judging: &mut Judging) -> Outcome {
    let claim: Claim<'_> = read(object)?;
    dispatch::claim_status(&claim, &mut judging.findings);
    only_added(&mut judging.findings, request, dispatch::claim_status);
    if let Some(scene) = context.scene {
        judging.allocation = allocation(&claim, request, scene, context, &mut judging.findings);
    }
    claim_writer(object, &claim, request, context, judging);
    Ok(())
}

/// Who may change what the write changes.
fn claim_writer(object: &str, claim: &Claim<'_>, request: &Request<'_>, context: &Context<'_>, judging: &mut Judging) {
    let Some(old) = request.old_object else { return };
    let change = match StatusChange::between(old, object) {
        Ok(change) => change,
        // Nobody is refused for a change that may be none.
        Err(error) => {
            return judging.findings.push(Finding { effect: Effect::Warn, ..document::unreadable(error) });
        }
    };
    let write = ClaimWrite::of(request, claim, &change, context);
    judging.questions.extend(write.open().cloned());
    dispatch::claim_writer(&write, &mut judging.findings);
}

/// What the write gives, beside the ledger. Without the object that it replaces nobody can tell what it adds.
fn allocation(
    claim: &Claim<'_>,
    request: &Request<'_>,
    scene: Scene<'_>,
    context: &Context<'_>,
    findings: &mut Findings,
) -> Option<Allocation> {
    let old: Claim<'_> = read(request.old_object?).ok()?;
    let (new, old) = (object::Claim::from(claim), object::Claim::from(&old));
    let view = AllocationView::of(&new, &old, scene, context.settings);
    let mut said = Findings::default();
    dispatch::allocation(&view, &mut said);
    if request.caller.is_claim_controller() {
        // It reserves for pods that are bound already: refused, it tries again twenty times a second (upstream.md, 11.20).
        said.iter_mut().for_each(|finding| finding.effect = Effect::Warn);
    }
    findings.extend(said.into_vec());
    let (scope, is_new) = (view.scope(), view.is_new());
    Some(Allocation { replaced: old.stamp.version, scope, is_new, claim: new })
}

fn template(object: &str, request: &Request<'_>, findings: &mut Findings) -> Outcome {
    let template: Template<'_> = read(object)?;
    template_spec(&template, findings);
    only_added(findings, request, template_spec);
    Ok(())
}

/// Everything that can be said of a template.
pub(super) fn template_spec(template: &Template<'_>, findings: &mut Findings) {
    if let Some(spec) = template.spec.as_ref().and_then(|spec| spec.spec.as_ref()) {
        dispatch::claim_spec(spec, &Path::fields(&["spec", "spec"]), findings);
    }
}

fn pod(object: &str, request: &Request<'_>, context: &Context<'_>, judging: &mut Judging) -> Outcome {
    if request.operation != Operation::Create {
        return Ok(());
    }
    let pod: Pod<'_> = read(object)?;
    let findings = &mut judging.findings;
    dispatch::pod(&pod, findings);
    if let Some(inventory) = context.inventory {
        let facts = PodFacts { origin: AT_HAND, namespace: request.namespace.clone(), ..PodFacts::from(&pod) };
        dispatch::pods(&facts, inventory, findings);
    }
    if let Some(scene) = context.scene {
        let pod = object::Pod { key: key(request, pod.meta.as_ref()), ..object::Pod::from(&pod) };
        if let Some(node) = &pod.node {
            let placement = Placement { pod: &pod, node, scene };
            judging.scope = placement.scope();
            dispatch::placement(&placement, findings);
        }
    }
    Ok(())
}

/// A Binding carries no pod: it is the one that the ledger has under its name, and where that is another, nothing is said.
fn binding(object: &str, request: &Request<'_>, context: &Context<'_>, judging: &mut Judging) -> Outcome {
    let binding: Binding<'_> = read(object)?;
    let (Some(scene), Some(node)) = (context.scene, binding.node()) else { return Ok(()) };
    let Some(pod) = scene.ledger.pod(&key(request, binding.meta.as_ref())) else { return Ok(()) };
    let uid = binding.meta.as_ref().and_then(|meta| meta.uid.as_deref()).unwrap_or_default();
    if uid.is_empty() || *pod.stamp.uid == *uid {
        let placement = Placement { pod, node: &node.into(), scene };
        judging.scope = placement.scope();
        dispatch::binding(&placement, &mut judging.findings);
    }
    Ok(())
}

/// The key of the object at hand. On a request to a subresource its name stands in the request as well.
fn key(request: &Request<'_>, meta: Option<&Meta<'_>>) -> Key {
    let name = meta.map(Meta::shown_name).filter(|name| !name.is_empty()).unwrap_or(&request.name);
    let namespace = meta.and_then(|meta| meta.namespace.as_deref()).unwrap_or_default();
    let namespace = if request.namespace.is_empty() { namespace } else { &request.namespace };
    Key::new(namespace, name)
}

fn pod_status(object: &str, request: &Request<'_>, context: &Context<'_>, findings: &mut Findings) -> Outcome {
    // Refusing a binder strands the allocation (upstream.md, section 11).
    let is_binder = context.settings.binders.contains(&request.caller.username);
    let new: Pod<'_> = match read(object) {
        Err(error) if is_binder => {
            findings.push(Finding { effect: Effect::Warn, ..document::unreadable(error) });
            return Ok(());
        }
        new => new?,
    };
    dispatch::pod_status(&new, findings);
    only_added(findings, request, dispatch::pod_status);
    if is_binder {
        findings.iter_mut().for_each(|finding| finding.effect = Effect::Warn);
    }
    let old_text = request.old_object.unwrap_or("{}");
    match read(old_text) {
        Ok(old) => {
            dispatch::pod_writer(&request.caller, &PodChange { new: &new, old: &old, old_text }, context, findings);
        }
        // What cannot be read is not taken for empty: nobody is refused for a change that may be none.
        Err(error) => findings.push(Finding { effect: Effect::Warn, ..document::unreadable(error) }),
    }
    Ok(())
}

/// On an update only what the write adds is refused: what was there before, in the same words of the same thing, is a
/// warning. The old object is read only where that can change the verdict.
fn only_added<'r, T, F>(findings: &mut Findings, request: &Request<'r>, judge: F)
where
    T: serde::Deserialize<'r>,
    F: Fn(&T, &mut Findings),
{
    if findings.iter().all(|finding| finding.effect == Effect::Warn) {
        return;
    }
    let Some(old) = request.old_object.and_then(|old| read::<T>(old).ok()) else { return };
    let mut before = Findings::before();
    judge(&old, &mut before);
    let before: BTreeSet<_> = before.iter().map(Finding::identity).collect();
    // A patch refuses nobody, so that what was there before is mended as well.
    for finding in findings.iter_mut().filter(|finding| finding.effect != Effect::Mutate) {
        if before.contains(&finding.identity()) {
            finding.effect = Effect::Warn;
        }
    }
}
