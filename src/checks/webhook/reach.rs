//! What a webhook takes in of what DRA lives on.

use super::super::role::resources::is_namespaced;
use crate::model::webhook::{Matched, Webhook};

/// What users write, and nobody waits for: the rest is written by schedulers, kubelets and drivers.
const OF_USERS: [&str; 4] = ["resourceclaims", "resourceclaimtemplates", "deviceclasses", "devicetaintrules"];
/// What schedulers, kubelets and drivers write.
const OF_WRITERS: [&str; 2] = ["resourceclaims/status", "resourceslices"];
/// What they write outside of DRA.
const OF_PODS: [&str; 3] = ["pods/status", "pods/binding", "bindings"];
const WRITES: [&str; 3] = ["CREATE", "UPDATE", "DELETE"];

/// What a webhook is about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum About {
    /// Nothing that is judged.
    #[default]
    OtherThings,
    /// Everything there is.
    Everything,
    /// DRA, `pods/status` or bindings by their names.
    Dra,
}

/// What a webhook takes in.
#[derive(Debug, Clone, Default)]
pub(super) struct Reach<'w> {
    /// What it is about, by the rule that comes closest to DRA.
    pub(super) about: About,
    /// Schedulers, kubelets or drivers wait for it.
    pub(super) is_of_writers: bool,
    /// Objects in namespaces are among it.
    pub(super) is_namespaced: bool,
    /// The first wildcard: rule, list, index in it, entry.
    pub(super) wildcard: Option<(usize, &'static str, usize, &'w str)>,
    /// The first operation that is a delete: rule, index, entry.
    pub(super) delete: Option<(usize, usize, &'w str)>,
}

impl<'w> Reach<'w> {
    /// What this webhook takes in.
    pub(super) fn of(webhook: &'w Webhook<'w>) -> Self {
        let mut reach = Self::default();
        for (index, rule) in webhook.rules.iter().enumerate().filter(|(_, rule)| rule.has_operation(&WRITES)) {
            reach.add(index, rule);
        }
        reach
    }

    fn add(&mut self, index: usize, rule: &'w Matched<'w>) {
        let taken = taken_in(rule);
        if taken.is_empty() {
            return;
        }
        let is_everything =
            rule.is_of_any_group() && rule.resources.iter().any(|entry| matches!(&**entry, "*" | "*/*"));
        self.about = self.about.max(if is_everything { About::Everything } else { About::Dra });
        self.is_of_writers |= taken.iter().any(|resource| !OF_USERS.contains(resource));
        let in_namespaces = rule.scope.as_deref() != Some("Cluster");
        self.is_namespaced |= in_namespaces && taken.iter().any(|resource| is_namespaced(resource) != Some(false));
        self.wildcard = self.wildcard.or_else(|| wildcard(index, rule));
        self.delete = self.delete.or_else(|| {
            let at = rule.operations.iter().position(|operation| matches!(&**operation, "DELETE" | "*"))?;
            Some((index, at, &**rule.operations.get(at)?))
        });
    }
}

/// The resources that are judged and that a rule takes in.
fn taken_in(rule: &Matched<'_>) -> Vec<&'static str> {
    let dra = OF_USERS.iter().chain(&OF_WRITERS).filter(|_| rule.is_dra());
    let is_core = rule.names_group("") || rule.is_of_any_group();
    // `*` in the core group takes in the legacy `bindings`, which nobody means by it.
    let pods = OF_PODS.iter().filter(|pods| is_core && (pods.contains('/') || names(rule, pods)));
    dra.chain(pods).copied().filter(|resource| rule.takes_in(resource)).collect()
}

fn names(rule: &Matched<'_>, resource: &str) -> bool {
    rule.resources.iter().any(|entry| **entry == *resource)
}

fn wildcard<'w>(index: usize, rule: &'w Matched<'w>) -> Option<(usize, &'static str, usize, &'w str)> {
    let lists = [("resources", &rule.resources), ("apiGroups", &rule.groups)];
    lists.into_iter().find_map(|(list, entries)| {
        let at = entries.iter().position(|entry| entry.contains('*'))?;
        Some((index, list, at, &**entries.get(at)?))
    })
}
