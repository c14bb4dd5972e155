//! Quantities as they were written.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Visitor};

use crate::model::quantity::{Quantity, QuantityError};

/// A quantity as it was written, and what it comes to. The API also takes a bare number; `null` is zero.
#[derive(Debug, Clone)]
pub struct Amount<'a> {
    /// As written.
    pub text: Cow<'a, str>,
    /// What it comes to, or why it comes to nothing.
    pub value: Result<Quantity, QuantityError>,
}

impl<'a> Amount<'a> {
    /// Reads a quantity.
    #[must_use]
    pub fn read(text: impl Into<Cow<'a, str>>) -> Self {
        let text = text.into();
        Self { value: Quantity::parse(&text), text }
    }

    /// The quantity, when it could be read.
    #[must_use]
    pub fn quantity(&self) -> Option<Quantity> {
        self.value.ok()
    }
}

impl Default for Amount<'_> {
    fn default() -> Self {
        Self::read("0")
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Amount<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Amount<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a quantity")
            }

            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Amount::read(text))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Amount::read(text.to_owned()))
            }

            fn visit_i64<E: Error>(self, number: i64) -> Result<Self::Value, E> {
                Ok(Amount::read(number.to_string()))
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<Self::Value, E> {
                Ok(Amount::read(number.to_string()))
            }

            fn visit_f64<E: Error>(self, number: f64) -> Result<Self::Value, E> {
                Ok(Amount::read(number.to_string()))
            }
        }
        deserializer.deserialize_any(Read)
    }
}
