//! One admission request: which rules look at it, and what of it this write adds.

use std::collections::BTreeSet;

use super::row::PodChange;
use super::{Context, dispatch, document, rollout};
use crate::ledger::inventory::{PodFacts, SliceFacts};
use crate::model::claim::{Claim, Template};
use crate::model::path::Path;
use crate::model::pod::Pod;
use crate::model::read::read;
use crate::model::request::{Operation, Request, Resource};
use crate::model::slice::Slice;
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
}

/// The origin of the object at hand: after everything that is known already.
const AT_HAND: usize = usize::MAX;

/// Judges one admission request. Deletes, releases and kinds that no rule reads pass without a look at the object.
#[must_use]
pub fn validate(request: &Request<'_>, context: &Context<'_>) -> Judged {
    let mut judged = Judged { findings: Vec::new(), pool: Pool::Whole };
    if matches!(request.operation, Operation::Delete | Operation::Connect) || request.resource == Resource::Other {
        return judged;
    }
    let Some(object) = request.object else {
        judged.findings.push(document::broken("the request carries no object"));
        return judged;
    };
    let outcome = match request.resource {
        Resource::Slice => slice(object, request, context, &mut judged),
        Resource::Claim => claim(object, request, &mut judged.findings),
        Resource::ClaimStatus => claim_status(object, request, &mut judged.findings),
        Resource::Template => template(object, request, &mut judged.findings),
        Resource::Pod => pod(object, request, context, &mut judged.findings),
        Resource::PodStatus => pod_status(object, request, context, &mut judged.findings),
        Resource::Rollout => {
            judged.findings.extend(rollout::document::judge(object));
            Ok(())
        }
        Resource::Other => Ok(()),
    };
    if let Err(error) = outcome {
        judged.findings.push(document::unreadable(error));
    }
    judged
}

type Outcome = Result<(), crate::model::read::Unreadable>;

fn slice(object: &str, request: &Request<'_>, context: &Context<'_>, judged: &mut Judged) -> Outcome {
    let slice: Slice<'_> = read(object)?;
    if slice.pool_size() > 1 {
        judged.pool = Pool::Parted;
    }
    let findings = &mut judged.findings;
    dispatch::slice(&slice, context, findings);
    only_added(findings, request, |old: &Slice<'_>, before| dispatch::slice(old, context, before));
    dispatch::slice_writer(&request.caller, &slice, context, findings);
    if let Some(inventory) = context.inventory {
        let facts = SliceFacts { origin: AT_HAND, ..SliceFacts::from(&slice) };
        dispatch::pools(&facts, inventory, findings);
    }
    Ok(())
}

/// The spec of a claim never changes: an update of its metadata is not judged.
fn claim(object: &str, request: &Request<'_>, findings: &mut Vec<Finding>) -> Outcome {
    if request.operation != Operation::Create {
        return Ok(());
    }
    let claim: Claim<'_> = read(object)?;
    if let Some(spec) = &claim.spec {
        dispatch::claim_spec(spec, &Path::fields(&["spec"]), findings);
    }
    Ok(())
}

fn claim_status(object: &str, request: &Request<'_>, findings: &mut Vec<Finding>) -> Outcome {
    let claim: Claim<'_> = read(object)?;
    dispatch::claim_status(&claim, findings);
    only_added(findings, request, dispatch::claim_status);
    Ok(())
}

fn template(object: &str, request: &Request<'_>, findings: &mut Vec<Finding>) -> Outcome {
    let template: Template<'_> = read(object)?;
    template_spec(&template, findings);
    only_added(findings, request, template_spec);
    Ok(())
}

/// Everything that can be said of a template.
pub(super) fn template_spec(template: &Template<'_>, findings: &mut Vec<Finding>) {
    if let Some(spec) = template.spec.as_ref().and_then(|spec| spec.spec.as_ref()) {
        dispatch::claim_spec(spec, &Path::fields(&["spec", "spec"]), findings);
    }
}

fn pod(object: &str, request: &Request<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) -> Outcome {
    if request.operation != Operation::Create {
        return Ok(());
    }
    let pod: Pod<'_> = read(object)?;
    dispatch::pod(&pod, findings);
    if let Some(inventory) = context.inventory {
        let facts = PodFacts { origin: AT_HAND, namespace: request.namespace.clone(), ..PodFacts::from(&pod) };
        dispatch::pods(&facts, inventory, findings);
    }
    Ok(())
}

fn pod_status(object: &str, request: &Request<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) -> Outcome {
    let new: Pod<'_> = read(object)?;
    let old: Pod<'_> = request.old_object.and_then(|old| read(old).ok()).unwrap_or_default();
    dispatch::pod_status(&new, findings);
    only_added(findings, request, dispatch::pod_status);
    let change = PodChange { new: &new, old: &old, old_text: request.old_object.unwrap_or_default() };
    dispatch::pod_writer(&request.caller, &change, context, findings);
    Ok(())
}

/// On an update only what the write adds is refused: what was there before, in the same words of the same thing, is a
/// warning. The old object is read only where that can change the verdict.
fn only_added<'r, T, F>(findings: &mut [Finding], request: &Request<'r>, judge: F)
where
    T: serde::Deserialize<'r>,
    F: Fn(&T, &mut Vec<Finding>),
{
    if findings.iter().all(|finding| finding.effect == Effect::Warn) {
        return;
    }
    let Some(old) = request.old_object.and_then(|old| read::<T>(old).ok()) else { return };
    let mut before = Vec::new();
    judge(&old, &mut before);
    let before: BTreeSet<_> = before.iter().map(Finding::identity).collect();
    for finding in findings.iter_mut() {
        if before.contains(&finding.identity()) {
            finding.effect = Effect::Warn;
        }
    }
}
