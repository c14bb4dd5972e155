//! Helpers over whole numbers that the parts share.

use super::Quantity;

/// 10^`exponent`, or `None` beyond 128 bits.
pub(super) fn power_of_ten(exponent: u32) -> Option<u128> {
    10_u128.checked_pow(exponent)
}

/// `magnitude` with a sign, or `None` beyond 128 bits.
pub(super) fn signed(negative: bool, magnitude: u128) -> Option<i128> {
    let value = i128::try_from(magnitude).ok()?;
    if negative { value.checked_neg() } else { Some(value) }
}

impl Quantity {
    /// The same value with the trailing zeros of the mantissa moved into the exponent; zero has exponent 0.
    pub(super) fn normalized(self) -> Self {
        if self.mantissa == 0 {
            return Self { exponent: 0, ..self };
        }
        let mut normal = self;
        while normal.mantissa % 10 == 0 {
            normal.mantissa /= 10;
            normal.exponent = normal.exponent.saturating_add(1);
        }
        normal
    }
}
