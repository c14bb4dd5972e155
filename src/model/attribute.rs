//! How a device attribute is read: one of several typed values, of which rules need the numbers and the version.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};

use super::decode::{Field, Items, Number, Text};
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
        let mut read = Attribute::default();
        while let Some(kind) = map.next_key::<Text<'de>>()? {
            let is_set = match &*kind {
                "int" => {
                    let number: Option<Number> = map.next_value()?;
                    let is_set = number.is_some();
                    read.ints = number.into_iter().collect();
                    is_set
                }
                "ints" => {
                    let numbers: Items<Number> = map.next_value()?;
                    read.ints = numbers.0;
                    !read.ints.is_empty()
                }
                "version" => {
                    let version: Option<Text<'de>> = map.next_value()?;
                    read.version = version.map(|text| text.0.into_owned());
                    read.version.is_some()
                }
                "string" => map.next_value::<Option<Text<'de>>>()?.is_some(),
                "bool" => map.next_value::<Option<bool>>()?.is_some(),
                "strings" | "versions" => !map.next_value::<Items<Text<'de>>>()?.is_empty(),
                "bools" => !map.next_value::<Items<bool>>()?.is_empty(),
                _ => {
                    map.next_value::<Field<IgnoredAny>>()?;
                    false
                }
            };
            read.is_set |= is_set;
        }
        Ok(read)
    }
}
