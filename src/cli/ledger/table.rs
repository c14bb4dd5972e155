//! What is charged to each node, as a table.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::ledger::account::Sums;
use crate::ledger::requests::Amounts;
use crate::ledger::state::Ledger;
use crate::model::quantity::Quantity;
use crate::model::text::escaped;

const COLUMNS: usize = 9;
const HEAD: [&str; COLUMNS] =
    ["NODE", "VERSION", "RESOURCE", "ZONE", "MAPPING", "OVERHEAD", "REQUESTS", "CHARGED", "ALLOCATABLE"];

type Row = [String; COLUMNS];

/// One row for each resource of each node, and one for each of its zones.
pub(super) fn of(ledger: &Ledger) -> String {
    let mut rows = vec![HEAD.map(str::to_owned)];
    for (node, account) in ledger.accounts() {
        let known: BTreeMap<&str, &Quantity> = ledger
            .node(node)
            .into_iter()
            .flat_map(|node| &node.allocatable)
            .map(|(name, amount)| (&**name, amount))
            .collect();
        let version = account.version.to_string();
        for resource in resources(account.sums()) {
            rows.push(total(&escaped(node), &version, resource, account.sums(), known.get(resource).copied()));
            rows.extend(zones(resource, account.sums()));
        }
    }
    render(&rows)
}

fn resources(sums: &Sums) -> BTreeSet<&str> {
    let all = [&sums.charged, &sums.mapping, &sums.overhead, &sums.requests];
    all.into_iter().flat_map(|amounts| amounts.keys().map(String::as_str)).collect()
}

fn total(node: &str, version: &str, resource: &str, sums: &Sums, allocatable: Option<&Quantity>) -> Row {
    let shown = |amounts: &Amounts| amounts.get(resource).map_or_else(|| "0".to_owned(), Quantity::to_string);
    let allocatable = allocatable.map_or_else(|| "-".to_owned(), Quantity::to_string);
    let [mapping, overhead, requests, charged] =
        [&sums.mapping, &sums.overhead, &sums.requests, &sums.charged].map(shown);
    let [node, version, resource, zone] = [node, version, resource, "all"].map(str::to_owned);
    [node, version, resource, zone, mapping, overhead, requests, charged, allocatable]
}

/// Mapping by zone, where a device has one.
fn zones(resource: &str, sums: &Sums) -> Vec<Row> {
    let zones = sums.zones.iter().filter_map(|(zone, amounts)| Some((zone.to_string(), amounts.get(resource)?)));
    let mut zones: Vec<(String, &Quantity)> = zones.collect();
    if !zones.is_empty() {
        zones.extend(sums.unzoned.get(resource).map(|amount| ("none".to_owned(), amount)));
    }
    let row = |(zone, amount): (String, &Quantity)| {
        let mut row = Row::default();
        let [_, _, _, zone_cell, mapping, ..] = &mut row;
        (*zone_cell, *mapping) = (zone, amount.to_string());
        row
    };
    zones.into_iter().map(row).collect()
}

/// Each column as wide as its widest cell.
fn render(rows: &[Row]) -> String {
    let mut widths = [0; COLUMNS];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(widths) {
            let _ = write!(line, "{cell:width$}  ");
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}
