//! From a file to a ledger, in bounded memory for each line.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _};
use std::path::{Path, PathBuf};

use crate::ledger::journal::{Broken, Refused, Replay, Replayed};

/// The longest line that is read. The longest that is written lists 65,536 deletions.
const LONGEST: u64 = 64 << 20;

/// Why a file gave no ledger.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It cannot be opened or read.
    #[error("{}: {error}", file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// The reason.
        error: io::Error,
    },
    /// What stands in it is refused.
    #[error("{}: {broken}", file.display())]
    Broken {
        /// The file.
        file: PathBuf,
        /// The line and the reason.
        broken: Broken,
    },
}

impl ReadError {
    /// True when its writer was cut off before there was a ledger in it.
    #[must_use]
    pub fn is_short(&self) -> bool {
        matches!(self, Self::Broken { broken: Broken { refused: Refused::Short, .. }, .. })
    }
}

/// Reads a ledger; `-` is standard input.
///
/// # Errors
///
/// When the file cannot be read, or is refused.
pub fn read_file(file: &Path) -> Result<Replayed, ReadError> {
    if file == Path::new("-") {
        return read(file, io::stdin().lock());
    }
    let opened = File::open(file).map_err(|error| ReadError::Io { file: file.to_owned(), error })?;
    read(file, BufReader::new(opened))
}

/// Reads a ledger from something that is called `file`.
///
/// # Errors
///
/// When it cannot be read, or is refused.
pub fn read(file: &Path, mut from: impl BufRead) -> Result<Replayed, ReadError> {
    let failed = |error| ReadError::Io { file: file.to_owned(), error };
    let refused = |broken| ReadError::Broken { file: file.to_owned(), broken };
    let mut replay = Replay::default();
    let mut line = Vec::new();
    loop {
        line.clear();
        let length = from.by_ref().take(LONGEST).read_until(b'\n', &mut line).map_err(failed)?;
        if length == 0 {
            return replay.end().map_err(refused);
        }
        if line.len() as u64 == LONGEST {
            return Err(failed(io::Error::other(format!("a line is longer than {} MiB", LONGEST >> 20))));
        }
        replay.line(&line).map_err(refused)?;
    }
}
