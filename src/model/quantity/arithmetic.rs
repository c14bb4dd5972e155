//! Exact arithmetic; `None` where the exact result does not fit, never a rounded or wrapped one.

use super::Quantity;
use super::number::power_of_ten;

/// The largest exponent of a product, in magnitude: bounds every later step.
const EXPONENT_LIMIT: i32 = 400;

impl Quantity {
    /// The exact product in the format of `self`; `None` when its digits do not fit 128 bits or its
    /// exponent is beyond ±400.
    #[must_use]
    pub fn checked_mul(&self, other: &Self) -> Option<Self> {
        if self.is_zero() || other.is_zero() {
            return Some(Self::zero(self.format));
        }
        multiply(self, other).or_else(|| multiply_without_tens(self.normalized(), other.normalized()))
    }

    /// The exact sum in the format of `self`, or of `other` when `self` is zero (Go's `Add`); `None` when the digits of
    /// both do not fit 128 bits.
    #[must_use]
    pub fn checked_add(&self, other: &Self) -> Option<Self> {
        if self.is_zero() {
            return Some(*other);
        }
        if other.is_zero() {
            return Some(*self);
        }
        add(self, other).or_else(|| add(&self.normalized(), &other.normalized()))
    }

    /// The exact difference, with the format and the limit of [`Self::checked_add`].
    #[must_use]
    pub fn checked_sub(&self, other: &Self) -> Option<Self> {
        self.checked_add(&Self { mantissa: other.mantissa.checked_neg()?, ..*other })
    }

    /// Whether the value is a whole multiple of `unit`, whatever their signs. Zero is a multiple of everything, and of
    /// a `unit` of zero nothing else is.
    #[must_use]
    pub fn is_multiple_of(&self, unit: &Self) -> bool {
        if self.is_zero() || unit.is_zero() {
            return self.is_zero();
        }
        let magnitude = self.mantissa.unsigned_abs();
        let divisor = unit.mantissa.unsigned_abs();
        let shift = self.exponent.abs_diff(unit.exponent);
        if self.exponent >= unit.exponent {
            return divides_shifted(divisor, magnitude, shift);
        }
        // A divisor beyond 128 bits is larger than the value.
        let scaled = power_of_ten(shift).and_then(|power| divisor.checked_mul(power));
        scaled.is_some_and(|divisor| magnitude.is_multiple_of(divisor))
    }
}

fn multiply(left: &Quantity, right: &Quantity) -> Option<Quantity> {
    let exponent = left.exponent.checked_add(right.exponent)?;
    if exponent.abs() > EXPONENT_LIMIT {
        return None;
    }
    Some(Quantity { mantissa: left.mantissa.checked_mul(right.mantissa)?, exponent, format: left.format })
}

/// Multiplies after every factor of ten of the product has gone to the exponent: what overflows now does not fit at all.
fn multiply_without_tens(left: Quantity, right: Quantity) -> Option<Quantity> {
    let (left, right) = split_tens(left, right);
    let (right, left) = split_tens(right, left);
    multiply(&left, &right)
}

/// Moves pairs of a two on the left and a five on the right to the exponent; neither may be zero.
fn split_tens(mut left: Quantity, mut right: Quantity) -> (Quantity, Quantity) {
    while left.mantissa % 2 == 0 && right.mantissa % 5 == 0 {
        left.mantissa /= 2;
        right.mantissa /= 5;
        left.exponent = left.exponent.saturating_add(1);
    }
    (left, right)
}

fn add(left: &Quantity, right: &Quantity) -> Option<Quantity> {
    let exponent = left.exponent.min(right.exponent);
    let mantissa = mantissa_at(left, exponent)?.checked_add(mantissa_at(right, exponent)?)?;
    Some(Quantity { mantissa, exponent, format: left.format })
}

/// The mantissa written with an exponent that is not larger.
fn mantissa_at(quantity: &Quantity, exponent: i32) -> Option<i128> {
    let power = power_of_ten(quantity.exponent.abs_diff(exponent))?;
    quantity.mantissa.checked_mul(i128::try_from(power).ok()?)
}

/// Whether `divisor` divides `magnitude × 10^shift`, without computing that product: what is left of the divisor after
/// the common part is taken out must divide 10^shift.
fn divides_shifted(divisor: u128, magnitude: u128, shift: u32) -> bool {
    if shift == 0 {
        return magnitude.is_multiple_of(divisor);
    }
    let mut rest = divisor / common_divisor(divisor, magnitude);
    for prime in [2, 5] {
        let mut left = shift;
        while left > 0 && rest.is_multiple_of(prime) {
            rest /= prime;
            left -= 1;
        }
    }
    rest == 1
}

fn common_divisor(mut left: u128, mut right: u128) -> u128 {
    while right != 0 {
        (left, right) = (right, left % right);
    }
    left
}
