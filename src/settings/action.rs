//! How an override is written.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Visitor};

use super::Action;

const WORDS: &[&str] = &["Off", "Warn", "Deny", "Quarantine"];

impl<'de> Deserialize<'de> for Action {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Read)
    }
}

struct Read;

impl Visitor<'_> for Read {
    type Value = Action;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("one of `Off`, `Warn`, `Deny`, `Quarantine`")
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<Action, E> {
        match word {
            "Off" => Ok(Action::Off),
            "Warn" => Ok(Action::Warn),
            "Deny" => Ok(Action::Deny),
            "Quarantine" => Ok(Action::Quarantine),
            other => Err(E::unknown_variant(other, WORDS)),
        }
    }

    /// YAML 1.1 reads a bare `Off` as false before anybody else sees it.
    fn visit_bool<E: Error>(self, word: bool) -> Result<Action, E> {
        if word { Err(E::unknown_variant("true", WORDS)) } else { Ok(Action::Off) }
    }
}
