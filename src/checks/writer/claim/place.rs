//! Where a writer is, as seen from the node of an allocation.

use crate::model::claim::Claim;
use crate::model::name::is_subdomain;
use crate::model::request::Caller;

/// Where the writer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place<'a> {
    /// A service account whose token is bound to a pod of this node, which is the allocation's.
    Here(&'a str),
    /// The allocation is for the first node, the token for the other.
    Elsewhere(&'a str, &'a str),
    /// The allocation is for this node, and the service account's token names none.
    NoNode(&'a str),
    /// The allocation is for this node, and the writer is no service account.
    NoAccount(&'a str),
    /// The allocation names no single node.
    Anywhere,
}

impl<'a> Place<'a> {
    /// The place of this writer (`kubernetes@1.36.3 pkg/registry/resource/utils.go`, `saAssociatedWithAllocatedNode`).
    #[must_use]
    pub fn of(caller: &'a Caller, claim: &'a Claim<'_>) -> Self {
        let allocation = claim.status.as_ref().and_then(|status| status.allocation.as_ref());
        let node = allocation.and_then(|allocation| allocation.nodes.as_ref()?.node());
        let Some(node) = node.filter(|node| !node.is_empty()) else { return Self::Anywhere };
        if !caller.is_named_account() {
            return Self::NoAccount(node);
        }
        match caller.node().filter(|own| is_subdomain(own, 253)) {
            Some(own) if own == node => Self::Here(node),
            Some(own) => Self::Elsewhere(node, own),
            None => Self::NoNode(node),
        }
    }

    /// True when the writer may use the right for its own node.
    #[must_use]
    pub const fn is_associated(self) -> bool {
        matches!(self, Self::Here(_))
    }
}
