//! DG401: only binders allocate, release and reserve.

use super::super::super::fault::{Fault, Faults};
use super::super::super::row::{Check, Row};
use super::write::{ClaimWrite, Standing};
use crate::model::access::Question;
use crate::model::path::Path;
use crate::model::status_change::Change;
use crate::model::text::quoted;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG401",
        kinds: &["ResourceClaim"],
        phase: Phase::Validate,
        effect: Effect::Deny,
        fixed: false,
        title: "allocation or reservedFor is changed without the right to bind claims",
        detail: "Since v1.36 API servers let only those write status.allocation and status.reservedFor who may update \
                 resourceclaims/binding; where that gate is off, or the server is older, any right on resourceclaims/status is \
                 enough, and an allocation that no scheduler made takes a device from everybody. draguard asks the API server \
                 what v1.36 would ask: a SubjectAccessReview for the verb update, then patch, on resourceclaims/binding, for \
                 the whole cluster and without a name, so that a RoleBinding or resourceNames never help. Nobody is asked \
                 about the users under spec.binders of the rollout, system:masters, and the claim controller, which releases \
                 and reserves. The stock role system:kube-scheduler holds the right only where the gate is on: elsewhere a second \
                 scheduler is named there, or gets the right. An allocation waits while the API server does not answer; all else passes with a warning. \
                 Where there is no cluster to ask, only allocations are judged, by spec.binders. Source: kubernetes \
                 pkg/registry/resource/utils.go; kubernetes issue 138149.",
    },
    checks: &[Check::ClaimWriter(check)],
};

/// What the role must grant.
pub const ROLE: &str = "{apiGroups: [resource.k8s.io], resources: [resourceclaims/binding], verbs: [update, patch]}";

fn check(write: &ClaimWrite<'_>, faults: &mut Faults) {
    let Some(need) = write.needs.iter().find(|need| need.question == Question::Binding) else { return };
    let fault = match need.standing {
        Standing::Granted | Standing::Open => return,
        Standing::Missing => missing(write),
        Standing::Unknown if write.change.allocates() => unknown(write).effect(Effect::Hold),
        Standing::Unknown => unknown(write).warn(),
    };
    faults.push(fault);
}

fn missing(write: &ClaimWrite<'_>) -> Fault {
    let problem = format!("{} {} and has no right to bind claims", quoted(&write.caller.username), what(write));
    let binders = write.settings.binders.join(" or ");
    let fault = Fault::at(place(write), value(write), problem);
    if !write.is_asked {
        return fault
            .expected(format!("a user listed under spec.binders: {binders}"))
            .mend("list the scheduler's user under spec.binders of the rollout; it also needs the right update on resourceclaims/binding");
    }
    fault
        .expected(format!("the right update on resourceclaims/binding in the whole cluster, or a write by {binders}"))
        .mend(format!(
            "bind a ClusterRole with {ROLE} by a ClusterRoleBinding (a RoleBinding does not help), or list the user under spec.binders of the rollout"
        ))
}

fn unknown(write: &ClaimWrite<'_>) -> Fault {
    let problem = format!(
        "{} {}, and whether it may bind claims could not be learned",
        quoted(&write.caller.username),
        what(write)
    );
    Fault::at(place(write), value(write), problem)
        .expected("an answer to a SubjectAccessReview for update on resourceclaims/binding")
        .mend("try again; a scheduler under spec.binders of the rollout is not asked about; if it comes again, see that draguard's role may create subjectaccessreviews, and the metrics draguard_access_questions_total")
}

fn what(write: &ClaimWrite<'_>) -> &'static str {
    match (write.change.allocation, write.change.reservation) {
        (Some(Change::Added), true) => "allocates the claim and changes for whom it is reserved",
        (Some(Change::Added), false) => "allocates the claim",
        (Some(Change::Changed), _) => "changes what is allocated",
        (Some(Change::Removed), _) => "releases what is allocated",
        (None, _) => "changes for whom the claim is reserved",
    }
}

fn value(write: &ClaimWrite<'_>) -> String {
    let status = write.claim.status.as_ref();
    let users = status.map_or(0, |status| status.reserved_for.len());
    format!("{} devices, reserved for {users}", write.claim.results().len())
}

fn place(write: &ClaimWrite<'_>) -> Path {
    let field = if write.change.allocation.is_some() { "allocation" } else { "reservedFor" };
    Path::fields(&["status"]).field(field)
}
