//! Kubeconfig files, which is how the programs of Kubernetes are told who they are.

use std::collections::BTreeMap;

use serde_json::json;

use crate::client::Identity;

/// A kubeconfig in JSON, which is YAML too.
pub(crate) fn kubeconfig(server: &str, authority: &str, identity: &Identity) -> String {
    let user = match identity {
        Identity::Certificate(pair) => json!({
            "client-certificate-data": base64(pair.certificate.as_bytes()),
            "client-key-data": base64(pair.key.as_bytes()),
        }),
        Identity::Token(token) => json!({ "token": token }),
        Identity::Impersonated { by, user, groups, extra } => json!({
            "client-certificate-data": base64(by.certificate.as_bytes()),
            "client-key-data": base64(by.key.as_bytes()),
            "as": user, "as-groups": groups, "as-user-extra": values_by_name(extra),
        }),
    };
    let cluster = json!({
        "server": server,
        "certificate-authority-data": base64(authority.as_bytes()),
    });
    json!({
        "apiVersion": "v1", "kind": "Config", "current-context": "testbed",
        "clusters": [{ "name": "testbed", "cluster": cluster }],
        "users": [{ "name": "testbed", "user": user }],
        "contexts": [{ "name": "testbed", "context": { "cluster": "testbed", "user": "testbed" } }],
    })
    .to_string()
}

fn values_by_name(extra: &[(String, String)]) -> BTreeMap<&str, Vec<&str>> {
    let mut all: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, value) in extra {
        all.entry(name).or_default().push(value);
    }
    all
}

/// Base64 with padding.
pub(crate) fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().fold(0u32, |word, byte| word << 8 | u32::from(*byte));
        let word = word << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let index = (word >> (18 - 6 * place)) & 63;
            text.push(if place <= chunk.len() { ALPHABET[index as usize] as char } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn base64_pads() {
        assert_eq!(base64(b""), "");
        assert_eq!(base64(b"f"), "Zg==");
        assert_eq!(base64(b"fo"), "Zm8=");
        assert_eq!(base64(b"foobar"), "Zm9vYmFy");
    }
}
