//! `draguard review` through the binary: what it reads, what it says and how it ends.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::format_collect,
    reason = "tests fail loudly"
)]

mod scratch;

use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};

use scratch::{Scratch, run, run_with};
use serde_json::Value;

/// A slice whose one device maps `cpu` of this amount.
fn slice(name: &str, cpu: &str) -> String {
    format!(
        "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata:\n  name: {name}\nspec:\n  driver: {name}.example.com\n  \
         nodeName: {name}\n  pool: {{name: {name}, generation: 1, resourceSliceCount: 1}}\n  devices:\n  - name: dev-0\n    \
         nodeAllocatableResources:\n      cpu:\n        mapping:\n          deviceMultiplier: {cpu}\n"
    )
}

fn findings(json: &str) -> Vec<Value> {
    serde_json::from_str::<Value>(json).unwrap()["findings"].as_array().unwrap().clone()
}

#[test]
fn clean_manifests_end_with_0() {
    let scratch = Scratch::new("clean");
    let file = scratch.write("a.yaml", slice("a", "\"2\""));
    let ended = run(&[&file]);
    assert_eq!((ended.code, ended.err.as_str()), (0, ""));
    assert_eq!(ended.out, "no finding in 1 object of 1 file\n");
}

#[test]
fn a_finding_shows_its_place_and_ends_with_1() {
    let scratch = Scratch::new("place");
    let file = scratch.write("a.yaml", slice("a", "2500u"));
    let ended = run(&[&file]);
    assert_eq!(ended.code, 1);
    assert!(
        ended.out.contains(&format!("deny[DG104] {file}:14:29  ResourceSlice a  spec.devices[0]")),
        "{}",
        ended.out
    );
    let quoted = "     |\n  14 |           deviceMultiplier: 2500u\n     |                             ^\n  = help: ";
    assert!(ended.out.contains(quoted), "{}", ended.out);
    assert!(ended.out.ends_with("\n1 denied, 0 warnings in 1 object of 1 file\n"), "{}", ended.out);
    assert!(!ended.out.contains('\x1b'));
}

#[test]
fn json_has_the_fields_it_promises() {
    let scratch = Scratch::new("json");
    let file = scratch.write("a.yaml", slice("a", "2500u"));
    let ended = run(&["--format", "json", &file]);
    let report: Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!(report["summary"], serde_json::json!({"objects": 1, "deny": 1, "warn": 0}));
    let finding = report["findings"][0].as_object().unwrap();
    let mut keys: Vec<&str> = finding.keys().map(String::as_str).collect();
    keys.sort_unstable();
    let wanted = ["column", "file", "line", "message", "object", "path", "remedy", "rule", "severity", "value"];
    assert_eq!(keys, wanted);
    assert_eq!(
        (&finding["rule"], &finding["severity"], &finding["line"]),
        (&"DG104".into(), &"deny".into(), &14.into())
    );
    let object =
        serde_json::json!({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "namespace": "", "name": "a"});
    assert_eq!(finding["object"], object);
    assert_eq!(run(&["--format", "json", &scratch.write("b.yaml", "")]).out.lines().count(), 1);
}

#[test]
fn a_place_in_json_is_found_too() {
    let scratch = Scratch::new("json-place");
    let yaml = slice("a", "2500u");
    let json: Value = serde_json::from_str(&draguard::files::yaml_to_json(&yaml).unwrap().unwrap()).unwrap();
    let text = serde_json::to_string_pretty(&json).unwrap();
    let file = scratch.write("a.json", format!("{{\"kind\": \"Other\"}} {text}"));
    let ended = run(&["--format", "json", &file]);
    let (line, column) =
        text.lines().enumerate().find_map(|(nth, line)| Some((nth + 1, line.find("\"2500u\"")? + 1))).unwrap();
    let finding = &findings(&ended.out)[0];
    assert_eq!((finding["line"].as_u64().unwrap(), finding["column"].as_u64().unwrap()), (line as u64, column as u64));
}

