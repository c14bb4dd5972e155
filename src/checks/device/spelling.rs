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

/// Names that other components look for.
const KNOWN: [&str; 3] =
    ["resource.kubernetes.io/numaNode", "resource.kubernetes.io/pcieRoot", "resource.kubernetes.io/pciBusID"];

fn check(view: &DeviceView<'_>, _: &Context<'_>, faults: &mut Faults) {
    let body = view.body();
    check_names(view, "attributes", body.attributes.iter().map(|(name, _)| &**name), faults);
    check_names(view, "capacity", body.capacity.iter().map(|(name, _)| &**name), faults);
    for (name, _) in body.attributes.iter() {
        if let Some(known) = KNOWN.iter().find(|known| looks_like(name, known)) {
            let path = view.path().field("attributes").entry(&**name);
            let fault = Fault::at(path, &**name, format!("{} only looks like {known}", quoted(name)));
            faults.push(fault.expected(*known).mend(format!("write {known}, exactly")));
        }
    }
    check_resources(view, "nodeAllocatableResourceMappings", &body.mappings_v136, faults);
    check_resources(view, "nodeAllocatableResources", &body.mappings_v137, faults);
}

fn check_names<'n>(
    view: &DeviceView<'_>,
    field: &'static str,
    names: impl Iterator<Item = &'n str>,
    faults: &mut Faults,
) {
    let mut seen: BTreeMap<String, &str> = BTreeMap::new();
    for name in names {
        let full = if name.contains('/') { name.to_owned() } else { format!("{}/{name}", view.driver()) };
        if let Some(first) = seen.insert(full.to_ascii_lowercase(), name) {
            faults.push(twice(view.path().field(field).entry(name), name, first));
        }
    }
}

fn check_resources(
    view: &DeviceView<'_>,
    field: &'static str,
    map: &Field<Entries<'_, RawMapping<'_>>>,
    faults: &mut Faults,
) {
    let mut seen: BTreeMap<String, &str> = BTreeMap::new();
    for (name, _) in map.get().map(|map| &**map).unwrap_or_default() {
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

/// The same but for case, or the same id under a domain that is nearly the known one.
fn looks_like(name: &str, known: &str) -> bool {
    if name == known || name.len() > 64 {
        return false;
    }
    let (Some((domain, id)), Some((known_domain, known_id))) = (name.split_once('/'), known.split_once('/')) else {
        return false;
    };
    let near = |a: &str, b: &str| strsim::damerau_levenshtein(a, b) <= 2;
    let (domain, id) = (domain.to_ascii_lowercase(), id.to_ascii_lowercase());
    let is_same_domain = domain == known_domain || domain == "resource.k8s.io" || near(&domain, known_domain);
    is_same_domain && near(&id, &known_id.to_ascii_lowercase())
}
