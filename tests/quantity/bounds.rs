//! The edges that Go does not have, and hostile texts.

use std::time::{Duration, Instant};

use draguard::model::quantity::{Format, Quantity, QuantityError};

#[test]
fn hostile_texts_are_refused_at_once() {
    let cases = [
        ("2E6024865272343".to_owned(), QuantityError::Exponent),
        ("1e-99999999999999999999999".to_owned(), QuantityError::Exponent),
        (format!("1e{}", "9".repeat(10_000)), QuantityError::Exponent),
        (format!("1{}", "0".repeat(10_000)), QuantityError::Exponent),
        (format!("0.{}1", "0".repeat(10_000)), QuantityError::Exponent),
        ("7".repeat(10_000), QuantityError::Digits),
        (format!("{}Ei", "7".repeat(10_000)), QuantityError::Digits),
        (format!("0.{}1Gi", "0".repeat(10_000)), QuantityError::Digits),
        ("K".repeat(10_000), QuantityError::Suffix),
        (format!("1{}", "e".repeat(10_000)), QuantityError::Suffix),
        ("-".repeat(10_000), QuantityError::Syntax),
        (String::new(), QuantityError::Empty),
    ];
    for (text, expected) in cases {
        let start = Instant::now();
        let answer = Quantity::parse(&text);
        assert!(start.elapsed() < Duration::from_secs(1), "{:.20} took {:?}", text, start.elapsed());
        assert_eq!(answer.map(|_| ()), Err(expected), "{text:.20}");
    }
}

#[test]
fn zero_is_zero_whatever_its_exponent() {
    for text in ["0e999", "0E6024865272343", "0e-4294967297", "-0.000e77", "0Ei", "+", "."] {
        assert!(read(text).is_zero(), "{text}");
        assert_eq!(read(text).to_string(), "0");
    }
}

#[test]
fn arithmetic_answers_none_instead_of_rounding() {
    let large = read("99999999999999999999999999999999999999");
    assert_eq!(large.checked_mul(&large), None);
    assert_eq!(large.checked_mul(&read("10")), Some(read("99999999999999999999999999999999999999e1")));
    assert_eq!(large.checked_add(&read("1n")), None);
    assert_eq!(read("1e100").checked_add(&read("1")), None);
    assert_eq!(read("1e100").checked_sub(&read("1e100")), Some(read("0")));
}

#[test]
fn repeated_products_end_at_the_bound() {
    let mut product = read("1e100");
    let steps = std::iter::from_fn(|| {
        product = product.checked_mul(&read("1e100"))?;
        Some(())
    });
    assert_eq!(steps.take(100).count(), 3);
}

#[test]
fn products_finer_than_nano_stay_exact() {
    let product = read("1n").checked_mul(&read("1500n")).expect("it fits");
    assert_eq!(product.to_string(), "1500e-18");
    assert_eq!((product.milli_ceil(), product.whole_ceil()), (Some(1), Some(1)));
    assert!(product < read("1n") && product > read("0") && !product.is_whole_milli());
}

#[test]
fn products_beyond_the_largest_suffix_keep_their_size() {
    let square = read("8Ei").checked_mul(&read("2Ki")).expect("it fits");
    assert_eq!((square.to_string().as_str(), square.whole_ceil()), ("18446744073709551614Ki", None));
    let large = read("4Ei").checked_mul(&read("2Ki")).expect("it fits");
    assert_eq!(large.to_string(), "8192Ei");
}

#[test]
fn the_extremes_of_i64_fit() {
    assert_eq!(Quantity::whole(i64::MAX).whole_ceil(), Some(i64::MAX));
    assert_eq!(Quantity::whole(i64::MIN).whole_ceil(), Some(i64::MIN));
    assert_eq!(Quantity::whole(i64::MAX).milli_ceil(), None);
    assert_eq!(read("9223372036854775807m").milli_ceil(), Some(i64::MAX));
    assert_eq!(read("9223372036854775808").whole_ceil(), None);
    assert_eq!(read("-9223372036854775808").whole_ceil(), Some(i64::MIN));
}

#[test]
fn sums_take_the_format_that_go_takes() {
    assert_eq!(read("0").checked_add(&read("1Gi")).map(|sum| sum.to_string()), Some("1Gi".to_owned()));
    assert_eq!(read("0").checked_sub(&read("1Gi")).map(|sum| sum.to_string()), Some("-1Gi".to_owned()));
    assert_eq!(read("1Gi").checked_add(&read("1e3")).map(|sum| sum.format()), Some(Format::BinarySi));
    assert_eq!(Quantity::whole(7).format(), Format::DecimalSi);
}

#[test]
fn multiples_work_at_any_distance() {
    assert!(read("1e100").is_multiple_of(&read("1n")));
    assert!(read("3e100").is_multiple_of(&read("3n")));
    assert!(!read("1e100").is_multiple_of(&read("3n")));
    assert!(!read("1n").is_multiple_of(&read("1e100")));
    assert!(read("1e30").is_multiple_of(&read("1Gi")));
    assert!(!read("1G").is_multiple_of(&read("1Gi")));
    assert!(!read("5Mi").is_multiple_of(&read("2Mi")));
    assert!(read("0").is_multiple_of(&read("0")) && !read("1").is_multiple_of(&read("0")));
}

#[test]
fn a_quantity_is_small() {
    assert!(size_of::<Quantity>() <= 32);
}

fn read(text: &str) -> Quantity {
    Quantity::parse(text).expect("a quantity")
}
