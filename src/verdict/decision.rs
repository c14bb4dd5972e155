//! What the findings of one request come to, once mode and overrides are applied.

use json_patch::PatchOperation;

use super::finding::{Finding, Severity};
use super::rule::Effect;
use crate::settings::{Action, Mode, Settings};

/// The HTTP-like code and reason of a denial: drivers try again after 403, some exit on 422 (upstream.md, section 6).
const FORBIDDEN: (u16, &str) = (403, "Forbidden");

/// The code and reason of a hold: clients come back by themselves, and users see why (upstream.md, 11.23).
const HELD: (u16, &str) = (429, "TooManyRequests");

/// One finding and what became of it.
#[derive(Debug, Clone)]
pub struct Ruling {
    /// What the rule said.
    pub finding: Finding,
    /// How it counts.
    pub severity: Severity,
    /// What it asks for once overrides are applied.
    pub asked: Effect,
    /// True when only audit mode keeps it from being a denial or a patch.
    pub would: bool,
}

/// The answer to one request, not yet written down.
#[derive(Debug, Clone, Default)]
pub struct Decision {
    /// Every finding that was not switched off, denials first.
    pub rulings: Vec<Ruling>,
    /// The patch, in the mutating phase; never together with a denial.
    pub patch: Vec<PatchOperation>,
    /// Code and reason when the request is refused.
    pub refusal: Option<(u16, &'static str)>,
}

/// The size of the pool a finding concerns, as far as it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pool {
    /// One slice, or no pool at all: a fault is refused.
    Whole,
    /// Several slices: refusing one of them makes the publishing library delete the others.
    Parted,
}

impl Ruling {
    /// True when it alone refuses the request.
    #[must_use]
    pub fn refuses(&self) -> bool {
        self.severity == Severity::Deny
    }
}

impl Decision {
    /// The decision that findings come to under these settings.
    #[must_use]
    pub fn of(findings: Vec<Finding>, pool: Pool, settings: &Settings) -> Self {
        let mut rulings: Vec<Ruling> =
            findings.into_iter().filter_map(|finding| rule_on(finding, pool, settings)).collect();
        rulings.sort_by_key(|ruling| std::cmp::Reverse(ruling.severity));
        let mut refusing = rulings.iter().filter(|ruling| ruling.severity == Severity::Deny).peekable();
        let refusal = refusing.peek().is_some().then_some(());
        let is_held = refusing.all(|ruling| ruling.asked == Effect::Hold);
        let refusal = refusal.map(|()| if is_held { HELD } else { FORBIDDEN });
        Self { rulings, patch: Vec::new(), refusal }
    }

    /// The same decision with the patches of the findings that mutate, for the mutating phase, which refuses nothing.
    #[must_use]
    pub fn patched(mut self) -> Self {
        let mutates = |ruling: &&mut Ruling| ruling.asked == Effect::Mutate && !ruling.would;
        self.patch =
            self.rulings.iter_mut().filter(mutates).flat_map(|one| std::mem::take(&mut one.finding.patch)).collect();
        self.refusal = None;
        self
    }

    /// True when the request goes through.
    #[must_use]
    pub const fn allowed(&self) -> bool {
        self.refusal.is_none()
    }
}

/// How one finding counts; `None` when its rule is switched off.
fn rule_on(finding: Finding, pool: Pool, settings: &Settings) -> Option<Ruling> {
    let action = if finding.rule.fixed { None } else { settings.action(finding.rule.id) };
    let asked = asked(&finding, action)?;
    let wanted = strength(asked, pool);
    let severity = if settings.mode == Mode::Audit { Severity::Warn } else { wanted };
    let would = settings.mode == Mode::Audit && (wanted == Severity::Deny || asked == Effect::Mutate);
    Some(Ruling { finding, severity, asked, would })
}

/// What the finding asks for after the override: an override makes a rule weaker or stronger, but a finding that is
/// itself only a warning stays one, and what waits for an answer goes on waiting.
fn asked(finding: &Finding, action: Option<Action>) -> Option<Effect> {
    match action {
        None => Some(finding.effect),
        Some(Action::Off) => None,
        Some(Action::Warn) => Some(Effect::Warn),
        Some(_) if finding.effect == Effect::Warn && finding.rule.effect != Effect::Warn => Some(Effect::Warn),
        Some(_) if finding.effect == Effect::Hold => Some(Effect::Hold),
        Some(Action::Deny) => Some(Effect::Deny),
        Some(Action::Quarantine) => Some(Effect::Quarantine),
    }
}

const fn strength(effect: Effect, pool: Pool) -> Severity {
    match (effect, pool) {
        (Effect::Deny | Effect::Hold, _) | (Effect::Quarantine, Pool::Whole) => Severity::Deny,
        _ => Severity::Warn,
    }
}
