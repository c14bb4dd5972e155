//! The `NodeAllocatableRollout` document, as it was typed.
//!
//! Only its form is known here; whether its words mean anything is decided in [`super::ready`].

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use serde_path_to_error::{Path as Typed, Segment};

use super::problem::Problem;
use super::{Action, Admission, Mode, Operator, Outside, Writer};
use crate::model::near::nearest;
use crate::model::path::Path;

/// The document's `apiVersion`.
pub const API_VERSION: &str = "draguard.dev/v1alpha1";
/// The document's `kind`.
pub const KIND: &str = "NodeAllocatableRollout";
/// The only name such a document may have: there is one per cluster.
pub const NAME: &str = "default";

/// The fields whose value is a map.
const MAPS: [&str; 2] = ["rules", "matchLabels"];

/// The settings of one cluster.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NodeAllocatableRollout {
    /// [`API_VERSION`].
    pub api_version: String,
    /// [`KIND`].
    pub kind: String,
    /// Only the name counts.
    pub metadata: Metadata,
    /// What the operator decided; all of it may be left out.
    pub spec: Option<Spec>,
}

/// The part of an object's metadata that counts. The API server adds many fields more.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct Metadata {
    /// [`NAME`].
    pub name: Option<String>,
}

/// What the operator decided.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Spec {
    /// Whether findings refuse; `Enforce` when left out.
    pub mode: Option<Mode>,
    /// The nodes on which mappings may take effect; every node when left out.
    pub canary: Option<Canary>,
    /// Overrides by rule id.
    pub rules: Option<BTreeMap<String, Action>>,
    /// What is known of the drivers.
    pub drivers: Option<Vec<Driver>>,
    /// User names that may allocate, bind and write the pod-status list, beside `system:kube-scheduler`.
    pub binders: Option<Vec<String>>,
    /// The schemas that may be used (`v1.36`, `v1.37`); all when left out.
    pub schemas: Option<Vec<String>>,
    /// Whether mapped devices may be allocated anew; `Open` when left out.
    pub claim_admission: Option<ClaimAdmission>,
}

/// Whether mapped devices may be allocated anew, as typed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ClaimAdmission {
    /// `Open` or `Halted`.
    pub state: Admission,
    /// Why it is halted: everybody whose pods wait reads it.
    pub reason: Option<String>,
}

/// The canary as typed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Canary {
    /// The nodes in it.
    pub node_selector: Selector,
    /// What happens to a mapping on any other node; `Strip` when left out.
    pub outside: Option<Outside>,
}

/// A label selector.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Selector {
    /// Labels and their values.
    pub match_labels: Option<BTreeMap<String, String>>,
    /// Further requirements.
    pub match_expressions: Option<Vec<Expression>>,
}

/// One requirement of a label selector.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Expression {
    /// The label.
    pub key: String,
    /// How it is compared.
    pub operator: Operator,
    /// What it is compared with.
    pub values: Option<Vec<String>>,
}

/// One driver as typed.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Driver {
    /// The driver's name, as in `spec.driver` of its slices.
    pub name: String,
    /// The accounts that publish its slices, as `namespace/name`; anyone may when left out.
    pub service_accounts: Option<Vec<String>>,
    /// Where those publishers run.
    pub writer: Writer,
    /// The resources its devices may map; all when left out.
    pub resources: Option<Vec<String>>,
    /// The lowest version of the driver, as `MAJOR.MINOR.PATCH`.
    pub minimum_version: Option<String>,
}

/// Reads the document's form from JSON text.
pub fn parse(json: &str) -> Result<NodeAllocatableRollout, Problem> {
    // Through a value, since the reader of text calls a wrong type in place of a word a fault of syntax.
    let value: Value = serde_json::from_str(json).map_err(|error| Problem::new(Path::root(), "", error.to_string()))?;
    serde_path_to_error::deserialize(value).map_err(|error| problem(path_of(error.path()), &error.into_inner()))
}

fn path_of(typed: &Typed) -> Path {
    let mut in_map = false;
    typed.iter().fold(Path::root(), |path, segment| match segment {
        Segment::Seq { index } => path.item(*index),
        Segment::Map { key } | Segment::Enum { variant: key } => {
            let path = if in_map { path.entry(key) } else { path.field(key.clone()) };
            in_map = !in_map && MAPS.contains(&key.as_str());
            path
        }
        Segment::Unknown => path,
    })
}

/// The reader's words, made into ours: it quotes the unknown word first and then the known ones.
fn problem(path: Path, error: &serde_json::Error) -> Problem {
    let text = error.to_string().replace("expected string or map", "expected a string");
    let (fault, expected) = text.split_once(", expected ").unwrap_or((&text, ""));
    let known: Vec<&str> = expected.split('`').skip(1).step_by(2).collect();
    let given = fault.split('`').nth(1).unwrap_or_default();
    let remedy = nearest(given, &known).filter(|_| fault.starts_with("unknown"));
    Problem::new(path, given, fault)
        .expected(expected)
        .remedy(remedy.map(|name| format!("did you mean `{name}`?")).unwrap_or_default())
}
