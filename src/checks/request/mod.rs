//! One admission request: which rules look at it, and what of it this write adds.

mod claim;
mod pod;
mod slice;

use std::collections::BTreeSet;

use super::findings::Findings;
use super::{Context, document, rollout};
use crate::ledger::excerpt::Scope;
use crate::ledger::object;
use crate::model::access::Question;
use crate::model::read::{Unreadable, read};
use crate::model::request::{Operation, Request, Resource};
use crate::offers::Publication;
use crate::verdict::decision::Pool;
use crate::verdict::finding::Finding;
use crate::verdict::rule::Effect;

pub(super) use claim::template_spec;

/// What the rules say of a request, and the pool it concerns.
#[derive(Debug)]
pub struct Judged {
    /// What was found.
    pub findings: Vec<Finding>,
    /// Whether refusing one slice would tear a pool apart.
    pub pool: Pool,
    /// What a slice publishes; nothing on a dry run.
    pub publication: Option<Publication>,
    /// What a claim would hold, where the ledger was asked.
    pub allocation: Option<Allocation>,
    /// All that bears on any other object.
    pub scope: Scope,
    /// What has to be asked of the writer's rights first.
    pub questions: BTreeSet<Question>,
}

/// A claim as a write would leave it.
#[derive(Debug, Clone)]
pub struct Allocation {
    /// The claim.
    pub claim: object::Claim,
    /// The version that the write replaces.
    pub replaced: u64,
    /// All that bears on it.
    pub scope: Scope,
    /// True when the write allocates.
    pub is_new: bool,
}

/// The same under way.
struct Judging {
    findings: Findings,
    pool: Pool,
    publication: Option<Publication>,
    allocation: Option<Allocation>,
    scope: Scope,
    questions: BTreeSet<Question>,
}

impl From<Judging> for Judged {
    fn from(judging: Judging) -> Self {
        let Judging { findings, pool, publication, allocation, scope, questions } = judging;
        Self { findings: findings.into_vec(), pool, publication, allocation, scope, questions }
    }
}

/// Judges one admission request by the rules of both phases. Deletes, releases and kinds that no rule reads pass without a look at the object.
#[must_use]
pub fn judge(request: &Request<'_>, context: &Context<'_>) -> Judged {
    let mut judging = Judging {
        findings: Findings::default(),
        pool: Pool::Whole,
        publication: None,
        allocation: None,
        scope: Scope::default(),
        questions: BTreeSet::new(),
    };
    if matches!(request.operation, Operation::Delete | Operation::Connect) || request.resource == Resource::Other {
        return judging.into();
    }
    let Some(object) = request.object else {
        judging.findings.push(document::absent());
        return judging.into();
    };
    let outcome = match request.resource {
        Resource::Slice => slice::judge(object, request, context, &mut judging),
        Resource::Claim => claim::spec(object, request, &mut judging.findings),
        Resource::ClaimStatus => claim::status(object, request, context, &mut judging),
        Resource::Template => claim::template(object, request, &mut judging.findings),
        Resource::Pod => pod::spec(object, request, context, &mut judging),
        Resource::PodStatus => pod::status(object, request, context, &mut judging.findings),
        Resource::Binding => pod::binding(object, request, context, &mut judging),
        Resource::Rollout => {
            judging.findings.extend(rollout::document::judge(object));
            Ok(())
        }
        Resource::Other => Ok(()),
    };
    if let Err(error) = outcome {
        judging.findings.push(document::unreadable(error));
    }
    judging.into()
}

type Outcome = Result<(), Unreadable>;

/// On an update only what the write adds is refused: what was there before, in the same words of the same thing, is a
/// warning. The old object is read only where that can change the verdict.
fn only_added<'r, T, F>(findings: &mut Findings, request: &Request<'r>, judge: F)
where
    T: serde::Deserialize<'r>,
    F: Fn(&T, &mut Findings),
{
    if findings.iter().all(|finding| finding.effect == Effect::Warn) {
        return;
    }
    let Some(old) = request.old_object.and_then(|old| read::<T>(old).ok()) else { return };
    let mut before = Findings::before();
    judge(&old, &mut before);
    let before: BTreeSet<_> = before.iter().map(Finding::identity).collect();
    // A patch refuses nobody, so that what was there before is mended as well.
    for finding in findings.iter_mut().filter(|finding| finding.effect != Effect::Mutate) {
        if before.contains(&finding.identity()) {
            finding.effect = Effect::Warn;
        }
    }
}
