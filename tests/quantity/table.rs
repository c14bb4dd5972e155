//! Every row of the table that Go's library wrote (`go/`, `go run . > ../table.json`).

use std::collections::BTreeMap;

use draguard::model::quantity::{Quantity, QuantityError};

use crate::differences::DIFFERENCES;
use crate::go_row::{Row, disagreements};

#[test]
fn every_row_agrees_with_go_or_is_listed() {
    let listed = listed();
    let wrong: Vec<String> = rows().iter().filter_map(|row| unexpected(row, &listed)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_listed_difference_is_a_row() {
    let rows = rows();
    for name in listed().keys() {
        assert!(rows.iter().any(|row| row.input == *name), "no row {name:?}");
    }
}

#[test]
fn the_table_is_large_and_complete() {
    let rows = rows();
    let valid = rows.iter().filter(|row| row.answer.is_some()).count();
    let refused = rows.iter().filter(|row| row.error.is_some()).count();
    let skipped = rows.iter().filter(|row| row.skipped.is_some()).count();
    assert_eq!(valid + refused + skipped, rows.len());
    assert!(valid >= 600 && refused >= 90, "{valid} valid, {refused} refused");
}

#[test]
fn go_refuses_with_an_error_of_the_same_kind() {
    for row in rows() {
        let (Some(error), Err(ours)) = (&row.error, Quantity::parse(&row.input)) else {
            continue;
        };
        let kind = match ours {
            QuantityError::Empty | QuantityError::Syntax => {
                error.contains("regular expression") || error.contains("numeric")
            }
            QuantityError::Suffix | QuantityError::Exponent => error.contains("suffix"),
            QuantityError::Digits => false,
        };
        assert!(kind, "{:?}: Go says {error}, draguard {ours}", row.input);
    }
}

#[test]
fn what_go_prints_right_after_parsing_reads_as_the_same_value() {
    // Go echoes some texts that are not canonical, such as +1, 5., 1E3 and 1.234.
    for row in rows() {
        let (Some(answer), Ok(quantity)) = (&row.answer, Quantity::parse(&row.input)) else {
            continue;
        };
        let echoed = answer.fresh == row.input;
        assert!(echoed || answer.fresh == answer.canonical, "{:?}", row.input);
        if echoed {
            assert_eq!(Quantity::parse(&answer.fresh), Ok(quantity));
        }
    }
}

fn unexpected(row: &Row, listed: &BTreeMap<&str, &[&str]>) -> Option<String> {
    let found = disagreements(row);
    let expected = listed.get(row.input.as_str()).copied().unwrap_or_default();
    (found != expected).then(|| format!("{:?}: {found:?}, listed {expected:?}", row.input))
}

fn listed() -> BTreeMap<&'static str, &'static [&'static str]> {
    DIFFERENCES
        .iter()
        .inspect(|difference| assert!(!difference.reason.is_empty()))
        .flat_map(|difference| difference.rows.iter().map(|row| (*row, difference.in_what)))
        .collect()
}

fn rows() -> Vec<Row> {
    serde_json::from_str(include_str!("table.json")).expect("the table is JSON")
}
