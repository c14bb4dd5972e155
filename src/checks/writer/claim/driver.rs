//! DG402: a driver's device entries are written by those who may write for that driver, and only of allocated devices.

use super::super::super::fault::{Fault, Faults};
use super::super::super::row::{Check, Row};
use super::node::is_local;
use super::place::Place;
use super::write::{ClaimWrite, Need, Standing};
use crate::model::access::Question;
use crate::model::claim::Outcome;
use crate::model::path::Path;
use crate::model::status_change::{Change, EntryChange, EntryKey};
use crate::model::text::quoted;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG402",
        kinds: &["ResourceClaim"],
        phase: Phase::Validate,
        effect: Effect::Deny,
        fixed: false,
        title: "device entries are changed without the right to write for their driver, or for a device that is not allocated",
        detail: "Entries of status.devices are compared by driver, pool, device and share: their order, and entries that stay as \
                 they are, are no change, and what goes with a cleared allocation needs no driver's right. For every driver \
                 whose entries change, draguard asks the API server what v1.36 would ask: a SubjectAccessReview on \
                 resourceclaims/driver, with the driver as name, in the claim's namespace, for the verbs \
                 associated-node:update (and patch) where the writer's token is bound to a pod of the claim's node, then \
                 arbitrary-node:update. Nobody is asked about the serviceAccounts of a driver in the rollout: those of a \
                 ClusterWide driver may write everywhere, those of a NodeLocal one on their node. Without an answer the write \
                 passes with a warning. An entry of a device that is not allocated to the claim is refused whoever writes it. \
                 Source: kubernetes pkg/registry/resource/utils.go.",
    },
    checks: &[Check::ClaimWriter(check)],
};

fn check(write: &ClaimWrite<'_>, faults: &mut Faults) {
    for need in &write.needs {
        let Question::Driver { name, .. } = &need.question else { continue };
        match (need.standing, write.place) {
            (Standing::Missing, Place::Here(_) | Place::Anywhere) => faults.push(missing(write, need, name)),
            (Standing::Unknown, _) => faults.push(unknown(write, name)),
            _ => {}
        }
    }
    let results = write.claim.results();
    for entry in write.change.entries.iter().filter(|entry| entry.change != Change::Removed) {
        if !results.iter().any(|result| is_of(&entry.key, result)) {
            faults.push(foreign(entry));
        }
    }
}

/// True when the entry is of the result's device, and of its share.
pub fn is_of(key: &EntryKey<'_>, result: &Outcome<'_>) -> bool {
    let fields = [&result.driver, &result.pool, &result.device, &result.share];
    let of_key = [&key.driver, &key.pool, &key.device, &key.share];
    fields.into_iter().zip(of_key).all(|(field, of_key)| field.as_deref().unwrap_or_default() == &**of_key)
}

fn missing(write: &ClaimWrite<'_>, need: &Need, driver: &str) -> Fault {
    let problem = format!(
        "{} changes the entries of driver {} and has no right to write for it",
        quoted(&write.caller.username),
        quoted(driver)
    );
    let nowhere = if write.place == Place::Anywhere {
        " (the allocation names no single node, so that the right for the own node does not count)"
    } else {
        ""
    };
    let verbs = updates(&need.question);
    Fault::at(path(write, driver), driver, problem)
        .expected(format!("{verbs} on resourceclaims/driver named {}{nowhere}", quoted(driver)))
        .mend(mend(write, need, driver))
}

/// A driver that the rollout calls node-local needs the right where a claim is of no single node.
fn mend(write: &ClaimWrite<'_>, need: &Need, driver: &str) -> String {
    if is_local(write, driver) {
        return format!("let drivers write for claims of their own node only, or grant {}", role(&need.question));
    }
    format!("grant {}, or list the service account under the driver in the rollout", role(&need.question))
}

fn unknown(write: &ClaimWrite<'_>, driver: &str) -> Fault {
    let problem = format!(
        "{} changes the entries of driver {}, and whether it may could not be learned",
        quoted(&write.caller.username),
        quoted(driver)
    );
    Fault::at(path(write, driver), driver, problem)
        .expected("an answer to a SubjectAccessReview on resourceclaims/driver")
        .mend("nothing is refused; if it comes again, see that draguard's role may create subjectaccessreviews, and the metrics draguard_access_questions_total")
        .warn()
}

fn foreign(entry: &EntryChange<'_>) -> Fault {
    let EntryKey { driver, pool, device, share } = &entry.key;
    let mut name = format!("{}/{}/{}", &**driver, &**pool, &**device);
    if !share.is_empty() {
        name = format!("{name} share {}", &**share);
    }
    let problem = format!("the entry is of device {}, which is not allocated to the claim", quoted(&name));
    Fault::at(entry_path(entry), name, problem)
        .expected("a device, and its share, of status.allocation.devices.results")
        .mend("write entries of the claim's own devices only, with the shareID of the result")
}

/// The role's rule that grants what a question asks for.
pub fn role(question: &Question) -> String {
    let verbs = match question {
        Question::Driver { is_associated: true, .. } => "associated-node:update, associated-node:patch",
        _ => "arbitrary-node:update, arbitrary-node:patch",
    };
    format!(
        "{{apiGroups: [resource.k8s.io], resources: [resourceclaims/driver], resourceNames: [{}], verbs: [{verbs}]}}",
        question.name()
    )
}

fn updates(question: &Question) -> &'static str {
    match question {
        Question::Driver { is_associated: true, .. } => "associated-node:update or arbitrary-node:update",
        _ => "arbitrary-node:update",
    }
}

/// The first entry of a driver that changes.
pub fn path(write: &ClaimWrite<'_>, driver: &str) -> Path {
    let mut of_driver = write.change.entries.iter().filter(|entry| *entry.key.driver == *driver);
    of_driver.find(|entry| entry.index.is_some()).map_or_else(devices, entry_path)
}

/// Where an entry stands; the whole list when it goes.
pub fn entry_path(entry: &EntryChange<'_>) -> Path {
    entry.index.map_or_else(devices, |index| devices().named(index, &*entry.key.device))
}

fn devices() -> Path {
    Path::fields(&["status", "devices"])
}
