//! What a role of RBAC may give a writer of claim status.

use serde_json::{Value, json};

use super::claims::CLAIMS;
use super::ground::Ground;

/// A rule of a role.
#[derive(Clone, Copy)]
pub struct Right {
    on: &'static str,
    verbs: &'static [&'static str],
    names: Names,
}

/// Its `resourceNames`.
#[derive(Clone, Copy)]
pub enum Names {
    /// None, which means all.
    Any,
    /// The driver of the gpus.
    Gpu,
    /// The driver of the nics.
    Nic,
    /// Both drivers.
    Drivers,
    /// All claims of the table.
    Claims,
}

const WRITES: &[&str] = &["update", "patch"];
const LOCAL: &[&str] = &["associated-node:update", "associated-node:patch"];
const ANYWHERE: &[&str] = &["arbitrary-node:update", "arbitrary-node:patch"];
const ALL: &[&str] = &["*"];

/// Without it a write of status does not even come to the question who may write which part.
pub const STATUS: Right = right("resourceclaims/status", WRITES, Names::Any);
/// Everything of the API group.
pub const EVERYTHING: Right = right("*", ALL, Names::Any);

/// Allocations and reservations.
pub const BINDING: Right = right("resourceclaims/binding", WRITES, Names::Any);
pub const BINDING_BY_UPDATE: Right = right("resourceclaims/binding", &["update"], Names::Any);
pub const BINDING_BY_PATCH: Right = right("resourceclaims/binding", &["patch"], Names::Any);
pub const BINDING_OF_CLAIMS: Right = right("resourceclaims/binding", WRITES, Names::Claims);
pub const BINDING_OF_WHATEVER: Right = right("*/binding", WRITES, Names::Any);
/// Looks as if it were every subresource, and is none.
pub const NOTHING_OF_CLAIMS: Right = right("resourceclaims/*", ALL, Names::Any);

/// Device status, for claims of the writer's own node.
pub const LOCAL_GPU: Right = right("resourceclaims/driver", LOCAL, Names::Gpu);
pub const LOCAL_GPU_BY_UPDATE: Right = right("resourceclaims/driver", &["associated-node:update"], Names::Gpu);
pub const LOCAL_GPU_BY_PATCH: Right = right("resourceclaims/driver", &["associated-node:patch"], Names::Gpu);
pub const LOCAL_NIC: Right = right("resourceclaims/driver", LOCAL, Names::Nic);
pub const LOCAL_DRIVERS: Right = right("resourceclaims/driver", LOCAL, Names::Drivers);
pub const LOCAL_ALL: Right = right("resourceclaims/driver", LOCAL, Names::Any);

/// Device status, wherever the claim is allocated.
pub const ANYWHERE_GPU: Right = right("resourceclaims/driver", ANYWHERE, Names::Gpu);
pub const ANYWHERE_GPU_BY_UPDATE: Right = right("resourceclaims/driver", &["arbitrary-node:update"], Names::Gpu);
pub const ANYWHERE_ALL: Right = right("resourceclaims/driver", ANYWHERE, Names::Any);
pub const EVERY_VERB_GPU: Right = right("resourceclaims/driver", ALL, Names::Gpu);
/// The verbs that one would expect, and that nobody asks for.
pub const PLAIN_GPU: Right = right("resourceclaims/driver", WRITES, Names::Gpu);

const fn right(on: &'static str, verbs: &'static [&'static str], names: Names) -> Right {
    Right { on, verbs, names }
}

impl Right {
    /// The rule.
    pub fn rule(self, ground: &Ground) -> Value {
        let mut rule = json!({ "apiGroups": ["resource.k8s.io"], "resources": [self.on], "verbs": self.verbs });
        let names = match self.names {
            Names::Any => return rule,
            Names::Gpu => json!([ground.gpu]),
            Names::Nic => json!([ground.nic]),
            Names::Drivers => json!([ground.gpu, ground.nic]),
            Names::Claims => CLAIMS.iter().map(|claim| claim.name).collect(),
        };
        rule["resourceNames"] = names;
        rule
    }
}
