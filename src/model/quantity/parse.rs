//! Reading a text (`quantity.go`, `ParseQuantity`).

use super::binary;
use super::number::{power_of_ten, signed};
use super::suffix::{self, Scale};
use super::{Format, Quantity, QuantityError};

/// The largest power of ten, in magnitude, that is read.
const EXPONENT_LIMIT: i64 = 100;
/// 10^38: mantissas stay below it.
const MANTISSA_LIMIT: u128 = 10_u128.pow(38);
/// The most digits of which any number fits 64 bits.
const PLAIN_DIGITS: usize = 18;
/// The finest exponent that is kept.
pub(super) const NANO: i64 = -9;

/// A number before its suffix: `mantissa × 10^exponent`, without trailing zeros.
pub(super) struct Number {
    pub(super) negative: bool,
    pub(super) mantissa: u128,
    pub(super) exponent: i64,
}

pub(super) fn quantity(text: &str) -> Result<Quantity, QuantityError> {
    if let Some(quantity) = plain(text) {
        return Ok(quantity);
    }
    if text.is_empty() {
        return Err(QuantityError::Empty);
    }
    let negative = text.starts_with('-');
    let (whole, rest) = digits(text.strip_prefix(['+', '-']).unwrap_or(text));
    let (fraction, rest) = rest.strip_prefix('.').map_or(("", rest), digits);
    check_suffix(rest)?;
    let scale = suffix::read(rest)?;
    if whole.is_empty() && fraction.is_empty() {
        return without_digits(scale);
    }
    let number = number(negative, whole, fraction)?;
    match scale {
        Scale::Ten { exponent, format } => decimal(&number, exponent, format),
        Scale::Two { bits } => binary::quantity(&number, bits),
    }
}

/// The common case: a short whole number and a suffix with a name. `None` means: take the long way.
fn plain(text: &str) -> Option<Quantity> {
    let mut value: u64 = 0;
    let mut count = 0;
    for byte in text.bytes().take_while(u8::is_ascii_digit) {
        value = value.checked_mul(10)?.checked_add(u64::from(byte - b'0'))?;
        count += 1;
    }
    if count == 0 || count > PLAIN_DIGITS {
        return None;
    }
    let mantissa = i128::from(value);
    match suffix::unit(text.get(count..)?)? {
        Scale::Ten { exponent, format } => Some(Quantity { mantissa, exponent: i32::try_from(exponent).ok()?, format }),
        Scale::Two { bits } => {
            let mantissa = (mantissa << bits).min(i128::from(i64::MAX));
            Some(Quantity { mantissa, exponent: 0, format: Format::BinarySi })
        }
    }
}

/// Splits off the leading digits.
fn digits(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text.split_at(end)
}

/// Go's scanner: letters of suffixes, a sign, digits, and nothing else.
fn check_suffix(text: &str) -> Result<(), QuantityError> {
    let rest = text.trim_start_matches(|c| "eEinumkKMGTP".contains(c));
    let rest = rest.strip_prefix(['+', '-']).unwrap_or(rest);
    if rest.bytes().all(|byte| byte.is_ascii_digit()) { Ok(()) } else { Err(QuantityError::Syntax) }
}

/// A sign, a point or a suffix alone is zero to Go, but only while its fast path is taken.
fn without_digits(scale: Scale) -> Result<Quantity, QuantityError> {
    let format = match scale {
        Scale::Ten { exponent, format } if exponent >= NANO => format,
        Scale::Two { bits } if bits <= 40 => Format::BinarySi,
        _ => return Err(QuantityError::Syntax),
    };
    Ok(Quantity { mantissa: 0, exponent: 0, format })
}

fn number(negative: bool, whole: &str, fraction: &str) -> Result<Number, QuantityError> {
    let fraction = fraction.trim_end_matches('0');
    let kept = if fraction.is_empty() { whole.trim_end_matches('0') } else { whole };
    let zeros = i64::try_from(whole.len() - kept.len()).map_err(|_| QuantityError::Digits)?;
    let places = i64::try_from(fraction.len()).map_err(|_| QuantityError::Digits)?;
    let mut mantissa: u128 = 0;
    for byte in kept.bytes().chain(fraction.bytes()) {
        mantissa = mantissa * 10 + u128::from(byte - b'0');
        if mantissa >= MANTISSA_LIMIT {
            return Err(QuantityError::Digits);
        }
    }
    Ok(Number { negative, mantissa, exponent: zeros - places })
}

fn decimal(number: &Number, exponent: i64, format: Format) -> Result<Quantity, QuantityError> {
    if number.mantissa == 0 {
        return Ok(Quantity { mantissa: 0, exponent: 0, format });
    }
    let exponent = number.exponent.saturating_add(exponent);
    if !(-EXPONENT_LIMIT..=EXPONENT_LIMIT).contains(&exponent) {
        return Err(QuantityError::Exponent);
    }
    let dropped = u32::try_from(NANO - exponent).unwrap_or(0);
    let magnitude = match power_of_ten(dropped) {
        Some(unit) => number.mantissa.div_ceil(unit),
        None => 1,
    };
    let mantissa = signed(number.negative, magnitude).ok_or(QuantityError::Digits)?;
    let exponent = i32::try_from(exponent.max(NANO)).map_err(|_| QuantityError::Exponent)?;
    Ok(Quantity { mantissa, exponent, format })
}
