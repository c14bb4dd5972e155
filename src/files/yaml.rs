//! One YAML document as JSON text, in one pass over the parser's events.
//!
//! `granit-parser` is the parser: no `unsafe`, no recursion, and switches for what libyaml reads otherwise.

use std::collections::HashMap;

use granit_parser::{Event, Marker, Options, Parser, ScalarStyle, ScanError, Span, StrInput, Tag};

use super::mapping::{Mapping, Slot, wanted};
use super::scalar::{Scalar, is_merge};

/// The deepest nesting: as deep as the API server's own JSON reader goes.
const DEEPEST: usize = 10_000;
/// How many nodes may come from aliases: as many as the Go library lets through.
const MOST_ALIASED: usize = 400_000;
/// How many bytes may be written because of anchors, aliases and merges.
const MOST_COPIED: usize = 64 << 20;

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
    let mut writer = Writer { source: text, ..Writer::default() };
    let mut parser = parser(text);
    while let Some(next) = parser.next_event() {
        let (event, span) = next.map_err(|error| fault(&error))?;
        if matches!(event, Event::DocumentEnd) {
            break;
        }
        writer.take(&event, &span).map_err(|problem| Fault { at: offset(&span.start), problem })?;
    }
    let json = Some(writer.out).filter(|json| !json.is_empty() && json != "null");
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

/// A finished node that aliases may repeat.
struct Anchor {
    json: String,
    nodes: usize,
    scalar: Option<Scalar>,
}

enum Container {
    Sequence,
    Mapping(Mapping),
}

struct Frame {
    container: Container,
    anchor: usize,
    start: usize,
    nodes: usize,
}

#[derive(Default)]
struct Writer<'a> {
    source: &'a str,
    out: String,
    stack: Vec<Frame>,
    anchors: HashMap<usize, Anchor>,
    nodes: usize,
    aliased: usize,
    copied: usize,
}

