//! A file's documents, one at a time.

use super::document::{Broken, Document, Form, Origin, Part, Read};
use super::split::{MARK, Piece, pieces};
use super::yaml::{Fault, to_json};
use super::{json, list, locate};

/// More documents than this in one file are not read.
const MOST_DOCUMENTS: usize = 100_000;

/// Reads the documents of a file. One at a time is in memory as JSON.
pub fn documents(bytes: &[u8], form: Form, visit: &mut dyn FnMut(Read<'_>)) {
    let mut reader = Reader { bytes, visit, count: 0 };
    match form {
        Form::Json => {
            let start = if bytes.starts_with(MARK) { MARK.len() } else { 0 };
            reader.json(start, bytes.len());
        }
        Form::Yaml => reader.yaml_file(),
    }
}

/// One YAML document as JSON text, as `sigs.k8s.io/yaml` reads it; `None` when it is null or nothing but comments.
///
/// The error says what is wrong.
pub fn yaml_to_json(text: &str) -> Result<Option<String>, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    odd_break(text).and_then(|()| to_json(text)).map(|reading| reading.json).map_err(|fault| fault.problem)
}

/// The JSON text of a file that holds exactly one document.
pub fn single(text: &str) -> Result<String, String> {
    let mut all = Vec::new();
    documents(text.as_bytes(), Form::Yaml, &mut |read| {
        all.push(match read {
            Read::Document(document) => Ok(document.json.to_owned()),
            Read::Broken(broken) => Err(broken.problem),
        });
    });
    if all.len() > 1 {
        Err("more than one document".to_owned())
    } else {
        all.pop().unwrap_or(Err("no document".to_owned()))
    }
}

struct Reader<'a, 'v> {
    bytes: &'a [u8],
    visit: &'v mut dyn FnMut(Read<'_>),
    count: usize,
}

impl<'a> Reader<'a, '_> {
    fn yaml_file(&mut self) {
        for piece in pieces(self.bytes) {
            match piece {
                Piece::Document(start, _) if self.is_full() => {
                    return self.broken(start, format!("more than {MOST_DOCUMENTS} documents in one file"));
                }
                Piece::Document(start, end) => self.piece(start, end),
                Piece::BadSeparator(at) => {
                    self.count += 1;
                    self.broken(at, "kubectl reads only a comment behind `---`".to_owned());
                }
            }
        }
    }

    fn piece(&mut self, start: usize, end: usize) {
        let Some(text) = self.text(start, end) else { return };
        if json::is_likely(text) && json::values(text, &mut |_| ()).is_ok() {
            return self.json(start, end);
        }
        self.yaml(start, end, text);
    }

    fn yaml(&mut self, start: usize, end: usize, text: &str) {
        let reading = odd_break(text).and_then(|()| to_json(text));
        match reading {
            Err(Fault { at, problem }) => self.broken(start + at, problem),
            Ok(reading) => {
                if let Some(json) = &reading.json {
                    self.items(json, Part { start, end, form: Form::Yaml });
                }
                if let Some(rest) = reading.rest {
                    self.broken(start + rest, "kubectl drops what follows `...` without a `---`".to_owned());
                }
            }
        }
    }

    fn json(&mut self, start: usize, end: usize) {
        let Some(text) = self.text(start, end) else { return };
        let mut values = Vec::new();
        let fault = json::values(text, &mut |value| values.push(value)).err();
        for (at, value) in values {
            if self.is_full() {
                return self.broken(start + at, format!("more than {MOST_DOCUMENTS} documents in one file"));
            }
            let part = Part { start: start + at, end: start + at + value.len(), form: Form::Json };
            self.items(value, part);
        }
        if let Some(Fault { at, problem }) = fault {
            self.broken(start + at, problem);
        }
    }

    fn items(&mut self, json: &str, part: Part) {
        self.count += 1;
        if json == "null" {
            return;
        }
        let whole = list::items(json, &mut |item| {
            let origin = Origin { part, prefix: item.path, review: item.review };
            (self.visit)(Read::Document(Document { json: &item.json, origin }));
        });
        if let Err(path) = whole {
            let at = locate::locate(self.bytes, part, &[path]).first().copied().unwrap_or(part.start);
            self.broken(at, "a manifest is an object with apiVersion and kind".to_owned());
        }
    }

    /// The text of a stretch; what is no UTF-8 is said to be broken.
    fn text(&mut self, start: usize, end: usize) -> Option<&'a str> {
        let bytes = self.bytes.get(start..end).unwrap_or_default();
        match std::str::from_utf8(bytes) {
            Ok(text) => Some(text),
            Err(error) => {
                self.count += 1;
                self.broken(start + error.valid_up_to(), "bytes that are not UTF-8".to_owned());
                None
            }
        }
    }

    fn broken(&mut self, at: usize, problem: String) {
        (self.visit)(Read::Broken(Broken { at, problem }));
    }

    const fn is_full(&self) -> bool {
        self.count >= MOST_DOCUMENTS
    }
}

/// Line ends of YAML 1.1 that YAML 1.2 does not know: the two readings would differ, so neither is taken.
fn odd_break(text: &str) -> Result<(), Fault> {
    match text.find(['\u{85}', '\u{2028}', '\u{2029}']) {
        None => Ok(()),
        Some(at) => Err(Fault { at, problem: "a line end that only YAML 1.1 knows; write it as an escape".to_owned() }),
    }
}
