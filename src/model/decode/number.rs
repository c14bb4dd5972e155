//! Whole numbers of 64 bits, and what stands where one should.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Visitor};

/// A number that should be a whole one of 64 bits.
#[derive(Debug, Clone, PartialEq)]
pub enum Number {
    /// It is.
    Whole(i64),
    /// It is not; the text says what it is.
    Other(String),
}

impl Number {
    /// The number, when it is whole and fits.
    #[must_use]
    pub const fn whole(&self) -> Option<i64> {
        match self {
            Self::Whole(number) => Some(*number),
            Self::Other(_) => None,
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl Visitor<'_> for Read {
            type Value = Number;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a whole number")
            }

            fn visit_i64<E: Error>(self, number: i64) -> Result<Number, E> {
                Ok(Number::Whole(number))
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<Number, E> {
                Ok(i64::try_from(number).map_or_else(|_| Number::Other(number.to_string()), Number::Whole))
            }

            fn visit_f64<E: Error>(self, number: f64) -> Result<Number, E> {
                Ok(Number::Other(number.to_string()))
            }
        }
        deserializer.deserialize_any(Read)
    }
}
