//! Webhook configurations that call a test's webhook, and only for what the test made.

use std::time::Duration;

use serde_json::{Value, json};

use crate::kubeconfig::base64;
use crate::webhook::PROBE;
use crate::{Client, Webhook, path_of, wait_for};

const IN_FORCE: Duration = Duration::from_mins(2);

/// Which of the two kinds of webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Before validation; may patch.
    Mutate,
    /// After validation; may only decide.
    Validate,
}

impl Phase {
    pub(crate) fn path(self) -> &'static str {
        match self {
            Phase::Mutate => "mutate",
            Phase::Validate => "validate",
        }
    }

    fn kind(self) -> &'static str {
        match self {
            Phase::Mutate => "MutatingWebhookConfiguration",
            Phase::Validate => "ValidatingWebhookConfiguration",
        }
    }
}

/// One rule: group, version, resources and operations.
#[derive(Clone, Debug)]
pub struct Rule(Value);

impl Rule {
    /// Resources of `resource.k8s.io/v1`, all operations.
    pub fn dra(resources: &[&str]) -> Rule {
        Self::of("resource.k8s.io", "v1", resources)
    }

    /// Resources of the core group, all operations.
    pub fn core(resources: &[&str]) -> Rule {
        Self::of("", "v1", resources)
    }

    /// Resources of any group and version, all operations.
    pub fn of(group: &str, version: &str, resources: &[&str]) -> Rule {
        Rule(json!({ "apiGroups": [group], "apiVersions": [version], "resources": resources,
            "operations": ["*"] }))
    }
}

/// An installed configuration; dropped means removed.
pub struct Hook {
    admin: Client,
    path: String,
}

impl Hook {
    /// Installs a webhook for what is in `namespace`, or is a ResourceSlice of a driver whose name
    /// starts with `namespace`, and returns once the API server calls it. `change` may alter the
    /// webhook's entry before (failurePolicy, matchConditions …).
    pub fn install(
        admin: &Client,
        webhook: &Webhook,
        phase: Phase,
        namespace: &str,
        rules: &[Rule],
        change: impl FnOnce(&mut Value),
    ) -> Hook {
        let name = format!("{namespace}-{}-{:08x}", phase.path(), crate::workspace::random() as u32);
        let mut entry = entry(webhook, phase, namespace, rules);
        change(&mut entry);
        let config = json!({ "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": phase.kind(), "metadata": { "name": name }, "webhooks": [entry] });
        admin.create(&config).must();
        let hook = Hook { admin: admin.clone(), path: path_of(&config) };
        wait_until_called(admin, webhook, phase, namespace);
        hook
    }
}

impl Hook {
    /// The path of the configuration.
    pub fn path(&self) -> &str {
        &self.path
    }
}

impl Drop for Hook {
    fn drop(&mut self) {
        self.admin.delete(&self.path);
    }
}

fn entry(webhook: &Webhook, phase: Phase, namespace: &str, rules: &[Rule]) -> Value {
    let mut all: Vec<Value> = rules.iter().map(|rule| rule.0.clone()).collect();
    all.push(Rule::core(&["configmaps"]).0);
    // The request of a cluster-scoped object has no namespace, and asking for it is an error.
    let mine = format!(
        "has(request.namespace) ? request.namespace == '{namespace}' : \
         request.resource.resource == 'resourceslices' && \
         (object != null ? object : oldObject).spec.driver.startsWith('{namespace}.')"
    );
    json!({
        "name": format!("{}.{namespace}.example.com", phase.path()),
        "rules": all,
        "clientConfig": { "url": webhook.url(phase),
            "caBundle": base64(webhook.authority().as_bytes()) },
        "matchConditions": [{ "name": "mine", "expression": mine }],
        "admissionReviewVersions": ["v1"],
        "sideEffects": "None",
        "failurePolicy": "Fail",
        "timeoutSeconds": 10,
    })
}

fn wait_until_called(admin: &Client, webhook: &Webhook, phase: Phase, namespace: &str) {
    let probe = json!({ "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": { "name": PROBE, "namespace": namespace } });
    let path = format!("/api/v1/namespaces/{namespace}/configmaps?dryRun=All");
    wait_for("the webhook configuration to be in force", IN_FORCE, || {
        let answer = admin.post(&path, &probe);
        match webhook.probed(phase) {
            true => Ok(()),
            false => Err(format!("{} {}", answer.code, answer.message())),
        }
    });
}
