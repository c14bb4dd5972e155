//! From lines to a ledger.

use std::collections::{BTreeMap, BTreeSet};

use super::decode::{Record, Totals, Whole};
use super::header::{FORMAT, Header};
use crate::ledger::event::{Change, Event};
use crate::ledger::object::{Key, Kind, Name, Object};
use crate::ledger::state::Ledger;

/// Why a text is not taken for a ledger. It is never taken for an empty one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The first line is not that of a ledger.
    #[error("not a ledger: the first line should be {}", Header { version: crate::model::version::Version::V137 }.line())]
    NoLedger,
    /// A later program wrote it.
    #[error("written in format {0} by a newer draguard; this one reads format {FORMAT}")]
    Newer(u64),
    /// Nobody is known to have written it.
    #[error("format {0} is not known; this draguard reads format {FORMAT}")]
    Unknown(u64),
    /// Footprints of this release are not known.
    #[error("footprints of Kubernetes {0:?} are not known")]
    Release(String),
    /// The line cannot be read.
    #[error("cannot be read: {0}")]
    Line(String),
    /// The line is in the wrong place.
    #[error("{0}")]
    Misplaced(&'static str),
    /// Prices of something that is not allocated so.
    #[error("prices that do not fit the allocation of claim {0}")]
    Prices(Key),
    /// The text stops inside the export.
    #[error("stops before the export is whole")]
    Short,
}

/// A text that is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {refused}")]
pub struct Broken {
    /// The line, from 1.
    pub line: usize,
    /// Why.
    pub refused: Refused,
}

/// Something that is not as it was when the line was written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}: {expected} was written, it comes to {found}")]
pub struct Mismatch {
    /// The line.
    pub line: usize,
    /// What is told.
    pub what: String,
    /// As it was written.
    pub expected: String,
    /// What it comes to.
    pub found: String,
}

/// A ledger rebuilt.
#[derive(Debug, Clone)]
pub struct Replayed {
    /// The ledger.
    pub ledger: Ledger,
    /// How many events followed the export.
    pub events: usize,
    /// When the last line was written, in milliseconds since 1970.
    pub at: i64,
    /// True when the last line was torn and is left out.
    pub is_torn: bool,
    /// Where it did not come out as it was written.
    pub mismatches: Vec<Mismatch>,
}

/// Rebuilds a ledger from a whole text.
///
/// # Errors
///
/// See [`Replay::line`] and [`Replay::end`].
pub fn replay(text: &str) -> Result<Replayed, Broken> {
    let mut replay = Replay::default();
    for line in text.split_inclusive('\n') {
        replay.line(line.as_bytes())?;
    }
    replay.end()
}

/// A ledger being rebuilt, line by line.
#[derive(Debug, Default)]
pub struct Replay {
    ledger: Option<Ledger>,
    listed: Vec<Object>,
    is_whole: bool,
    line: usize,
    events: usize,
    at: i64,
    torn: Option<Broken>,
    mismatches: Vec<Mismatch>,
}

impl Replay {
    /// Takes in one line with its end. What has none is the last one: if it cannot be read, its writer was cut off.
    ///
    /// # Errors
    ///
    /// When the line cannot be read or is out of place.
    pub fn line(&mut self, line: &[u8]) -> Result<(), Broken> {
        if let Some(torn) = self.torn.take() {
            return Err(torn);
        }
        self.line += 1;
        let result = std::str::from_utf8(line).map_err(|error| Refused::Line(error.to_string()));
        match result.and_then(|line| self.take(line)) {
            Ok(()) => Ok(()),
            Err(refused) => {
                let broken = Broken { line: self.line, refused };
                let is_torn = matches!(broken.refused, Refused::Line(_)) && !line.ends_with(b"\n");
                if !is_torn {
                    return Err(broken);
                }
                self.torn = Some(broken);
                Ok(())
            }
        }
    }

