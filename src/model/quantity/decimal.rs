//! Numbers before a decimal suffix or an exponent, rounded up to nano (`quantity.go`, `ParseQuantity`).

use super::number::{Number, power_of_ten, signed};
use super::{Format, Quantity, QuantityError};

/// The powers of ten that are read.
const EXPONENTS: std::ops::RangeInclusive<i64> = -100..=100;
/// The finest exponent that is kept.
const NANO: i64 = -9;

pub(super) fn quantity(number: &Number, exponent: i64, format: Format) -> Result<Quantity, QuantityError> {
    if number.mantissa == 0 {
        return Ok(Quantity::zero(format));
    }
    let exponent = number.exponent.saturating_add(exponent);
    if !EXPONENTS.contains(&exponent) {
        return Err(QuantityError::Exponent);
    }
    let finer = u32::try_from(NANO - exponent).unwrap_or(0);
    let magnitude = power_of_ten(finer).map_or(1, |unit| number.mantissa.div_ceil(unit));
    let mantissa = signed(number.negative, magnitude).ok_or(QuantityError::Digits)?;
    let exponent = i32::try_from(exponent.max(NANO)).map_err(|_| QuantityError::Exponent)?;
    Ok(Quantity { mantissa, exponent, format })
}
