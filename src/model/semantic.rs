//! Equality of JSON values as the API server means it: `equality.Semantic.DeepEqual` of what it decodes them to
//! (`apimachinery@0.36.3 pkg/api/equality/semantic.go`). Only values of claims are known here.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::value::RawValue;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::decode::{Amount, Entries, Items, Text};

/// Fields that Go holds by pointer: there an empty value is not the same as none.
const POINTERS: [&str; 9] = [
    "allocation",
    "nodeSelector",
    "allocationTimestamp",
    "adminAccess",
    "shareID",
    "tolerationSeconds",
    "opaque",
    "data",
    "networkData",
];

/// Maps whose values are quantities.
const AMOUNTS: [&str; 1] = ["consumedCapacity"];

/// Fields that are points in time.
const TIMES: [&str; 2] = ["allocationTimestamp", "lastTransitionTime"];

/// Fields that Kubernetes keeps as text and never looks into.
const OPAQUE: [&str; 2] = ["data", "parameters"];

/// Claims are not half as deep. What lies deeper is compared as text.
const DEEPEST: u32 = 16;

/// True when two values of the field `key` mean the same. `null` is nothing.
#[must_use]
pub fn same(key: &str, one: Option<&RawValue>, other: Option<&RawValue>) -> bool {
    compare(key, one, other, DEEPEST)
}

fn compare(key: &str, one: Option<&RawValue>, other: Option<&RawValue>, depth: u32) -> bool {
    let (one, other) = (written(one), written(other));
    match (one, other) {
        (Some(one), Some(other)) if one == other => return true,
        (Some(one), Some(other)) if depth == 0 || OPAQUE.contains(&key) => return compact(one) == compact(other),
        _ => {}
    }
    match (Form::of(one), Form::of(other)) {
        (Form::Nothing, Form::Nothing) => true,
        (Form::Nothing, some) | (some, Form::Nothing) => !POINTERS.contains(&key) && some.is_zero(key, depth),
        (Form::Map(one), Form::Map(other)) if AMOUNTS.contains(&key) => same_amounts(&one, &other),
        (Form::Map(one), Form::Map(other)) => same_fields(&one, &other, depth),
        (Form::List(one), Form::List(other)) => {
            one.len() == other.len() && one.iter().zip(&other).all(|(one, other)| compare("", *one, *other, depth - 1))
        }
        (Form::Scalar(one), Form::Scalar(other)) => same_scalar(key, one, other),
        _ => false,
    }
}

fn written(value: Option<&RawValue>) -> Option<&str> {
    value.map(RawValue::get).filter(|text| *text != "null")
}

type Fields<'a> = BTreeMap<Cow<'a, str>, Option<&'a RawValue>>;

/// A value, one level deep.
enum Form<'a> {
    Nothing,
    Map(Fields<'a>),
    List(Vec<Option<&'a RawValue>>),
    Scalar(&'a str),
}

impl<'a> Form<'a> {
    /// A list or map that is too long to be read is compared as text.
    fn of(value: Option<&'a str>) -> Self {
        let Some(text) = value else { return Self::Nothing };
        let read = match text.as_bytes().first() {
            Some(b'{') => serde_json::from_str(text).map(|Entries(fields): Entries<'_, _>| {
                Self::Map(fields.into_iter().map(|(Text(name), value)| (name, value)).collect())
            }),
            Some(b'[') => serde_json::from_str(text).map(|Items(items): Items<_>| Self::List(items)),
            _ => Ok(Self::Scalar(text)),
        };
        read.unwrap_or(Self::Scalar(text))
    }

    /// True when decoding it gives what decoding nothing gives.
    fn is_zero(&self, key: &str, depth: u32) -> bool {
        match self {
            Self::Nothing => true,
            Self::Map(fields) if AMOUNTS.contains(&key) => fields.is_empty(),
            Self::Map(fields) => same_fields(fields, &Fields::new(), depth),
            Self::List(items) => items.is_empty(),
            Self::Scalar(text) => ["\"\"", "0", "false"].contains(text),
        }
    }
}

fn same_fields(one: &Fields<'_>, other: &Fields<'_>, depth: u32) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    let keys: BTreeSet<_> = one.keys().chain(other.keys()).collect();
    keys.into_iter().all(|key| compare(key, value(one, key), value(other, key), depth))
}

fn value<'a>(fields: &Fields<'a>, key: &str) -> Option<&'a RawValue> {
    fields.get(key).copied().flatten()
}

fn same_amounts(one: &Fields<'_>, other: &Fields<'_>) -> bool {
    one.keys().eq(other.keys()) && one.values().zip(other.values()).all(|(one, other)| same_amount(*one, *other))
}

fn same_amount(one: Option<&RawValue>, other: Option<&RawValue>) -> bool {
    let (one, other) = (written(one), written(other));
    let quantity = |text: Option<&str>| serde_json::from_str::<Amount<'_>>(text.unwrap_or("0")).ok()?.quantity();
    one == other || quantity(one).is_some_and(|one| quantity(other) == Some(one))
}

