//! Byte offsets as lines and columns.

/// A place in a file as editors count it: both numbers from 1, the column in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The character of the line.
    pub column: usize,
}

/// A file's lines. Built only for files of which something is said.
#[derive(Debug)]
pub struct Lines<'a> {
    bytes: &'a [u8],
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    /// The lines of a file's bytes.
    #[must_use]
    pub fn of(bytes: &'a [u8]) -> Self {
        let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
        Self { bytes, starts: std::iter::once(0).chain(ends).collect() }
    }

    /// The place of a byte.
    #[must_use]
    pub fn place(&self, offset: usize) -> Place {
        let line = self.starts.partition_point(|start| *start <= offset).max(1);
        let start = self.starts.get(line - 1).copied().unwrap_or_default();
        let before = self.bytes.get(start..offset.min(self.bytes.len())).unwrap_or_default();
        Place { line, column: characters(before) + 1 }
    }

    /// The text of a line, without its end; bytes that are no text become replacement characters.
    #[must_use]
    pub fn text(&self, line: usize) -> String {
        const LONGEST: usize = 64 << 10;
        let start = line.checked_sub(1).and_then(|nth| self.starts.get(nth)).copied().unwrap_or(self.bytes.len());
        let end = self.starts.get(line).map_or(self.bytes.len(), |next| next - 1);
        let bytes = self.bytes.get(start..end.min(start.saturating_add(LONGEST))).unwrap_or_default();
        let text = String::from_utf8_lossy(bytes);
        text.strip_prefix('\u{feff}').unwrap_or(&text).trim_end_matches('\r').to_owned()
    }
}

/// How many characters the bytes hold, a byte-order mark aside: all bytes but those that continue a character. A file of
/// one long line is counted once a finding, so nothing is decoded here.
fn characters(bytes: &[u8]) -> usize {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    bytes.iter().filter(|byte| **byte & 0b1100_0000 != 0b1000_0000).count()
}
