//! One device: amounts that can be read, attributes, spellings, zones, versions.

pub mod allowed;
pub mod attribute_value;
pub mod key_count;
pub mod names;
pub mod parse;
pub mod spelling;
pub mod zone;
pub mod zones_agree;
