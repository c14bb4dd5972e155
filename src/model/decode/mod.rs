//! Reading JSON as the API server reads it: exact case, the last of two equal keys wins, unknown keys are passed over
//! but remembered, and `null` is not the same as absent where that matters.

mod amount;
mod entries;
mod field;
mod items;
mod number;
mod text;

pub use amount::Amount;
pub use entries::Entries;
pub use field::Field;
pub use items::Items;
pub use number::Number;
pub use text::Text;

/// Declares a struct and how it is read from a JSON object. A field is `name: Type = "jsonKey"`; keys listed under
/// `known` are valid but not needed; any other key is kept in `unknown`.
macro_rules! object {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $field:ident: $ty:ty = $key:literal,)* } known: [$($known:literal),* $(,)?]) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Default)]
        pub struct $name<'a> {
            $($(#[$doc])* pub $field: $ty,)*
            /// Keys that the API does not have, in order of appearance.
            pub unknown: Vec<$crate::model::decode::Text<'a>>,
        }

        impl $name<'_> {
            /// Every key the API has here.
            pub const KEYS: &'static [&'static str] = &[$($key,)* $($known,)*];
        }

        impl<'de: 'a, 'a> serde::Deserialize<'de> for $name<'a> {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Read<'a>(std::marker::PhantomData<&'a ()>);
                impl<'de: 'a, 'a> serde::de::Visitor<'de> for Read<'a> {
                    type Value = $name<'a>;

                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str("an object")
                    }

                    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                        let mut read = $name::default();
                        while let Some(key) = map.next_key::<$crate::model::decode::Text<'a>>()? {
                            match &*key {
                                $($key => read.$field = map.next_value()?,)*
                                _ => {
                                    map.next_value::<serde::de::IgnoredAny>()?;
                                    if !Self::Value::KEYS.contains(&&*key) && read.unknown.len() < $crate::model::decode::MOST_UNKNOWN {
                                        read.unknown.push(key);
                                    }
                                }
                            }
                        }
                        Ok(read)
                    }
                }
                deserializer.deserialize_map(Read(std::marker::PhantomData))
            }
        }
    };
}
pub(crate) use object;

/// Longer lists and maps are not read: the API's own bounds are 128 devices, 256 consumers, 32 results, and a few labels.
pub const MOST_MEMBERS: usize = 1024;

/// The same of metadata, which the API bounds by the size of the object alone: as many labels as 1.5 MiB can hold.
pub const MOST_OF_METADATA: usize = 1 << 18;

/// How many unknown keys of one object are remembered.
pub const MOST_UNKNOWN: usize = 64;
