//! Maps with string keys.

use std::collections::HashSet;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};

use super::{MOST_MEMBERS, Text};

/// A map with string keys, in order of appearance; `null` is an empty one, and a `null` value the type's default.
#[derive(Debug, Clone)]
pub struct Entries<'a, T, const MOST: usize = MOST_MEMBERS>(pub Vec<(Text<'a>, T)>);

impl<T, const MOST: usize> Default for Entries<'_, T, MOST> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'a, T, const MOST: usize> Deref for Entries<'a, T, MOST> {
    type Target = [(Text<'a>, T)];

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<T, const MOST: usize> Entries<'_, T, MOST> {
    /// The value of exactly this key.
    #[must_use]
    pub fn value(&self, key: &str) -> Option<&T> {
        self.0.iter().find(|(name, _)| &**name == key).map(|(_, value)| value)
    }
}

impl<'de: 'a, 'a, T: Deserialize<'de> + Default, const MOST: usize> Deserialize<'de> for Entries<'a, T, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read<'a, T, const MOST: usize>(PhantomData<(&'a (), T)>);
        impl<'de: 'a, 'a, T: Deserialize<'de> + Default, const MOST: usize> Visitor<'de> for Read<'a, T, MOST> {
            type Value = Entries<'a, T, MOST>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
                Ok(Entries::default())
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::with_capacity(8);
                while let Some(key) = map.next_key()? {
                    if entries.len() == MOST {
                        return Err(Error::custom(format_args!("more than {MOST} entries")));
                    }
                    let value: Option<T> = map.next_value()?;
                    entries.push((key, value.unwrap_or_default()));
                }
                Ok(Entries(last_of_each(entries)))
            }
        }
        deserializer.deserialize_any(Read::<T, MOST>(PhantomData))
    }
}

/// The entries without those that a later equal key replaces. The API server writes keys in order, so that this is
/// one pass and no allocation on its input.
fn last_of_each<T>(mut entries: Vec<(Text<'_>, T)>) -> Vec<(Text<'_>, T)> {
    if entries.is_sorted_by(|(a, _), (b, _)| a < b) {
        return entries;
    }
    let mut seen = HashSet::with_capacity(entries.len());
    let mut kept: Vec<_> = entries.drain(..).rev().filter(|(key, _)| seen.insert(key.clone())).collect();
    kept.reverse();
    kept
}
