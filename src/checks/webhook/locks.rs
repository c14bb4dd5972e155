//! DG703: a webhook that can lock a cluster.

use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use super::reach::{About, Reach};
use crate::model::path::Path;
use crate::model::text::quoted;
use crate::model::webhook::Webhook;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG703",
        kinds: &["ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"],
        phase: Phase::Review,
        effect: Effect::Deny,
        fixed: false,
        title: "a webhook on DRA or pod status can lock the cluster",
        detail: "Schedulers, kubelets and drivers wait for every webhook on what they write. One that matches by wildcard is asked \
                 about far more than it is there for; one with a timeout over 3 s (10 when absent) lets each of those writes \
                 wait so long, and with failurePolicy Ignore too; one that fails closed and matches DELETE keeps a cluster from \
                 cleaning up; one that fails closed on pods/status, pods/binding or resourceclaims/status of its own namespace \
                 keeps its own pods from coming back. Where only resourceclaims, resourceclaimtemplates and other objects that \
                 users make are matched, a long timeout and the own namespace are a warning: webhooks that check a driver's \
                 parameters do that. Webhooks on anything else are not judged, nor is one that is about everything, ignores \
                 failures and waits 3 s at most.",
    },
    checks: &[Check::Webhook(check)],
};

/// The longest wait, in seconds.
const LONGEST: i64 = 3;

fn check(webhook: &Webhook<'_>, at: &Path, faults: &mut Faults) {
    let reach = Reach::of(webhook);
    let can_wait = webhook.fails_closed() || webhook.seconds() > LONGEST;
    let is_judged = reach.about == About::Dra || (reach.about == About::Everything && can_wait);
    if !is_judged {
        return;
    }
    let all =
        [wildcard(&reach, at), timeout(webhook, &reach, at), deletes(webhook, &reach, at), own(webhook, &reach, at)];
    for fault in all.into_iter().flatten() {
        faults.push(fault);
    }
}

fn wildcard(reach: &Reach<'_>, at: &Path) -> Option<Fault> {
    let (rule, list, index, value) = reach.wildcard?;
    let path = at.clone().field("rules").item(rule).field(list).item(index);
    let problem = format!(
        "{} makes schedulers, kubelets or drivers wait for this webhook on every write it takes in",
        quoted(value)
    );
    Some(
        Fault::at(path, value, problem)
            .expected("groups and resources by name")
            .mend("list the resources that the webhook judges"),
    )
}

fn timeout(webhook: &Webhook<'_>, reach: &Reach<'_>, at: &Path) -> Option<Fault> {
    let seconds = Some(webhook.seconds()).filter(|seconds| *seconds > LONGEST)?;
    let (value, said) = match webhook.timeout {
        Some(_) => (seconds.to_string(), ""),
        None => (String::new(), " (the default)"),
    };
    let problem = format!("a writer waits up to {seconds} s{said} for this webhook on each request");
    let fault = Fault::at(at.clone().field("timeoutSeconds"), value, problem)
        .expected("3 s at most")
        .mend("write timeoutSeconds: 3");
    Some(if reach.is_of_writers { fault } else { fault.warn() })
}

fn deletes(webhook: &Webhook<'_>, reach: &Reach<'_>, at: &Path) -> Option<Fault> {
    let (rule, index, value) =
        reach.delete.filter(|_| webhook.fails_closed() && !webhook.has_condition_on("DELETE"))?;
    let path = at.clone().field("rules").item(rule).field("operations").item(index);
    let problem = format!(
        "while the webhook does not answer, {} keeps objects from being deleted: nodes, namespaces and drivers do not go away",
        quoted(value)
    );
    Some(
        Fault::at(path, value, problem)
            .expected("no DELETE, or failurePolicy: Ignore")
            .mend("leave out DELETE: write operations: [CREATE, UPDATE]"),
    )
}

fn own(webhook: &Webhook<'_>, reach: &Reach<'_>, at: &Path) -> Option<Fault> {
    let own = webhook.namespace().filter(|_| webhook.fails_closed() && reach.is_namespaced)?;
    let chosen = webhook.namespaces.as_ref().is_some_and(|selector| !selector.holds_namespace(own));
    let by_object = webhook.objects.as_ref().is_some_and(|selector| !selector.is_empty());
    if chosen || by_object || webhook.has_condition_on("namespace") {
        return None;
    }
    let problem = format!(
        "it fails closed and is asked about its own namespace {} too: what its pods need to come back waits for them",
        quoted(own)
    );
    let selector = format!(
        "{{matchExpressions: [{{key: kubernetes.io/metadata.name, operator: NotIn, values: [kube-system, {own}]}}]}}"
    );
    let fault =
        Fault::at(at.clone().field("namespaceSelector"), "", problem).expected("a namespaceSelector without it");
    let fault = fault.mend(format!("write namespaceSelector: {selector}"));
    Some(if reach.is_of_writers { fault } else { fault.warn() })
}