    /// The ledger.
    ///
    /// # Errors
    ///
    /// When the text stopped before a complete state was told.
    pub fn end(self) -> Result<Replayed, Broken> {
        let short = Broken { line: self.line, refused: Refused::Short };
        let Some(ledger) = self.ledger.filter(|_| self.is_whole) else { return Err(short) };
        // A list whose end is missing was cut off too.
        let is_torn = self.torn.is_some() || !self.listed.is_empty();
        let Self { events, at, mismatches, .. } = self;
        Ok(Replayed { ledger, events, at, is_torn, mismatches })
    }

    fn take(&mut self, line: &str) -> Result<(), Refused> {
        let Some(ledger) = &mut self.ledger else {
            self.ledger = Some(Ledger::new(Header::read(line)?.version));
            return Ok(());
        };
        let record = serde_json::from_str(line).map_err(|error| Refused::Line(error.to_string()))?;
        match record {
            Record::Listed(object) => self.listed.push(object),
            Record::Accepted { event, nodes } => return self.accepted(event, &nodes),
            _ if self.is_whole => return Err(Refused::Misplaced("belongs into an export, which has ended")),
            Record::Deleted { kind, floor, gone } => ledger.kept_mut(kind).set_deletions(floor, gone),
            Record::Unpublished { device, price } => ledger.gone.keep(device, price),
            Record::Priced { claim, prices } => {
                if !ledger.pin(&claim, prices) {
                    return Err(Refused::Prices(claim));
                }
            }
            Record::Held { subject, reason, since, seen } => {
                ledger.held.insert((subject, reason), (since, seen));
            }
            Record::Whole(whole) => {
                ledger.set_versions(whole.nodes.clone(), whole.closed);
                (self.at, self.is_whole) = (whole.at, true);
                self.compare_whole(&whole);
            }
        }
        Ok(())
    }

    fn accepted(&mut self, mut event: Event, nodes: &BTreeMap<Name, u64>) -> Result<(), Refused> {
        let Some(ledger) = &mut self.ledger else { return Ok(()) };
        if let Change::Relisted(relisted) = &mut event.change {
            relisted.objects.append(&mut self.listed);
            are_all(&relisted.objects, relisted.kind)?;
        } else if !self.listed.is_empty() {
            return Err(Refused::Misplaced("the list that the lines before belong to is missing"));
        }
        self.at = event.at;
        ledger.apply(event);
        if self.is_whole {
            self.events += 1;
            self.compare(nodes);
        }
        Ok(())
    }

    fn compare(&mut self, nodes: &BTreeMap<Name, u64>) {
        let Some(ledger) = &self.ledger else { return };
        for (node, expected) in nodes {
            let found = ledger.account(node).map_or(0, |account| account.version);
            if found != *expected {
                let what = format!("the version of node {node}");
                self.mismatches.push(Mismatch {
                    line: self.line,
                    what,
                    expected: expected.to_string(),
                    found: found.to_string(),
                });
            }
        }
    }

    /// Counts again what the export counted.
    fn compare_whole(&mut self, whole: &Whole) {
        let Some(ledger) = &self.ledger else { return };
        let line = self.line;
        let mut tell = |what: String, expected: String, found: String| {
            if expected != found {
                self.mismatches.push(Mismatch { line, what, expected, found });
            }
        };
        for ((kind, expected), (_, found)) in whole.objects.iter().zip(ledger.counts()) {
            tell(format!("the number of {}", kind.plural()), expected.to_string(), found.to_string());
        }
        let found = ledger.totals();
        let nodes: BTreeSet<&Name> = whole.charged.keys().chain(found.keys()).chain(whole.nodes.keys()).collect();
        let known = |totals: &BTreeMap<Name, Totals>, node| totals.get(node).map(Totals::to_string).unwrap_or_default();
        for node in nodes {
            tell(format!("what is charged to node {node}"), known(&whole.charged, node), known(&found, node));
        }
    }
}

fn are_all(objects: &[Object], kind: Kind) -> Result<(), Refused> {
    let is_all = objects.iter().all(|object| object.kind() == kind);
    is_all.then_some(()).ok_or(Refused::Misplaced("the lines before list objects of another kind"))
}
