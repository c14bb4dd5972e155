//! Durations as Go writes them, and the time that is left for an answer.

use std::time::Duration;

/// The API server's own default and upper bound of `timeoutSeconds`.
const DEFAULT: Duration = Duration::from_secs(10);
const LONGEST: Duration = Duration::from_secs(30);

/// The time within which a request with this query must be answered: a tenth below what the API server waits, since
/// an answer on its way when the caller hangs up is no answer.
#[must_use]
pub fn budget(query: Option<&str>) -> Duration {
    let asked = query.and_then(parameter).and_then(parse).unwrap_or(DEFAULT).min(LONGEST);
    asked.saturating_sub((asked / 10).max(Duration::from_millis(50))).max(asked / 2)
}

fn parameter(query: &str) -> Option<&str> {
    query.split('&').find_map(|pair| pair.strip_prefix("timeout="))
}

/// A Go duration: `3s`, `1m30s`, `500ms`, `1.5h`. Signs are not accepted; nor is a number without a unit, but for `0`.
#[must_use]
pub fn parse(text: &str) -> Option<Duration> {
    if text == "0" {
        return Some(Duration::ZERO);
    }
    let mut rest = text;
    let mut total = Duration::ZERO;
    while !rest.is_empty() {
        let (amount, after) = split_number(rest)?;
        let (unit, after) = split_unit(after)?;
        total = total.checked_add(Duration::try_from_secs_f64(amount * unit).ok()?)?;
        rest = after;
    }
    (!text.is_empty()).then_some(total)
}

fn split_number(text: &str) -> Option<(f64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (digits, rest) = text.split_at_checked(end)?;
    Some((digits.parse().ok()?, rest))
}

fn split_unit(text: &str) -> Option<(f64, &str)> {
    const UNITS: [(&str, f64); 8] =
        [("ns", 1e-9), ("us", 1e-6), ("µs", 1e-6), ("μs", 1e-6), ("ms", 1e-3), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];
    UNITS.iter().find_map(|(name, seconds)| Some((*seconds, text.strip_prefix(name)?)))
}
