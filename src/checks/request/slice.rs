//! A write of a slice.

use super::{Judging, Outcome, only_added};
use crate::checks::findings::Findings;
use crate::checks::{Context, dispatch};
use crate::ledger::inventory::{AT_HAND, Inventory, SliceFacts};
use crate::ledger::object::PoolKey;
use crate::model::read::read;
use crate::model::request::Request;
use crate::model::slice::Slice;
use crate::offers::Publication;
use crate::verdict::decision::Pool;

pub(super) fn judge(object: &str, request: &Request<'_>, context: &Context<'_>, judging: &mut Judging) -> Outcome {
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
