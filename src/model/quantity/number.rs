//! Whole numbers and powers of ten that the parts share.

use super::{Format, Quantity, QuantityError};

/// 10^37: a mantissa below it takes one more digit and stays below 10^38.
const ROOM_FOR_A_DIGIT: u128 = 10_u128.pow(37);

/// A number before its suffix: `mantissa × 10^exponent`, without trailing zeros.
pub(super) struct Number {
    pub(super) negative: bool,
    pub(super) mantissa: u128,
    pub(super) exponent: i64,
}

impl Number {
    /// Reads the digits before and after the point; `Digits` when more than 38 count.
    pub(super) fn read(negative: bool, whole: &str, fraction: &str) -> Result<Self, QuantityError> {
        let fraction = fraction.trim_end_matches('0');
        let kept = if fraction.is_empty() { whole.trim_end_matches('0') } else { whole };
        let mut mantissa: u128 = 0;
        for byte in kept.bytes().chain(fraction.bytes()) {
            if mantissa >= ROOM_FOR_A_DIGIT {
                return Err(QuantityError::Digits);
            }
            mantissa = mantissa * 10 + u128::from(byte - b'0');
        }
        let zeros = length(whole)?.saturating_sub(length(kept)?);
        let exponent = zeros.saturating_sub(length(fraction)?);
        Ok(Self { negative, mantissa, exponent })
    }
}

impl Quantity {
    pub(super) const fn zero(format: Format) -> Self {
        Self { mantissa: 0, exponent: 0, format }
    }

    /// The same value with the trailing zeros of the mantissa moved into the exponent.
    pub(super) fn normalized(self) -> Self {
        if self.mantissa == 0 {
            return Self::zero(self.format);
        }
        let mut normal = self;
        while normal.mantissa % 10 == 0 {
            normal.mantissa /= 10;
            normal.exponent = normal.exponent.saturating_add(1);
        }
        normal
    }
}

/// 10^`exponent`, or `None` beyond 128 bits.
pub(super) fn power_of_ten(exponent: u32) -> Option<u128> {
    10_u128.checked_pow(exponent)
}

/// `magnitude` with a sign, or `None` beyond 128 bits.
pub(super) fn signed(negative: bool, magnitude: u128) -> Option<i128> {
    let value = i128::try_from(magnitude).ok()?;
    if negative { value.checked_neg() } else { Some(value) }
}

fn length(digits: &str) -> Result<i64, QuantityError> {
    i64::try_from(digits.len()).map_err(|_| QuantityError::Digits)
}
