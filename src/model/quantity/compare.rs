//! Order and equality by exact value (`quantity.go`, `Cmp`).

use std::cmp::Ordering;

use super::Quantity;
use super::number::power_of_ten;

impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Quantity {}

impl PartialOrd for Quantity {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Quantity {
    fn cmp(&self, other: &Self) -> Ordering {
        if self.exponent == other.exponent {
            return self.mantissa.cmp(&other.mantissa);
        }
        let sign = self.signum();
        match sign.cmp(&other.signum()) {
            Ordering::Equal if sign == 0 => Ordering::Equal,
            Ordering::Equal if sign < 0 => compare_magnitude(other, self),
            Ordering::Equal => compare_magnitude(self, other),
            different => different,
        }
    }
}

/// Compares the magnitudes of two quantities that are not zero.
fn compare_magnitude(left: &Quantity, right: &Quantity) -> Ordering {
    if left.exponent < right.exponent {
        return compare_magnitude(right, left).reverse();
    }
    let shift = left.exponent.abs_diff(right.exponent);
    let scaled = power_of_ten(shift).and_then(|unit| left.mantissa.unsigned_abs().checked_mul(unit));
    // What leaves 128 bits is larger than every mantissa.
    scaled.map_or(Ordering::Greater, |scaled| scaled.cmp(&right.mantissa.unsigned_abs()))
}
