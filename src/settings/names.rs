//! How the names in the settings document must look.

use crate::model::name::{is_label, is_subdomain};

/// True for a label's key: `name` or `domain/name`.
#[must_use]
pub fn is_label_key(text: &str) -> bool {
    match text.split_once('/') {
        Some((domain, name)) => is_subdomain(domain, 253) && is_label_name(name),
        None => is_label_name(text),
    }
}

/// True for a label's value.
#[must_use]
pub fn is_label_value(text: &str) -> bool {
    text.is_empty() || is_label_name(text)
}

/// The user name under which a service account written as `namespace/name` is authenticated.
#[must_use]
pub fn service_account_user(text: &str) -> Option<String> {
    service_account(text).map(|(namespace, name)| format!("system:serviceaccount:{namespace}:{name}"))
}

/// Namespace and name of a service account written as `namespace/name`.
#[must_use]
pub fn service_account(text: &str) -> Option<(&str, &str)> {
    text.split_once('/').filter(|(namespace, name)| is_label(namespace) && is_subdomain(name, 253))
}

fn is_label_name(text: &str) -> bool {
    const LONGEST: usize = 63;
    let edge = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric());
    text.len() <= LONGEST
        && edge(text.bytes().next())
        && edge(text.bytes().next_back())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_account_is_a_namespace_and_a_name() {
        let user = service_account_user("dra/cpu.driver");
        assert_eq!(user.as_deref(), Some("system:serviceaccount:dra:cpu.driver"));
        assert!(
            ["cpu", "/cpu", "dra/", "a/b/c", "Dra/cpu", "d.ra/cpu"]
                .into_iter()
                .all(|text| service_account_user(text).is_none())
        );
    }

    #[test]
    fn labels_may_have_a_domain() {
        assert!(["a", "node-restriction.kubernetes.io/dra_canary", "A.b-C"].into_iter().all(is_label_key));
        assert!(!["", "/a", "a/", "a/b/c", "-a", "a b"].into_iter().any(is_label_key));
    }
}
