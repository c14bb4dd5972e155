//! When a certificate is valid: the one thing that rustls does not tell, read from its DER.

use std::time::{SystemTime, UNIX_EPOCH};

use time::{Date, Month, Time};

/// The first and the last second of a certificate's life, in Unix time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Validity {
    /// `notBefore`.
    pub not_before: i64,
    /// `notAfter`.
    pub not_after: i64,
}

impl Validity {
    /// Reads the validity of an X.509 certificate.
    #[must_use]
    pub fn of(certificate: &[u8]) -> Option<Self> {
        let mut certificate = certificate;
        let mut outer = expect(&mut certificate, SEQUENCE)?;
        let mut body = expect(&mut outer, SEQUENCE)?;
        if body.first() == Some(&EXPLICIT_VERSION) {
            element(&mut body)?;
        }
        expect(&mut body, INTEGER)?;
        expect(&mut body, SEQUENCE)?;
        expect(&mut body, SEQUENCE)?;
        let mut validity = expect(&mut body, SEQUENCE)?;
        Some(Self { not_before: moment(&mut validity)?, not_after: moment(&mut validity)? })
    }

    /// Why a certificate with this validity cannot be served at `now`, if so.
    #[must_use]
    pub fn fault(self, now: i64) -> Option<String> {
        if now < self.not_before {
            return Some(format!("the certificate is not valid for another {} s", self.not_before - now));
        }
        (now > self.not_after).then(|| format!("the certificate expired {} s ago", now - self.not_after))
    }

    /// True when two thirds of the life are over.
    #[must_use]
    pub const fn is_old(self, now: i64) -> bool {
        self.not_after - now < (self.not_after - self.not_before) / 3
    }
}

/// The clock, in Unix time.
#[must_use]
pub fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

const INTEGER: u8 = 0x02;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;
const SEQUENCE: u8 = 0x30;
const EXPLICIT_VERSION: u8 = 0xa0;

fn expect<'a>(input: &mut &'a [u8], tag: u8) -> Option<&'a [u8]> {
    let (found, content) = element(input)?;
    (found == tag).then_some(content)
}

fn element<'a>(input: &mut &'a [u8]) -> Option<(u8, &'a [u8])> {
    let (&tag, rest) = input.split_first()?;
    let (&first, rest) = rest.split_first()?;
    let (length, rest) = if first < 0x80 { (usize::from(first), rest) } else { long_length(first, rest)? };
    let (content, rest) = rest.split_at_checked(length)?;
    *input = rest;
    Some((tag, content))
}

fn long_length(first: u8, rest: &[u8]) -> Option<(usize, &[u8])> {
    let digits = usize::from(first & 0x7f);
    if digits > 4 {
        return None;
    }
    let (length, rest) = rest.split_at_checked(digits)?;
    Some((length.iter().fold(0, |sum, &byte| (sum << 8) | usize::from(byte)), rest))
}

/// `YYMMDDHHMMSSZ` until 2049, `YYYYMMDDHHMMSSZ` after (RFC 5280, 4.1.2.5).
fn moment(input: &mut &[u8]) -> Option<i64> {
    let (tag, content) = element(input)?;
    let text = std::str::from_utf8(content).ok()?.strip_suffix('Z')?;
    let (year, rest) = match tag {
        UTC_TIME => text.split_at_checked(2).and_then(|(year, rest)| Some((full_year(year.parse().ok()?), rest)))?,
        GENERALIZED_TIME => text.split_at_checked(4).and_then(|(year, rest)| Some((year.parse().ok()?, rest)))?,
        _ => return None,
    };
    let pair = |nth: usize| rest.get(nth * 2..nth * 2 + 2)?.parse::<u8>().ok();
    let date = Date::from_calendar_date(year, Month::try_from(pair(0)?).ok()?, pair(1)?).ok()?;
    let time = Time::from_hms(pair(2)?, pair(3)?, pair(4)?).ok()?;
    Some(date.with_time(time).assume_utc().unix_timestamp())
}

const fn full_year(two_digits: i32) -> i32 {
    if two_digits < 50 { 2000 + two_digits } else { 1900 + two_digits }
}
