//! draguard.
fn main() {}
