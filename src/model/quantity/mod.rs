//! Kubernetes quantities as exact decimals: no floats, no panics, bounded size and time.
//!
//! The reference is Go's own library, `apimachinery@0.37.2 pkg/api/resource`. Where that library loses the value (sums
//! and products that leave 64 bits, suffixes it cannot print), this one answers `None` or keeps the value.

mod arithmetic;
mod binary;
mod compare;
mod decimal;
mod number;
mod parse;
mod print;
mod rounding;
mod suffix;
mod text;

/// A quantity: an exact decimal and the format it was written in.
///
/// The value is `mantissa × 10^exponent`. Equality and order are those of the value: `1` equals `1000m`.
#[derive(Debug, Clone, Copy)]
pub struct Quantity {
    mantissa: i128,
    exponent: i32,
    format: Format,
}

/// The family of suffixes a quantity is written with (`quantity.go`, `Format`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// `500m`, `1`, `64G`.
    DecimalSi,
    /// `64Gi`.
    BinarySi,
    /// `1e3`.
    DecimalExponent,
}

/// Why a text is not a quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum QuantityError {
    /// The text has no characters.
    #[error("an empty text is not a quantity")]
    Empty,
    /// The text is not a number followed by a suffix.
    #[error("not a quantity: expected a number and an optional suffix, as in 1, 500m or 64Gi")]
    Syntax,
    /// The number is followed by a suffix that does not exist.
    #[error("unknown suffix: expected one of n u m k M G T P E Ki Mi Gi Ti Pi Ei, or an exponent as in 1e3")]
    Suffix,
    /// The power of ten is outside ±100, far beyond every resource.
    #[error("the exponent is beyond bounds: powers of ten from -100 to 100 are read")]
    Exponent,
    /// More than 38 digits count, or a binary suffix follows more than 38 decimal places.
    #[error("too many digits: at most 38 are read")]
    Digits,
}

impl Quantity {
    /// Reads a quantity as Go's `ParseQuantity` does, without trimming blanks.
    ///
    /// What is finer than a nano is rounded away from zero, and a binary quantity is capped at 2^63-1 in magnitude.
    ///
    /// # Errors
    ///
    /// A [`QuantityError`] when Go would refuse the text too, and beyond the bounds of exponent and digits.
    pub fn parse(text: &str) -> Result<Self, QuantityError> {
        parse::quantity(text)
    }

    /// The whole number `value`, written without a suffix.
    #[must_use]
    pub const fn whole(value: i64) -> Self {
        Self { mantissa: value as i128, exponent: 0, format: Format::DecimalSi }
    }

    /// The family of suffixes it was written with. A binary quantity between -1 and 1 counts as decimal, as in Go.
    #[must_use]
    pub fn format(&self) -> Format {
        self.format
    }

    /// -1, 0 or 1: the sign of the exact value.
    #[must_use]
    pub fn signum(&self) -> i8 {
        match self.mantissa {
            0 => 0,
            1.. => 1,
            _ => -1,
        }
    }

    /// Whether the value is zero.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.mantissa == 0
    }
}
