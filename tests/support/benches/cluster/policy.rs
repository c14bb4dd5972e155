//! An in-tree policy for what draguard is asked about, which does no more than read the object.

use std::time::Duration;

use draguard_testbed::objects::{DRA, object};
use draguard_testbed::{Client, path_of, wait_until};
use serde_json::{Value, json};

const GROUP: &str = "admissionregistration.k8s.io/v1";
const SOON: Duration = Duration::from_secs(60);
/// The only name that the policy refuses, which tells whether it is in force.
const PROBE: &str = "draguard-testbed-policy-probe";

/// The policy, installed on demand.
pub struct Policy {
    admin: Client,
}

impl Policy {
    /// A policy that is not installed yet.
    pub fn new(admin: Client) -> Policy {
        Policy { admin }
    }

    /// Installs the policy, and returns once it is in force.
    pub fn install(&self) {
        for object in [policy(), binding()] {
            self.admin.create(&object).must();
        }
        self.wait_refusing(true);
    }

    /// Removes the policy, and returns once it is out of force.
    pub fn remove(&self) {
        for object in [binding(), policy()] {
            self.admin.delete(&path_of(&object)).must();
        }
        self.wait_refusing(false);
    }

    fn wait_refusing(&self, wanted: bool) {
        wait_until("the policy to come or to go", SOON, || self.refuses(), |refuses| *refuses == wanted);
    }

    fn refuses(&self) -> bool {
        let mut probe = object(DRA, "ResourceSlice", None, PROBE);
        probe["spec"] = json!({
            "driver": "probe.example.com", "allNodes": true, "devices": [],
            "pool": { "name": "probe", "generation": 1, "resourceSliceCount": 1 },
        });
        let answer = self.admin.post(&format!("/apis/{DRA}/resourceslices?dryRun=All"), &probe);
        answer.message().contains("draguard-bench")
    }
}

fn policy() -> Value {
    let rule = |group: &str, resources: &[&str]| json!({ "apiGroups": [group], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"], "resources": resources });
    let claims = ["resourceslices", "resourceclaims", "resourceclaims/status"];
    let mut policy = object(GROUP, "ValidatingAdmissionPolicy", None, "draguard-bench");
    policy["spec"] = json!({
        "failurePolicy": "Fail",
        "matchConstraints": { "resourceRules": [
            rule("resource.k8s.io", &claims), rule("", &["pods", "pods/status"]),
        ] },
        "validations": [{ "expression": format!("object.metadata.name != '{PROBE}'") }],
    });
    policy
}

fn binding() -> Value {
    let mut binding = object(GROUP, "ValidatingAdmissionPolicyBinding", None, "draguard-bench");
    binding["spec"] = json!({ "policyName": "draguard-bench", "validationActions": ["Deny"] });
    binding
}
