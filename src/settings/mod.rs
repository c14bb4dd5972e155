//! What the operator decided, in two steps: the document as typed ([`rollout`]), and the settings ready to use
//! ([`ready`]). Every error surfaces between the two, none in the way of a request.

use std::collections::BTreeMap;

use serde::Deserialize;

mod action;
pub mod canary;
pub mod driver;
pub mod load;
pub mod names;
pub mod problem;
pub mod ready;
pub mod reload;
pub mod rollout;

/// Whether findings refuse, or only speak.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
pub enum Mode {
    /// Nothing is refused or patched; what would have been is a warning.
    Audit,
    /// Findings refuse, patch and warn as their rules say.
    #[default]
    Enforce,
}

/// Whether mapped devices may be allocated anew.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
pub enum Admission {
    /// They may.
    #[default]
    Open,
    /// They wait; what is allocated already is not touched.
    Halted,
}

/// What the operator made of one rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// The rule is silent.
    Off,
    /// Every finding is a warning.
    Warn,
    /// Findings are refused.
    Deny,
    /// Findings are refused in a pool of one slice, and warned about in a larger one.
    Quarantine,
}

/// Where a driver's publishers run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum Writer {
    /// On the node whose slices they write.
    NodeLocal,
    /// Anywhere: a controller that writes slices of any node or of none.
    ClusterWide,
}

/// What the operator says of one driver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Driver {
    /// User names that may write its slices (`system:serviceaccount:NAMESPACE:NAME`); empty when anyone may.
    pub writers: Vec<String>,
    /// Where those writers run.
    pub writer: Writer,
    /// Resources its devices may map; `None` is all.
    pub resources: Option<Vec<String>>,
    /// The lowest `driverVersion` attribute allowed, as major, minor, patch.
    pub minimum_version: Option<[u64; 3]>,
}

/// What happens to a mapping outside the canary.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
pub enum Outside {
    /// The slice keeps its devices and loses the mapping.
    #[default]
    Strip,
    /// The slice is refused.
    Deny,
    /// The writer is told.
    Warn,
}

/// One `key operator values` requirement on a node's labels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requirement {
    /// The label.
    pub key: String,
    /// How it is compared.
    pub operator: Operator,
    /// What it is compared with.
    pub values: Vec<String>,
}

/// The operators of a label selector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum Operator {
    /// The label has one of the values.
    In,
    /// The label is absent, or has none of the values.
    NotIn,
    /// The label is there.
    Exists,
    /// The label is not there.
    DoesNotExist,
}

/// The nodes on which mappings may take effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Canary {
    /// All must hold.
    pub requirements: Vec<Requirement>,
    /// What happens to a mapping on any other node.
    pub outside: Outside,
}

impl Canary {
    /// True when a node with these labels is in the canary.
    #[must_use]
    pub fn holds(&self, labels: &BTreeMap<String, String>) -> bool {
        self.requirements.iter().all(|requirement| requirement.holds(labels))
    }
}

impl Requirement {
    fn holds(&self, labels: &BTreeMap<String, String>) -> bool {
        let value = labels.get(&self.key);
        let listed = value.is_some_and(|value| self.values.contains(value));
        match self.operator {
            Operator::In => listed,
            Operator::NotIn => !listed,
            Operator::Exists => value.is_some(),
            Operator::DoesNotExist => value.is_none(),
        }
    }
}

/// Everything the operator decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Whether findings refuse.
    pub mode: Mode,
    /// Overrides by rule id.
    pub rules: BTreeMap<String, Action>,
    /// Drivers by name.
    pub drivers: BTreeMap<String, Driver>,
    /// User names that may allocate, bind and write the pod-status list.
    pub binders: Vec<String>,
    /// Names of the schemas that may be used (`v1.36`, `v1.37`); `None` is all.
    pub schemas: Option<Vec<String>>,
    /// The canary; `None` is every node.
    pub canary: Option<Canary>,
    /// Why the operator lets no mapped device be allocated anew; `None` while they may be.
    pub halt: Option<String>,
}

impl Settings {
    /// What the operator made of the rule, if anything.
    #[must_use]
    pub fn action(&self, rule: &str) -> Option<Action> {
        self.rules.get(rule).copied()
    }
}

/// The stock binder, no driver, every schema, every node.
impl Default for Settings {
    fn default() -> Self {
        Self {
            mode: Mode::Enforce,
            rules: BTreeMap::new(),
            drivers: BTreeMap::new(),
            binders: vec!["system:kube-scheduler".to_owned()],
            schemas: None,
            canary: None,
            halt: None,
        }
    }
}

impl Driver {
    /// True when this user is named as one of the driver's writers.
    #[must_use]
    pub fn names(&self, username: &str) -> bool {
        self.writers.iter().any(|writer| writer == username)
    }

    /// True when this user may write the driver's slices; without a list anyone may.
    #[must_use]
    pub fn admits(&self, username: &str) -> bool {
        self.writers.is_empty() || self.names(username)
    }
}
