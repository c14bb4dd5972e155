//! What was found in one object, bounded: warnings never crowd out what refuses.

use crate::verdict::finding::Finding;
use crate::verdict::rule::Effect;

/// The writer of an object with more faults than this has enough to do; the answer stays bounded.
const MOST: usize = 256;

/// As many of an old object's faults are remembered, so that none of them looks new.
const MOST_BEFORE: usize = 16 * 1024;

/// The findings of one object: the first so many warnings, and as many of all other effects.
#[derive(Debug)]
pub struct Findings {
    all: Vec<Finding>,
    warnings: usize,
    others: usize,
    most: usize,
}

impl Default for Findings {
    fn default() -> Self {
        Self::up_to(MOST)
    }
}

impl Findings {
    const fn up_to(most: usize) -> Self {
        Self { all: Vec::new(), warnings: 0, others: 0, most }
    }

    /// For an object as it was before a write.
    #[must_use]
    pub const fn before() -> Self {
        Self::up_to(MOST_BEFORE)
    }

    /// Keeps one more, while there is room for its effect.
    pub fn push(&mut self, finding: Finding) {
        let count = if finding.effect == Effect::Warn { &mut self.warnings } else { &mut self.others };
        if *count < self.most {
            *count += 1;
            self.all.push(finding);
        }
    }

    /// The findings so far.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Finding> {
        self.all.iter_mut()
    }

    /// The findings so far.
    pub fn iter(&self) -> impl Iterator<Item = &Finding> {
        self.all.iter()
    }

    /// All of them.
    #[must_use]
    pub fn into_vec(self) -> Vec<Finding> {
        self.all
    }
}

impl Extend<Finding> for Findings {
    fn extend<I: IntoIterator<Item = Finding>>(&mut self, findings: I) {
        findings.into_iter().for_each(|finding| self.push(finding));
    }
}
