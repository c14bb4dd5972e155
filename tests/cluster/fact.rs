//! The form of a fact, and how it becomes tests.

use std::sync::Arc;

use draguard_testbed::Version;
use libtest_mimic::Trial;

use crate::bed::Bed;
use crate::planes::Planes;

/// What running it has shown of what was read in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is as the source says.
    Proven,
    /// Nobody had read it there; it showed when the tests ran.
    Found,
    /// It is otherwise: the statement says how, this what had been read.
    Differs(&'static str),
}

/// One fact about Kubernetes.
#[derive(Clone, Copy)]
pub struct Fact {
    /// The name of the test.
    pub name: &'static str,
    /// Where the list of facts to prove mentions it.
    pub reference: &'static str,
    /// The versions of which it is true.
    pub on: &'static [Version],
    /// The fact in a sentence.
    pub says: &'static str,
    /// The verdict.
    pub verdict: Verdict,
    /// Proves it, or panics.
    pub test: fn(&Bed),
}

/// True of v1.36 only.
pub const T36: &[Version] = &[Version::V1_36];
/// True of v1.37 only.
pub const T37: &[Version] = &[Version::V1_37];
/// True of both.
pub const BOTH: &[Version] = &Version::ALL;

/// A row of a table of facts.
macro_rules! fact {
    ($test:ident, $reference:literal, $on:ident, $says:literal) => {
        fact!($test, $reference, $on, $says, $crate::fact::Verdict::Proven)
    };
    ($test:ident, $reference:literal, $on:ident, $says:literal, $verdict:expr) => {
        $crate::fact::Fact {
            name: stringify!($test),
            reference: $reference,
            on: $crate::fact::$on,
            says: $says,
            verdict: $verdict,
            test: $test,
        }
    };
}
pub(crate) use fact;

/// One test for each version of which the fact is true.
///
/// `skip` says why it cannot run on this machine.
pub fn trials(fact: &Fact, planes: &Arc<Planes>, skip: Option<&str>) -> Vec<Trial> {
    let kind = skip.map(|why| format!("no node here, {why}")).unwrap_or_default();
    let trial = |version: &Version| {
        let (fact, version, planes) = (*fact, *version, Arc::clone(planes));
        let trial = Trial::test(format!("{}::{version}", fact.name), move || {
            (fact.test)(&Bed::new(&planes, version, fact.name));
            Ok(())
        });
        trial.with_ignored_flag(skip.is_some()).with_kind(kind.clone())
    };
    fact.on.iter().map(trial).collect()
}
