//! JSON patch operations, for `/mutate`.

use json_patch::jsonptr::PointerBuf;
use json_patch::{AddOperation, Patch, PatchOperation, RemoveOperation};
use serde_json::Value;

use crate::model::path::{Path, Step};

/// The operation that removes what stands at `path`.
#[must_use]
pub fn remove(path: &Path) -> PatchOperation {
    PatchOperation::Remove(RemoveOperation { path: pointer(path) })
}

/// The operation that adds or replaces `value` at `path`.
#[must_use]
pub fn add(path: &Path, value: Value) -> PatchOperation {
    PatchOperation::Add(AddOperation { path: pointer(path), value })
}

/// The operations in one document.
#[must_use]
pub const fn document(operations: Vec<PatchOperation>) -> Patch {
    Patch(operations)
}

fn pointer(path: &Path) -> PointerBuf {
    PointerBuf::from_tokens(path.steps().iter().map(|step| match step {
        Step::Field(name) => name.clone().into_owned(),
        Step::Entry(key) => key.clone(),
        Step::Item(index, _) => index.to_string(),
    }))
}
