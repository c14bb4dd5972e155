//! Nodes.

use super::super::{Name, Node};
use super::{amounts, key, stamp};
use crate::model::node as written;
use crate::model::resource::Kind;

impl From<&written::Node<'_>> for Node {
    fn from(node: &written::Node<'_>) -> Self {
        let meta = node.meta.as_ref();
        let status = node.status.as_ref();
        let allocatable = status.map(|status| &*status.allocatable).unwrap_or_default();
        let labels = meta.map(|meta| &*meta.labels).unwrap_or_default();
        Self {
            key: key(meta),
            stamp: stamp(meta),
            is_ready: node.is_ready(),
            allocatable: amounts(allocatable).filter(|(resource, _)| Kind::of(resource).is_some()).collect(),
            declared: status
                .and_then(|status| status.declared.get())
                .map(|features| features.iter().map(|feature| Name::from(&**feature)).collect()),
            labels: labels.iter().map(|(key, value)| ((**key).to_owned(), (**value).to_owned())).collect(),
        }
    }
}
