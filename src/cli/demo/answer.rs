//! What an answer said, next to what was expected of it.

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
    /// The rules that spoke, each once.
    pub(super) rules: Vec<String>,
    /// The first finding in words.
    pub(super) why: String,
}

impl Answer {
    /// Reads an AdmissionReview.
    pub(super) fn of(review: &Value) -> Self {
        let at = |pointer: &str| review.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let denied = review.pointer("/response/allowed") != Some(&Value::Bool(true));
        let patched = review.pointer("/response/patch").is_some();
        let why = if denied { at("/response/status/message") } else { at("/response/warnings/0") };
        Self {
            verdict: if denied {
                "denied"
            } else if patched {
                "patched"
            } else {
                "allowed"
            },
            rules: rules(at("/response/auditAnnotations/findings")),
            why: why.lines().next().unwrap_or_default().to_owned(),
        }
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

/// The rule ids in an annotation, which lists `severity rule path`.
fn rules(annotation: &str) -> Vec<String> {
    let mut ids: Vec<String> = annotation
        .split("; ")
        .filter_map(|entry| entry.split(' ').find(|word| word.starts_with("DG")))
        .map(str::to_owned)
        .collect();
    ids.sort();
    ids.dedup();
    ids
}