impl Writer<'_> {
    fn take(&mut self, event: &Event<'_>, span: &Span) -> Result<(), String> {
        if let Some(tag) = span.tag_span() {
            self.ends(&tag, "", "the tag")?;
        }
        match event {
            Event::DocumentStart(_, Some(version)) if (version.major, version.minor) != (1, 1) => {
                Err(format!("kubectl reads YAML 1.1, this says %YAML {}.{}", version.major, version.minor))
            }
            Event::Scalar(text, style, anchor, tag) => self.scalar(text, *style, *anchor, tag.as_deref(), span),
            Event::Alias(id) => self.alias(*id),
            Event::SequenceStart(_, anchor, _) => self.open(*anchor, |out| {
                out.push('[');
                Container::Sequence
            }),
            Event::MappingStart(_, anchor, _) => self.open(*anchor, |out| Container::Mapping(Mapping::new(out))),
            Event::SequenceEnd | Event::MappingEnd => self.close(),
            _ => Ok(()),
        }
    }

    fn scalar(
        &mut self,
        text: &str,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<&Tag>,
        span: &Span,
    ) -> Result<(), String> {
        self.nodes += 1;
        if style == ScalarStyle::Plain && self.awaits_key() {
            self.ends(span, ":", "`:`")?;
        }
        if self.awaits_key() && is_merge(text, style, tag) {
            return self.key(None);
        }
        let scalar = Scalar::of(text, style, tag)?;
        if anchor != 0 {
            let json = scalar.to_json().unwrap_or_default();
            self.keep(anchor, Anchor { json, nodes: 1, scalar: Some(scalar.clone()) })?;
        }
        if self.awaits_key() {
            return self.key(Some(scalar));
        }
        let json = scalar.to_json()?;
        self.before_value();
        self.out.push_str(&json);
        self.after_value()
    }

    /// In `{a:,b: 1}` libyaml has a key `a:`, and YAML 1.2 a key `a`; so it is with a tag. Neither reading is taken.
    fn ends(&self, token: &Span, indicator: &str, what: &str) -> Result<(), String> {
        let behind = token.end.byte_offset().and_then(|end| self.source.get(end..)).unwrap_or_default();
        match behind.strip_prefix(indicator) {
            Some(rest) if rest.starts_with([',', '[', ']', '{', '}']) => {
                Err(format!("a space is missing behind {what}"))
            }
            _ => Ok(()),
        }
    }

    fn alias(&mut self, id: usize) -> Result<(), String> {
        let Some(anchor) = self.anchors.get(&id) else {
            return Err("an anchor's value contains itself".to_owned());
        };
        if self.awaits_key() {
            let scalar = anchor.scalar.clone().ok_or_else(not_a_key)?;
            return self.key(Some(scalar));
        }
        if matches!(self.mapping().map(|mapping| &mapping.slot), Some(Slot::Merge)) && !anchor.json.starts_with('{') {
            return Err(wanted());
        }
        if let Some(scalar) = &anchor.scalar {
            scalar.to_json()?;
        }
        let (size, nodes) = (anchor.json.len(), anchor.nodes);
        self.spend(size, nodes)?;
        self.before_value();
        if let Some(anchor) = self.anchors.get(&id) {
            self.out.push_str(&anchor.json);
        }
        self.after_value()
    }

    fn open(&mut self, anchor: usize, container: impl FnOnce(&mut String) -> Container) -> Result<(), String> {
        if self.awaits_key() {
            return Err(not_a_key());
        }
        if self.stack.len() >= DEEPEST {
            return Err(format!("nested more than {DEEPEST} deep"));
        }
        self.before_value();
        let (start, nodes) = (self.out.len(), self.nodes);
        self.nodes += 1;
        let container = container(&mut self.out);
        self.stack.push(Frame { container, anchor, start, nodes });
        Ok(())
    }

    fn close(&mut self) -> Result<(), String> {
        let Some(frame) = self.stack.pop() else { return Ok(()) };
        match frame.container {
            Container::Sequence => self.out.push(']'),
            Container::Mapping(mapping) => mapping.close(&mut self.out),
        }
        if frame.anchor != 0 {
            let json = self.out.get(frame.start..).unwrap_or_default().to_owned();
            self.keep(frame.anchor, Anchor { json, nodes: self.nodes - frame.nodes, scalar: None })?;
        }
        self.after_value()
    }

    fn keep(&mut self, id: usize, anchor: Anchor) -> Result<(), String> {
        self.spend(anchor.json.len(), 0)?;
        self.anchors.insert(id, anchor);
        Ok(())
    }

    /// Counts what does not stand in the file itself: an alias costs a few bytes there and any number here.
    fn spend(&mut self, bytes: usize, nodes: usize) -> Result<(), String> {
        self.copied = self.copied.saturating_add(bytes);
        self.aliased = self.aliased.saturating_add(nodes);
        self.nodes = self.nodes.saturating_add(nodes);
        if self.copied > MOST_COPIED || self.aliased > MOST_ALIASED {
            return Err(format!("aliases expand to more than {MOST_ALIASED} nodes or {} MiB", MOST_COPIED >> 20));
        }
        Ok(())
    }

    fn key(&mut self, scalar: Option<Scalar>) -> Result<(), String> {
        let key = scalar.map(Scalar::into_key).transpose()?;
        let Some(mapping) = self.mapping_mut() else { return Ok(()) };
        match key {
            None => mapping.slot = Slot::Merge,
            Some(key) if mapping.key(key.clone()) => {}
            Some(key) => return Err(format!("key {key:?} stands twice in one mapping")),
        }
        Ok(())
    }

    fn before_value(&mut self) {
        match self.stack.last_mut().map(|frame| (&mut frame.container, frame.start)) {
            Some((Container::Mapping(mapping), _)) => mapping.before_value(&mut self.out),
            Some((Container::Sequence, start)) if self.out.len() > start + 1 => self.out.push(','),
            _ => {}
        }
    }

    fn after_value(&mut self) -> Result<(), String> {
        let Some(Frame { container: Container::Mapping(mapping), .. }) = self.stack.last_mut() else { return Ok(()) };
        let reread = mapping.after_value(&mut self.out)?;
        self.spend(reread, 0)
    }

    fn awaits_key(&self) -> bool {
        self.mapping().is_some_and(|mapping| mapping.slot == Slot::Key)
    }

    fn mapping(&self) -> Option<&Mapping> {
        match &self.stack.last()?.container {
            Container::Mapping(mapping) => Some(mapping),
            Container::Sequence => None,
        }
    }

    fn mapping_mut(&mut self) -> Option<&mut Mapping> {
        match &mut self.stack.last_mut()?.container {
            Container::Mapping(mapping) => Some(mapping),
            Container::Sequence => None,
        }
    }
}

fn not_a_key() -> String {
    "a mapping or a list cannot be a key".to_owned()
}
