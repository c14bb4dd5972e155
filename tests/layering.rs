//! The core decides from what it is given: no file, no socket, no clock, no environment, and nothing of the shell
//! around it. This test reads the sources, so that the promise cannot fade.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail loudly"
)]

use std::fs;
use std::path::{Path, PathBuf};

/// What belongs to the core. `policy` joins when it exists.
const CORE: [&str; 6] = ["model", "checks", "verdict", "ledger", "guard.rs", "settings"];
/// What does not belong there although it lies there.
const SHELL: [&str; 2] = ["settings/load.rs", "settings/reload.rs"];
/// Paths that the core must not name.
const BANNED: [&str; 27] = [
    "tokio",
    "axum",
    "axum_server",
    "hyper",
    "hyper_util",
    "tower",
    "rustls",
    "tokio_rustls",
    "rcgen",
    "kube",
    "k8s_openapi",
    "std::fs",
    "std::net",
    "std::io",
    "std::process",
    "std::env",
    "std::thread",
    "std::time::SystemTime",
    "std::time::Instant",
    "std::time",
    "time::OffsetDateTime::now_utc",
    "OffsetDateTime::now_utc",
    "crate::wire",
    "crate::cli",
    "crate::files",
    "crate::observe",
    "crate::cluster",
];
/// Exceptions: an error may carry the reason that it was given.
const ALLOWED: [&str; 2] = ["std::io::Error", "std::io::ErrorKind"];

#[test]
fn the_core_does_no_io_and_reads_no_clock() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let part = |name: &str| rust_files(&source.join(name));
    let moved: Vec<&str> = CORE.into_iter().filter(|name| part(name).is_empty()).collect();
    assert!(moved.is_empty(), "parts of the core have moved: {moved:?}");
    let files: Vec<PathBuf> = CORE.into_iter().flat_map(part).collect();
    let core = files.iter().filter(|file| !SHELL.iter().any(|part| file.ends_with(part)));
    let breaches: Vec<String> = core.flat_map(|file| breaches_of(file)).collect();
    assert!(breaches.is_empty(), "{breaches:#?}");
}

#[test]
fn the_scanner_sees_what_it_is_there_for() {
    for bad in [
        "use std::fs;",
        "use kube::Client;",
        "fn f(cluster: &crate::cluster::Cluster) {}",
        "use std::{collections::BTreeMap, fs::{self, File}};",
        "use std::io::{Error, Read as _};",
        "use std::{\n    time::{Duration, Instant},\n};",
        "pub use tokio::sync::Mutex;",
        "fn now() -> u64 { std::time::SystemTime::now() }",
        "fn now() { let t = time::OffsetDateTime::now_utc(); }",
        "use time::OffsetDateTime;\nfn now() { OffsetDateTime::now_utc() }",
        "use crate::{model::path::Path, wire::limits};",
        "use super::load::load; use crate::wire;",
        "fn f(a: &std::net::IpAddr) {}",
        "fn f() { ::std::process::exit(1) }",
        "fn f() { let url = \"//\"; std::env::args() }",
    ] {
        assert!(!breaches(bad).is_empty(), "not seen: {bad}");
    }
}

#[test]
fn the_scanner_is_quiet_where_all_is_well() {
    for good in [
        "use std::collections::BTreeMap;\nuse std::fmt::{self, Write as _};",
        "// use std::fs;\n/// tokio::spawn is not for us",
        "use std::io::{Error, ErrorKind};",
        "const TEXT: &str = \"std::fs::read\";",
        "use crate::model::path::Path;\nfn f(timeout: u64, axum_like: u8) {}",
        "fn f() {}\n#[cfg(test)]\nmod tests { use std::fs; }",
        "fn f(mapping_tokio: u8) { mystd::fs::read() }",
    ] {
        assert_eq!(breaches(good), Vec::<String>::new(), "{good}");
    }
}

fn rust_files(path: &Path) -> Vec<PathBuf> {
    if path.extension().is_some_and(|extension| extension == "rs") {
        return path.exists().then(|| path.to_owned()).into_iter().collect();
    }
    let entries = fs::read_dir(path).into_iter().flatten().map(|entry| entry.unwrap().path());
    entries
        .filter(|entry| entry.is_dir() || entry.extension().is_some_and(|e| e == "rs"))
        .flat_map(|entry| rust_files(&entry))
        .collect()
}

fn breaches_of(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap();
    breaches(&text).into_iter().map(|path| format!("{}: {path}", file.display())).collect()
}

/// Every banned path that the source names, in imports or in code. Unit tests at the end may do as they like.
fn breaches(source: &str) -> Vec<String> {
    let code = code_of(source.split("#[cfg(test)]").next().unwrap_or_default());
    let mut named = Vec::new();
    let mut rest = code.as_str();
    while let Some((before, after)) = split_import(rest) {
        named.extend(paths_in(before));
        let (import, after) = after.split_once(';').unwrap_or((after, ""));
        expand("", import, &mut named);
        rest = after;
    }
    named.extend(paths_in(rest));
    named.retain(|path| is_banned(path));
    named
}

fn is_banned(path: &str) -> bool {
    let is_under = |root: &&str| path == *root || path.starts_with(&format!("{root}::"));
    BANNED.iter().any(&is_under) && !ALLOWED.iter().any(is_under)
}

/// The source without comments and the content of strings.
fn code_of(source: &str) -> String {
    let (mut code, mut quoted, mut escaped) = (String::new(), false, false);
    for line in source.lines() {
        let mut previous = ' ';
        for character in line.chars() {
            match character {
                _ if escaped => escaped = false,
                '\\' if quoted => escaped = true,
                '"' if previous != '\'' => quoted = !quoted,
                '/' if !quoted && previous == '/' => {
                    code.pop();
                    break;
                }
                _ if !quoted => code.push(character),
                _ => {}
            }
            previous = character;
        }
        code.push('\n');
    }
    code
}

/// The text before and after the next `use`.
fn split_import(code: &str) -> Option<(&str, &str)> {
    let at = code
        .match_indices("use ")
        .map(|(at, _)| at)
        .find(|at| code[..*at].chars().next_back().is_none_or(|before| !before.is_alphanumeric() && before != '_'))?;
    Some((&code[..at], &code[at + 4..]))
}

/// Adds every path of an import such as `std::{fs, io::{self, Read as _}}`.
fn expand(prefix: &str, import: &str, paths: &mut Vec<String>) {
    let import: String = import.trim().to_owned();
    let Some((head, group)) = import.split_once('{') else {
        let path = format!("{prefix}{}", import.split(" as ").next().unwrap_or_default().trim());
        paths.push(path.trim_start_matches("::").trim_end_matches("::self").to_owned());
        return;
    };
    let prefix = format!("{prefix}{}", head.trim());
    let inside = group.rsplit_once('}').map_or(group, |(inside, _)| inside);
    for part in split_outside_braces(inside).into_iter().filter(|part| !part.trim().is_empty()) {
        expand(&prefix, part, paths);
    }
}

fn split_outside_braces(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0_usize, 0);
    for (at, character) in text.char_indices() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

/// Every `a::b::c` in code.
fn paths_in(code: &str) -> Vec<String> {
    let words = code.split(|character: char| !character.is_alphanumeric() && character != '_' && character != ':');
    words.filter(|word| word.contains("::")).map(|word| word.trim_matches(':').to_owned()).collect()
}
