//! What the ledger holds, in Prometheus' text format. Series by node only for nodes with contributions; amounts are in
//! cores and bytes.

use std::sync::atomic::AtomicU64;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::prometheus_text::encode;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use crate::ledger::account::Account;
use crate::ledger::book::Book;
use crate::ledger::contribution::Basis;
use crate::ledger::holds::Hold;
use crate::ledger::object::Name;
use crate::ledger::requests::Amounts;
use crate::ledger::state::Ledger;

type Float = Gauge<f64, AtomicU64>;

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct NodeLabels {
    node: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct AmountLabels {
    node: String,
    resource: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ChargeLabels {
    node: String,
    resource: String,
    source: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ReasonLabels {
    reason: &'static str,
}

#[derive(Debug, Default)]
struct Figures {
    allocatable: Family<AmountLabels, Float>,
    charged: Family<ChargeLabels, Float>,
    versions: Family<NodeLabels, Gauge>,
    drift: Family<NodeLabels, Gauge>,
    age: Family<NodeLabels, Gauge>,
    holds: Family<ReasonLabels, Gauge>,
    duplicates: Gauge,
    unknown: Gauge,
    reservations: Gauge,
}

/// The figures at `now` with every hold there is, by node or not, in milliseconds since 1970.
#[must_use]
pub fn text(book: &Book, holds: &[Hold], by_node: bool, now: i64) -> String {
    let figures = Figures::default();
    for hold in holds {
        figures.holds.get_or_create(&ReasonLabels { reason: hold.reason.as_str() }).inc();
    }
    let ledger = book.read();
    let mut reservations = book.reservations();
    reservations.forget(&ledger, now);
    figures.reservations.set(whole(reservations.len()));
    drop(reservations);
    figures.troubles(&ledger);
    if by_node {
        figures.nodes(&ledger, now);
    }
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = encode(&mut text, &figures.registry());
    text
}

impl Figures {
    fn troubles(&self, ledger: &Ledger) {
        let troubles = ledger.troubles().values();
        self.duplicates.set(troubles.clone().map(|trouble| whole(trouble.duplicates)).sum());
        self.unknown.set(troubles.map(|trouble| whole(trouble.unknown.len())).sum());
    }

    fn nodes(&self, ledger: &Ledger, now: i64) {
        let used = ledger.accounts().iter().filter(|(_, account)| !account.contributions().is_empty());
        for (name, account) in used {
            self.node(name, account, ledger, now);
        }
    }

    fn node(&self, name: &Name, account: &Account, ledger: &Ledger, now: i64) {
        let node = name.to_string();
        let sums = account.sums();
        for (source, amounts) in
            [("requests", &sums.requests), ("mapping", &sums.mapping), ("overhead", &sums.overhead)]
        {
            self.charge(&node, source, amounts);
        }
        for (resource, amount) in ledger.node(name).iter().flat_map(|node| &node.allocatable) {
            let labels = AmountLabels { node: node.clone(), resource: resource.to_string() };
            self.allocatable.get_or_create(&labels).set(amount.to_f64());
        }
        let labels = NodeLabels { node };
        self.versions.get_or_create(&labels).set(whole(account.version));
        let drifted = account.contributions().iter();
        let drifted = drifted.filter(|(entry, line)| entry.device.is_none() && line.basis == Basis::Recorded);
        self.drift.get_or_create(&labels).set(whole(drifted.count()));
        if let Some(oldest) = ledger.oldest_mapping(name) {
            self.age.get_or_create(&labels).set(now.saturating_sub(oldest).max(0) / 1000);
        }
    }

    fn charge(&self, node: &str, source: &'static str, amounts: &Amounts) {
        for (resource, amount) in amounts {
            let labels = ChargeLabels { node: node.to_owned(), resource: resource.clone(), source };
            self.charged.get_or_create(&labels).set(amount.to_f64());
        }
    }

    fn registry(self) -> Registry {
        let mut registry = Registry::with_prefix("draguard_ledger");
        registry.register("allocatable", "What a node offers to pods", self.allocatable);
        registry.register("charged", "What is charged to a node, by source", self.charged);
        registry.register("version", "Changes of a node's account", self.versions);
        registry.register("drift", "Amounts that a pod's status records other than the mappings say", self.drift);
        registry.register("mapping_age_seconds", "Since the oldest mapping that is charged was first seen", self.age);
        registry.register("holds", "Reasons for which new mapped allocations wait", self.holds);
        registry.register("duplicates", "Contributions that came twice and are counted once", self.duplicates);
        registry.register("unknown_footprints", "Footprints that cannot be told", self.unknown);
        registry.register("reservations", "Allocations allowed and not seen yet", self.reservations);
        registry
    }
}

fn whole<T: TryInto<i64>>(count: T) -> i64 {
    count.try_into().unwrap_or(i64::MAX)
}
