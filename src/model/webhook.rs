//! Webhook configurations and admission policies: which requests they are asked about.

use super::decode::{Entries, Items, Number, Text, object};
use super::role::DRA;
use super::selector::Requirement;

object! {
    /// A `ValidatingWebhookConfiguration` or `MutatingWebhookConfiguration`.
    Webhooks {
        /// The webhooks.
        hooks: Items<Webhook<'a>> = "webhooks",
    }
    known: ["apiVersion", "kind", "metadata"]
}

object! {
    /// One webhook.
    Webhook {
        /// Its name.
        name: Option<Text<'a>> = "name",
        /// What it is asked about.
        rules: Items<Matched<'a>> = "rules",
        /// `Fail` when absent.
        failure: Option<Text<'a>> = "failurePolicy",
        /// `Equivalent` when absent.
        policy: Option<Text<'a>> = "matchPolicy",
        /// Seconds; 10 when absent.
        timeout: Option<Number> = "timeoutSeconds",
        /// Where it is called.
        client: Option<ClientConfig<'a>> = "clientConfig",
        /// The namespaces it is asked about; all when absent.
        namespaces: Option<LabelSelector<'a>> = "namespaceSelector",
        /// The objects it is asked about; all when absent.
        objects: Option<LabelSelector<'a>> = "objectSelector",
        /// Conditions under which it is asked.
        conditions: Items<Condition<'a>> = "matchConditions",
    }
    known: ["admissionReviewVersions", "sideEffects", "reinvocationPolicy"]
}

object! {
    /// Where a webhook is called.
    ClientConfig {
        /// In the cluster.
        service: Option<Service<'a>> = "service",
    }
    known: ["url", "caBundle"]
}

object! {
    /// A service of the cluster.
    Service {
        /// Its namespace.
        namespace: Option<Text<'a>> = "namespace",
    }
    known: ["name", "path", "port"]
}

object! {
    /// A condition in CEL.
    Condition {
        /// The expression.
        expression: Option<Text<'a>> = "expression",
    }
    known: ["name"]
}

object! {
    /// A selector of labels.
    LabelSelector {
        /// Labels and their values.
        labels: Entries<'a, Text<'a>> = "matchLabels",
        /// Further requirements.
        expressions: Items<Requirement<'a>> = "matchExpressions",
    }
    known: []
}

object! {
    /// One rule: a request that fits all of its lists is asked about.
    Matched {
        /// API groups.
        groups: Items<Text<'a>> = "apiGroups",
        /// Versions of them.
        versions: Items<Text<'a>> = "apiVersions",
        /// Resources, or resource and subresource.
        resources: Items<Text<'a>> = "resources",
        /// Operations.
        operations: Items<Text<'a>> = "operations",
        /// `Cluster`, `Namespaced`, or both.
        scope: Option<Text<'a>> = "scope",
    }
    known: ["resourceNames"]
}

object! {
    /// A `ValidatingAdmissionPolicy` or `MutatingAdmissionPolicy`.
    Policy {
        /// What it says.
        spec: Option<PolicySpec<'a>> = "spec",
    }
    known: ["apiVersion", "kind", "metadata", "status"]
}

object! {
    /// What such a policy says, as far as it is read.
    PolicySpec {
        /// The requests it is about.
        constraints: Option<Constraints<'a>> = "matchConstraints",
    }
    known: []
}

object! {
    /// The requests a policy is about.
    Constraints {
        /// The rules.
        rules: Items<Matched<'a>> = "resourceRules",
        /// `Equivalent` when absent.
        policy: Option<Text<'a>> = "matchPolicy",
    }
    known: ["excludeResourceRules", "namespaceSelector", "objectSelector"]
}

impl Webhook<'_> {
    /// True when requests are refused while the webhook does not answer.
    #[must_use]
    pub fn fails_closed(&self) -> bool {
        self.failure.as_deref() != Some("Ignore")
    }

    /// How long an API server waits, in seconds.
    #[must_use]
    pub fn seconds(&self) -> i64 {
        const DEFAULT: i64 = 10;
        self.timeout.as_ref().and_then(Number::whole).unwrap_or(DEFAULT)
    }

    /// The namespace of the service that is called.
    #[must_use]
    pub fn namespace(&self) -> Option<&str> {
        self.client.as_ref()?.service.as_ref()?.namespace.as_deref()
    }

    /// True when a condition says anything of this word.
    #[must_use]
    pub fn has_condition_on(&self, word: &str) -> bool {
        let mut expressions = self.conditions.iter().filter_map(|condition| condition.expression.as_deref());
        expressions.any(|expression| expression.contains(word))
    }
}

impl LabelSelector<'_> {
    /// True when it asks for nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.expressions.is_empty()
    }

    /// True when it takes in the namespace of this name for sure: other labels of it are not known.
    #[must_use]
    pub fn holds_namespace(&self, name: &str) -> bool {
        const NAME: &str = "kubernetes.io/metadata.name";
        let labels = self.labels.iter().all(|(key, value)| &**key == NAME && &**value == name);
        let holds = |one: &Requirement<'_>| {
            let listed = one.values.iter().any(|value| &**value == name);
            let known = one.key.as_deref() == Some(NAME);
            known
                && match one.operator.as_deref() {
                    Some("In") => listed,
                    Some("NotIn") => !listed,
                    operator => operator == Some("Exists"),
                }
        };
        labels && self.expressions.iter().all(holds)
    }
}

impl Matched<'_> {
    /// True when the rule is about this group by its name.
    #[must_use]
    pub fn names_group(&self, name: &str) -> bool {
        self.groups.iter().any(|group| **group == *name)
    }

    /// True when the rule is about every group.
    #[must_use]
    pub fn is_of_any_group(&self) -> bool {
        self.names_group("*")
    }

    /// True when the rule is about DRA, by name or by wildcard.
    #[must_use]
    pub fn is_dra(&self) -> bool {
        self.names_group(DRA) || self.is_of_any_group()
    }

    /// True when one of these operations is matched.
    #[must_use]
    pub fn has_operation(&self, any: &[&str]) -> bool {
        self.operations.iter().any(|operation| &**operation == "*" || any.contains(&&**operation))
    }

    /// True when an entry takes in this resource, which may have a subresource.
    #[must_use]
    pub fn takes_in(&self, asked: &str) -> bool {
        self.resources.iter().any(|entry| entry_takes_in(entry, asked))
    }
}

/// `*` is every resource but no subresource, `*/*` is all of them (`apiserver pkg/admission/plugin/webhook/predicates/rules`).
fn entry_takes_in(entry: &str, asked: &str) -> bool {
    let split = |text| str::split_once(text, '/').unwrap_or((text, ""));
    let ((resource, part), (asked_resource, asked_part)) = (split(entry), split(asked));
    let fits = |entry: &str, asked: &str| entry == asked || entry == "*";
    fits(resource, asked_resource) && fits(part, asked_part)
}
