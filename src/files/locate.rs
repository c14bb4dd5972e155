//! From a field path back to the byte where the field stands. Asked only when there is something to say.

use std::collections::HashMap;

use granit_parser::{Event, Span};
use serde_json::value::RawValue;

use super::document::{Form, Part};
use super::scalar::Scalar;
use super::{json, yaml};
use crate::model::path::{Path, Step};

/// The byte of each path, of the deepest step of it that exists where the field itself is absent. One pass for all.
#[must_use]
pub fn locate(bytes: &[u8], part: Part, paths: &[Path]) -> Vec<usize> {
    let bytes = bytes.get(part.start..part.end.min(bytes.len())).unwrap_or_default();
    let text = std::str::from_utf8(bytes).unwrap_or_default();
    let mut wanted = Wanted::default();
    let ends: Vec<Vec<usize>> = paths.iter().map(|path| wanted.add(path)).collect();
    match part.form {
        Form::Json => wanted.find_json(text),
        Form::Yaml => wanted.find_yaml(text),
    }
    ends.iter().map(|nodes| part.start + wanted.deepest(nodes)).collect()
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Name {
    Key(String),
    Index(usize),
}

/// One step that some path takes.
#[derive(Debug, Default)]
struct Node {
    next: HashMap<Name, usize>,
    found: Option<usize>,
}

/// All paths at once; node 0 is the root.
#[derive(Debug)]
struct Wanted(Vec<Node>);

impl Default for Wanted {
    fn default() -> Self {
        Self(vec![Node::default()])
    }
}

impl Wanted {
    /// Adds a path; gives its nodes from the root.
    fn add(&mut self, path: &Path) -> Vec<usize> {
        let mut nodes = vec![0];
        let mut at = 0;
        for step in path.steps() {
            let name = match step {
                Step::Field(name) => Name::Key(name.clone().into_owned()),
                Step::Entry(key) => Name::Key(key.clone()),
                Step::Item(index, _) => Name::Index(*index),
            };
            let new = self.0.len();
            let Some(node) = self.0.get_mut(at) else { break };
            at = *node.next.entry(name).or_insert(new);
            if at == new {
                self.0.push(Node::default());
            }
            nodes.push(at);
        }
        nodes
    }

    fn next(&self, at: usize, name: &Name) -> Option<usize> {
        self.0.get(at)?.next.get(name).copied()
    }

    fn found(&mut self, at: usize, offset: usize) {
        if let Some(node) = self.0.get_mut(at) {
            node.found = Some(offset);
        }
    }

    fn deepest(&self, nodes: &[usize]) -> usize {
        nodes.iter().rev().find_map(|node| self.0.get(*node)?.found).unwrap_or_default()
    }

    fn find_json(&mut self, text: &str) {
        let mut waiting = vec![(0, text)];
        while let Some((at, value)) = waiting.pop() {
            let value = value.trim_start();
            self.found(at, json::start(text, value));
            let Some(node) = self.0.get(at).filter(|node| !node.next.is_empty()) else { continue };
            waiting.extend(children(value, &node.next));
        }
    }

    fn find_yaml(&mut self, text: &str) {
        let mut parser = yaml::parser(text);
        let mut walk = Walk { wanted: self, stack: Vec::new() };
        while let Some(Ok((event, span))) = parser.next_event() {
            match event {
                Event::DocumentEnd => return,
                Event::SequenceEnd | Event::MappingEnd => walk.close(),
                _ => walk.node(&event, &span),
            }
        }
    }
}

/// The parts of a JSON value that are wanted.
fn children<'a>(value: &'a str, wanted: &HashMap<Name, usize>) -> Vec<(usize, &'a str)> {
    if value.starts_with('[') {
        let items: Vec<&RawValue> = serde_json::from_str(value).unwrap_or_default();
        return items
            .into_iter()
            .enumerate()
            .filter_map(|(nth, raw)| Some((*wanted.get(&Name::Index(nth))?, raw.get())))
            .collect();
    }
    let fields: HashMap<String, &RawValue> = serde_json::from_str(value).unwrap_or_default();
    fields.into_iter().filter_map(|(key, raw)| Some((*wanted.get(&Name::Key(key))?, raw.get()))).collect()
}

enum Container {
    Sequence(usize),
    /// A mapping; between a key and its value, what is wanted of the value and where the key stands.
    Mapping(Option<(Option<usize>, usize)>),
}

/// The way through the parser's events; an open container carries its node, if anything in it is wanted.
struct Walk<'w> {
    wanted: &'w mut Wanted,
    stack: Vec<(Option<usize>, Container)>,
}

impl Walk<'_> {
    fn node(&mut self, event: &Event<'_>, span: &Span) {
        if !event.is_node() {
            return;
        }
        let start = yaml::offset(&span.start);
        let Some((at, key)) = self.enter(event, start) else { return };
        let container = match event {
            Event::SequenceStart(..) => Some(Container::Sequence(0)),
            Event::MappingStart(..) => Some(Container::Mapping(None)),
            _ => None,
        };
        if let Some(at) = at {
            let empty = span.is_empty() || container.is_some();
            self.wanted.found(at, key.filter(|_| empty).unwrap_or(start));
        }
        if let Some(container) = container {
            self.stack.push((at, container));
        }
    }

    /// The node that stands for this event, and its key's place; `None` when it is a key itself.
    fn enter(&mut self, event: &Event<'_>, start: usize) -> Option<(Option<usize>, Option<usize>)> {
        let Some((at, container)) = self.stack.last_mut() else { return Some((Some(0), None)) };
        let at = *at;
        match container {
            Container::Sequence(index) => {
                let name = Name::Index(*index);
                *index += 1;
                Some((at.and_then(|at| self.wanted.next(at, &name)), None))
            }
            Container::Mapping(pending) => {
                if let Some((node, key)) = pending.take() {
                    Some((node, Some(key)))
                } else {
                    let node = at.and_then(|at| self.wanted.next(at, &Name::Key(key_of(event)?)));
                    *pending = Some((node, start));
                    None
                }
            }
        }
    }

    fn close(&mut self) {
        self.stack.pop();
    }
}

fn key_of(event: &Event<'_>) -> Option<String> {
    let Event::Scalar(text, style, _, tag) = event else { return None };
    Scalar::of(text, *style, tag.as_deref()).ok()?.into_key().ok()
}
