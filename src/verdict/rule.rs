//! What one row of the rule table says of itself.

/// Where in the life of a write a rule speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// `/mutate`: the finding is a patch.
    Mutate,
    /// `/validate` and `draguard review`.
    Validate,
    /// Only `draguard review`: the API server settles it before any webhook is called.
    Review,
    /// `/validate` and `draguard review`, where there are other objects: of a cluster, in a folder, among the files.
    Together,
}

impl Phase {
    /// The word that `draguard explain` and the documentation print.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Mutate => "mutate",
            Self::Validate => "validate",
            Self::Review => "review",
            Self::Together => "together",
        }
    }
}

/// What a finding asks for, before the mode is applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// Allowed, with an admission warning.
    Warn,
    /// The object is patched; in review it counts as a warning.
    Mutate,
    /// `deny*` of RULES.md: refused in a pool of one slice; in a larger pool admitted with a warning,
    /// and the pool is to be quarantined. In review it is a denial.
    Quarantine,
    /// No new mapped allocation for now: refused with code 429, to be tried again. In review it counts as a warning.
    Hold,
    /// Refused.
    Deny,
}

impl Effect {
    /// The word used in settings, `draguard explain` and the documentation.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Warn => "warn",
            Self::Mutate => "mutate",
            Self::Quarantine => "deny*",
            Self::Hold => "hold",
            Self::Deny => "deny",
        }
    }
}

/// A rule's identity and documentation: everything about it but its code.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// Stable id, such as `DG104`; also the metric label.
    pub id: &'static str,
    /// The kinds it reads, as written in a manifest.
    pub kinds: &'static [&'static str],
    /// When it speaks.
    pub phase: Phase,
    /// What it asks for unless the settings or the finding itself say otherwise.
    pub effect: Effect,
    /// True when no setting can weaken it: it protects the cluster itself.
    pub fixed: bool,
    /// One line, for tables.
    pub title: &'static str,
    /// Why it exists, what to do, and the source; for `draguard explain` and `docs/rules.md`.
    pub detail: &'static str,
}
