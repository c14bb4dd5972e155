//! Reading a text (`quantity.go`, `ParseQuantity`).

use super::number::Number;
use super::suffix::{self, Scale};
use super::{Format, Quantity, QuantityError, binary, decimal};

/// The most digits of which any number fits 64 bits.
const PLAIN_DIGITS: usize = 18;
/// The finest suffix and the largest binary one that Go's scanner takes without a number.
const BARE_EXPONENT: i64 = -9;
const BARE_BITS: u32 = 40;

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
    let number = Number::read(negative, whole, fraction)?;
    match scale {
        Scale::Ten { exponent, format } => decimal::quantity(&number, exponent, format),
        Scale::Two { bits } => binary::quantity(&number, bits),
    }
}

/// The common case: a short whole number and a suffix with a name. `None` means: take the long way.
fn plain(text: &str) -> Option<Quantity> {
    let mut value: u64 = 0;
    let mut count = 0;
    for byte in text.bytes().take_while(u8::is_ascii_digit) {
        if count == PLAIN_DIGITS {
            return None;
        }
        value = value * 10 + u64::from(byte - b'0');
        count += 1;
    }
    let suffix = text.get(count..).filter(|_| count > 0)?;
    let mantissa = i128::from(value);
    match suffix::unit(suffix)? {
        Scale::Ten { exponent, format } => {
            let exponent = i32::try_from(exponent).ok()?;
            Some(Quantity { mantissa, exponent, format })
        }
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
    match scale {
        Scale::Ten { exponent, format } if exponent >= BARE_EXPONENT => Ok(Quantity::zero(format)),
        Scale::Two { bits } if bits <= BARE_BITS => Ok(Quantity::zero(Format::BinarySi)),
        _ => Err(QuantityError::Syntax),
    }
}
