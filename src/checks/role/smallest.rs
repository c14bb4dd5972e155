//! The smallest roles with which a driver, or a scheduler, does its work.

use std::fmt;

use crate::settings::Writer;

/// One rule of a role that is to be written.
#[derive(Debug, Clone)]
pub struct Grant {
    /// What it is for.
    pub purpose: &'static str,
    group: &'static str,
    resources: &'static str,
    name: Option<String>,
    verbs: &'static str,
}

/// Quoted: a name such as `1.5` is no string in YAML, and `:` has a meaning there.
const OWN_NODE: &str = "\"associated-node:update\", \"associated-node:patch\"";
const ANY_NODE: &str = "\"arbitrary-node:update\", \"arbitrary-node:patch\"";
const DRA: &str = "resource.k8s.io";

/// With these a driver writes what it says of its devices in the status of claims.
#[must_use]
pub fn device_status(driver: &str, writer: Writer) -> [Grant; 2] {
    let (purpose, verbs) = match writer {
        Writer::NodeLocal => {
            ("Its own entries of status.devices, in claims that are allocated on its own node", OWN_NODE)
        }
        Writer::ClusterWide => ("Its own entries of status.devices, in claims of every node", ANY_NODE),
    };
    let status = grant("The status of claims; what may change in it is up to the next rule", "resourceclaims/status");
    let entries = Grant { purpose, name: Some(driver.to_owned()), verbs, ..grant(purpose, "resourceclaims/driver") };
    [status, entries]
}

/// With these it also publishes its slices and prepares claims.
#[must_use]
pub fn driver(driver: &str, writer: Writer) -> Vec<Grant> {
    let read = Grant { verbs: "get", ..grant("The claims that it prepares", "resourceclaims") };
    let publish = Grant {
        verbs: "list, watch, create, update, delete",
        ..grant("Its slices; draguard sees to it that they are of its own driver and node", "resourceslices")
    };
    let node = Grant { group: "\"\"", verbs: "get", ..grant("The owner of its slices", "nodes") };
    [read].into_iter().chain(device_status(driver, writer)).chain([publish, node]).collect()
}

/// With this a scheduler allocates and reserves.
#[must_use]
pub fn allocation() -> Grant {
    grant("Allocation and reservedFor", "resourceclaims/status, resourceclaims/binding")
}

const fn grant(purpose: &'static str, resources: &'static str) -> Grant {
    Grant { purpose, group: DRA, resources, name: None, verbs: "update, patch" }
}

impl Grant {
    /// The fields, each in YAML.
    pub fn fields(&self) -> impl Iterator<Item = String> {
        let named = self.name.as_ref().map(|name| format!("resourceNames: [\"{name}\"]"));
        let what = [format!("apiGroups: [{}]", self.group), format!("resources: [{}]", self.resources)];
        what.into_iter().chain(named).chain([format!("verbs: [{}]", self.verbs)])
    }
}

/// In one line, as YAML.
impl fmt::Display for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{}}}", self.fields().collect::<Vec<_>>().join(", "))
    }
}
