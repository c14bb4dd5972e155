//! What RBAC and webhooks know of DRA by name.

use crate::model::near::nearest;

/// Each with whether its objects have a namespace (`k8s.io/api@0.37.2 resource`), the parts of a claim's status that only
/// rights know among them.
const RESOURCES: [(&str, bool); 11] = [
    ("deviceclasses", false),
    ("devicetaintrules", false),
    ("devicetaintrules/status", false),
    ("resourceclaims", true),
    ("resourceclaims/binding", true),
    ("resourceclaims/driver", true),
    ("resourceclaims/status", true),
    ("resourceclaimtemplates", true),
    ("resourcepoolstatusrequests", false),
    ("resourcepoolstatusrequests/status", false),
    ("resourceslices", false),
];

/// Whether the objects of a resource have a namespace; nothing of one that is not known.
pub fn is_namespaced(resource: &str) -> Option<bool> {
    let known = RESOURCES.iter().find(|(known, _)| *known == resource)?;
    Some(known.1)
}

/// The resource that a name is nearly, but not quite.
pub fn meant(entry: &str) -> Option<&'static str> {
    if is_namespaced(entry).is_some() || entry.contains('*') {
        return None;
    }
    nearest(entry, &RESOURCES.map(|(known, _)| known))
}
