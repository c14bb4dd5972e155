//! DG115: two spellings of one thing.

use std::collections::BTreeMap;

use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use super::super::view::DeviceView;
use super::super::{Context, SLICE};
use crate::model::decode::{Entries, Field};
use crate::model::mapping::RawMapping;
use crate::model::path::Path;
use crate::model::resource::Kind;
use crate::model::text::quoted;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG115",
        kinds: SLICE,
        phase: Phase::Validate,
        effect: Effect::Warn,
        fixed: false,
        title: "two spellings of one resource, capacity or attribute, or a name that only looks like a known one",
        detail: "A name without a domain is in the driver's own: x and DRIVER/x are one attribute. Names are case-sensitive, so \
                 that numanode is not numaNode; hugepages-2Mi and hugepages-2048Ki are pages of one size under two names, of \
                 which a node has only one.",
    },
    checks: &[Check::Device(check)],
};

/// The domain of the standard attributes.
const DOMAIN: &str = "resource.kubernetes.io";

/// The standard attributes, which other components look for.
const KNOWN: [&str; 3] = ["numaNode", "pcieRoot", "pciBusID"];

/// Domains that are taken for `resource.kubernetes.io`.
const NEAR_DOMAINS: [&str; 4] = ["resource.k8s.io", "resources.kubernetes.io", "kubernetes.io", "resource.kubernetes"];

/// The API takes 32 attributes and capacities; beyond this many names are not compared.
const MOST: usize = 64;

fn check(view: &DeviceView<'_>, _: &Context<'_>, faults: &mut Faults) {
    let body = view.body();
    let attributes = split(view, body.attributes.iter().map(|(name, _)| &**name));
    check_names(view, "attributes", &attributes, faults);
    check_known(view, &attributes, faults);
    check_names(view, "capacity", &split(view, body.capacity.iter().map(|(name, _)| &**name)), faults);
    check_resources(view, "nodeAllocatableResourceMappings", &body.mappings_v136, faults);
    check_resources(view, "nodeAllocatableResources", &body.mappings_v137, faults);
}

/// A name, and what it is in full.
struct Full<'n> {
    name: &'n str,
    domain: &'n str,
    id: &'n str,
}

fn split<'n>(view: &DeviceView<'n>, names: impl Iterator<Item = &'n str>) -> Vec<Full<'n>> {
    let full = |name: &'n str| {
        let slash = name.bytes().position(|byte| byte == b'/');
        let (domain, id) =
            slash.and_then(|at| Some((name.get(..at)?, name.get(at + 1..)?))).unwrap_or((view.driver(), name));
        Full { name, domain, id }
    };
    names.take(MOST).map(full).collect()
}

fn check_names(view: &DeviceView<'_>, field: &'static str, names: &[Full<'_>], faults: &mut Faults) {
    for (nth, full) in names.iter().enumerate() {
        let twin = names
            .iter()
            .take(nth)
            .find(|one| one.id.eq_ignore_ascii_case(full.id) && one.domain.eq_ignore_ascii_case(full.domain));
        if let Some(first) = twin {
            faults.push(twice(view.path().field(field).entry(full.name), full.name, first.name));
        }
    }
}

fn check_known(view: &DeviceView<'_>, names: &[Full<'_>], faults: &mut Faults) {
    for full in names {
        let Some(id) = KNOWN.iter().find(|known| known.eq_ignore_ascii_case(full.id)) else { continue };
        let is_near = full.domain.eq_ignore_ascii_case(DOMAIN) || NEAR_DOMAINS.contains(&full.domain);
        if is_near && (full.domain != DOMAIN || full.id != *id) {
            let path = view.path().field("attributes").entry(full.name);
            let fault = Fault::at(path, full.name, format!("{} only looks like {DOMAIN}/{id}", quoted(full.name)));
            faults.push(fault.expected(format!("{DOMAIN}/{id}")).mend(format!("write {DOMAIN}/{id}, exactly")));
        }
    }
}

fn check_resources(
    view: &DeviceView<'_>,
    field: &'static str,
    map: &Field<Entries<'_, RawMapping<'_>>>,
    faults: &mut Faults,
) {
    let map = map.get().map(|map| &**map).unwrap_or_default();
    if map.len() < 2 {
        return;
    }
    let mut seen: BTreeMap<String, &str> = BTreeMap::new();
    for (name, _) in map {
        if let Some(first) = seen.insert(meaning(name), name) {
            faults.push(twice(view.path().field(field).entry(&**name), name, first));
        }
    }
}

/// What a resource name comes to: page sizes by their bytes, everything else without case.
fn meaning(name: &str) -> String {
    match Kind::of(name) {
        Some(Kind::Hugepages(page)) => format!("hugepages of {}", page.whole_ceil().unwrap_or_default()),
        _ => name.trim().to_ascii_lowercase(),
    }
}

fn twice(path: Path, name: &str, first: &str) -> Fault {
    Fault::at(path, name, format!("{} and {} are two spellings of one name", quoted(first), quoted(name)))
        .expected("one spelling")
        .mend("keep one of the two")
}
