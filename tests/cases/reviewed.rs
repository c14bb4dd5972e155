//! `draguard review` over files made for one test.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::common::server::Folder;

/// What one call of `draguard review` said.
#[derive(Debug)]
pub struct Report {
    /// Exit code.
    pub exit: i32,
    /// The JSON report.
    pub json: Value,
}

/// Reviews these files (name and content) in a folder of their own.
pub fn review(files: &[(&str, &str)], flags: &[&str]) -> Report {
    let folder = Folder::new();
    for (name, content) in files {
        fs::write(folder.path().join(name), content).unwrap();
    }
    run(folder.path(), flags)
}

/// Reviews one document.
pub fn one(document: &str) -> Report {
    review(&[("object.yaml", document)], &[])
}

/// Reviews one of the complete objects of the cases.
pub fn object(name: &str, flags: &[&str]) -> Report {
    run(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/objects").join(name), flags)
}

fn run(path: &Path, flags: &[&str]) -> Report {
    let output = Command::new(env!("CARGO_BIN_EXE_draguard"))
        .args(["review", "--format", "json"])
        .args(flags)
        .arg(path)
        .output()
        .unwrap();
    let json = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    Report { exit: output.status.code().unwrap(), json }
}

impl Report {
    /// Rule ids of this severity, sorted, each once.
    pub fn rules(&self, severity: &str) -> Vec<&str> {
        let findings = self.json["findings"].as_array().unwrap();
        let found = findings.iter().filter(|finding| finding["severity"] == severity);
        let mut rules: Vec<&str> = found.map(|finding| finding["rule"].as_str().unwrap()).collect();
        rules.sort_unstable();
        rules.dedup();
        rules
    }

    /// The first finding of a rule.
    pub fn finding(&self, rule: &str) -> &Value {
        let findings = self.json["findings"].as_array().unwrap();
        findings.iter().find(|finding| finding["rule"] == rule).unwrap_or_else(|| panic!("no {rule} in {self:?}"))
    }

    /// Nothing was found.
    pub fn is_clean(&self) {
        assert_eq!((self.exit, self.json["findings"].as_array().unwrap().len()), (0, 0), "{self:?}");
    }

    /// Exactly these rules deny.
    pub fn denies(&self, rules: &[&str]) {
        assert_eq!((self.exit, self.rules("deny").as_slice()), (1, rules), "{self:?}");
    }

    /// Exactly these rules warn, and nothing denies.
    pub fn warns(&self, rules: &[&str]) {
        assert_eq!((self.exit, self.rules("deny").len(), self.rules("warn").as_slice()), (0, 0, rules), "{self:?}");
    }

    /// A finding of the rule says this, in its message or remedy.
    pub fn says(&self, rule: &str, words: &str) {
        let finding = self.finding(rule);
        let text = format!("{} {}", finding["message"], finding["remedy"]);
        assert!(text.contains(words), "{words:?} not in {text}");
    }
}

/// A slice of node-a with one device; `content` is the device's YAML in flow style, without its name.
pub fn slice(content: &str) -> String {
    slice_of(&format!("[{{name: dev-0, {content}}}]"))
}

/// A slice of node-a with these devices.
pub fn slice_of(devices: &str) -> String {
    pool_slice("slice-1", "node-a", "{name: node-a, generation: 1, resourceSliceCount: 1}", devices)
}

/// A slice of any pool and node.
pub fn pool_slice(name: &str, node: &str, pool: &str, devices: &str) -> String {
    format!(
        "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {{name: {name}}}\nspec:\n  driver: d.example.com\n  \
         nodeName: {node}\n  pool: {pool}\n  devices: {devices}\n"
    )
}

/// A slice with one device of v1.37's shape.
pub fn mapped(resources: &str) -> String {
    slice(&format!("nodeAllocatableResources: {{{resources}}}"))
}

/// A slice with one device of v1.36's shape.
pub fn mapped_v136(resources: &str) -> String {
    slice(&format!("nodeAllocatableResourceMappings: {{{resources}}}"))
}
