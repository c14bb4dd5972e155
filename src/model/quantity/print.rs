//! Canonical printing (`quantity.go`, `CanonicalizeBytes`): the largest suffix that leaves no fraction.

use std::fmt::{Display, Formatter, Result};

use super::number::power_of_ten;
use super::suffix::{BINARY_NAMES, decimal_name};
use super::{Format, Quantity};

/// The exponent of the largest decimal suffix, `E`.
const EXA: i32 = 18;

/// Go's canonical text of the value.
///
/// Unlike Go, a value too large for every suffix keeps its size: `10000E`, where Go prints `10`.
impl Display for Quantity {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let normal = self.normalized();
        match self.format {
            _ if normal.is_zero() => f.write_str("0"),
            Format::DecimalSi => decimal(&normal, f),
            Format::DecimalExponent => exponent(&normal, f),
            Format::BinarySi => binary(&normal, f),
        }
    }
}

fn decimal(normal: &Quantity, f: &mut Formatter<'_>) -> Result {
    let power = multiple_of_three(normal.exponent).min(EXA);
    match decimal_name(power) {
        Some(name) => {
            digits(normal, power, f)?;
            f.write_str(name)
        }
        // Finer than nano: only products are.
        None => exponent(normal, f),
    }
}

fn exponent(normal: &Quantity, f: &mut Formatter<'_>) -> Result {
    let power = multiple_of_three(normal.exponent);
    digits(normal, power, f)?;
    if power == 0 { Ok(()) } else { write!(f, "e{power}") }
}

fn binary(normal: &Quantity, f: &mut Formatter<'_>) -> Result {
    let Some(mut value) = whole_value(normal).filter(|value| value.unsigned_abs() >= 1024) else {
        return decimal(normal, f);
    };
    let mut name = "";
    for larger in BINARY_NAMES.iter().skip(1) {
        if value % 1024 != 0 {
            break;
        }
        value /= 1024;
        name = larger;
    }
    write!(f, "{value}{name}")
}

/// The largest multiple of three that is not above `exponent`.
fn multiple_of_three(exponent: i32) -> i32 {
    exponent - exponent.rem_euclid(3)
}

/// The value as a whole number of 10^`power`, which is at most the exponent.
fn digits(normal: &Quantity, power: i32, f: &mut Formatter<'_>) -> Result {
    write!(f, "{}", normal.mantissa)?;
    (power..normal.exponent).try_for_each(|_| f.write_str("0"))
}

fn whole_value(normal: &Quantity) -> Option<i128> {
    let power = power_of_ten(u32::try_from(normal.exponent).ok()?)?;
    normal.mantissa.checked_mul(i128::try_from(power).ok()?)
}
