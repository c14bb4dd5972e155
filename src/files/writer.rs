//! Parser events of one document into JSON text.

use std::collections::HashMap;

use granit_parser::{Event, ScalarStyle, Span, Tag};

use super::mapping::{Mapping, Slot, wanted};
use super::scalar::{Scalar, is_merge};
use super::yaml::DEEPEST;

/// How many nodes may come from aliases: as many as the Go library lets through.
const MOST_ALIASED: usize = 400_000;
/// How many bytes may be written because of anchors, aliases and merges.
const MOST_COPIED: usize = 64 << 20;

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

/// A document being written.
#[derive(Default)]
pub(super) struct Writer<'a> {
    source: &'a str,
    out: String,
    stack: Vec<Frame>,
    anchors: HashMap<usize, Anchor>,
    nodes: usize,
    aliased: usize,
    copied: usize,
}

impl<'a> Writer<'a> {
    /// A writer of the document in this text.
    pub(super) fn new(source: &'a str) -> Self {
        Self { source, ..Self::default() }
    }

    /// The text written.
    pub(super) fn end(self) -> String {
        self.out
    }

    /// Takes the next event; the error says what is wrong with it.
    pub(super) fn take(&mut self, event: &Event<'_>, span: &Span) -> Result<(), String> {
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
