//! Numbers before a binary suffix: the exact product, rounded up to nano and capped (`quantity.go`, `ParseQuantity`).

use super::number::{Number, power_of_ten, signed};
use super::{Format, Quantity, QuantityError};

/// The most decimal places before a binary suffix: keeps every step within 128 bits.
const PLACES_LIMIT: u32 = 38;
/// Decimal places of a nano.
const NANO_PLACES: u32 = 9;
/// One in nanos.
const ONE: u128 = 1_000_000_000;
/// Go's cap for binary quantities, 2^63-1.
const CAP: u128 = i64::MAX.unsigned_abs() as u128;

pub(super) fn quantity(number: &Number, bits: u32) -> Result<Quantity, QuantityError> {
    if number.mantissa == 0 {
        return Ok(Quantity::zero(Format::BinarySi));
    }
    let places = u32::try_from(number.exponent.saturating_neg()).unwrap_or(0);
    if places > PLACES_LIMIT {
        return Err(QuantityError::Digits);
    }
    // Only a product beyond the cap leaves 128 bits.
    let nanos = whole_mantissa(number).and_then(|mantissa| nanos(mantissa, places, bits));
    let nanos = nanos.map_or(CAP * ONE, |nanos| nanos.min(CAP * ONE));
    let format = if nanos < ONE { Format::DecimalSi } else { Format::BinarySi };
    let (magnitude, exponent) = if nanos.is_multiple_of(ONE) { (nanos / ONE, 0) } else { (nanos, -9) };
    let mantissa = signed(number.negative, magnitude).ok_or(QuantityError::Digits)?;
    Ok(Quantity { mantissa, exponent, format })
}

/// The mantissa with a positive exponent multiplied in.
fn whole_mantissa(number: &Number) -> Option<u128> {
    let zeros = u32::try_from(number.exponent.max(0)).ok()?;
    number.mantissa.checked_mul(power_of_ten(zeros)?)
}

/// `mantissa × 10^-places × 2^bits` in nanos, rounded up.
fn nanos(mantissa: u128, places: u32, bits: u32) -> Option<u128> {
    let Some(dropped) = places.checked_sub(NANO_PLACES) else {
        return mantissa.checked_mul(power_of_ten(NANO_PLACES - places)?)?.checked_mul(1 << bits);
    };
    let unit = power_of_ten(dropped)?;
    let (mut whole, mut rest) = (mantissa / unit, mantissa % unit);
    // In two steps, because the remainder is below 10^29 and only 30 more bits fit.
    for step in [bits.min(30), bits.saturating_sub(30)] {
        let part = rest.checked_mul(1 << step)?;
        whole = whole.checked_mul(1 << step)?.checked_add(part / unit)?;
        rest = part % unit;
    }
    whole.checked_add(u128::from(rest > 0))
}
