//! One YAML document as JSON text, in one pass over the parser's events.
//!
//! `granit-parser` is the parser: no `unsafe`, no recursion, and switches for what libyaml reads otherwise.

use granit_parser::{Event, Marker, Options, Parser, ScanError, StrInput};

use super::writer::Writer;

/// The deepest nesting: as deep as the API server's own JSON reader goes.
pub(super) const DEEPEST: usize = 10_000;

/// Why a document cannot be read, and where: a byte offset from its start.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) at: usize,
    pub(super) problem: String,
}

/// What one document came to.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Reading {
    /// Its JSON text; `None` when there is nothing in it.
    pub(super) json: Option<String>,
    /// Where another document begins that `---` does not part from this one.
    pub(super) rest: Option<usize>,
}

/// The parser over one document, with libyaml's habits.
pub(super) fn parser(text: &str) -> Parser<'_, StrInput<'_>> {
    Parser::new_from_str_with_options(text, options())
}

/// Reads one document.
pub(super) fn to_json(text: &str) -> Result<Reading, Fault> {
    let mut writer = Writer::new(text);
    let mut parser = parser(text);
    while let Some(next) = parser.next_event() {
        let (event, span) = next.map_err(|error| fault(&error))?;
        if matches!(event, Event::DocumentEnd) {
            break;
        }
        writer.take(&event, &span).map_err(|problem| Fault { at: offset(&span.start), problem })?;
    }
    let json = Some(writer.end()).filter(|json| !json.is_empty() && json != "null");
    Ok(Reading { json, rest: rest(&mut parser) })
}

/// The byte offset of a marker.
pub(super) fn offset(marker: &Marker) -> usize {
    marker.byte_offset().unwrap_or_default()
}

fn options() -> Options {
    let mut options = granit_parser::options! {
        bom_inside_document_as_content: true,
        block_scalar_eof_without_line_feed: true,
        flow_nesting_limit: DEEPEST,
        block_nesting_limit: DEEPEST,
    };
    options.set_emit_comments(false);
    options
}

fn fault(error: &ScanError) -> Fault {
    Fault { at: offset(error.marker()), problem: error.info() }
}

fn rest<'a>(parser: &mut Parser<'a, StrInput<'a>>) -> Option<usize> {
    match parser.next_event()? {
        Ok((Event::StreamEnd, _)) => None,
        Ok((_, span)) => Some(offset(&span.start)),
        Err(error) => Some(offset(error.marker())),
    }
}
