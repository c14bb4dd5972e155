//! What draguard believes of Kubernetes, proved against the real control plane of both versions.
//!
//! One test a fact and version, named `fact_…::v1.3x`. Facts share one control plane a version, where
//! each has a namespace, a node and a driver of its own; one that breaks things starts its own.
#![allow(clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail loudly")]
#![allow(
    clippy::match_bool,
    clippy::needless_pass_by_value,
    clippy::similar_names,
    reason = "stories in JSON read better so: `Ok` and `Err` one below the other, `json!` right in the call"
)]

mod bed;
mod docs;
mod fact;
mod facts;
mod node_life;
mod planes;
mod recorder;
mod scenarios;
mod status_table;
mod watches;
mod workloads;

use std::sync::Arc;

use draguard_testbed::Node;
use libtest_mimic::{Arguments, Trial};

use crate::fact::Fact;
use crate::planes::Planes;

/// Tests mostly wait for the cluster, so more of them run at once than there are processors. Two live with a node.
const AT_ONCE: usize = 8;

fn main() {
    let mut arguments = Arguments::from_args();
    arguments.test_threads.get_or_insert(AT_ONCE);
    let planes = Arc::new(Planes::default());
    let no_node = no_node();
    let skip = |fact: &Fact| no_node.as_deref().filter(|_| facts::needs_node(fact.name));
    let facts = facts::all().iter().flat_map(|f| fact::trials(f, &planes, skip(f))).collect();
    // First what takes longest; last what looks at its record.
    let mut trials = node_life::scenarios(no_node.as_deref());
    trials.extend(recorder::trials());
    trials.extend(status_table::trials());
    trials.extend(spread(scenarios::trials(), facts));
    trials.extend(node_life::recordings(no_node.as_deref()));
    trials.extend(watches::trials(&planes));
    trials.extend(workloads::trials(&planes));
    trials.push(Trial::test("facts_are_documented", || docs::check(&facts::all())));
    trials.push(Trial::test("scenarios_break_every_rule", scenarios::coverage::check));
    let conclusion = libtest_mimic::run(&arguments, trials);
    drop(planes);
    conclusion.exit();
}

/// Puts the few among the many, evenly: scenarios of one version wait for each other.
fn spread(few: Vec<Trial>, many: Vec<Trial>) -> Vec<Trial> {
    let apart = many.len() / few.len().max(1);
    let mut few = few.into_iter();
    let mut all = Vec::new();
    for (place, trial) in many.into_iter().enumerate() {
        if place % apart.max(1) == 0 {
            all.extend(few.next());
        }
        all.push(trial);
    }
    all.extend(few);
    all
}

/// Why facts about a real node are skipped. In CI nothing is: there they fail and say why.
fn no_node() -> Option<String> {
    match std::env::var_os("CI") {
        Some(_) => None,
        None => Node::unavailable(),
    }
}
