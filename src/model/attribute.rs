//! How a device attribute is read: one of several typed values.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};

use super::decode::{Items, Number, Text};
use super::slice::Attribute;

impl<'de: 'a, 'a> Deserialize<'de> for Attribute<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Read)
    }
}

struct Read;

impl<'de> Visitor<'de> for Read {
    type Value = Attribute<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Attribute<'de>, A::Error> {
        let mut read = Attribute::Unset;
        while let Some(kind) = map.next_key::<Text<'de>>()? {
            let value = match &*kind {
                "int" => map.next_value::<Option<Number>>()?.map(Attribute::Int),
                "version" => map.next_value::<Option<Text<'de>>>()?.map(Attribute::Version),
                "string" => map.next_value::<Option<Text<'de>>>()?.map(Attribute::String),
                "bool" => map.next_value::<Option<bool>>()?.map(Attribute::Bool),
                "ints" => list(map.next_value()?, Attribute::Ints),
                "strings" => list(map.next_value()?, Attribute::Strings),
                "versions" => list(map.next_value()?, Attribute::Versions),
                "bools" => list(map.next_value()?, Attribute::Bools),
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    None
                }
            };
            read = value.unwrap_or(read);
        }
        Ok(read)
    }
}

/// An empty list is no value.
fn list<'a, T>(items: Items<T>, kind: fn(Vec<T>) -> Attribute<'a>) -> Option<Attribute<'a>> {
    (!items.is_empty()).then(|| kind(items.0))
}
