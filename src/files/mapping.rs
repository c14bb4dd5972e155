//! A mapping being written as JSON: its keys, and what `<<` merges into it.

use std::collections::{BTreeMap, HashSet};

use serde_json::value::RawValue;

use super::scalar::json_text;

/// What the next node of a mapping is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Slot {
    Key,
    Value(String),
    Merge,
}

/// A mapping whose text begins at `start` of the output.
#[derive(Debug)]
pub(super) struct Mapping {
    start: usize,
    /// Where the value being written begins.
    value: usize,
    keys: HashSet<String>,
    pub(super) slot: Slot,
    /// The entries, once a merge made the written text useless.
    merged: Option<BTreeMap<String, String>>,
}

impl Mapping {
    pub(super) fn new(out: &mut String) -> Self {
        let start = out.len();
        out.push('{');
        Self { start, value: 0, keys: HashSet::new(), slot: Slot::Key, merged: None }
    }

    /// Takes a key; false when the mapping has it already.
    pub(super) fn key(&mut self, key: String) -> bool {
        let new = self.keys.insert(key.clone());
        self.slot = Slot::Value(key);
        new
    }

    /// Prepares the output for the value.
    pub(super) fn before_value(&mut self, out: &mut String) {
        if let (Slot::Value(key), None) = (&self.slot, &self.merged) {
            if out.len() > self.start + 1 {
                out.push(',');
            }
            out.push_str(&json_text(key));
            out.push(':');
        }
        self.value = out.len();
    }

    /// Takes the value that was just written; the number is how many bytes had to be read again.
    pub(super) fn after_value(&mut self, out: &mut String) -> Result<usize, String> {
        match (std::mem::replace(&mut self.slot, Slot::Key), &mut self.merged) {
            (Slot::Merge, _) => self.merge(out),
            (Slot::Value(key), Some(entries)) => {
                entries.insert(key, out.split_off(self.value));
                Ok(0)
            }
            _ => Ok(0),
        }
    }

    /// Closes the mapping.
    pub(super) fn close(self, out: &mut String) {
        if let Some(entries) = self.merged {
            for (nth, (key, value)) in entries.iter().enumerate() {
                out.push_str(if nth == 0 { "" } else { "," });
                out.push_str(&json_text(key));
                out.push(':');
                out.push_str(value);
            }
        }
        out.push('}');
    }

    /// The later one wins, be it the mapping's own key or a merged one: so the Go library has it.
    fn merge(&mut self, out: &mut String) -> Result<usize, String> {
        let sources = sources(&out.split_off(self.value))?;
        let mut entries = self.merged.take().map_or_else(|| self.written(out), Ok)?;
        let size = |entries: &BTreeMap<String, String>| entries.values().map(String::len).sum::<usize>();
        let reread = size(&entries) + sources.iter().map(size).sum::<usize>();
        sources.into_iter().rev().for_each(|source| entries.extend(source));
        self.merged = Some(entries);
        Ok(reread)
    }

    /// Takes back the entries written so far.
    fn written(&self, out: &mut String) -> Result<BTreeMap<String, String>, String> {
        let mut text = out.split_off(self.start);
        out.push('{');
        text.push('}');
        entries(&text).ok_or_else(wanted)
    }
}

fn sources(text: &str) -> Result<Vec<BTreeMap<String, String>>, String> {
    if text.starts_with('{') {
        return entries(text).map(|source| vec![source]).ok_or_else(wanted);
    }
    let items: Vec<&RawValue> = serde_json::from_str(text).map_err(|_| wanted())?;
    items.iter().map(|item| entries(item.get()).ok_or_else(wanted)).collect()
}

fn entries(text: &str) -> Option<BTreeMap<String, String>> {
    let raw: BTreeMap<String, &RawValue> = serde_json::from_str(text).ok()?;
    Some(raw.into_iter().map(|(key, value)| (key, value.get().to_owned())).collect())
}

/// What is said of a merge of anything but mappings.
pub(super) fn wanted() -> String {
    "`<<` merges a mapping or a list of mappings".to_owned()
}
