//! Numbers as Go's `strconv` reads them and as Go's `encoding/json` prints them.

/// What `strconv.ParseInt(text, 0, 64)`, and after it `ParseUint`, make of `text`.
pub(super) fn integer(text: &str) -> Option<i128> {
    let (negative, unsigned) = match text.as_bytes().first()? {
        b'-' => (true, text.get(1..)?),
        b'+' => (false, text.get(1..)?),
        _ => (false, text),
    };
    let (radix, digits) = radix(unsigned);
    let magnitude = i128::from(magnitude(digits, radix)?);
    let value = if negative { -magnitude } else { magnitude };
    let signed = unsigned.len() != text.len();
    (value >= i128::from(i64::MIN) && (!signed || value <= i128::from(i64::MAX))).then_some(value)
}

/// What the YAML reader makes of a number that begins with `0b` where [`integer`] failed: the sign may follow.
pub(super) fn late_sign(text: &str) -> Option<i128> {
    let digits = text.strip_prefix("0b")?;
    let (sign, magnitude) = match digits.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, digits.strip_prefix('+')?),
    };
    let value = sign * i128::from(self::magnitude(magnitude, 2)?);
    i64::try_from(value).ok().map(i128::from)
}

/// What the YAML reader makes of a decimal fraction; `None` also where it is beyond a double.
pub(super) fn float(text: &str) -> Option<f64> {
    if !is_decimal(text) {
        return None;
    }
    text.parse().ok().filter(|value: &f64| value.is_finite())
}

/// A double as `encoding/json` prints it; `None` for what JSON has no word for.
pub(super) fn printed(value: f64) -> Option<String> {
    if !value.is_finite() {
        return None;
    }
    let size = value.abs();
    if size != 0.0 && !(1e-6..1e21).contains(&size) {
        let text = format!("{value:e}");
        return Some(if text.contains("e-") { text } else { text.replacen('e', "e+", 1) });
    }
    Some(value.to_string())
}

/// A double as a map key: `strconv.FormatFloat(value, 'g', -1, 32)`, with YAML's words for what is no number.
pub(super) fn key(value: f64) -> String {
    #[expect(clippy::cast_possible_truncation, reason = "Go prints such a key as a 32-bit float")]
    let value = value as f32;
    if value.is_nan() {
        return ".nan".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { ".inf" } else { "-.inf" }.to_owned();
    }
    let text = format!("{value:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    match exponent.parse::<i32>() {
        Ok(-4..6) => value.to_string(),
        Ok(exponent) => format!("{digits}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs()),
        Err(_) => text,
    }
}

fn radix(text: &str) -> (u32, &str) {
    let Some(rest) = text.strip_prefix('0').filter(|rest| !rest.is_empty()) else { return (10, text) };
    let prefixed = rest.get(1..).filter(|digits| !digits.is_empty());
    match (rest.as_bytes().first(), prefixed) {
        (Some(b'x' | b'X'), Some(digits)) => (16, digits),
        (Some(b'o' | b'O'), Some(digits)) => (8, digits),
        (Some(b'b' | b'B'), Some(digits)) => (2, digits),
        _ => (8, rest),
    }
}

fn magnitude(digits: &str, radix: u32) -> Option<u64> {
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return None;
    }
    u64::from_str_radix(digits, radix).ok()
}

/// `^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`
fn is_decimal(text: &str) -> bool {
    let text = unsigned(text);
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(unsigned(exponent))),
        None => (text, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let some = !whole.is_empty() || !fraction.is_empty();
    some && all_digits(whole) && all_digits(fraction) && exponent.is_none_or(|e| !e.is_empty() && all_digits(e))
}

fn unsigned(text: &str) -> &str {
    text.strip_prefix(['-', '+']).unwrap_or(text)
}

fn all_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}
