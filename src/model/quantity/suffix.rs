//! The suffixes (`suffix.go`).

use std::num::IntErrorKind;

use super::{Format, QuantityError};

/// What a suffix does to the number before it.
#[derive(Clone, Copy)]
pub(super) enum Scale {
    /// Times 10^exponent.
    Ten { exponent: i64, format: Format },
    /// Times 2^bits.
    Two { bits: u32 },
}

/// The scale of any suffix, exponents included.
pub(super) fn read(suffix: &str) -> Result<Scale, QuantityError> {
    match unit(suffix) {
        Some(scale) => Ok(scale),
        None => exponent(suffix),
    }
}

/// The scale of a suffix with a name.
pub(super) fn unit(suffix: &str) -> Option<Scale> {
    let exponent = match suffix.as_bytes() {
        b"" => 0,
        b"m" => -3,
        b"k" => 3,
        b"M" => 6,
        b"G" => 9,
        b"T" => 12,
        b"P" => 15,
        b"E" => 18,
        b"u" => -6,
        b"n" => -9,
        _ => return binary_unit(suffix),
    };
    Some(Scale::Ten { exponent, format: Format::DecimalSi })
}

/// The decimal suffix of 10^`exponent`.
pub(super) fn decimal_name(exponent: i32) -> Option<&'static str> {
    Some(match exponent {
        -9 => "n",
        -6 => "u",
        -3 => "m",
        0 => "",
        3 => "k",
        6 => "M",
        9 => "G",
        12 => "T",
        15 => "P",
        18 => "E",
        _ => return None,
    })
}

/// The binary suffixes, each 2^10 times the one before.
pub(super) const BINARY_NAMES: [&str; 7] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

fn binary_unit(suffix: &str) -> Option<Scale> {
    let bits = match suffix.as_bytes() {
        b"Ki" => 10,
        b"Mi" => 20,
        b"Gi" => 30,
        b"Ti" => 40,
        b"Pi" => 50,
        b"Ei" => 60,
        _ => return None,
    };
    Some(Scale::Two { bits })
}

fn exponent(suffix: &str) -> Result<Scale, QuantityError> {
    let digits = suffix.strip_prefix(['e', 'E']).ok_or(QuantityError::Suffix)?;
    let exponent = digits.parse::<i64>().map_err(|error| match error.kind() {
        IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => QuantityError::Exponent,
        _ => QuantityError::Suffix,
    })?;
    Ok(Scale::Ten { exponent, format: Format::DecimalExponent })
}
