//! What a YAML scalar stands for, as `sigs.k8s.io/yaml` (YAML 1.1 in the reading of goyaml.v2) resolves it.

use granit_parser::{ScalarStyle, Tag};

use super::number;

/// A resolved scalar.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Scalar {
    Null,
    Bool(bool),
    Integer(i128),
    Float(f64),
    Text(String),
}

/// The tags that change what a scalar stands for; any other leaves it the text that was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Implicit,
    Text,
    Bool,
    Integer,
    Float,
    Null,
    Timestamp,
    Binary,
    Other,
}

impl Scalar {
    /// Resolves a scalar; the error says what is wrong with it.
    pub(super) fn of(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Result<Self, String> {
        let kind = kind(style, tag);
        let resolved = match kind {
            Kind::Text | Kind::Other => Self::Text(text.to_owned()),
            Kind::Binary => Self::Text(decoded(text).ok_or("!!binary value is not base64")?),
            _ => implicit(text),
        };
        fit(resolved, kind, text)
    }

    /// The scalar as JSON text; the error says why there is none.
    pub(super) fn to_json(&self) -> Result<String, String> {
        Ok(match self {
            Self::Null => "null".to_owned(),
            Self::Bool(value) => value.to_string(),
            Self::Integer(value) => value.to_string(),
            Self::Float(value) => number::printed(*value).ok_or("JSON has no infinity and no NaN")?,
            Self::Text(text) => json_text(text),
        })
    }

    /// The scalar as a key of a JSON object; the error says why it cannot be one.
    pub(super) fn into_key(self) -> Result<String, String> {
        match self {
            Self::Text(text) => Ok(text),
            Self::Bool(value) => Ok(value.to_string()),
            Self::Integer(value) if i64::try_from(value).is_ok() => Ok(value.to_string()),
            Self::Float(value) => Ok(number::key(value)),
            Self::Integer(_) => Err("a number this large cannot be a key".to_owned()),
            Self::Null => Err("null cannot be a key".to_owned()),
        }
    }
}

/// True for a `<<` that merges another mapping into this one.
pub(super) fn is_merge(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> bool {
    let explicit = tag.is_some_and(|tag| suffix(tag).as_deref() == Some("merge") || is_bang(tag));
    text == "<<" && (explicit || (tag.is_none() && style == ScalarStyle::Plain))
}

/// A string as JSON text.
pub(super) fn json_text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn kind(style: ScalarStyle, tag: Option<&Tag>) -> Kind {
    let Some(tag) = tag else {
        return if style == ScalarStyle::Plain { Kind::Implicit } else { Kind::Text };
    };
    match suffix(tag).as_deref() {
        Some("str") => Kind::Text,
        Some("bool") => Kind::Bool,
        Some("int") => Kind::Integer,
        Some("float") => Kind::Float,
        Some("null") => Kind::Null,
        Some("timestamp") => Kind::Timestamp,
        Some("binary") => Kind::Binary,
        _ => Kind::Other,
    }
}

fn suffix(tag: &Tag) -> Option<std::borrow::Cow<'_, str>> {
    tag.suffix_in_namespace("tag:yaml.org,2002:")
}

fn is_bang(tag: &Tag) -> bool {
    tag.parts() == ("", "!")
}

fn implicit(text: &str) -> Scalar {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Scalar::Null,
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => Scalar::Bool(true),
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => Scalar::Bool(false),
        ".nan" | ".NaN" | ".NAN" => Scalar::Float(f64::NAN),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => Scalar::Float(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => Scalar::Float(f64::NEG_INFINITY),
        _ => number(text).unwrap_or_else(|| Scalar::Text(text.to_owned())),
    }
}

fn number(text: &str) -> Option<Scalar> {
    match text.as_bytes().first()? {
        b'.' => number::float(text).map(Scalar::Float),
        b'+' | b'-' | b'0'..=b'9' => {
            let plain = text.replace('_', "");
            number::integer(&plain)
                .map(Scalar::Integer)
                .or_else(|| number::float(&plain).map(Scalar::Float))
                .or_else(|| number::late_sign(&plain).map(Scalar::Integer))
        }
        _ => None,
    }
}

/// Holds a resolved scalar against its explicit tag.
fn fit(scalar: Scalar, kind: Kind, text: &str) -> Result<Scalar, String> {
    match (kind, scalar) {
        #[expect(clippy::cast_precision_loss, reason = "the tag asks for a double")]
        (Kind::Float, Scalar::Integer(value)) if i64::try_from(value).is_ok() => Ok(Scalar::Float(value as f64)),
        (Kind::Timestamp, Scalar::Text(text)) if is_dated(&text) => Ok(Scalar::Text(text)),
        (Kind::Implicit | Kind::Text | Kind::Binary | Kind::Other, scalar)
        | (Kind::Null, scalar @ Scalar::Null)
        | (Kind::Bool, scalar @ Scalar::Bool(_))
        | (Kind::Integer, scalar @ Scalar::Integer(_))
        | (Kind::Float, scalar @ Scalar::Float(_)) => Ok(scalar),
        _ => Err(format!("`{text}` is not what its tag says")),
    }
}

fn is_dated(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.iter().take(4).filter(|byte| byte.is_ascii_digit()).count() == 4 && bytes.get(4) == Some(&b'-')
}

/// Base64 as Go's `StdEncoding` reads it; bytes that are no text become replacement characters.
fn decoded(text: &str) -> Option<String> {
    let clean: Vec<u8> = text.bytes().filter(|byte| !matches!(byte, b'\r' | b'\n')).collect();
    let mut out = Vec::with_capacity(clean.len() / 4 * 3);
    let mut quads = clean.chunks(4).peekable();
    while let Some(quad) = quads.next() {
        let padding = quad.iter().rev().take_while(|byte| **byte == b'=').count();
        if quad.len() != 4 || padding > 2 || (padding > 0 && quads.peek().is_some()) {
            return None;
        }
        let bits = quad.iter().take(4 - padding).try_fold(0u32, |bits, byte| Some(bits << 6 | sextet(*byte)?))?;
        let [_, bytes @ ..] = (bits << (6 * padding)).to_be_bytes();
        out.extend(bytes.iter().take(3 - padding));
    }
    Some(String::from_utf8_lossy(&out).into_owned())
}

fn sextet(byte: u8) -> Option<u32> {
    Some(u32::from(match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    }))
}
