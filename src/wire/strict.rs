//! JSON objects read key by key, each key at most once: what two parsers could read differently is refused.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;

/// More keys than any API server writes into one object of the envelope; bounds the search for repeated ones.
const MOST_KEYS: usize = 256;

/// A string, borrowed where it has no escapes.
#[derive(Debug, Default, Deserialize)]
#[serde(transparent)]
pub(super) struct Text<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);

/// One object of the envelope.
pub(super) trait Part<'de> {
    /// What the object is, for error texts.
    const WHAT: &'static str;

    /// Takes the value of `key`; unknown keys go to [`skip`].
    fn take<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error>;

    /// Told of a key that stands twice, before the whole is refused.
    fn repeated(&mut self, _key: &str) {}
}

/// Passes over the value of an unknown key, though it must still be well-formed UTF-8.
pub(super) fn skip<'de, A: MapAccess<'de>>(map: &mut A) -> Result<(), A::Error> {
    map.next_value::<&'de RawValue>().map(drop)
}

/// Fills a part in place, so that what was read before an error is not lost.
pub(super) struct Fill<'p, P>(pub(super) &'p mut P);

impl<'de, P: Part<'de>> DeserializeSeed<'de> for Fill<'_, P> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, P: Part<'de>> Visitor<'de> for Fill<'_, P> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} as an object", P::WHAT)
    }

    /// `null` is absence, as everywhere in Kubernetes.
    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut seen: Vec<Cow<'de, str>> = Vec::with_capacity(16);
        while let Some(Text(key)) = map.next_key()? {
            if seen.contains(&key) {
                self.0.repeated(&key);
                return Err(A::Error::custom(format_args!("duplicate key {key:?} in {}", P::WHAT)));
            }
            if seen.len() == MOST_KEYS {
                return Err(A::Error::custom(format_args!("more than {MOST_KEYS} keys in {}", P::WHAT)));
            }
            self.0.take(&key, &mut map)?;
            seen.push(key);
        }
        Ok(())
    }
}
