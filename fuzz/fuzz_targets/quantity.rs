//! Any text as a quantity: what is printed reads back as the same amount.
#![no_main]

use draguard::model::quantity::{Format, Quantity};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(quantity) = Quantity::parse(text) else { return };
    let printed = quantity.to_string();
    let again = Quantity::parse(&printed).unwrap_or_else(|error| panic!("{text} -> {printed}: {error}"));
    assert_eq!(again, quantity);
    // 990937.5Ki prints as 1014720000, which is no binary quantity any longer.
    assert!(quantity.format() == Format::BinarySi || again.to_string() == printed, "{text} -> {printed} -> {again}");
    let _ = (quantity.milli_ceil(), quantity.whole_ceil(), quantity.checked_mul(&again), quantity.checked_add(&again));
});