#[test]
fn columns_are_characters() {
    let scratch = Scratch::new("characters");
    let flow = "apiVersion: resource.k8s.io/v1\r\nkind: ResourceSlice\r\nmetadata: {name: a, labels: {é: \"日本\"}, \
                generation: x}\r\nspec: {driver: \"é\", pool: {name: é, generation: \"é\"}, devices: 5}\r\n";
    let file = scratch.write("a.yaml", format!("\u{feff}{flow}"));
    let ended = run(&["--format", "json", &file]);
    let line = flow.lines().nth(3).unwrap();
    let columns: Vec<usize> =
        ["\"é\"}", "5}"].iter().map(|text| line[..line.find(text).unwrap()].chars().count() + 1).collect();
    for finding in findings(&ended.out).iter().filter(|finding| finding["line"] == 4) {
        assert!(columns.contains(&(usize::try_from(finding["column"].as_u64().unwrap()).unwrap())), "{finding}");
    }
    assert_eq!(ended.code, 1);
}

#[test]
fn an_absent_field_is_found_at_the_deepest_step_there_is() {
    let scratch = Scratch::new("absent");
    let text = slice("a", "2").replace("deviceMultiplier: 2", "capacityMultiplier: \"2\"");
    let file = scratch.write("a.yaml", &text);
    let ended = run(&["--format", "json", &file]);
    let finding = findings(&ended.out).into_iter().find(|finding| finding["rule"] != "DG001").unwrap();
    assert!((13..=15).contains(&finding["line"].as_u64().unwrap()), "{finding}");
}

#[test]
fn one_broken_document_does_not_hide_the_others() {
    let scratch = Scratch::new("broken");
    let file = scratch.write("a.yaml", format!("{}---\nkey: [1, 2\n---\n{}", slice("a", "2"), slice("b", "2500u")));
    let ended = run(&["--format", "json", &file]);
    let told: Vec<(String, u64)> = findings(&ended.out)
        .iter()
        .map(|finding| (finding["rule"].as_str().unwrap().to_owned(), finding["line"].as_u64().unwrap()))
        .collect();
    assert_eq!(told, [("DG001".to_owned(), 16), ("DG104".to_owned(), 31)]);
    assert_eq!(ended.code, 1);
}

#[test]
fn text_behind_a_separator_is_what_kubectl_does_not_read() {
    let scratch = Scratch::new("separator");
    let file = scratch.write("a.yaml", format!("a: 1\n--- {{b: 2}}\nc: 3\n--- # fine\n{}", slice("b", "2500u")));
    let ended = run(&[&file]);
    assert!(ended.out.contains(&format!("deny[DG001] {file}:2:5\n  kubectl reads only a comment")), "{}", ended.out);
    assert!(ended.out.contains("deny[DG104]"), "{}", ended.out);
    assert!(ended.out.ends_with("2 denied, 0 warnings in 2 objects of 1 file\n"), "{}", ended.out);
}

