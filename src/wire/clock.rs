//! The clock, for what only the shell may read it for.

use std::time::{SystemTime, UNIX_EPOCH};

/// Now, in milliseconds since 1970.
#[must_use]
pub fn millis() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
