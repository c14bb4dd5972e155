//! DG116: names that the API does not take.

use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use super::super::view::DeviceView;
use super::super::{Context, SLICE};
use crate::model::name::{is_driver, is_label, is_pool, is_qualified};
use crate::model::path::Path;
use crate::model::slice::Slice;
use crate::model::text::quoted;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG116",
        kinds: SLICE,
        phase: Phase::Validate,
        effect: Effect::Quarantine,
        fixed: false,
        title: "a driver, pool, device, attribute or capacity has a name that the API does not take",
        detail: "Devices are named by DNS labels; drivers and pools by DNS subdomains; attributes and capacities by an optional \
                 domain, a slash, and a C identifier of at most 32 characters: numa_1, not numa-1. The API server refuses \
                 other names by itself, so that this rule speaks in review, before anything reaches a cluster. Source: \
                 kubernetes pkg/apis/resource/validation/validation.go.",
    },
    checks: &[Check::Slice(check_slice), Check::Device(check_device)],
};

fn check_slice(slice: &Slice<'_>, _: &Context<'_>, faults: &mut Faults) {
    let Some(spec) = &slice.spec else { return };
    let driver = spec.driver.as_deref().filter(|driver| !is_driver(driver));
    if let Some(driver) = driver {
        let path = Path::fields(&["spec", "driver"]);
        faults.push(fault(path, driver, "a DNS subdomain of at most 63 characters", lower(driver)));
    }
    let pool = spec.pool.as_ref().and_then(|pool| pool.name.as_deref()).filter(|pool| !is_pool(pool));
    if let Some(pool) = pool {
        let path = Path::fields(&["spec", "pool", "name"]);
        faults.push(fault(path, pool, "DNS subdomains joined by slashes, at most 253 characters", lower(pool)));
    }
}

fn check_device(view: &DeviceView<'_>, _: &Context<'_>, faults: &mut Faults) {
    let name = view.device.shown_name();
    if !is_label(name) {
        let path = Path::fields(&["spec", "devices"]).named(view.index, name).field("name");
        let expected = "a DNS label: lower-case letters, digits and -, at most 63 characters";
        faults.push(fault(path, name, expected, lower(name)));
    }
    let body = view.body();
    for (name, _) in body.attributes.iter().filter(|(name, _)| !is_qualified(name)) {
        faults.push(unqualified(view.path().field("attributes"), name));
    }
    for (name, _) in body.capacity.iter().filter(|(name, _)| !is_qualified(name)) {
        faults.push(unqualified(view.path().field("capacity"), name));
    }
}

fn unqualified(path: Path, name: &str) -> Fault {
    let (domain, id) = name.rsplit_once('/').map_or(("", name), |(domain, id)| (domain, id));
    let fits = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
    let id: String = id.chars().take(32).map(fits).collect();
    let id = if id.starts_with(|letter: char| letter.is_ascii_digit()) { format!("_{id}") } else { id };
    let suggested = if domain.is_empty() { id } else { format!("{domain}/{id}") };
    let suggested = Some(suggested).filter(|name| is_qualified(name));
    let expected = "a C identifier of at most 32 characters, with an optional domain before a slash";
    fault(path.entry(name), name, expected, suggested)
}

fn lower(name: &str) -> Option<String> {
    let fits = |letter: char| if letter.is_ascii_alphanumeric() || letter == '.' { letter } else { '-' };
    let lower: String = name.to_ascii_lowercase().chars().take(63).map(fits).collect();
    Some(lower.trim_matches('-').to_owned()).filter(|name| is_label(name))
}

fn fault(path: Path, name: &str, expected: &str, suggested: Option<String>) -> Fault {
    let remedy = suggested.map_or_else(|| "rename it".to_owned(), |name| format!("for example {name}"));
    Fault::at(path, name, format!("the API does not take the name {}", quoted(name))).expected(expected).mend(remedy)
}