#[test]
fn lists_are_reviewed_item_by_item() {
    let scratch = Scratch::new("list");
    let item = |text: &str, by: usize| text.replace('\n', &format!("\n{}", " ".repeat(by))).trim_end().to_owned();
    let bare = slice("c", "2500u").replace("apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\n", "");
    let text = format!(
        "apiVersion: v1\nkind: List\nitems:\n  - {}\n  - {}\n  - apiVersion: resource.k8s.io/v1\n    kind: \
         ResourceSliceList\n    items:\n      - {}\n",
        item(&slice("a", "2"), 4),
        item(&slice("b", "2500u"), 4),
        item(&bare, 8)
    );
    let file = scratch.write("a.yaml", &text);
    let ended = run(&["--format", "json", &file]);
    let lines: Vec<u64> =
        (1..).zip(text.lines()).filter(|(_, line)| line.contains("2500u")).map(|(nth, _)| nth).collect();
    let told: Vec<(String, u64)> = findings(&ended.out)
        .iter()
        .map(|finding| (finding["object"]["name"].as_str().unwrap().to_owned(), finding["line"].as_u64().unwrap()))
        .collect();
    assert_eq!(told, [("b".to_owned(), lines[0]), ("c".to_owned(), lines[1])], "{}", ended.out);
    assert!(ended.out.contains(r#""objects":3"#));
}

#[test]
fn objects_are_judged_side_by_side_and_pointed_at() {
    let scratch = Scratch::new("together");
    let (one, two) = (slice("a", "2"), slice("a", "2").replace("name: a\nspec", "name: other\nspec"));
    scratch.write("1.yaml", &one);
    let second = scratch.write("2.yaml", format!("# comment\n---\n{two}"));
    let ended = run(&["--format", "json", &scratch.path()]);
    let twice = findings(&ended.out).into_iter().find(|finding| finding["rule"] == "DG204").expect("DG204");
    assert_eq!((&twice["line"], &twice["file"]), (&12.into(), &second.as_str().into()), "{twice}");
}

#[test]
fn standard_input_is_a_file_too() {
    let ended = run_with(&["-"], slice("a", "2500u").as_bytes());
    assert!(ended.out.starts_with("deny[DG104] <stdin>:14:29"), "{}", ended.out);
    assert_eq!(ended.code, 1);
    let json = draguard::files::yaml_to_json(&slice("a", "2500u")).unwrap().unwrap();
    let ended = run_with(&["-"], format!("{json}\n{json}").as_bytes());
    assert!(ended.out.contains("<stdin>:1:") && ended.out.contains("<stdin>:2:"), "{}", ended.out);
}

#[test]
fn folders_are_read_in_order_without_hidden_folders_and_loops() {
    let scratch = Scratch::new("folder");
    for name in ["b/2.yml", "b/1.yaml", "a.json", "c.YAML", ".git/x.yaml", "b/.hidden/x.yaml", "notes.txt"] {
        let text = if name == "a.json" { "[" } else { "a: [" };
        scratch.write(name, text);
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink(scratch.path(), format!("{}/b/loop", scratch.path())).unwrap();
    let ended = run(&["--format", "json", &scratch.path()]);
    let told: Vec<String> = findings(&ended.out)
        .iter()
        .map(|finding| finding["file"].as_str().unwrap().trim_start_matches(&scratch.path()).to_owned())
        .collect();
    assert_eq!(told, ["/a.json", "/b/1.yaml", "/b/2.yml", "/c.YAML"]);
    assert_eq!((ended.code, ended.err.as_str()), (1, ""));
}

#[test]
fn a_path_that_cannot_be_opened_ends_with_2_after_the_rest() {
    let scratch = Scratch::new("missing");
    let (file, missing) = (scratch.write("a.yaml", slice("a", "2500u")), format!("{}/none", scratch.path()));
    let ended = run(&[&missing, &file]);
    assert_eq!(ended.code, 2);
    assert!(ended.err.starts_with(&format!("draguard: {missing}: ")), "{}", ended.err);
    assert!(ended.out.contains("deny[DG104]"), "{}", ended.out);
    assert_eq!(run(&[&missing]).code, 2);
    assert_eq!(run(&[]).code, 2);
    assert_eq!(run(&["--format", "xml", &file]).code, 2);
    assert_eq!(run(&["--config", &missing, &file]).code, 2);
}

#[test]
fn warnings_fail_only_where_that_is_asked() {
    let scratch = Scratch::new("warn");
    scratch.write("1.yaml", slice("a", "2"));
    scratch.write("2.yaml", slice("a", "2").replace("name: a\nspec", "name: other\nspec"));
    let settings = scratch.write(
        "settings/draguard.yaml",
        "apiVersion: draguard.dev/v1alpha1\nkind: NodeAllocatableRollout\nmetadata: {name: default}\nspec: {mode: Audit}\n",
    );
    let folder = scratch.path();
    assert_eq!(run(&["--config", &settings, "--fail-on", "warn", &folder]).code, 1);
    let ended = run(&["--config", &settings, &folder]);
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    assert!(ended.out.contains("warn["), "{}", ended.out);
}

#[test]
fn the_version_decides_which_form_fits() {
    let scratch = Scratch::new("version");
    let file = scratch.write("a.yaml", slice("a", "\"2\""));
    assert_eq!(run(&["--kube-version", "1.37", &file]).code, 0);
    let ended = run(&["--kube-version", "1.36", &file]);
    assert!(ended.code == 1 && ended.out.contains("DG122"), "{}", ended.out);
    assert_eq!(run(&["--kube-version", "1.35", &file]).code, 2);
}

#[test]
fn colour_is_for_terminals_or_on_request() {
    let scratch = Scratch::new("color");
    let file = scratch.write("a.yaml", slice("a", "2500u"));
    assert!(run(&["--color", "always", &file]).out.starts_with("\x1b[1;31mdeny[DG104]\x1b[0m"));
    assert!(!run(&["--color", "never", &file]).out.contains('\x1b'));
    assert!(!run(&[&file]).out.contains('\x1b'));
}

#[test]
fn nothing_from_outside_reaches_the_terminal_raw() {
    let scratch = Scratch::new("escape");
    let evil = "evil\u{1b}[2J\u{202e}.json";
    let file = scratch.write(
        evil,
        "{\"kind\": \"ResourceSlice\", \"apiVersion\": \"resource.k8s.io/v1\", \"metadata\": \
        {\"name\": \"a\\u001b[31m\\u202e\"}, \"spec\": {\"devices\": \"\u{202e}\u{200b}\"}}",
    );
    for format in ["text", "json"] {
        let ended = run(&["--format", format, &file, &format!("{file}\u{1b}gone")]);
        for bad in ['\u{1b}', '\u{202e}', '\u{200b}'] {
            assert!(!ended.out.contains(bad) && !ended.err.contains(bad), "{format}: {:?}{:?}", ended.out, ended.err);
        }
        assert_eq!(ended.code, 2);
    }
}

#[test]
fn a_reader_that_goes_away_hides_no_denial() {
    let scratch = Scratch::new("pipe");
    let text = "a: [\n---\n".repeat(3000);
    let file = scratch.write("a.yaml", text);
    let mut child = Command::new(scratch::BINARY)
        .args(["review", &file])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut err = String::new();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    assert_eq!((child.wait().unwrap().code(), err.as_str()), (Some(1), ""));
}

#[test]
fn ten_thousand_files_stay_in_bounded_memory() {
    let scratch = Scratch::new("many");
    for nth in 0..10_000 {
        scratch.write(&format!("{}/{nth}.yaml", nth % 10), slice(&format!("node-{nth}"), "2500u"));
    }
    let mut child = Command::new(scratch::BINARY)
        .args(["review", "--format", "json", &scratch.path()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut out, mut peak) = (Vec::new(), 0);
    let (mut stdout, mut chunk) = (child.stdout.take().unwrap(), vec![0; 64 << 10]);
    loop {
        let read = stdout.read(&mut chunk).unwrap();
        peak = peak.max(scratch::peak_memory(child.id()).unwrap_or_default());
        if read == 0 {
            break;
        }
        out.write_all(&chunk[..read]).unwrap();
    }
    let mut err = String::new();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    assert_eq!((child.wait().unwrap().code(), err.as_str()), (Some(1), ""), "no bar where there is no terminal");
    assert_eq!(findings(std::str::from_utf8(&out).unwrap()).len(), 10_000);
    assert!(!cfg!(target_os = "linux") || (1..100 << 10).contains(&peak), "{peak} KiB");
}

#[test]
fn every_format_of_the_table_of_rules_is_complete() {
    let json: Vec<Value> = serde_json::from_str(&scratch::command(&["rules", "--format", "json"]).out).unwrap();
    let (text, markdown) = (scratch::command(&["rules"]).out, scratch::command(&["rules", "--format", "markdown"]).out);
    assert!(json.len() > 20);
    for rule in json {
        let (id, title) = (rule["id"].as_str().unwrap(), rule["title"].as_str().unwrap());
        assert!(text.contains(&format!("{id}  ")) && text.contains(title), "{id}");
        assert!(
            markdown.contains(&format!("\n## {id}\n")) && markdown.contains(rule["detail"].as_str().unwrap()),
            "{id}"
        );
        assert!(
            scratch::command(&["explain", &id.to_lowercase()]).out.starts_with(&format!("{id}: {title}\n")),
            "{id}"
        );
    }
    let ended = scratch::command(&["explain", "DG1O4", "DG104"]);
    assert_eq!(ended.code, 2);
    assert!(ended.err.contains("did you mean DG1") && ended.out.starts_with("DG104: "), "{}", ended.err);
}

#[test]
fn completions_and_the_manual_come_from_the_command_line() {
    for shell in ["bash", "zsh", "fish"] {
        assert!(scratch::command(&["completions", shell]).out.contains("kube-version"), "{shell}");
    }
    assert!(scratch::command(&["man"]).out.contains("draguard"));
    assert!(scratch::command(&["man", "review"]).out.contains("Exit status"));
    assert_eq!(scratch::command(&["man", "nothing"]).code, 2);
}
