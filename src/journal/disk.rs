//! The file that is being written.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};
use std::path::Path;

use super::folder;
use super::writer::Options;

/// Room for a batch of lines.
const BUFFER: usize = 256 << 10;

pub(super) struct Disk {
    options: Options,
    open: Option<Open>,
}

struct Open {
    file: BufWriter<File>,
    /// How much of it is events.
    length: u64,
}

impl Disk {
    pub(super) const fn new(options: Options) -> Self {
        Self { options, open: None }
    }

    pub(super) fn dir(&self) -> &Path {
        &self.options.dir
    }

    pub(super) const fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// True when a new file is due.
    pub(super) fn is_full(&self) -> bool {
        self.open.as_ref().is_some_and(|open| open.length > self.options.largest)
    }

    /// Starts a new file with these lines. Older ones go only when it is safe on disk; a part of one stays nowhere.
    pub(super) fn start(&mut self, lines: impl Iterator<Item = String>) -> io::Result<()> {
        self.make_durable()?;
        self.close();
        let (path, file) = folder::create(self.dir())?;
        let mut file = BufWriter::with_capacity(BUFFER, file);
        let written = (|| {
            for line in lines {
                file.write_all(line.as_bytes())?;
            }
            file.flush()?;
            file.get_ref().sync_all()
        })();
        if let Err(error) = written {
            let _ = fs::remove_file(path);
            return Err(error);
        }
        self.open = Some(Open { file, length: 0 });
        folder::prune(self.dir(), self.options.files)
    }

    pub(super) fn append(&mut self, lines: &str) -> io::Result<()> {
        let Some(open) = &mut self.open else { return Ok(()) };
        open.length += lines.len() as u64;
        open.file.write_all(lines.as_bytes())
    }

    /// Hands what is written to the operating system.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.open.as_mut().map_or(Ok(()), |open| open.file.flush())
    }

    pub(super) fn make_durable(&mut self) -> io::Result<()> {
        self.flush()?;
        self.open.as_ref().map_or(Ok(()), |open| open.file.get_ref().sync_data())
    }

    /// Gives the file up, with what is not flushed yet: that may be the very thing that cannot be written.
    pub(super) fn close(&mut self) {
        if let Some(open) = self.open.take() {
            let _ = open.file.into_parts();
        }
    }
}
