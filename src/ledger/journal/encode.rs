//! From events and ledgers to lines.

use std::collections::BTreeMap;

use serde::Serialize;

use super::decode::Whole;
use super::header::Header;
use crate::ledger::apply::Changes;
use crate::ledger::event::{Change, Event, Relisted};
use crate::ledger::holds::{Reason, Subject};
use crate::ledger::object::{DeviceKey, Key, Kind, Name, Object};
use crate::ledger::price::{Price, Priced};
use crate::ledger::state::Ledger;

/// What [`super::Record`] reads, without owning it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum Line<'a> {
    Listed(&'a Object),
    Accepted {
        event: &'a Event,
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        nodes: &'a Versions,
    },
    Deleted {
        kind: Kind,
        floor: u64,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        gone: Vec<(Key, u64)>,
    },
    Unpublished {
        device: &'a DeviceKey,
        price: &'a Price,
    },
    Priced {
        claim: &'a Key,
        prices: &'a Priced,
    },
    Held {
        subject: &'a Subject,
        reason: Reason,
        since: i64,
        seen: &'a str,
    },
    Whole(Whole),
}

impl Line<'_> {
    /// Everything here has names for keys, so that it is always JSON.
    fn text(&self) -> String {
        let mut text = serde_json::to_string(self).unwrap_or_default();
        text.push('\n');
        text
    }
}

/// The versions of accounts, by node.
pub type Versions = BTreeMap<Name, u64>;

/// The versions of the accounts that an event changed, after it was applied.
#[must_use]
pub fn versions(changes: &Changes, ledger: &Ledger) -> Versions {
    let nodes = changes.nodes.iter();
    nodes.filter_map(|node| Some((node.clone(), ledger.account(node)?.version))).collect()
}

/// The lines of an event that changed something. One line holds one object at most.
#[must_use]
pub fn event(event: &Event, nodes: &Versions) -> String {
    let Change::Relisted(Relisted { kind, objects, unread, version }) = &event.change else {
        return Line::Accepted { event, nodes }.text();
    };
    let mut text: String = objects.iter().map(|object| Line::Listed(object).text()).collect();
    let list = Relisted { kind: *kind, objects: Vec::new(), unread: unread.clone(), version: *version };
    let event = Event { at: event.at, change: Change::Relisted(list) };
    text.push_str(&Line::Accepted { event: &event, nodes }.text());
    text
}

/// The lines of a complete ledger, the header first.
pub fn export(ledger: &Ledger, at: i64) -> impl Iterator<Item = String> {
    let header = std::iter::once_with(|| format!("{}\n", Header { version: ledger.version() }.line()));
    let objects = Kind::ALL.into_iter().flat_map(move |kind| list(ledger, kind, at));
    let deleted = Kind::ALL.into_iter().map(|kind| deleted(ledger, kind).text());
    let gone = ledger.gone.iter().map(|(device, price)| Line::Unpublished { device, price }.text());
    let priced = ledger.kept(Kind::Claim).keys().into_iter().filter_map(|claim| {
        let prices = ledger.priced(&claim)?;
        Some(Line::Priced { claim: &claim, prices }.text())
    });
    let held = ledger
        .held
        .iter()
        .map(|((subject, reason), (since, seen))| Line::Held { subject, reason: *reason, since: *since, seen }.text());
    let whole = std::iter::once_with(move || Line::Whole(whole(ledger, at)).text());
    header.chain(objects).chain(deleted).chain(gone).chain(priced).chain(held).chain(whole)
}

fn list(ledger: &Ledger, kind: Kind, at: i64) -> impl Iterator<Item = String> {
    let listed = ledger.kept(kind).keys().into_iter().filter_map(move |key| {
        let object = ledger.object(kind, &key)?;
        Some(Line::Listed(&object).text())
    });
    let end = move || Line::Accepted { event: &relisted(kind, at), nodes: &Versions::new() }.text();
    listed.chain(std::iter::once_with(end))
}

/// The list whose objects stand in the lines before.
fn relisted(kind: Kind, at: i64) -> Event {
    Event { at, change: Change::Relisted(Relisted::of(kind, Vec::new())) }
}

fn deleted(ledger: &Ledger, kind: Kind) -> Line<'static> {
    let (floor, gone) = ledger.kept(kind).deletions();
    Line::Deleted { kind, floor, gone }
}

fn whole(ledger: &Ledger, at: i64) -> Whole {
    let nodes = ledger.accounts().iter().map(|(node, account)| (node.clone(), account.version));
    Whole { at, nodes: nodes.collect(), closed: ledger.closed, objects: ledger.counts(), charged: ledger.totals() }
}
