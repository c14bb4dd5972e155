//! From a request to a decision: the one way through checks and verdict.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::checks::slice::dropped;
use crate::checks::{self, Allocation, Context, Judged};
use crate::ledger::book::Book;
use crate::ledger::excerpt::Seen;
use crate::ledger::holds::{Hold, Reason, Subject};
use crate::ledger::inventory::Inventory;
use crate::ledger::state::Ledger;
use crate::ledger::view::{Ref, Scene};
use crate::model::access::{Answers, Question, Rights};
use crate::model::request::{Request, Resource};
use crate::offers::Offers;
use crate::settings::Settings;
use crate::verdict::decision::{Decision, Pool};
use crate::verdict::finding::Finding;
use crate::verdict::rule::{Effect, Phase};

/// What a server decides with. Cheap to clone; replaced as a whole when the settings change.
#[derive(Debug, Clone, Default)]
pub struct Guard {
    /// What the operator decided.
    pub settings: Arc<Settings>,
    /// The other objects, where they lie in files.
    pub inventory: Option<Arc<Inventory>>,
    /// The ledger, where there is one.
    pub book: Option<Arc<Book>>,
    /// The slices between the two phases.
    pub offers: Arc<Offers>,
    /// Since when the operator's halt stands, in milliseconds since 1970.
    pub halted_since: i64,
}

/// What a refusal that rests on the ledger is worth.
#[derive(Debug, Clone, Copy)]
pub enum Proof<'p> {
    /// Everything: there is no cluster to ask.
    Ledger,
    /// Nothing yet: the stored objects it rests on are to be read first.
    Wanted,
    /// They were read just now.
    Live(&'p [Seen]),
    /// They could not be read: what rests on the ledger alone is held, not denied.
    Unread,
}

/// All that is known beside the request, the ledger and the settings.
#[derive(Debug, Clone, Copy)]
pub struct Evidence<'p> {
    /// What a refusal that rests on the ledger is worth.
    pub proof: Proof<'p>,
    /// What the writer may do.
    pub rights: Rights<'p>,
}

/// Where nothing is said of rights: they are open as long as the ledger's proof is, and then unknown.
impl<'p> From<Proof<'p>> for Evidence<'p> {
    fn from(proof: Proof<'p>) -> Self {
        static NONE: Answers = Answers::new();
        let rights = match proof {
            Proof::Ledger => Rights::Settings,
            Proof::Wanted => Rights::Open,
            Proof::Live(_) | Proof::Unread => Rights::Asked(&NONE),
        };
        Self { proof, rights }
    }
}

/// What validating came to.
#[derive(Debug)]
pub enum Validated {
    /// A decision.
    Decided(Decision),
    /// Something is to be learned first.
    Doubtful(Doubts),
}

/// What has to be learned before a request can be decided.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Doubts {
    /// The objects that a refusal rests on: they are to be read.
    pub refs: BTreeSet<Ref>,
    /// What is to be asked of the writer's rights.
    pub questions: BTreeSet<Question>,
}

impl Doubts {
    fn is_none(&self) -> bool {
        self.refs.is_empty() && self.questions.is_empty()
    }
}

impl Validated {
    /// The decision, once there is one.
    #[must_use]
    pub fn decision(self) -> Option<Decision> {
        match self {
            Self::Decided(decision) => Some(decision),
            Self::Doubtful(_) => None,
        }
    }
}

