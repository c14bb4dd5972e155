//! What a check says, before the rule's id is put on it.

use json_patch::PatchOperation;

use crate::ledger::view::Ref;
use crate::model::path::Path;
use crate::verdict::finding::Finding;
use crate::verdict::rule::{Effect, Rule};

/// One fault that a check found.
#[derive(Debug, Clone)]
pub struct Fault {
    path: Path,
    value: String,
    problem: String,
    expected: String,
    remedy: String,
    effect: Option<Effect>,
    patch: Vec<PatchOperation>,
    rests_on: Vec<Ref>,
}

impl Fault {
    /// A fault at `path`, where `value` stands.
    #[must_use]
    pub fn at(path: Path, value: impl Into<String>, problem: impl Into<String>) -> Self {
        Self {
            path,
            value: value.into(),
            problem: problem.into(),
            expected: String::new(),
            remedy: String::new(),
            effect: None,
            patch: Vec::new(),
            rests_on: Vec::new(),
        }
    }

    /// What was expected instead.
    #[must_use]
    pub fn expected(mut self, expected: impl Into<String>) -> Self {
        self.expected = expected.into();
        self
    }

    /// How to mend it.
    #[must_use]
    pub fn mend(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = remedy.into();
        self
    }

    /// In place of what the rule asks for by default.
    #[must_use]
    pub const fn effect(mut self, effect: Effect) -> Self {
        self.effect = Some(effect);
        self
    }

    /// Only a warning, whatever the rule asks for by default.
    #[must_use]
    pub const fn warn(self) -> Self {
        self.effect(Effect::Warn)
    }

    /// What mends it in the mutating phase.
    #[must_use]
    pub fn patch(mut self, patch: Vec<PatchOperation>) -> Self {
        self.patch = patch;
        self
    }

    /// The stored objects that it rests on.
    #[must_use]
    pub fn rests_on(mut self, refs: impl IntoIterator<Item = Ref>) -> Self {
        self.rests_on.extend(refs);
        self
    }

    /// The finding of this rule.
    #[must_use]
    pub fn of(self, rule: &'static Rule) -> Finding {
        let Self { path, value, problem, expected, remedy, effect, patch, rests_on } = self;
        let effect = effect.unwrap_or(rule.effect);
        Finding { rule, effect, path, value, problem, expected, remedy, patch, rests_on }
    }
}

/// Where checks put what they find. Bounded: an object with thousands of faults is told the first ones.
#[derive(Debug, Default)]
pub struct Faults {
    /// What was found so far.
    pub found: Vec<Fault>,
}

impl Faults {
    /// The most faults of one rule in one object.
    const MOST: usize = 256;

    /// Adds one more, if there is one.
    pub fn take(&mut self, fault: Option<Fault>) {
        if let Some(fault) = fault {
            self.push(fault);
        }
    }

    /// Adds one more.
    pub fn push(&mut self, fault: Fault) {
        if self.found.len() < Self::MOST {
            self.found.push(fault);
        }
    }
}
