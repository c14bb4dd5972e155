//! How Kubernetes wants names to look.

/// True for a DNS label: a namespace, or one part of a longer name.
#[must_use]
pub fn is_label(text: &str) -> bool {
    const LONGEST: usize = 63;
    let inside = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !text.is_empty()
        && text.len() <= LONGEST
        && text.bytes().all(inside)
        && !text.starts_with('-')
        && !text.ends_with('-')
}

/// True for a DNS subdomain: the name of most objects.
#[must_use]
pub fn is_subdomain(text: &str) -> bool {
    const LONGEST: usize = 253;
    text.len() <= LONGEST && text.split('.').all(is_label)
}

/// True for the name of a DRA driver.
#[must_use]
pub fn is_driver(text: &str) -> bool {
    const LONGEST: usize = 63;
    text.len() <= LONGEST && is_subdomain(text)
}

/// True for a label's key: `name` or `domain/name`.
#[must_use]
pub fn is_label_key(text: &str) -> bool {
    match text.split_once('/') {
        Some((domain, name)) => is_subdomain(domain) && is_label_name(name),
        None => is_label_name(text),
    }
}

/// True for a label's value.
#[must_use]
pub fn is_label_value(text: &str) -> bool {
    text.is_empty() || is_label_name(text)
}

/// True for a resource that a mapping may consume: `cpu`, `memory`, `ephemeral-storage`, `hugepages-2Mi`.
#[must_use]
pub fn is_node_resource(text: &str) -> bool {
    match text.strip_prefix("hugepages-") {
        Some(size) => is_page_size(size),
        None => matches!(text, "cpu" | "memory" | "ephemeral-storage"),
    }
}

/// The user name under which a service account written as `namespace/name` is authenticated.
#[must_use]
pub fn service_account_user(text: &str) -> Option<String> {
    let (namespace, name) = text.split_once('/')?;
    (is_label(namespace) && is_subdomain(name)).then(|| format!("system:serviceaccount:{namespace}:{name}"))
}

fn is_label_name(text: &str) -> bool {
    const LONGEST: usize = 63;
    let edge = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric());
    text.len() <= LONGEST
        && edge(text.bytes().next())
        && edge(text.bytes().next_back())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}

fn is_page_size(text: &str) -> bool {
    const LONGEST: usize = 9;
    ["Ki", "Mi", "Gi"].iter().filter_map(|unit| text.strip_suffix(unit)).any(|digits| {
        (1..=LONGEST).contains(&digits.len())
            && digits.bytes().all(|byte| byte.is_ascii_digit())
            && !digits.starts_with('0')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resources_are_those_that_a_node_can_allocate() {
        assert!(
            ["cpu", "memory", "ephemeral-storage", "hugepages-2Mi", "hugepages-64Ki"].into_iter().all(is_node_resource)
        );
        assert!(!["", "pods", "hugepages-", "hugepages-bad", "hugepages-0Mi", "CPU"].into_iter().any(is_node_resource));
    }

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
