//! From a request to a decision: the one way through checks and verdict.

use std::sync::Arc;

use crate::checks::{self, Context, Judged};
use crate::ledger::inventory::Inventory;
use crate::model::request::Request;
use crate::settings::Settings;
use crate::verdict::decision::{Decision, Pool};
use crate::verdict::rule::Phase;

/// What a server decides with. Cheap to clone; replaced as a whole when the settings change.
#[derive(Debug, Clone, Default)]
pub struct Guard {
    /// What the operator decided.
    pub settings: Arc<Settings>,
    /// The other objects, where they are known.
    pub inventory: Option<Arc<Inventory>>,
}

impl Guard {
    /// The decision of the validating phase.
    #[must_use]
    pub fn validate(&self, request: &Request<'_>) -> Decision {
        let Judged { findings, pool } = checks::judge(request, &self.context());
        Decision::of(findings, pool, &self.settings)
    }

    /// The decision of the mutating phase: patches, never a refusal.
    #[must_use]
    pub fn mutate(&self, request: &Request<'_>) -> Decision {
        let Judged { mut findings, .. } = checks::judge(request, &self.context());
        findings.retain(|finding| finding.rule.phase == Phase::Mutate);
        Decision::of(findings, Pool::Whole, &self.settings).patched()
    }

    /// What the checks may ask beside the request.
    #[must_use]
    pub fn context(&self) -> Context<'_> {
        Context { settings: &self.settings, target: None, inventory: self.inventory.as_deref() }
    }
}
