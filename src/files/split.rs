//! A YAML file into documents, as kubectl does it: by lines that begin with `---`, before any parsing.

/// A stretch of a file, or a separator line that is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece {
    /// One document, as bytes from start to end.
    Document(usize, usize),
    /// The byte where text stands behind `---`.
    BadSeparator(usize),
}

/// The byte-order mark of UTF-8.
pub(super) const MARK: &[u8] = b"\xef\xbb\xbf";

/// The documents of a file that are more than comments.
pub(super) fn pieces(bytes: &[u8]) -> impl Iterator<Item = Piece> {
    let mut splitter = Splitter { bytes, at: if bytes.starts_with(MARK) { MARK.len() } else { 0 }, broken: false };
    std::iter::from_fn(move || splitter.next())
}

struct Splitter<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Below a bad separator, up to the next good one.
    broken: bool,
}

enum Line {
    Separator,
    BadSeparator(usize),
    Blank,
    Directive,
    Content,
}

impl Splitter<'_> {
    fn next(&mut self) -> Option<Piece> {
        let (mut start, mut content, mut directive) = (self.at, false, false);
        while self.at < self.bytes.len() {
            let (line, next) = self.line();
            match line {
                Line::Separator if self.broken || (!content && !directive) => {
                    (start, content, self.broken) = (next, false, false);
                }
                Line::Separator if content => return self.document(start, next),
                Line::BadSeparator(_) if content => return self.document(start, self.at),
                Line::BadSeparator(place) => {
                    (self.at, self.broken) = (next, true);
                    return Some(Piece::BadSeparator(place));
                }
                Line::Separator | Line::Blank => {}
                Line::Directive => directive = true,
                Line::Content => content = true,
            }
            self.at = next;
        }
        (content && !self.broken).then_some(Piece::Document(start, self.at))
    }

    /// The document up to the separator at hand; `next` is where the following one begins.
    fn document(&mut self, start: usize, next: usize) -> Option<Piece> {
        let end = std::mem::replace(&mut self.at, next);
        if self.broken { self.next() } else { Some(Piece::Document(start, end)) }
    }

    /// What the line at hand is, and where the next one begins.
    fn line(&self) -> (Line, usize) {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let length = rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |end| end + 1);
        let text = rest.get(..length).unwrap_or_default();
        (self.kind(text), self.at + length)
    }

    fn kind(&self, line: &[u8]) -> Line {
        if let Some(behind) = line.strip_prefix(b"---") {
            let trimmed = behind.trim_ascii();
            return if trimmed.is_empty() || trimmed.starts_with(b"#") {
                Line::Separator
            } else {
                Line::BadSeparator(self.at + line.len() - behind.trim_ascii_start().len())
            };
        }
        match line.trim_ascii().first() {
            None | Some(b'#') => Line::Blank,
            Some(_) if line.starts_with(b"%") => Line::Directive,
            Some(_) => Line::Content,
        }
    }
}
