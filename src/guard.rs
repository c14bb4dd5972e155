//! From a request to a decision: the one way through checks and verdict.

use std::sync::Arc;

use crate::checks::{self, Context};
use crate::ledger::inventory::Inventory;
use crate::model::request::Request;
use crate::settings::Settings;
use crate::verdict::decision::{Decision, Pool};

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
        Decision::of(checks::validate(request, &self.context()), Pool::Whole, &self.settings)
    }

    /// The decision of the mutating phase: never a refusal.
    #[must_use]
    pub fn mutate(&self, _request: &Request<'_>) -> Decision {
        todo!("lead")
    }

    fn context(&self) -> Context<'_> {
        Context { settings: &self.settings, target: None, inventory: self.inventory.as_deref() }
    }
}
