//! How a device attribute is read: one of several typed values, of which rules need the numbers and the version.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};

use super::decode::{Items, Number, Text};
use super::slice::Attribute;

impl<'de> Deserialize<'de> for Attribute {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Read)
    }
}

struct Read;

impl<'de> Visitor<'de> for Read {
    type Value = Attribute;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Attribute, A::Error> {
        let mut read = Attribute::Unset;
        while let Some(kind) = map.next_key::<Text<'de>>()? {
            let value = match &*kind {
                "int" => map.next_value::<Option<Number>>()?.map(Attribute::Int),
                "ints" => {
                    let numbers: Items<Number> = map.next_value()?;
                    (!numbers.is_empty()).then_some(Attribute::Ints(numbers.0))
                }
                "version" => map.next_value::<Option<Text<'de>>>()?.map(|text| Attribute::Version(text.0.into_owned())),
                "string" => map.next_value::<Option<Text<'de>>>()?.map(|_| Attribute::Other),
                "bool" => map.next_value::<Option<bool>>()?.map(|_| Attribute::Other),
                "strings" | "versions" => other(map.next_value::<Items<Text<'de>>>()?.is_empty()),
                "bools" => other(map.next_value::<Items<bool>>()?.is_empty()),
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

fn other(is_empty: bool) -> Option<Attribute> {
    (!is_empty).then_some(Attribute::Other)
}
