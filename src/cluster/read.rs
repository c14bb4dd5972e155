//! From what the API server sends to what the ledger keeps: trimmed at once, object by object.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::signs::KindSigns;
use crate::checks::stored;
use crate::ledger::event::Deleted;
use crate::ledger::object::{Key, Kind, Object, Slice, Stamp};

/// The head of any object, for what has to be known of one that cannot be read.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Head<'a> {
    #[serde(borrow, default)]
    metadata: Meta<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Meta<'a> {
    #[serde(borrow)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow)]
    namespace: Option<Cow<'a, str>>,
    #[serde(borrow)]
    uid: Option<Cow<'a, str>>,
    #[serde(borrow)]
    resource_version: Option<Cow<'a, str>>,
}

impl<'a> Head<'a> {
    /// The head; empty where even that cannot be read.
    pub(super) fn of(json: &'a RawValue) -> Self {
        serde_json::from_str(json.get()).unwrap_or_default()
    }

    /// The version of the object, or of a bookmark.
    pub(super) fn version(&self) -> Option<u64> {
        self.metadata.resource_version.as_deref()?.parse().ok()
    }

    /// The object as one that is gone; its version is that of the deletion.
    pub(super) fn deleted(&self, kind: Kind) -> Option<Deleted> {
        let meta = &self.metadata;
        let stamp = Stamp { uid: meta.uid.as_deref()?.into(), version: self.version()? };
        Some(Deleted { kind, key: self.key(), stamp })
    }

    /// The object's name.
    pub(super) fn key(&self) -> Key {
        let text = |text: &Option<Cow<'a, str>>| text.as_deref().unwrap_or_default().to_owned();
        Key::new(&text(&self.metadata.namespace), &text(&self.metadata.name))
    }
}

/// Reads an object. One that has another form is told, and its name given: the stream goes on without it.
pub(super) fn object(kind: Kind, json: &RawValue, signs: &KindSigns) -> Result<Object, Key> {
    let with_faults = |object| match object {
        Object::Slice(slice) => Object::Slice(Slice { faults: stored::faults(json.get()), ..slice }),
        other => other,
    };
    Object::read(kind, json.get()).map(with_faults).map_err(|error| {
        signs.unreadable.add();
        let key = Head::of(json).key();
        tracing::warn!(resource = kind.plural(), object = %key, %error, "an object cannot be read and is left out");
        key
    })
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::{Head, object};
    use crate::cluster::signs::KindSigns;
    use crate::ledger::object::{Key, Kind};

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).unwrap()
    }

    #[test]
    fn what_cannot_be_read_is_counted_and_left_out() {
        let signs = KindSigns::default();
        let bad = raw(r#"{"metadata": {"name": "s", "uid": "u", "resourceVersion": "7"}, "spec": {"devices": 5}}"#);
        assert_eq!(object(Kind::Slice, &bad, &signs), Err(Key::cluster("s")));
        assert_eq!(signs.unreadable.count(), 1);
        let gone = Head::of(&bad).deleted(Kind::Slice).unwrap();
        assert_eq!((&*gone.key.name, &*gone.stamp.uid, gone.stamp.version), ("s", "u", 7));
    }

    #[test]
    fn a_head_without_any_form_is_empty() {
        for text in ["5", "[]", r#"{"metadata": []}"#, r#"{"metadata": {"name": 5, "resourceVersion": "7"}}"#] {
            assert_eq!(Head::of(&raw(text)).version(), None, "{text}");
            assert_eq!(Head::of(&raw(text)).deleted(Kind::Pod), None, "{text}");
        }
    }
}
