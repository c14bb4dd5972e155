//! YAML is read as kubectl reads it: held against a table that the Go library itself filled (`tests/yaml_go`).

use draguard::files::yaml_to_json;
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct Row {
    yaml: String,
    json: Option<Value>,
    error: Option<String>,
    #[serde(default)]
    twice: bool,
}

fn table() -> Vec<Row> {
    let text = std::env::var("YAML_TABLE")
        .map_or_else(|_| include_str!("yaml_go/table.jsonl").to_owned(), |path| std::fs::read_to_string(path).unwrap());
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn ours(yaml: &str) -> Result<Value, String> {
    yaml_to_json(yaml).map(|json| json.map_or(Value::Null, |json| serde_json::from_str(&json).unwrap()))
}

#[test]
fn snippets_are_read_as_go_reads_them() {
    let mut differences = Vec::new();
    for row in table() {
        let same = match (ours(&row.yaml), &row.json) {
            (Ok(ours), theirs) => *theirs == Some(ours.clone()) || (theirs.is_none() && row.error.is_none() && ours.is_null()),
            (Err(_), None) => row.error.is_some(),
            (Err(_), Some(_)) => row.twice,
        };
        if !same {
            differences.push(format!("{:?}\n  go {:?} {:?}\n  we {:?}", row.yaml, row.json.map(|j| j.to_string()), row.error, ours(&row.yaml)));
        }
    }
    assert!(differences.is_empty(), "{} differences\n{}", differences.len(), differences.join("\n"));
}
