//! Webhook configurations and admission policies that are asked about DRA.

pub mod locks;
pub mod never_fires;
pub mod versions;

mod reach;

use crate::model::path::Path;
use crate::model::webhook::{Constraints, Matched, Webhook};

/// The kinds that are asked.
const ASKED: &[&str] = &[
    "ValidatingWebhookConfiguration",
    "MutatingWebhookConfiguration",
    "ValidatingAdmissionPolicy",
    "MutatingAdmissionPolicy",
];

/// The requests that a webhook, or a policy, is asked about.
#[derive(Debug, Clone)]
pub struct Asked<'a> {
    /// The rules: one that fits is enough.
    pub rules: &'a [Matched<'a>],
    /// The match policy; `Equivalent` when absent.
    pub policy: Option<&'a str>,
    /// Where the list of rules is.
    pub at: Path,
}

impl<'a> Asked<'a> {
    /// Of a webhook that stands at `at`.
    #[must_use]
    pub fn of_webhook(webhook: &'a Webhook<'a>, at: &Path) -> Self {
        Self { rules: &webhook.rules, policy: webhook.policy.as_deref(), at: at.clone().field("rules") }
    }

    /// Of a policy.
    #[must_use]
    pub fn of_policy(constraints: &'a Constraints<'a>) -> Self {
        let at = Path::fields(&["spec", "matchConstraints", "resourceRules"]);
        Self { rules: &constraints.rules, policy: constraints.policy.as_deref(), at }
    }
}
