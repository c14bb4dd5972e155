//! Settings from a file.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use super::Settings;
use super::problem::Problem;
use super::ready::{Known, read};
use crate::checks;
use crate::model::shape::SLICE_SHAPES;

/// No honest settings document comes near this.
const LARGEST: u64 = 1 << 20;

/// Turns the text of a file into JSON text.
pub type ToJson = fn(&str) -> Result<String, String>;

/// Why a settings file could not be used.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file could not be opened or read.
    #[error("{}: {source}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The file is neither YAML nor JSON.
    #[error("{}: {reason}", file.display())]
    Text {
        /// The file.
        file: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The document says something that cannot be.
    #[error("{}", lines(file, problems))]
    Settings {
        /// The file.
        file: PathBuf,
        /// All that is wrong.
        problems: Vec<Problem>,
    },
}

/// What a settings document may speak of in this version.
#[must_use]
pub fn known() -> Known {
    let schemas = SLICE_SHAPES.iter().map(|shape| shape.name).collect();
    Known { rules: checks::rules().collect(), schemas }
}

/// Reads the settings in `file`.
pub fn load(file: &Path, to_json: ToJson, known: &Known) -> Result<Settings, LoadError> {
    let bytes = bytes(file).map_err(|source| LoadError::Read { file: file.to_owned(), source })?;
    interpret(file, &bytes, to_json, known)
}

/// The settings in the text of `file`.
pub(super) fn interpret(file: &Path, bytes: &[u8], to_json: ToJson, known: &Known) -> Result<Settings, LoadError> {
    let text = |reason: String| LoadError::Text { file: file.to_owned(), reason };
    let source = std::str::from_utf8(bytes).map_err(|error| text(error.to_string()))?;
    let json = to_json(source).map_err(text)?;
    read(&json, known).map_err(|problems| LoadError::Settings { file: file.to_owned(), problems })
}

/// The file's content, if it is of a size to be read at all.
pub(super) fn bytes(file: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(file)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("more than {LARGEST} bytes")));
    }
    Ok(bytes)
}

fn lines(file: &Path, problems: &[Problem]) -> String {
    let line = |problem: &Problem| format!("{}: {problem}", file.display());
    problems.iter().map(line).collect::<Vec<_>>().join("\n")
}
