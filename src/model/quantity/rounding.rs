//! Conversions to the whole numbers the scheduler counts (`quantity.go`, `Value` and `MilliValue`).

use super::Quantity;
use super::number::{power_of_ten, signed};

impl Quantity {
    /// Whether the value has no fraction.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.is_whole_at(0)
    }

    /// Whether the value is a whole number of thousandths.
    #[must_use]
    pub fn is_whole_milli(&self) -> bool {
        self.is_whole_at(3)
    }

    /// Thousandths, rounded away from zero; `None` beyond `i64`, where Go's `MilliValue` wraps or answers 0.
    #[must_use]
    pub fn milli_ceil(&self) -> Option<i64> {
        self.ceil_at(3)
    }

    /// Whole units, rounded away from zero; `None` beyond `i64`, where Go's `Value` wraps or answers 0.
    #[must_use]
    pub fn whole_ceil(&self) -> Option<i64> {
        self.ceil_at(0)
    }

    /// The nearest floating-point number, for figures that people look at. Nothing is decided by it.
    #[must_use]
    pub fn to_f64(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "the nearest one is asked for")]
        let mantissa = self.mantissa as f64;
        mantissa * 10_f64.powi(self.exponent)
    }

    fn is_whole_at(&self, places: i32) -> bool {
        let finer = self.exponent.saturating_add(places).min(0).unsigned_abs();
        match power_of_ten(finer) {
            Some(unit) => self.mantissa.unsigned_abs().is_multiple_of(unit),
            None => self.is_zero(),
        }
    }

    fn ceil_at(&self, places: i32) -> Option<i64> {
        if self.is_zero() {
            return Some(0);
        }
        let shift = self.exponent.saturating_add(places);
        let magnitude = self.mantissa.unsigned_abs();
        let unit = power_of_ten(shift.unsigned_abs());
        let magnitude =
            if shift >= 0 { magnitude.checked_mul(unit?)? } else { unit.map_or(1, |unit| magnitude.div_ceil(unit)) };
        i64::try_from(signed(self.mantissa < 0, magnitude)?).ok()
    }
}