impl Guard {
    /// The decision of the validating phase. What is allowed is reserved until the watch shows it. `now` is in
    /// milliseconds since 1970.
    #[must_use]
    pub fn validate<'p>(&self, request: &Request<'_>, evidence: impl Into<Evidence<'p>>, now: i64) -> Validated {
        let Evidence { proof, rights } = evidence.into();
        let Some(book) = &self.book else {
            return self.without_ledger(checks::judge(request, &self.context(None, rights)), now);
        };
        let ledger = book.read();
        let scene = Scene { ledger: &ledger, freshness: book.freshness(), now };
        let judged = checks::judge(request, &self.context(Some(scene), rights));
        let (judged, live) = match proof {
            Proof::Ledger => (judged, None),
            // Where only rights were asked, the ledger may have gone on in the meantime.
            Proof::Unread | Proof::Live([]) => (unproved(request, judged, &[]), None),
            Proof::Wanted => match self.doubts(request, &judged) {
                doubts if doubts.is_none() => (judged, None),
                doubts => return Validated::Doubtful(doubts),
            },
            Proof::Live(seen) => {
                let live = refreshed(&judged, &ledger, seen);
                let judged = checks::judge(request, &self.context(Some(Scene { ledger: &live, ..scene }), rights));
                (unproved(request, judged, seen), Some(live))
            }
        };
        Validated::Decided(self.reserve(request, judged, live, scene, (book, rights)))
    }

    fn without_ledger(&self, judged: Judged, now: i64) -> Validated {
        if judged.questions.is_empty() {
            return Validated::Decided(self.decide(judged, now));
        }
        Validated::Doubtful(Doubts { questions: judged.questions, refs: BTreeSet::new() })
    }

    /// Decides beside the allocations on their way, and adds this one to them. One at a time: two that exclude each
    /// other must not both find the place empty.
    fn reserve(
        &self,
        request: &Request<'_>,
        judged: Judged,
        live: Option<Ledger>,
        scene: Scene<'_>,
        (book, rights): (&Book, Rights<'_>),
    ) -> Decision {
        let Some(allocation) = judged.allocation.clone().filter(|one| one.is_new) else {
            return self.decide(judged, scene.now);
        };
        let mut reservations = book.reservations();
        let reserved = reservations.beside(&allocation.scope, scene.ledger, scene.now);
        let judged = if reserved.is_empty() {
            judged
        } else {
            let mut part = live.unwrap_or_else(|| scene.ledger.excerpt(&allocation.scope));
            for claim in reserved {
                part.presume(claim.clone());
            }
            let again = checks::judge(request, &self.context(Some(Scene { ledger: &part, ..scene }), rights));
            beside_reserved(judged, again)
        };
        let decision = self.decide(judged, scene.now);
        if decision.allowed() && !request.dry_run {
            let Allocation { claim, replaced, .. } = allocation;
            reservations.take(claim, replaced, scene.ledger, scene.now);
        }
        decision
    }

    /// What must be asked, and the stored objects that must be read before the request can be refused. A binding follows the writes that it
    /// depends on at once: of it nothing at all is said without.
    fn doubts(&self, request: &Request<'_>, judged: &Judged) -> Doubts {
        let findings: Vec<Finding> =
            judged.findings.iter().filter(|finding| !finding.rests_on.is_empty()).cloned().collect();
        let decision = Decision::of(findings, judged.pool, &self.settings);
        let is_binding = request.resource == Resource::Binding;
        let refusing = decision.rulings.into_iter().filter(|ruling| is_binding || ruling.refuses());
        let refs = refusing.flat_map(|ruling| ruling.finding.rests_on).collect();
        Doubts { refs, questions: judged.questions.clone() }
    }

    /// The decision of the mutating phase: patches, never a refusal. `now` is in milliseconds since 1970.
    #[must_use]
    pub fn mutate(&self, request: &Request<'_>, now: i64) -> Decision {
        // Only a canary asks for the ledger in this phase.
        let book = self.book.as_ref().filter(|_| self.settings.canary.is_some());
        let ledger = book.map(|book| (book.read(), book.freshness()));
        let scene = ledger.as_ref().map(|(ledger, freshness)| Scene { ledger, freshness: *freshness, now });
        let Judged { mut findings, publication, .. } = checks::judge(request, &self.context(scene, Rights::Open));
        findings.retain(|finding| finding.rule.phase == Phase::Mutate);
        let decision = Decision::of(findings, Pool::Whole, &self.settings).patched();
        if let Some(publication) = publication.filter(|_| decision.patch.is_empty()) {
            self.offers.offered(&publication, now);
        }
        decision
    }

    fn decide(&self, mut judged: Judged, now: i64) -> Decision {
        if let Some(publication) = judged.publication.filter(|one| self.offers.arrived(one, now)) {
            judged.findings.push(dropped::finding(&publication));
        }
        Decision::of(judged.findings, judged.pool, &self.settings)
    }

    /// Every hold: those of the ledger, and the operator's own.
    #[must_use]
    pub fn holds(&self) -> Vec<Hold> {
        let halted = self.settings.halt.as_ref().map(|seen| Hold {
            subject: Subject::Cluster,
            reason: Reason::Halted,
            since: self.halted_since,
            seen: seen.clone(),
            ends: Reason::Halted.ends(),
        });
        halted.into_iter().chain(self.book.iter().flat_map(|book| book.holds())).collect()
    }

    /// The same with these settings, read at `now`, in milliseconds since 1970.
    #[must_use]
    pub fn with(&self, settings: Arc<Settings>, now: i64) -> Self {
        let was_halted = self.settings.halt.is_some();
        let halted_since = if was_halted { self.halted_since } else { now };
        Self { settings, halted_since, ..self.clone() }
    }

    /// What the checks may ask beside the request.
    #[must_use]
    pub fn context<'g>(&'g self, scene: Option<Scene<'g>>, rights: Rights<'g>) -> Context<'g> {
        Context { settings: &self.settings, target: None, inventory: self.inventory.as_deref(), scene, rights }
    }
}

/// What rests on more than was read refuses nobody: an allocation waits, a binding passes in silence, all else with a
/// warning.
fn unproved(request: &Request<'_>, mut judged: Judged, seen: &[Seen]) -> Judged {
    let read: BTreeSet<&Ref> = seen.iter().map(|seen| &seen.asked).collect();
    let is_proved = |finding: &Finding| finding.rests_on.iter().all(|one| read.contains(one));
    if request.resource == Resource::Binding {
        judged.findings.retain(is_proved);
    }
    for finding in judged.findings.iter_mut().filter(|finding| !is_proved(finding)) {
        // What a driver says of its device never waits.
        let waits = request.resource == Resource::ClaimStatus && finding.rule.id != "DG403";
        finding.effect = finding.effect.min(if waits { Effect::Hold } else { Effect::Warn });
    }
    judged
}

/// The part of the ledger that bears on the request, with what was just read in it.
fn refreshed(judged: &Judged, ledger: &Ledger, seen: &[Seen]) -> Ledger {
    let scope = judged.allocation.as_ref().map_or(&judged.scope, |allocation| &allocation.scope);
    let mut part = ledger.excerpt(scope);
    part.refresh(seen.to_vec());
    part
}

/// What is found only because of allocations on their way is held: they may never arrive.
fn beside_reserved(mut judged: Judged, again: Judged) -> Judged {
    let known: BTreeSet<_> = judged.findings.iter().map(|finding| finding.rule.id).collect();
    let fresh = again.findings.into_iter().filter(|finding| !known.contains(finding.rule.id));
    judged.findings.extend(fresh.map(|finding| Finding { effect: finding.effect.min(Effect::Hold), ..finding }));
    judged
}
