//! Laws that hold for every quantity.

use std::time::{Duration, Instant};

use draguard::model::quantity::{Format, Quantity};
use proptest::prelude::*;

/// Any valid text within the bounds, in all three formats.
const TEXT: &str = "[+-]?([0-9]{1,20}(\\.[0-9]{0,14})?|\\.[0-9]{1,14})(|[numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-6]?[0-9])";

prop_compose! {
    /// A quantity with its value in units of 10^-9.
    fn known()(mantissa in any::<i32>(), exponent in -9..=12_i32) -> (Quantity, i128) {
        let nanos = i128::from(mantissa) * 10_i128.pow(exponent.abs_diff(-9));
        (read(&format!("{mantissa}e{exponent}")), nanos)
    }
}

/// A binary quantity that is no multiple of 1024 prints without a suffix, and is a decimal one when it is read again.
#[test]
fn what_prints_without_a_suffix_is_read_as_a_decimal() {
    let binary = read("990937.5Ki");
    let decimal = read(&binary.to_string());
    assert_eq!(
        (binary, binary.to_string().as_str(), decimal.to_string().as_str()),
        (decimal, "1014720000", "1014720k")
    );
}

/// The ledger's files say of a quantity what they said before they were read.
#[test]
fn what_is_kept_is_kept_the_same_again() {
    for text in ["990937.5Ki", "1.5Gi", "512", "1e3", "0Ki", "1023Ki", "100u", "-3Ki"] {
        let kept = serde_json::to_string(&read(text)).expect("text");
        let again: Quantity = serde_json::from_str(&kept).expect("a quantity");
        assert_eq!((again, serde_json::to_string(&again).expect("text")), (read(text), kept));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    #[test]
    fn printing_and_reading_keep_the_value(text in TEXT) {
        let quantity = read(&text);
        let printed = quantity.to_string();
        prop_assert_eq!(read(&printed), quantity);
        if quantity.format() != Format::BinarySi {
            prop_assert_eq!(read(&printed).to_string(), printed);
        }
    }

    #[test]
    fn order_is_that_of_the_values((left, left_nanos) in known(), (right, right_nanos) in known()) {
        prop_assert_eq!(left.cmp(&right), left_nanos.cmp(&right_nanos));
        prop_assert_eq!(left == right, left_nanos == right_nanos);
    }

    #[test]
    fn order_is_that_of_the_difference(left in TEXT, right in TEXT) {
        let (left, right) = (read(&left), read(&right));
        prop_assert_eq!(left.cmp(&right), right.cmp(&left).reverse());
        if let Some(difference) = left.checked_sub(&right) {
            prop_assert_eq!(left.cmp(&right), difference.signum().cmp(&0));
        }
    }

    #[test]
    fn order_is_transitive(mut texts in proptest::collection::vec(TEXT, 3)) {
        texts.sort_by_key(|text| read(text));
        let values: Vec<Quantity> = texts.iter().map(|text| read(text)).collect();
        prop_assert!(values.is_sorted() && values.first() <= values.last());
    }

    #[test]
    fn adding_and_subtracting_are_inverse(left in TEXT, right in TEXT) {
        let (left, right) = (read(&left), read(&right));
        prop_assert_eq!(left.checked_add(&right), right.checked_add(&left));
        if let Some(sum) = left.checked_add(&right) {
            prop_assert_eq!(sum.checked_sub(&right), Some(left));
        }
    }

    #[test]
    fn sums_are_exact((left, left_nanos) in known(), (right, right_nanos) in known()) {
        prop_assert_eq!(left.checked_add(&right), Some(nanos(left_nanos + right_nanos)));
        prop_assert_eq!(left.checked_sub(&right), Some(nanos(left_nanos - right_nanos)));
    }

    #[test]
    fn products_are_exact(left in any::<i64>(), right in any::<i64>(), down in -4..=0_i32, up in -5..=40_i32) {
        let expected = read(&format!("{}e{}", i128::from(left) * i128::from(right), down + up));
        let product = read(&format!("{left}e{down}")).checked_mul(&read(&format!("{right}e{up}")));
        prop_assert_eq!(product, Some(expected));
    }

    #[test]
    fn products_distribute(left in TEXT, right in TEXT, factor in any::<i32>()) {
        let (left, right, factor) = (read(&left), read(&right), Quantity::whole(factor.into()));
        let whole = left.checked_add(&right).and_then(|sum| sum.checked_mul(&factor));
        let parts = left.checked_mul(&factor).zip(right.checked_mul(&factor));
        let parts = parts.and_then(|(left, right)| left.checked_add(&right));
        if let (Some(whole), Some(parts)) = (whole, parts) {
            prop_assert_eq!(whole, parts);
        }
    }

    #[test]
    fn multiples_are_those_of_the_values((left, left_nanos) in known(), (unit, unit_nanos) in known()) {
        let expected = if unit_nanos == 0 { left_nanos == 0 } else { left_nanos % unit_nanos == 0 };
        prop_assert_eq!(left.is_multiple_of(&unit), expected);
    }

    #[test]
    fn what_is_multiplied_is_a_multiple(unit in TEXT, factor in any::<i32>()) {
        let unit = read(&unit);
        if let Some(product) = unit.checked_mul(&Quantity::whole(factor.into())) {
            prop_assert!(product.is_multiple_of(&unit));
        }
    }

    #[test]
    fn rounding_is_away_from_zero((quantity, nanos) in known()) {
        let away = |unit: i128| {
            let magnitude = nanos.unsigned_abs().div_ceil(unit.unsigned_abs());
            i64::try_from(i128::try_from(magnitude).expect("small") * nanos.signum()).ok()
        };
        prop_assert_eq!(quantity.whole_ceil(), away(1_000_000_000));
        prop_assert_eq!(quantity.milli_ceil(), away(1_000_000));
        prop_assert_eq!(quantity.is_whole(), nanos % 1_000_000_000 == 0);
        prop_assert_eq!(quantity.is_whole_milli(), nanos % 1_000_000 == 0);
    }

    #[test]
    fn any_text_is_answered_in_time(text in "\\PC{0,300}") {
        answer(&text)?;
    }

    #[test]
    fn any_text_of_the_alphabet_is_answered_in_time(text in "[0-9+.eEinumkKMGTP-]{0,30}") {
        answer(&text)?;
    }

    #[test]
    fn any_number_of_digits_is_answered_in_time(text in "[+-]?[0-9]{0,300}\\.?[0-9]{0,300}(|m|Gi|[eE][+-]?[0-9]{1,30})") {
        answer(&text)?;
    }
}

/// Reads a text and does everything with what comes out.
fn answer(text: &str) -> Result<(), TestCaseError> {
    let start = Instant::now();
    if let Ok(quantity) = Quantity::parse(text) {
        prop_assert_eq!(read(&quantity.to_string()), quantity);
        let square = quantity.checked_mul(&quantity).unwrap_or(quantity);
        let _ = (square.checked_add(&quantity), square.checked_sub(&quantity), square.to_string());
        let _ = (square.milli_ceil(), square.whole_ceil(), square.is_whole_milli());
        let _ = (square.is_multiple_of(&quantity), quantity.is_multiple_of(&square), square.cmp(&quantity));
    }
    prop_assert!(start.elapsed() < Duration::from_secs(1), "took {:?}", start.elapsed());
    Ok(())
}

fn nanos(value: i128) -> Quantity {
    read(&format!("{value}e-9"))
}

fn read(text: &str) -> Quantity {
    Quantity::parse(text).unwrap_or_else(|error| panic!("{text:?}: {error}"))
}
