//! What an answer said, next to what was expected of it.

use std::collections::BTreeSet;

use serde_json::Value;

/// What a recorded review is to come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expected {
    /// Allowed, and nothing found.
    Clean,
    /// Refused by exactly these rules.
    Denied(&'static [&'static str]),
    /// Patched by exactly these rules.
    Patched(&'static [&'static str]),
}

/// What an answer said.
#[derive(Debug)]
pub(super) struct Answer {
    /// `allowed`, `denied` or `patched`.
    pub(super) verdict: &'static str,
    /// The rules that refused, or else all that spoke.
    pub(super) rules: Vec<String>,
    /// The first finding in words.
    pub(super) why: String,
}

impl Answer {
    /// Reads an AdmissionReview.
    pub(super) fn of(review: &Value) -> Self {
        let response = review.get("response").unwrap_or(&Value::Null);
        if response.get("allowed") != Some(&Value::Bool(true)) {
            return Self::denied(response);
        }
        let verdict = if response.get("patch").is_some() { "patched" } else { "allowed" };
        let why = first_line(response.pointer("/warnings/0"));
        Self { verdict, rules: annotated(response), why }
    }

    fn denied(response: &Value) -> Self {
        let causes = response.pointer("/status/details/causes").and_then(Value::as_array);
        let reasons = causes.into_iter().flatten().filter_map(|cause| cause.get("reason")?.as_str());
        let why = first_line(response.pointer("/status/message"));
        Self { verdict: "denied", rules: once(reasons), why }
    }

    /// True when the answer is the expected one.
    pub(super) fn is(&self, expected: Expected) -> bool {
        let (verdict, rules) = match expected {
            Expected::Clean => ("allowed", [].as_slice()),
            Expected::Denied(rules) => ("denied", rules),
            Expected::Patched(rules) => ("patched", rules),
        };
        self.verdict == verdict && self.rules == rules
    }
}

/// The rules in the audit annotation, which lists `severity rule path`.
fn annotated(response: &Value) -> Vec<String> {
    let annotation = response.pointer("/auditAnnotations/findings").and_then(Value::as_str).unwrap_or_default();
    once(annotation.split("; ").filter_map(|entry| entry.split(' ').find(|word| word.starts_with("DG"))))
}

fn once<'a>(ids: impl Iterator<Item = &'a str>) -> Vec<String> {
    ids.map(str::to_owned).collect::<BTreeSet<_>>().into_iter().collect()
}

fn first_line(text: Option<&Value>) -> String {
    text.and_then(Value::as_str).and_then(|text| text.lines().next()).unwrap_or_default().to_owned()
}
