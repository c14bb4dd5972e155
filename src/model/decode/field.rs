//! Fields that tell absent, `null` and a value apart.

use serde::de::{Deserialize, Deserializer};

/// A field that tells absent, `null` and a value apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Field<T> {
    /// Not written.
    #[default]
    Absent,
    /// Written as `null`.
    Null,
    /// Written, perhaps empty.
    Set(T),
}

impl<T> Field<T> {
    /// True when the field is there, as `null` or as a value.
    pub const fn is_written(&self) -> bool {
        !matches!(self, Self::Absent)
    }

    /// The value, if there is one.
    pub const fn get(&self) -> Option<&T> {
        match self {
            Self::Set(value) => Some(value),
            Self::Absent | Self::Null => None,
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Field<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Option::deserialize(deserializer)?.map_or(Self::Null, Self::Set))
    }
}
