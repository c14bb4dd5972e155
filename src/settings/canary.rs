//! The canary's node selector, made ready, and whether a node could select itself with it.

use super::names::{is_label_key, is_label_value};
use super::problem::Problem;
use super::rollout::{self, Expression, NodeAllocatableRollout, Selector};
use super::{Canary, Operator, Requirement};
use crate::model::path::Path;
use crate::model::text::quoted;

/// Labels under this prefix cannot be set by a kubelet, not even on its own node.
const RESTRICTED: &str = "node-restriction.kubernetes.io/";

/// The canary; what is wrong with it is added to `problems`.
pub(super) fn ready(typed: &rollout::Canary, problems: &mut Vec<Problem>) -> Canary {
    let requirements: Vec<Requirement> = requirements(&typed.node_selector).collect();
    if requirements.is_empty() {
        let problem = Problem::new(selector(), "", "the selector is empty and would select every node");
        problems.push(problem.expected("a label").remedy("leave out `canary` to switch the feature on everywhere"));
    }
    check_labels(&typed.node_selector, problems);
    check_expressions(&typed.node_selector, problems);
    Canary { requirements, outside: typed.outside.unwrap_or_default() }
}

/// DG504: no label that the selector asks for is out of a kubelet's reach, so a node could join the canary by itself.
///
/// A label that must be absent is no hindrance: a new node has none.
#[must_use]
pub fn kubelet_settable(rollout: &NodeAllocatableRollout) -> Option<Problem> {
    let selector_typed = &rollout.spec.as_ref()?.canary.as_ref()?.node_selector;
    let mut keys = Vec::new();
    for requirement in requirements(selector_typed) {
        if requirement.key.starts_with(RESTRICTED) && asks_for_label(requirement.operator) {
            return None;
        }
        keys.push(requirement.key);
    }
    let value = keys.join(", ");
    let problem = Problem::new(selector(), &value, "a kubelet can label its own node so that it joins the canary");
    let example = format!("{RESTRICTED}dra-canary");
    Some(problem.expected(format!("at least one label under {RESTRICTED}")).remedy(format!("select by {example}")))
}

const fn asks_for_label(operator: Operator) -> bool {
    matches!(operator, Operator::In | Operator::Exists)
}

fn selector() -> Path {
    Path::fields(&["spec", "canary", "nodeSelector"])
}

fn requirements(selector: &Selector) -> impl Iterator<Item = Requirement> {
    let labels = selector.match_labels.iter().flatten().map(|(key, value)| Requirement {
        key: key.clone(),
        operator: Operator::In,
        values: vec![value.clone()],
    });
    labels.chain(selector.match_expressions.iter().flatten().map(|expression| Requirement {
        key: expression.key.clone(),
        operator: expression.operator,
        values: expression.values.clone().unwrap_or_default(),
    }))
}

fn check_labels(typed: &Selector, problems: &mut Vec<Problem>) {
    for (key, value) in typed.match_labels.iter().flatten() {
        let path = selector().field("matchLabels").entry(key);
        problems.extend(bad_key(path.clone(), key));
        problems.extend(bad_value(path, value));
    }
}

fn check_expressions(typed: &Selector, problems: &mut Vec<Problem>) {
    for (index, expression) in typed.match_expressions.iter().flatten().enumerate() {
        let path = selector().field("matchExpressions").item(index);
        problems.extend(bad_key(path.clone().field("key"), &expression.key));
        problems.extend(bad_count(&path, expression));
        let values = expression.values.iter().flatten().enumerate();
        problems.extend(values.filter_map(|(nth, value)| bad_value(path.clone().field("values").item(nth), value)));
    }
}

fn bad_key(path: Path, key: &str) -> Option<Problem> {
    let problem = || Problem::new(path, key, format!("{} is no label", quoted(key)));
    (!is_label_key(key)).then(|| problem().expected("`name` or `domain/name`"))
}

fn bad_value(path: Path, value: &str) -> Option<Problem> {
    let problem = || Problem::new(path, value, format!("{} is no label value", quoted(value)));
    (!is_label_value(value)).then(|| problem().expected("at most 63 letters, digits, `-`, `_` and `.`"))
}

fn bad_count(path: &Path, expression: &Expression) -> Option<Problem> {
    let takes_values = matches!(expression.operator, Operator::In | Operator::NotIn);
    let given = expression.values.as_ref().map_or(0, Vec::len);
    let problem = |text: &str| Some(Problem::new(path.clone().field("values"), "", text));
    match (takes_values, given) {
        (true, 0) => problem("In and NotIn compare with at least one value"),
        (false, 1..) => problem("Exists and DoesNotExist take no values"),
        _ => None,
    }
}
