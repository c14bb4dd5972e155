//! What kubectl shows of a finding.

use draguard_testbed::{Kubectl, Printed};
use serde_json::Value;

/// What a finding has to tell: the rule, parts of the field's path, and how to mend it.
pub struct Told<'a> {
    /// The rule.
    pub rule: &'a str,
    /// Parts of the field's path.
    pub path: &'a [&'a str],
    /// Part of the remedy.
    pub remedy: &'a str,
}

/// Shorthand for [`Told`].
pub const fn told<'a>(rule: &'a str, path: &'a [&'a str], remedy: &'a str) -> Told<'a> {
    Told { rule, path, remedy }
}

impl Told<'_> {
    /// Requires a refusal that tells it all.
    pub fn refused(&self, printed: &Printed) {
        assert_ne!(printed.code, 0, "{}: not refused: {printed:?}", self.rule);
        assert!(printed.stderr.contains(".draguard.dev\" denied the request: "), "{}", printed.stderr);
        self.line(&printed.stderr);
    }

    /// Requires a success with a warning that tells it all.
    pub fn warned(&self, printed: &Printed) {
        assert_eq!(printed.code, 0, "{}", printed.stderr);
        assert!(self.line(&printed.stderr).starts_with("Warning: "), "{}", printed.stderr);
    }

    /// Requires a text that tells it all.
    pub fn read(&self, text: &str) {
        self.line(text);
    }

    fn line<'t>(&self, text: &'t str) -> &'t str {
        let start = format!("{} ", self.rule);
        let line = text.lines().find(|line| line.contains(&start));
        let line = line.unwrap_or_else(|| panic!("no {} in {text}", self.rule));
        let (_, finding) = line.split_once(&start).expect("the rule");
        let (path, rest) = finding.split_once(": ").expect("a path");
        let (_, remedy) = rest.split_once("; to mend: ").expect("a remedy");
        assert!(self.path.iter().all(|part| path.contains(part)), "{:?} in {line}", self.path);
        assert!(remedy.contains(self.remedy), "{:?} in {line}", self.remedy);
        line
    }
}

/// `kubectl create` of one object.
pub fn create(kubectl: &Kubectl, object: &Value) -> Printed {
    kubectl.run_with_input(&["create", "-f", "-"], &object.to_string())
}
