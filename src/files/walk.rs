//! From the paths of the command line to the files to read, in a stable order.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::source::{Input, has_extension};

/// A path that cannot be opened.
#[derive(Debug, thiserror::Error)]
#[error("{}: {cause}", path.display())]
pub struct Unopened {
    /// The path.
    pub path: PathBuf,
    /// Why.
    #[source]
    pub cause: io::Error,
}

/// What was found under the paths.
#[derive(Debug, Default)]
pub struct Found {
    /// The files, each once: in the order of the paths, and by name inside a folder.
    pub inputs: Vec<Input>,
    /// The paths that cannot be opened.
    pub unopened: Vec<Unopened>,
}

/// Finds the files under `paths`: files whatever their name, `-` for standard input, and of a folder all YAML and JSON
/// files below it. Hidden folders are skipped; a folder reached twice, also over links, is read once.
#[must_use]
pub fn walk(paths: &[PathBuf]) -> Found {
    let mut walk = Walk::default();
    for path in paths {
        walk.path(path);
    }
    walk.found
}

#[derive(Default)]
struct Walk {
    found: Found,
    seen: HashSet<PathBuf>,
    stdin: bool,
}

impl Walk {
    fn path(&mut self, path: &Path) {
        if path == Path::new("-") {
            if !std::mem::replace(&mut self.stdin, true) {
                self.found.inputs.push(Input::Stdin);
            }
            return;
        }
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => self.folder(path),
            Ok(_) => self.file(path.to_owned()),
            Err(cause) => self.unopened(path, cause),
        }
    }

    fn folder(&mut self, root: &Path) {
        let mut waiting = vec![root.to_owned()];
        while let Some(path) = waiting.pop() {
            match fs::metadata(&path) {
                Ok(metadata) if metadata.is_dir() => waiting.extend(self.entries(&path, path == root)),
                Ok(metadata) if metadata.is_file() && has_extension(&path, &["yaml", "yml", "json"]) => self.file(path),
                Ok(_) => {}
                Err(_) if !has_extension(&path, &["yaml", "yml", "json"]) => {}
                Err(cause) => self.unopened(&path, cause),
            }
        }
    }

    /// What a folder holds, last name first; nothing for a hidden folder, or one that was read already.
    fn entries(&mut self, folder: &Path, named: bool) -> Vec<PathBuf> {
        if (!named && is_hidden(folder)) || !self.is_new(folder) {
            return Vec::new();
        }
        let listed = fs::read_dir(folder).and_then(|entries| {
            entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<PathBuf>>>()
        });
        match listed {
            Ok(mut entries) => {
                entries.sort_unstable_by(|a, b| b.cmp(a));
                entries
            }
            Err(cause) => {
                self.unopened(folder, cause);
                Vec::new()
            }
        }
    }

    fn file(&mut self, path: PathBuf) {
        if self.is_new(&path) {
            self.found.inputs.push(Input::File(path));
        }
    }

    fn is_new(&mut self, path: &Path) -> bool {
        fs::canonicalize(path).map_or(true, |real| self.seen.insert(real))
    }

    fn unopened(&mut self, path: &Path, cause: io::Error) {
        self.found.unopened.push(Unopened { path: path.to_owned(), cause });
    }
}

fn is_hidden(folder: &Path) -> bool {
    folder.file_name().and_then(OsStr::to_str).is_some_and(|name| name.starts_with('.'))
}
