//! DG107: the capacity that is mapped.

use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use super::super::view::MappingView;
use super::super::{Context, SLICE};
use crate::model::text::quoted;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG107",
        kinds: SLICE,
        phase: Phase::Validate,
        effect: Effect::Quarantine,
        fixed: false,
        title: "capacityKey names no capacity of this device",
        detail: "The key must be written exactly as the capacity's own key on the same device, domain included: the scheduler \
                 looks it up byte for byte, and skips the mapping in silence when it is not there. Source: kubernetes \
                 pkg/scheduler/framework/plugins/dynamicresources/nodeallocatabledynamicresources.go.",
    },
    checks: &[Check::Mapping(check)],
};

fn check(view: &MappingView<'_>, _: &Context<'_>, faults: &mut Faults) {
    let Some(key) = view.mapping.capacity_key else { return };
    let capacity = &view.on.body().capacity;
    if capacity.value(key).is_some() {
        return;
    }
    let path = view.mapping.key_path(view.on.path());
    let same_id = capacity.iter().map(|(name, _)| &**name).find(|name| id(name) == id(key));
    let (problem, remedy) = match same_id {
        Some(name) => (
            format!("the device has no capacity {}; only the domain prefix differs from {}", quoted(key), quoted(name)),
            format!("write {}", quoted(name)),
        ),
        None => {
            (format!("the device has no capacity {}", quoted(key)), "name a capacity of the same device".to_owned())
        }
    };
    let names: Vec<String> = capacity.iter().take(8).map(|(name, _)| quoted(name)).collect();
    let expected = if names.is_empty() { "a capacity; the device has none".to_owned() } else { names.join(" or ") };
    faults.push(Fault::at(path, key, problem).expected(expected).mend(remedy));
}

fn id(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}
