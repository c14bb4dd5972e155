//! Who writes.

use super::name::{is_label, is_subdomain};
use super::request::Caller;

/// Where a bound token keeps the name of its pod's node.
pub const NODE_NAME: &str = "authentication.kubernetes.io/node-name";

const SERVICE_ACCOUNT: &str = "system:serviceaccount:";
const NODE: &str = "system:node:";

impl Caller {
    /// True for the cluster's own administrators.
    #[must_use]
    pub fn is_master(&self) -> bool {
        self.is_in("system:masters")
    }

    /// The node whose kubelet this is.
    #[must_use]
    pub fn kubelet(&self) -> Option<&str> {
        self.username.strip_prefix(NODE).filter(|_| self.is_in("system:nodes"))
    }

    /// True for service accounts.
    #[must_use]
    pub fn is_service_account(&self) -> bool {
        self.username.starts_with(SERVICE_ACCOUNT)
    }

    /// True for service accounts whose name is one; only they can be on a node
    /// (`apiserver@0.36.3 pkg/authentication/serviceaccount`, `SplitUsername`).
    #[must_use]
    pub fn is_named_account(&self) -> bool {
        let account = self.username.strip_prefix(SERVICE_ACCOUNT).and_then(|account| account.split_once(':'));
        account.is_some_and(|(namespace, name)| is_label(namespace) && is_subdomain(name, 253))
    }

    /// True for the controller that makes, reserves and releases claims, under its own account or the one it shares.
    #[must_use]
    pub fn is_claim_controller(&self) -> bool {
        ["system:serviceaccount:kube-system:resource-claim-controller", "system:kube-controller-manager"]
            .contains(&self.username.as_str())
    }

    /// The node of the pod that the token is bound to; `None` without exactly one
    /// (`kubernetes@1.36.3 pkg/registry/resource/utils.go:119`).
    #[must_use]
    pub fn node(&self) -> Option<&str> {
        match self.extra.get(NODE_NAME).map(Vec::as_slice) {
            Some([node]) if !node.is_empty() => Some(node),
            _ => None,
        }
    }

    /// Bytes of text in it.
    #[must_use]
    pub fn size(&self) -> usize {
        let extra = self.extra.iter().flat_map(|(key, values)| std::iter::once(key).chain(values));
        let texts = [&self.username, &self.uid].into_iter().chain(&self.groups).chain(extra);
        texts.map(String::len).sum()
    }

    fn is_in(&self, group: &str) -> bool {
        self.groups.iter().any(|one| one == group)
    }
}
