//! The list in a pod's status that says what its claims take of the node.

use std::collections::BTreeMap;

use super::decode::{Amount, Entries, Field, Items, Text, object};
use super::pod::Pod;
use super::quantity::Quantity;
use super::shape::{STATUS_SHAPES, StatusShape};

object! {
    /// One entry, as written, in any shape.
    Entry {
        /// The claim, up to v1.37.
        claim: Option<Text<'a>> = "resourceClaimName",
        /// What kind of thing is charged, from v1.38.
        source_kind: Option<Text<'a>> = "sourceKind",
        /// The claim, from v1.38.
        source: Option<Text<'a>> = "sourceName",
        /// The containers that refer to the claim.
        containers: Items<Text<'a>> = "containers",
        /// v1.36: amounts by resource.
        resources: Field<Entries<'a, Amount<'a>>> = "resources",
        /// v1.37: amounts.
        mapping: Field<Items<Charge<'a>>> = "mapping",
        /// v1.37: overhead.
        overhead: Field<Items<OverheadCharge<'a>>> = "overhead",
    }
    known: []
}

object! {
    /// One amount of v1.37.
    Charge {
        /// The resource.
        name: Option<Text<'a>> = "name",
        /// How much.
        quantity: Option<Amount<'a>> = "quantity",
    }
    known: []
}

object! {
    /// One overhead of v1.37.
    OverheadCharge {
        /// The resource.
        name: Option<Text<'a>> = "name",
        /// Once.
        per_pod: Option<Amount<'a>> = "perPod",
        /// For each container.
        per_container: Option<Amount<'a>> = "perContainer",
    }
    known: []
}

/// What a list comes to, whatever its shape and order: two lists that charge the same are equal.
pub type Charges = BTreeMap<String, Vec<Line>>;

/// One amount, or one container, of an entry.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Line {
    /// A container refers to the claim.
    Container(String),
    /// An amount of a resource; `None` when it cannot be read.
    Amount(&'static str, String, Option<Quantity>),
}

/// A pod's list, and the field it stands in.
#[derive(Debug, Clone, Copy)]
pub struct StatusList<'p> {
    /// The field of the pod's status.
    pub field: &'static str,
    /// The entries.
    pub entries: &'p [Entry<'p>],
}

impl<'a> Pod<'a> {
    /// Every list of the pod that is not empty: the server writes an empty one as an absent one.
    pub fn status_lists(&'a self) -> impl Iterator<Item = StatusList<'a>> {
        let status = self.status.as_ref();
        let claims = status.and_then(|status| status.claims.get());
        let additional = status.and_then(|status| status.additional.get());
        let [v136, _, v138] = &STATUS_SHAPES;
        [(v136.field, claims), (v138.field, additional)].into_iter().filter_map(|(field, list)| {
            let entries = list.map(|list| &**list).filter(|list| !list.is_empty())?;
            Some(StatusList { field, entries })
        })
    }

    /// What all lists come to.
    #[must_use]
    pub fn charges(&'a self) -> Charges {
        let mut charges = Charges::new();
        for entry in self.status_lists().flat_map(|list| list.entries) {
            charges.entry(entry.claim().to_owned()).or_default().extend(entry.lines());
        }
        for lines in charges.values_mut() {
            lines.sort_unstable();
        }
        charges
    }
}

impl Entry<'_> {
    /// The claim that is charged.
    #[must_use]
    pub fn claim(&self) -> &str {
        self.claim.as_deref().or(self.source.as_deref()).unwrap_or_default()
    }

    /// The shapes that this entry has the marks of.
    pub fn shapes(&self) -> impl Iterator<Item = &'static StatusShape> {
        let [v136, v137, v138] = &STATUS_SHAPES;
        let nested = self.mapping.get().is_some() || self.overhead.get().is_some();
        let is_planned = self.source_kind.is_some() || self.source.is_some();
        [(self.resources.get().is_some(), v136), (nested && !is_planned, v137), (is_planned, v138)]
            .into_iter()
            .filter_map(|(has, shape)| has.then_some(shape))
    }

    fn lines(&self) -> Vec<Line> {
        let amount = |kind, name: Option<&Text<'_>>, amount: Option<&Amount<'_>>| {
            amount.map(|amount| Line::Amount(kind, text(name), amount.quantity()))
        };
        let mut lines: Vec<Line> = self.containers.iter().map(|name| Line::Container((**name).to_owned())).collect();
        for (name, value) in self.resources.get().map(|map| &**map).unwrap_or_default() {
            lines.extend(amount("amount", Some(name), Some(value)));
        }
        for charge in self.mapping.get().map(|list| &**list).unwrap_or_default() {
            lines.extend(amount("amount", charge.name.as_ref(), charge.quantity.as_ref()));
        }
        for charge in self.overhead.get().map(|list| &**list).unwrap_or_default() {
            lines.extend(amount("perPod", charge.name.as_ref(), charge.per_pod.as_ref()));
            lines.extend(amount("perContainer", charge.name.as_ref(), charge.per_container.as_ref()));
        }
        lines
    }
}

fn text(name: Option<&Text<'_>>) -> String {
    name.map(|name| (**name).to_owned()).unwrap_or_default()
}
