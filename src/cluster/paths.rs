//! Where the API server keeps the objects of a kind.

use super::fetch::FetchError;
use super::served::Served;
use crate::ledger::object::Kind;

/// The path of a kind's objects, in one namespace or in all.
pub(super) fn path(kind: Kind, served: Served, namespace: Option<&str>) -> Result<String, FetchError> {
    let group = match kind {
        Kind::Node | Kind::Pod => "/api/v1".to_owned(),
        Kind::Slice | Kind::Claim => format!("/apis/{}", served.group_version().ok_or(FetchError::NotServed)?),
    };
    let namespace = namespace.map(|name| format!("/namespaces/{name}")).unwrap_or_default();
    Ok(format!("{group}{namespace}/{}", kind.plural()))
}
