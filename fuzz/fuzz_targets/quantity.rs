//! Any text as a quantity: what is printed reads back as the same amount.
#![no_main]

use draguard::model::quantity::Quantity;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(quantity) = Quantity::parse(text) else { return };
    let printed = quantity.to_string();
    let again = Quantity::parse(&printed).unwrap_or_else(|error| panic!("{text} -> {printed}: {error}"));
    assert_eq!(again.to_string(), printed);
    let _ = (quantity.milli_ceil(), quantity.whole_ceil(), quantity.checked_mul(&again), quantity.checked_add(&again));
});
