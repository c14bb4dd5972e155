//! A write of a claim, of its status, or of a claim template.

use super::{Allocation, Judging, Outcome, only_added};
use crate::checks::allocation::view::AllocationView;
use crate::checks::findings::Findings;
use crate::checks::writer::claim::write::ClaimWrite;
use crate::checks::{Context, dispatch, document};
use crate::ledger::object;
use crate::ledger::view::Scene;
use crate::model::claim::{Claim, Template};
use crate::model::path::Path;
use crate::model::read::read;
use crate::model::request::{Operation, Request};
use crate::model::status_change::StatusChange;
use crate::verdict::finding::Finding;
use crate::verdict::rule::Effect;

/// The spec of a claim never changes: an update of its metadata is not judged.
pub(super) fn spec(object: &str, request: &Request<'_>, findings: &mut Findings) -> Outcome {
    if request.operation != Operation::Create {
        return Ok(());
    }
    let claim: Claim<'_> = read(object)?;
    if let Some(spec) = &claim.spec {
        dispatch::claim_spec(spec, &Path::fields(&["spec"]), findings);
    }
    Ok(())
}

pub(super) fn status(object: &str, request: &Request<'_>, context: &Context<'_>, judging: &mut Judging) -> Outcome {
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

pub(super) fn template(object: &str, request: &Request<'_>, findings: &mut Findings) -> Outcome {
    let template: Template<'_> = read(object)?;
    template_spec(&template, findings);
    only_added(findings, request, template_spec);
    Ok(())
}

/// Everything that can be said of a template.
pub fn template_spec(template: &Template<'_>, findings: &mut Findings) {
    if let Some(spec) = template.spec.as_ref().and_then(|spec| spec.spec.as_ref()) {
        dispatch::claim_spec(spec, &Path::fields(&["spec", "spec"]), findings);
    }
}
