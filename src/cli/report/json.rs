//! Findings as one JSON document, written as they come.

use std::fmt::Write as _;
use std::io::{self, Write};

use serde::Serialize;

use super::{Entry, Report, Summary};
use crate::model::text::escaped;

/// The longest value that is repeated, in characters.
const LONGEST: usize = 1024;

/// Writes JSON in plain ASCII, which no terminal and no log misreads.
pub(in crate::cli) struct Json<W> {
    out: W,
    is_empty: bool,
}

#[derive(Serialize)]
struct Finding<'f> {
    rule: &'f str,
    severity: &'f str,
    file: &'f str,
    line: usize,
    column: usize,
    object: Object<'f>,
    path: String,
    value: String,
    message: String,
    remedy: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Object<'f> {
    api_version: &'f str,
    kind: &'f str,
    namespace: &'f str,
    name: &'f str,
}

impl<W: Write> Json<W> {
    pub(in crate::cli) const fn new(out: W) -> Self {
        Self { out, is_empty: true }
    }
}

impl<W: Write> Report for Json<W> {
    fn entry(&mut self, entry: &Entry<'_>) -> io::Result<()> {
        let text = serde_json::to_string(&Finding::of(entry))?;
        let before = if std::mem::take(&mut self.is_empty) { "{\"findings\":[\n" } else { ",\n" };
        write!(self.out, "{before}{}", ascii(&text))
    }

    fn end(&mut self, summary: &Summary) -> io::Result<()> {
        let before = if self.is_empty { "{\"findings\":[" } else { "\n" };
        let Summary { objects, deny, warn, .. } = summary;
        writeln!(self.out, "{before}],\"summary\":{{\"objects\":{objects},\"deny\":{deny},\"warn\":{warn}}}}}")?;
        self.out.flush()
    }
}

impl<'f> Finding<'f> {
    fn of(entry: &'f Entry<'_>) -> Self {
        let (finding, object) = (&entry.ruling.finding, &entry.object);
        Self {
            rule: finding.rule.id,
            severity: entry.ruling.severity.as_str(),
            file: entry.file,
            line: entry.place.line,
            column: entry.place.column,
            object: Object {
                api_version: &object.api_version,
                kind: &object.kind,
                namespace: &object.namespace,
                name: &object.name,
            },
            path: finding.path.to_string(),
            value: finding.value.chars().take(LONGEST).collect(),
            message: finding.message(),
            remedy: escaped(&finding.remedy),
        }
    }
}

/// The same JSON text with everything but printable ASCII as escapes.
fn ascii(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for character in json.chars() {
        if matches!(character, ' '..='~') {
            out.push(character);
            continue;
        }
        for unit in character.encode_utf16(&mut [0; 2]) {
            // Writing to a string cannot fail.
            let _ = write!(out, "\\u{unit:04x}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::ascii;

    #[test]
    fn the_text_is_ascii_and_means_the_same() {
        let text = "\"a\u{202e}é\u{7f}\u{1f600}\"";
        assert_eq!(ascii(text), r#""a\u202e\u00e9\u007f\ud83d\ude00""#);
        assert_eq!(serde_json::from_str::<String>(&ascii(text)).unwrap(), text.trim_matches('"'));
    }
}