fn same_scalar(key: &str, one: &str, other: &str) -> bool {
    let text = |json| serde_json::from_str::<Text<'_>>(json).ok();
    let (Some(one), Some(other)) = (text(one), text(other)) else { return one == other };
    one == other || TIMES.contains(&key) && moment(&one).is_some_and(|one| moment(&other) == Some(one))
}

fn moment(text: &str) -> Option<OffsetDateTime> {
    OffsetDateTime::parse(text, &Rfc3339).ok()
}

/// JSON without the spaces between its parts: the API server writes none, files do.
fn compact(json: &str) -> String {
    let (mut out, mut quoted, mut escaped) = (String::with_capacity(json.len()), false, false);
    for character in json.chars() {
        if !quoted && character.is_ascii_whitespace() {
            continue;
        }
        quoted ^= character == '"' && !escaped;
        escaped = quoted && character == '\\' && !escaped;
        out.push(character);
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::same;

    fn is_same(key: &str, one: &str, other: &str) -> bool {
        let raw = |text: &str| RawValue::from_string(text.to_owned()).unwrap();
        let (one, other) = (raw(one), raw(other));
        let both = [same(key, Some(&one), Some(&other)), same(key, Some(&other), Some(&one))];
        assert_eq!(both[0], both[1], "{key}: {one} {other}");
        both[0]
    }

    #[test]
    fn what_decodes_to_the_same_is_the_same() {
        for (key, one, other) in [
            ("reservedFor", "null", "[]"),
            ("conditions", "[]", "null"),
            ("allocation", r#"{"devices": {"results": []}}"#, r#"{"devices":{}}"#),
            ("allocation", r#"{"devices": {}}"#, "{}"),
            ("allocation", r#"{"a": 1, "b": "x"}"#, r#"{"b":"\u0078","a":1}"#),
            ("", r#"{"message": ""}"#, "{}"),
            ("", r#"{"observedGeneration": 0}"#, r#"{"observedGeneration": null}"#),
            ("", r#"{"shareID": null}"#, "{}"),
            ("consumedCapacity", r#"{"a": "1", "b": "1Gi"}"#, r#"{"b": "1073741824", "a": "1000m"}"#),
            ("consumedCapacity", r#"{"a": 1}"#, r#"{"a": "1"}"#),
            ("consumedCapacity", r#"{"a": null}"#, r#"{"a": "0"}"#),
            ("consumedCapacity", "null", "{}"),
            ("lastTransitionTime", r#""2026-01-01T00:00:00Z""#, r#""2026-01-01T01:00:00+01:00""#),
            ("data", r#"{"a": "x y", "b": 1}"#, r#"{"a":"x y","b":1}"#),
            ("a", r#"{"x": 1, "x": 2}"#, r#"{"x": 2}"#),
        ] {
            assert!(is_same(key, one, other), "{key}: {one} {other}");
        }
    }

    #[test]
    fn what_decodes_to_something_else_is_another() {
        for (key, one, other) in [
            ("allocation", "null", "{}"),
            ("", r#"{"shareID": ""}"#, "{}"),
            ("", r#"{"adminAccess": false}"#, "{}"),
            ("", r#"{"nodeSelector": {}}"#, "{}"),
            ("", r#"{"networkData": {}}"#, "{}"),
            ("", r#"{"data": {}}"#, "{}"),
            ("ips", r#"["a", "b"]"#, r#"["b", "a"]"#),
            ("reservedFor", r#"[{"name": "a"}]"#, "[]"),
            ("reservedFor", r#"[{"name": "a"}]"#, r#"[{"Name": "a"}]"#),
            ("consumedCapacity", r#"{"a": "0"}"#, "{}"),
            ("consumedCapacity", r#"{"a": "1"}"#, r#"{"a": "1m"}"#),
            ("consumedCapacity", r#"{"a": "x"}"#, r#"{"a": "y"}"#),
            ("message", r#""2026-01-01T00:00:00Z""#, r#""2026-01-01T01:00:00+01:00""#),
            ("data", r#"{"a": "x y"}"#, r#"{"a": "xy"}"#),
            ("data", r#"{"a": "\" "}"#, r#"{"a": "\""}"#),
            ("some", "1", "2"),
            ("some", "{}", "[1]"),
        ] {
            assert!(!is_same(key, one, other), "{key}: {one} {other}");
        }
    }

    #[test]
    fn what_is_deeper_than_a_claim_is_compared_as_text() {
        let deep = |end: &str| format!("{}{end}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(is_same("a", &deep("1"), &deep(" 1")));
        assert!(!is_same("a", &deep("1"), &deep("2")));
        let many = |end: u32| format!("[{}{end}]", "0,".repeat(5000));
        assert!(!is_same("a", &many(1), &many(2)));
    }
}
