//! Node selectors, as far as one names a single node.

use super::decode::{Items, Text, object};

object! {
    /// A node selector: any of its terms must hold.
    NodeSelector {
        /// The terms.
        terms: Items<Term<'a>> = "nodeSelectorTerms",
    }
    known: []
}

object! {
    /// One term: all of its requirements must hold.
    Term {
        /// Over labels.
        labels: Items<Requirement<'a>> = "matchExpressions",
        /// Over fields.
        fields: Items<Requirement<'a>> = "matchFields",
    }
    known: []
}

object! {
    /// One requirement.
    Requirement {
        /// The label or field.
        key: Option<Text<'a>> = "key",
        /// How it is compared.
        operator: Option<Text<'a>> = "operator",
        /// With what.
        values: Items<Text<'a>> = "values",
    }
    known: []
}

impl NodeSelector<'_> {
    /// The one node that is selected by name: what the allocator writes for devices of a node
    /// (`kubernetes@1.36.3 pkg/registry/resource/utils.go`).
    #[must_use]
    pub fn node(&self) -> Option<&str> {
        let [term] = &*self.terms else { return None };
        let [field] = &*term.fields else { return None };
        let [name] = &*field.values else { return None };
        let is_name = field.key.as_deref() == Some("metadata.name") && field.operator.as_deref() == Some("In");
        (is_name && term.labels.is_empty()).then_some(&**name)
    }
}
