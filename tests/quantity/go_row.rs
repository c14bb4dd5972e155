//! What Go says of one text, and the check of draguard's answers against it.

use std::cmp::Ordering;

use draguard::model::quantity::{Format, Quantity};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Row {
    pub(crate) input: String,
    pub(crate) skipped: Option<String>,
    pub(crate) error: Option<String>,
    pub(crate) answer: Option<Answer>,
    pub(crate) pair: Option<Pair>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Answer {
    pub(crate) fresh: String,
    pub(crate) canonical: String,
    pub(crate) format: String,
    pub(crate) sign: i8,
    pub(crate) value: i64,
    pub(crate) milli: i64,
    pub(crate) exact_value: String,
    pub(crate) exact_milli: String,
    pub(crate) whole: bool,
    pub(crate) whole_milli: bool,
}

#[derive(Deserialize)]
pub(crate) struct Pair {
    pub(crate) with: String,
    pub(crate) cmp: i8,
    pub(crate) multiple: bool,
    pub(crate) sum: String,
    pub(crate) difference: String,
    pub(crate) product: String,
}

/// Every way in which draguard and Go disagree about a row; empty when they agree.
pub(crate) fn disagreements(row: &Row) -> Vec<&'static str> {
    let ours = Quantity::parse(&row.input);
    match (&row.answer, ours) {
        (None, Err(_)) => Vec::new(),
        (None, Ok(_)) => vec!["accepted"],
        (Some(_), Err(_)) => vec!["refused"],
        (Some(answer), Ok(quantity)) => {
            let mut found = answer_disagreements(answer, &quantity);
            found.extend(row.pair.iter().flat_map(|pair| pair_disagreements(pair, &quantity)));
            found
        }
    }
}

fn answer_disagreements(answer: &Answer, quantity: &Quantity) -> Vec<&'static str> {
    let format = match quantity.format() {
        Format::DecimalSi => "DecimalSI",
        Format::BinarySi => "BinarySI",
        Format::DecimalExponent => "DecimalExponent",
    };
    named(&[
        ("format", format == answer.format),
        ("sign", quantity.signum() == answer.sign),
        ("zero", quantity.is_zero() == (answer.sign == 0)),
        ("print", quantity.to_string() == answer.canonical),
        ("whole", quantity.is_whole() == answer.whole),
        ("whole milli", quantity.is_whole_milli() == answer.whole_milli),
        ("exact value", quantity.whole_ceil() == answer.exact_value.parse().ok()),
        ("exact milli", quantity.milli_ceil() == answer.exact_milli.parse().ok()),
        ("value", quantity.whole_ceil() == Some(answer.value)),
        ("milli", quantity.milli_ceil() == Some(answer.milli)),
    ])
}

fn pair_disagreements(pair: &Pair, left: &Quantity) -> Vec<&'static str> {
    let Ok(right) = Quantity::parse(&pair.with) else {
        return Vec::new();
    };
    let order = match left.cmp(&right) {
        Ordering::Less => -1,
        Ordering::Equal => 0,
        Ordering::Greater => 1,
    };
    named(&[
        ("order", order == pair.cmp && right.cmp(left) == left.cmp(&right).reverse()),
        ("equality", (*left == right) == (pair.cmp == 0)),
        ("multiple", left.is_multiple_of(&right) == pair.multiple),
        ("sum", same(left.checked_add(&right), &pair.sum)),
        ("difference", same(left.checked_sub(&right), &pair.difference)),
        ("product", same(left.checked_mul(&right), &pair.product)),
    ])
}

/// Compares a result with Go's exact one, written as mantissa and power of ten, digit by digit.
///
/// `None` is right only when the digits from the first to the last that counts do not fit 128 bits.
fn same(ours: Option<Quantity>, expected: &str) -> bool {
    let expected = Decimal::read(expected);
    match ours {
        Some(quantity) => Decimal::of(&quantity) == expected,
        None => expected.digits.parse::<i128>().is_err(),
    }
}

/// A decimal as text: digits with a sign and no trailing zeros, and a power of ten.
#[derive(Debug, PartialEq, Eq)]
struct Decimal {
    digits: String,
    power: i64,
}

impl Decimal {
    fn read(text: &str) -> Self {
        let (mantissa, power) = text.split_once('e').expect("mantissa and power");
        let digits = mantissa.trim_end_matches('0');
        if digits.is_empty() {
            return Self { digits: String::new(), power: 0 };
        }
        let zeros = i64::try_from(mantissa.len() - digits.len()).expect("few zeros");
        Self { digits: digits.to_owned(), power: power.parse::<i64>().expect("a power") + zeros }
    }

    /// Reads what is printed, by way of a suffix table of its own.
    fn of(quantity: &Quantity) -> Self {
        let text = quantity.to_string();
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '-').unwrap_or(text.len());
        let (number, suffix) = text.split_at(end);
        let power = match suffix {
            "" => 0,
            "n" => -9,
            "u" => -6,
            "m" => -3,
            "k" => 3,
            "M" => 6,
            "G" => 9,
            "T" => 12,
            "P" => 15,
            "E" => 18,
            binary if binary.ends_with('i') => return Self::of_binary(number, binary),
            exponent => exponent.trim_start_matches('e').parse().expect("an exponent"),
        };
        Self::read(&format!("{number}e{power}"))
    }

    fn of_binary(number: &str, suffix: &str) -> Self {
        let steps = "KMGTPE".find(suffix.trim_end_matches('i')).expect("a binary suffix") + 1;
        let number: i128 = number.parse().expect("a number");
        Self::read(&format!("{}e0", number * 1024_i128.pow(u32::try_from(steps).expect("six at most"))))
    }
}

fn named(checks: &[(&'static str, bool)]) -> Vec<&'static str> {
    checks.iter().filter(|(_, right)| !right).map(|(name, _)| *name).collect()
}
