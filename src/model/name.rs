//! The forms of names that the API server accepts (`apimachinery pkg/util/validation`, `pkg/apis/resource/validation`).

/// A DNS label: lower-case letters, digits and `-`, at most 63.
#[must_use]
pub fn is_label(name: &str) -> bool {
    let bytes = name.as_bytes();
    let inner = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'-';
    let edge = |byte: Option<&u8>| byte.is_some_and(|byte| *byte != b'-');
    bytes.len() <= 63 && bytes.iter().all(inner) && edge(bytes.first()) && edge(bytes.last())
}

/// A DNS subdomain: labels joined by dots, at most `longest` bytes.
#[must_use]
pub fn is_subdomain(name: &str, longest: usize) -> bool {
    let inner = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'-';
    let part = |part: &str| {
        let edge = |byte: Option<&u8>| byte.is_some_and(|byte| *byte != b'-');
        part.as_bytes().iter().all(inner) && edge(part.as_bytes().first()) && edge(part.as_bytes().last())
    };
    name.len() <= longest && name.split('.').all(part)
}

/// The name of a DRA driver: a subdomain of at most 63 bytes, in which capitals are allowed.
#[must_use]
pub fn is_driver(name: &str) -> bool {
    is_subdomain(&name.to_ascii_lowercase(), 63)
}

/// A C identifier of at most 32 bytes.
#[must_use]
pub fn is_identifier(name: &str) -> bool {
    let mut bytes = name.bytes();
    let starts = bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    name.len() <= 32 && starts && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// The name of an attribute or a capacity: an identifier, or a domain, a slash and an identifier.
#[must_use]
pub fn is_qualified(name: &str) -> bool {
    is_identifier(name)
        || name.split_once('/').is_some_and(|(domain, id)| is_subdomain(domain, 63) && is_identifier(id))
}

/// A pool's name: subdomains joined by slashes.
#[must_use]
pub fn is_pool(name: &str) -> bool {
    name.len() <= 253 && name.split('/').all(|part| is_subdomain(part, 253))
}
