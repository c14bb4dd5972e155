//! Quantities in the ledger's own files: canonical text, which is exact for everything that was read from text.

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};

use super::{Format, Quantity};

impl Serialize for Quantity {
    /// What was written is written the same again once it is read: a binary quantity that no binary suffix fits would be
    /// read as a decimal one.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = self.to_string();
        if self.format == Format::BinarySi && !text.ends_with('i') {
            return serializer.collect_str(&Self { format: Format::DecimalSi, ..*self });
        }
        serializer.serialize_str(&text)
    }
}

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        Self::parse(&text).map_err(Error::custom)
    }
}
