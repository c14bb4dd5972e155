//! An input's bytes, in bounded memory.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::document::Form;

/// The largest file that is read.
pub const LARGEST: usize = 64 << 20;

/// A file to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// Standard input, written `-`.
    Stdin,
    /// A file.
    File(PathBuf),
}

/// Why an input's bytes are not to be had.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// It cannot be opened or read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is larger than [`LARGEST`].
    #[error("larger than {} MiB", LARGEST >> 20)]
    TooLarge,
}

impl Input {
    /// The name a report gives it; from outside, so not safe to print as it is.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Stdin => "<stdin>".to_owned(),
            Self::File(path) => path.display().to_string(),
        }
    }

    /// How it is written, by its name.
    #[must_use]
    pub fn form(&self) -> Form {
        match self {
            Self::File(path) if has_extension(path, &["json"]) => Form::Json,
            _ => Form::Yaml,
        }
    }

    /// Reads it whole.
    pub fn read(&self) -> Result<Vec<u8>, Refusal> {
        match self {
            Self::Stdin => bounded(io::stdin().lock()),
            Self::File(path) => bounded(File::open(path)?),
        }
    }
}

/// True when the path ends in one of these.
pub(super) fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    path.extension().is_some_and(|found| extensions.iter().any(|extension| found.eq_ignore_ascii_case(extension)))
}

fn bounded(from: impl Read) -> Result<Vec<u8>, Refusal> {
    let mut bytes = Vec::new();
    from.take(LARGEST as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > LARGEST { Err(Refusal::TooLarge) } else { Ok(bytes) }
}
