//! From objects as the API server writes them to what the ledger keeps of them.

mod claim;
mod node;
mod pod;
mod slice;

use super::{Key, Kind, Name, Object, Stamp};
use crate::model::decode::{Amount, Text};
use crate::model::meta::Meta;
use crate::model::quantity::Quantity;
use crate::model::read::{Unreadable, read};

impl Object {
    /// Reads an object of this kind, of any served API version.
    ///
    /// # Errors
    ///
    /// The field that does not have the API's form.
    pub fn read(kind: Kind, json: &str) -> Result<Self, Unreadable> {
        Ok(match kind {
            Kind::Node => Self::Node(super::Node::from(&read::<crate::model::node::Node<'_>>(json)?)),
            Kind::Slice => Self::Slice(super::Slice::from(&read::<crate::model::slice::Slice<'_>>(json)?)),
            Kind::Claim => Self::Claim(super::Claim::from(&read::<crate::model::claim::Claim<'_>>(json)?)),
            Kind::Pod => Self::Pod(super::Pod::from(&read::<crate::model::pod::Pod<'_>>(json)?)),
        })
    }
}

/// A name, empty where none is written.
fn name(text: Option<&Text<'_>>) -> Name {
    text.map_or_else(|| Name::from(""), |text| Name::from(&**text))
}

fn key(meta: Option<&Meta<'_>>) -> Key {
    let namespace = name(meta.and_then(|meta| meta.namespace.as_ref()));
    Key { namespace, name: meta.map(Meta::shown_name).unwrap_or_default().into() }
}

/// An object from a file may have no uid: its name stands for it.
fn stamp(meta: Option<&Meta<'_>>) -> Stamp {
    let version = meta.and_then(|meta| meta.resource_version.as_deref()).and_then(|text| text.parse().ok());
    let uid = meta.and_then(|meta| meta.uid.as_deref()).map(Name::from);
    Stamp { uid: uid.unwrap_or_else(|| key(meta).to_string().into()), version: version.unwrap_or_default() }
}

/// Amounts that can be read. What cannot be is told by the rules of its object, and takes nothing here.
fn amounts<'a>(
    entries: impl IntoIterator<Item = &'a (Text<'a>, Amount<'a>)>,
) -> impl Iterator<Item = (Name, Quantity)> {
    entries.into_iter().filter_map(|(name, amount)| Some((Name::from(&**name), amount.quantity()?)))
}
