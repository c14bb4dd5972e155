//! What the documents show is what the program prints.
#![allow(clippy::unwrap_used, reason = "tests fail loudly")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn the_rules_are_documented_as_the_table_has_them() {
    assert_eq!(read("docs/rules.md"), draguard(&["rules", "--format", "markdown"], Path::new(".")));
}

#[test]
fn the_readme_shows_a_real_review() {
    let readme = read("README.md");
    let manifest = block(&readme, "# slice.yaml\n");
    let folder = Folder::new();
    fs::write(folder.0.join("slice.yaml"), manifest).unwrap();
    let shown = block(&readme, "$ draguard review slice.yaml\n");
    assert_eq!(shown.trim_end(), draguard(&["review", "slice.yaml"], &folder.0).trim_end());
}

#[test]
fn the_readme_shows_settings_that_are_taken() {
    let settings = format!(
        "apiVersion: draguard.dev/v1alpha1\n{}",
        block(&read("README.md"), "apiVersion: draguard.dev/v1alpha1\n")
    );
    let folder = Folder::new();
    fs::write(folder.0.join("settings.yaml"), settings).unwrap();
    let said = draguard(&["review", "--fail-on", "warn", "settings.yaml"], &folder.0);
    assert!(said.contains("no finding"), "{said}");
}

/// The rest of the fenced block that `start` begins, or that it stands in.
fn block<'t>(text: &'t str, start: &str) -> &'t str {
    let rest = text.split_once(start).unwrap().1;
    rest.split_once("```").unwrap().0
}

fn read(file: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap()
}

fn draguard(arguments: &[&str], folder: &Path) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_draguard")).args(arguments).current_dir(folder).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// A folder of one test, gone afterwards.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let name = std::thread::current().name().unwrap().to_owned();
        let folder = std::env::temp_dir().join(format!("draguard-docs-{}-{name}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
