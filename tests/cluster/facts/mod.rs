//! The facts, by subject.

mod admission;
mod authorization;
pub mod claim_status;
pub mod counting;
mod denials;
mod devices;
mod formula;
mod gate_off;
mod list_loss;
mod misuse;
mod node;
pub mod nodes;
mod numbers;
pub mod pod_status;
mod publisher;
mod publisher_refused;
mod retries;
mod reviews;
mod roles;
mod scheduling;
mod slice_bounds;
mod slice_shape;
mod upgrade;
mod webhook_rules;
pub mod wrong_scheduler;

use crate::fact::Fact;

/// All facts, in the order of the document.
pub fn all() -> Vec<Fact> {
    [
        slice_shape::FACTS,
        slice_bounds::FACTS,
        nodes::FACTS,
        numbers::FACTS,
        gate_off::FACTS,
        upgrade::FACTS,
        pod_status::FACTS,
        list_loss::FACTS,
        claim_status::FACTS,
        wrong_scheduler::FACTS,
        authorization::FACTS,
        roles::FACTS,
        scheduling::FACTS,
        formula::FACTS,
        counting::FACTS,
        misuse::FACTS,
        devices::FACTS,
        denials::FACTS,
        retries::FACTS,
        reviews::FACTS,
        admission::FACTS,
        webhook_rules::FACTS,
        publisher::FACTS,
        publisher_refused::FACTS,
        node::FACTS,
    ]
    .concat()
}

/// Whether a fact takes a real node, which not every machine can run.
pub fn needs_node(name: &str) -> bool {
    node::FACTS.iter().any(|fact| fact.name == name)
}
