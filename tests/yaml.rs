//! YAML is read as kubectl reads it: held against a table that the Go library itself filled (`tests/yaml_go`).
#![allow(clippy::unwrap_used, reason = "tests fail loudly")]

use std::collections::BTreeSet;

use draguard::files::yaml_to_json;
use serde::Deserialize;
use serde_json::Value;

/// One snippet and what Go makes of it.
#[derive(Deserialize)]
struct Row {
    yaml: String,
    #[serde(default)]
    json: Value,
    error: Option<String>,
    #[serde(default)]
    twice: bool,
}

/// The snippets that are meant to be read otherwise.
#[derive(Debug, Default, Deserialize, PartialEq, Eq)]
struct Known {
    /// Refused here, and read by Go: what stands twice, and what YAML 1.1 and 1.2 read differently.
    stricter: BTreeSet<String>,
    /// Read here, and refused by Go: kubectl refuses it before it reaches a cluster.
    laxer: BTreeSet<String>,
}

/// The table; another one can be named for a wider search.
fn table() -> Vec<Row> {
    let text = std::env::var("YAML_TABLE")
        .map_or_else(|_| include_str!("yaml_go/table.jsonl").to_owned(), |path| std::fs::read_to_string(path).unwrap());
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// JSON has no word for a document that is not there; Go says null.
fn ours(yaml: &str) -> Result<Value, String> {
    yaml_to_json(yaml).map(|json| json.map_or(Value::Null, |json| serde_json::from_str(&json).unwrap()))
}

#[test]
fn what_both_read_means_the_same() {
    let mut differences = Vec::new();
    for row in table() {
        let (Ok(ours), None, theirs) = (ours(&row.yaml), row.error, row.json) else { continue };
        if ours != theirs && (theirs.is_array() || theirs.is_object()) {
            differences.push(format!("{:?}\n  Go   {theirs}\n  here {ours}", row.yaml));
        }
    }
    assert!(differences.is_empty(), "{} differences\n{}", differences.len(), differences.join("\n"));
}

#[test]
fn what_only_one_of_them_reads_is_known() {
    let mut found = Known::default();
    for row in table() {
        match (ours(&row.yaml), row.error) {
            (Err(_), None) if !row.twice => found.stricter.insert(row.yaml),
            (Ok(_), Some(_)) => found.laxer.insert(row.yaml),
            _ => false,
        };
    }
    let known: Known = serde_json::from_str(include_str!("yaml_go/known.json")).unwrap();
    let list = |found: &BTreeSet<String>, known: &BTreeSet<String>| {
        found.difference(known).map(|yaml| format!("{}\n", Value::from(yaml.as_str()))).collect::<Vec<_>>().concat()
    };
    let news = [list(&found.stricter, &known.stricter), list(&found.laxer, &known.laxer)];
    assert!(found == known, "stricter than Go, and not known:\n{}laxer than Go, and not known:\n{}", news[0], news[1]);
}

#[test]
fn a_key_that_stands_twice_is_a_fault() {
    for yaml in ["a: 1\na: 2\n", "{y: 1, yes: 2}", "{1: a, '1': b}", "a: {b: 1, b: 2}\n"] {
        assert!(ours(yaml).unwrap_err().contains("stands twice"), "{yaml}");
    }
    assert!(table().iter().filter(|row| row.twice).count() > 5);
}
