//! DG101: the key of a mapping.

use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use super::super::view::MappingView;
use super::super::{Context, SLICE};
use crate::model::near::nearest;
use crate::model::resource::Kind;
use crate::model::text::quoted;
use crate::verdict::rule::{Effect, Phase, Rule};

const NAMES: &str = "cpu, memory, ephemeral-storage or hugepages-<size>, such as hugepages-2Mi";

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG101",
        kinds: SLICE,
        phase: Phase::Validate,
        effect: Effect::Quarantine,
        fixed: false,
        title: "the mapped name is not a node-allocatable resource",
        detail: "Only cpu, memory, ephemeral-storage and hugepages-<size> are counted on a node. v1.36 stores nearly any \
                 name without a slash and then counts nothing for it; v1.37 refuses ephemeral-storage, although its \
                 documentation names it. Source: kubernetes pkg/apis/core/helper/helpers.go.",
    },
    checks: &[Check::Mapping(check)],
};

fn check(view: &MappingView<'_>, context: &Context<'_>, faults: &mut Faults) {
    let name = view.mapping.resource;
    match view.kind {
        None => faults.push(unknown(view, name)),
        Some(Kind::EphemeralStorage) if refused(view, context) => faults.push(
            Fault::at(view.path(), name, "a v1.37 server refuses a mapping of ephemeral-storage")
                .expected("cpu, memory or hugepages-<size>")
                .mend("leave the entry out for v1.37 servers")
                .warn(),
        ),
        Some(_) => {}
    }
}

fn refused(view: &MappingView<'_>, context: &Context<'_>) -> bool {
    !view.mapping.shape.ephemeral_storage || context.target == Some("v1.37")
}

fn unknown(view: &MappingView<'_>, name: &str) -> Fault {
    let problem = if name.starts_with("hugepages-") {
        format!("{} has a page size that is not a whole positive quantity", quoted(name))
    } else {
        format!("{} is not a resource that a node allocates", quoted(name))
    };
    let remedy = meant(name).map_or_else(
        || "remove the entry, or name the node resource that the device takes".to_owned(),
        |known| format!("did you mean {known}?"),
    );
    Fault::at(view.path(), name, problem).expected(NAMES).mend(remedy)
}

/// The node resource that was meant, also behind the prefix that quotas have.
fn meant(name: &str) -> Option<&'static str> {
    let lower = name.to_ascii_lowercase();
    let bare = ["requests.", "limits."].iter().find_map(|prefix| lower.strip_prefix(prefix)).unwrap_or(&lower);
    nearest(bare, &["cpu", "memory", "ephemeral-storage", "hugepages-2Mi", "hugepages-1Gi"])
}
