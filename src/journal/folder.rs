//! The folder of a journal: numbered files, the newest of which counts.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::read::{ReadError, read_file};
use super::writer::{Journal, Options};
use crate::ledger::journal::Replayed;

const PREFIX: &str = "ledger-";
const SUFFIX: &str = ".jsonl";

/// A journal, and the ledger that was in it.
#[derive(Debug)]
pub struct Opened {
    /// The ledger; `None` where there was none yet.
    pub replayed: Option<Replayed>,
    /// Where new events go.
    pub journal: Journal,
}

/// Reads the ledger of a folder and goes on with it in a new file.
///
/// A folder that cannot be written to is no error: the journal says so in the log, counts it and tries again.
///
/// # Errors
///
/// When there is something in the folder that cannot be read. Nothing is written then, and nobody may take the ledger
/// for empty: new mapped allocations have to wait.
pub fn open(options: Options) -> Result<Opened, ReadError> {
    let replayed = newest(&options.dir)?;
    Ok(Opened { replayed, journal: Journal::start(options) })
}

/// The ledger of the newest file in which there is one.
fn newest(dir: &Path) -> Result<Option<Replayed>, ReadError> {
    for (_, file) in files(dir).map_err(|error| ReadError::Io { file: dir.to_owned(), error })?.into_iter().rev() {
        match read_file(&file) {
            Err(error) if error.is_short() => tracing::warn!(%error, "left out"),
            result => return result.map(Some),
        }
    }
    Ok(None)
}

/// The journal's files by number. A folder that does not exist has none.
pub(super) fn files(dir: &Path) -> io::Result<Vec<(u64, PathBuf)>> {
    let entries = match fs::read_dir(dir) {
        Err(error) if is_absent(&error) => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if let Some(number) = path.file_name().and_then(|name| number(name.to_str()?)) {
            files.push((number, path));
        }
    }
    files.sort_unstable();
    Ok(files)
}

/// True when there is no such folder, so that nothing can be in it.
fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn number(name: &str) -> Option<u64> {
    name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?.parse().ok()
}

/// Makes the file that follows all others, for the owner's eyes only.
pub(super) fn create(dir: &Path) -> io::Result<(PathBuf, File)> {
    fs::create_dir_all(dir)?;
    let next = files(dir)?.last().map_or(1, |(number, _)| number.saturating_add(1));
    let path = dir.join(format!("{PREFIX}{next:06}{SUFFIX}"));
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(&path)?;
    Ok((path, file))
}

/// Deletes the oldest files, so that `kept` are left, once the newest is safe on disk.
pub(super) fn prune(dir: &Path, kept: usize) -> io::Result<()> {
    File::open(dir)?.sync_all()?;
    let files = files(dir)?;
    let surplus = files.len().saturating_sub(kept.max(1));
    files.iter().take(surplus).try_for_each(|(_, file)| fs::remove_file(file))
}
