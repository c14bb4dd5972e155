//! A write of a pod or its status, or its binding to a node.

use super::{Judging, Outcome, only_added};
use crate::checks::findings::Findings;
use crate::checks::pod::placement::Placement;
use crate::checks::row::PodChange;
use crate::checks::{Context, dispatch, document};
use crate::ledger::inventory::{AT_HAND, PodFacts};
use crate::ledger::object::{self, Key};
use crate::model::binding::Binding;
use crate::model::meta::Meta;
use crate::model::pod::Pod;
use crate::model::read::read;
use crate::model::request::{Operation, Request};
use crate::verdict::finding::Finding;
use crate::verdict::rule::Effect;

pub(super) fn spec(object: &str, request: &Request<'_>, context: &Context<'_>, judging: &mut Judging) -> Outcome {
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
pub(super) fn binding(object: &str, request: &Request<'_>, context: &Context<'_>, judging: &mut Judging) -> Outcome {
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

pub(super) fn status(object: &str, request: &Request<'_>, context: &Context<'_>, findings: &mut Findings) -> Outcome {
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
