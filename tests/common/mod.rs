//! What the server's tests share: the real binary in a folder of its own, and a client on plain TLS.
#![allow(dead_code, reason = "each test file uses a part of it")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail loudly"
)]

pub mod certs;
pub mod client;
pub mod server;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

/// The recorded reviews of one folder, by file name.
pub fn fixtures(folder: &str) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(fixture_root().join(folder)).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.into_iter().map(|file| (name_of(&file), fs::read(&file).unwrap())).collect()
}

/// One recorded review.
pub fn fixture(path: &str) -> Vec<u8> {
    fs::read(fixture_root().join(path)).unwrap()
}

fn fixture_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

fn name_of(file: &Path) -> String {
    file.file_stem().unwrap().to_str().unwrap().to_owned()
}

/// A small review of a deletion, which every server allows.
pub fn deletion() -> Value {
    json!({
        "kind": "AdmissionReview",
        "apiVersion": "admission.k8s.io/v1",
        "request": {
            "uid": "d-1",
            "kind": {"group": "resource.k8s.io", "version": "v1", "kind": "ResourceSlice"},
            "resource": {"group": "resource.k8s.io", "version": "v1", "resource": "resourceslices"},
            "name": "s",
            "operation": "DELETE",
            "userInfo": {"username": "system:node:n", "groups": ["system:nodes"], "extra": {"k": ["v"]}},
            "object": null,
            "oldObject": {"kind": "ResourceSlice"},
            "dryRun": false
        }
    })
}
