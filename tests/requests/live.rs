//! The comparison with Go itself, over many more pods, where Go is installed. `UPDATE_REQUESTS=1` makes the table anew.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use draguard::model::version::Version;
use serde_json::Value;

use crate::go_row::{Answer, Row, disagreements};
use crate::pods::Pods;
use crate::table::{ROWS, VERSIONS};

const COUNT: usize = 3_000;

#[test]
fn agrees_with_go_on_many_pods() {
    for (version, name) in VERSIONS {
        let Some(program) = build(name) else {
            println!("skipped: the Go program could not be built here");
            return;
        };
        let pods: Vec<Value> = Pods::of(version).take(COUNT).collect();
        let rows = ask(&program, version, pods);
        assert_eq!(rows.len(), COUNT);
        update(name, &rows);
        for row in &rows {
            let wrong = disagreements(row, version);
            assert!(wrong.is_empty(), "{name} {}\n{}", row.pod, wrong.join("\n"));
        }
    }
}

fn build(name: &str) -> Option<PathBuf> {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("requests-go-{name}"));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/requests/go");
    let modules = if name == "v1.36" { "v1.36.mod" } else { "go.mod" };
    let mut go = Command::new("go");
    go.args(["build", "-p", "2", "-mod=readonly", "-buildvcs=false"]).arg(format!("-modfile={modules}"));
    let status = go.arg("-o").arg(&program).arg(".").current_dir(source).status();
    status.is_ok_and(|status| status.success()).then_some(program)
}

fn ask(program: &Path, version: Version, pods: Vec<Value>) -> Vec<Row> {
    let kubelet = if version == Version::V137 { "sums-hold-claims" } else { "sums-without-claims" };
    let mut child = Command::new(program)
        .arg(kubelet)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the Go program starts");
    let mut input = child.stdin.take().expect("its input");
    let lines = lines(&pods);
    let answers = std::thread::scope(|scope| {
        scope.spawn(move || input.write_all(lines.as_bytes()).expect("it reads"));
        child.wait_with_output().expect("it ends").stdout
    });
    let answers = String::from_utf8(answers).expect("it answers in UTF-8");
    let answers = answers.lines().map(|line| serde_json::from_str::<Answer>(line).expect("an answer"));
    pods.into_iter().zip(answers).map(|(pod, answer)| Row { pod, answer }).collect()
}

fn update(name: &str, rows: &[Row]) {
    if std::env::var_os("UPDATE_REQUESTS").is_none() {
        return;
    }
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/requests/{name}.jsonl"));
    std::fs::write(table, lines(&rows[..ROWS])).expect("the table is written");
}

fn lines(items: &[impl serde::Serialize]) -> String {
    items.iter().fold(String::new(), |mut text, item| {
        writeln!(text, "{}", serde_json::to_string(item).expect("JSON")).expect("memory");
        text
    })
}
